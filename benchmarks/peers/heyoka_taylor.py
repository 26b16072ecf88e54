"""heyoka: adaptive Taylor series, compiled for the equations; the fastest general solver we know."""

import functools

import heyoka
import numpy as np

from peers.stress import rates


def solvers(stress):
    """Taylor's method, whose order follows the tolerance."""
    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    system = list(zip(names, rates(names, heyoka.sqrt, stress.J, stress.alpha, stress.qm)))
    y0 = np.array(stress.y0)

    @functools.cache
    def integrator(tolerance):
        return heyoka.taylor_adaptive(system, y0, tol=tolerance, fast_math=True)

    def prepare(times):
        grid = np.concatenate([[0.0], times])

        def solve(tolerance):
            taylor = integrator(max(tolerance, 2.3e-16))
            taylor.time = 0.0
            taylor.state[:] = y0
            if len(times) == 1:
                taylor.propagate_until(times[0])
                return taylor.state[None].copy()
            return taylor.propagate_grid(grid)[-1][1:]

        return solve

    return {"heyoka": prepare}
