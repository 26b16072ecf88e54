"""The controls in a vector space: Newmark's methods do not drift there, and symmetry alone does not help."""

import numpy as np
import pytest

from polhode.testbench.drift import vector_space


def test_forces_are_those_of_the_energy():
    d, q = 1e-5, (0.3, -1.2)
    slope = [
        (
            vector_space.energy((q[0] + d * x, q[1] + d * y), (0, 0))
            - vector_space.energy((q[0] - d * x, q[1] - d * y), (0, 0))
        )
        / (2 * d)
        for x, y in ((1, 0), (0, 1))
    ]
    assert vector_space.force(q) == pytest.approx([-s for s in slope], abs=1e-9)


@pytest.mark.parametrize("method, order", [("Verlet", 2), ("Newmark, beta = 1/4", 2), ("Lobatto IIIB, order 4", 4)])
def test_orders_and_symmetry(method, order):
    step, ends = vector_space.CONTROLS[method], []
    for n in (20, 40, 80):
        q, p = vector_space.START
        for _ in range(n):
            q, p = step(1 / n, q, p)
        ends.append(np.array([*q, *p]))
    a, b = np.linalg.norm(ends[0] - ends[1]), np.linalg.norm(ends[1] - ends[2])
    assert np.log2(a / b) == pytest.approx(order, abs=0.1)
    back = step(-0.1, *step(0.1, *vector_space.START))
    assert np.array(back) == pytest.approx(np.array(vector_space.START), abs=1e-13)


def test_lobatto_iiib_drifts_and_newmark_does_not():
    lobatto = vector_space.control("Lobatto IIIB, order 4", h=(0.2, 0.25), t_end=2000.0)
    assert lobatto.drifts and max(lobatto.slopes) < -1e-7
    for method in ("Verlet", "Newmark, beta = 1/4"):
        found = vector_space.control(method, t_end=10_000.0)
        assert not found.drifts and np.abs(found.slopes).max() < 1e-7
