"""A file of states that grows while a run goes on: netCDF, written row by row, safe against a kill at any moment.

The classic format (with 64-bit offsets) is used because of its shape: a header of fixed length with the number of
rows in it, then the rows one after the other. So a row once written is never changed, and xarray, ncdump and the
like open the file at any time under its own name, also while the run goes on.

What a file says is true at every moment:

- A new run begins a new file, which takes the place of an old one by renaming. Who still has the old one open, or a
  Trajectory that reads from it, keeps the old one.
- `success` and `complete` are 0 from the first byte. At the end message, statistics and `success` are written and
  forced to the disk, and `complete` after them, last of all; of a run that failed or was interrupted it stays 0.
- The variable `checksum` holds the CRC-32 of each block of 1024 rows, as they are in the file. The order is rows,
  checksum, number of rows; so what is counted can be checked. `checksum_header` is that of the header without what
  changes during the run; `checksum_end` that of the message, the statistics, `success` and the number of rows.
- `rows` is how many rows the run is to have. `read` delivers the rows whose blocks match, and says what is missing.

A run that was killed goes on with the rows that its checkpoint counts, after comparing them with the checksum in the
checkpoint. Rows behind them are not cut off, but written again, with the same bits.
"""

import json
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from polhode.errors import FileError
from polhode.runs.files import netcdf_classic, netcdf_header, places
from polhode.runs.files.netcdf_header import ROOM, ROWS_A_CHECKSUM

CLOSED = -1
"""In place of the number of a file that is closed."""


