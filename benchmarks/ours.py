"""polhode as it is timed: the compiled loop alone, and the public call around it."""

import numpy as np

import polhode as ph
from polhode.runs.runners.kernel_runner import KernelRunner


def loop(problem, method, h, n):
    """The compiled loop over n steps, without what surrounds it in `solve`; it returns Pi and the iterations."""
    runner = KernelRunner(problem, ph.method(method), h, True)
    out = np.empty((1, 7))

    def run():
        taken, _, _, iterations, error, _ = runner.advance(0, n, n, n, out, 0)
        if taken < n:
            raise RuntimeError(runner.failure(taken, taken * h, error))
        return np.array(runner.state[1]), iterations

    return run


def call(problem, method, h, n):
    """The public call, everything included, for the last state only."""
    return lambda: ph.solve(problem, method, h=h, n_steps=n, save_every=n)
