"""Files and folders that users name."""

import os
import pathlib
from typing import Any

from polhode.errors import FileError, InputError, one_line


def file_path(label: str, value: Any) -> pathlib.Path:
    """The path of a file: not a folder, and of a form that the system can open."""
    path = _path(label, value)
    if path.name in ("", ".."):
        raise FileError(f"{label} is {one_line(str(path))}; give the name of a file.")
    try:
        is_folder, is_other = path.is_dir(), path.exists() and not path.is_file()
    except OSError as error:
        raise FileError(f"{label}, {one_line(str(path))}, cannot be used: {error.strerror}. Choose another.") from None
    if is_folder:
        raise FileError(f"{label} is {one_line(str(path))}, a folder; give the name of a file in it.")
    if is_other:
        raise FileError(f"{label} is {one_line(str(path))}, a device or pipe; give the name of a file.")
    return path


def folder_path(label: str, value: Any) -> pathlib.Path:
    """The path of a folder, there or not."""
    return _path(label, value)


def _path(label: str, value: Any) -> pathlib.Path:
    if not isinstance(value, (str, os.PathLike)):
        raise InputError(f"{label} is {one_line(value)}; it must be a path: text or a pathlib.Path.")
    try:
        text = os.fspath(value)
        if not isinstance(text, str):
            raise TypeError
    except Exception:  # a path of bytes, or whatever __fspath__ raises
        raise InputError(f"{label} is {one_line(value)}; it must be a path: text or a pathlib.Path.") from None
    if not text or "\0" in text:
        raise FileError(f"{label} is {one_line(text)}; a path is neither empty nor has a zero character in it.")
    try:
        os.stat(text)
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:  # too long, a loop of links, no permission; characters it cannot encode
        if isinstance(error, (PermissionError, NotADirectoryError)):
            return pathlib.Path(text)  # said where it is opened, with advice for the case
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{label}, {one_line(text)}, cannot be used: {reason}. Choose another.") from None
    return pathlib.Path(text)
