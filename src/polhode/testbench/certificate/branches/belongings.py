"""What belongs to an integrator, as far as its code names it: functions, objects, and what it shares with others."""

import contextlib
import functools
import gc
import io
import os
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from polhode.integrators.method import BlackBox, Method
from polhode.testbench.certificate.branches.texts import Texts

PATHS = sysconfig.get_paths()
OURS = os.path.dirname(os.path.abspath(__file__)).split(f"{os.sep}testbench{os.sep}")[0] + os.sep
LIBRARIES = tuple(PATHS[key] + os.sep for key in ("stdlib", "platstdlib", "purelib", "platlib"))
NOBODYS_OWN = ("polhode", "numpy", "scipy", "numba")  # packages of which no integrator is the user's own
PLAIN = (*(int, float, complex, str, bytes, range, slice, type(None), type(...)), np.generic, np.dtype, np.ufunc)
MOST_THINGS = 20_000  # that are looked at
OUTSIDE = ("socket", "subprocess", "multiprocessing", "mmap", "sqlite3", "asyncio", "mpi4py", "zmq", "serial")
"""Packages whose objects are the near end of something outside of this process."""


class Owner:
    """Whose a file is: that of who wrote an integrator, or one of a library's."""

    def __init__(self, method: Any, texts: Texts) -> None:
        self.package, self.texts = package_of(inner_of(method)), texts
        self.known: dict[str, bool] = {}

    def has_file(self, file: str) -> bool:
        """Whether a file is there, and neither of polhode, nor of Python, nor of an installed package, if it is not
        that of the integrator."""
        if file not in self.known:
            is_own = bool(self.package) and file.startswith(self.package)
            is_installed = file.startswith(LIBRARIES) or "site-packages" in file or "dist-packages" in file
            is_foreign = file.startswith(OURS) or (is_installed and not is_own)
            self.known[file] = not is_foreign and self.texts.is_there(file)
        return self.known[file]

    def has(self, thing: Any) -> bool:
        """Whether a function, or a class by one of its methods, is from such a file."""
        if isinstance(thing, types.FunctionType):
            return self.has_file(thing.__code__.co_filename)
        if isinstance(thing, types.ModuleType):
            return self.has_file(getattr(thing, "__file__", None) or "")
        methods = (x for x in vars(thing).values() if isinstance(x, types.FunctionType))
        return any(self.has_file(x.__code__.co_filename) for x in methods)


def inner_of(method: Any) -> Any:
    """What an author has written of what is certified."""
    if isinstance(method, Method):
        return method.step
    return method.advance if isinstance(method, BlackBox) else method


def uncompiled(thing: Any) -> types.FunctionType | None:
    """The function that Numba has compiled this from, if it has."""
    if str(type(thing).__module__).split(".")[0] != "numba":  # nothing else is asked: it might answer
        return None
    function = getattr(thing, "py_func", None)
    return function if isinstance(function, types.FunctionType) else None


def package_of(thing: Any) -> str:
    """The folder of the package that a function, or the class of an object, is from; a file, if it is from that alone;
    nothing of what is a library for everybody."""
    inner = thing.func if isinstance(thing, functools.partial) else thing
    root = str(getattr(inner, "__module__", None) or type(inner).__module__).split(".")[0]
    if root in sys.stdlib_module_names or root in NOBODYS_OWN:
        return ""
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return os.path.dirname(file) + os.sep if os.path.basename(file) == "__init__.py" else file


def belongings(method: Any, owner: Owner) -> Iterator[Any]:
    """An integrator and what is reached from it, each once."""
    kept: dict[int, Any] = {}
    left = [method.step, method.start] if isinstance(method, Method) else [inner_of(method)]
    while left and len(kept) < MOST_THINGS:
        thing = left.pop()
        if id(thing) in kept or isinstance(thing, PLAIN):
            continue
        kept[id(thing)] = thing
        yield thing
        left += _parts(thing, owner)


def _parts(thing: Any, owner: Owner) -> list[Any]:
    if isinstance(thing, types.FunctionType):
        return list(_parts_of_a_function(thing, owner))
    if isinstance(thing, types.ModuleType):
        return [x for x in vars(thing).values() if not isinstance(x, types.ModuleType)] if owner.has(thing) else []
    if isinstance(thing, type):
        return [x for base in thing.__mro__ if owner.has(base) for x in vars(base).values()]
    if uncompiled(thing):
        return [uncompiled(thing)]
    if str(type(thing).__module__).split(".")[0] == "polhode":
        return []
    return gc.get_referents(thing)[:MOST_THINGS]


def _parts_of_a_function(function: types.FunctionType, owner: Owner) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # an empty one
            yield cell.cell_contents
    yield from (function.__defaults__ or ())
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    if owner.has(function):
        known = function.__globals__
        yield from (known[name] for name in _names(function.__code__) if name in known)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that a function, and those inside it, may look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def shared_outside(things: Iterable[Any]) -> str:
    """In words, what a process that is forked off this one would share with it, though it must not."""
    for thing in things:
        kind = type(thing)
        if isinstance(thing, io.IOBase) and _is_a_file(thing):
            return f"it has a file, {getattr(thing, 'name', kind.__name__)!s:.80}"
        if str(kind.__module__).split(".")[0].lstrip("_") in OUTSIDE:
            return f"it has a {kind.__name__}, which is shared with others"
    return ""


def _is_a_file(stream: io.IOBase) -> bool:
    try:
        return not stream.closed and stream.fileno() > 2  # not a standard stream, which a child has not
    except (OSError, ValueError):
        return False
