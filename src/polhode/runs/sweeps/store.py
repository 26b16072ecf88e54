"""The store of a sweep: a Zarr group, one chunk of every variable for a task, and beside it what proves it whole.

    sweep.zarr/            the variables, which xarray and any other reader of Zarr (version 3) opens
    sweep.zarr/.polhode/   plan.json   what the sweep is, with its hash
                           plan        the problem and the methods, pickled: what a task unpacks
                           done/17     checksums of the files of chunk 17, and its failures; written last

A chunk counts as done when its note is there and the files have the checksums that it says. All is written under
another name and renamed, so a reader finds a file as it was or as it is.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import pickle
import secrets
import shutil
from collections.abc import Iterable
from typing import Any

import numpy as np

from polhode.errors import FileError, InputError
from polhode.runs import places
from polhode.runs.sweeps.axes import Axis
from polhode.runs.sweeps.draws import Draws
from polhode.runs.sweeps.plan import Plan, identity
from polhode.runs.workers import packed

STATUS = {-1: "not computed yet", 0: "done", 1: "failed", 2: "could not start"}
EMPTY_GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {}}
"""What makes the folder of notes a part of the hierarchy, of which readers of Zarr would warn otherwise."""

COMPONENTS = {
    ("Q0", 2): ("space", "body_axis"),
    ("Omega0", 1): ("body_axis",),
    ("Pi0", 1): ("body_axis",),
    ("inertia", 1): ("body_axis",),
}
TRIES = 3
MOST_TOLD = 1000
"""Failed bodies of a chunk whose sentences are kept; status and step are kept of all."""


def needs(module: str) -> Any:
    """A package of the extra `polhode[sweeps]`."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(
            f"A sweep stores its result by {module}, which is not installed: pip install 'polhode[sweeps]'."
        ) from None


