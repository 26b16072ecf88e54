"""NumPy, math and the builtins for symbols: what a user's function finds in their place while it is traced.

A list of what is allowed. What is not on it is not there, and the function is left as it is.
"""

import builtins
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from polhode.machine.symbols import NotStraight, Symbol

METHODS = ("T", "sum", "dot", "trace", "transpose", "copy", "reshape", "ravel", "flatten", "prod", "shape", "size")
"""Attributes of arrays that a function may name."""

OF_LISTS = ("append",)

BUILTINS = ("range", "len", "sum", "abs", "zip", "enumerate", "tuple", "list", "pow", "reversed", "divmod")
OF_NUMBERS = (
    *("sqrt", "sin", "cos", "tan", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sinh", "cosh", "tanh"),
    *("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"),
)
OF_MATH = (
    *("sqrt", "sin", "cos", "tan", "exp", "log", "log2", "log10", "log1p", "expm1", "sinh", "cosh", "tanh"),
    *("asin", "acos", "atan", "asinh", "acosh", "atanh"),
)
AS_THEY_ARE = ("dot", "matmul", "outer", "cross", "trace", "sum", "prod", "diag", "transpose", "ravel", "inner", "vdot")
"""Functions of NumPy's that do the same with symbols: sums and products in their order."""


def _each(original: Callable[..., Any], name: str) -> Callable:
    """A function of one number, of symbols, numbers and arrays of both."""

    def one(x: Any) -> Any:
        return x.tape.done(name, x) if isinstance(x, Symbol) else original(x)

    def function(x: Any) -> Any:
        if isinstance(x, np.ndarray) and x.dtype == object:
            return np.array([one(y) for y in x.ravel().tolist()], dtype=object).reshape(x.shape)
        return one(x)

    return function


def _of_math(original: Callable[..., Any], name: str) -> Callable:
    def function(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            raise NotStraight("an array where a number is wanted")
        return x.tape.done(name, x) if isinstance(x, Symbol) else original(x)

    return function


def _arctan2(original: Callable[..., Any], name: str) -> Callable:
    def function(y: Any, x: Any) -> Any:
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            raise NotStraight("an array where a number is wanted")
        tape = next((z.tape for z in (x, y) if isinstance(z, Symbol)), None)
        return original(y, x) if tape is None else tape.done(name, y, x)

    return function


def _array(values: Any, dtype: Any = None) -> np.ndarray:
    """An array of doubles, or of symbols and numbers."""
    if dtype not in (None, float, np.float64):
        raise NotStraight(f"an array of {dtype}")
    array = np.array(values)
    return array if array.dtype == object else np.array(values, dtype=dtype)


def _of_shape(make: Callable[..., Any]) -> Callable:
    """zeros and the like: an array that can hold symbols."""

    def made(shape: Any, dtype: Any = float) -> np.ndarray:
        if dtype not in (float, np.float64):
            raise NotStraight(f"an array of {dtype}")
        return make(shape).astype(object)

    return made


def _like(make: Callable[..., Any]) -> Callable:
    return lambda x: make(np.shape(x)).astype(object)


def _norm(x: Any) -> Any:
    """The length of a vector, as NumPy computes it."""
    flat = np.asarray(x).ravel()
    return _FUNCTIONS["sqrt"](flat.dot(flat))


_FUNCTIONS: dict[str, Any] = {name: _each(getattr(np, name), f"np.{name}") for name in OF_NUMBERS}
_FUNCTIONS |= {name: getattr(np, name) for name in AS_THEY_ARE}
_FUNCTIONS |= {
    "abs": _each(np.abs, "abs"),
    "absolute": _each(np.abs, "abs"),
    "square": lambda x: x * x,
    "reciprocal": lambda x: 1.0 / x,
    "negative": lambda x: -x,
    "positive": lambda x: x,
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "power": lambda x, n: x**n,
    "arctan2": _arctan2(np.arctan2, "np.arctan2"),
    "array": _array,
    "asarray": _array,
    "zeros": _of_shape(np.zeros),
    "ones": _of_shape(np.ones),
    "empty": _of_shape(np.zeros),
    "zeros_like": _like(np.zeros),
    "ones_like": _like(np.ones),
    "eye": lambda n: np.eye(n).astype(object),
    "identity": lambda n: np.eye(n).astype(object),
}
_LINALG = SimpleNamespace(norm=_norm)
_NUMBERS = {name: getattr(np, name) for name in ("pi", "e", "float64")}
_MATH: dict[str, Any] = {name: _of_math(getattr(math, name), f"math.{name}") for name in OF_MATH}
_MATH |= {"atan2": _arctan2(math.atan2, "math.atan2"), "fabs": _of_math(math.fabs, "math.fabs")}

NUMPY = SimpleNamespace(**_FUNCTIONS, **_NUMBERS, linalg=_LINALG)
MATH = SimpleNamespace(**_MATH, pi=math.pi, e=math.e, tau=math.tau)
MODULES = {id(np): NUMPY, id(math): MATH, id(np.linalg): _LINALG}
ONE_BY_ONE = {
    **{id(getattr(np, name)): f for name, f in _FUNCTIONS.items()},
    **{id(getattr(math, name)): f for name, f in _MATH.items()},
    id(np.linalg.norm): _norm,
}
"""What stands for a module, and for a function that was imported by its name."""

ORIGINALS = (
    *((np, name, getattr(np, name)) for name in vars(NUMPY)),
    *((math, name, getattr(math, name)) for name in vars(MATH)),
    (np.linalg, "norm", np.linalg.norm),
)
"""What modules held when the list was made: another value that someone has put there since is not what is traced."""

SPACE = {"__builtins__": {name: getattr(builtins, name) for name in BUILTINS}}
"""The builtins of a function while it is traced."""

NAMES = frozenset((*METHODS, *OF_LISTS, *vars(NUMPY), *vars(MATH), "norm"))
"""Attributes that a function may name, besides its parameters."""
