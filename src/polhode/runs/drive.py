"""Driving the loop: in pieces of a fraction of a second, so that a run of any length can be watched, stopped,
written down as it goes, and continued after a kill.

A run is the same whichever way it is cut into pieces: the loop takes its whole state in and gives it out, and a
time is always t0 + i h. So a run continued from a checkpoint ends bit for bit where it would have ended.
"""

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import check_memory, warn
from polhode.runs import checkpoint as checkpoints
from polhode.runs import netcdf_header, places, turns
from polhode.runs.columns import Columns, times_of
from polhode.runs.controlled_runner import ControlledRunner
from polhode.runs.energies import energies, momenta
from polhode.runs.netcdf import Store
from polhode.runs.reductions import Survey
from polhode.runs.trajectory import FORMAT, Trajectory
from polhode.runs.users_axes import ROW

if TYPE_CHECKING:
    from polhode.runs.runner import Runner

CHUNK_SECONDS = 0.2
"""How long machine code runs before Python looks at the clock, the progress bar and Ctrl-C."""

BUFFER = 16_384
"""Rows held in memory between writes to a file."""


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
        saved = None
        if checkpoint is not None:
            _check_apart(out, checkpoint)
            checkpoints.check_place(checkpoint)
            self.description = checkpoints.description(runner.problem, runner, n, every, survey, out is not None)
            saved = checkpoints.read(checkpoint, self.description)
        if saved is not None:
            self._restore(saved, out is not None)
        self.rows = _Kept(self, saved) if out is None else _Streamed(self, out, saved)

    def go(self, checkpoint_every: float, tick: Callable[[int], None]) -> None:
        """Take the steps that remain."""
        try:
            self._go(checkpoint_every, tick)
        except BaseException:
            self.rows.close()  # as it is: it says that the run did not end
            raise

    def _go(self, checkpoint_every: float, tick: Callable[[int], None]) -> None:
        chunk = 4096 if self.runner.is_compiled else 16
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
                    self.interrupted = True  # complete, but who makes many short runs has to know
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
        return short and self.checkpoint is None and not self.done and isinstance(self.rows, _Kept)

    def _advance(self, size: int) -> None:
        try:
            took, self.rows.at, self.left, its, error, _ = self.runner.advance(
                self.done, size, self.every, self.left, self.rows.table, self.rows.at
            )
        except KeyboardInterrupt:  # raised inside a user's function, or by a second Ctrl-C
            self._interrupted()
            self.checkpoint = None  # somewhere inside a piece: the checkpoint before it is the one to go on from
            return
        self.iterations += its
        self.done += took
        if took < size and not self.runner.ended:
            self.message = self.runner.failure(self.done, self.runner.t0 + self.done * self.runner.h, error)

    def _interrupted(self) -> None:
        self.interrupted = True
        more = "" if self.checkpoint is None else " Run the same again to go on from there."
        self.message = f"Interrupted at step {self.done} of {self.n}; what was computed until then is here.{more}"

    # ---- checkpoints --------------------------------------------------------------------------------

    def save(self) -> None:
        """Write a checkpoint; what it counts on is on the disk before."""
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
        if why:  # by a method of one's own: better said now than when the run is to go on
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
        stats = {
            "n_steps": self.done,
            "n_torque": runner.torques(self.done, self.iterations),
            "n_iterations": self.iterations,
            "compiled": runner.is_compiled,
            "interrupted": self.interrupted,
            "wall_time": self.seconds,
            "largest_turn": abs(runner.h) * self.rows.fastest(),
        }
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
            "exception": runner.raised,
            "events": {},
            "integrator": integrator,
            "error_estimate": None,
        }
        return Trajectory.of_run(facts | columns)


