"""Calls of `solve` that are made again: what was checked and made for one is kept for the next like it.

A short run takes a few microseconds; checking every argument and making its runner takes ten times as long. So the
runner of a short, plain run is kept for its problem, by the arguments as they were given, and the next such call only
runs it. What can change behind the names is asked each time: the arrays of the problem, and by ``KernelRunner.lasts``
whether every function it runs is proved unchanged. A call for which this cannot be shown, that fails, or that has
something to warn of, goes the long way. What the Trajectory says is made when somebody looks: see `field`.
"""

import functools
import operator
import struct
import time
import weakref
from collections.abc import Callable
from types import NoneType
from typing import Any, ParamSpec, TypeAlias

import numpy as np

from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.results.as_it_was import is_for_ever, potential_now
from polhode.runs.results.columns import COLUMNS, MADE_BY, Columns, fastest_of, times_of
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.results.users_axes import FEW_ROWS, ROW, few_attitudes, few_velocities
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.runners.taylor import TaylorRunner
from polhode.runs.runners.whole_runs import ITERATIONS, STEPS

P = ParamSpec("P")
Rows: TypeAlias = Any
"""(q, Pi) of a run: an array, or the bytes of a few."""

MOST_KEPT = 16
"""Calls that are kept for one problem."""

MOST_STEPS = 4096
"""The most steps of a run that counts as short: one piece of machine code (``drive.Run``)."""

PLAIN = frozenset((float, int, str, NoneType))
"""Of what classes the arguments beside problem and method may be. True is no 1: bool is none of them."""

OFFERED = "run_to_keep"
"""Where in its attributes a Trajectory that comes out of the long way has what may be kept of it."""

ARRAYS = ("moments", "Omega0", "Q0", "axes")
_BODY = operator.itemgetter(*ARRAYS, "parameters", "t0")
"""All that a run depends on of the numbers of a problem; arrays can be written to."""

_ROW = struct.Struct(f"{ROW}d")

_NEW, clock = object.__new__, time.perf_counter

NOT_GIVEN: Any = type("NotGiven", (), {})()
"""In place of an argument that was not given."""


