"""Calls of `solve` that are made again: what was checked and made for one is kept for the next like it.

A short run takes a few microseconds; checking every argument and making its runner takes ten times as long. So the
runner of a short, plain run is kept for its problem, by the arguments as they were given, and the next such call only
runs it. What can change behind the names is asked each time: the arrays of the problem, and by ``KernelRunner.lasts``
whether every function it runs is proved unchanged. A call for which this cannot be shown, that fails, or that has
something to warn of, goes the long way. So does the second call of its kind, which prepares the third. The first goes
straight to machine code if there is some: see ``short_runs.py``, where also what a Trajectory says is made.
"""

import functools
import operator
import time
import weakref
from collections.abc import Callable
from types import NoneType
from typing import Any, ParamSpec

from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.failures import FAILURES
from polhode.runs.results.as_it_was import is_for_ever, potential_now
from polhode.runs.results.columns import MADE_BY
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.runners.taylor import TaylorRunner
from polhode.runs.runners.whole_runs import ITERATIONS, STEPS
from polhode.runs.short_runs import MOST_STEPS, Short, field, largest_turn, straight

P = ParamSpec("P")

MOST_KEPT = 16
"""Calls that are kept for one problem."""

NOT_GIVEN: Any = type("NotGiven", (), {})()
"""In place of an argument that was not given."""

PLAIN = frozenset((float, int, str, NoneType, type(NOT_GIVEN)))
"""Of what classes the arguments beside problem and method may be. True is no 1: bool is none of them."""

HARMLESS = {"strict": (False,), "compiled": (None, True), "progress": (False,), "on_failure": FAILURES}
"""Keywords, and the values with which a run that goes well is what it is without them."""

OFFERED = "run_to_keep"
"""Where in its attributes a Trajectory that comes out of the long way has what may be kept of it."""

ARRAYS = ("moments", "Omega0", "Q0", "axes")
_BODY = operator.itemgetter(*ARRAYS, "parameters", "t0")
"""All that a run depends on of the numbers of a problem; arrays can be written to."""

_NEW, clock = object.__new__, time.perf_counter


class Kept:
    """A runner without its problem, and the run it is for."""

    __slots__ = ("body", "given", "lasting", "now", "run", "runner", "short", "then")

    def __init__(self, problem: Problem, runner: Any, given: Any, short: Short) -> None:
        self.runner: KernelRunner | TaylorRunner = runner
        self.run: Callable[[], tuple[Any, ...]] | None = None  # made when it is first run again
        self.given, self.short = given, short  # the method, held so that nothing else has its id
        self.body = _BODY(vars(problem))
        self.now = tuple(x.tobytes for x in self.body[: len(ARRAYS)])
        self.then = tuple(look() for look in self.now)
        self.lasting = runner.lasting and is_for_ever(problem)  # whether its functions cannot change

    def first_run(self) -> Callable[[], tuple[Any, ...]]:
        """The run, when it is first made again."""
        _, _, every, n = self.short.times
        self.run = self.runner.from_start(n, every)
        return self.run


class Calls(dict[tuple[Any, ...], list[Kept]]):
    """The calls kept for one problem: by their arguments a list with a Kept, which is empty while that runs."""

    def __init__(self, problem: Problem) -> None:
        at = id(problem)
        self.problem = weakref.ref(problem, lambda _: _KEPT.pop(at, None))

    def keep(self, key: tuple[Any, ...], kept: Kept) -> None:
        """Keep one more; the oldest goes."""
        self.pop(key, None)
        for old in list(self)[: max(0, len(self) + 1 - MOST_KEPT)]:
            self.pop(old, None)
        self[key] = [kept]


_KEPT: dict[int, Calls] = {}
"""By the id of a problem; what is kept goes when the problem goes."""

