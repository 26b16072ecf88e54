"""Libraries reached in roundabout ways: modules held as a whole, classes that were added to, functions that read files.

``m = math`` in a function, ``import numpy as np`` there, a module as an argument or in an object: which attributes are
taken of it is not written beside its name. So the fingerprint looks up every name of every code it meets in every such
module. Names that are not written in any code (``getattr(m, text)``) are not to be seen.
"""

import functools
import importlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from polhode.kernels.references import codes, is_library

BY_TEXT = frozenset({"getattr", "attrgetter", "methodcaller", "vars", "dir", "__dict__", "__getattribute__"})
"""Names of functions and attributes that find an attribute by something else than its name in a code."""

READING_MODULES = frozenset(
    {"os", "posix", "nt", "genericpath", "posixpath", "ntpath", "io", "_io", "sys", "pathlib", "glob", "mmap", "shelve"}
    | {"importlib", "inspect", "gc", "linecache", "subprocess", "socket", "_socket", "urllib", "http", "sqlite3", "dbm"}
)
"""Modules whose functions say what is in files, in the environment, in the interpreter or somewhere else."""

READING_FUNCTIONS = frozenset({"load", "loadtxt", "genfromtxt", "fromfile", "open_memmap", "loadmat", "imread"})
"""Functions of NumPy and SciPy that read files."""

READING_METHODS = frozenset(
    {"read_text", "read_bytes", "open", "stat", "lstat", "exists", "is_file", "is_dir", "iterdir", "glob", "rglob"}
)
"""Methods of a path that look at the disk."""

ABSENT = object()


@functools.lru_cache(maxsize=4096)
def names_in(code: types.CodeType) -> frozenset[str]:
    """Every name that a code and those inside it write: globals, attributes, what they import."""
    return frozenset(name for part in codes(code) for name in part.co_names)


def imported(name: str) -> types.ModuleType | None:
    """A module of a library that a function imports when it is called; None if it cannot be had."""
    try:
        return importlib.import_module(name)
    except Exception:  # whatever a library does that is not there, or not for this system
        return None


def part_of(module: types.ModuleType, name: str) -> Any:
    """What a module has by a name, or a module of a package's; ABSENT if nothing."""
    return vars(module).get(name, sys.modules.get(f"{module.__name__}.{name}", ABSENT))


def is_closed(kind: type) -> bool:
    """Whether nothing can be put into a class: Python's flag of those made in C."""
    return bool(kind.__flags__ & 1 << 8)


def put_into(kind: type) -> Iterator[tuple[str, types.FunctionType]]:
    """(name, function) of what someone has put into a class of a library's or into one of its bases."""
    for owner in kind.__mro__:
        if not is_closed(owner) and is_library(owner):
            for name, part in vars(owner).items():
                function = getattr(part, "fget", getattr(part, "__func__", part))
                if isinstance(function, types.FunctionType) and not _is_at_home(function):
                    yield name, function


def _is_at_home(function: types.FunctionType) -> bool:
    return is_library(function) or (function.__module__ or "").startswith("namedtuple_")


def reads(function: Any) -> bool:
    """Whether what a function of a library's says hangs on more than its arguments: on files, on the environment."""
    home = (getattr(function, "__module__", None) or "").split(".")[0]
    if "<locals>" in function.__qualname__:  # as those that os.environ keeps
        return False
    return home in READING_MODULES or (home in ("numpy", "scipy") and function.__name__ in READING_FUNCTIONS)
