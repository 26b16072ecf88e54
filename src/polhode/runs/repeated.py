"""Calls of `solve` that are made again: what was checked and made for one is kept for the next like it.

A short run takes a few microseconds; checking every argument and making its runner takes ten times as long. So the
runner of a short, plain run is kept for its problem, by method, steps and interval, and the next such call only runs
it. What can change behind the names is asked each time: where the problem begins, its inertia, and by
``Runner.again`` whether every function it runs is proved unchanged. A call for which this cannot be shown, that fails,
or that has something to warn of, goes the long way.
"""

import time
import weakref
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.columns import Columns
from polhode.runs.kernel_runner import KernelRunner
from polhode.runs.taylor import TaylorRunner
from polhode.runs.trajectory import Trajectory

MOST_KEPT = 16
"""Calls that are kept for one problem."""

MOST_STEPS = 4096
"""The most steps of a run that counts as short: one piece of machine code (``drive.Run``)."""

NUMBER, WHOLE = (float, int, NoneType), (int, NoneType)


@dataclass(frozen=True, slots=True)
class Kept:
    """A runner without its problem, and the run it is for."""

    runner: KernelRunner | TaylorRunner
    given: Any  # the method as it was given, held so that nothing else has its id
    integrator: Any
    n: int
    every: int
    moments: bytes
    follows: bool  # whether a step may turn the body as far as it likes


_KEPT: "weakref.WeakKeyDictionary[Problem, dict[tuple[Any, ...], Kept]]" = weakref.WeakKeyDictionary()


def key_of(method: Any, h: Any, t_end: Any, n_steps: Any, save_every: Any) -> tuple[Any, ...] | None:
    """What a call is known by; None if an argument is no plain number, or the method must be looked up anew."""
    plain = h.__class__ in NUMBER and t_end.__class__ in NUMBER and n_steps.__class__ in WHOLE
    if not (plain and save_every.__class__ is int):
        return None
    if method.__class__ is str:
        return None if ":" in method else (method, h, t_end, n_steps, save_every)
    return id(method), h, t_end, n_steps, save_every


def again(problem: Problem, key: tuple[Any, ...]) -> Trajectory | None:
    """The Trajectory of a call that was made before; None if it has to go the long way."""
    calls = _KEPT.get(problem)
    if calls is None or (kept := calls.pop(key, None)) is None:  # nobody else has it meanwhile
        return None
    if kept.moments != problem.moments.tobytes():
        return None
    runner, n, every = kept.runner, kept.n, kept.every
    h = runner.h
    if not runner.again(problem, h):
        return None
    rows = np.empty((-(-n // every), runner.width))
    begin = time.perf_counter()
    took, at, left, iterations, _, _ = runner.advance(0, n, every, every, rows, 0)
    seconds = time.perf_counter() - begin
    if took < n:
        return None
    if left != every:  # the last state is kept whatever save_every is
        rows[at] = runner.row()
    columns = Columns(problem, rows, runner.t0, h, every, n)
    turn = abs(h) * columns.fastest()
    if not kept.follows and turns.is_too_far(turn):
        return None
    del runner.problem  # which would otherwise never be freed
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


def keep(key: tuple[Any, ...], method: Any, integrator: Any, runner: Any, n: int, every: int, follows: bool) -> None:
    """Keep the runner of a run that has ended well for the next call like it, if it is short and can begin again."""
    problem: Problem = runner.problem
    plain = runner.__class__ in (KernelRunner, TaylorRunner) and runner.is_compiled and n <= MOST_STEPS
    if not (plain and runner.again(problem, runner.h)):
        return
    calls = _KEPT.setdefault(problem, {})
    for old in list(calls)[: max(0, len(calls) + 1 - MOST_KEPT)]:
        calls.pop(old, None)
    del runner.problem
    calls[key] = Kept(runner, method, integrator, n, every, problem.moments.tobytes(), follows)
