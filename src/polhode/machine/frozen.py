"""Functions that may change, frozen as they are now, for the compiler.

Numba compiles the value that a global has when it compiles, and keeps the code of every function that it has met. So
what is given to it is never the user's function itself but a copy of it, made from the same values that the fingerprint
was made from: same code, its globals, cells and defaults as they are at this moment, its helpers copied likewise.
A torque that can be written out as straight lines of arithmetic is (``straight_line.py``).
Functions of this package that reach nothing of the user's do not change, and are not copied.
"""

import builtins
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numba

from polhode.kernels.fingerprint import is_static
from polhode.kernels.references import is_array, is_jitted, is_library, paths
from polhode.kernels.scalar import alone, done_alone
from polhode.machine.by_type import INSIDE
from polhode.machine.straight_line import straightened
from polhode.machine.user_functions import LIKE_PYTHON, UsersCompiler, is_users


def frozen(functions: Iterable[Callable[..., Any]], as_kernels: bool) -> list[Callable[..., Any]]:
    """Copies of these functions, for the compiler.

    As kernels, they are plain functions, which the compiler finds another implementation for where they run in lanes.
    Otherwise what they call is compiled functions that nothing else holds: their memory is given back.
    """
    copies = _Copies(as_kernels)
    return [copies.of(f, outermost=True) for f in functions]


class _Copies:
    """Copies of functions that refer to each other; each function is copied once."""

    def __init__(self, as_kernels: bool) -> None:
        self._as_kernels = as_kernels
        self._made: dict[int, Any] = {}
        self._kept: list[Any] = []

    def of(self, value: Any, outermost: bool = False) -> Any:
        """A value as the compiler may have it."""
        if id(value) in self._made:
            return self._made[id(value)]
        if is_jitted(value):
            options = {k: x for k, x in value.targetoptions.items() if k != "nopython"}
            return self._function(value, value.py_func, False, {**options, "pipeline_class": UsersCompiler})
        if isinstance(value, types.FunctionType) and not is_library(value) and not is_static(value):
            line = straightened(value)
            if line is None:
                return self._function(value, value, outermost, options_of(value))
            self._made[id(value)] = made = self._function(line, line, outermost, options_of(line))
            self._kept.append(value)
            return made
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(self.of(x) for x in value)
        if is_array(value) and value.shape:
            return value.copy(order="K")
        return value

    def _function(self, value: Any, f: types.FunctionType, outermost: bool, options: dict[str, Any]) -> Any:
        cells = tuple(types.CellType() for _ in f.__closure__ or ())
        space = {"__name__": "polhode" if is_users(f) else __name__, "__builtins__": builtins}
        copy = types.FunctionType(f.__code__, space, f.__name__, None, cells)
        copy.__qualname__ = f.__qualname__
        copy.__defaults__ = tuple(self.of(x) for x in f.__defaults__) if f.__defaults__ else None
        copy.__kwdefaults__ = {k: self.of(x) for k, x in f.__kwdefaults__.items()} if f.__kwdefaults__ else None
        plain = outermost or (self._as_kernels and value is f)
        self._made[id(value)] = made = copy if plain else inner(copy, options)
        self._kept.append(value)
        named = paths(f.__code__)
        for name, cell, old in zip(f.__code__.co_freevars, cells, f.__closure__ or ()):
            try:
                content = old.cell_contents
            except ValueError:  # not filled yet
                continue
            made_of_it = None
            for path in [path for path in named if path[0] == name] or [(name,)]:
                made_of_it = self._named(made_of_it, content, path)
            cell.cell_contents = made_of_it
        for path in named:
            if path[0] in f.__globals__ and path[0] not in f.__code__.co_freevars:
                space[path[0]] = self._named(space.get(path[0]), f.__globals__[path[0]], path)
        one = done_alone(f)
        if one is not None:
            alone(copy, copy if one is f else self.of(one))
        return made

    def _named(self, before: Any, value: Any, path: tuple[str, ...]) -> Any:
        """What a name stands for; for a module that may change, a copy with the names in use, or with all names."""
        if not isinstance(value, types.ModuleType) or is_library(value):
            return self.of(value)
        if len(path) == 1:  # Numba keeps what it has read of a module as long as it knows the module
            copy = types.ModuleType(value.__name__)
            vars(copy).update(vars(value))
            return copy
        copy = before if isinstance(before, types.ModuleType) else types.ModuleType(value.__name__)
        if hasattr(value, path[1]):
            setattr(copy, path[1], self._named(getattr(copy, path[1], None), getattr(value, path[1]), path[1:]))
        return copy


INLINED = {**INSIDE, "forceinline": True}
USERS = {**INLINED, **LIKE_PYTHON, "pipeline_class": UsersCompiler}


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """How a function is compiled where machine code calls it: a user's by ``user_functions.py``."""
    return USERS if is_users(function) else INLINED


_INNER: "weakref.WeakSet[Callable[..., Any]]" = weakref.WeakSet()


def inner(function: Callable[..., Any], options: dict[str, Any] = INLINED) -> Any:
    """A function compiled where machine code calls it. Nothing else holds it, so it goes when its caller goes."""
    _INNER.add(function)
    return numba.njit(**options)(function)


def is_compiled_where_called(function: Callable[..., Any]) -> bool:
    """Whether a function is one of these copies, which Numba compiles without being told of them."""
    return function in _INNER
