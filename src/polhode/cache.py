"""What is kept between processes: where, and a fingerprint of the functions it depends on.

A cached result is found again by a hash of what it was made from. For a function that is its code, the code of
all it calls and the values it refers to: an edit anywhere below it is an edit of it.
"""

import hashlib
import os
import pathlib
import types


def cache_base():
    """The folder of everything kept between processes; POLHODE_CACHE moves it."""
    base = os.environ.get("POLHODE_CACHE")
    if base is None:
        home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or pathlib.Path.home() / ".cache"
        base = pathlib.Path(home) / "polhode"
    return pathlib.Path(base)


def fingerprint(functions):
    """A hash of the code of these functions, of all they call, and of the values they refer to."""
    text = hashlib.sha256()
    for f in reachable(functions):
        text.update(f"{f.__module__}.{f.__qualname__}".encode())
        _add_code(text, f.__code__)
        for name, value in _referred(f):
            if not isinstance(value, types.FunctionType):
                text.update(f"{name}={_text_of(value)}".encode())
    return text.hexdigest()


def reachable(functions):
    """The given functions and every Python function they refer to, outside libraries, each once."""
    found, todo = {}, list(functions)
    while todo:
        f = todo.pop()
        if not isinstance(f, types.FunctionType) or f in found or _is_library(f):
            continue
        found[f] = None
        todo.extend(value for _, value in _referred(f))
    return list(found)


def _is_library(f):
    return (f.__module__ or "").split(".")[0] in {"numpy", "scipy", "math", "numba", "cmath", "mpmath"}


def _referred(f):
    """(name, value) of what a function takes from outside; a jitted function stands for its Python source."""
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        yield name, getattr(cell.cell_contents, "py_func", cell.cell_contents)
    names = {n for code in _codes(f.__code__) for n in code.co_names}
    for name in sorted(names & f.__globals__.keys()):
        yield name, getattr(f.__globals__[name], "py_func", f.__globals__[name])


def _add_code(text, code):
    text.update(code.co_code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _add_code(text, constant)
        else:
            text.update(repr(constant).encode())
    text.update(repr((code.co_names, code.co_varnames, code.co_freevars)).encode())


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _text_of(value):
    """A text that changes when the value does, and is the same in the next process."""
    if hasattr(value, "tobytes"):
        return value.tobytes().hex()
    if isinstance(value, (int, float, complex, str, bytes, bool, tuple, type(None))):
        return repr(value)
    return getattr(value, "__name__", type(value).__name__)
