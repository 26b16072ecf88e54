"""Parameters of users' functions: numbers and arrays by name, as one row of numbers and as what a function sees.

    parameters={"k": 2.0, "m": (0, 0, 1)}      f(t, Q, p) with p.k, p.m
    args=(2.0, (0, 0, 1))                      f(t, Q, k, m)

The row stands behind the nine numbers of the axes (``functions.py``). A function is compiled for names and shapes, not
for values: other values are other numbers in the row.
"""

import functools
import inspect
import keyword
import math
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.names import items
from polhode.inputs.numbers import real_array

FIRST = 9
"""Where in a row the parameters begin, behind the axes."""

TAKEN = ("Q0", "Omega0", "Pi0", "t0", "inertia", "args")
"""Names that `Problem.replaced` has for other things."""


@dataclass(frozen=True)
class Fields:
    """Names and shapes of parameters, in the order of the row; with `spread` a function takes them one by one."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    spread: bool = False
    first: int = FIRST  # where in the row they begin

    def row(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """The numbers of all parameters, one after the other."""
        arrays = (_finite(self.label(name), values[name]) for name in self.names)
        return tuple(x for a in arrays for x in a.ravel().tolist())

    def label(self, name: str) -> str:
        """A parameter as it is called in a sentence."""
        return f"args[{name.removeprefix('arg')}]" if self.spread else f"parameters[{name!r}]"

    def replaced(self, row: tuple[float, ...], values: Mapping[str, Any]) -> tuple[float, ...]:
        """A row with other values of some parameters, of the same shapes."""
        numbers, at = list(row), 0
        for name, shape in zip(self.names, self.shapes):
            size = math.prod(shape)
            if name in values:
                x = _finite(self.label(name), values[name])
                if x.shape != shape:
                    raise InputError(
                        f"{self.label(name)} has shape {x.shape}; the problem was made with shape {shape}, for which "
                        "its functions are compiled. Make another Problem for another shape."
                    )
                numbers[at : at + size] = x.ravel().tolist()
            at += size
        return tuple(numbers)

    def rows(self, own: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
        """Rows (1 or N, k) for N bodies: `own` (1 or N, k), with (N, ...) or one for all of some parameters."""
        rows, at = own, 0
        for name, shape in zip(self.names, self.shapes):
            size = math.prod(shape)
            if name in values:
                label = self.label(name)
                x = real_array(label, values[name], f"numbers of shape {('N', *shape)}, or {shape} for all bodies")
                if x.shape == shape:
                    x = x[None]
                if x.shape[1:] != shape or not len(x) or x.ndim == 0:
                    raise InputError(
                        f"{label} has shape {x.shape}; for N bodies give (N{''.join(f', {n}' for n in shape)}"
                        f"{'' if shape else ','}), or one of shape {shape} for all of them."
                    )
                if 1 not in (len(x), len(rows)) and len(x) != len(rows):
                    raise InputError(
                        f"{label} is given for {len(x)} bodies, and what was given before it for {len(rows)}: give "
                        "each for all bodies, or once for all."
                    )
                n = max(len(x), len(rows))
                rows = np.array(np.broadcast_to(rows, (n, rows.shape[1])), order="C")
                rows[:, at : at + size] = x.reshape(len(x), size)
            at += size
        return rows


def fields(parameters: Any, args: Any, first: int = FIRST) -> tuple[Fields | None, tuple[float, ...]]:
    """The fields of what was given as parameters= or args=, and the row of numbers; None if neither was."""
    if parameters is not None and args is not None:
        raise InputError("Give parameters (by name) or args (one by one), not both.")
    if args is not None:
        values = {f"arg{i}": x for i, x in enumerate(items("args", args, "a sequence of numbers and arrays"))}
    elif parameters is not None:
        if not isinstance(parameters, Mapping):
            raise InputError(
                f"parameters is {one_line(parameters)}; give a dictionary {{name: number or array}}. For a function "
                "that takes its parameters one by one there is args=(...)."
            )
        values = dict(parameters)
    else:
        return None, ()
    if not values:
        return None, ()
    for name in values if args is None else ():
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise InputError(f"{one_line(name)} cannot be the name of a parameter: p.name must be Python.")
        if name in TAKEN:
            raise InputError(
                f"A parameter cannot be called {name}: `replaced` has {', '.join(TAKEN)} for other things."
            )
    label = Fields(tuple(values), (), args is not None).label
    shapes = tuple(_finite(label(name), x).shape for name, x in values.items())
    fields = Fields(tuple(values), shapes, args is not None, first)
    return fields, fields.row(values)


def check_names(own: Fields | None, values: Mapping[str, Any], whose: str, more: str = "") -> Fields:
    """The fields, if every name given is one of them; `more` ends the sentence if not."""
    names = own.names if own is not None and not own.spread else ()
    for name in values:
        if name not in names:
            there = f"It has {', '.join(names)}." if names else "It was made without parameters=."
            raise InputError(f"{whose} has no parameter {one_line(name)}. {there}{more}")
    assert own is not None or not values
    return own or Fields((), ())


def _finite(label: str, value: Any) -> np.ndarray:
    x = real_array(label, value, "a number, or an array of numbers")
    if not x.size or not np.isfinite(x).all():
        raise InputError(f"{label} is {one_line(value)}; it must be finite numbers, at least one.")
    return x


# ---- what a function sees ----------------------------------------------------------------------------


@functools.cache
def record(kind: Fields) -> type:
    """The class of p: a named tuple of numbers and arrays."""
    p = namedtuple("p", kind.names, module=__name__)  # type: ignore[misc]
    p.shapes, p.spread, p.first = kind.shapes, kind.spread, kind.first  # type: ignore[attr-defined]
    return p


def view(kind: Any, par: Any) -> Any:
    """p, from a row that begins with the axes, or a plain tuple; in machine code the arrays live on the stack."""
    values, at = [], kind.first
    for shape in kind.shapes:
        size = math.prod(shape)
        values.append(np.array(par[at : at + size]).reshape(shape) if shape else par[at])
        at += size
    return tuple(values) if kind.spread else kind(*values)


# ---- how many arguments a function takes ----------------------------------------------------------------


def arguments(function: Callable[..., Any]) -> tuple[int, float]:
    """How many arguments a function must be given, and how many it may be; (0, infinity) where nobody knows."""
    try:
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):  # of a compiled library
        return 0, math.inf
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in by_place)
    return needed, math.inf if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(by_place)


def optional_velocity(function: Callable[..., Any]) -> bool:
    """Whether a function has an argument that is called like a velocity and has a default."""
    try:
        parameters = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.default is not p.empty and p.name.lower().startswith("omega") for p in parameters)
