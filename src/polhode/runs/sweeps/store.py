"""The store of a sweep: a Zarr group, one chunk of every variable for a task, and beside it what proves it whole.

    sweep.zarr/            the variables, which xarray and any other reader of Zarr (version 3) opens
    sweep.zarr/.polhode/   plan.json   what the sweep is, with its hash
                           plan        the problem and the methods, pickled: what a task unpacks
                           done/17     checksums of the files of chunk 17, and its failures; written last

A chunk counts as done when its note is there and the files have the checksums that the note names. All is written under
another name and renamed, so a reader finds the old file or the new one, never a part.
"""

import contextlib
import json
import os
import pathlib
import pickle
import shutil
from typing import Any

import numpy as np

from polhode.errors import FileError
from polhode.runs.crews.workers import packed
from polhode.runs.files import places
from polhode.runs.sweeps import arrays
from polhode.runs.sweeps.plan import Plan, identity

EMPTY_GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {}}
"""This makes the folder of notes a part of the hierarchy; otherwise readers of Zarr would warn of it."""

MOST_TRIES = 3
MOST_TOLD = 1000
"""The most failed bodies of a chunk whose sentences are kept; status and step are kept for all."""


def create(path: pathlib.Path, plan: Plan) -> None:
    """Make the store of a plan, or find that it is there already; that of another plan is refused."""
    for module in ("cloudpickle", "zarr", "xarray"):
        arrays.needs(module)
    about = plan.described()
    travelling = packed("The problem or a method", plan)
    try:
        if (path / ".polhode" / "plan.json").exists():
            _check_same(path, about)
            (path / ".polhode" / "done").mkdir(exist_ok=True)
            arrays.create(path, plan)
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
            arrays.create(new, plan)
            arrays.replace(new / ".polhode" / "zarr.json", json.dumps(EMPTY_GROUP).encode())
            arrays.replace(new / ".polhode" / "plan", travelling)
            arrays.replace(
                new / ".polhode" / "plan.json", json.dumps({"hash": identity(about), **about}, indent=1).encode()
            )
            _rename(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise places.unwritable(f"The store {places.shown(path)}", error) from error
    _check_same(path, about)


def _rename(new: pathlib.Path, path: pathlib.Path) -> None:
    """Give a new store its name, unless another has made it in the meantime."""
    try:
        if os.name != "posix" and path.exists():  # elsewhere a folder cannot replace another, not even an empty one
            path.rmdir()
        new.rename(path)
    except OSError:
        if not (path / ".polhode" / "plan.json").exists():
            raise


def plan_of(path: pathlib.Path) -> Plan:
    """The plan of a store, as it was written; if its functions have changed since, a sentence."""
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
    for left in reversed(range(MOST_TRIES)):
        try:
            return _write(path, plan, index, values, failures)
        except FileNotFoundError:  # another sweep of the same store was done, and tidied up
            if not left or not (path / ".polhode" / "plan.json").exists():
                raise


def _write(path: pathlib.Path, plan: Plan, index: int, values: dict[str, np.ndarray], failures: list[Any]) -> None:
    sums = arrays.write(path, plan, index, values)
    note = {"checksums": sums, "failures": failures[:MOST_TOLD], "failed": len(failures)}
    arrays.replace(path / ".polhode" / "done" / str(index), json.dumps(note, sort_keys=True).encode())


def missing(path: pathlib.Path, plan: Plan) -> list[int]:
    """The chunks that are not there, or not whole; of a new store of a million no file is looked for."""
    there = noted(path)
    return [i for i in range(plan.count) if str(i) not in there or not is_done(path, plan, i)]


def noted(path: pathlib.Path) -> set[str]:
    """The numbers of the chunks of which there are notes."""
    with contextlib.suppress(FileNotFoundError):
        return {name for name in os.listdir(path / ".polhode" / "done") if name.isdecimal()}
    return set()


def is_done(path: pathlib.Path, plan: Plan, index: int) -> bool:
    """Whether a chunk is there and whole."""
    note = note_of(path, index)
    if note is None:
        return False
    try:
        sums = note["checksums"]
        if {file.split("/")[0] for file in sums} != arrays.names(plan, index):
            return False
        return all(arrays.checksum((path / file).read_bytes()) == sum_ for file, sum_ in sums.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def note_of(path: pathlib.Path, index: int) -> dict[str, Any] | None:
    """The note of a chunk, if there is one that can be read."""
    try:
        note = json.loads((path / ".polhode" / "done" / str(index)).read_bytes())
    except (OSError, ValueError):
        return None
    return note if isinstance(note, dict) else None


def tidy(path: pathlib.Path) -> None:
    """Remove what killed writers left, once all chunks are there."""
    for file in path.rglob("*.partial"):
        file.unlink(missing_ok=True)


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
