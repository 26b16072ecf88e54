"""Calls of `solve_ensemble` that are made again: what was checked and made for one is kept for the next like it.

A few bodies over a few steps take some microseconds; checks, the choice of machine code and its arrangement in lanes
take fifty times as long. So these are kept for the problem, by method, steps, interval and number of bodies; starts are
those of the call, and are checked each time. What can change behind the names is asked each time, too: inertia,
parameters, time of the start, and whether every function is proved to be what it was. Machine code of a user's torque
is compared with it where the bodies start, unless that was done at the very same starts. A call that cannot be answered
so, that fails, or that has something to warn of, goes the long way.
"""

import weakref
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from polhode.integrators.method import Method
from polhode.kernels.fingerprint import is_static
from polhode.kernels.unchanged import proof
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.ensemble.outcome import ensemble_of
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.ensemble.schedule import SMALL, Blocks, Run, Way
from polhode.runs.ensemble.starts import of_one

MOST_KEPT = 16
"""Calls of one problem."""

NUMBER, WHOLE = (float, int, NoneType), (int, NoneType)  # True is none of them: bool is a class of its own
FLOAT = np.dtype(float)


@dataclass(slots=True)
class Kept:
    """What a run of bodies is made of, but for their starts."""

    given: Any  # the method as it was given, held so that nothing else has its id
    method: Method  # as it takes the steps
    h: float
    n: int
    every: int
    threads: int | None
    way: Way
    memory: int
    blocks: Blocks
    follows: bool  # whether a step may turn a body as far as it likes
    shared: tuple[Any, ...]  # see `_shared`
    digest: str | None  # the fingerprint of a torque that may change; None of one that cannot
    compared: bytes  # the starts at which machine code and function were last compared

    def lasts(self, problem: Problem) -> bool:
        """Whether what the bodies share is what it was, and every function is proved to be."""
        if _shared(problem, self.method) != self.shared:
            return False
        if self.digest is None:
            return True
        now = proof(problem.source(self.method)[0])
        return now is not None and now.digest == self.digest


_KEPT: "weakref.WeakKeyDictionary[Problem, dict[tuple[Any, ...], Kept]]" = weakref.WeakKeyDictionary()


def key_of(
    method: Any, h: Any, t_end: Any, n_steps: Any, save_every: Any, threads: Any, *starts: Any
) -> tuple[Any, ...] | None:
    """What a call is known by; None if its arguments are not plain numbers and plain arrays of floats."""
    plain = h.__class__ in NUMBER and t_end.__class__ in NUMBER and n_steps.__class__ in WHOLE
    if not (plain and save_every.__class__ is int and threads.__class__ in WHOLE):
        return None
    if method.__class__ is not str:
        method = id(method)
    elif ":" in method:  # to be looked up anew
        return None
    shapes: list[Any] = []
    for x in starts:
        if x is None:
            shapes.append(None)
        elif x.__class__ is np.ndarray and x.dtype == FLOAT:
            shapes.append(x.shape)
        else:
            return None
    return method, h, t_end, n_steps, save_every, threads, *shapes


def again(problem: Problem, key: tuple[Any, ...], *starts: Any) -> Ensemble | None:
    """The Ensemble of a call like one before, from these Q0, Omega0, Pi0; None if it has to go the long way."""
    calls = _KEPT.get(problem)
    kept = None if calls is None else calls.get(key)
    if kept is None or not kept.lasts(problem):
        return None
    if not all(np.isfinite(x).all() for x in starts if x is not None):
        return None
    bodies = of_one(problem, *starts)
    run = Run(bodies, kept.method, kept.h, kept.n, kept.every, kept.way, kept.memory, blocks=kept.blocks)
    begins = run.states[:, :7].tobytes() if kept.digest is not None else b""
    run.drive(kept.threads, False, begins != kept.compared)
    kept.compared = begins
    if run.has_lost:
        return None
    e = ensemble_of(run)
    fastest = max(turns.fastest(Omega.reshape(-1, 3)) for Omega in (bodies.Omega0, *e.velocities()))
    turn = e.stats["largest_turn"] = abs(kept.h) * fastest
    if not kept.follows and turns.is_too_far(turn):
        return None
    return e


def keep(key: tuple[Any, ...], given: Any, problem: Problem, threads: int | None, follows: bool, run: Run) -> None:
    """Keep what a run was made of for the next call like it, if it is short, ended well, and can be made so again."""
    bodies, method = run.bodies, run.method
    alone = len(bodies.kinds) == 1 and bodies.kinds[0] is problem and problem.internal.wheels is None
    small = len(bodies) * run.n <= SMALL
    if not (alone and small and all(f is None or is_static(f) for f in (method.step, method.start))):
        return
    if run.has_lost or run.interrupted or (method.coefficients is not None and not is_static(method.coefficients)):
        return
    kernel, _ = problem.source(method)
    now = None if is_static(kernel) else proof(kernel)
    if now is None and not is_static(kernel):
        return
    calls = _KEPT.setdefault(problem, {})
    for old in list(calls)[: max(0, len(calls) + 1 - MOST_KEPT)]:
        calls.pop(old, None)
    calls[key] = Kept(
        *(given, method, run.h, run.n, run.every, threads, run.way, len(run.states[0]) - 10, run.arranged, follows),
        *(_shared(problem, method), None if now is None else now.digest, b""),
    )


def _shared(problem: Problem, method: Method) -> tuple[Any, ...]:
    """What all bodies of a problem share: as values, since arrays can be written to."""
    return (
        *(problem.moments.tobytes(), problem.axes.tobytes(), problem.parameters, problem.t0),
        problem.source(method)[0],
    )
