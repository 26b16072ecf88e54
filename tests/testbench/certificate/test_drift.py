"""The drift of a certificate: what is a drift, what only looks like one, and what a theorem excludes."""

from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from polhode.testbench.certificate import drift
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.drift import drift_of, is_excluded, would_decide
from polhode.testbench.certificate.drift_of_memory import drift_of_memory
from polhode.testbench.certificate.modified_energy import seems_several, shortly, told
from polhode.testbench.certificate.running.look import Look, box
from polhode.testbench.certificate.running.questions import character_of
from tests.testbench.certificate.adversary import awkward, drifting, fourth, kernels, steps, third

YES = Property(1e-15, 1e-12, "yes", "")


def of_order(p):
    """Properties of what was measured to be symplectic and of this order."""
    order = Property(p, 0.15, "yes", "")
    return {"order_potential_Q": order, "order_potential_Omega": order, "symplectic_potential": YES}


SYMPLECTIC = of_order(2.0)


def found(method, properties, form="function"):
    return drift_of(method, form, properties, Look(box(method)))[0]


# ---- what ends is no drift ----------------------------------------------------------------------------


def test_a_run_that_is_ended_by_an_exception_is_no_drift():
    for properties in (SYMPLECTIC, {}):
        p = found(drifting.until_40, properties)
        assert p.verdict == "undecided" and "raised ValueError" in p.how and "the table of torques ends" in p.how
        assert "blows up" not in p.coverage and "is here" not in p.how


def test_a_larger_step_that_fails_is_told():
    p = found(awkward.refuses_large, SYMPLECTIC)
    assert p.verdict == "undecided" and p.how.endswith("h is too large")

    def until_40_if_large(p, Q, Omega, h, t):
        return (drifting.until_40 if h > 0.2 else third.right)(p, Q, Omega, h, t)

    p = found(until_40_if_large, SYMPLECTIC)
    assert p.verdict == "no" and "; at h = 0.25 it raised ValueError at step 161" in p.how


def test_an_energy_that_blows_up_is_one():
    def lost(p, Q, Omega, h, t):
        Q, Omega = third.right(p, Q, Omega, h, t)
        return Q, 1.01 * Omega

    p = found(lost, {})
    assert p.verdict == "yes" and "its energy error exceeds" in p.how and p.coverage == "blows up at h = 1/8"


def test_what_remembers_and_stops_is_undecided_with_what_ran():
    look = Look(ph.BlackBox("up to 1000 steps", drifting.up_to_1000_steps))
    p = drift_of_memory(look)
    assert p.verdict == "undecided" and "energy after 10, 20, 40, 80, each" in p.how
    assert "up to 160 it raised MemoryError" in p.how and p.bound < 1e-3
    at_once = drift_of_memory(look, (200, 400))
    assert at_once.verdict == "undecided" and "in one run: it raised MemoryError" in at_once.how


def test_what_remembers_and_is_lost_drifts():
    box = ph.BlackBox("leapfrog", awkward.leapfrog)  # it overflows: before that its energy is lost
    look = Look(box)
    look.character = character_of(look)
    p, _ = drift_of(box, "black box", {}, look)
    assert look.character.memory and p.verdict == "yes" and "it blows up" in p.how


def test_a_step_that_was_not_taken_is_no_instability():
    p = found(kernels.as_method("only_small_steps"), SYMPLECTIC, "kernel")
    assert p.verdict == "undecided" and "did not run" in p.how


# ---- what no modified energy of the usual terms explains ----------------------------------------------


def test_a_map_put_together_from_several_symplectic_ones_is_not_said_to_be_safe(monkeypatch):
    assert found(third.right, SYMPLECTIC).verdict == "no"
    p = found(fourth.axes_by_the_state, SYMPLECTIC)
    assert p.verdict == "yes" and "over [0, 2000]" in p.how  # a slope in a short span is looked at in a longer one
    monkeypatch.setitem(drift.SPANS, "function", (500.0,))
    p = found(fourth.axes_by_the_state, SYMPLECTIC)
    assert p.verdict == "undecided" and "another step size would decide" in p.how
    look = Look(fourth.axes_by_the_state)
    look.switches = "beyond 1.04 rad a step"  # as its symmetry shows
    p, _ = drift_of(fourth.axes_by_the_state, "function", SYMPLECTIC, look)
    assert p.verdict == "undecided" and "put together from several" in p.how


def test_nor_is_one_of_order_four(monkeypatch):
    monkeypatch.setitem(drift.SPANS, "function", (500.0,))
    monkeypatch.setitem(drift.PATIENT_SECONDS, "kernel", np.inf)  # the longer span, however busy the machine
    p = found(drifting.four_by_the_state, of_order(4.0))
    assert p.verdict == "undecided" and "put together from several" in p.how
    jumps = ph.Method(name="jumps by the state", step=drifting.jumps_by_the_state)
    assert found(jumps, of_order(4.0), "kernel").verdict == "yes"


