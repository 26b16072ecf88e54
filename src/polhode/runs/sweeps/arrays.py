"""The Zarr arrays of a sweep: those of the result, and what the axes give to the bodies, as coordinates.

Coordinates that the user gave as numbers are stored with the plan. Those that are drawn follow from seed and index, so
that the task of a chunk draws and stores its own: no single process makes ten million draws.
"""

import contextlib
import functools
import hashlib
import importlib
import pathlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import FileError, InputError
from polhode.physics.problem import Problem
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

COMPRESSOR: dict[str, Any] = {"name": "zstd", "configuration": {"level": 0, "checksum": False}}
"""How chunks are compressed, as Zarr (version 3) writes it down."""


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
    """Make all arrays, empty, and fill in the times and the coordinates that were given; leave those that are whole."""
    group = needs("zarr").open_group(str(path), mode="a", zarr_format=3)
    grid, times = plan.grid, plan.times()
    samples = 0 if times is None else len(times)
    for name, v in plan.kept.variables(samples).items():
        dims, shape, chunks = (*grid.names, *v.dims), (*grid.shape, *v.shape), (*plan.chunks, *v.shape)
        about = {"flags": "; ".join(f"{k} {words}" for k, words in STATUS.items())} if name == "status" else {}
        _array(group, name, dims, shape, chunks, dtype=v.dtype, fill=v.empty, about=about)
    if times is not None:
        _array(group, "t", ("t",), times.shape, times.shape, numbers=times)
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
    name, shape = coordinate_name(plan.problem, axis, data), (axis.length, *rest)
    _array(group, name, dims, shape, chunks, about={"given": 1}, numbers=None if drawn else numbers)


def _array(
    group: Any,
    name: str,
    dims: Any,
    shape: Any,
    chunks: Any,
    *,
    dtype: str = "f8",
    fill: float = np.nan,
    about: dict[str, Any] | None = None,
    numbers: np.ndarray | None = None,
) -> None:
    """Make an array, with its numbers if it has them already; one that is there and is right is left alone."""
    if _is_right(group, name, tuple(shape), numbers):
        return
    array = group.create_array(
        name,
        shape=shape,
        chunks=tuple(max(1, c) for c in chunks),
        dtype=dtype,
        fill_value=fill,
        compressors=[COMPRESSOR],
        dimension_names=dims,
        chunk_key_encoding={"name": "default", "separator": "."},  # files, no folders: to make those takes longer
        overwrite=True,
    )
    if about:
        array.attrs.update(about)
    if numbers is not None:
        array[...] = numbers


def _is_right(group: Any, name: str, shape: tuple[int, ...], numbers: np.ndarray | None) -> bool:
    """Whether an array is there, in its shape and with its numbers; it may have been removed or damaged."""
    try:
        array = group[name]
        return array.shape == shape and (numbers is None or np.array_equal(array[...], numbers, equal_nan=True))
    except Exception:  # whatever Zarr raises when it is not there or cannot be read
        return False


def coordinate_name(problem: Problem, axis: Axis, data: str) -> str:
    """The name of a coordinate; xarray refuses an array of several dimensions with the name of one of them."""
    fields = problem.fields
    shapes = {} if fields is None else dict(zip(fields.names, fields.shapes))
    several = data in DATA or bool(shapes.get(data))
    return f"{data}_values" if several and data == axis.name else data


# ---- what a task writes -------------------------------------------------------------------------------


def write(path: pathlib.Path, plan: Plan, index: int, values: dict[str, np.ndarray]) -> dict[str, str]:
    """Store the variables of a chunk and what was drawn for it, `status` last; returns {file: checksum}."""
    stored = _opened(str(path), (path / ".polhode" / "plan.json").stat().st_mtime_ns)
    block, places = plan.block(index), plan.places(index)
    sums: dict[str, str] = {}
    for k, data in _drawn(plan, index):
        axis = plan.grid.axes[k]
        name = coordinate_name(plan.problem, axis, data)
        sums |= _stored(path, stored[name], name, places[k : k + 1], axis.part(data, block[k]))
    for name in (*(n for n in values if n != "status"), "status"):
        sums |= _stored(path, stored[name], name, places, values[name])
    return sums


def names(plan: Plan, index: int) -> set[str]:
    """The names of the arrays to which the task of a chunk writes."""
    drawn = {coordinate_name(plan.problem, plan.grid.axes[k], data) for k, data in _drawn(plan, index)}
    return drawn | set(plan.kept.variables(1))


def checksum(content: bytes) -> str:
    """The checksum of the content of a file."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _drawn(plan: Plan, index: int) -> Iterator[tuple[int, str]]:
    """(axis, name) of all draws that a chunk stores; of chunks that share a stretch of an axis, the first does it."""
    places = plan.places(index)
    for k, axis in enumerate(plan.grid.axes):
        if not any(place for j, place in enumerate(places) if j != k):
            yield from ((k, data) for data, values in axis.values.items() if isinstance(values, Draws))


@dataclass(frozen=True)
class Stored:
    """What an array of the store says of its chunks."""

    chunk: tuple[int, ...]
    empty: Any
    compress: Callable[[np.ndarray], bytes]


@functools.lru_cache(maxsize=4)
def _opened(path: str, written: int) -> dict[str, Stored]:
    """The arrays of a store by name, read once in a process; `written` is when its plan was written."""
    zarr, numcodecs = needs("zarr"), needs("numcodecs")
    stored = {}
    for name, array in zarr.open_group(path, mode="r", zarr_format=3).arrays():
        if [codec.to_dict() for codec in array.compressors] != [COMPRESSOR]:
            raise FileError(f"The array {name} of {path} is compressed in another way than a sweep does it.")
        compress = numcodecs.Zstd(**COMPRESSOR["configuration"]).encode
        stored[name] = Stored(array.chunks, array.fill_value, compress)
    return stored


def _stored(
    path: pathlib.Path, array: Stored, name: str, places: tuple[int, ...], values: np.ndarray
) -> dict[str, str]:
    """Write the file of a chunk as Zarr does, filled up at the edge of the array; returns {file: checksum}.

    Zarr's own way goes through an event loop in another thread, several times for each array: most of a small task.
    """
    dtype = values.dtype.newbyteorder("<")
    whole = np.ascontiguousarray(values, dtype)
    if whole.shape != array.chunk:
        whole = np.full(array.chunk, array.empty, dtype)
        whole[tuple(map(slice, values.shape))] = values
    file = f"{name}/" + ".".join(("c", *map(str, places), *("0",) * (len(array.chunk) - len(places))))
    content = bytes(array.compress(whole))
    replace(path / file, content)
    return {file: checksum(content)}


def replace(file: pathlib.Path, content: bytes) -> None:
    """Write a file under another name and rename it: whoever reads finds the old one or the new one, never a part."""
    new = file.with_name(f".{file.name}.{secrets.token_hex(8)}.partial")
    try:
        new.write_bytes(content)
        new.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
        raise
