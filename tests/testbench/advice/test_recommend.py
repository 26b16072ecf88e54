"""Recommendations: from measured data, with reasons, and the data up to date."""

import json
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.cli.main import main
from polhode.errors import InputError
from polhode.reference.reference import reference
from polhode.testbench.advice import measure
from polhode.testbench.advice.ranking import KEEP, measured_data


def first(**wanted):
    return ph.recommend(**wanted)[0].method


def test_the_data_are_those_of_the_catalogue():
    data = measured_data()
    assert set(data["methods"]) <= set(ph.methods()) and len(data["methods"]) > 0.8 * len(ph.methods())
    for name, d in data["methods"].items():
        m = ph.method(name)
        assert set(d["errors"]) == ({"free"} if m.free_only else {"free", "potential", "axisymmetric"})
        assert set(d["step_ns"]) == ({"free"} if m.free_only else {"potential", "axisymmetric"})
        if not m.free_only and m.explicit_torque:
            assert d["torques"] == m.torques_per_step
        if not m.free_only:
            assert (d["drift"] == "none") == (m.drift == "none") >= bool(m.symplectic)
            assert isinstance(d["drift"], float) or d["drift"] in ("none", "unstable")


@pytest.mark.parametrize("name", ["VLV", "RKMK4", "AKW"])
def test_the_errors_can_be_measured_again(name):
    p = measure.CASES["potential"]()
    exact = reference(p, measure.SPAN / measure.LOOKS * np.arange(1, measure.LOOKS + 1))[0]
    found = measure.errors(p, ph.method(name), exact)
    kept = measured_data()["methods"][name]["errors"]["potential"]
    for a, b in zip(found, kept):
        assert (a is None) == (b is None) and (a is None or a == pytest.approx(b, rel=0.01, abs=1e-12))


def test_a_method_is_measured_whole():
    problems = {case: make() for case, make in measure.CASES.items()}
    exact = {
        c: reference(p, measure.SPAN / measure.LOOKS * np.arange(1, measure.LOOKS + 1))[0] for c, p in problems.items()
    }
    d = measure.measured(ph.method("VLV"), problems, exact, torque=15.0)
    assert d["drift"] == "none" and d["torques"] == 1 and min(d["step_ns"].values()) > 1
    assert measure.code(ph.method("SW")) < measure.code(ph.method("EXACT"))
    step = ph.Method(name="torque only", step=measure.torque_only)
    assert ph.solve("stress", step, h=0.1, n_steps=10).stats["n_steps"] == 10


def test_long_runs_go_to_methods_that_do_not_drift():
    for c in ph.recommend(horizon=1e7).choices:
        assert ph.method(c.method).drift == "none"


def test_high_accuracy_goes_to_high_order():
    assert ph.method(first(accuracy=1e-9)).orders.torque[0] >= 6


def test_a_free_body_goes_to_the_exact_flow():
    assert first(free=True, accuracy=1e-12) == "EXACT"


def test_a_body_with_two_equal_moments_goes_to_exact_flights():
    """They need no elliptic functions then."""
    assert first(accuracy=1e-6, axisymmetric=True).startswith("RKN")
    plain, even = (ph.recommend(count=60, axisymmetric=x) for x in (False, True))
    cost = [{c.method: c.nanoseconds for c in r.choices}["RKN6"] for r in (plain, even)]
    assert cost[1] < 0.7 * cost[0]


def test_a_costly_torque_goes_to_few_evaluations():
    cheap, dear = (ph.recommend(torque_cost=cost, count=60) for cost in (1e-9, 1.0))
    torques = [c.torques for c in dear.choices]
    assert torques == sorted(torques)
    assert cheap[0].nanoseconds < dear[0].nanoseconds


@pytest.mark.parametrize("what", KEEP)
def test_what_must_be_kept_is_kept(what):
    r = ph.recommend(keep=what, count=60)
    assert r.choices and all(getattr(ph.method(c.method), claim) for c in r.choices for claim in KEEP[what][1])
    assert sum(r.left_out.values()) + len(r.choices) == len(ph.methods())


def test_other_wishes():
    assert all(ph.method(c.method).explicit_torque for c in ph.recommend(explicit=True, count=60).choices)
    lines = [np.mean([c.code for c in ph.recommend(simple=s).choices]) for s in (True, False)]
    assert lines[0] < lines[1]
    steps = [ph.recommend(accuracy=a, keep="symplectic", count=60) for a in (1e-3, 1e-5)]
    coarse, fine = ({c.method: c.h for c in r.choices}["VLV"] for r in steps)
    assert coarse / fine == pytest.approx(10, rel=0.05)  # second order


def test_a_method_that_has_not_been_measured_is_left_out(monkeypatch):
    data = json.loads(json.dumps(measured_data()))
    del data["methods"]["VLV"]
    monkeypatch.setattr(sys.modules["polhode.testbench.advice.ranking"], "measured_data", lambda: data)
    r = ph.recommend(count=60)
    assert r.left_out["not in measured.json"] >= 1 and "VLV" not in [c.method for c in r.choices]


def test_every_choice_says_why():
    for c in ph.recommend(count=60).choices:
        assert c.reasons and all(len(x) > 10 for x in c.reasons)
    html = ph.recommend()._repr_html_()
    assert html.count("<tr>") == 6 and "Left out" in html


@pytest.mark.parametrize(
    "wanted, sentence",
    [
        (dict(accuracy=0), "accuracy is 0; it must be above zero"),
        (dict(accuracy=1e-20), "nothing below 1e-13"),
        (dict(horizon=-1), "horizon is -1"),
        (dict(torque_cost="much"), "torque_cost is 'much'; it must be a number"),
        (dict(keep="heat"), "it may have momentum, energy, symplectic, symmetric"),
        (dict(count=0), "count is 0"),
    ],
)
def test_bad_wishes_get_a_sentence(wanted, sentence):
    with pytest.raises(InputError, match=sentence):
        ph.recommend(**wanted)


def test_on_the_command_line(capsys):
    assert main(["recommend", "--free", "--accuracy", "1e-12"]) == 0
    assert "EXACT" in capsys.readouterr().out
    assert main(["recommend", "--keep", "energy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["choices"][0]["method"] == "AKW"
    assert main(["recommend", "--keep", "energy", "symplectic"]) == 0
    assert "No method of the catalogue meets all of these wishes" in capsys.readouterr().out
    assert main(["recommend", "--keep", "heat"]) == 2
