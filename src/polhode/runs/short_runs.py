"""Short runs: one piece of machine code, over in an instant. What their Trajectory says is made when somebody looks.

Making a runner and a result takes longer than the steps of such a run. A plain call (a method, an interval, and how
many states to keep) of what has run before needs neither: `straight` checks its arguments, takes the steps, and leaves
the rest to `field`. What is not plain to see there, a function that raises, a step that fails or that turns the body
too far, goes the long way, which finds it again and has the words for it.
"""

import struct
import time
from typing import Any, TypeAlias

import numpy as np

from polhode import inputs
from polhode.integrators.lookup import listed
from polhode.integrators.method import Method
from polhode.integrators.velocity import adapted
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.equal_steps import follows
from polhode.runs.results.as_it_was import potential_now
from polhode.runs.results.columns import COLUMNS, MADE_BY, Columns, fastest_of, times_of
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.results.users_axes import FEW_ROWS, ROW, few_attitudes, few_velocities
from polhode.runs.runners.checked_steps import numbers_of
from polhode.runs.runners.code import known
from polhode.runs.runners.guarding import guard
from polhode.runs.runners.whole_runs import ITERATIONS, LEFT, NEXT_ROW, STEPS

Rows: TypeAlias = Any
"""(q, Pi) of a run: an array, or the bytes of a few."""

MOST_STEPS = 4096
"""The most steps of a run that counts as short: one piece of machine code (``drive.Run``)."""

_ROW = struct.Struct(f"{ROW}d")

_NEW, clock = object.__new__, time.perf_counter


class Short:
    """What there is to say of a short run beside its rows and its problem, as it was when it ran."""

    __slots__ = (
        *("Omega0", "Q0", "axes", "count", "few", "follows", "integrator", "method", "moments", "n", "name"),
        *("potential", "times"),
    )

    def __init__(self, problem: Problem, integrator: Any, method: Any, times: tuple[float, float, int, int]) -> None:
        """`method` is the integrator as this problem needs it; `times` are t0, h, every and n."""
        self.integrator, self.method, self.name = integrator, method, integrator.name
        self.times, self.n = times, times[3]
        self.count = -(-self.n // times[2])  # of rows
        self.few = self.count <= FEW_ROWS  # plain floats are faster than arrays
        self.moments, self.axes = problem.moments.tolist(), problem.axes.tolist()
        self.Omega0, self.Q0 = problem.Omega0.tolist(), problem.Q0.ravel().tolist()
        self.potential = potential_now(problem)
        self.follows = follows(integrator, problem)  # whether a step may turn the body as far as it likes


def straight(problem: Any, given: Any, h: Any, t_end: Any, n_steps: Any, save_every: Any) -> Trajectory | None:
    """The Trajectory of a plain call, if its machine code has run before; None if it has to go the long way."""
    integrator = listed(given) if given.__class__ is str else given
    if not (isinstance(integrator, Method) and isinstance(problem, Problem)) or problem.control is not None:
        return None
    method = adapted(integrator, problem.forces)
    entry = known(problem, method)
    if entry is None or (method.free_only and problem.has_torque):
        return None
    problem.check_start()
    h, n = inputs.interval(problem, h, t_end, n_steps, strict=False)
    inputs.check_breaks(problem, h, n)
    every = inputs.whole("save_every", save_every)
    if n > MOST_STEPS:
        return None
    (body, kept), (q, Pi), t0 = entry, problem.start(), problem.t0
    try:
        start = method.start(h, t0, q, Pi, body)
        if guard(problem, method, kept, body[3][0], t0, start):
            return None
        state, table, code = np.array(numbers_of(start)), np.empty((-(-n // every), ROW)), kept.code
        begin = clock()
        done = code.loop(*code.head, h, t0, 0, n, every, every, state, table, 0)
    except Exception:  # of a function of the user's
        return None
    seconds = clock() - begin
    if done[STEPS] < n:
        return None
    if done[LEFT] != every:  # the last state is kept whatever save_every is
        table[done[NEXT_ROW]] = state[:ROW]
    short = Short(problem, integrator, method, (t0, h, every, n))
    return None if is_too_far(short, problem, table) else trajectory(problem, short, table, done[ITERATIONS], seconds)


def trajectory(problem: Problem, short: Short, rows: Rows, iterations: int, seconds: float) -> Trajectory:
    """The Trajectory of a short run."""
    made = _NEW(Trajectory)
    made.__dict__[MADE_BY] = field, problem, short, rows, iterations, seconds
    return made


def field(name: str, problem: Problem, short: Short, rows: Rows, iterations: int, seconds: float) -> Any:
    """A field of the Trajectory of a short run, when somebody looks at it."""
    if name in COLUMNS:
        return _few(name, short, rows) if short.few else _columns(short, problem, rows).field(name)
    if name == "stats":
        return {
            "n_steps": short.n,
            "n_torque": short.method.torques_of_run(short.n, iterations),
            "n_iterations": iterations,
            "compiled": True,
            "interrupted": False,
            "wall_time": seconds,
            "largest_turn": largest_turn(short, problem, rows),
        }
    return {
        "problem": problem,
        "method": short.name,
        "h": short.times[1],
        "success": True,
        "message": "",
        "problem_name": problem.name,
        "saved": {},
        "reductions": {},
        "inertia": problem.inertia,
        "exception": None,
        "events": {},
        "integrator": short.integrator,
        "error_estimate": None,
        "potential_then": short.potential,
    }[name]


def is_too_far(short: Short, problem: Problem, rows: Rows) -> bool:
    """Whether a warning is due for how far the body turned in a step."""
    return not short.follows and turns.is_too_far(largest_turn(short, problem, rows))


def largest_turn(short: Short, problem: Problem, rows: Rows) -> float:
    """How far the body turned in a step, at most."""
    if short.few:
        fastest = fastest_of(short.moments, short.Omega0, _ROW.iter_unpack(rows))
    else:
        fastest = _columns(short, problem, rows).fastest()
    return abs(short.times[1]) * fastest


def _few(name: str, short: Short, rows: Rows) -> np.ndarray:
    """A column of a few rows: the bits are those of arrays."""
    if name == "Q":
        return few_attitudes(short.axes, _ROW.iter_unpack(rows), short.Q0)
    if name == "Omega":
        return few_velocities(short.axes, short.moments, _ROW.iter_unpack(rows), short.Omega0)
    return times_of(*short.times, 0, short.count)


def _columns(short: Short, problem: Problem, rows: Rows) -> Columns:
    table = np.frombuffer(rows).reshape(-1, ROW) if isinstance(rows, bytes) else rows
    return Columns(problem, table, short.times, (np.array(short.Q0).reshape(3, 3), np.array(short.Omega0)))