class Store:
    """The file of one run, with the rows written so far."""

    def __init__(
        self,
        path: Path,
        attributes: Mapping[str, Any],
        fields: netcdf_header.Fields,
        planned: int,
        rows: int = 0,
        digest: int | None = None,
    ) -> None:
        """Begin a file for so many planned rows, or (rows > 0) go on with the one that holds rows of this digest."""
        self.path, self._place = places.named(path, "out"), places.target(path)
        self._fields = fields
        self.dtype = netcdf_header.dtype(self._fields)
        self._head = netcdf_header.encoded(attributes, self._fields, planned)
        self._header = netcdf_classic.decoded(self._head)
        self.rows, self._tail, self._full = 0, 0, 0
        if rows:
            self._go_on(rows, digest)
        else:
            self._begin()

    def _begin(self) -> None:
        places.tidy(self._place)
        new = places.beside(self._place)
        try:
            self._file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
            try:
                self._write(self._head + netcdf_header.AXES + bytes(self._begins("t") - self._begins("checksum")), 0)
                os.replace(new, self._place)
            except BaseException:
                self.close()
                os.unlink(new)
                raise
        except OSError as error:
            raise places.unwritable(places.shown(self.path), error) from error
        places.sync_folder(self._place.parent)

    def _go_on(self, rows: int, digest: int | None) -> None:
        """Read the rows counted, compare, and only then touch the file."""
        try:
            self._file = os.open(self._place, os.O_RDWR)
        except OSError as error:
            raise FileError(
                f"{places.shown(self.path)} belongs to the checkpoint and cannot be opened: {error.strerror}. "
                "Bring it back, or delete the checkpoint to begin anew."
            ) from error
        checksums, size = bytearray(), self.dtype.itemsize
        if os.fstat(self._file).st_size < self._begins("t") + rows * size:
            self.close()
            raise FileError(
                f"{places.shown(self.path)} has fewer than the {rows} rows that its checkpoint counts: it was replaced "
                "or cut. Delete the checkpoint to begin anew."
            )
        while self.rows < rows:
            count = min(ROWS_A_CHECKSUM, rows - self.rows)
            checksums += self._absorb(os.pread(self._file, count * size, self._begins("t") + self.rows * size))
        if self.digest() != digest:
            self.close()
            raise FileError(
                f"{places.shown(self.path)} does not hold the {rows} rows that its checkpoint counts: it was replaced "
                "or damaged. Delete the checkpoint to begin anew."
            )
        self._write(self._head[:4] + struct.pack(">I", rows) + self._head[8:] + netcdf_header.AXES, 0)
        self._write(bytes(checksums), self._begins("checksum"))

    def append(self, **columns: np.ndarray) -> None:
        """Write rows behind those that are there: t, Q, Omega, momentum and, where there are, energy and speeds."""
        table = np.empty(len(columns["t"]), self.dtype)
        for name in self._fields:
            table[name] = columns[name]
        block, data = self.rows // ROWS_A_CHECKSUM, table.tobytes()
        self._write(data, self._end_of_rows())
        self._write(self._absorb(data), self._begins("checksum") + 4 * block)
        self._write(struct.pack(">I", self.rows), netcdf_classic.RECORDS)

    def sync(self) -> None:
        """Return when everything written is on the disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            raise self._lost(error) from error

    def digest(self) -> int:
        """One number for all rows so far: the checksum of the checksums of their blocks."""
        return zlib.crc32(struct.pack(">I", self._tail), self._full)

    def finish(self, message: str, stats: dict[str, Any], success: bool) -> bool:
        """Write what is known at the end, then the mark that the file is complete. Returns whether it has its name."""
        self._end_of_rows()
        text = json.dumps(stats)
        if len(text) > ROOM["stats"]:  # a path of thousands of letters
            text = json.dumps({k: v for k, v in stats.items() if k != "file"})
        end = {
            "message": netcdf_header.room("message", message),
            "stats": netcdf_header.room("stats", text),
            "success": netcdf_header.integer(success),
        }
        self._attribute(checksum_end=netcdf_header.end(end, self.rows), **end)
        self.sync()
        if success:
            self._attribute(complete=netcdf_header.integer(1))
            self.sync()
        try:
            return os.path.samestat(os.stat(self._place), os.fstat(self._file))
        except OSError:
            return False

    def columns(self) -> dict[str, np.ndarray]:
        """The columns as arrays that are read from the file where they are looked at: this file, whatever its name."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            table = np.memmap(file, self.dtype, "r", self._begins("t"), (self.rows,))
        return {name: table[name] for name in self._fields}

    def close(self) -> None:
        """Leave the file as it is."""
        if self._file >= 0:
            os.close(self._file)
        self._file = CLOSED

    def _begins(self, variable: str) -> int:
        return self._header.begins[variable]

    def _end_of_rows(self) -> int:
        """Where the next row goes; the rows before must be there: behind a cut the system would make up zeros."""
        end = self._begins("t") + self.rows * self.dtype.itemsize
        if os.fstat(self._file).st_size < end:
            raise FileError(
                f"{places.shown(self.path)} was cut by somebody else while the run went on; {self.rows} rows had been "
                "written. Run it again."
            )
        return end

    def _absorb(self, data: bytes) -> bytes:
        """Count rows; the checksums of the blocks they touch, as bytes."""
        checksums, view = b"", memoryview(data)
        while view:
            room = (ROWS_A_CHECKSUM - self.rows % ROWS_A_CHECKSUM) * self.dtype.itemsize
            part, view = view[:room], view[room:]
            self._tail = zlib.crc32(part, self._tail)
            checksum = struct.pack(">I", self._tail)
            checksums += checksum
            self.rows += len(part) // self.dtype.itemsize
            if self.rows % ROWS_A_CHECKSUM == 0:
                self._tail, self._full = 0, zlib.crc32(checksum, self._full)
        return checksums

    def _attribute(self, **values: bytes) -> None:
        for name, value in values.items():
            self._write(value, self._header.places[name][0])

    def _write(self, data: bytes, offset: int) -> None:
        view = memoryview(data)
        try:
            while view:
                n = os.pwrite(self._file, view, offset)
                view, offset = view[n:], offset + n
        except OSError as error:
            raise self._lost(error) from error

    def _lost(self, error: OSError) -> FileError:
        return FileError(
            f"{places.shown(self.path)} cannot be written any more: {error.strerror}. The {self.rows} rows before are "
            "in it, and a run with a checkpoint can go on from there once this is mended."
        )
