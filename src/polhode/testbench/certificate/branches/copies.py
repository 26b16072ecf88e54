"""Copies of an integrator whose own functions are rewritten: all that belongs to its author, as far as its code names
it. Copies share nothing that can change with the integrator itself, so that a look at its branches is none of its runs.

What can change and cannot be copied (a generator, a lock, a file), or must not be (an object whose end frees what it
shares with its copy), leaves the whole integrator without copies. Compiled functions of libraries are shared: what they
keep behind their back is changed by every call, from whoever.
"""

import abc
import collections
import contextlib
import copy
import ctypes
import functools
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.rewriting import NAME, Unreadable, compiled, rewritten

PATHS = sysconfig.get_paths()
OURS = os.path.dirname(os.path.abspath(__file__)).split(f"{os.sep}testbench{os.sep}")[0] + os.sep
LIBRARIES = tuple(PATHS[key] + os.sep for key in ("stdlib", "platstdlib", "purelib", "platlib"))
CACHED = type(functools.lru_cache(len))  # of a function by functools.cache or lru_cache
CONTAINERS = (list, dict, set, tuple, frozenset, collections.deque)
SHARED = ("polhode", "numpy", "scipy", "numba")  # packages of which no integrator is the user's own
PLAIN = (*(int, float, complex, str, bytes, range, slice, type(None), type(...)), np.generic, np.dtype, np.ufunc)
FOREIGN = (
    *(types.BuiltinFunctionType, types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType),
    *(types.GenericAlias, ctypes.CDLL, ctypes.CFUNCTYPE(None).__mro__[1]),
)
"""What does not change, and functions that are no text of Python; all else that a copy would share is copied."""


