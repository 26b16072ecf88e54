"""A file of states that grows while a run goes on: netCDF, written row by row, safe against a kill at any moment.

The classic format (with 64-bit offsets) is used because of its shape: a header of fixed length with the number of
rows in it, then the rows one after the other. So a row once written is never touched again, a reader sees a whole
file at any time, and a run that was killed goes on by cutting the file back to the rows of its checkpoint. The
header is made by the netCDF library; its attributes have a fixed length, so that they can be replaced at the end.
"""

import json
import os
import pathlib
import struct

import numpy as np

from polhode.errors import FileError

FIELDS = {"t": (), "Q": ("space", "body"), "Omega": ("body",), "energy": (), "momentum": ("space",)}
ROOM = 2000
"""Characters reserved for each text that is known only at the end."""


class Store:
    """The file of one run, with the rows written so far."""

    def __init__(self, path, attributes, has_energy, rows=0):
        """Begin a file, or (rows > 0) go on with one that has at least as many rows."""
        self.path = pathlib.Path(path)
        self._attributes = attributes
        self._fields = {k: v for k, v in FIELDS.items() if has_energy or k != "energy"}
        self.dtype = np.dtype([(k, ">f8", (3,) * len(v)) for k, v in self._fields.items()])
        header = self._header("", "{}", True)
        self._begin = len(header)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | (0 if rows else os.O_TRUNC), 0o666)
        except OSError as error:
            raise FileError(
                f"{path} cannot be written: {error.strerror}. Check the folder and its permissions."
            ) from error
        if rows and os.fstat(self._file).st_size < self._begin + rows * self.dtype.itemsize:
            os.close(self._file)
            raise FileError(
                f"{path} has fewer than the {rows} rows that its checkpoint counts: it was replaced or cut. "
                "Delete the checkpoint to begin anew."
            )
        self.rows = rows
        os.ftruncate(self._file, self._begin + rows * self.dtype.itemsize)
        self._write(header, 0)
        self._count()

    def append(self, **columns):
        """Write rows behind those that are there: t, Q, Omega, momentum and, where there is one, energy."""
        table = np.empty(len(columns["t"]), self.dtype)
        for name in self._fields:
            table[name] = columns[name]
        self._write(table.tobytes(), self._begin + self.rows * self.dtype.itemsize)
        self.rows += len(table)
        self._count()

    def sync(self):
        """Return when everything written is on the disk."""
        os.fsync(self._file)

    def finish(self, message, stats, success):
        """Write what is known at the end, and close the file."""
        self._write(self._header(message, json.dumps(stats), success), 0)
        self._count()
        self.sync()
        os.close(self._file)

    def columns(self):
        """The columns as arrays that are read from the file where they are looked at."""
        table = np.memmap(self.path, self.dtype, "r", self._begin, (self.rows,))
        return {name: table[name] for name in self._fields}

    def _count(self):
        self._write(struct.pack(">I", self.rows), 4)

    def _write(self, data, offset):
        view = memoryview(data)
        try:
            while view:
                n = os.pwrite(self._file, view, offset)
                view, offset = view[n:], offset + n
        except OSError as error:
            raise FileError(
                f"{self.path} cannot be written any more: {error.strerror}. The rows before are in it, and a run with "
                "a checkpoint can go on from there once this is mended."
            ) from error

    def _header(self, message, stats, success):
        """The bytes before the first row, by the netCDF library."""
        from netCDF4 import Dataset

        data = Dataset("header", "w", memory=1, format="NETCDF3_64BIT_OFFSET")
        data.setncatts({**self._attributes, "success": np.int32(success)})
        data.setncatts({"message": message[:ROOM].ljust(ROOM), "stats": stats[:ROOM].ljust(ROOM)})
        data.createDimension("t", None)
        for axis in ("space", "body"):
            data.createDimension(axis, 3)
        data.createDimension("letter", 1)
        data.set_auto_chartostring(False)
        for axis in ("space", "body"):
            data.createVariable(axis, "S1", (axis, "letter")).setncattr("_Encoding", "ascii")
        for name, axes in self._fields.items():
            data.createVariable(name, "f8", ("t", *axes))
        for axis in ("space", "body"):
            data[axis][:] = np.array([[b"x"], [b"y"], [b"z"]])
        whole = bytes(data.close())
        entry = b"\0\0\0\1t\0\0\0" + struct.pack(">6I", 1, 0, 0, 0, 6, 8)  # of t, but for its offset
        end = whole.index(entry) + len(entry)
        return whole[: struct.unpack(">Q", whole[end : end + 8])[0]]
