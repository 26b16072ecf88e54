"""Reading a file that a run wrote: the rows that match their checksums, and a sentence about what is missing."""

import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from polhode.errors import FileError
from polhode.runs.files import netcdf_classic, netcdf_header, places
from polhode.runs.files.netcdf_classic import Header
from polhode.runs.files.netcdf_header import FIELDS, ROWS_A_CHECKSUM

WHEELS = {"wheel_axes": ("wheel", "body"), "wheel_inertia": ("wheel",)}
"""What a header says of wheels, beside their speeds in the rows."""


def read(path: Any) -> Any:
    """The Dataset of a file that a run wrote, with what is missing said in its attributes; None for another file."""
    with open(path, "rb") as file:
        head = file.read(netcdf_header.LONGEST_HEADER)
        if head[:4] != netcdf_classic.MAGIC:
            return None
        try:
            header = netcdf_classic.decoded(head)
        except ValueError:
            raise FileError(
                f"{places.shown(path)} begins as netCDF, but its header is damaged or cut; no row can be found in it."
            ) from None
        if "checksum_header" not in header.places:
            if not str(header.attributes.get("format", "")).startswith("polhode"):
                return None
            raise FileError(
                f"{places.shown(path)} has no checksums: it was written by an earlier version, or is damaged. Whether "
                "its run ended is not known; xarray.open_dataset reads it unchecked."
            )
        if not netcdf_header.is_intact(head[: header.length], header):
            raise FileError(
                f"The header of {places.shown(path)} does not match its checksum: it was damaged, or written by "
                "another program. xarray.open_dataset reads it unchecked."
            )
        return _dataset(path, header, *_rows(file, header))


def _rows(file: Any, header: Header) -> tuple[dict[str, np.ndarray], int, int, list[Any]]:
    """The rows that match their checksums, how many are counted and present, and the ranges of those left out."""
    fields = {k: {x: header.dimensions[x] for x in axes} for k, axes in FIELDS.items() if k in header.begins}
    dtype, planned = netcdf_header.dtype(fields), int(header.attributes["rows"][0])
    begin, size = header.begins["t"], dtype.itemsize
    counted = min(planned, header.records)
    file.seek(header.begins["checksum"])  # read before the rows: the run may be going on
    raw = file.read(4 * -(-counted // ROWS_A_CHECKSUM))
    checksums = np.frombuffer(raw[: len(raw) // 4 * 4], ">u4").tolist()
    present = min(planned, max(0, os.fstat(file.fileno()).st_size - begin) // size)
    most, good, bad = min(counted, present), 0, []
    columns = {k: np.empty((most, *dtype[k].shape)) for k in fields}
    file.seek(begin)
    for at, checksum in zip(range(0, most, ROWS_A_CHECKSUM), checksums):
        count = min(ROWS_A_CHECKSUM, most - at)
        raw = file.read(min(ROWS_A_CHECKSUM, present - at) * size)
        if _matches(raw, count, size, checksum):
            block = np.frombuffer(raw, dtype, count)
            for k, column in columns.items():
                column[good : good + count] = block[k]
            good += count
        else:
            bad.append((at, at + count - 1))
    return {k: column[:good] for k, column in columns.items()}, counted, present, bad


def _matches(raw: bytes, count: int, size: int, checksum: int) -> bool:
    """Whether so many rows match; a run killed between checksum and count leaves a checksum of a few rows more."""
    crc = zlib.crc32(raw[: count * size])
    while crc != checksum and count * size < len(raw):
        crc = zlib.crc32(raw[count * size : (count + 1) * size], crc)
        count += 1
    return crc == checksum


def _dataset(path: Path, header: Header, columns: Any, counted: int, present: int, bad: list[Any]) -> Any:
    import xarray

    rows = len(columns["t"])
    wheels = {k: header.attributes.pop(k).astype(float) for k in WHEELS if k in header.attributes}
    values = {k: v.rstrip() if isinstance(v, str) else v for k, v in header.attributes.items()}
    values |= {k: v[0] for k, v in values.items() if not isinstance(v, str) and len(v) == 1}
    planned, label = int(values["rows"]), places.shown(path)
    raw = {k: netcdf_header.raw(header, k) for k in ("message", "stats", "success")}
    ended = netcdf_header.end(raw, header.records) == netcdf_header.raw(header, "checksum_end")
    missing = []
    if present < counted:
        missing.append("the file was cut")
    if bad:
        ranges = ", ".join(f"{a} to {b}" for a, b in bad[:5]) + (", ..." if len(bad) > 5 else "")
        missing.append(f"rows {ranges} do not match their checksums and are left out")
    if not rows:
        raise FileError(f"No row of {label} can be read ({'; '.join(missing) or 'the run did not get so far'}).")
    whole = ended and values["complete"] == 1 and rows == planned
    if values["complete"] == 1 and not ended:
        missing.append("what it says of its end does not match its checksum")
    why = f" ({'; '.join(missing)})" if missing else ""
    there = f"{rows} of {planned} rows are in {label}{why}."
    if ended and not missing and (whole or not values["success"]):
        message = values["message"]
    elif ended or values["complete"] == 1:
        message = f"{values['message'] if ended else ''} The file is damaged: {there}".strip()
    else:
        message = f"The run did not end, or is still going on: {there} With its checkpoint the same call goes on."
    values |= {"success": int(whole and values["success"] == 1), "message": message}
    values["stats"] = values["stats"] if ended else "{}"
    data = {k: (("t", *FIELDS[k]), column) for k, column in columns.items()}
    data |= {k: (WHEELS[k], x.reshape(-1, *(3,) * (len(WHEELS[k]) - 1))) for k, x in wheels.items()}
    return xarray.Dataset(data, coords={"space": list("xyz"), "body": list("xyz")}, attrs=values)
