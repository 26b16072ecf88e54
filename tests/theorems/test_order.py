"""Global convergence in floats against DOP853, on the shipped problems as a user runs them."""

import numpy as np
import pytest

import polhode as ph
from tests.support.dop853 import reference_end

T = 2.0


RUNS = [
    (m, problem)
    for m in ph.methods().values()
    for problem in ("stress", "forced", "free-body")
    if not (m.free_only and ph.problem(problem).has_torque)
]


@pytest.mark.parametrize("method, problem", RUNS, ids=lambda x: x if isinstance(x, str) else x.name)
def test_converges_to_the_independent_reference(method, problem):
    p = ph.problem(problem)
    Q, Omega = reference_end(problem, T)
    orders = method.orders.torque if p.has_torque else method.orders.free
    errors = []
    for n in (64, 128, 256):
        s = ph.solve(p, method, h=T / n, t_end=T, save_every=n)
        errors.append((np.abs(s.Q[-1] - Q).max(), np.abs(s.Omega[-1] - Omega).max()))
    if orders[0] == orders[1]:  # together: one of the two may start with an accidentally small coefficient
        errors, orders = [(max(pair),) for pair in errors], orders[:1]
    for (coarse, middle, fine), claimed in zip(zip(*errors), orders):
        floor = 3e-12  # what DOP853 at 1e-13 and a few hundred steps leave
        if middle < 100 * floor:  # too accurate for floats to tell the order: test_claims does it at 60 digits
            assert fine < 100 * floor
        else:
            rate = np.log2(middle / fine) if fine > 100 * floor else np.log2(coarse / middle)
            assert rate > claimed - 0.1
