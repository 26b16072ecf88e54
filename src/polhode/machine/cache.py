"""What is kept between processes: where, and so that nothing damaged or planted is ever used.

An entry is one file: a mark, a checksum of what follows, and the content. It is written under another name and takes
its place in one step, so that a reader finds the old one, the new one or none. The folder belongs to its user alone,
because what it holds is executed. It is bounded: what has not been used for longest goes first.
"""

import contextlib
import functools
import hashlib
import os
import pathlib
import re
import shutil
import tempfile
import time

from polhode.inputs.warning import warn

MARK = b"polhode cache 1\n"
MOST_BYTES, MOST_FILES = 512 * 2**20, 4096
"""The most that is kept; where it is exceeded, the quarter used longest ago is removed."""

MOST_DAYS = 30
"""Machine code of other versions of the sources is removed when it has not been used for so long."""


def cache_base() -> pathlib.Path:
    """The folder of everything kept between processes; POLHODE_CACHE moves it."""
    base = os.environ.get("POLHODE_CACHE")
    if base is not None:
        return pathlib.Path(base)
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return pathlib.Path(home or pathlib.Path.home() / ".cache") / "polhode"


@functools.cache
def folder(path: pathlib.Path) -> "Folder":
    """The folder at a path, once."""
    return Folder(path)


class Folder:
    """A private folder of checked entries; one that cannot be used is empty and keeps nothing, with one warning."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._usable: bool | None = None

    def read(self, name: str) -> bytes | None:
        """The content of an entry, or None if there is none or it is not whole."""
        if not self._is_usable():
            return None
        file = self.path / name
        try:
            data = file.read_bytes()
        except OSError:
            return None
        head, sum_, content = data[: len(MARK)], data[len(MARK) : len(MARK) + 32], data[len(MARK) + 32 :]
        if head != MARK or sum_ != _checksum(name, content):
            self.remove(name)
            return None
        with contextlib.suppress(OSError):
            os.utime(file)  # used now: the last to go
        return content

    def write(self, name: str, content: bytes) -> None:
        """Keep an entry; where that is impossible (a full disk, a folder that is read only) nothing is kept."""
        if not self._is_usable():
            return
        try:
            with tempfile.NamedTemporaryFile(dir=self.path, prefix=".new-", delete=False) as file:
                file.write(MARK + _checksum(name, content) + content)
            os.replace(file.name, self.path / name)
        except OSError as error:
            with contextlib.suppress(OSError, UnboundLocalError):
                os.unlink(file.name)
            self._say(f"cannot be written: {error.strerror}")
            return
        self._bound()

    def remove(self, name: str) -> None:
        """Forget an entry."""
        with contextlib.suppress(OSError):
            (self.path / name).unlink()

    def _is_usable(self) -> bool:
        if self._usable is None:
            self._usable = self._made()
        return self._usable

    def _made(self) -> bool:
        try:
            if not self.path.exists():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.mkdir(mode=0o700, exist_ok=True)
                _forget_others(self.path)
            about = self.path.stat()
        except OSError as error:
            self._say(f"cannot be used: {error.strerror}")
            return False
        if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
            self._say("belongs to another user or can be written by others")
            return False
        return True

    def _say(self, what: str) -> None:
        if self._usable is not False:
            self._usable = False
            warn(
                f"The cache folder {self.path} {what}. What it would hold is made anew in each process. POLHODE_CACHE "
                "names another folder."
            )

    def _bound(self) -> None:
        with contextlib.suppress(OSError):
            files = [(x.stat().st_mtime, x.stat().st_size, x.path) for x in os.scandir(self.path) if x.is_file()]
            size = sum(x for _, x, _ in files)
            if size <= MOST_BYTES and len(files) <= MOST_FILES:
                return
            left = len(files)
            for _, bytes_, path in sorted(files):
                if size <= 0.75 * MOST_BYTES and left <= 0.75 * MOST_FILES:
                    return
                with contextlib.suppress(OSError):
                    os.unlink(path)
                size, left = size - bytes_, left - 1


def _checksum(name: str, content: bytes) -> bytes:
    """Of the name too: an entry under another name is not that entry."""
    return hashlib.sha256(name.encode() + b"\0" + content).digest()


def _forget_others(path: pathlib.Path) -> None:
    """Remove machine code of other versions that has not been used for long."""
    before = time.time() - 86400 * MOST_DAYS
    for other in path.parent.iterdir():
        ours = re.fullmatch("(code-)?[0-9a-f]{16}", other.name) and other.is_dir() and other != path
        with contextlib.suppress(OSError):
            if ours and max((x.stat().st_mtime for x in os.scandir(other)), default=0) < before:
                shutil.rmtree(other, ignore_errors=True)
