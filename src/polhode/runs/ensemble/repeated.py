"""Calls of `solve_ensemble` that are made again: what was checked and made for one is kept for the next like it.

A few bodies over a few steps take some microseconds; checks, the choice of machine code and its arrangement in lanes
take fifty times as long. So the problem keeps these, by method, steps, interval and number of bodies. Each call brings
its own starts, which are checked. Each call also looks at what may have changed without notice: inertia, parameters,
the time of the start, and whether every function is proved to be what it was. Machine code of a user's torque is
compared with the torque where the bodies start, unless that was done at these attitudes (and velocities, if it takes
them) in the last call. A call that cannot be answered so, that fails, or that has something to warn of, goes the long
way. What the Ensemble says is made when somebody looks: `field`.
"""

import operator
import weakref
from types import NoneType
from typing import Any

import numpy as np

from polhode.kernels.fingerprint import is_static
from polhode.kernels.unchanged import proof
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.ensemble.held import HeldBodies, Start, Went
from polhode.runs.ensemble.outcome import counts
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.ensemble.schedule import FEW_STEPS, Run
from polhode.runs.results.as_it_was import is_for_ever, potential_now
from polhode.runs.results.columns import MADE_BY, times_of

MOST_KEPT = 16
"""Calls of one problem."""

NUMBER, WHOLE = (float, int, NoneType), (int, NoneType)  # True is none of them: bool is a class of its own
FLOAT = np.dtype(float)

ARRAYS = ("moments", "axes", "inertia")
_NUMBERS = operator.itemgetter(*ARRAYS, "parameters", "t0")
"""What all bodies share of the numbers of a problem; arrays can be written to."""

SURELY_NEAR = 0.9 * turns.TOO_FAR
"""Radians a step that are not too far, even if bounded with some round-off."""

_NEW = object.__new__


class Kept:
    """What a run of bodies is made of, but for their starts; one call at a time has it."""

    __slots__ = (
        *("compared", "digest", "follows", "for_ever", "given", "held", "kernel", "memory", "method", "moving", "now"),
        *("numbers", "potential", "steps", "then", "way"),
    )

    def __init__(self, problem: Problem, given: Any, run: Run, follows: bool, digest: str | None) -> None:
        self.given, self.method = given, run.method  # the user's, held so that no other gets its id; and as it runs
        self.steps, self.way, self.memory = (run.h, run.n, run.every), run.way, len(run.states[0]) - 10
        self.follows = follows  # whether a step may turn a body as far as it likes
        self.digest = digest  # the fingerprint of a torque that may change; None of one that cannot
        self.kernel, self.moving = problem.source(run.method)
        self.for_ever, self.potential = is_for_ever(problem), potential_now(problem)
        self.numbers = _NUMBERS(vars(problem))
        self.now = tuple(x.tobytes for x in self.numbers[: len(ARRAYS)])
        self.then = tuple(look() for look in self.now)
        self.compared = b""  # the starts at which machine code and function were last compared
        self.held = HeldBodies(run)

    def lasts(self, problem: Problem) -> bool:
        """Whether what the bodies share is what it was, and every function is proved to be."""
        a, b, c = self.now
        try:
            same = _NUMBERS(problem.__dict__) == self.numbers  # the very same arrays,
        except ValueError:  # others
            return False
        same = same and (a(), b(), c()) == self.then  # and the same numbers in them
        kernel = problem.source(self.method)[0]
        if not same or kernel is not self.kernel:
            return False
        if self.digest is None:
            return True
        now = proof(kernel)
        return now is not None and now.digest == self.digest

    def compare(self, problem: Problem, start: Start) -> None:
        """Check that machine code is the function that may have changed, unless that was done at this start."""
        begins = self.held.begins(self.moving)
        if begins != self.compared:
            h, n, every = self.steps
            bodies, blocks = self.held.bodies(problem, start), self.held.blocks
            Run(bodies, self.method, h, n, every, self.way, self.memory, blocks=blocks).guard()
            self.compared = begins


_KEPT: "weakref.WeakKeyDictionary[Problem, dict[tuple[Any, ...], list[Kept]]]" = weakref.WeakKeyDictionary()


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
    idle = None if calls is None else calls.get(key)
    if idle is None:
        return None
    try:
        kept = idle.pop()  # nobody else has it meanwhile
    except IndexError:
        return None
    if not kept.lasts(problem):
        return None
    potential = kept.potential if kept.for_ever else potential_now(problem)
    start = kept.held.start(problem, *starts)
    if start is None:
        idle.append(kept)
        return None
    if kept.digest is not None:
        kept.compare(problem, start)
    went = kept.held.go()
    if went is None:
        return None
    idle.append(kept)
    e = _NEW(Ensemble)
    e.__dict__[MADE_BY] = field, problem, kept, start, went, potential
    near = SURELY_NEAR / abs(kept.steps[0])
    if kept.follows or (start.speed < near and went.speed < near):
        return e
    return None if turns.is_too_far(e.stats["largest_turn"]) else e


def field(name: str, problem: Problem, kept: Kept, start: Start, went: Went, potential: str | None) -> Any:
    """A field of the Ensemble of a run that was made again, when somebody looks at it."""
    held, way, (h, n, every) = kept.held, kept.way, kept.steps
    rows = went.table[:, :, : held.N]
    if name == "stats":
        stats = counts(kept.method, way, held.N, n, went.iterations, 1, went.seconds)
        return stats | {"largest_turn": abs(h) * _fastest(start, rows, held.moments)}
    if name == "bodies":
        return held.bodies(problem, start)
    if name == "t":
        return times_of(kept.numbers[-1], h, every, n, 0, len(rows))
    if name in ("failed", "errors"):
        return np.full(held.N, -1 if name == "failed" else np.nan)
    known: dict[str, Any] = {
        "method": kept.method.name,
        "h": h,
        "rows": rows,
        "states": None,
        "integrator": kept.method,
        "potential_then": potential,
        **{nothing: {} for nothing in ("sentences", "exceptions", "events", "ended", "reductions")},
    }
    return known[name]


def _fastest(start: Start, rows: np.ndarray, moments: np.ndarray) -> float:
    """The largest |Omega| of all bodies."""
    velocities = np.swapaxes(rows[:, 4:], 1, 2) / moments
    return max(turns.fastest(Omega.reshape(-1, 3)) for Omega in (start.Omega, velocities))


def keep(key: tuple[Any, ...], given: Any, problem: Problem, follows: bool, run: Run) -> None:
    """Keep what a run was made of for the next call like it, if it is short, ended well, and can be made so again."""
    bodies, method = run.bodies, run.method
    alone = len(bodies.kinds) == 1 and bodies.kinds[0] is problem and problem.internal.wheels is None
    small = len(bodies) * run.n <= FEW_STEPS and run.threads == 1
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
    calls[key] = [Kept(problem, given, run, follows, None if now is None else now.digest)]
