"""What functions refer to: defaults, cells, globals, builtins, attributes of modules, and functions reached by them."""

import dis
import functools
import itertools
import pathlib
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

LIBRARIES = frozenset({"numpy", "scipy", "numba", "llvmlite", "mpmath", "gmpy2"})
"""Packages that, like the standard library, do not change while a program runs; their functions are known by name."""

OF_KINDS = frozenset(
    {"isinstance", "issubclass", "type", "callable", "hasattr", "getattr", "str", "repr", "format"}
    | {"isscalar", "isrealobj", "iscomplexobj", "issubdtype"}  # of NumPy
)
"""Functions that say of what kind a value is."""

FROM_CELLS = {"LOAD_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}


def reachable(functions: Iterable[Any]) -> list[types.FunctionType]:
    """The given functions and every Python function they refer to, outside libraries, each once."""
    functions_met: dict[types.FunctionType, None] = {}
    todo = list(functions)
    while todo:
        f = python_function(todo.pop())
        if f is None or f in functions_met or is_library(f):
            continue
        functions_met[f] = None
        todo.extend(value for _, value in references(f))
    return list(functions_met)


def builtins_of(function: Any) -> dict[str, Any]:
    """The builtins that a Python function sees; others may stand there than those of the language."""
    builtins: dict[str, Any] = function.__builtins__
    return builtins


def python_function(value: Any) -> types.FunctionType | None:
    """A Python function as it is; of a function compiled by Numba, its Python source; None for anything else."""
    value = value.py_func if is_jitted(value) else value
    return value if isinstance(value, types.FunctionType) else None


def is_jitted(value: Any) -> bool:
    """Whether it is a function compiled by Numba; its class says so, as an object may have any attribute asked for."""
    return is_numbas(value) and isinstance(getattr(value, "py_func", None), types.FunctionType)


def is_numbas(value: Any) -> bool:
    """Whether the class of a value is one of Numba's."""
    return type(value).__module__.startswith("numba.")


def is_array(value: Any) -> bool:
    """Whether it is an array or a number of NumPy's, or of a class made from them."""
    return any(x.__module__ == "numpy" and x.__name__ in ("ndarray", "generic") for x in type(value).__mro__)


def is_library(value: Any) -> bool:
    """Whether a function, class or module belongs to a library that does not change."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return isinstance(name, str) and is_library_name(name.split(".")[0])


@functools.cache
def is_library_name(root: str) -> bool:
    if root in LIBRARIES or root == "builtins":
        return True
    if root not in sys.stdlib_module_names or root == "__main__":
        return False
    file = getattr(sys.modules.get(root), "__file__", None)  # a user's own random.py is not the standard library's
    return file is None or pathlib.Path(file).is_relative_to(sysconfig.get_path("stdlib"))


def is_librarys_ufunc(value: Any) -> bool:
    """Whether a ufunc is one that NumPy or SciPy has under its name."""
    homes = (sys.modules.get(name) for name in ("numpy", "scipy.special"))
    return any(getattr(home, value.__name__, None) is value for home in homes)


def references(f: types.FunctionType) -> Iterator[tuple[tuple[str, ...], Any]]:
    """(path, value) of what a function takes from outside: defaults, cells, globals, builtins, attributes of modules.

    The path of ``module.part.value`` is its three names; a module is followed as far as the code names attributes.
    """
    yield from ((("default", str(i)), x) for i, x in enumerate(f.__defaults__ or ()))
    yield from ((("default", name), x) for name, x in sorted((f.__kwdefaults__ or {}).items()))
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or ()))
    for path in paths(f.__code__):
        name = path[0]
        if name in cells:
            try:
                value = cells[name].cell_contents
            except ValueError:  # not filled yet
                continue
        elif name in f.__globals__:
            value = f.__globals__[name]
        elif name in builtins_of(f):
            value = builtins_of(f)[name]
        else:
            continue  # not there: the path itself says which name was looked for
        yield followed(path, value)


def followed(path: tuple[str, ...], value: Any) -> tuple[tuple[str, ...], Any]:
    """The value at the end of a path through modules, and the part of the path that led to it."""
    length = 1
    while isinstance(value, types.ModuleType) and length < len(path) and hasattr(value, path[length]):
        value = getattr(value, path[length])
        length += 1
    return path[:length], value


@functools.lru_cache(maxsize=4096)
def paths(code: types.CodeType) -> tuple[tuple[str, ...], ...]:
    """What a code and those inside it load from outside: (name, attribute, ...)."""
    loaded: dict[tuple[str, ...], None] = {}
    free = set(code.co_freevars)
    for part in codes(code):
        path: tuple[str, ...] = ()
        for step in dis.get_instructions(part):
            name = str(step.argval)
            if step.opname in {"LOAD_ATTR", "LOAD_METHOD"} and path:
                path += (name,)
                continue
            if path:
                loaded[path] = None
            path = ()
            if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"} or (step.opname in FROM_CELLS and name in free):
                path = (name,)
            elif step.opname == "IMPORT_NAME":
                loaded[("import " + name,)] = None
        if path:
            loaded[path] = None
    return tuple(sorted(loaded))


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code and those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def asking_for_kinds(functions: Iterable[Any]) -> str:
    """How a user's function may do with a symbol or a series what it does not do with a number; "" if it cannot.

    Such a function is asked what it computes by calling it with something else than numbers. Most that decide by a
    value raise then, and that is an answer; one that catches exceptions, or asks what it was given, goes on.
    """
    for f in reachable(functions):
        if (f.__module__ or "").startswith("polhode."):
            continue
        asked = {name for path in paths(f.__code__) for name in path} & OF_KINDS
        if asked:
            return f"{f.__qualname__} asks of what kind a value is, by {sorted(asked)[0]}"
        for part in codes(f.__code__):
            for step, after in itertools.pairwise(dis.get_instructions(part)):
                if step.opname == "PUSH_EXC_INFO" and after.opname != "WITH_EXCEPT_START":
                    return f"{f.__qualname__} catches exceptions"
                if after.opname == "IS_OP" and (step.opname, step.argval) != ("LOAD_CONST", None):
                    return f"{f.__qualname__} asks whether two values are one object"
    return ""