class Copies:
    """Rewritten copies, each made once."""

    def __init__(self, recorder: Recorder, method: Any) -> None:
        self.recorder, self.package = recorder, package_of(method)
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []  # copies, and what they were made of: an id must not be another's later
        self.rewritten = 0  # functions

    def of(self, thing: Any) -> Any:
        """The copy of a function, an object, a class or a module of the user's; anything else as it is."""
        if id(thing) in self.made:
            return self.made[id(thing)]
        make = self._maker(thing)
        if make is None:
            return thing
        self.kept.append(thing)
        new = make(thing)
        self.kept.append(new)
        self.made[id(new)] = new  # the copy of a copy is itself: names of a module are replaced one by one
        return new

    def _maker(self, thing: Any) -> Callable[[Any], Any] | None:
        if isinstance(thing, types.FunctionType):
            return self._function
        if isinstance(thing, functools.partial):
            return self._partial
        if isinstance(thing, CACHED):
            return self._cached
        if isinstance(thing, types.MethodType):
            return lambda method: types.MethodType(self.of(method.__func__), self.of(method.__self__))
        if isinstance(getattr(thing, "py_func", None), types.FunctionType):  # compiled by Numba
            return lambda compiled: self.of(compiled.py_func)
        if isinstance(thing, types.ModuleType):
            return self._module if self._is_users(getattr(thing, "__file__", None) or "") else None
        if isinstance(thing, type):
            return self._class if self._is_class_of_users(thing) else None
        if isinstance(thing, CONTAINERS):
            return self._container
        if isinstance(thing, (*PLAIN, *FOREIGN)) or str(type(thing).__module__).split(".")[0] == "polhode":
            return None
        return self._object if self._is_class_of_users(type(thing)) else self._as_it_is

    def _function(self, function: types.FunctionType) -> Any:
        code = function.__code__
        belongs = self._is_users(code.co_filename)
        if not belongs and not function.__closure__:
            return function
        try:
            telling = rewritten(code, self.recorder) if belongs else code
        except Unreadable:
            telling, belongs = code, False
        cells = dict(zip(code.co_freevars, function.__closure__ or ()))
        cell = self._cell if belongs else self._cell_of_a_library
        closure = tuple(cells[x] if x == "__class__" else cell(cells[x]) for x in telling.co_freevars)
        names = self._globals(function.__globals__) if belongs else function.__globals__
        found = types.FunctionType(telling, names, function.__name__, function.__defaults__, closure or None)
        found.__kwdefaults__, found.__dict__ = function.__kwdefaults__, dict(vars(function))
        self.made[id(function)] = found
        if belongs:
            self.rewritten += 1
            for name in set(_names(code)) & set(names):
                names[name] = self.of(names[name])
        if function.__defaults__:
            found.__defaults__ = tuple(self.of(x) for x in function.__defaults__)
        return found

    def _cell(self, cell: types.CellType) -> types.CellType:
        if id(cell) not in self.made:
            self.kept.append(cell)
            self.made[id(cell)] = new = types.CellType()
            with contextlib.suppress(ValueError):  # an empty one
                new.cell_contents = self.of(cell.cell_contents)
        return self.made[id(cell)]

    def _cell_of_a_library(self, cell: types.CellType) -> types.CellType:
        """The same of a decorator that is not the user's: what it has beside the function is its own matter."""
        try:
            return self._cell(cell)
        except Unreadable:
            return cell

    def _globals(self, names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in self.made:
            self.kept.append(names)
            self.made[id(names)] = dict(names) | {NAME: self.recorder}
        return self.made[id(names)]

    def _partial(self, thing: functools.partial[Any]) -> Any:
        arguments = [self.of(x) for x in thing.args]
        keywords = {name: self.of(x) for name, x in thing.keywords.items()}
        return functools.partial(self.of(thing.func), *arguments, **keywords)

    def _cached(self, function: Any) -> Any:
        """The same with an empty cache of its own."""
        return functools.lru_cache(**function.cache_parameters())(self.of(function.__wrapped__))

    def _module(self, module: types.ModuleType) -> Any:
        self.made[id(module)] = new = types.ModuleType(module.__name__)
        vars(new).update({name: x for name, x in vars(module).items() if not name.startswith("__")})
        for name, x in list(vars(new).items()):
            if isinstance(x, (types.FunctionType, *CONTAINERS)):
                vars(new)[name] = self.of(x)
        return new

    def _container(self, thing: Any) -> Any:
        """A copy with the copies of what is in it."""
        if isinstance(thing, (tuple, set, frozenset)):
            new = [self.of(x) for x in thing]
            if all(a is b for a, b in zip(new, thing)) and not isinstance(thing, set):
                return thing
            made = type(thing)(*new) if hasattr(thing, "_fields") else type(thing)(new)
            self.made[id(thing)] = made
            return made
        self.made[id(thing)] = made = copy.copy(thing)
        for key in list(made) if isinstance(made, dict) else range(len(made)):
            made[key] = self.of(made[key])
        return made

    def _as_it_is(self, thing: Any) -> Any:
        """A copy of what is a library's, or gives another number each time that it is asked; with nothing in it
        rewritten."""
        _check_may_be_copied(thing)
        try:
            self.made[id(thing)] = new = copy.deepcopy(thing)
        except Exception:
            raise Unreadable(f"{type(thing).__name__} is not to be copied: a look at it would change it") from None
        return new

    def _class(self, of: type) -> Any:
        """A class below, whose methods and changing attributes are the copies."""
        if type(of) not in (type, abc.ABCMeta) or "__init_subclass__" in {x for y in of.__mro__[:-1] for x in vars(y)}:
            raise Unreadable(f"{of.__name__} takes note of the classes below it")
        self.made[id(of)] = of  # of itself, while its methods are made
        found: dict[str, Any] = {"__slots__": ()} if "__slots__" in vars(of) else {}
        for base in reversed([x for x in of.__mro__ if self._is_class_of_users(x)]):
            for name, x in vars(base).items():
                is_attribute = isinstance(x, CONTAINERS) and not name.startswith("__")
                if is_attribute or isinstance(x, (types.FunctionType, CACHED)):
                    found[name] = self.of(x)
                elif isinstance(x, (staticmethod, classmethod)) and isinstance(x.__func__, types.FunctionType):
                    found[name] = type(x)(self.of(x.__func__))
                elif isinstance(x, property) and isinstance(x.fget, types.FunctionType):
                    found[name] = property(self.of(x.fget), x.fset, x.fdel)
                elif isinstance(x, functools.cached_property):
                    found[name] = functools.cached_property(self.of(x.func))
        self.made[id(of)] = new = type(of)(of.__name__, (of,), found)
        return new

    def _object(self, thing: Any) -> Any:
        _check_may_be_copied(thing)
        new = copy.copy(thing)
        if new is thing:
            return thing
        self.made[id(thing)] = new
        below = self.of(type(thing))
        if below is not type(thing):
            object.__setattr__(new, "__class__", below)
        for name, x in list(getattr(new, "__dict__", {}).items()):
            vars(new)[name] = self.of(x)
        for name in _slots(type(thing)):
            if hasattr(thing, name):
                object.__setattr__(new, name, self.of(getattr(new, name)))
        return new

    # ---- whose it is

    def _is_users(self, file: str) -> bool:
        """Whether a file is there, and neither of polhode, nor of Python, nor of an installed package, if it is not
        that of the integrator."""
        is_own = bool(self.package) and file.startswith(self.package)
        is_installed = file.startswith(LIBRARIES) or "site-packages" in file or "dist-packages" in file
        if file.startswith(OURS) or (is_installed and not is_own):
            return False
        try:
            compiled(file)
        except Unreadable:
            return False
        return True

    def _is_class_of_users(self, of: type) -> bool:
        """Whether one of its methods is from such a file: its module need not have one, as in a notebook."""
        methods = (x for x in vars(of).values() if isinstance(x, types.FunctionType))
        return any(self._is_users(x.__code__.co_filename) for x in methods)


def package_of(thing: Any) -> str:
    """The folder of the package that a function, or the class of an object, is from; a file, if it is from that alone;
    nothing of what is a library for everybody."""
    inner = thing.func if isinstance(thing, functools.partial) else thing
    root = str(getattr(inner, "__module__", None) or type(inner).__module__).split(".")[0]
    if root in sys.stdlib_module_names or root in SHARED:
        return ""
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    return os.path.dirname(file) + os.sep if os.path.basename(file) == "__init__.py" else file


def _slots(of: type) -> Iterator[str]:
    """The names of what objects of a class have in slots."""
    for base in of.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            is_private = name.startswith("__") and not name.endswith("__")
            yield f"_{base.__name__.lstrip('_')}{name}" if is_private else name


def _check_may_be_copied(thing: Any) -> None:
    if hasattr(type(thing), "__del__"):
        raise Unreadable(f"{type(thing).__name__} has an end of its own: that of a copy might free what it shares")


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that a function, and those inside it, may look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