def create(path: pathlib.Path, plan: Plan) -> None:
    """Make the store of a plan, or find that it is there already; that of another plan is refused."""
    needs("cloudpickle"), needs("zarr"), needs("xarray")
    about = plan.described()
    travelling = packed("The problem or a method", plan)
    try:
        if (path / ".polhode" / "plan.json").exists():
            _check_same(path, about)
            return
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise FileError(f"{places.shown(path)} is there and is not the store of a sweep. Give another name as out.")
        if path.exists() and path.samefile(os.curdir):
            raise FileError("out is the folder in which you are. Give the name of a new one, out='sweep.zarr'.")
        path.parent.mkdir(parents=True, exist_ok=True)
        places.tidy(path)
        new = places.beside(path)  # renamed when it is whole: a store is there or is not, whoever else makes it
        try:
            (new / ".polhode" / "done").mkdir(parents=True)
            _arrays(new, plan)
            _replace(new / ".polhode" / "plan", travelling)
            _replace(new / ".polhode" / "plan.json", json.dumps({"hash": identity(about), **about}, indent=1).encode())
            _rename(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise places.unwritable(f"The store {places.shown(path)}", error) from error
    _check_same(path, about)


def _rename(new: pathlib.Path, path: pathlib.Path) -> None:
    """Give a new store its name, unless another has made it in the meantime."""
    try:
        if os.name != "posix" and path.exists():  # elsewhere a folder takes the place of none, not even an empty one
            path.rmdir()
        new.rename(path)
    except OSError:
        if not (path / ".polhode" / "plan.json").exists():
            raise


def plan_of(path: pathlib.Path) -> Plan:
    """The plan of a store, as it was: what its functions have become since is noticed."""
    try:
        stored = (path / ".polhode" / "plan").read_bytes()
        about = json.loads((path / ".polhode" / "plan.json").read_bytes())
    except (OSError, ValueError) as error:
        raise FileError(
            f"{places.shown(path)} is not the store of a sweep, or its plan is damaged: {error}."
        ) from error
    try:
        plan = pickle.loads(stored)
    except Exception as error:  # a module that is not there, another version, damage
        raise FileError(
            f"The plan of {places.shown(path)} cannot be unpacked here: {type(error).__name__}: {error}. Modules that "
            "hold its functions must be importable, with the versions that the plan names."
        ) from error
    _check_same(path, plan.described(), about)
    return plan


def write(path: pathlib.Path, plan: Plan, index: int, values: dict[str, np.ndarray], failures: list[Any]) -> None:
    """Store a chunk, and last the note that says so."""
    for left in reversed(range(TRIES)):
        try:
            return _write(path, plan, index, values, failures)
        except FileNotFoundError:  # another sweep of the same store was done, and tidied up
            if not left or not (path / ".polhode" / "plan.json").exists():
                raise


def _write(path: pathlib.Path, plan: Plan, index: int, values: dict[str, np.ndarray], failures: list[Any]) -> None:
    zarr = needs("zarr")
    block = plan.block(index)
    group = zarr.open_group(str(path), mode="r+", zarr_format=3)
    sums = {}
    for name in (*(n for n in values if n != "status"), "status"):
        with zarr.config.set({"array.write_empty_chunks": True}):  # a file for every chunk, so that each has a checksum
            group[name][block] = values[name]
        sums[name] = _checksum(_file(path, plan, name, index))
    note = {"checksums": sums, "failures": failures[:MOST_TOLD], "failed": len(failures)}
    _replace(path / ".polhode" / "done" / str(index), json.dumps(note, sort_keys=True).encode())


def is_done(path: pathlib.Path, plan: Plan, index: int) -> bool:
    """Whether a chunk is there and whole."""
    note = note_of(path, index)
    if note is None:
        return False
    try:
        return all(_checksum(_file(path, plan, name, index)) == sum_ for name, sum_ in note["checksums"].items())
    except (OSError, KeyError, TypeError, AttributeError):
        return False


def note_of(path: pathlib.Path, index: int) -> dict[str, Any] | None:
    """The note of a chunk, if there is one that can be read."""
    try:
        found = json.loads((path / ".polhode" / "done" / str(index)).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def tidy(path: pathlib.Path) -> None:
    """Remove what killed writers left, once all chunks are there."""
    for file in path.rglob("*.partial"):
        file.unlink(missing_ok=True)


# ---- the arrays ---------------------------------------------------------------------------------------


def _arrays(path: pathlib.Path, plan: Plan) -> None:
    zarr = needs("zarr")
    group = zarr.open_group(str(path), mode="a", zarr_format=3)
    grid, times = plan.grid, plan.times()
    samples = 0 if times is None else len(times)
    for name, v in plan.kept.variables(samples).items():
        dims, shape, chunks = (*grid.names, *v.dims), (*grid.shape, *v.shape), (*plan.chunks, *v.shape)
        _array(group, name, dims, shape, chunks, v.dtype, v.empty)
    group["status"].attrs["flags"] = "; ".join(f"{k} {words}" for k, words in STATUS.items())
    if times is not None:
        _filled(group, "t", ("t",), times)
    for axis in grid.axes:
        for data, values in axis.values.items():
            if data != "method":  # their names are in the plan: Zarr has no text that all readers share
                pieces = values.pieces(data) if isinstance(values, Draws) else [(0, np.asarray(values, float))]
                _coordinate(group, axis, data, pieces)
    _replace(path / ".polhode" / "zarr.json", json.dumps(EMPTY_GROUP).encode())


def _coordinate(group: Any, axis: Axis, data: str, pieces: Iterable[tuple[int, np.ndarray]]) -> None:
    """Store what an axis gives to the bodies, piece by piece; xarray wants no array named like its own dimension."""
    made = None
    for first, numbers in pieces:
        if made is None:
            rest = numbers.shape[1:]
            name = f"{data}_values" if rest and data == axis.name else data
            dims = (axis.name, *COMPONENTS.get((data, len(rest)), (f"{data}_{k}" for k in range(len(rest)))))
            made = _array(group, name, dims, (axis.length, *rest), (min(65536, axis.length), *rest), "f8", np.nan)
            made.attrs["given"] = 1
        made[first : first + len(numbers)] = numbers


def _array(group: Any, name: str, dims: Any, shape: Any, chunks: Any, dtype: str, fill: float) -> Any:
    chunks = tuple(max(1, c) for c in chunks)
    return group.create_array(
        name,
        shape=shape,
        chunks=chunks,
        dtype=dtype,
        fill_value=fill,
        dimension_names=dims,
        overwrite=True,
    )


def _filled(group: Any, name: str, dims: Any, numbers: np.ndarray) -> None:
    _array(group, name, dims, numbers.shape, numbers.shape, "f8", np.nan)[...] = numbers


def _file(path: pathlib.Path, plan: Plan, name: str, index: int) -> pathlib.Path:
    """Where Zarr keeps a chunk of a variable."""
    counts = [-(-n // c) for n, c in zip(plan.grid.shape, plan.chunks)]
    places_ = [int(k) for k in np.unravel_index(index, counts)]
    meta = json.loads((path / name / "zarr.json").read_bytes())
    rest = len(meta["shape"]) - len(counts)
    return path.joinpath(name, "c", *map(str, places_), *("0",) * rest)


def _checksum(file: pathlib.Path) -> str:
    return hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()


def _replace(file: pathlib.Path, content: bytes) -> None:
    new = file.with_name(f".{file.name}.{secrets.token_hex(8)}.partial")
    try:
        new.write_bytes(content)
        new.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            new.unlink()
        raise


def _check_same(path: pathlib.Path, about: dict[str, Any], stored: dict[str, Any] | None = None) -> None:
    if stored is None:
        try:
            stored = json.loads((path / ".polhode" / "plan.json").read_bytes())
        except (OSError, ValueError) as error:
            raise FileError(f"The plan of {places.shown(path)} is damaged: {error}. Give another out.") from error
    plain = json.loads(json.dumps(about))
    keys = sorted((set(plain) | set(stored)) - {"hash"})
    other = [key for key in keys if plain.get(key) != stored.get(key)]
    if other:
        raise FileError(
            f"{places.shown(path)} holds another sweep: it differs in {', '.join(other)}. Give another out, or remove "
            "that store."
        )
    if stored.get("hash") != identity({key: stored[key] for key in keys}):
        raise FileError(f"The plan of {places.shown(path)} is damaged: its hash is another. Give another out.")
