"""Functions that have not changed since their fingerprint was taken, proved without taking it again.

A fingerprint walks through all that a function reaches, which takes longer than a short run. Most functions reach only
what cannot change behind a name: numbers, text, libraries, other functions, and small arrays. For those a witness is
kept: every name, cell and default with the value it had. As long as each still holds the very same value, and the small
arrays the same bytes, the fingerprint is what it was. A function that reaches anything else (a list, an object, what
Numba has compiled) has no witness, and is walked through each time.
"""

import functools
import types
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from polhode.kernels.fingerprint import Fingerprint, fingerprint, is_static
from polhode.kernels.references import builtins_of, is_array, is_library, is_librarys_ufunc, paths
from polhode.kernels.roundabout import is_closed
from polhode.kernels.walk import ATOMS

MOST_BYTES = 1024
"""The largest array, in bytes, that is compared byte by byte."""

MOST_THINGS = 256
"""The most values in a witness: with more, taking the fingerprint again is as fast."""

_ABSENT = object()


@dataclass(frozen=True)
class _Witness:
    """What must be as it was: functions by code and defaults, cells, names in dictionaries, bytes of arrays."""

    functions: tuple[tuple[Any, Any, Any, Any], ...]
    cells: tuple[tuple[Any, Any], ...]
    names: tuple[tuple[Mapping[str, Any], str, Any], ...]
    arrays: tuple[tuple[Any, str, tuple[Any, ...], bytes], ...]

    def holds(self) -> bool:
        """Whether everything is as it was."""
        for f, code, defaults, by_name in self.functions:
            if f.__code__ is not code or f.__defaults__ is not defaults or f.__kwdefaults__ is not by_name:
                return False
        for cell, value in self.cells:
            if cell.cell_contents is not value:
                return False
        for space, name, value in self.names:
            if space.get(name, _ABSENT) is not value:
                return False
        for array, kind, shape, content in self.arrays:
            if array.dtype.str != kind or array.shape != shape or array.tobytes() != content:
                return False
        return True


_PROVED: "weakref.WeakKeyDictionary[Callable[..., Any], tuple[_Witness, Fingerprint]]" = weakref.WeakKeyDictionary()


def proof(function: Any) -> Fingerprint | None:
    """The fingerprint of a function if it is proved to be what it was; None when it has to be taken (again)."""
    proved = _PROVED.get(function) if isinstance(function, types.FunctionType) else None
    try:
        return proved[1] if proved is not None and proved[0].holds() else None
    except (ValueError, AttributeError):  # a cell that was emptied, an array that lost its type
        return None


def fingerprint_now(functions: tuple[Any, ...]) -> Fingerprint:
    """The fingerprint of functions as they are now; without a walk where nothing can have changed."""
    if len(functions) == 1:
        return _of_one(functions[0])
    changing = [f for f in functions if not is_static(f)]
    if not changing:
        return _of_static(functions)
    parts = [_of_one(f) for f in functions]
    digest = fingerprint([part.digest for part in parts]).digest
    return Fingerprint(digest, tuple(x for part in parts for x in part.unseen))


@functools.lru_cache(maxsize=1024)
def _of_static(functions: tuple[Any, ...]) -> Fingerprint:
    return fingerprint(functions)


def _of_one(function: Any) -> Fingerprint:
    if is_static(function):
        return _of_static((function,))
    if (proved := proof(function)) is not None:
        return proved
    made = fingerprint((function,))
    if isinstance(function, types.FunctionType):
        witness = None if made.unseen else _Gathering(function).witness()
        if witness is None:
            _PROVED.pop(function, None)
        else:
            _PROVED[function] = (witness, made)
    return made


class _NotProvable(Exception):
    """Something was met that may change in ways that cannot be seen cheaply."""


