"""What is wrong at a point of the states, in the loop of a black box or for left-handed axes; what is right in floats;
and what a diagnosis must not say."""

import numpy as np
import pytest
import threadpoolctl

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.certificate import IN_FLOATS, Property
from polhode.testbench.certificate.diagnosis.mistakes import diagnosis
from polhode.testbench.certificate.diagnosis.oddities import oddities
from polhode.testbench.certificate.orders.elsewhere import elsewhere
from polhode.testbench.certificate.orders.exponents import exponent
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.outside.doubts import doubted
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.states.cases import free, placed
from polhode.testbench.certificate.structure.defects import poisson
from tests.testbench.certificate.adversary import faint, fourth, points_and_loops, steps, third


def orders(step, key):
    look, row = Look(step), BY_KEY[key]
    look.character = character_of(look)
    return outside.MEASURES[row.measure](look, row)[0], look


def test_one_wrong_step_is_of_order_one_and_many_are_of_none():
    once = elsewhere(Look(points_and_loops.no_torque_at_the_identity), "potential", 2.0)
    assert once.order == 1 and once.is_known and "the identity" in once.where
    always = elsewhere(Look(fourth.deadband), "potential", 2.0)
    assert always.order == 0 and always.is_known
    right = elsewhere(Look(third.right), "potential", 2.0)
    assert right.order == 2 and not right.where


def test_what_is_not_known_is_said_to_be_undecided():
    (Q, _), look = orders(points_and_loops.mean_of_quaternions, "order_potential_Q")
    assert Q.value == 1 and Q.verdict == "yes"
    found = elsewhere(look, "potential", 2.0)
    found.note(float("nan"), "somewhere")
    assert not found.is_known
    found.note(0.0, "elsewhere")
    assert found.is_known  # there is no order, whatever is left open


def test_a_time_that_is_rounded_is_not_said_to_be_of_order_two():
    (Q, _), _ = orders(faint.time_on_a_grid, "order_forced_Q")  # an irregular error, which falls like h
    assert Q.verdict == "undecided" or Q.value < 1.5


def test_what_is_another_formula_beyond_some_step_is_not_known_to_have_a_property():
    look = Look(third.right)
    look.switches = "beyond 1.9 rad a step"
    yes = Property(1e-15, 1e-12, "yes", "")
    for key, verdict in (("symplectic_free", "undecided"), ("on_group", "yes"), ("order_free_Q", "yes")):
        assert doubted(look, {key: yes}, {})[key].verdict == verdict


def test_high_orders_seen_from_outside_are_those_in_floats():
    (four, _), _ = orders(steps.munthe_kaas_4, "order_free_Q")
    (two, _), _ = orders(third.right, "order_free_Q")
    assert four.verdict == two.verdict == "yes"
    assert four.qualifier == IN_FLOATS and not two.qualifier


def test_errors_next_to_round_off_do_not_change_an_order():
    h = 2.0 / np.array([1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90])
    found = exponent(h, 8e-6 * h**5 + np.array([0.0] * 10 + [2e-14, -1e-14, 4e-14]))
    assert found.value == pytest.approx(5, abs=0.1) and found.known


def test_an_odd_number_of_steps_is_run_of_what_remembers():
    box = ph.BlackBox("odd", points_and_loops.odd_step_lost)
    (Q, _), look = orders(box, "order_free_Q")
    assert look.character.memory and Q.value == pytest.approx(1, abs=0.1) and "odd numbers of steps" in Q.how


def test_left_handed_axes_are_named_and_others_are_not():
    told = "left-handed"
    for step, is_told in ((third.by_eigenvectors, True), (fourth.odd_order, False)):
        _, look = orders(step, "order_free_Q")
        assert any(told in sentence for sentence in oddities(look, {})) is is_told


def test_the_torque_that_has_no_value_is_not_blamed_on_the_integrator():
    def at_the_identity(p, Q, Omega, h, t):
        return Q, Omega + h * p.torque(t, np.eye(3))

    p = ph.problem("stress")
    with pytest.raises(Refused, match="asked for a torque where there is none"):
        Look(at_the_identity).run(p, p.Q0, p.Omega0, 0.1, 1, 0.0)
    with pytest.raises(Refused, match="raised ZeroDivisionError"):
        Look(lambda p, Q, Omega, h, t: (Q, Omega / 0 if h else 1 // 0)).run(p, p.Q0, p.Omega0, 0.0, 1, 0.0)


def test_a_map_to_zero_is_not_called_poisson():
    Pi = np.array([1.0, 2.0, 3.0])
    assert poisson(np.zeros((6, 6)), Pi, 0 * Pi) > 1
    assert poisson(np.eye(6), Pi, Pi) == 0


def test_large_defects_are_not_blamed_on_a_tolerance():
    small, large = (Property(size, 1e-12, "no", "") for size in (1e-8, 0.3))
    assert any("too loosely" in told for told in diagnosis({"symmetric": small}, {"symmetric": "stays"}))
    assert not diagnosis({"symmetric": large}, {"symmetric": "stays"})


def test_matrices_of_three_rows_are_left_to_one_thread():
    seen = set()

    def watched(p, Q, Omega, h, t):
        if not seen:
            seen.update(x["num_threads"] for x in threadpoolctl.threadpool_info() if x["user_api"] == "blas")
        return third.right(p, Q, Omega, h, t)

    ph.certify(watched, drift=False)
    assert seen == {1}


def test_a_start_that_complex_numbers_cannot_take_is_differentiated_by_differences():
    def fails(p, Q, Omega, h, t):
        if np.iscomplexobj(Omega) and abs(Omega[0]) > 4:
            raise ValueError("real numbers only")
        return third.right(p, Q, Omega, h, t)

    row, look = BY_KEY["symplectic_free"], Look(fails)
    (found,), _ = outside.MEASURES[row.measure](look, row)
    assert found.verdict == "yes" and "differences" in found.how and placed(free()).Omega0[0] < 4
