"""Runs whose steps have lengths of their own: what drives them, and what they show on the way.

Rows are the states after steps, with their times; or the states at times that the user chose, which lie inside steps
and change none of them. Events are looked for in every step; reductions take every step, weighted with its length.
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from polhode import inputs
from polhode.inputs.events import Events
from polhode.integrators.method import Method
from polhode.runs.between_steps.watched import Watched
from polhode.runs.drive import CHUNK_SECONDS
from polhode.runs.interrupt import Interrupt
from polhode.runs.own_steps.paced_runner import PacedRunner
from polhode.runs.own_steps.timed_reductions import TimedSurvey
from polhode.runs.results.as_it_was import potential_now
from polhode.runs.results.counts import counts
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.runner import Runner

MOST_STEPS = 2**62
"""No limit: the run ends at its time."""

CHUNK_STEPS = 16_384
"""Steps between two looks at Ctrl-C and at the memory."""


class PacedRun:
    """One such run: its rows, its events, and how far it is."""

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
        self.keeps_end = not self.is_sampled  # the state at an event that ends the run, as its last row
        self.times, self.at = np.array(wanted if wanted is not None else (), dtype=float), 0
        self.samples = np.empty((len(self.times), 7))
        if len(self.times) and self.times[0] == runner.t:
            self.samples[0], self.at = start, 1

    def go(self, tick: Callable[[int], None]) -> None:
        """Take the steps, and call `tick` with how many thousandths of the run are done."""
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
                chunk = max(1, min(CHUNK_STEPS, 32 * chunk, int(chunk * CHUNK_SECONDS / seconds)))

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
        """Look for events in the next step, and take it unless one of them ends the run."""
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
        stats = counts(self) | {
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
            potential_then=potential_now(problem),
            reductions={} if self.survey is None else self.survey.results(),
        )
        return s if self.watched is None else self.watched.with_events(s, keep_last=self.keeps_end)
