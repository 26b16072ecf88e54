"""Orders from errors: the plateau of round-off and steps that are too large must not count."""

import numpy as np
import pytest

from polhode.testbench.convergence.fit import fitted

H = 0.8 * 2.0 ** (-np.arange(15) / 2)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("floor", [1e-15, 1e-13])
def test_the_order_of_a_law_with_a_plateau(order, floor):
    rng = np.random.default_rng(order)
    e = 0.3 * H**order * (1 + 0.4 * H + 0.3 * H**2) + floor * np.exp(0.8 * rng.normal(size=len(H)))
    fit = fitted(H, e)
    assert abs(fit.order - order) <= max(3 * fit.uncertainty, 0.02) and fit.uncertainty < 0.15
    assert fit.constant == pytest.approx(0.3, rel=0.3)
    assert not any(used for used, x in zip(fit.used, e) if x < 5 * floor)


def test_a_wrong_order_is_told_from_a_right_one():
    """The uncertainty is no excuse: 2 and 2.2 are apart."""
    a, b = (fitted(H, 0.3 * H**p) for p in (2.0, 2.2))
    assert a.order == pytest.approx(2.0, abs=1e-6) and b.order == pytest.approx(2.2, abs=1e-6)


def test_steps_that_are_too_large_are_dropped():
    e = 0.3 * H**2
    e[:3] *= (0.2, 3.0, 0.5)
    fit = fitted(H, e)
    assert fit.order == pytest.approx(2, abs=0.01) and fit.used[:3] == (False, False, False) and all(fit.used[3:])


def test_where_there_is_no_order():
    assert fitted(H, np.full(15, 1e-14)).words == "round-off only"
    assert "fewer than 3" in fitted(H[:2], H[:2] ** 2).words
    assert "fewer than 3" in fitted(H, np.full(15, np.nan)).words
    steep = np.maximum(H**30, 1e-15)
    assert not fitted(H, steep).decided or fitted(H, steep).order > 25
