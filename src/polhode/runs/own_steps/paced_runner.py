"""A runner whose steps have lengths of their own, which a pace chooses: see ``kernels/pacing.py``."""

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs.events import Events
from polhode.kernels import pacing
from polhode.physics.problem import Problem
from polhode.runs.between_steps.machine_events import check_event, machine_events
from polhode.runs.runners.kernel_runner import KernelRunner

MOST_DOUBTS, STEPS_BY_PYTHON = 16, 64
"""How often machine code may raise before Python takes all steps, and how many steps Python takes each time."""

NO_TIMES, NO_SAMPLES = np.empty(0), np.empty((0, 7))

NO_EVENTS = np.empty(0, dtype=np.int64)


def check_free_of_times(problem: Problem, advice: str) -> None:
    """Refuse a problem in which something happens at fixed times: steps of their own lengths do not meet them."""
    if problem.control is not None:
        raise InputError(
            f"{problem.name!r} has a controller, or motors that are functions, which go with steps of one size: "
            f"{advice}."
        )
    if problem.breaks:
        raise InputError(
            f"The torque of {problem.name!r} jumps at fixed times, which steps of their own lengths do not meet: "
            f"{advice}."
        )


class PacedRunner(ABC):
    """Takes steps of their own lengths and knows its state. What a pace is, ``kernels/pacing.py`` says."""

    clock: tuple[float, ...]
    raised: Exception | None = None
    width = 7

    def __init__(self, one: KernelRunner, name: str, h: float) -> None:
        self.one, self.problem, self.t0, self.h, self.name = one, one.problem, one.t0, h, name
        self._is_compiled = one.is_compiled
        self._loop: Any = None
        self._doubts = 0  # how often machine code has raised
        self._addresses = NO_EVENTS
        self._functions: tuple[Any, ...] = ()
        self._held: tuple[Any, ...] = ()  # machine code whose addresses are used
        self._step: tuple[Any, ...] = ()
        self._ahead: tuple[Any, ...] = ()

    @property
    @abstractmethod
    def pace(self) -> tuple[Any, ...]:
        """(go, inside, about) as kernels."""

    @abstractmethod
    def machine(self, events: bool) -> tuple[Any, tuple[Any, ...]] | None:
        """(loop, its last arguments) as machine code; None, with a warning, if it cannot be compiled."""

    @abstractmethod
    def torques(self, steps: int, iterations: int) -> int | None:
        """How often the torque has been evaluated."""

    @abstractmethod
    def failure(self, k: int, error: float) -> str:
        """The sentence for step k, which failed."""

    @property
    def is_compiled(self) -> bool:
        """Whether machine code takes the steps."""
        return self._is_compiled

    @property
    def t(self) -> float:
        """The time that it has reached."""
        return self.clock[0]

    def watch(self, events: Events) -> None:
        """Stop before each step in which one of these may change its sign."""
        self._functions = tuple(events.functions.values())
        compiled = machine_events(events) if self._is_compiled else None
        if compiled is None:
            self._is_compiled = False
            return
        kernels, code = compiled
        axes = np.array(self.problem.axes.ravel())
        for kernel, machine in zip(kernels, code):
            check_event(self.one, kernel, machine, axes)
        self._addresses, self._held = np.array([x.address for x in code], dtype=np.int64), tuple(code)

    def advance(
        self,
        t_end: float,
        n: int,
        out: np.ndarray,
        times: np.ndarray = NO_TIMES,
        samples: np.ndarray = NO_SAMPLES,
        at: int = 0,
    ) -> tuple[Any, ...]:
        """Take at most n steps: (taken, next sample, iterations, error, whether the next step must be looked at)."""
        self.make_ready()
        if self._is_compiled:
            loop, last = self._loop
            head, _ = self.one.machine_arguments()
            numbers, clock, axes = (
                np.array(self.one.numbers()),
                np.array(self.clock),
                np.array(self.problem.axes.ravel()),
            )
            try:
                done = loop(*head, t_end, n, numbers, clock, out, times, samples, at, self._addresses, axes, *last)
            except Exception:  # a user's function raised in machine code: Python takes some steps, and says what it was
                self._doubts += 1
                self._is_compiled, n = self._doubts < MOST_DOUBTS, min(n, STEPS_BY_PYTHON)
            else:
                self.one.restore(numbers.tolist())
                self.clock = tuple(clock.tolist())
                return done
        return self._plain(t_end, n, out, times, samples, at)

    def make_ready(self) -> None:
        """Make the loop, where there is none yet."""
        if self._is_compiled and self._loop is None:
            self._loop = self.machine(bool(self._functions))
            self._is_compiled = self._loop is not None

    def _plain(self, t_end: float, n: int, out: Any, times: Any, samples: Any, at: int) -> tuple[Any, ...]:
        """The loop as plain Python, a step at a time: when a function of the user's raises, nothing before is lost."""
        one, iterations = self.one, 0
        watch = pacing.watched if self._functions else pacing.unwatched
        for i in range(n):
            if self.t == t_end:
                return i, at, iterations, 0.0, False
            try:
                took, at, its, error, one.state, self.clock, stop = pacing.advance_paced(
                    *(self.pace, (watch, (self._value, None), len(self._functions)), one.body, (t_end, 1)),
                    *(one.state, self.clock, (out[i : i + 1], times, samples, at)),
                )
            except Exception as raised:
                self.raised = raised
                return i, at, iterations, 0.0, False
            iterations += its
            if not took:
                return i, at, iterations, error, stop
        return n, at, iterations, 0.0, False

    def _value(self, k: int, t: float, Q: Any, Omega: Any, about: Any) -> float:
        axes = self.problem.axes
        return float(self._functions[k](t, np.array(Q).reshape(3, 3) @ axes.T, axes @ np.array(Omega)))

    def forget(self) -> None:
        """Make the loop anew: what it works on has changed."""
        self._loop = None

    # ---- the step ahead, for a close look --------------------------------------------------------------

    def peek(self, t_end: float) -> tuple[float, tuple[float, ...]]:
        """Time and row after the next step, which is not taken yet; `part` then gives states inside it."""
        go, _, about = self.pace
        after, later, iterations, _, inner = go(about, t_end, self.one.state, self.clock, self.one.body)
        self.h = later[0] - self.t
        self._step, self._ahead = (self.t, self.one.state, inner), (after, later, iterations)
        return later[0], after[0] + after[1]

    def take(self) -> int:
        """Take the step that `peek` has computed; returns its iterations."""
        self.one.state, self.clock, iterations = self._ahead
        return iterations

    def part(self, s: float, t: float) -> tuple[float, ...] | None:
        """The row a time s after the beginning of the step ahead."""
        _, inside, about = self.pace
        begin, state, inner = self._step
        q, Pi = inside(about, s, self.h, begin, state, inner, self.one.body)
        return (*q, *Pi) if all(map(math.isfinite, (*q, *Pi))) else None

    def row(self) -> tuple[float, ...]:
        """The state as a row."""
        return self.one.row()

    def in_users_axes(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and velocities of rows, in the user's axes."""
        return self.one.in_users_axes(rows)
