"""Mistakes that are faint, and right integrators that look like it: what tells one from the other."""

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY, PROPERTIES
from polhode.testbench.certificate.certificate import LEFT_BY_A_TOLERANCE, Property
from polhode.testbench.certificate.kernel.orders import rates_of_tiny_steps
from polhode.testbench.certificate.orders.falling import falling
from polhode.testbench.certificate.orders.powers import orders_of_small_steps
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running.look import Look, box, states
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.special_cases import consistent
from polhode.testbench.certificate.states.cases import free, potential
from polhode.testbench.certificate.structure.defects import DIRECT
from polhode.testbench.certificate.structure.round_off import is_left_by_an_iteration
from tests.testbench.certificate.adversary import faint, kernels, steps, third
from tests.testbench.certificate.adversary.steps import cross

X = np.geomspace(0.06, 3e-5, 8)


def measured(step, key):
    """What one measurement says of a function, by the keys of its properties."""
    row, look = BY_KEY[key], Look(step)
    look.character = character_of(look)
    values, _ = outside.MEASURES[row.measure](look, row)
    return dict(zip([other.key for other in PROPERTIES if (other.group or other.key) == (row.group or key)], values))


def test_errors_that_fall_with_one_power_show_it_and_others_do_not():
    assert falling(X, X**3) == pytest.approx(3)
    assert falling(X, X**3 + 1e-8 * X) == np.inf  # from one power to another
    assert falling(X, np.where(X > 1e-3, X**3, X**5)) == np.inf  # a better formula for small steps
    irregular = np.array([1.0, 0.3, 0.9, 0.2, 0.7, 0.4, 0.8, 0.5])
    assert falling(X, irregular * X**2) == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize(
    ("step", "order", "found"),
    [
        (faint.triple_jump_of_five_digits, 4, 2),
        (faint.munthe_kaas_with_a_tenth, 4, 3),
        (steps.composed(third.right, steps.TRIPLE), 4, np.inf),
        (steps.munthe_kaas_4, 4, np.inf),
        (third.right, 2, np.inf),
    ],
)
def test_small_steps_show_a_smaller_power_of_h(step, order, found):
    Q, _ = orders_of_small_steps(Look(step), "free", order)
    assert Q == pytest.approx(found, abs=0.1) if np.isfinite(found) else Q > order - 0.5


def test_tiny_steps_of_a_kernel_show_what_stays():
    (_, right), (_, also) = rates_of_tiny_steps(kernels.as_method("splitting"), free())
    assert (right, also) == pytest.approx((2, 2), abs=1e-6)
    _, (rate, power) = rates_of_tiny_steps(kernels.as_method("hardly_at_all_damped"), potential())
    assert power == pytest.approx(0, abs=1e-3) and rate == pytest.approx(1e-13, rel=0.5)
    c = ph.certify(kernels.as_method("hardly_at_all_damped"), drift=False)
    assert c["order_free_Omega"].down_to is not None and c["order_free_Omega"].value == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize(
    ("step", "is_iterated"),
    [(faint.to_a_small_tolerance, True), (third.damped_by(third.right, rate=1e-10), False)],
)
def test_what_an_iteration_leaves_goes_back_and_forth_with_the_step(step, is_iterated):
    look = Look(step)
    slow = next(state for state in states("free") if state.words == "slow")
    momentum, *_ = DIRECT["spatial momentum"]
    at = lambda state, radians, n: momentum(look.run, state.problem, state.step(radians))
    assert is_left_by_an_iteration(at, slow, 1.37, 6.0, 2e-13) == is_iterated


