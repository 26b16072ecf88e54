"""Calls of `solve_ensemble` that are made again take the short way, and nobody can tell."""

import copy
import dataclasses
import gc
import pickle
import threading
import weakref

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InputError, LargeStepWarning
from polhode.runs.ensemble import repeated, solve

CALL = {"h": 0.05, "n_steps": 4, "save_every": 3}
STARTS = np.array([0.3, 0.2, 1.5]) + np.linspace(0.0, 0.4, 9)[:, None]
TURNED = ph.solve("free-body", "VLV", h=0.02, n_steps=9).Q[1:]
PULL = np.array([1.0, 0.5])
STIFFNESS = 1.0


def pulled(t, Q, p):
    return (STIFFNESS * Q[2, 1], -p.k * Q[2, 0], PULL[1] * Q[0, 1])


def body(inertia=(1.0, 2.0, 2.5)):
    return ph.Problem(inertia=inertia, torque=pulled, parameters={"k": 1.0}, Omega0=(0.3, 0.2, 1.5))


def run(p, method="VLV", Omega0=STARTS, **more):
    return ph.solve_ensemble(p, method, **({"Omega0": Omega0} | CALL | more))


def states(e):
    return e.t.tolist(), e.Q.tolist(), e.Omega.tolist()


def alone(p, Omega0=STARTS, **more):
    """The same starts by `solve`, body by body."""
    each = [ph.solve(p.replaced(Omega0=x, **more), "VLV", **CALL) for x in Omega0]
    return each[0].t.tolist(), np.stack([s.Q for s in each], 1).tolist(), np.stack([s.Omega for s in each], 1).tolist()


def assert_same_fields(e, expected):
    """Every field, but for the functions of a problem that has travelled."""
    for name in (field.name for field in dataclasses.fields(ph.Ensemble)):
        x, y = getattr(e, name), getattr(expected, name)
        assert x.__class__ is y.__class__
        if name == "bodies":
            own = [field.name for field in dataclasses.fields(y) if field.name != "kinds"]
            assert all(_same_array(getattr(x, k), getattr(y, k)) for k in own)
        elif name == "stats":
            assert x.keys() == y.keys() and all(x[k] == y[k] for k in x.keys() - {"wall_time"})
        elif isinstance(y, np.ndarray):
            assert _same_array(x, y)
        else:
            assert x == y


def _same_array(x, y):
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


@pytest.fixture
def short(monkeypatch):
    """Calls that go the long way fail."""

    def only():
        monkeypatch.setattr(solve, "gathered", None)

    return only


@pytest.mark.parametrize("method", ["VLV", ph.method("VLV")], ids=["name", "Method"])
@pytest.mark.parametrize("make", [lambda: ph.problem("stress"), body], ids=["shipped", "own"])
def test_the_second_call_is_the_first(make, method, short):
    p = make()
    first = run(p, method)
    short()
    second = run(p, method)
    assert states(second) == states(first)
    for e in (second, copy.copy(run(p, method)), pickle.loads(pickle.dumps(run(p, method)))):
        assert_same_fields(e, first)
    assert (second.method, second.h, second.message) == (first.method, first.h, "")
    assert second.success.all() and second.integrator == first.integrator and second.bodies.kinds[0] is p


@pytest.mark.parametrize("p", [ph.problem("stress"), body()], ids=["shipped", "own"])
def test_other_starts_take_the_short_way_too(p, short):
    expected = {
        "Omega0": alone(p, STARTS[::-1]),
        "changed": alone(p, STARTS + 0.1),
        "Pi0": alone(p, STARTS / p.moments),
        "Q0": states(run(p.replaced(Omega0=p.Omega0), Omega0=None, Q0=TURNED)),
    }
    given = STARTS.copy()
    run(p, Omega0=given)
    run(p, Omega0=None, Pi0=given)
    run(p, Omega0=None, Q0=TURNED[::-1])
    short()
    earlier = run(p, Omega0=given)
    assert states(run(p, Omega0=STARTS[::-1].copy())) == expected["Omega0"]
    given += 0.1
    assert states(run(p, Omega0=given)) == expected["changed"] != states(earlier)
    assert earlier.Omega[0].tolist() == STARTS.tolist()
    assert states(run(p, Omega0=None, Pi0=STARTS.copy())) == expected["Pi0"]
    assert states(run(p, Omega0=None, Q0=TURNED)) == expected["Q0"]


@pytest.mark.parametrize("N", [1, 8, 17])
@pytest.mark.parametrize("make", [lambda: ph.problem("stress"), body], ids=["shipped", "own"])
def test_any_number_of_bodies(make, N, short):
    """Also where the sum of all speeds would be too fast, and none of them is."""
    p, starts, call = make(), np.array([0.3, 0.2, 1.2]) + np.linspace(0.0, 0.1, N)[:, None], {"h": 0.5, "n_steps": 3}
    expected = states(run(p, Omega0=starts[::-1].copy(), **call))
    first = run(p.replaced(Omega0=p.Omega0), Omega0=starts, **call)
    short()
    second = run(p, Omega0=starts, **call)
    assert_same_fields(second, first)
    assert states(second) == states(first) and states(run(p, Omega0=starts[::-1].copy(), **call)) == expected


