"""What the fourth adversary found: kernels that remember or refuse, maps put together from several, integrators that
spoil the next one, and sentences that contradicted the verdicts."""

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.certificate import Certificate, Property
from polhode.testbench.certificate.diagnosis.clues import rate, turn
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.pace import Cost, Pace
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.states.cases import placed, potential
from polhode.testbench.certificate.summary import summary
from tests.testbench.certificate.adversary import fourth, kernels, third

YES, ORDER_2 = Property(1e-15, 1e-12, "yes", ""), Property(2.0, 0.15, "yes", "")
SYMPLECTIC = {"order_potential_Q": ORDER_2, "order_potential_Omega": ORDER_2, "symplectic_potential": YES}


def test_a_kernel_that_remembers_is_looked_at_over_several_steps():
    c = ph.certify(kernels.as_method("lagging"), drift=False)
    assert [c[key].verdict for key in ("symmetric", "symplectic_potential")] == ["no", "no"]
    assert "It has memory" in c.diagnosis[0]


def test_a_kernel_that_is_wrong_for_a_body_of_the_survey_has_no_order():
    c = ph.certify(kernels.as_method("slender_bodies"), drift=False)
    assert c["order_free_Q"].value == 0 and c["momentum_free"].verdict == "no"
    assert "with a rod" in " ".join(c.diagnosis) and "long runs" not in c.summary


def test_a_kernel_that_is_another_beyond_an_angle_has_no_property_that_ends_there():
    c = ph.certify(kernels.as_method("large_turns"), drift=False)
    keys = ("symmetric", "symplectic_free", "symplectic_potential", "momentum_free", "momentum_top")
    assert [c[key].verdict for key in keys] == ["no"] * 5 and "another formula" in " ".join(c.diagnosis)


def test_one_integrator_does_not_spoil_the_next():
    def spoils(p, Q, Omega, h, t):
        p.Q0[:] = 2 * p.Q0
        return third.right(p, Q, Omega, h, t)

    before = states("free")[0].problem.Q0.copy()
    look = Look(spoils)
    outside.MEASURES["spatial momentum"](look, BY_KEY["momentum_free"])
    assert np.array_equal(states("free")[0].problem.Q0, before)


def test_a_tensor_may_be_written_to():
    body = ph.Problem(inertia=[[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]], Omega0=(0, 0, 1))
    body.tensor[0, 0] = 7
    assert body.tensor[0, 0] == 2


@pytest.mark.parametrize("step", [fourth.exits_beyond, fourth.free_only], ids=lambda step: step.__name__)
def test_what_runs_somewhere_has_a_certificate(step):
    with np.errstate(all="raise"):  # what a caller has set is not for our references
        c = ph.certify(step, drift=False)
    assert c["order_free_Q"].value == pytest.approx(2, abs=0.1) and c["symplectic_free"].verdict == "yes"


def test_one_that_runs_nowhere_does_not_cost_the_others():
    def broken(p, Q, Omega, h, t):
        raise ZeroDivisionError("always")

    broken_one, right = ph.certify([broken, "VLV"], drift=False)
    assert "failed in its first step: ZeroDivisionError" in broken_one.summary and not broken_one.properties
    assert right["symmetric"].verdict == "yes"
    with pytest.raises(ph.InputError, match="failed in its first step"):
        ph.certify(broken, drift=False)


def test_a_step_that_never_returns_costs_seconds_and_ends_the_range(monkeypatch):
    monkeypatch.setattr("polhode.testbench.certificate.running.look.STEP_SECONDS", 0.2)
    look = Look(fourth.hangs_beyond)
    found = outside.MEASURES["spatial momentum"](look, BY_KEY["momentum_free"])[0][0]
    assert found.verdict == "yes" and "up to" in found.qualifier and look.returning.hung[True] < 2


def test_the_last_bit_is_no_doubt():
    look = Look(fourth.last_bit)
    look.character = character_of(look)
    found = outside.MEASURES["spatial momentum"](look, BY_KEY["momentum_free"])[0][0]
    assert look.character.noise > 0 and found.verdict == "yes"


def test_what_is_returned_in_another_form_is_named():
    p = placed(potential())
    assert turn(Look(fourth.transposed).run, p) == "Q transposed"
    assert rate(Look(fourth.in_space).run, p) == "velocity in space axes"
    assert turn(Look(third.right).run, p) == rate(Look(third.right).run, p) == ""


def test_the_summary_does_not_contradict_the_verdicts():
    drifts = SYMPLECTIC | {"drift": Property(1e-5, 1e-6, "yes", "")}
    assert "for short runs" in summary("it", drifts) and "bounded" not in summary("it", drifts)
    nowhere = SYMPLECTIC | {"order_potential_Q": Property(0.0, 0.15, "no", "")}
    assert "bounded" in summary("it", SYMPLECTIC) and "bounded" not in summary("it", nowhere)


def test_a_claim_agrees_with_an_order_seen_in_floats():
    seen = Property(9.88, 0.15, "yes", "", qualifier="in floats (at 60 digits the error stops falling)")
    claims = {"order_free_Q": 10.0}
    assert not Certificate("it", "kernel", {"order_free_Q": seen}, "", claims=claims).contradictions
    assert Certificate("it", "kernel", {"order_free_Q": ORDER_2}, "", claims=claims).contradictions


def test_no_time_is_kept_for_a_drift_that_is_not_measured():
    with_drift, without = Pace(), Pace()
    without.is_with_drift = False
    for pace in (with_drift, without):
        pace.cost = Cost(0.003, 0.003, 0.0, 0.003)
    assert without.budget > with_drift.budget + 5
