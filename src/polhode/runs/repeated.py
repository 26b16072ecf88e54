"""Calls of `solve` that are made again: what was checked and made for one is kept for the next like it.

A short run takes a few microseconds; checking every argument and making its runner takes ten times as long. So the
runner of a short, plain run is kept for its problem, by the arguments as they were given, and the next such call only
runs it. What can change behind the names is asked each time: the arrays of the problem, and by ``KernelRunner.lasts``
whether every function it runs is proved unchanged. A call for which this cannot be shown, that fails, or that has
something to warn of, goes the long way.
"""

import functools
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import Any, ParamSpec

import numpy as np

from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.results.columns import Columns
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.runners.taylor import TaylorRunner

P = ParamSpec("P")

MOST_KEPT = 16
"""Calls that are kept for one problem."""

MOST_STEPS = 4096
"""The most steps of a run that counts as short: one piece of machine code (``drive.Run``)."""

PLAIN = frozenset((float, int, str, NoneType))
"""Of what classes the arguments beside problem and method may be. True is no 1: bool is none of them."""

OFFERED = "run_to_keep"
"""Where in its attributes a Trajectory that comes out of the long way has what may be kept of it."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A runner without its problem, and the run it is for."""

    runner: KernelRunner | TaylorRunner
    run: Callable[[np.ndarray], tuple[Any, ...]]
    given: Any  # the method as it was given, held so that nothing else has its id
    integrator: Any
    times: tuple[float, float, int, int]  # t0, h, every, n
    body: tuple[Any, ...]  # see `_body`
    start: tuple[np.ndarray, ...]  # Q0 and Omega0
    follows: bool  # whether a step may turn the body as far as it likes


_KEPT: "weakref.WeakKeyDictionary[Problem, dict[tuple[Any, ...], Kept]]" = weakref.WeakKeyDictionary()


def remembered(solve: Callable[P, Trajectory]) -> Callable[P, Trajectory]:
    """The function, with the short way for calls that were made before."""

    @functools.wraps(solve)
    def call(*arguments: P.args, **keywords: P.kwargs) -> Trajectory:
        key = key_of(arguments, keywords)
        if key is None:
            result = solve(*arguments, **keywords)
            vars(result).pop(OFFERED, None)
            return result
        problem: Any = arguments[0]
        found = again(problem, key)
        if found is not None:
            return found
        result = solve(*arguments, **keywords)
        kept = vars(result).pop(OFFERED, None)
        if kept is not None:
            calls = _KEPT.setdefault(problem, {})
            for old in list(calls)[: max(0, len(calls) + 1 - MOST_KEPT)]:
                calls.pop(old, None)
            calls[key] = kept
        return result

    return call


def key_of(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...] | None:
    """What a call is known by beside its problem; None if it is not plain, or its method is to be looked up anew."""
    if len(arguments) < 2 or not isinstance(arguments[0], Problem):
        return None
    method = arguments[1]
    if method.__class__ is not str:
        method = id(method)
    elif ":" in method:
        return None
    values = (*arguments[2:], *keywords.values())
    kinds = (*map(type, values),)  # 1 and 1.0 are equal, and not both are a number of steps
    return (method, values, kinds, *keywords) if PLAIN.issuperset(kinds) else None


def again(problem: Problem, key: tuple[Any, ...]) -> Trajectory | None:
    """The Trajectory of a call that was made before; None if it has to go the long way."""
    calls = _KEPT.get(problem)
    if calls is None or (kept := calls.pop(key, None)) is None:  # nobody else has it meanwhile
        return None
    runner = kept.runner
    if _body(problem) != kept.body or not runner.lasts(problem):
        return None
    _, h, every, n = kept.times
    rows = np.empty((-(-n // every), 7))
    begin = time.perf_counter()
    try:
        took, at, left, iterations, _ = kept.run(rows)
    except Exception:  # of a function of the user's
        return None
    seconds = time.perf_counter() - begin
    if took < n:
        return None
    if left != every:  # the last state is kept whatever save_every is
        rows[at] = runner.row()
    columns = Columns(problem, rows, kept.times, kept.start)
    turn = abs(h) * columns.fastest()
    if not kept.follows and turns.is_too_far(turn):
        return None
    calls[key] = kept
    stats = {
        "n_steps": n,
        "n_torque": runner.torques(n, iterations),
        "n_iterations": iterations,
        "compiled": True,
        "interrupted": False,
        "wall_time": seconds,
        "largest_turn": turn,
    }
    attributes = {
        "problem": problem,
        "method": runner.name,
        "h": h,
        "columns_of_run": columns,
        "stats": stats,
        "success": True,
        "message": "",
        "problem_name": problem.name,
        "saved": {},
        "reductions": {},
        "inertia": problem.inertia,
        "exception": None,
        "events": {},
        "integrator": kept.integrator,
        "error_estimate": None,
    }
    return Trajectory.of_run(attributes)


def offer(trajectory: Trajectory, given: Any, runner: Any, n: int, every: int, follows: bool) -> None:
    """What may be kept of a run that has ended well, if it is short and can begin again."""
    problem: Problem = runner.problem
    plain = runner.__class__ in (KernelRunner, TaylorRunner) and runner.is_compiled and n <= MOST_STEPS
    if not (plain and runner.again(problem, runner.h)):
        return
    run, start = runner.from_start(n, every), (problem.Q0.copy(), problem.Omega0.copy())
    del runner.problem  # which would otherwise never be freed
    times = runner.t0, runner.h, every, n
    kept = Kept(runner, run, given, trajectory.integrator, times, _body(problem), start, follows)
    vars(trajectory)[OFFERED] = kept


def _body(problem: Problem) -> tuple[Any, ...]:
    """All numbers of a problem that a run depends on, as values: arrays can be written to."""
    return (
        *(problem.moments.tobytes(), problem.Omega0.tobytes(), problem.Q0.tobytes(), problem.axes.tobytes()),
        *(problem.parameters, problem.t0),
    )
