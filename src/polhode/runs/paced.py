"""Runs whose steps have lengths of their own: what drives them, and what they show on the way.

Rows are the states after steps, with their times; or the states at times of the user's, which lie inside steps and
change none of them. Events are looked for in every step, reductions take every step, weighted with its length.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import Events
from polhode.integrators.method import Method
from polhode.kernels import pacing
from polhode.physics.problem import Problem
from polhode.runs.drive import CHUNK_SECONDS
from polhode.runs.interrupt import Interrupt
from polhode.runs.kernel_runner import KernelRunner
from polhode.runs.runner import Runner
from polhode.runs.timed_reductions import TimedSurvey
from polhode.runs.trajectory import Trajectory
from polhode.runs.watched import Watched, machine_events

MOST_STEPS = 2**62
"""As many as it takes to the end."""

CHUNK = 16_384
"""Steps between two looks at Ctrl-C and at the memory."""

DOUBTS, PIECE = 16, 64
"""How often machine code may raise before Python takes all steps, and how many it takes each time."""

NO_TIMES, NO_SAMPLES = np.empty(0), np.empty((0, 7))
NO_EVENTS = np.empty(0, dtype=np.int64)


def check_free_of_times(problem: Problem, advice: str) -> None:
    """Steps of their own lengths meet no given times."""
    if problem.control is not None:
        raise InputError(
            f"{problem.name!r} has a controller, or motors that are functions, which go with steps of one size: "
            f"{advice}."
        )
    if problem.breaks:
        raise InputError(
            f"The torque of {problem.name!r} jumps at given times, which steps of their own lengths do not meet: "
            f"{advice}."
        )


class PacedRunner(ABC):
    """Takes steps of their own lengths; it knows where it is. Of a pace it asks what ``kernels/pacing.py`` says."""

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
        """(loop, its last arguments) as machine code; None, with a warning, if it cannot be."""

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
        """The time it has come to."""
        return self.clock[0]

    def watch(self, events: Events) -> None:
        """Stop before each step in which one of these may change its sign."""
        self._functions = tuple(events.functions.values())
        made = machine_events(events) if self._is_compiled else None
        if made is None:
            self._is_compiled = False
            return
        kernels, code = made
        axes = np.array(self.problem.axes.ravel())
        for kernel, machine in zip(kernels, code):
            self.one.check_event(kernel, machine, axes)
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
        """Take at most n steps: (taken, next sample, iterations, error, whether the next is one to look at)."""
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
            except Exception:  # of machine code of a user's function: Python takes some steps, and says what it was
                self._doubts += 1
                self._is_compiled, n = self._doubts < DOUBTS, min(n, PIECE)
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
                    *(self.pace, watch, (self._value, None), len(self._functions), one.body, t_end, 1),
                    *(one.state, self.clock, out[i : i + 1], times, samples, at),
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
        """The loop is made anew: what it is about has changed."""
        self._loop = None

    # ---- the step ahead, for a close look --------------------------------------------------------------

    def peek(self, t_end: float) -> tuple[float, tuple[float, ...]]:
        """Time and row after the next step, which is not taken; `part` is then about it."""
        go, _, about = self.pace
        after, later, iterations, _, inner = go(about, t_end, self.one.state, self.clock, self.one.body)
        self.h = later[0] - self.t
        self._step, self._ahead = (self.t, self.one.state, inner), (after, later, iterations)
        return later[0], after[0] + after[1]

    def take(self) -> int:
        """Take the step that `peek` has made; its iterations."""
        self.one.state, self.clock, iterations = self._ahead
        return iterations

    def part(self, s: float, t: float) -> tuple[float, ...] | None:
        """The row a time s behind the begin of the step ahead."""
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


class PacedRun:
    """One such run: where its rows go, and what was seen."""

    def __init__(
        self,
        runner: PacedRunner,
        end: tuple[float, int],
        every: int,
        wanted: Sequence[float] | None,
        events: Events | None,
        survey: TimedSurvey | None,
    ) -> None:
        self.runner, (self.t_end, self.n), self.every, self.survey = runner, end, every, survey
        self.seconds, self.message, self.interrupted = 0.0, "", False
        self.done, self.iterations = 0, 0
        self.shortest, self.longest, self.turn = math.inf, 0.0, 0.0
        self.parts: list[np.ndarray] = []
        self.watched = Watched(cast(Runner, runner), 0, None, events) if events else None  # all that `look` asks of one
        if events:
            runner.watch(events)
        start = np.array(runner.row())
        self.is_sampled = wanted is not None
        self.times, self.at = np.array(wanted if wanted is not None else (), dtype=float), 0
        self.samples = np.empty((len(self.times), 7))
        if len(self.times) and self.times[0] == runner.t:
            self.samples[0], self.at = start, 1

    def go(self, tick: Callable[[int], None]) -> None:
        """Take the steps, and tell how many thousandths of the run are done."""
        runner = self.runner
        runner.make_ready()
        chunk = 256 if runner.is_compiled else 16
        with Interrupt() as interrupt:
            while self.done < self.n and runner.t != self.t_end and not self.message and not self.ended:
                size, clock = min(chunk, self.n - self.done), time.perf_counter()
                self._piece(size)
                tick(int(1000 * self._share))
                inputs.check_memory(160, self.done, self.every)
                if interrupt.seen and not self.message:
                    self.interrupted = True
                    self.message = f"Interrupted at step {self.done} (t = {runner.t:g}); what was computed is here."
                seconds = max(time.perf_counter() - clock, 1e-9)
                self.seconds += seconds
                chunk = max(1, min(CHUNK, 32 * chunk, int(chunk * CHUNK_SECONDS / seconds)))

    @property
    def _share(self) -> float:
        """How much of the run is done."""
        begin = self.runner.t0
        return (self.runner.t - begin) / (self.t_end - begin) if math.isfinite(self.t_end) else self.done / self.n

    @property
    def ended(self) -> bool:
        """Whether an event has ended the run."""
        return self.watched is not None and bool(self.watched.ended)

    def _piece(self, size: int) -> None:
        runner, t = self.runner, self.runner.t
        out = np.empty((size, 8))
        took, self.at, its, error, stop = runner.advance(self.t_end, size, out, self.times, self.samples, self.at)
        if stop and self.watched is not None:
            self._keep(out[:took], t, its)
            self._look_closely()
        else:
            self._keep(out[:took], t, its)
        if runner.raised is not None or not (took or stop or runner.t == self.t_end):
            self.message = runner.failure(self.done, error)

    def _look_closely(self) -> None:
        """At the next step, which is then taken, unless an event in it ends the run."""
        runner, watched = self.runner, self.watched
        assert watched is not None
        try:
            t, row, (t_after, after) = runner.t, runner.row(), runner.peek(self.t_end)
            ended = watched.look(t, row, t_after, after)
        except Exception as raised:
            runner.raised = raised
            return
        last = watched.last_time if ended else t_after
        while self.at < len(self.times) and (self.times[self.at] - last) * runner.h <= 0:
            here = float(self.times[self.at])
            self.samples[self.at] = after if here == t_after else runner.part(here - t, t)
            self.at += 1
        if not ended:
            iterations = runner.take()
            self._keep(np.array([[*after, t_after]]), t, iterations)

    def _keep(self, rows: np.ndarray, t: float, iterations: int) -> None:
        """Note rows of consecutive steps, the first of which began at t."""
        self.iterations += iterations
        if not len(rows):
            return
        steps = np.abs(np.diff(rows[:, 7], prepend=t))
        problem = self.runner.problem
        is_cut = rows[-1, 7] == self.t_end and self.done + len(rows) > 1
        whole = steps[:-1] if is_cut else steps
        self.shortest = min(self.shortest, float(whole.min(initial=math.inf)))
        self.longest = max(self.longest, float(whole.max(initial=0.0)))
        self.turn = max(self.turn, float((steps * np.linalg.norm(rows[:, 4:7] / problem.moments, axis=1)).max()))
        if self.survey is not None:
            self.survey.note(*self.runner.in_users_axes(rows[:, :7]), rows[:, 7])
        number = self.done + 1 + np.arange(len(rows))
        if not self.is_sampled:
            self.parts.append(rows[(number % self.every == 0) | (rows[:, 7] == self.t_end) | (number == self.n)])
        self.done += len(rows)

    def trajectory(self, h: float, integrator: Any) -> Trajectory:
        """What was computed, and how it went."""
        runner, problem = self.runner, self.runner.problem
        if self.is_sampled:
            t, rows = self.times[: self.at], self.samples[: self.at]
            Q, Omega = runner.in_users_axes(rows)
            if self.at and t[0] == problem.t0:  # as it was given
                Q[0], Omega[0] = problem.Q0, problem.Omega0
        else:
            rows = np.concatenate([np.empty((0, 8)), *self.parts])
            Q, Omega = runner.in_users_axes(rows[:, :7])
            t = np.append(problem.t0, rows[:, 7])
            Q, Omega = np.concatenate([problem.Q0[None], Q]), np.concatenate([problem.Omega0[None], Omega])
        stats = {
            "n_steps": self.done,
            "n_torque": runner.torques(self.done, self.iterations),
            "n_iterations": self.iterations,
            "compiled": runner.is_compiled,
            "interrupted": self.interrupted,
            "wall_time": self.seconds,
            "shortest_step": float(self.shortest) if self.done else math.nan,
            "longest_step": float(self.longest) if self.done else math.nan,
            "largest_turn": self.turn,
        }
        if isinstance(integrator, Method):  # its steps are taken again for the states between rows
            stats["adapted"] = 0 if self.is_sampled else self.every
        s = Trajectory(
            problem=problem,
            method=runner.name,
            h=h,
            t=t,
            Q=Q,
            Omega=Omega,
            stats=stats,
            success=not self.message,
            message=self.message,
            problem_name=problem.name,
            exception=runner.raised,
            integrator=integrator,
            reductions={} if self.survey is None else self.survey.results(),
        )
        return s if self.watched is None else self.watched.with_events(s, keep_last=not self.is_sampled)
