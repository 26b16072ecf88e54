"""Where files go: names that can be written, and new files that take the place of old ones in one step.

A file is never written over. The new one is made under another name in the same folder and renamed when it is ready:
whoever has the old one open, or mapped into memory, keeps the old content.
"""

import contextlib
import hashlib
import os
import pathlib
import secrets
import shutil
import stat
from collections.abc import Iterator
from typing import Any

from polhode.errors import FileError, InputError, one_line


def target(path: Any, what: str = "") -> pathlib.Path:
    """The path at which a file is to be written; links are followed. Raises a sentence for what cannot be one."""
    label = f"{what} " if what else ""
    place = named(path, what)
    try:
        place = pathlib.Path(os.path.realpath(place))
        status = place.stat()
    except (FileNotFoundError, NotADirectoryError):  # a matter of the folder, which may yet be made
        return place
    except (OSError, ValueError) as error:
        raise unwritable(label + shown(path), error) from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or a pipe, not a file"
        raise FileError(f"{label}{shown(path)} cannot be written: it is {kind}. Give the name of a file.")
    return place


def named(path: Any, what: str = "") -> pathlib.Path:
    """The path given; it must be text that can name a file."""
    label = f"{what} " if what else ""
    try:
        text = os.fsdecode(path)
    except Exception:  # no text, or whatever its __fspath__ raises
        raise InputError(
            f"{what or 'The file'} is {one_line(path)}; give the name of a file, as text or a Path."
        ) from None
    if not text:
        raise FileError(f"{what or 'The name of the file'} is empty. Give the name of a file.")
    if "\0" in text:
        raise FileError(f"{label}{shown(path)} is no name of a file: it contains a NUL character. Give another name.")
    return pathlib.Path(text)


def shown(path: Any) -> str:
    """A path as it goes into a sentence: shortened when it is very long."""
    text = os.fsdecode(path)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= 200 else f"{text[:80]}...{text[-80:]} ({len(text)} characters)"


def unwritable(label: str, error: Exception, advice: str = "Check the folder and its permissions.") -> FileError:
    """The sentence for a file that the system does not let us write."""
    return FileError(f"{label} cannot be written: {getattr(error, 'strerror', None) or error}. {advice}")


def beside(path: pathlib.Path) -> pathlib.Path:
    """A name that no other file has, in the folder of `path`; short, since that of `path` may be as long as allowed."""
    return path.with_name(f"{_mark(path)}{os.getpid()}-{secrets.token_hex(4)}.new")


def tidy(path: pathlib.Path) -> None:
    """Remove what processes that were killed have left beside `path`."""
    if os.name != "posix":  # elsewhere there is no harmless way to ask whether a process lives
        return
    for left in path.parent.glob(f"{_mark(path)}*.new"):
        process = left.name.removeprefix(_mark(path)).split("-")[0]
        if process.isdigit() and not _lives(int(process)):
            with contextlib.suppress(OSError):
                shutil.rmtree(left) if left.is_dir() else left.unlink()


def _mark(path: pathlib.Path) -> str:
    return f".polhode-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:12]}-"


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


@contextlib.contextmanager
def replacing(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """A new name to write to; the file takes the place of `path` if all went well, and is removed if not."""
    new = beside(path)
    try:
        new.touch(exist_ok=False)  # so that the error is the system's, whatever writes to it afterwards
        yield new
        sync(new)
        os.replace(new, path)
        sync_folder(path.parent)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(new)


def sync(path: Any) -> None:
    """Return when a file is on the disk."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Any) -> None:
    """Make sure that a new name in a folder survives a crash; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
