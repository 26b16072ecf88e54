"""`recommend(problem=...)`: what is measured on the problem itself, in its own units."""

import pytest

import polhode as ph
from polhode.errors import InputError
from polhode.reference.reference import reference
from polhode.runs.to_accuracy.trials import apart


def test_the_step_named_reaches_the_accuracy():
    p = ph.problem("heavy-top")
    r = ph.recommend(p, t_end=6.0, accuracy=1e-6)
    assert {c.method for c in r.choices} == {"TAYLOR", "RKN6", "RKN8", "ADAMS8"}
    assert r[0].nanoseconds <= r[-1].nanoseconds
    assert f"RKN6 with h = {next(c.h for c in r.choices if c.method == 'RKN6'):.3g}" in repr(r)
    exact = reference(p, [6.0])[0]
    for c in r.choices:
        if c.method != "TAYLOR":
            n = round(6.0 / c.h + 0.4999)
            assert apart(ph.solve(p, c.method, h=6.0 / n, n_steps=n, save_every=n).Q[-1:], exact) <= 1e-6


def test_what_must_be_kept():
    r = ph.recommend(problem="stress", t_end=5.0, accuracy=1e-5, keep=["symplectic"])
    assert not {"TAYLOR", "ADAMS8"} & {c.method for c in r.choices} and r.choices
    assert r.left_out["does not keep: symplectic"] == 2
    assert r.to_dict()["wanted"]["problem"] == "stress" and r.table()
    with_rotor = ph.recommend(problem="gyrostat", t_end=5.0, accuracy=1e-6, keep=["symplectic"])
    assert {c.method for c in with_rotor.choices} == {"GAUSS8", "GAUSS16"}  # RKN6 and RKN8 take no rotor


@pytest.mark.parametrize("given", [{"free": True}, {"torque_cost": 1e-3}, {"horizon": 10.0}])
def test_what_the_problem_says_itself(given):
    with pytest.raises(InputError, match="cannot go with a problem"):
        ph.recommend(problem="stress", **given)


def test_an_end_needs_a_problem():
    with pytest.raises(InputError, match="goes with a problem"):
        ph.recommend(t_end=3.0)
