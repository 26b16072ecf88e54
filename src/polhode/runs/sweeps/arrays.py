"""The Zarr arrays of a sweep: those of the result, and what the axes give to the bodies, as coordinates.

Coordinates that the user gave as numbers are stored with the plan. Those that are drawn follow from seed and index, so
that the task of a chunk draws and stores its own: no single process makes ten million draws.
"""

import functools
import hashlib
import importlib
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.runs.sweeps.axes import DATA, Axis
from polhode.runs.sweeps.draws import Draws
from polhode.runs.sweeps.plan import Plan

STATUS = {-1: "not computed yet", 0: "done", 1: "failed", 2: "could not start"}
COMPONENTS = {
    ("Q0", 2): ("space", "body_axis"),
    ("Omega0", 1): ("body_axis",),
    ("Pi0", 1): ("body_axis",),
    ("inertia", 1): ("body_axis",),
}
MOST_IN_A_CHUNK = 65536
"""Numbers of a coordinate that the user gave."""


def needs(module: str) -> Any:
    """A package of the extra `polhode[sweeps]`."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(
            f"A sweep stores its result by {module}, which is not installed: pip install 'polhode[sweeps]'."
        ) from None


# ---- making them --------------------------------------------------------------------------------------


def create(path: pathlib.Path, plan: Plan) -> None:
    """Make all arrays, empty, and fill in the times and the coordinates that were given."""
    group = needs("zarr").open_group(str(path), mode="a", zarr_format=3)
    grid, times = plan.grid, plan.times()
    samples = 0 if times is None else len(times)
    for name, v in plan.kept.variables(samples).items():
        dims, shape, chunks = (*grid.names, *v.dims), (*grid.shape, *v.shape), (*plan.chunks, *v.shape)
        _array(group, name, dims, shape, chunks, v.dtype, v.empty)
    group["status"].attrs["flags"] = "; ".join(f"{k} {words}" for k, words in STATUS.items())
    if times is not None:
        _array(group, "t", ("t",), times.shape, times.shape, "f8", np.nan)[...] = times
    for axis, chunk in zip(grid.axes, plan.chunks):
        for data in axis.values:
            if data != "method":  # their names are in the plan: Zarr has no text that all readers share
                _coordinate(group, plan, axis, data, chunk)


def _coordinate(group: Any, plan: Plan, axis: Axis, data: str, chunk: int) -> None:
    """Make the array of what an axis gives to the bodies; fill it, unless the tasks will draw its numbers."""
    values = axis.values[data]
    drawn = isinstance(values, Draws)
    numbers = values.values(data, 0, 1) if drawn else np.asarray(values, float)
    rest = numbers.shape[1:]
    dims = (axis.name, *COMPONENTS.get((data, len(rest)), (f"{data}_{k}" for k in range(len(rest)))))
    chunks = (chunk if drawn else min(MOST_IN_A_CHUNK, axis.length), *rest)
    array = _array(group, _name(plan, axis, data), dims, (axis.length, *rest), chunks, "f8", np.nan)
    array.attrs["given"] = 1
    if not drawn:
        array[...] = numbers


def _array(group: Any, name: str, dims: Any, shape: Any, chunks: Any, dtype: str, fill: float) -> Any:
    chunks = tuple(max(1, c) for c in chunks)
    return group.create_array(
        name,
        shape=shape,
        chunks=chunks,
        dtype=dtype,
        fill_value=fill,
        dimension_names=dims,
        chunk_key_encoding={"name": "default", "separator": "."},  # files, no folders: to make those takes longer
        overwrite=True,
    )


def _name(plan: Plan, axis: Axis, data: str) -> str:
    """The name of a coordinate; xarray refuses an array of several dimensions with the name of one of them."""
    fields = plan.problem.fields
    shapes = {} if fields is None else dict(zip(fields.names, fields.shapes))
    several = data in DATA or bool(shapes.get(data))
    return f"{data}_values" if several and data == axis.name else data


# ---- what a task writes -------------------------------------------------------------------------------


def write(path: pathlib.Path, plan: Plan, index: int, values: dict[str, np.ndarray]) -> dict[str, str]:
    """Store the variables of a chunk and what was drawn for it, `status` last; returns {file: checksum}."""
    stored = _opened(str(path), (path / ".polhode" / "plan.json").stat().st_mtime_ns)
    block, counts = plan.block(index), plan.counts
    places = tuple(int(k) for k in np.unravel_index(index, counts))
    sums: dict[str, str] = {}
    for k, data in _drawn(plan, index):
        axis = plan.grid.axes[k]
        name = _name(plan, axis, data)
        stored[name][block[k]] = axis.part(data, block[k])
        sums |= _summed(path, stored[name], name, places[k : k + 1])
    for name in (*(n for n in values if n != "status"), "status"):
        stored[name][block] = values[name]
        sums |= _summed(path, stored[name], name, places)
    return sums


def names(plan: Plan, index: int) -> set[str]:
    """The names of the arrays to which the task of a chunk writes."""
    drawn = {_name(plan, plan.grid.axes[k], data) for k, data in _drawn(plan, index)}
    return drawn | set(plan.kept.variables(1))


def checksum(file: pathlib.Path) -> str:
    """The checksum of a file."""
    return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()


def _drawn(plan: Plan, index: int) -> Iterator[tuple[int, str]]:
    """(axis, name) of all draws that a chunk stores; of chunks that share a stretch of an axis, the first does it."""
    places = np.unravel_index(index, plan.counts)
    for k, axis in enumerate(plan.grid.axes):
        if not any(place for j, place in enumerate(places) if j != k):
            yield from ((k, data) for data, values in axis.values.items() if isinstance(values, Draws))


@functools.lru_cache(maxsize=4)
def _opened(path: str, written: int) -> dict[str, Any]:
    """The arrays of a store by name, opened once in a process; `written` is when its plan was written."""
    zarr = needs("zarr")
    with zarr.config.set({"array.write_empty_chunks": True}):  # a file for every chunk, so that each has a checksum
        return dict(zarr.open_group(path, mode="r+", zarr_format=3).arrays())


def _summed(path: pathlib.Path, array: Any, name: str, places: tuple[int, ...]) -> dict[str, str]:
    """The file in which Zarr keeps a chunk of an array, and its checksum."""
    rest = array.ndim - len(places)
    file = f"{name}/" + ".".join(("c", *map(str, places), *("0",) * rest))
    return {file: checksum(path / file)}
