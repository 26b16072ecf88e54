"""States between those kept: from the last one before, by the method's own steps and a shorter one.

For a one-step method this is the solution it computes, continued: the error between two steps is that of a step, of the
order of the method for every method, explicit or implicit, composed or not. (The collocation polynomial of a Gauss
method of s stages is cheaper, but of order s inside a step, half of what the method has at its ends.)
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError, RunError
from polhode.runs.runner import runner_of

NEVER = 2**62
"""Steps to the next row: none is written."""


def between(s: Any, times: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and velocities of a Trajectory at these times."""
    if s.problem is None or s.integrator is None:
        raise InputError(
            "This trajectory holds no functions (it was read from a file), so that there is nothing between its states."
        )
    if s.problem.control is not None:
        raise InputError(
            f"What the controller of {s.problem.name!r} held is not kept, so that nothing is between the states: "
            "ask for them in the run, solve(..., t_eval=...)."
        )
    sign = math.copysign(1, s.h)
    known = sign * np.asarray(s.t)
    runner = runner_of(s.problem, s.integrator, s.h)
    nowhere = np.empty((0, runner.width))
    Q, Omega = np.empty((len(times), 3, 3)), np.empty((len(times), 3))
    for place, t in enumerate(times):
        k = int(np.searchsorted(known, sign * t, side="right")) - 1
        if k < 0 or sign * t > known[-1]:
            raise InputError(f"t = {t:g} is outside of the trajectory, which goes from {s.t[0]:g} to {s.t[-1]:g}.")
        Q[place], Omega[place] = s.Q[k], s.Omega[k]
        ahead = t - float(s.t[k])
        if ahead == 0:
            continue
        h = s.h if "adapted" not in s.stats else (float(s.t[k + 1]) - float(s.t[k])) / s.stats["adapted"]
        runner.place(runner.row_of(s.Q[k], s.Omega[k]), float(s.t[k]), h)
        n = math.floor(ahead / h)
        took = runner.advance(0, n, NEVER, NEVER, nowhere, 0)[0] if n else 0
        begin = runner.t0 + n * h
        row = runner.part(t - begin, begin) if took == n and t != begin else runner.row()
        if took < n or row is None:
            raise RunError(f"{s.method} cannot reach t = {t:g} from t = {s.t[k]:g}.") from runner.raised
        found = runner.seen(np.array([row]))
        Q[place], Omega[place] = found[0][0], found[1][0]
    return Q, Omega
