"""The store of a sweep as an xarray Dataset, with an accessor ``s.polhode`` for failures and maps."""

import json
import pathlib
from typing import Any

from polhode.errors import FileError, InputError
from polhode.runs.files import places
from polhode.runs.sweeps.arrays import needs
from polhode.runs.sweeps.store import note_of, noted
from polhode.shown import shown


def opened(path: pathlib.Path, lost: dict[int, str] | None = None) -> Any:
    """The Dataset, lazy; its attributes say what the sweep is and how much of it is there."""
    xarray = needs("xarray")
    try:
        about = json.loads((path / ".polhode" / "plan.json").read_bytes())
    except (OSError, ValueError) as error:
        raise FileError(
            f"{places.shown(path)} is not the store of a sweep, or its plan is damaged: {error}."
        ) from error
    needs("zarr")
    _register(xarray)
    s = xarray.open_zarr(path, consolidated=False, chunks="auto" if _has_dask() else None)
    axes = {key[5:]: value for key, value in about.items() if key.startswith("axis ")}
    if "method" in axes:
        s = s.assign_coords(method=[name for name, _ in axes["method"][1][1:]])
    s = s.set_coords([name for name, x in s.data_vars.items() if x.attrs.get("given")])
    s = s.transpose(*about["order"], ...)
    chunks = _chunks(about, s)
    count = sum(int(name) < chunks for name in noted(path))
    s.attrs = {
        "store": str(path),
        "hash": about["hash"],
        "problem": about["problem"],
        "method": about["method"] or "an axis",
        "h": about["h"] if about["h"] is not None else "the problem's, or an axis",
        "chunks_done": count,
        "chunks": chunks,
        "lost_chunks": json.dumps(lost or {}),  # as text, which netCDF takes
        "versions": json.dumps(about["versions"]),
    }
    return s


def in_memory(path: pathlib.Path, s: Any) -> Any:
    """The Dataset with all numbers and failures loaded, for a store that will be removed."""
    s = s.load()
    s.attrs |= {"store": "", "failures": json.dumps(failures(path))}
    return s


def failures(path: pathlib.Path) -> list[dict[str, Any]]:
    """The bodies that failed, from the notes of a store."""
    rows = []
    for chunk in sorted(map(int, noted(path))):
        note = note_of(path, chunk)
        for body, step, sentence in (note or {}).get("failures", ()):
            rows.append({"chunk": chunk, "body": body, "step": step, "sentence": sentence})
    return rows


def _chunks(about: dict[str, Any], s: Any) -> int:
    size = 1
    for name, c in zip(about["storage"], about["chunk"]):
        size *= -(-s.sizes[name] // c)
    return size


def _has_dask() -> bool:
    import importlib.util

    return importlib.util.find_spec("dask") is not None


_REGISTERED: list[Any] = []


def _register(xarray: Any) -> None:
    """Give Datasets the accessor ``polhode``, once, when the first sweep is opened."""
    if not _REGISTERED:
        _REGISTERED.append(xarray.register_dataset_accessor("polhode")(SweepAccessor))


class SweepAccessor:
    """What a Dataset of a sweep offers beside its variables: ``s.polhode``."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def failures(self) -> list[dict[str, Any]]:
        """The bodies that failed: chunk, number in the chunk, step and sentence; at most a thousand of a chunk."""
        if "failures" in self._dataset.attrs:
            return json.loads(self._dataset.attrs["failures"])
        return failures(pathlib.Path(self._dataset.attrs["store"]))

    def map(self, name: str, **more: Any) -> Any:
        """Draw a variable over two axes; `more` chooses places on the others (``h=0.1``), else the mean is taken."""
        if name not in self._dataset:
            raise InputError(f"There is no {name}; there are {', '.join(sorted(self._dataset.data_vars))}.")
        return shown("sweep, a map", self._dataset, name, more)
