"""Checkpoints: all that a run needs to go on, written so that a file is either the old one or the new one.

A checkpoint goes to a temporary file beside its place, is forced to the disk, and then takes its place in one
step. It carries a description of the run, so that it is not continued by another.
"""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import zipfile

import numpy as np

from polhode.cache import fingerprint
from polhode.errors import FileError, InputError

FORMAT = "polhode checkpoint 1"


def description(problem, runner, n, every, survey, streamed):
    """What two runs must have in common for one to go on where the other stopped."""
    numbers = (problem.moments, problem.axes, problem.parameters, problem.Q0, problem.Omega0, problem.t0)
    text = b"".join(np.asarray(x, float).tobytes() for x in numbers)
    functions = [f for f in (problem.torque_kernel, problem.potential_kernel) if f is not None]
    return {
        "problem": problem.name,
        "data of the problem": hashlib.sha256(text).hexdigest(),
        "functions of the problem": fingerprint(functions),
        "method": runner.name,
        "code of the method": runner.fingerprint(),
        "h": runner.h,
        "n_steps": n,
        "save_every": every,
        "reduce": list(survey.names) if survey else [],
        "reduce_every": survey.each if survey else 1,
        "out": streamed,
    }


def write(path, run, **arrays):
    """Replace the checkpoint at `path`."""
    path = pathlib.Path(path)
    data = io.BytesIO()
    np.savez(data, run=np.array(json.dumps({"format": FORMAT, **run})), **arrays)
    beside = path.with_name(path.name + ".new")
    try:
        with open(beside, "wb") as file:
            file.write(data.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise FileError(
            f"The checkpoint {path} cannot be written: {error.strerror}. Check the folder and its permissions."
        ) from error


def read(path, run):
    """The arrays of the checkpoint of this run, or None if there is none yet."""
    path = pathlib.Path(path)
    try:
        with np.load(path) as data:
            arrays = dict(data)
        found = json.loads(str(arrays.pop("run")))
        if found.pop("format") != FORMAT:
            raise ValueError
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(f"{path} is not a checkpoint that can be read. Give another file, or delete it.") from error
    for key, value in run.items():
        if found.get(key) != value:
            how = "" if isinstance(value, str) and len(value) == 64 else f" ({found.get(key)!r} there, {value!r} here)"
            raise InputError(
                f"{path} is the checkpoint of another run: its {key} differs{how}. Give another file, or delete it."
            )
    return arrays


def _sync_folder(folder):
    """Make the new name in a folder lasting; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