def test_what_is_looked_at_late_is_of_its_own_call(short):
    p = body()
    run(p, Omega0=None, Q0=TURNED)
    run(p)
    expected = [states(run(p, Omega0=None, Q0=TURNED[::-1])), states(run(p, Omega0=STARTS + 0.1))]
    short()
    late = [run(p, Omega0=None, Q0=TURNED[::-1]), run(p, Omega0=STARTS + 0.1)]
    run(p, Omega0=None, Q0=TURNED)
    run(p)
    assert [states(e) for e in late] == expected


def test_axes_of_ones_own(short):
    tilted = body([[2.0, 0.3, 0.1], [0.3, 2.5, 0.2], [0.1, 0.2, 3.0]])
    run(tilted)
    expected = alone(tilted, STARTS[::-1])
    short()
    assert states(run(tilted, Omega0=STARTS[::-1].copy())) == expected


def test_globals_and_arrays_of_a_torque_are_seen(monkeypatch):
    p = body()
    before = [states(run(p)) for _ in range(3)]
    monkeypatch.setattr(f"{__name__}.STIFFNESS", 3.0)
    stiffer = [states(run(p)) for _ in range(2)]
    assert before[0] == before[1] == before[2]
    assert stiffer[0] == stiffer[1] == states(run(body())) == alone(body()) != before[0]
    monkeypatch.undo()
    assert states(run(p)) == before[0]
    try:
        PULL[1] = 2.0
        assert states(run(p)) == states(run(body())) == alone(body()) != before[0]
    finally:
        PULL[1] = 0.5


def test_arrays_of_the_problem_that_change_are_seen():
    p, other = body(), body()
    for _ in range(2):
        run(p)
        run(p, Omega0=None, Q0=TURNED)
    for x in (p, other):
        x.Omega0[0], x.Q0[:] = 0.7, TURNED[3]
    assert states(run(p)) == states(run(other))
    assert states(run(p, Omega0=None, Q0=TURNED)) == states(run(other, Omega0=None, Q0=TURNED))


def test_parameters_and_inertia_of_one_call_are_not_those_of_the_next():
    p = body()
    plain = [states(run(p)) for _ in range(2)]
    varied = states(run(p, parameters={"k": np.linspace(1, 2, 9)}))
    heavier = states(run(p, inertia=np.array([1.5, 2.0, 2.5]) * np.ones((9, 1))))
    assert plain[0] == plain[1] == states(run(p)) and plain[0] not in (varied, heavier)
    assert states(run(p.replaced(k=2.0))) == alone(p.replaced(k=2.0))


def test_what_is_refused_or_told_is_so_each_time():
    p = body()
    run(p)
    bad = STARTS.copy()
    bad[2, 1] = np.nan
    for _ in range(2):
        with pytest.warns(ph.RunWarning, match="Body 2"):
            e = run(p, Omega0=bad)
        assert e.success.tolist() == [i != 2 for i in range(9)]
        with pytest.warns(LargeStepWarning):
            run(p, Omega0=40 * STARTS)
        for wrong in ({"on_failure": "no"}, {"threads": True}, {"h": True}, {"Pi0": STARTS}):
            with pytest.raises(InputError):
                run(p, **wrong)
        with pytest.raises(InputError, match="rotation"):
            run(p, Omega0=None, Q0=2 * TURNED)


def test_results_do_not_share_what_can_be_written_to():
    p = ph.problem("stress")
    first = run(p)
    expected = states(first)
    for e in (first, run(p)):
        e.t[:], e.Q[:], e.Omega[:], e.rows[:] = -1.0, 0.0, 0.0, 0.0
        e.bodies.moments[:], e.bodies.parameters[:] = 7.0, 7.0
    assert states(run(p)) == expected


def test_a_problem_is_freed_and_few_calls_are_kept():
    p = body()
    for n in range(1, repeated.MOST_KEPT + 4):
        run(p, h=0.01, n_steps=n)
    assert run(p, h=0.01, n_steps=1).t.tolist() == [0.0, 0.01]
    gone = weakref.ref(p)
    del p
    gc.collect()
    assert gone() is None


def test_calls_at_the_same_time():
    p, found = body(), []
    given = [STARTS + 0.01 * k for k in range(3)]
    expected = [states(run(p, Omega0=x)) for x in given]

    def often(k):
        found.extend(states(run(p, Omega0=given[k])) == expected[k] for _ in range(40))

    threads = [threading.Thread(target=often, args=(k,)) for k in range(3)]
    for x in threads:
        x.start()
    for x in threads:
        x.join()
    assert len(found) == 120 and all(found)


@pytest.mark.parametrize(
    ("torque", "times"), [(lambda t, Q: Q[2], 0), (lambda t, Q, Omega: -0.1 * Omega, 3)], ids=["of Q", "of Omega"]
)
def test_the_guard_compares_anew_where_the_torque_may_differ(torque, times, monkeypatch):
    """Starts that differ in a velocity which the torque does not take are one to it."""
    p = ph.Problem(inertia=(1.0, 2.0, 2.5), torque=torque, Omega0=(0.3, 0.2, 1.5))
    run(p, Q0=TURNED)
    run(p, Q0=TURNED)
    compared, guard = [], repeated.Run.guard
    monkeypatch.setattr(repeated.Run, "guard", lambda run: compared.append(run) or guard(run))
    for k in range(3):
        run(p, Omega0=STARTS + 0.1 * (k + 1), Q0=TURNED)
    assert len(compared) == times
    run(p, Q0=TURNED[::-1].copy())
    assert len(compared) == times + 1
