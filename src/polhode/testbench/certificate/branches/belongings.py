"""What belongs to an integrator, as far as its code names it: functions and objects, and memory that others share."""

import collections
import contextlib
import dis
import functools
import gc
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
MOST_THINGS = 200_000  # that are looked at
SHARED = ("mmap", "multiprocessing.shared_memory", "multiprocessing.heap", "multiprocessing.synchronize")
"""Modules whose objects have memory that is shared with other processes."""


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
        if type(thing) is types.FunctionType:
            return self.has_file(thing.__code__.co_filename)
        if type(thing) is types.ModuleType:
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


def belongings(method: Any, owner: Owner) -> list[Any]:
    """An integrator and what is reached from it, each once, the nearest first. What a thing is, its type tells: the
    thing itself is not asked, since it might do something."""
    kept: dict[int, Any] = {}
    left = collections.deque([method.step, method.start] if isinstance(method, Method) else [inner_of(method)])
    while left and len(kept) < MOST_THINGS:
        thing = left.popleft()
        if id(thing) not in kept and not issubclass(type(thing), PLAIN):
            kept[id(thing)] = thing
            left.extend(_parts(thing, owner))
    return list(kept.values())


def _parts(thing: Any, owner: Owner) -> Iterable[Any]:
    kind = type(thing)
    if kind is types.FunctionType:
        return _parts_of_a_function(thing, owner)
    if issubclass(kind, types.ModuleType):
        return ()
    if issubclass(kind, type):
        return [x for base in thing.__mro__ if owner.has(base) for x in vars(base).values()]
    if uncompiled(thing):
        return [uncompiled(thing)]
    if issubclass(kind, np.ndarray):
        return [thing.base, *(thing.ravel()[:MOST_THINGS].tolist() if thing.dtype.hasobject else ())]
    if kind is memoryview:
        return [thing.obj]
    if str(kind.__module__).split(".")[0] == "polhode":
        return ()
    return gc.get_referents(thing)[:MOST_THINGS]


def _parts_of_a_function(function: types.FunctionType, owner: Owner) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # an empty one
            yield cell.cell_contents
    yield from (function.__defaults__ or ())
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    if not owner.has(function):
        return
    names, attributes = _names(function.__code__)
    for thing in (function.__globals__[name] for name in names if name in function.__globals__):
        yield thing
        if type(thing) is types.ModuleType and owner.has(thing):
            yield from (vars(thing)[name] for name in attributes if name in vars(thing))


def _names(code: types.CodeType) -> tuple[set[str], set[str]]:
    """The names that a function, and those inside it, may look up: global ones, and those of attributes."""
    names = {x.argval for x in dis.get_instructions(code) if x.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    attributes = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            more, others = _names(constant)
            names, attributes = names | more, attributes | others
    return names, attributes


def shares_memory(things: Iterable[Any]) -> bool:
    """Whether one of these has memory that a process which is forked off this one would share with it."""
    return any(str(type(thing).__module__).startswith(SHARED) for thing in things)