def test_a_tolerance_made_for_bodies_of_one_is_told_where_it_is_none():
    def step(p, Q, Omega, h, t):
        """Lie-Verlet by a few iterations, until the residual of the momentum is below 1e-14."""
        J, b, w = p.tensor, p.tensor @ Omega + h / 2 * p.torque(t, Q), Omega
        rest = lambda w: b - J @ w + h / 2 * cross(J @ w, w) - h * h / 4 * (w @ J @ w) * w
        for _ in range(60):
            if np.abs(rest(w)).max() < 1e-14:
                break
            w = w + np.linalg.solve(J, rest(w))
        Q = Q @ steps.cay(h * w)
        Pi = J @ w + h / 2 * cross(J @ w, w) + h * h / 4 * (w @ J @ w) * w
        return Q, np.linalg.solve(J, Pi + h / 2 * p.torque(t + h, Q))

    found = measured(step, "order_free_Q")["order_free_Q"]
    assert found.verdict == "yes" and LEFT_BY_A_TOLERANCE in found.said and "small moments" in found.said


def test_no_general_case_is_better_than_its_special_ones():
    yes, no = Property(1e-15, 1e-12, "yes", ""), Property(1e-3, 1e-12, "no", "")
    assert (
        consistent({"symplectic_free": no, "symplectic_potential": yes})["symplectic_potential"].verdict == "undecided"
    )
    assert consistent({"symplectic_free": yes, "symplectic_potential": no})["symplectic_potential"].verdict == "no"
    order = lambda p, **more: Property(float(p), 0.15, "yes", "", **more)
    found = consistent({"order_free_Q": order(3), "order_potential_Omega": order(4), "order_forced_Q": order(2)})
    assert [found[key].verdict for key in found] == ["yes", "undecided", "yes"]
    stops = consistent({"order_free_Q": order(0), "order_potential_Q": order(2, down_to=1e-7)})
    assert stops["order_potential_Q"].verdict == "yes"  # neither converges


def test_a_box_that_counts_to_a_thousand_is_said_to_remember():
    assert character_of(Look(ph.BlackBox("counts", faint.counts_to_a_thousand))).memory > 0.1
    assert character_of(Look(box("VLV"))).memory == 0


def test_a_claim_of_torques_a_step_is_checked():
    once = ph.Method(name="once", step=kernels.splitting, torques_per_step=1)
    twice = ph.Method(name="twice", step=kernels.splitting, torques_per_step=2)
    assert "torque_evaluations" not in ph.certify(once, drift=False).contradictions
    assert "torque_evaluations" in ph.certify(twice, drift=False).contradictions


def test_a_kernel_is_told_of_a_loose_tolerance():
    @ph.kernel
    def loosely_damped(h, t, state, body):
        (q, Pi, tau, memory), info = kernels.splitting(h, t, state, body)
        return (q, kernels.lin(1, Pi, -1e-9, Pi), tau, memory), info

    c = ph.certify(ph.Method(name="loose", step=loosely_damped), drift=False)
    assert any("hardly depends on h" in sentence for sentence in c.diagnosis)


def test_a_free_velocity_knows_no_attitude():
    found = measured(faint.wrong_near_half_a_turn, "order_free_Q")
    assert found["order_free_Q"].verdict == "no" and found["order_free_Q"].value == 0
    assert found["order_free_Omega"].verdict == "yes" and found["order_free_Omega"].value == pytest.approx(2, abs=0.05)


def test_a_torque_that_is_ignored_when_weak_is_missed():
    found = measured(faint.weak_torque_ignored, "order_potential_Q")["order_potential_Q"]
    where = {"where the torque is 0.001", "at half a turn about the second axis"}  # where it is zero
    assert found.value == 0 and found.how.split("only 0.0 ")[1] in where


def test_what_differs_for_a_free_body_is_looked_at_for_symmetry():
    c = ph.certify(faint.asleep_when_slow_and_free, drift=False)
    assert c["symmetric"].verdict == "no" and "for a free body" in c["symmetric"].coverage


def test_what_is_another_formula_beyond_an_angle_is_not_said_to_be_symmetric():
    c = ph.certify(faint.heun_beyond, drift=False)
    assert any("another formula" in sentence for sentence in c.diagnosis) and c["symmetric"].verdict != "yes"


def test_single_precision_is_told_with_every_order():
    found = measured(faint.attitude_in_single, "order_free_Q")["order_free_Q"]
    assert found.value == pytest.approx(2, abs=0.1) and "single precision" in found.qualifier
