"""Rows of an ensemble that go to a file as they come: netCDF, as `Ensemble.save` writes it, in constant memory.

The file is made under another name in the same folder and takes its place when the run has ended, however it ended.
"""

import json
import pathlib
from typing import Any

import numpy as np

from polhode.runs.ensemble import saved
from polhode.runs.ensemble.invariants import invariant_of_bodies
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.files import places

COLUMNS = ("Q", "Omega", "energy", "momentum", "wheel_speeds")


class Stream:
    """The file of one run of bodies."""

    def __init__(self, path: Any, start: Ensemble) -> None:
        self.path, self._place = places.named(path, "out"), places.target(path, "out")
        places.tidy(self._place)
        self._new = places.beside(self._place)
        data = saved.dataset(start)
        data["success"] = data["success"].astype("i1")
        self._invariants: dict[str, str] = json.loads(data.attrs.get("invariants", "{}"))  # variables by name
        try:
            self._new.touch(exist_ok=False)
            data.to_netcdf(self._new, engine="netcdf4", unlimited_dims=["t"])
        except OSError as error:
            raise places.unwritable(places.shown(path), error) from error
        self._file = self._opened(self._new, "a")

    @staticmethod
    def _opened(path: pathlib.Path, mode: Any) -> Any:
        import netCDF4

        return netCDF4.Dataset(path, mode)

    def append(self, piece: Ensemble, alive: np.ndarray) -> None:
        """Write the rows of a piece behind its start; those of bodies that had failed, (rows, N), as NaN."""
        at, m = len(self._file.dimensions["t"]), len(piece.t) - 1
        self._file["t"][at : at + m] = piece.t[1:]
        for name in COLUMNS:
            if name in self._file.variables:
                rows = np.array(getattr(piece, name)[1:])
                rows[~alive] = np.nan
                self._file[name][at : at + m] = rows
        states = piece.t[1:], piece.Q[1:], piece.Omega[1:], alive
        for name, label in self._invariants.items():
            self._file[label][at : at + m] = invariant_of_bodies(piece.bodies, name, *states)

    def finish(self, e: Ensemble) -> None:
        """Write how it went, and put the file in its place."""
        self._file["success"][:] = e.success.astype("i1")
        words = {"message": e.message, "stats": json.dumps(e.stats), "messages": json.dumps(e.messages)}
        self._file.setncatts(words)
        self._file.close()
        places.sync(self._new)
        self._new.replace(self._place)
        places.sync_folder(self._place.parent)

    def discard(self) -> None:
        """Remove what was written, of a run that raised."""
        if self._file.isopen():
            self._file.close()
        self._new.unlink(missing_ok=True)

    def column(self, name: str) -> "InFile":
        """A column of the finished file, read when it is looked at."""
        return InFile(str(self._place), name)


class InFile:
    """An array (times, bodies, ...) that stays in a file; only what is looked at is read."""

    def __init__(self, path: str, name: str) -> None:
        self.path, self.name = path, name

    def _read(self, which: Any) -> np.ndarray:
        with Stream._opened(pathlib.Path(self.path), "r") as file:
            file.set_auto_mask(False)
            return np.asarray(file[self.name][which])

    def __getitem__(self, which: Any) -> np.ndarray:
        return self._read(which)

    def __len__(self) -> int:
        return int(self.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """(times, bodies, ...), as the file has it."""
        with Stream._opened(pathlib.Path(self.path), "r") as file:
            return tuple(file[self.name].shape)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self._read(slice(None)), dtype)
