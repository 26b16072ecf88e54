"""States between those kept: from the last one before, by the method's own steps and a shorter last step.

For a one-step method this is the solution that it computes, continued: the error between two steps has the order of the
method, be it explicit or implicit, composed or not. (The collocation polynomial of a Gauss method of s stages is
cheaper, but of order s inside a step, half of what the method has at its ends.)
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError, RunError
from polhode.integrators.lookup import integrator
from polhode.runs.arguments import given_problem
from polhode.runs.runners.runner import runner_of

NEVER = 2**62
"""Steps to the next row: none is written."""


def between(s: Any, times: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and velocities of a Trajectory at these times."""
    if s.problem is None or s.integrator is None:
        raise InputError(
            "This trajectory was read from a file, which holds no functions, so states between those kept cannot be "
            "computed. load(path, problem) with the problem that was solved makes it possible."
        )
    if s.problem.control is not None:
        raise InputError(
            f"What the controller of {s.problem.name!r} held is not kept, so states between those kept cannot be "
            "computed: ask for them in the run, solve(..., t_eval=...)."
        )
    if not len(s.t):
        raise InputError(f"The trajectory of {s.problem_name} has no states from which others could be reached.")
    sign = math.copysign(1, s.h)
    times_kept = sign * np.asarray(s.t)
    runner = runner_of(s.problem, s.integrator, s.h)
    nowhere = np.empty((0, runner.width))
    Q, Omega = np.empty((len(times), 3, 3)), np.empty((len(times), 3))
    for place, t in enumerate(times):
        k = int(np.searchsorted(times_kept, sign * t, side="right")) - 1
        if k < 0 or sign * t > times_kept[-1]:
            raise InputError(f"t = {t:g} is outside of the trajectory, which goes from {s.t[0]:g} to {s.t[-1]:g}.")
        Q[place], Omega[place] = s.Q[k], s.Omega[k]
        ahead = t - float(s.t[k])
        if ahead == 0:
            continue
        h = s.h if "adapted" not in s.stats else _adapted_step(s, float(s.t[k + 1] - s.t[k]))
        runner.place(runner.row_of(s.Q[k], s.Omega[k]), float(s.t[k]), h)
        n = math.floor(ahead / h)
        took = runner.advance(0, n, NEVER, NEVER, nowhere, 0)[0] if n else 0
        begin = runner.t0 + n * h
        row = runner.part(t - begin, begin) if took == n and t != begin else runner.row()
        if took < n or row is None:
            raise RunError(f"{s.method} cannot reach t = {t:g} from t = {s.t[k]:g}.") from runner.raised
        state = runner.in_users_axes(np.array([row]))
        Q[place], Omega[place] = state[0][0], state[1][0]
    return Q, Omega


def _adapted_step(s: Any, apart: float) -> float:
    """The step between two rows, `apart` in time, of a run with steps of their own lengths: as many, or no longer."""
    return apart / (s.stats["adapted"] or math.ceil(abs(apart) / s.stats["shortest_step"]))


SAME_STATE = 1e-9
"""The difference that rounding on another machine may make, of attitudes and of velocities relative to their size."""


def joined(s: Any, problem: Any, method: Any = None) -> Any:
    """A Trajectory read from a file, with the problem and the method that made it; a sentence if they did not."""
    if problem is None:
        raise InputError("method= of load goes with problem=, the problem that was solved.")
    problem = given_problem(problem, s.method)
    if s.inertia is not None and not np.array_equal(problem.inertia, s.inertia):
        raise InputError(
            f"The problem {problem.name!r} has the inertia {problem.inertia.tolist()}; the body in the file has "
            f"{s.inertia.tolist()}."
        )
    try:
        integrator_of = integrator(s.method if method is None else method)
    except InputError as error:
        raise InputError(
            f"The steps in the file were taken by {s.method!r}; give that method as method=. {error}"
        ) from None
    whole = dataclasses.replace(s, problem=problem, integrator=integrator_of)
    if "energy" in s.saved and problem.has_energy:
        filed, now = s.saved["energy"][0], dataclasses.replace(whole, saved={}).energy[0]
        if not abs(now - filed) <= SAME_STATE * max(1.0, abs(filed)):
            raise InputError(
                f"{problem.name!r} has the energy {now:.6g} at the first state of the file, which says {filed:.6g}. "
                "Give the problem that was solved, with its parameters."
            )
    if problem.control is None and len(s.t) > 1:
        _check_leads(whole)
    return whole


def _check_leads(s: Any) -> None:
    """From the first state of a file the problem and the method must lead to the second.

    Where both were reached by whole steps from the start, they agree up to rounding. States at other times lie between
    the steps of the run: here other steps lead from one to the next, and may differ by the method's error.
    """
    n = round(float(s.t[1] - s.t[0]) / s.h)
    if s.t[0] == s.problem.t0 and abs(s.t[1] - s.t[0] - n * s.h) <= 1e-9 * abs(s.h):
        end, allowed = _after(s, s.h, n), SAME_STATE
    else:
        n = max(1, n)
        h = float(s.t[1] - s.t[0]) / n
        end, finer = _after(s, h, n), _after(s, h / 2, 2 * n)
        allowed = SAME_STATE + 3 * _apart(end, finer)
    apart = _apart(end, (s.Q[1], s.Omega[1]))
    if not apart <= allowed:
        raise InputError(
            f"{s.problem.name!r} by {s.method} does not lead from the first state of the file to the second: it misses "
            f"by {apart:.1e}. Give the problem that was solved, with its parameters."
        )


def _after(s: Any, h: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Where n steps of h lead from the first state; NaN if one of them fails."""
    runner = runner_of(s.problem, s.integrator, h)
    runner.place(runner.row_of(s.Q[0], s.Omega[0]), float(s.t[0]), h)
    if runner.advance(0, n, NEVER, NEVER, np.empty((0, runner.width)), 0)[0] < n:
        return np.full((3, 3), np.nan), np.full(3, np.nan)
    Q, Omega = runner.in_users_axes(np.array([runner.row()]))
    return Q[0], Omega[0]


def _apart(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> float:
    """The largest difference of two states; that of the velocities is relative to their size."""
    size = max(1.0, float(np.abs(a[1]).max()))
    return float(max(np.abs(a[0] - b[0]).max(), np.abs(a[1] - b[1]).max() / size))
