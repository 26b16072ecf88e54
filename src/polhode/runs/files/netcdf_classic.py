"""The header of a classic netCDF file with 64-bit offsets ("CDF-2"), written and read.

It is done by hand, without the netCDF library, for two reasons: single numbers of the header are replaced while the
file grows, so their places must be known; and a file that was cut or damaged must be told from a whole one, where the
library fills in zeros.

    header   "CDF" 2, number of records, dimensions, attributes, variables
    list     tag, count, entries; or 0, 0 where it is empty
    name     length, bytes, zeros up to a multiple of four

All numbers are big-endian. Variables without the record dimension follow the header in their order, then the
records, each with its part of every other variable.
"""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAGIC = b"CDF\2"
RECORDS = 4
"""Where the number of records is."""
CHAR, INT, DOUBLE = 2, 4, 6
DTYPES = {CHAR: "S1", INT: ">i4", DOUBLE: ">f8"}
DIMENSION, VARIABLE, ATTRIBUTE = 10, 11, 12


@dataclass
class Header:
    """What a header says, and where it says it."""

    dimensions: dict[str, Any] = field(default_factory=dict)  # name: length, 0 for the one that grows
    attributes: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Any] = field(default_factory=dict)  # attribute: offset and length of its value
    begins: dict[str, Any] = field(default_factory=dict)  # variable: offset of its data
    records: int = 0
    length: int = 0


def encoded(dimensions: dict[str, Any], attributes: dict[str, Any], variables: dict[str, Any]) -> bytes:
    """The bytes of a header without records; variables are name: (type, names of dimensions, attributes)."""
    names = list(dimensions)

    def variable(
        name: str, kind: Any, axes: Sequence[str], own: Mapping[str, Any], begin: int
    ) -> tuple[bytes, int, bool]:
        width = np.dtype(DTYPES[kind]).itemsize
        size = _padded_length(width * math.prod(dimensions[a] for a in axes if dimensions[a]))
        ids = struct.pack(f">{1 + len(axes)}I", len(axes), *(names.index(a) for a in axes))
        entry = _name(name) + ids + _attributes(own) + struct.pack(">IIQ", kind, size, begin)
        return entry, size, bool(axes) and dimensions[axes[0]] == 0

    def whole(begins: Mapping[str, int]) -> tuple[bytes, dict[str, tuple[int, bool]]]:
        entries = [
            variable(name, kind, axes, own, begins.get(name, 0)) for name, (kind, axes, own) in variables.items()
        ]
        head = MAGIC + struct.pack(">I", 0)
        head += _list(DIMENSION, [_name(name) + struct.pack(">I", n) for name, n in dimensions.items()])
        head += _attributes(attributes) + _list(VARIABLE, [entry for entry, _, _ in entries])
        return head, {name: (size, grows) for name, (_, size, grows) in zip(variables, entries)}

    head, sizes = whole({})
    begins, at = {}, len(head)
    for name, (size, _) in sorted(sizes.items(), key=lambda item: item[1][1]):  # those that do not grow come first
        begins[name] = at
        at += size
    return whole(begins)[0]


def decoded(data: bytes) -> Header:
    """What the header at the beginning of `data` says; ValueError if there is none, or only a part of one."""
    try:
        return _decoded(data)
    except (struct.error, UnicodeDecodeError, KeyError, IndexError) as error:
        raise ValueError("not the header of a classic netCDF file") from error


def _decoded(data: bytes) -> Header:
    if data[:4] != MAGIC:
        raise ValueError("not the header of a classic netCDF file")
    header, at = Header(records=struct.unpack_from(">I", data, RECORDS)[0]), RECORDS + 4

    def numbers(code: str) -> Any:
        nonlocal at
        values = struct.unpack_from(">" + code, data, at)
        at += struct.calcsize(">" + code)
        return values

    def text() -> str:
        nonlocal at
        (length,) = numbers("I")
        value = _part(data, at, length).decode()
        at += _padded_length(length)
        return value

    def attributes() -> tuple[dict[str, Any], dict[str, tuple[int, int]]]:
        nonlocal at
        values, places = {}, {}
        for _ in range(numbers("II")[1]):
            name = text()
            kind, count = numbers("II")
            length = count * np.dtype(DTYPES[kind]).itemsize
            raw = _part(data, at, length)
            values[name] = raw.decode(errors="replace") if kind == CHAR else np.frombuffer(raw, DTYPES[kind])
            places[name] = (at, length)
            at += _padded_length(length)
        return values, places

    for _ in range(numbers("II")[1]):
        name = text()
        header.dimensions[name] = numbers("I")[0]
    header.attributes, header.places = attributes()
    for _ in range(numbers("II")[1]):
        name = text()
        numbers(f"{numbers('I')[0]}I")
        attributes()
        header.begins[name] = numbers("IIQ")[2]
    header.length = at
    return header


def _part(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise ValueError("not the header of a classic netCDF file: it is cut")
    return data[at : at + length]


def _list(tag: int, entries: Sequence[bytes]) -> bytes:
    return struct.pack(">II", tag if entries else 0, len(entries)) + b"".join(entries)


def _attributes(values: Mapping[str, Any]) -> bytes:
    entries = []
    for name, value in values.items():
        if isinstance(value, (str, bytes)):
            raw, kind = value.encode() if isinstance(value, str) else value, CHAR
        else:
            array = np.atleast_1d(value)
            kind = INT if array.dtype.kind == "i" else DOUBLE
            raw = array.astype(DTYPES[kind]).tobytes()
        count = len(raw) // np.dtype(DTYPES[kind]).itemsize
        entries.append(_name(name) + struct.pack(">II", kind, count) + _padded(raw))
    return _list(ATTRIBUTE, entries)


def _name(text: str) -> bytes:
    raw = text.encode()
    return struct.pack(">I", len(raw)) + _padded(raw)


def _padded(raw: bytes) -> bytes:
    return raw.ljust(_padded_length(len(raw)), b"\0")


def _padded_length(n: int) -> int:
    return -(-n // 4) * 4
