"""Lower orders that hide: in what remembers, where steps are refused, at other states, of Q or Omega alone, and below
round-off, where it is told how much of one may be there."""

import math
import re

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.orders import floor
from polhode.testbench.certificate.orders.elsewhere import elsewhere
from polhode.testbench.certificate.orders.falling import falling
from polhode.testbench.certificate.orders.from_outside import FINER_COUNTS, orders
from polhode.testbench.certificate.orders.powers import lower_power, unseen
from polhode.testbench.certificate.orders.runs import SPAN
from polhode.testbench.certificate.outside.doubts import does_not_converge
from polhode.testbench.certificate.running.look import Look, box, states
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.states.cases import CASES, placed
from tests.testbench.certificate.adversary import fourth, held_out, hidden, steps, third

X = np.geomspace(0.03, 1e-7, 12)


def looked_at(method):
    look = Look(box(ph.method(method)) if isinstance(method, str) else method)
    look.character = character_of(look)
    return look


def measured(method, case):
    """The orders of Q and of Omega, and the look."""
    look = looked_at(method)
    return *orders(look, BY_KEY[f"order_{case}_Q"])[0], look


RIGHT = [
    *[(name, int(name[-1])) for name in ("GAUSS8", "VLV/KL8", "VLV/Y6", "VLV/S4", "RKMK4")],
    *[(name, (int(name[-1]), 2)) for name in ("DMV8", "IMR6", "SR6")],
    ("RKN8", (math.inf, 8)),
    (third.blanes_moan, 4),
    (fourth.yoshida_6, 6),
    (steps.composed(steps.axes_in_turn((0, 1, 2)), steps.KAHAN_LI_8), 8),
    (held_out.gauss(held_out.GAUSS), 4),
    (steps.rk4, 4),
]


@pytest.mark.parametrize(("method", "order"), RIGHT, ids=lambda x: str(getattr(x, "__qualname__", x)))
def test_no_state_costs_a_right_method_its_order(method, order):
    look = looked_at(method)
    free, forced = order if isinstance(order, tuple) else (order, order)
    for case, p in (("free", min(free, 8)), ("potential", forced), ("forced", forced)):
        found = elsewhere(look, case, p)
        assert found.order == p and not found.where and found.seen > 10


@pytest.mark.parametrize("step", [hidden.near_the_identity, hidden.before_zero, hidden.late])
def test_an_order_that_is_lower_by_one_elsewhere_is_seen(step):
    look = looked_at(step)
    assert elsewhere(look, "free", 4.0).order == 4
    assert elsewhere(look, "potential", 4.0).order == pytest.approx(3, abs=0.1)
    assert elsewhere(look, "forced", 4.0).order == pytest.approx(3, abs=0.1)


@pytest.mark.parametrize(("method", "order"), [("ADAMS8", 8), ("SW", 2)])
def test_what_remembers_is_run_from_other_states(method, order):
    look = looked_at(method)
    assert look.character.memory
    found = elsewhere(look, "free", order)
    assert not found.where and found.looked_at == "short runs" and found.seen > 10


def test_what_remembers_and_is_wrong_elsewhere_is_seen():
    Q, Omega, look = measured(hidden.AdamsBashforth(), "free")
    assert look.character.memory and Q.verdict == Omega.verdict == "no" and "moments in another order" in Q.how
    assert "short runs" in Q.coverage


def test_a_state_that_refuses_small_steps_is_looked_at_with_larger_ones():
    Q, *_ = measured(hidden.no_small_steps, "free")
    assert Q.verdict == "no" and "moments in another order" in Q.how

    def right(p, Q, Omega, h, t):
        if abs(h) < 1e-3:
            raise ValueError("h is too small")
        return steps.rk4(p, Q, Omega, h, t)

    Q, *_ = measured(right, "free")
    assert Q.verdict == "yes" and Q.value == pytest.approx(4, abs=0.1)


def test_states_that_refuse_are_not_seen():
    generic = placed(CASES["free"]())
    momentum = generic.Q0 @ generic.tensor @ generic.Omega0

    def from_one_state(p, Q, Omega, h, t):
        if not np.allclose(p.moments, generic.moments) or np.abs(Q @ p.tensor @ Omega - momentum).max() > 0.1:
            raise ValueError("not from here")
        return steps.rk4(p, Q, Omega, h, t)

    Q, Omega, _ = measured(from_one_state, "free")
    assert Q.verdict == Omega.verdict == "undecided" and "raised ValueError" in Q.how and "states alone" in Q.how


@pytest.mark.parametrize("is_wrong", [True, False])
def test_that_the_attitude_does_not_converge_does_not_clear_the_velocity(is_wrong):
    def step(p, Q, Omega, h, t):
        """The attitude is turned on the wrong side, which a free velocity does not know."""
        _, Omega1 = steps.verlet(p, Q, Omega, h, t)
        return steps.exp(h * Omega) @ Q, Omega1 * (1 - 0.1 * h * (is_wrong and hidden.are_unsorted(p)))

    Q, Omega, _ = measured(step, "free")
    assert Q.verdict == "no" and Q.value < 0.5
    if is_wrong:
        assert Omega.verdict == "no" and "moments in another order" in Omega.how
    else:
        assert Omega.said == "yes" and Omega.value == pytest.approx(2, abs=0.05)


