"""Checkpoints: all that a run needs to go on, written so that a file is either the old one or the new one.

A checkpoint goes to a temporary file beside its place, is forced to the disk, and then takes its place in one
step. Its first line names the format and its version, the second is the SHA-256 of all that follows: an npz archive
with the state and a description of the run, so that no other run goes on from it. What does not match is refused. Then
shapes and ranges are checked (`fault`), and numbers that follow from others are compared with them.
"""

import hashlib
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import FileError, InputError
from polhode.kernels.fingerprint import fingerprint
from polhode.physics.problem import Problem
from polhode.runs.files import places
from polhode.runs.results.reductions import Survey

if TYPE_CHECKING:
    from polhode.runs.drive import Run
    from polhode.runs.runners.runner import Runner

NAME = b"polhode checkpoint "
VERSION = b"2"
NOT_UNIT = 0.1
"""How far the length of a quaternion may be from 1: by round-off in the catalogue, by more in a user's method."""
MOST_ITERATIONS = 10**6
"""More iterations than any step needs, all its stages together."""


def description(
    problem: Problem, runner: "Runner", n: int, every: int, survey: Survey | None, streamed: bool
) -> dict[str, Any]:
    """What two runs must have in common for one to go on where the other stopped."""
    numbers = (problem.moments, problem.axes, problem.parameters, problem.Q0, problem.Omega0, problem.t0)
    text = b"".join(np.asarray(x, float).tobytes() for x in numbers)
    functions = problem.made_of
    return {
        "problem": problem.name,
        "data of the problem": hashlib.sha256(text).hexdigest(),
        "functions of the problem": known("functions of the problem", functions),
        "method": runner.name,
        "code of the method": known("code of the method", runner.made_of()),
        "h": runner.h,
        "n_steps": n,
        "save_every": every,
        "reduce": list(survey.names) if survey else [],
        "reduce_every": survey.each if survey else 1,
        "out": streamed,
        **invariants_reduced(survey, [problem]),
    }


def invariants_reduced(survey: Survey | None, problems: Iterable[Problem]) -> dict[str, str]:
    """What the description of a run says of the invariants that it reduces, if it reduces any."""
    if survey is None or not survey.invariants:
        return {}
    functions = {id(f): f for p in problems for f in (p.invariants[name] for name in survey.invariants)}
    return {"invariants": known("invariants", list(functions.values()))}


def known(what: str, values: Sequence[Any]) -> str:
    """The fingerprint of what a run is made of; a sentence if part of it is hidden."""
    mark = fingerprint(values)
    if mark.unseen:
        raise InputError(
            f"A checkpoint must tell whether a later run is the same, and the {what} hold objects that cannot be "
            f"compared: {', '.join(mark.unseen)}. Write them with numbers, arrays and functions, or leave checkpoint "
            "out."
        )
    return mark.digest


def write(path: Path, run: Mapping[str, Any], **arrays: Any) -> None:
    """Replace the checkpoint at `path`."""
    place = places.target(path, "checkpoint")
    data = io.BytesIO()
    np.savez(data, run=np.array(json.dumps(run)), **arrays)
    try:
        with places.replacing(place) as new:
            new.write_bytes(_sealed(data.getbuffer()))
    except OSError as error:
        raise places.unwritable(f"The checkpoint {places.shown(path)}", error) from error


def check_place(path: Path) -> None:
    """Raise the error that writing there would raise, before the run begins."""
    place = places.target(path, "checkpoint")
    places.tidy(place)
    new = places.beside(place)
    try:
        new.touch()
        new.unlink()
    except OSError as error:
        raise places.unwritable(f"The checkpoint {places.shown(path)}", error) from error


