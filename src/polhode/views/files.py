"""Results to files, with a sentence when that fails."""

import json
import math
import os
import tempfile
from typing import Any

from polhode.errors import FileError
from polhode.inputs import folder_path


def as_json(data: Any) -> Any:
    """Strict JSON: what is not a finite number becomes null."""
    return json.dumps(_strict(data), indent=2, ensure_ascii=False, allow_nan=False)


def folder_for_results(path: Any) -> Any:
    """The folder, made if there is none."""
    path = folder_path("the folder", path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _no_folder(path, error.strerror or error) from error
    return path


def check_folder(path: Any) -> None:
    """Raise the error that writing to this folder would raise, before work is done for it; makes nothing."""
    path = folder_path("the folder", path).absolute()
    there = next(p for p in (path, *path.parents) if p.exists())
    if not there.is_dir():
        raise _no_folder(path, f"{there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise _no_folder(path, f"permission to write to {there} is missing")
    try:
        tempfile.TemporaryDirectory(dir=there).cleanup()  # as the system may refuse what the permissions allow
    except OSError as error:
        raise _no_folder(path, f"{there} takes no files: {error.strerror or error}") from error


def check_file(path: Any) -> None:
    """Raise the error that writing this file would raise, before work is done for it; leaves nothing behind."""
    is_new = not path.exists()
    try:
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise _unwritten(path, error) from error


def _no_folder(path: Any, reason: Any) -> Any:
    return FileError(f"Nothing can be written to the folder {path}: {reason}. Choose another.")


def written(path: Any, write: Any) -> Any:
    """Call `write(path)`; returns the path."""
    try:
        write(path)
    except OSError as error:
        raise _unwritten(path, error) from error
    return path


def _unwritten(path: Any, error: OSError) -> FileError:
    return FileError(f"{path} cannot be written: {error.strerror or error}. Check the folder and its space.")


def _strict(x: Any) -> Any:
    if isinstance(x, dict):
        return {k: _strict(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_strict(v) for v in x]
    if hasattr(x, "tolist"):
        return _strict(x.tolist())
    return None if isinstance(x, float) and not math.isfinite(x) else x
