"""heyoka: adaptive Taylor series, compiled for the equations; the fastest general solver we know."""

import functools

import heyoka
import numpy as np

from peers.stress import rates

FINEST = 2.3e-16
"""The smallest tolerance that it takes."""


def solvers(stress):
    """Taylor's method, whose order follows the tolerance."""
    system, y0 = _system(stress), np.array(stress.y0)

    @functools.cache
    def integrator(tolerance):
        return heyoka.taylor_adaptive(system, y0, tol=tolerance, fast_math=True)

    def prepare(times):
        grid = np.concatenate([[0.0], times])

        def solve(tolerance):
            taylor = integrator(max(tolerance, FINEST))
            taylor.time = 0.0
            taylor.state[:] = y0
            if len(times) == 1:
                taylor.propagate_until(times[0])
                return taylor.state[None].copy()
            return taylor.propagate_grid(grid)[-1][1:]

        return solve

    return {"heyoka": prepare}


def ensembles(stress):
    """The same in batches of as many bodies as there are lanes, each with steps of its own."""
    system, width = _system(stress), heyoka.recommended_simd_size()

    @functools.cache
    def integrator(tolerance):
        start = np.repeat(np.array(stress.y0)[:, None], width, axis=1)
        return heyoka.taylor_adaptive_batch(system, start, tol=tolerance, fast_math=True)

    def prepare(starts, times):
        places = np.minimum(np.arange(-(-len(starts) // width) * width), len(starts) - 1)  # the last batch is filled up
        batches = np.ascontiguousarray(np.swapaxes(starts[places].reshape(-1, width, 7), 1, 2))
        grid = np.repeat(np.concatenate([[0.0], times])[:, None], width, axis=1)

        def solve(tolerance):
            taylor = integrator(max(tolerance, FINEST))
            states = np.empty((len(times), len(batches), 7, width))
            for k, batch in enumerate(batches):
                taylor.set_time(0.0)
                taylor.state[:] = batch
                if len(times) == 1:
                    taylor.propagate_until(times[0])
                    states[0, k] = taylor.state
                else:
                    states[:, k] = taylor.propagate_grid(grid)[-1][1:]
            return np.swapaxes(states, 2, 3).reshape(len(times), -1, 7)[:, : len(starts)]

        return solve

    return {f"heyoka, batches of {width}": prepare}


def _system(stress):
    names = heyoka.make_vars("w", "x", "y", "z", "a", "b", "c")
    return list(zip(names, rates(names, heyoka.sqrt, stress.J, stress.alpha, stress.qm)))