def read(path: Path, run: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arrays of the checkpoint of this run, or None if there is none yet."""
    place = places.target(path, "checkpoint")
    try:
        arrays = _opened(place.read_bytes(), path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(
            f"The checkpoint {places.shown(path)} cannot be read: {error.strerror}. Check its permissions."
        ) from error
    saved = arrays.pop("run")
    for key, value in run.items():
        if saved.get(key) != value:
            how = "" if isinstance(value, str) and len(value) == 64 else f" ({saved.get(key)!r} there, {value!r} here)"
            raise InputError(
                f"{places.shown(path)} is the checkpoint of another run: its {key} differs{how}. Give another file, or "
                "delete it."
            )
    return arrays


def fault(run: "Run", saved: dict[str, Any], streamed: bool) -> str:
    """What is wrong with the numbers of a checkpoint for this run; "" if no fault is found."""
    shapes: dict[str, tuple[str, tuple[int, ...] | None]] = {
        "counts": ("i8", (3,)),
        "seconds": ("f8", ()),
        "state": ("f8", (len(run.runner.numbers()),)),
    }
    shapes |= {"rows": ("i8", ()), "digest": ("i8", ())} if streamed else {"rows": ("f8", None)}
    if run.runner.problem.control is not None:
        shapes |= {"held": ("f8", (len(run.runner.held),)), "looks": ("f8", None)}
    if run.survey:
        shapes["tally"] = ("f8", run.survey.tally.shape)
    if set(saved) != set(shapes):
        return f"it holds {sorted(saved)}, and a run like this one needs {sorted(shapes)}"
    for name, (kind, shape) in shapes.items():
        if saved[name].dtype != np.dtype(kind) or shape not in (None, saved[name].shape):
            return f"its {name} are {saved[name].dtype} of shape {saved[name].shape}"
    done, left, iterations = saved["counts"].tolist()
    n, every = run.n, run.every
    last = done == n and left == every  # the last state has become a row, whatever `every` is
    if not (
        0 <= done <= n and (last or left == every - done % every) and 0 <= iterations <= MOST_ITERATIONS * (done + 1)
    ):
        return f"its counts are {[done, left, iterations]}, of {n} steps with a row every {every}"
    if not 0 <= saved["seconds"] < math.inf:
        return f"it counts {saved['seconds']} seconds"
    rows = done // every + (last and n % every > 0)
    return (
        state_fault(run.runner, saved["state"], done)
        or (
            _count_fault(saved, rows)
            if streamed
            else _rows_fault(run.runner, saved, rows, at_row=last or left == every)
        )
        or (_tally_fault(run.survey, saved["tally"], done) if run.survey else "")
        or _held_fault(run.runner, saved, done)
    )


def _held_fault(runner: "Runner", saved: dict[str, Any], done: int) -> str:
    control = runner.problem.control
    if control is None:
        return ""
    held, looks, period = saved["held"], saved["looks"], control.steps(runner.h)
    if not (np.isfinite(held).all() and np.isfinite(looks).all()):
        return "what its controller holds is not finite"
    if held[0] % period or not done - period <= held[0] <= done:
        return f"its controller looked last before step {held[0]:g}, of {done}, with a period of {period}"
    if len(looks) != (len(held) - 1) * (held[0] // period + 1) * control.wheels:
        return f"it has {len(looks)} numbers of the looks of its controller"
    return ""


def state_fault(runner: "Runner", state: np.ndarray, done: int) -> str:
    """What is wrong with a state, as `fault`: numbers that are not finite, a quaternion that is no rotation."""
    if not np.isfinite(state).all():
        return "its state has numbers that are not finite"
    if runner.width == 7 and not abs(np.linalg.norm(state[:4]) - 1) < NOT_UNIT:
        return f"its attitude is a quaternion of length {np.linalg.norm(state[:4]):.6g}, not 1"
    if done == 0 and not np.array_equal(state, runner.numbers()):
        return "it has made no step and is not at the start"
    return ""


def _count_fault(saved: dict[str, Any], rows: int) -> str:
    counted = int(saved["rows"])
    return "" if counted == rows + 1 else f"it counts {counted} rows, and should count {rows + 1}"


def _rows_fault(runner: "Runner", saved: dict[str, Any], rows: int, at_row: bool) -> str:
    table = saved["rows"]
    if table.shape != (rows, runner.width):
        return f"its rows have the shape {table.shape}, not {(rows, runner.width)}"
    if not np.isfinite(table).all():
        return "its rows have numbers that are not finite"
    if runner.width == 7 and not (abs(np.linalg.norm(table[:, :4], axis=1) - 1) < NOT_UNIT).all():
        return "its rows have quaternions whose length is not 1"
    if rows and at_row and not np.array_equal(table[-1], saved["state"][: runner.width]):
        return "its last row is not its state"
    return ""


def _tally_fault(survey: Survey, tally: np.ndarray, done: int) -> str:
    begins = -(-np.arange(len(tally) + 1) * survey.looks // len(tally))
    counts = np.clip(done // survey.each - begins[:-1], 0, np.diff(begins))
    looked = counts > 0
    if not (tally[:, :, 2] == counts[:, None]).all():
        return f"its reductions do not count the {done // survey.each} values looked at so far"
    if (tally[looked, :, 0] > tally[looked, :, 1]).any():
        return "its reductions have a least value above the greatest"
    return ""


def refused(path: Any, why: str) -> FileError:
    """The sentence for a checkpoint that no run can go on from."""
    return FileError(
        f"{places.shown(path)} is not a checkpoint that can be read: {why}. Give another file, or delete it."
    )


def _sealed(payload: bytes | memoryview) -> bytes:
    return NAME + VERSION + b"\n" + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload


def _opened(data: bytes, path: Path) -> dict[str, Any]:
    """The arrays and the description (as `run`) inside a checkpoint whose version and checksum are right."""
    if data[:2] == b"PK":
        raise refused(path, "it was written by an earlier version, without a checksum")
    if not data.startswith(NAME):
        raise refused(path, "it does not begin as one")
    version, _, rest = data[len(NAME) :].partition(b"\n")
    if version != VERSION:
        raise refused(path, f"its version is {version[:20].decode(errors='replace')!r}, and this one reads version 2")
    digest, _, payload = rest.partition(b"\n")
    if digest != hashlib.sha256(payload).hexdigest().encode():
        raise refused(path, "its checksum differs, so it is damaged")
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as archive:
            arrays = dict(archive)
        saved = json.loads(str(arrays.pop("run")))
        if not isinstance(saved, dict):
            raise ValueError
    except Exception as error:  # sealed by somebody else: the archive may hold anything, and raise anything
        raise refused(path, "what is inside is not what a run writes") from error
    return {"run": saved, **arrays}