class _Gathering:
    """The witness of a function, while it is gathered."""

    def __init__(self, function: types.FunctionType) -> None:
        self._root = function
        self._functions: dict[types.FunctionType, None] = {}
        self._cells: list[tuple[Any, Any]] = []
        self._names: list[tuple[Mapping[str, Any], str, Any]] = []
        self._arrays: list[tuple[Any, str, tuple[Any, ...], bytes]] = []

    def witness(self) -> _Witness | None:
        """The witness, or None if there can be none."""
        try:
            self._add_function(self._root)
        except (_NotProvable, ValueError):  # ValueError: a cell that is not filled yet
            return None
        functions = tuple(
            (weakref.proxy(f) if f is self._root else f, f.__code__, f.__defaults__, f.__kwdefaults__)
            for f in self._functions
        )
        return _Witness(functions, tuple(self._cells), tuple(self._names), tuple(self._arrays))

    def _add_function(self, f: types.FunctionType) -> None:
        if f is self._root and self._functions:
            raise _NotProvable  # it would hold itself for ever
        if f in self._functions:
            return
        self._functions[f] = None
        for value in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self._add(value)
        if f.__kwdefaults__ or vars(f):
            raise _NotProvable  # dictionaries that may be written to
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
        for cell in cells.values():
            self._cells.append((cell, cell.cell_contents))
        for path in paths(f.__code__):
            if path[0].startswith("import "):
                raise _NotProvable  # a module taken as a whole
            if path[0] in cells:
                self._follow(cells[path[0]].cell_contents, path)
                continue
            for space in (f.__globals__, builtins_of(f)):
                value = space.get(path[0], _ABSENT)
                self._names.append((space, path[0], value))
                if value is not _ABSENT:
                    break
            self._follow(value, path)
        if len(self._names) + len(self._cells) + len(self._functions) > MOST_THINGS:
            raise _NotProvable

    def _follow(self, value: Any, path: tuple[str, ...]) -> None:
        """To the end of a path through modules, of libraries too, as someone may put another function there."""
        for name in path[1:]:
            if not isinstance(value, types.ModuleType):
                break
            if type(value) is not types.ModuleType or name not in vars(value):
                raise _NotProvable  # an attribute that a function of the module's finds
            space, value = vars(value), vars(value)[name]
            self._names.append((space, name, value))
        self._add(value)

    def _add(self, value: Any) -> None:
        kind = type(value)
        if value is _ABSENT or (kind in ATOMS and is_closed(kind)):
            return
        if kind is tuple:
            for x in value:
                self._add(x)
        elif is_array(value):
            if value.nbytes > MOST_BYTES or value.dtype.hasobject or value.dtype.names or not _is_numpys(kind):
                raise _NotProvable
            self._arrays.append((value, value.dtype.str, value.shape, value.tobytes()))
        elif isinstance(value, types.FunctionType):
            if not is_library(value) and not is_static(value):
                self._add_function(value)
        elif _is_record(value):
            space = vars(value)
            self._names.extend((space, name, space.get(name, _ABSENT)) for name in (*value.__match_args__, *RECORD))
        elif not (_is_builtin(value) or _is_librarys(value)):
            raise _NotProvable  # a module as a whole, too: what is taken of it is not written beside it


RECORD = ("shapes", "spread", "first", "__new__")
"""What the class of a user's parameters has beside its fields: see ``inputs/parameters.py``."""


def _is_record(value: Any) -> bool:
    """Whether it is such a class: a plain named tuple, whose instances are made anew for each call."""
    return isinstance(value, type) and value.__module__ == "polhode.inputs.parameters" and value.__bases__ == (tuple,)


def _is_numpys(kind: type) -> bool:
    return kind.__module__ == "numpy"


def _is_librarys(value: Any) -> bool:
    """Whether a value is a class, a ufunc or another function of a library's."""
    if isinstance(value, type):
        return is_library(value) and is_closed(value)
    if type(value).__name__ == "_ArrayFunctionDispatcher":  # np.sum and its kin
        return is_library(value)
    return type(value).__name__ == "ufunc" and is_librarys_ufunc(value)


def _is_builtin(value: Any) -> bool:
    owner = getattr(value, "__self__", None)
    return isinstance(value, types.BuiltinFunctionType) and (owner is None or isinstance(owner, types.ModuleType))
