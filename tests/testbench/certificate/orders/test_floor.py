"""An error that stays is told with the order, also where it lies below that of every run."""

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.certificate import DOWN_TO
from polhode.testbench.certificate.orders import floor as floors
from polhode.testbench.certificate.orders.exponents import exponent
from polhode.testbench.certificate.orders.floor import fitted, hidden
from polhode.testbench.certificate.orders.from_outside import orders
from polhode.testbench.certificate.orders.runs import COUNTS, SPAN
from polhode.testbench.certificate.running.look import Look, box
from polhode.testbench.certificate.running.questions import character_of
from tests.testbench.certificate.adversary import kernels, steps, third
from tests.testbench.certificate.adversary.suite import THIRD, score

H = SPAN / np.array(COUNTS, dtype=float)


@pytest.mark.parametrize(("p", "floor"), [(2, 1e-5), (2, 1e-4), (4, 1e-7), (4, 1e-8), (1, 1e-3)])
def test_runs_that_bend_towards_a_floor_have_an_order_and_a_floor(p, floor):
    found = exponent(H, 0.1 * H**p * (1 + 0.3 * H**2) + floor)
    assert found.known and found.value == pytest.approx(p, abs=0.05) and found.floor == pytest.approx(floor, rel=0.1)


def test_coefficients_that_are_not_found_explain_nothing(monkeypatch):
    def lost(*given):
        raise RuntimeError("Maximum number of iterations reached.")

    x = np.array(floors.LADDER)
    monkeypatch.setattr("scipy.optimize.nnls", lost)
    round_off = np.full_like(x, 1e-16)
    assert floors._left([x**2], x, x**2, round_off)[1] == np.inf
    assert floors._floor_of_rate(x, 0.1 * x**2, 2.0, round_off) == 0.0


def test_no_floor_is_fitted_to_errors_that_fall():
    assert fitted(H, 0.1 * H**2 * (1 + 0.3 * H**2), 1e-13) is None
    assert fitted(H, 0.1 * H**4 + 1e-3 * H, 1e-13) is None
    for a in (-0.4, -0.2, 0.2, 0.5, 1.0, 2.0):  # the next power of h bends as well
        for p in (1, 2, 4):
            assert fitted(H, 0.1 * H**p * (1 + a * H), 1e-13) is None


def looked_at(method):
    look = Look(method)
    look.character = character_of(look)
    return look


@pytest.mark.parametrize("case", ["free", "potential", "forced"])
@pytest.mark.parametrize(
    ("step", "order", "size"), [(third.right, 2, 1e-7), (third.right, 2, 1e-9), (third.blanes_moan, 4, 1e-9)]
)
def test_single_steps_show_a_rate_that_stays(step, order, size, case):
    floor = hidden(looked_at(third.damped_by(step, rate=size)), case, order, SPAN)
    assert size / 10 < floor < 10 * size


def test_single_steps_show_what_each_step_adds():
    floor = hidden(looked_at(third.damped_by(third.right, each=1e-9)), "free", 2, SPAN)
    assert 1e-7 < floor < 1e-5  # the smallest C h^2 + 1e-9 / h, over the span


@pytest.mark.parametrize(
    ("step", "order"),
    [(third.right, 2), (steps.lie_euler, 1), (steps.rk4, 4), (third.blanes_moan, 4), (steps.verlet, 2)],
)
def test_what_converges_has_no_floor(step, order):
    look = looked_at(step)
    assert [hidden(look, case, order, SPAN) for case in ("free", "potential", "forced")] == [0, 0, 0]


def test_a_formula_of_another_order_for_small_steps_is_seen():
    few = lambda x: np.eye(3) + steps.hat(x) + steps.hat(x) @ steps.hat(x) / 2 if third.radians(x, 1) < 1e-4 else None
    rotation = lambda x: steps.exp(x) if few(x) is None else few(x)

    def step(p, Q, Omega, h, t):
        Q1, Omega1 = third.blanes_moan(p, Q, Omega, h, t)
        small = third.radians(Omega, h) < 1e-3
        return (Q @ rotation(h * Omega) if small else Q1), Omega1

    assert hidden(looked_at(step), "free", 4, SPAN) > 1e-9


@pytest.mark.parametrize("name", ["damping of 1e-7", "damping of 1e-9 a step", "torque of 1 + 1e-7"])
def test_no_order_is_told_without_its_floor(name):
    (case,) = (case for case in THIRD if case.name == name)
    c = ph.certify(case.method, drift=False)
    told = {key: word for key, word in score(case, c).items() if key.startswith("order")}
    assert set(told.values()) == {"right"}, {key: c[key].said for key in told}
    assert DOWN_TO in c.summary


def test_the_order_of_a_kernel_is_told_with_its_floor():
    c = ph.certify(kernels.as_method("hardly_damped"), drift=False)
    assert c["order_potential_Q"].value == pytest.approx(2, abs=0.05) and DOWN_TO in c["order_potential_Q"].said
    good = ph.method("LP2")
    (Q, Omega), _ = orders(looked_at(box(good)), BY_KEY["order_potential_Q"])
    assert not Q.qualifier and not Omega.qualifier