@pytest.mark.parametrize("case", ["free", "potential", "forced"])
def test_round_off_that_grows_is_no_floor(case):
    Q, Omega, _ = measured(hidden.read_off_the_turn, case)
    assert (Q.said, Omega.said) == ("yes", "yes") and Q.value == pytest.approx(2, abs=0.05)
    damped = looked_at(third.damped_by(hidden.read_off_the_turn, rate=1e-7))
    assert 1e-8 < floor.hidden(damped, case, 2, SPAN) < 1e-6  # and one that is there is still seen


def test_a_floor_is_not_above_what_the_runs_have_reached():
    _, Omega, look = measured(fourth.first_order_when_tiny, "free")
    assert Omega.down_to <= np.nanmin(np.max(look.convergence["free"]["errors"], axis=1))


def test_a_lower_power_is_seen_where_it_is_the_larger_part():
    C, D = np.array([1.0, -2.0, 0.5]), np.array([-3.0, 1.0, 1.0])
    rates = lambda size: np.outer(X**2, C) * (1 + 2 * X[:, None]) + size * np.outer(X, D)
    assert lower_power(X, [rates(0.0)], 2) == np.inf
    assert lower_power(X, [rates(1e-4)], 2) == 1
    assert lower_power(X, [rates(1e-7)], 2) == np.inf  # nowhere the larger part above round-off
    assert lower_power(X, [np.outer(X**6, C) * (1 + 20 * X[:, None])], 6) == np.inf  # the next power is none


@pytest.mark.parametrize("by", [1e-5, 1e-4])
def test_kicks_that_differ_in_the_fifth_digit_are_of_order_one(by):
    Q, Omega, _ = measured(hidden.unequal_kicks(by), "potential")
    assert (Q.value, Omega.value) == (1, 1) and Q.verdict == Omega.verdict == "yes"


def run_for(step, p, n):
    Q, Omega = p.Q0, p.Omega0
    for k in range(n):
        Q, Omega = step(p, Q, Omega, SPAN / n, k * SPAN / n)
    return Q, Omega / np.linalg.norm(p.Omega0)


@pytest.mark.parametrize("case", ["potential", "forced"])
@pytest.mark.parametrize(
    ("faint", "right", "size", "order", "lower"),
    [(hidden.unequal_kicks, steps.verlet, by, 2, 1) for by in (3e-7, 2e-6, 8e-6)]
    + [(hidden.some_of_kutta, steps.rk4, part, 4, 3) for part in (3e-4, 4e-3)],
)
def test_a_lower_power_that_is_not_seen_is_below_what_is_told(faint, right, size, order, lower, case):
    """The size of the term, from two runs, is below the bound, wherever the higher order is told."""
    found = measured(faint(size), case)
    p = placed(CASES[case]())
    apart = [a - b for a, b in zip(run_for(faint(size), p, 64), run_for(right, p, 64))]
    for which, (r, difference) in enumerate(zip(found[:2], apart)):
        if r.verdict == "yes" and r.value > order - 0.5:
            picture = found[2].convergence[case]
            bound = unseen(np.array(picture["h"]), np.array(picture["errors"])[:, which], order, SPAN, 1.5e-15)[lower]
            assert np.linalg.norm(difference) / (SPAN / 64) ** lower < bound
            told = re.search(rf"({bound:.0e}) h", r.how)
            assert told and "may not show beside it" in r.how


def test_an_error_that_suddenly_gets_better_shows_no_order_also_below_what_counts():
    x = np.array([0.06, 0.03, 0.01, 3e-3, 1e-3, 3e-4])
    errors = np.where(x > 2e-3, x**3, 1e-16)
    assert falling(x, x**3, 1e-7) == pytest.approx(3)
    assert falling(x, errors, 1e-7) == np.inf


def test_states_are_looked_at_from_the_generic_one_on():
    assert elsewhere(looked_at(third.right), "free", 2.0).seen == len(states("free"))


def test_runs_that_finer_ones_would_decide_are_of_no_order_yet(monkeypatch):
    step = steps.composed(
        steps.lie_trotter, steps.TRIPLE
    )  # of order 1, with a large step back: usual steps do not show that
    look = Look(step)
    monkeypatch.setattr(look.pace, "afford", lambda steps, *_, **__: steps < sum(FINER_COUNTS))
    (Q, Omega), _ = orders(look, BY_KEY["order_potential_Q"])
    assert Q.value is None and Omega.value > 0.5 and Q.verdict == Omega.verdict == "undecided"
    assert all(does_not_converge(look, BY_KEY["order_potential_Q"], p).verdict == "undecided" for p in (Q, Omega))
    whole, _ = orders(Look(step), BY_KEY["order_potential_Q"])
    assert all(p.value == pytest.approx(1, abs=0.2) for p in whole)