class _Kept:
    """Rows in memory: all of them, allocated at once."""

    def __init__(self, run: Run, saved: dict[str, Any] | None) -> None:
        self._runner, self._n, self._every = run.runner, run.n, run.every
        n, every = run.n, run.every
        check_memory(8 * (run.runner.width + 13), n, every, " Or write them to a file as they come: out=.")
        self.table = np.empty((n // every + (1 if n % every else 0), run.runner.width))
        self.most_steps = n
        self.at = run.row
        if saved is not None:
            self.table[: self.at] = saved["rows"]

    def flush(self) -> None:
        """Nothing to do: the rows are where they stay."""

    def close(self) -> None:
        """Nothing to do."""

    def last(self) -> None:
        """Keep the last state."""
        self.table[self.at] = self._runner.row()
        self.at += 1

    def secured(self) -> dict[str, np.ndarray]:
        """The rows go into the checkpoint."""
        return {"rows": self.table[: self.at]}

    def fastest(self) -> float:
        """The largest |Omega| of all rows, with the start."""
        runner, rows = self._runner, self.table[: self.at]
        if runner.width == ROW:  # q, Pi: columns wait until they are looked at
            late = Columns(runner.problem, rows, (runner.t0, runner.h, self._every, self._n))
            self._columns: dict[str, Any] = {"columns_of_run": late}
            return late.fastest()
        start, (Q, Omega) = runner.problem, runner.in_users_axes(rows)
        self._columns = {
            "t": times_of(runner.t0, runner.h, self._every, self._n, 0, self.at),
            "Q": np.concatenate([start.Q0[None], Q]),
            "Omega": np.concatenate([start.Omega0[None], Omega]),
        }
        return turns.fastest(self._columns["Omega"])

    def finished(self, stats: dict[str, Any]) -> dict[str, Any]:
        """Time, attitudes and velocities, or what makes them; after `fastest`."""
        return {**self._columns, "saved": {}}


class _Streamed:
    """Rows on the disk: a buffer here, the rest in a netCDF file. The start is the first row of the file."""

    def __init__(self, run: Run, path: Path, saved: dict[str, Any] | None) -> None:
        self.run = run
        runner = run.runner
        self.problem = runner.problem
        attributes = {
            "format": FORMAT,
            "method": runner.name,
            "problem": self.problem.name,
            "h": runner.h,
            "inertia": self.problem.inertia.ravel(),
        }
        wheels = self.problem.internal.wheels
        if wheels is not None:
            attributes |= {"wheel_axes": wheels.axes.ravel(), "wheel_inertia": wheels.inertia}
        planned = 1 + -(-run.n // run.every)
        if planned >= 2**31:
            raise InputError(f"{planned} rows do not fit in one file (at most 2^31 - 1): raise save_every.")
        digest = None if saved is None else int(saved["digest"])
        self._wheels = wheels
        fields = netcdf_header.fields(self.problem.has_energy, 0 if wheels is None else len(wheels.each))
        self.store = Store(path, attributes, fields, planned, run.row, digest)
        self.table = np.empty((min(BUFFER, run.n // run.every + 1) + 1, runner.width))
        self.most_steps = (len(self.table) - 1) * run.every
        self.at, self._fastest = 0, turns.fastest(self.store.columns()["Omega"]) if self.store.rows else 0.0
        if self.store.rows == 0:
            self._append(run.times(0, 0), self.problem.Q0[None], self.problem.Omega0[None])

    def flush(self) -> None:
        """Write the buffer to the file."""
        if self.at:
            at = self.store.rows
            self._append(self.run.times(at, at + self.at - 1), *self.run.runner.in_users_axes(self.table[: self.at]))
            self.at = 0

    def last(self) -> None:
        """Write the last state."""
        self.table[0] = self.run.runner.row()
        self.at = 1
        self.flush()

    def fastest(self) -> float:
        """The largest |Omega| of all rows."""
        return self._fastest

    def secured(self) -> dict[str, np.ndarray]:
        """The rows are on the disk; the checkpoint holds their number and a checksum."""
        self.store.sync()
        return {"rows": np.array(self.store.rows), "digest": np.array(self.store.digest())}

    def finished(self, stats: dict[str, Any]) -> dict[str, Any]:
        """Columns that read from the file where they are looked at."""
        stats["file"] = str(self.store.path)
        if not self.store.finish(self.run.message, stats, not self.run.message):
            stats["file"] = None
            warn(
                f"{self.store.path} was replaced or removed by somebody else while the run went on, and does not hold "
                "it. The Trajectory still does: save it under another name."
            )
        columns = self.store.columns()
        if self._wheels is not None:
            columns |= {"wheel_axes": self._wheels.axes, "wheel_inertia": self._wheels.inertia}
        states = {name: columns.pop(name) for name in ("t", "Q", "Omega")}
        return {**states, "saved": columns}

    def close(self) -> None:
        """Leave the file as it is."""
        self.store.close()

    def _append(self, t: np.ndarray, Q: np.ndarray, Omega: np.ndarray) -> None:
        self._fastest = max(self._fastest, turns.fastest(Omega))
        problem = self.run.runner.as_driven()
        columns = {"t": t, "Q": Q, "Omega": Omega, "momentum": momenta(problem, t, Q, Omega)}
        if problem.has_energy:
            columns["energy"] = energies(problem, Q, Omega, t)
        if problem.internal.wheels is not None:
            columns["wheel_speeds"] = problem.internal.wheels.speeds(t, Omega)
        self.store.append(**columns)


def _check_apart(out: Path | None, checkpoint: Path) -> None:
    if out is not None and places.target(out, "out") == places.target(checkpoint, "checkpoint"):
        raise InputError(f"out and checkpoint are both {places.shown(out)}. Give two files.")


class Interrupt:
    """Notes a first Ctrl-C, so that it takes effect between two pieces; a second one is raised at once.

    What is over in an instant leaves it to Python, which raises it there and then: to ask for it costs 10 us.
    """

    def __init__(self, leave: bool = False) -> None:
        self.seen, self._leave = False, leave

    def __enter__(self) -> "Interrupt":
        self._ours = not self._leave and threading.current_thread() is threading.main_thread()
        if self._ours:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        self.seen = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *exception: Any) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, self._before or signal.SIG_DFL)  # None: not set from Python
