"""A trajectory as data: an xarray Dataset, a netCDF file, a table."""

import errno
import json
import os
import pathlib
import shutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.runs.files import places
from polhode.runs.files.tables import columns, described, is_csv, with_invariants, write_csv

FORMAT = "polhode trajectory"
"""The mark that says that a file is ours."""


class Filed:
    """Ways of a trajectory into files and tables, for the class that has its states."""

    if TYPE_CHECKING:
        method: str
        h: float
        t: np.ndarray
        Q: np.ndarray
        Omega: np.ndarray
        stats: dict[str, Any]
        success: bool
        message: str
        problem_name: str
        inertia: np.ndarray | None
        events: dict[str, Any]

        @property
        def energy(self) -> np.ndarray: ...

        @property
        def momentum(self) -> np.ndarray: ...

        @property
        def wheel_speeds(self) -> np.ndarray: ...

        @property
        def _wheels(self) -> tuple[np.ndarray, np.ndarray] | None: ...

        @property
        def _has_energy(self) -> bool: ...

        def _given_invariants(self) -> dict[str, np.ndarray]: ...

    def to_xarray(self, units: Any = None) -> Any:
        """An xarray Dataset with the states, energy (where there is one), momentum, the invariants that you gave the
        problem, and the run's data.

        Each variable says what it is (`long_name`) and its unit: `units` is "SI" or a dictionary of units by variable;
        without it units have no names, as in "unit of energy", since any consistent ones will do.
        """
        import xarray

        data: dict[str, Any] = {"Q": (("t", "space", "body"), self.Q), "Omega": (("t", "body"), self.Omega)}
        if self._has_energy:
            data["energy"] = ("t", self.energy)
        data["momentum"] = (("t", "space"), self.momentum)
        if self._wheels is not None:
            axes_of, inertia_of = self._wheels
            data["wheel_speeds"] = (("t", "wheel"), self.wheel_speeds)
            data["wheel_axes"] = (("wheel", "body"), axes_of)
            data["wheel_inertia"] = (("wheel",), inertia_of)
        attributes = {
            "format": FORMAT,
            "method": self.method,
            "problem": self.problem_name,
            "h": self.h,
            "success": int(self.success),
            "message": self.message,
            "stats": json.dumps(self.stats),
        }
        if self.inertia is not None:
            attributes["inertia"] = self.inertia.ravel()
        axes = list("xyz")
        dataset = xarray.Dataset(data, coords={"t": self.t, "space": axes, "body": axes}, attrs=attributes)
        events = (f"{what}_{i}" for what in ("event", "crossing") for i in range(len(self.events)))
        dataset = with_invariants(dataset, ("t",), self._given_invariants(), ("wheel", "event_column", *events))
        return described(dataset, units)

    def save(self, path: str | os.PathLike[str], units: Mapping[str, str] | None = None) -> pathlib.Path:
        """Write netCDF (.nc, .netcdf), which `polhode.load` and anything that reads netCDF reads back, or .csv.

        `units` as for `to_xarray`.
        """
        if is_csv(path):
            return self.to_csv(path)
        data = self.to_xarray(units).assign_attrs(complete=int(self.success), events=json.dumps(list(self.events)))
        for i, crossings in enumerate(self.events.values()):
            if len(crossings):  # a dimension of length zero is an endless one in netCDF
                data[f"event_{i}"] = ((f"crossing_{i}", "event_column"), crossings.table())
        checked = {k: {"fletcher32": True} for k in ("t", *data.data_vars)}  # checksums inside the file

        def write(new: pathlib.Path) -> None:
            try:
                data.to_netcdf(new, engine="netcdf4", encoding=checked)
            except (OSError, RuntimeError) as error:  # on a full disk the library names other reasons
                if shutil.disk_usage(new.parent).free < data.nbytes:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
                raise

        return written(path, write)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame, a row for each time: Q by rows, Omega, energy (where there is one), momentum, and the
        invariants that you gave the problem.
        """
        import pandas

        table = columns(self, self._has_energy, self._given_invariants())
        return pandas.DataFrame(table).set_index("t")

    def to_csv(self, path: str | os.PathLike[str]) -> pathlib.Path:
        """Write the table of `to_dataframe`, a row for each state."""
        table = columns(self, self._has_energy, self._given_invariants())
        return written(path, lambda new: write_csv(new, table))


def written(path: Any, write: Callable[[pathlib.Path], Any]) -> pathlib.Path:
    """Let `write` make a file, and put it in its place when it is whole."""
    place = places.target(path)
    places.tidy(place)
    try:
        with places.replacing(place) as new:  # perhaps it is the very file that this trajectory reads from
            write(new)
    except (OSError, RuntimeError) as error:
        advice = "Check the folder, its permissions and its space; the trajectory is still in memory."
        raise places.unwritable(places.shown(path), error, advice) from error
    return pathlib.Path(path)
