"""Driving the loop: in pieces of a fraction of a second, so that a run of any length can be watched, stopped,
written down as it goes, and continued after a kill.

A run is the same whichever way it is cut into pieces: the loop takes its whole state in and gives it out, and a
time is always t0 + i h. So a run continued from a checkpoint ends bit for bit where it would have ended.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import InputError
from polhode.runs.files import checkpoint as checkpoints
from polhode.runs.files import places
from polhode.runs.interrupt import Interrupt
from polhode.runs.looking import Looking
from polhode.runs.results.as_it_was import potential_now
from polhode.runs.results.columns import times_of
from polhode.runs.results.counts import counts
from polhode.runs.results.reductions import Survey
from polhode.runs.results.rows import RowsInFile, RowsInMemory
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.controlled_runner import ControlledRunner

if TYPE_CHECKING:
    from polhode.runs.runners.runner import Runner

CHUNK_SECONDS = 0.2
"""How long machine code runs before Python looks at the clock, the progress bar and Ctrl-C."""


class Run:
    """One run: where it is, and where its rows and checkpoints go."""

    def __init__(
        self,
        runner: "Runner",
        n: int,
        every: int,
        survey: Survey | None = None,
        out: Path | None = None,
        checkpoint: Path | None = None,
    ) -> None:
        self.runner, self.n, self.every, self.survey = runner, n, every, survey
        self.done, self.row, self.left, self.iterations, self.seconds = 0, 0, every, 0, 0.0
        self.checkpoint, self.message, self.interrupted = checkpoint, "", False
        self.resumed_at: int | None = None
        self._looking = Looking(runner, survey) if survey is not None and survey.invariants else None
        saved = None
        if checkpoint is not None:
            _check_apart(out, checkpoint)
            checkpoints.check_place(checkpoint)
            self.description = checkpoints.description(runner.problem, runner, n, every, survey, out is not None)
            saved = checkpoints.read(checkpoint, self.description)
        if saved is not None:
            self._restore(saved, out is not None)
        self.rows = RowsInMemory(self, saved) if out is None else RowsInFile(self, out, saved)

    def go(self, checkpoint_every: float, tick: Callable[[int], None]) -> None:
        """Take the steps that remain."""
        try:
            self._go(checkpoint_every, tick)
        except BaseException:
            self.rows.close()  # a file stays as it is: it says that the run did not end
            raise

    def _go(self, checkpoint_every: float, tick: Callable[[int], None]) -> None:
        chunk = 4096 if self.runner.is_compiled else 16
        if isinstance(self.runner, ControlledRunner):
            self.runner.prepare(self.n)  # compiling is no part of the time that the steps take
        saved = time.perf_counter()
        if self._is_short(chunk):
            self._advance(self.n)
            self.seconds = time.perf_counter() - saved
            tick(self.done)
        else:
            self._in_pieces(chunk, saved, checkpoint_every, tick)
        if self.done == self.n and self.left != self.every:  # the last state is kept whatever save_every is
            self.rows.last()
            self.left = self.every

    def _in_pieces(self, chunk: int, saved: float, checkpoint_every: float, tick: Callable[[int], None]) -> None:
        with Interrupt() as interrupt:
            while self.done < self.n and not self.message and not self.runner.ended:
                size = min(chunk, self.n - self.done, self.rows.most_steps)
                clock = time.perf_counter()
                self._advance(size)
                now = time.perf_counter()
                self.seconds += now - clock
                tick(self.done)
                self.rows.flush()
                if interrupt.seen and self.done == self.n:
                    self.interrupted = True  # this run is complete, but a caller with many of them must stop
                elif interrupt.seen and not self.message:
                    self._interrupted()
                if self.checkpoint is not None and now - saved >= checkpoint_every:
                    self.save()
                    saved = time.perf_counter()
                chunk = max(1, min(32 * chunk, int(chunk * CHUNK_SECONDS / max(now - clock, 1e-9))))

    def _is_short(self, chunk: int) -> bool:
        """Whether the run is one piece of machine code, over in an instant, with nothing to tidy up.

        A Ctrl-C is then left to Python: see ``Interrupt``.
        """
        short = self.runner.is_compiled and self.n <= min(chunk, self.rows.most_steps)
        return short and self.checkpoint is None and not self.done and isinstance(self.rows, RowsInMemory)

    def _advance(self, size: int) -> None:
        taker = self._looking or self.runner
        try:
            took, self.rows.at, self.left, its, error, _ = taker.advance(
                self.done, size, self.every, self.left, self.rows.table, self.rows.at
            )
        except KeyboardInterrupt:  # raised inside a user's function, or by a second Ctrl-C
            self._interrupted()
            self.checkpoint = None  # somewhere inside a piece: the checkpoint before it is the one to go on from
            return
        self.iterations += its
        self.done += took
        if self._looking is not None and self._looking.message:
            self.message = self._looking.message
            self.checkpoint = None  # not all looks until here are noted: as above
        elif took < size and not self.runner.ended:
            self.message = self.runner.failure(self.done, self.runner.t0 + self.done * self.runner.h, error)

    def _interrupted(self) -> None:
        self.interrupted = True
        more = "" if self.checkpoint is None else " Run the same again to go on from there."
        self.message = f"Interrupted at step {self.done} of {self.n}; what was computed until then is here.{more}"

    # ---- checkpoints --------------------------------------------------------------------------------

    def save(self) -> None:
        """Write a checkpoint, after the rows that it counts are on the disk."""
        assert self.checkpoint is not None
        arrays = {
            "counts": np.array([self.done, self.left, self.iterations]),
            "seconds": np.array(self.seconds),
            "state": np.array(self.runner.numbers()),
            **self.rows.secured(),
        }
        if self.survey:
            arrays["tally"] = self.survey.tally
        if isinstance(self.runner, ControlledRunner):
            arrays |= {"held": np.array(self.runner.held, dtype=float), "looks": np.array(self.runner.looks)}
        why = checkpoints.state_fault(self.runner, arrays["state"], self.done)
        if why:  # the fault of a user's method: better said now than when the run is to go on
            raise InputError(f"No checkpoint can be made of step {self.done} of {self.runner.name}: {why}.")
        checkpoints.write(self.checkpoint, self.description, **arrays)

    def _restore(self, saved: dict[str, Any], streamed: bool) -> None:
        why = checkpoints.fault(self, saved, streamed)
        if why:
            raise checkpoints.refused(self.checkpoint, why)
        self.done, self.left, self.iterations = saved["counts"].tolist()
        self.resumed_at = self.done
        self.seconds = float(saved["seconds"])
        self.runner.restore(saved["state"].tolist())
        if isinstance(self.runner, ControlledRunner):
            self.runner.recall(saved["held"], saved["looks"])
        self.row = int(saved["rows"]) if streamed else len(saved["rows"])
        if self.survey:
            self.survey.tally[:] = saved["tally"]

    # ---- the result ---------------------------------------------------------------------------------

    def times(self, first: int, last: int) -> np.ndarray:
        """The times of rows `first` to `last`, the start being row 0."""
        return times_of(self.runner.t0, self.runner.h, self.every, self.n, first, last)

    def trajectory(self, integrator: Any = None) -> Trajectory:
        """What was computed, and how it went; `integrator` is what takes the steps."""
        runner = self.runner
        stats = counts(self)
        stats["largest_turn"] = abs(runner.h) * self.rows.fastest()
        if runner.law:
            stats["law"] = runner.law
        if self.resumed_at is not None:
            stats["resumed_at"] = self.resumed_at
        try:
            if self.checkpoint is not None:
                self.save()
            columns = self.rows.finished(stats)
        finally:
            self.rows.close()
        problem = runner.as_driven()
        facts = {
            "problem": problem,
            "method": runner.name,
            "h": runner.h,
            "stats": stats,
            "success": not self.message,
            "message": self.message,
            "problem_name": problem.name,
            "reductions": self.survey.results(runner.t0, runner.h) if self.survey else {},
            "inertia": problem.inertia,
            "exception": runner.raised or (self._looking and self._looking.raised),
            "events": {},
            "integrator": integrator,
            "error_estimate": None,
            "potential_then": potential_now(problem),
        }
        return Trajectory.of_run(facts | columns)


def _check_apart(out: Path | None, checkpoint: Path) -> None:
    if out is not None and places.target(out, "out") == places.target(checkpoint, "checkpoint"):
        raise InputError(f"out and checkpoint are both {places.shown(out)}. Give two files.")
