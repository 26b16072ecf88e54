"""Where the rows of a run go: into memory, or into a netCDF file as they come."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import check_memory, warn
from polhode.runs import turns
from polhode.runs.files import netcdf_header
from polhode.runs.files.netcdf import Store
from polhode.runs.results.columns import MADE_BY, Columns, times_of
from polhode.runs.results.energies import energies, momenta
from polhode.runs.results.filed import FORMAT
from polhode.runs.results.users_axes import ROW

if TYPE_CHECKING:
    from polhode.runs.drive import Run

BUFFERED_ROWS = 16_384
"""Rows held in memory between writes to a file."""


class RowsInMemory:
    """Rows in memory, in one table for the whole run."""

    def __init__(self, run: "Run", saved: dict[str, Any] | None) -> None:
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
            self._columns: dict[str, Any] = {MADE_BY: (late.field,)}
            return late.fastest()
        start, (Q, Omega) = runner.problem, runner.in_users_axes(rows)
        self._columns = {
            "t": times_of(runner.t0, runner.h, self._every, self._n, 0, self.at),
            "Q": np.concatenate([start.Q0[None], Q]),
            "Omega": np.concatenate([start.Omega0[None], Omega]),
        }
        return turns.fastest(self._columns["Omega"])

    def finished(self, stats: dict[str, Any]) -> dict[str, Any]:
        """Time, attitudes and velocities, or what makes them; `fastest` must have been called."""
        return {**self._columns, "saved": {}}


class RowsInFile:
    """Rows on the disk: a buffer here, the rest in a netCDF file. The start is the first row of the file."""

    def __init__(self, run: "Run", path: Path, saved: dict[str, Any] | None) -> None:
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
        self.table = np.empty((min(BUFFERED_ROWS, run.n // run.every + 1) + 1, runner.width))
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
        """Columns that are read from the file when they are looked at."""
        stats["file"] = str(self.store.path)
        if not self.store.finish(self.run.message, stats, not self.run.message):
            stats["file"] = None
            warn(
                f"{self.store.path} was replaced or removed by somebody else during the run, and does not hold it. The "
                "Trajectory still does: save it under another name."
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