MOST_SEEN = 256
_SEEN: dict[int, tuple[weakref.ref[Problem], set[tuple[Any, ...]]]] = {}
"""The calls that were made once, of some problems, likewise."""


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
        plain = is_plain(problem, method, kinds, (*rest, *others.values()) if rest or others else ())
        if plain and is_new(problem, key):
            plain = False  # most calls are made once, or often: nothing is prepared for another yet
        if not plain and (not others or change_nothing(others)) and is_plain(problem, method, kinds, rest):
            interval = interval_of(rest, h, t_end)
            if interval is not None:
                steps, every = or_default(n_steps, None), or_default(save_every, 1)
                found = straight(problem, method, *interval, steps, every)
                if found is not None:
                    return found
        named = {"h": h, "t_end": t_end, "n_steps": n_steps, "save_every": save_every}
        keywords = {name: x for name, x in named.items() if x is not NOT_GIVEN} | others
        result = solve(*(x for x in (problem, method) if x is not NOT_GIVEN), *rest, **keywords)
        offered = vars(result).pop(OFFERED, None)
        kept = kept_of(*offered) if plain and offered is not None else None
        if kept is not None:
            calls_of(problem).keep(key, kept)
        return result

    return functools.wraps(solve)(call)


def is_plain(problem: Any, method: Any, kinds: tuple[type, ...], others: tuple[Any, ...]) -> bool:
    """Whether a call may be known by its arguments; not if it names a method that is to be looked up anew."""
    if not isinstance(problem, Problem) or method is NOT_GIVEN or (method.__class__ is str and ":" in method):
        return False
    return PLAIN.issuperset(kinds) and (not others or PLAIN.issuperset(map(type, others)))


def change_nothing(others: dict[str, Any]) -> bool:
    """Whether these keywords make no difference to a run that goes well."""
    return all(x.__class__ in (bool, str, NoneType) and x in HARMLESS.get(name, ()) for name, x in others.items())


def interval_of(rest: tuple[Any, ...], h: Any, t_end: Any) -> tuple[Any, Any] | None:
    """h and t_end, which may have come by their place; None if there was more, or one came twice."""
    if not rest:
        return or_default(h, None), or_default(t_end, None)
    if len(rest) > 2 or h is not NOT_GIVEN or (len(rest) == 2 and t_end is not NOT_GIVEN):
        return None
    return rest[0], rest[1] if len(rest) == 2 else or_default(t_end, None)


def or_default(value: Any, default: Any) -> Any:
    """What was given, or what stands for it."""
    return default if value is NOT_GIVEN else value


def is_new(problem: Problem, key: tuple[Any, ...]) -> bool:
    """Whether no call like this is remembered; now one is."""
    seen = _SEEN.get(id(problem))
    if seen is None or seen[0]() is not problem:
        if len(_SEEN) >= MOST_SEEN:
            _SEEN.clear()
        seen = _SEEN[id(problem)] = weakref.ref(problem), set()
    keys = seen[1]
    if key in keys:
        return False
    if len(keys) >= MOST_SEEN:
        keys.clear()
    keys.add(key)
    return True


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
    if not (same and (kept.lasting or (kept.runner.lasts(problem) and potential_now(problem) == kept.short.potential))):
        return None
    run = kept.run or kept.first_run()
    begin = clock()
    try:
        rows, done = run()
    except Exception:  # of a function of the user's
        return None
    seconds = clock() - begin
    short = kept.short
    if done[STEPS] < short.n or (not short.follows and turns.is_too_far(largest_turn(short, problem, rows))):
        return None
    idle.append(kept)
    made = _NEW(Trajectory)  # here and not by a call: of a short run that would be a tenth
    made.__dict__[MADE_BY] = field, problem, short, rows, done[ITERATIONS], seconds
    return made


def offer(trajectory: Trajectory, *what: Any) -> None:
    """Give a run that has ended well with its Trajectory: `what` is for `kept_of`, if the call may be made again."""
    vars(trajectory)[OFFERED] = (trajectory.integrator, *what)


def kept_of(integrator: Any, given: Any, runner: Any, n: int, every: int) -> Kept | None:
    """What is kept of a run, if it is short and can begin again."""
    problem: Problem = runner.problem
    plain = runner.__class__ in (KernelRunner, TaylorRunner) and runner.is_compiled and n <= MOST_STEPS
    if not (plain and runner.again(problem, runner.h)):
        return None
    del runner.problem  # which would otherwise never be freed
    return Kept(problem, runner, given, Short(problem, integrator, runner.method, (runner.t0, runner.h, every, n)))