class Kept:
    """A runner without its problem, and the run it is for."""

    __slots__ = (
        *("body", "follows", "given", "integrator", "lasting", "n", "now", "run", "runner", "then", "times"),
        *("Omega0", "Q0", "axes", "count", "few", "moments", "potential", "start"),
    )

    def __init__(self, problem: Problem, runner: Any, given: Any, integrator: Any, n: int, every: int, follows: bool):
        self.runner: KernelRunner | TaylorRunner = runner
        self.run: Callable[[], tuple[Any, ...]] | None = None  # made when it is first run again
        self.given, self.integrator = given, integrator  # the method, held so that nothing else has its id
        self.n, self.times = n, (runner.t0, runner.h, every, n)
        self.count = -(-n // every)  # of rows
        self.few = self.count <= FEW_ROWS  # plain floats are faster than arrays
        self.body = _BODY(vars(problem))
        self.now = tuple(x.tobytes for x in self.body[: len(ARRAYS)])
        self.then = tuple(look() for look in self.now)
        self.start = problem.Q0.copy(), problem.Omega0.copy()
        self.moments, self.axes = problem.moments.tolist(), problem.axes.tolist()
        self.Omega0, self.Q0 = problem.Omega0.tolist(), problem.Q0.ravel().tolist()
        self.potential = potential_now(problem)
        self.lasting = runner.lasting and is_for_ever(problem)  # whether its functions cannot change
        self.follows = follows  # whether a step may turn the body as far as it likes

    def first_run(self) -> Callable[[], tuple[Any, ...]]:
        """The run, when it is first made again."""
        self.run = self.runner.from_start(self.n, self.times[2])
        return self.run


class Calls(dict[tuple[Any, ...], list[Kept]]):
    """The calls kept for one problem: by their arguments a list with a Kept, which is empty while that runs."""

    def __init__(self, problem: Problem) -> None:
        at = id(problem)
        self.problem = weakref.ref(problem, lambda _: _KEPT.pop(at, None))

    def keep(self, key: tuple[Any, ...], kept: Kept | None) -> None:
        """Keep one more, or only that there was such a call; the oldest goes."""
        self.pop(key, None)
        for old in list(self)[: max(0, len(self) + 1 - MOST_KEPT)]:
            self.pop(old, None)
        self[key] = [] if kept is None else [kept]


_KEPT: dict[int, Calls] = {}
"""By the id of a problem; what is kept goes when the problem goes."""


def remembered(solve: Callable[P, Trajectory]) -> Callable[P, Trajectory]:
    """The function `solve`, with the short way for calls that were made before.

    The most common keywords have names here: a dictionary of all would take as long as the rest of the short way.
    """

    def call(
        problem: Any = NOT_GIVEN,
        method: Any = NOT_GIVEN,
        /,
        *rest: Any,
        h: Any = NOT_GIVEN,
        t_end: Any = NOT_GIVEN,
        n_steps: Any = NOT_GIVEN,
        save_every: Any = NOT_GIVEN,
        **others: Any,
    ) -> Trajectory:
        known_by = method if method.__class__ is str else id(method)
        # 1 and 1.0 are equal, and not both are a number of steps
        kinds = h.__class__, t_end.__class__, n_steps.__class__, save_every.__class__
        key: Any = kinds, known_by, h, t_end, n_steps, save_every, rest
        if rest or others:
            key += (*others, *others.values(), *map(type, rest), *map(type, others.values()))
        calls: Any = _KEPT.get(id(problem))
        if calls is not None and calls.problem() is problem:
            try:
                idle = calls.get(key)
            except TypeError:  # of an argument that cannot be looked up
                idle = None
            found = again(problem, idle) if idle else None
            if found is not None:
                return found
        named = {"h": h, "t_end": t_end, "n_steps": n_steps, "save_every": save_every}
        keywords = {name: x for name, x in named.items() if x is not NOT_GIVEN} | others
        result = solve(*(x for x in (problem, method) if x is not NOT_GIVEN), *rest, **keywords)
        offered = vars(result).pop(OFFERED, None)
        if offered is not None and is_plain(problem, method, (*rest, *keywords.values())):
            calls = calls_of(problem)
            calls.keep(key, kept_of(*offered) if key in calls else None)  # most calls are made once, or often
        return result

    return functools.wraps(solve)(call)


def is_plain(problem: Any, method: Any, values: tuple[Any, ...]) -> bool:
    """Whether a call may be known by its arguments; not if it names a method that is to be looked up anew."""
    if not isinstance(problem, Problem) or method is NOT_GIVEN or (method.__class__ is str and ":" in method):
        return False
    return PLAIN.issuperset(map(type, values))


def calls_of(problem: Problem) -> Calls:
    """The calls kept for a problem."""
    calls = _KEPT.get(id(problem))
    if calls is None or calls.problem() is not problem:
        calls = _KEPT[id(problem)] = Calls(problem)
    return calls


def again(problem: Problem, idle: list[Kept]) -> Trajectory | None:
    """The Trajectory of a call that was made before; None if it has to go the long way."""
    try:
        kept = idle.pop()  # nobody else has it meanwhile
    except IndexError:
        return None
    a, b, c, d = kept.now
    try:
        same = _BODY(problem.__dict__) == kept.body  # the very same arrays,
    except ValueError:  # others
        return None
    same = same and (a(), b(), c(), d()) == kept.then  # and the same numbers in them
    if not (same and (kept.lasting or (kept.runner.lasts(problem) and potential_now(problem) == kept.potential))):
        return None
    run = kept.run or kept.first_run()
    begin = clock()
    try:
        rows, done = run()
    except Exception:  # of a function of the user's
        return None
    seconds = clock() - begin
    if done[STEPS] < kept.n or (not kept.follows and turns.is_too_far(largest_turn(kept, problem, rows))):
        return None
    idle.append(kept)
    trajectory = _NEW(Trajectory)
    trajectory.__dict__[MADE_BY] = field, problem, kept, rows, done[ITERATIONS], seconds
    return trajectory


def field(name: str, problem: Problem, kept: Kept, rows: Rows, iterations: int, seconds: float) -> Any:
    """A field of the Trajectory of a run that was made again, when somebody looks at it."""
    if name in COLUMNS:
        return _few(name, kept, rows) if kept.few else _columns(kept, problem, rows).field(name)
    if name == "stats":
        return {
            "n_steps": kept.n,
            "n_torque": kept.runner.torques(kept.n, iterations),
            "n_iterations": iterations,
            "compiled": True,
            "interrupted": False,
            "wall_time": seconds,
            "largest_turn": largest_turn(kept, problem, rows),
        }
    return {
        "problem": problem,
        "method": kept.runner.name,
        "h": kept.times[1],
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
        "potential_then": kept.potential,
    }[name]


def largest_turn(kept: Kept, problem: Problem, rows: Rows) -> float:
    """How far the body turned in a step, at most."""
    if kept.few:
        fastest = fastest_of(kept.moments, kept.Omega0, _ROW.iter_unpack(rows))
    else:
        fastest = _columns(kept, problem, rows).fastest()
    return abs(kept.times[1]) * fastest


def _few(name: str, kept: Kept, rows: Rows) -> np.ndarray:
    """A column of a few rows: the bits are those of arrays."""
    if name == "Q":
        return few_attitudes(kept.axes, _ROW.iter_unpack(rows), kept.Q0)
    if name == "Omega":
        return few_velocities(kept.axes, kept.moments, _ROW.iter_unpack(rows), kept.Omega0)
    return times_of(*kept.times, 0, kept.count)


def _columns(kept: Kept, problem: Problem, rows: Rows) -> Columns:
    table = np.frombuffer(rows).reshape(-1, ROW) if isinstance(rows, bytes) else rows
    return Columns(problem, table, kept.times, kept.start)


def offer(trajectory: Trajectory, *what: Any) -> None:
    """Give a run that has ended well with its Trajectory: `what` is for `kept_of`, if the call may be made again."""
    vars(trajectory)[OFFERED] = (trajectory.integrator, *what)


def kept_of(integrator: Any, given: Any, runner: Any, n: int, every: int, follows: bool) -> Kept | None:
    """What is kept of a run, if it is short and can begin again."""
    problem: Problem = runner.problem
    plain = runner.__class__ in (KernelRunner, TaylorRunner) and runner.is_compiled and n <= MOST_STEPS
    if not (plain and runner.again(problem, runner.h)):
        return None
    del runner.problem  # which would otherwise never be freed
    return Kept(problem, runner, given, integrator, n, every, follows)