@pytest.mark.parametrize(
    ("step", "order"),
    [(drifting.yoshida, 4.0), (third.ruth, 3.0), (steps.lie_trotter, 1.0), (drifting.kicks_between_turns, 2.0)],
    ids=lambda step: getattr(step, "__name__", ""),
)
def test_other_modified_energies_than_the_usual_are_not_said_to_be_none(step, order):
    p = found(step, of_order(order))
    assert p.verdict == "no" and "does not tell whether one exists" in p.how


def test_kernels_of_high_order_do_not_drift():
    for step, order in ((drifting.triple_jump, 4.0), (drifting.quintuple_jump, 4.0), (kernels.printed_digits, 8.0)):
        assert found(ph.Method(name=step.__name__, step=step), of_order(order), "kernel").verdict == "no"
    assert found(ph.method("GAUSS16"), of_order(16.0), "kernel").verdict == "no"


def test_a_slope_of_a_slow_oscillation_is_looked_at_in_a_longer_span():
    """Of order 8, over 250 units of time: seven standard errors at h = 1/4, which are gone over 2000."""
    p = found(box(kernels.as_method("printed_digits")), of_order(8.0), "black box")
    assert p.verdict == "no" and "up to t = 2000" in p.coverage


def row(error, left, slopes=(0.1, 0.1), h=(0.125, 0.25)):
    """A stress test whose energy errors and residuals fall with these powers, with slopes in standard errors."""
    return SimpleNamespace(
        evidence=[
            SimpleNamespace(
                h=x, amplitude=x**error, residual=0.1 * x**left, modified="99% of it", stable=True, linear=True,
                largest=x**error, slope=1e-6 * slope, error=1e-6, round_off=1e-15,
            )
            for x, slope in zip(h, slopes)
        ]
    )  # fmt: skip


def test_that_there_is_no_modified_energy_is_concluded_of_order_two_alone():
    none, exists, open_ = "none of this kind exists", "a modified energy exists", "does not tell"
    assert none in told(row(2, 2), 2.0, False)
    assert exists in told(row(2, 4), 2.0, False) and exists in told(row(4, 6), 4.0, True)
    for error, order, is_symplectic in ((4, 4.0, False), (1, 1.0, False), (4, 2.0, False), (2, 2.0, True)):
        assert open_ in told(row(error, error), order, is_symplectic)
    assert open_ in told(row(2, 2), float("nan"), False)


def test_beyond_the_terms_that_are_fitted_slopes_tell():
    assert not seems_several(row(4, 4), 4.0) and not seems_several(row(2, 2), 2.0)
    assert seems_several(row(4, 4, slopes=(0.1, 3.5)), 4.0) and seems_several(row(2, 2, slopes=(-3.5, 0.1)), 2.0)
    assert not seems_several(row(2, 4, slopes=(0.1, 3.5)), 2.0)  # a modified energy is conserved
    assert seems_several(row(2, 2), 4.0)  # the energy error falls more slowly than the order says


@pytest.mark.parametrize(
    "given, said",
    [
        ("59.1706% of it, most like Omega1 Omega1 Omega3 Omega3", "59% of it, most like Omega1^2 Omega3^2"),
        ("99.9998% of it, most like Omega3 dtau3/dt", "all but 2e-06 of it, most like Omega3 dtau3/dt"),
        ("100.0000% of it, most like Omega1 Omega2 Omega1", "all of it, most like Omega1 Omega2 Omega1"),
    ],
)
def test_what_a_modified_energy_explains_is_told_with_few_digits(given, said):
    assert shortly(given) == said


# ---- what a theorem excludes --------------------------------------------------------------------------


def test_what_is_not_known_to_converge_may_drift_though_it_is_symplectic(monkeypatch):
    monkeypatch.setitem(drift.SPANS, "function", (125.0,))
    assert is_excluded(SYMPLECTIC)
    exact = Property(None, 0.15, "undecided", "", marks=frozenset({Mark.ROUND_OFF_ALONE}))
    assert is_excluded(SYMPLECTIC | {"order_potential_Q": exact, "order_potential_Omega": exact})
    assert is_excluded(of_order(float("inf")))
    for value, verdict in ((0.0, "no"), (2.0, "undecided"), (None, "undecided")):
        assert not is_excluded(SYMPLECTIC | {"order_potential_Omega": Property(value, 0.15, verdict, "")})
    assert not is_excluded({"symplectic_potential": YES})
    p = found(third.right, SYMPLECTIC | {"order_potential_Q": Property(None, 0.15, "undecided", "")})
    assert p.verdict == "undecided" and "symplectic, but it is not known to converge" in p.how


def test_a_slope_at_one_step_size_alone_is_told():
    nothing = SimpleNamespace(seen=False)
    slope = SimpleNamespace(seen=True, h=0.125, rate=-9e-9, error=1e-10)  # a damping of 1e-9 a step
    assert would_decide([nothing, nothing]) == "a longer span would decide"
    assert would_decide([slope, nothing]) == "h = 0.125 alone shows -9.0e-09 ± 1e-10; another step size would decide"


def test_an_integrator_that_cannot_be_hashed_has_a_drift():
    assert found(drifting.Unhashable(), SYMPLECTIC).verdict == "no"
