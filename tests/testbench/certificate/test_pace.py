"""A slow integrator is looked at within a budget; what that does not show is undecided, and says what would decide."""

import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY, ORDER
from polhode.testbench.certificate import pace
from polhode.testbench.certificate.drift import spans_of
from polhode.testbench.certificate.look import Look, seconds_a_step
from polhode.testbench.certificate.pace import FEW, PARTS, Pace
from tests.testbench.certificate.adversary import steps, third

ORDERS, SYMMETRY = BY_KEY["order_free_Q"], BY_KEY["symmetric"]


def slow(seconds=0.02):
    p = Pace()
    p.step = seconds
    return p


def test_a_fast_integrator_has_all_the_time_it_takes():
    p = slow(1e-4)
    p.begin(ORDERS, [SYMMETRY])
    assert not p.is_slow and p.allotted == float("inf") and p.patience(20.0) == 20.0 and p.afford(1e9)
    assert p.whole == float("inf") and p.missing(ORDERS) == ""


def test_the_measurements_of_a_slow_one_share_what_is_left():
    p = slow()
    p.begin(ORDERS, [SYMMETRY])
    assert p.allotted == pytest.approx(pace.BUDGET * PARTS["order"] / (PARTS["order"] + FEW), rel=0.01)
    assert p.afford(10) and not p.afford(1e4) and p.patience(100.0) == pytest.approx(1.5 * p.allotted)
    p.begin(SYMMETRY, [])
    assert p.allotted == pytest.approx(pace.BUDGET, rel=0.01)
    assert "s would decide it" in p.missing(SYMMETRY)


def test_no_time_at_all_leaves_what_a_generic_state_shows(monkeypatch):
    monkeypatch.setattr(pace, "SLOW", 0.0)
    monkeypatch.setattr(pace, "BUDGET", 0.0)
    monkeypatch.setattr(pace, "WHOLE", 0.0)
    c = ph.certify(third.right)
    told = {key: p for key, p in c.properties.items() if BY_KEY[key].kind != ORDER}
    assert c["energy_free"].verdict == c["energy_top"].verdict == "no"  # seen at the first state
    for key in ("order_free_Q", "order_forced_Omega", "symmetric", "momentum_free", "drift", "largest_step"):
        assert c[key].verdict == "undecided" and "s would decide it" in c[key].how, c[key]
    assert not [key for key, p in told.items() if p.verdict == "yes" and key != "torque_evaluations"]
    assert "A step takes" in c.diagnosis[0]


def test_a_little_time_gives_verdicts_that_say_what_they_rest_on(monkeypatch):
    monkeypatch.setattr(pace, "SLOW", 0.0)
    c = ph.certify(third.right, drift=False)  # slow by name only: within the budget there is time for all states
    assert c["order_potential_Q"].verdict == c["symmetric"].verdict == c["on_group"].verdict == "yes"
    assert "after 6 steps" in c["on_group"].how


def test_the_shortest_span_of_a_drift_must_fit():
    p = ph.problem("stress")
    look = Look(steps.verlet)
    assert spans_of(look, p, "function", 2, True)[1] == ""
    look.pace.step = 0.02
    (t_end,), missing = spans_of(look, p, "function", 2, True)
    assert t_end == 125 and missing == "there was no time for more; about 120 s would decide it"


def test_the_time_of_a_step_is_measured():
    assert 0 < seconds_a_step(Look(third.right)) < 1
