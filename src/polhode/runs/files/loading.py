"""Trajectories and ensembles read from files."""

import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode import inputs
from polhode.errors import FileError, InputError, one_line
from polhode.runs.between_steps.dense import joined
from polhode.runs.ensemble import saved
from polhode.runs.files import netcdf_reading, places
from polhode.runs.results.filed import FORMAT
from polhode.runs.results.trajectory import FILED, SAVED, Crossings, Trajectory

if TYPE_CHECKING:
    from polhode.integrators.lookup import Integrator
    from polhode.physics.problem import Problem


@inputs.checked_call
def load(
    path: str | os.PathLike[str], problem: "str | Problem | None" = None, method: "str | Integrator | None" = None
) -> Any:
    """Read a trajectory that `Trajectory.save` or a run with `out` wrote, or an ensemble that `Ensemble.save` wrote.

    If the run did not end, or the file is damaged or cut, the rows that match their checksums are read; success is then
    False, and the message says how many rows of how many are there.

    Parameters
    ----------
    path : path
        The file.
    problem : Problem or str
        the problem that was solved. A file holds no functions: without the problem there are no states between those
        kept (`s(t)`, `at`), and no torque, so no `rotation_increments`. It is checked: it must lead from the first
        state of the file to the second
    method : str, Method, callable or BlackBox
        what took the steps, where it is no method of the catalogue

    Returns
    -------
    Trajectory or Ensemble
        What was saved.

    Raises
    ------
    FileError
        No such file, or nothing in it can be trusted.

    Examples
    --------
    >>> import tempfile, os
    >>> import polhode as ph
    >>> s = ph.solve("free-body", "VLV", h=0.1, n_steps=10)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = s.save(os.path.join(folder, "run.nc"))
    ...     again = ph.load(path)
    >>> bool((again.Q == s.Q).all())
    True
    """
    data = _dataset(path)
    if data.attrs.get("format") == saved.FORMAT:
        if problem is not None or method is not None:
            raise InputError(f"{path} holds an ensemble; a problem and a method go with the file of one trajectory.")
        return _made(path, saved.SavedEnsemble.of, data)
    if data.attrs.get("format") != FORMAT:
        raise FileError(f"{path} is netCDF, but not a trajectory written by polhode: its format mark is missing.")
    needed = {"t", "Q", "Omega", "momentum", "method", "h", "stats", "success", "message", "problem"}
    missing = sorted(needed - set(data.variables) - set(data.attrs))
    if missing:
        raise FileError(f"{path} is not a whole trajectory: {', '.join(missing)} is missing.")
    read = _made(path, _trajectory, data)
    return read if problem is None and method is None else joined(read, problem, method)


def _made(path: Any, make: Callable[[Any], Any], data: Any) -> Any:
    """What a file holds; a sentence where an attribute is not what it was."""
    try:
        return make(data)
    except InputError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise FileError(f"{path} is damaged: what it holds cannot be read ({one_line(error)}).") from error


def _trajectory(data: Any) -> Trajectory:
    return Trajectory(
        problem=None,
        method=data.attrs["method"],
        h=float(data.attrs["h"]),
        t=data["t"].values,
        Q=data["Q"].values,
        Omega=data["Omega"].values,
        stats=json.loads(data.attrs["stats"]),
        success=bool(data.attrs["success"]),
        message=str(data.attrs["message"]).rstrip(),
        problem_name=data.attrs["problem"],
        saved={k: data[k].values for k in SAVED if k in data} | _invariants(data),
        inertia=_inertia(data.attrs.get("inertia")),
        events=_events(data),
    )


def _invariants(data: Any) -> dict[str, np.ndarray]:
    """The invariants that a file keeps."""
    names = json.loads(data.attrs.get("invariants", "{}"))
    return {f"{FILED}{name}": data[label].values for name, label in names.items()}


def _events(data: Any) -> dict[str, Crossings]:
    """The crossings of events that a file keeps, by name."""
    names = json.loads(data.attrs.get("events", "[]"))
    tables = (data[f"event_{i}"].values if f"event_{i}" in data else np.empty((0, 14)) for i in range(len(names)))
    return {name: Crossings.of(table) for name, table in zip(names, tables)}


def _dataset(path: Any) -> Any:
    """The Dataset of a file; where a run wrote it, only what matches its checksums."""
    import xarray

    place = places.named(path)
    path = places.shown(path)
    try:
        if not place.exists():
            raise FileError(f"There is no file {path}.")
        if not place.is_file():
            raise FileError(f"{path} is not a trajectory: it is a folder or a device, not a file.")
        data = netcdf_reading.read(place)
        if data is None:
            with xarray.open_dataset(place, engine="netcdf4") as data:
                data.load()
    except FileError:
        raise
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError) as error:
        # RuntimeError: a checksum inside netCDF; AttributeError: an attribute that netCDF cannot open
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise FileError(f"{path} is not a trajectory: it cannot be read as netCDF ({reason}).") from error
    return data


def _inertia(numbers: Any) -> np.ndarray | None:
    """Moments or tensor, from the numbers in a file; None if there are none."""
    if numbers is None:
        return None
    numbers = np.array(numbers, dtype=float)
    return numbers.reshape(3, 3) if numbers.size == 9 else numbers
