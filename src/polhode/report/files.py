"""Results to files, with a sentence when that fails."""

import json
import math
import pathlib

from polhode.errors import FileError


def as_json(data):
    """Strict JSON: what is not a finite number becomes null."""
    return json.dumps(_strict(data), indent=2, ensure_ascii=False, allow_nan=False)


def folder_for_results(path):
    """The folder, made if there is none."""
    path = pathlib.Path(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / ".polhode"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise FileError(
            f"Nothing can be written to the folder {path}: {error.strerror or error}. Choose another."
        ) from error
    return path


def written(path, write):
    """Call `write(path)`; returns the path."""
    try:
        write(path)
    except OSError as error:
        raise FileError(
            f"{path} cannot be written: {error.strerror or error}. Check the folder and its space."
        ) from error
    return path


def _strict(x):
    if isinstance(x, dict):
        return {k: _strict(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [_strict(v) for v in x]
    if hasattr(x, "tolist"):
        return _strict(x.tolist())
    return None if isinstance(x, float) and not math.isfinite(x) else x
