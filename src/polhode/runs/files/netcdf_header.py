"""What stands before the rows in the file of a run (``netcdf.Store``): its attributes, and their checksums."""

import struct
import zlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from polhode.errors import FileError
from polhode.runs.files import netcdf_classic
from polhode.runs.files.netcdf_classic import Header

FIELDS = {"t": (), "Q": ("space", "body"), "Omega": ("body",), "energy": (), "momentum": ("space",)} | {
    "wheel_speeds": ("wheel",)
}
"""The columns that a file may have, and their dimensions beside the time."""
Fields: TypeAlias = dict[str, dict[str, int]]
"""The columns that a file has: their dimensions, with their lengths."""
ROWS_A_CHECKSUM = 1024
"""Rows that share a checksum."""
ROOM = {"message": 4000, "stats": 8000}
"""Bytes reserved for each text that is known only at the end."""
CHANGES = ("success", "complete", "message", "stats", "checksum_end", "checksum_header")
"""Attributes that the checksum of the header leaves out."""
AXES = b"xyz\0xyz\0"
"""The letters of the axes "space" and "body", which follow the header."""
LONGEST_HEADER = 1 << 20
OPEN = "This run did not end, or is still going on."


def fields(has_energy: bool, wheels: int) -> Fields:
    """The columns of a body with or without energy, and with this number of wheels."""
    lengths = {"space": 3, "body": 3, "wheel": wheels}
    has = {"energy": has_energy, "wheel_speeds": wheels > 0}
    return {k: {x: lengths[x] for x in axes} for k, axes in FIELDS.items() if has.get(k, True)}


def encoded(attributes: Mapping[str, Any], fields: Fields, planned: int) -> bytes:
    """The bytes before the first row, except the checksums of the blocks."""
    blocks = -(-planned // ROWS_A_CHECKSUM)
    values = {
        **attributes,
        "rows": np.int32(planned),
        "success": np.int32(0),
        "complete": np.int32(0),
        "message": room("message", OPEN),
        "stats": room("stats", "{}"),
        "checksum_header": 8 * "-",
        "checksum_end": 8 * "-",
    }
    about = {
        "long_name": f"CRC-32 of each block of {ROWS_A_CHECKSUM} rows, as they are in this file",
        "_Unsigned": "true",
    }
    variables: dict[str, tuple[int, tuple[str, ...], dict[str, str]]] = {
        axis: (netcdf_classic.CHAR, (axis, "letter"), {"_Encoding": "ascii"}) for axis in ("space", "body")
    }
    variables["checksum"] = (netcdf_classic.INT, ("block",), about)
    variables |= {name: (netcdf_classic.DOUBLE, ("t", *axes), {}) for name, axes in fields.items()}
    dimensions = {"t": 0, "space": 3, "body": 3, "letter": 1, "block": blocks}
    for axes in fields.values():
        dimensions |= axes
    head = netcdf_classic.encoded(dimensions, values, variables)
    header = netcdf_classic.decoded(head)
    at, length = header.places["checksum_header"]
    if header.length > LONGEST_HEADER:
        raise FileError("The names of the problem and the method are too long for the header of a file: shorten them.")
    return head[:at] + _checksum_of(head, header) + head[at + length :]


def _checksum_of(head: bytes, header: Header) -> bytes:
    blank = bytearray(head)
    blank[netcdf_classic.RECORDS : netcdf_classic.RECORDS + 4] = bytes(4)
    for name in CHANGES:
        at, length = header.places[name]
        blank[at : at + length] = bytes(length)
    return b"%08x" % zlib.crc32(blank)


def is_intact(head: bytes, header: Header) -> bool:
    """Whether a header is as it was written, except for what changes during a run."""
    return all(name in header.places for name in CHANGES) and raw(header, "checksum_header") == _checksum_of(
        head, header
    )


def end(values: Mapping[str, bytes], rows: int) -> bytes:
    """The checksum of what is known at the end."""
    return b"%08x" % zlib.crc32(values["message"] + values["stats"] + values["success"] + struct.pack(">I", rows))


def raw(header: Header, name: str) -> bytes:
    """The bytes of an attribute."""
    value = header.attributes[name]
    return value.encode() if isinstance(value, str) else value.tobytes()


def room(name: str, text: str) -> bytes:
    """A text in its room: cut where it is too long, never within a letter."""
    letters = text.replace("\0", " ").encode("utf-8", "backslashreplace")[: ROOM[name]]
    return letters.decode("utf-8", "ignore").encode().ljust(ROOM[name])


def integer(value: int) -> bytes:
    """A number as an attribute holds it."""
    return struct.pack(">i", value)


def dtype(fields: Fields) -> np.dtype:
    """How the bytes of a row are laid out: big-endian doubles, field after field."""
    return np.dtype([(k, ">f8", tuple(axes.values())) for k, axes in fields.items()])
