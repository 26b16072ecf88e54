"""Comparisons of a program: how far each was from its other outcome.

A comparison is at a distance from its other outcome, zero where it is taken: |log(a / b)| of two numbers of one sign,
which spans decades, and more than that of others.
"""

import itertools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

FARTHEST = 40.0  # distance of two numbers of one sign, at the most; those of other signs are farther
UNKNOWN = 60.0  # distance of what is no comparison of numbers, and of what was not evaluated
LEAST = 1e-16  # distance of an outcome that is not taken
MOST_NUMBERS = 9  # of an array that are looked at

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class Leaf:
    """A comparison in its last evaluation: how far it is from True and from False, and left less right."""

    to_true: float
    to_false: float
    difference: float  # negative where left is less
    ratio: float  # log of left over right, or not a number

    def to(self, outcome: bool) -> float:
        """How far it is from an outcome."""
        return self.to_true if outcome else self.to_false


def leaf_of(sign: str, a: Any, b: Any) -> Leaf | None:
    """A comparison of real numbers, or of arrays of them, of which the nearest counts; None of anything else."""
    try:
        x, y = np.broadcast_arrays(np.asarray(a), np.asarray(b))
    except Exception:
        return None
    if x.dtype.kind not in "fiub" or y.dtype.kind not in "fiub" or not x.size:
        return None
    if x.size == 1:
        return _of_two(sign, float(x.reshape(-1)[0]), float(y.reshape(-1)[0]))
    pairs = itertools.islice(zip(x.flat, y.flat), MOST_NUMBERS)
    leaves = [_of_two(sign, float(p), float(q)) for p, q in pairs]
    to_true, to_false = min(leaves, key=lambda x: x.to_true), min(leaves, key=lambda x: x.to_false)
    away = to_true if to_true.to_true > 0 else to_false
    return Leaf(to_true.to_true, to_false.to_false, away.difference, away.ratio)


def _of_two(sign: str, a: float, b: float) -> Leaf:
    difference = a - b
    are_alike = (a > 0) == (b > 0) and a != 0 and b != 0 and math.isfinite(a) and math.isfinite(b)
    ratio = math.log(abs(a)) - math.log(abs(b)) if are_alike else math.nan  # not of a / b, which may underflow
    far = min(abs(ratio), FARTHEST) if ratio == ratio else FARTHEST + math.log1p(min(abs(difference), 1e300))
    if difference != difference:
        far = UNKNOWN
    holds = bool(OPERATORS[sign](a, b))
    far = max(far, LEAST)
    return Leaf(0.0 if holds else far, far if holds else 0.0, difference, ratio)


def _of_array(sign: float) -> Callable[..., list[tuple[Any, Any]]]:
    """Each number beside the largest of the others."""

    def pairs(x: Any, *_: Any, **__: Any) -> list[tuple[Any, Any]]:
        x = [sign * float(y) for y in np.ravel(x)]
        return [(x[k], max(x[:k] + x[k + 1 :])) for k in range(len(x))] if len(x) > 1 else []

    return pairs


def _of_pair(*x: Any, **_: Any) -> list[tuple[Any, Any]]:
    return [(x[0], x[1])] if len(x) == 2 else _of_array(1.0)(x[0] if len(x) == 1 else x)


def _of_clip(x: Any, low: Any, high: Any, **_: Any) -> list[tuple[Any, Any]]:
    return [(x, low), (high, x)]


def _of_close(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, **_: Any) -> list[tuple[Any, Any]]:
    a, b = np.asarray(a), np.asarray(b)
    return [(float(np.max(np.abs(a - b) - rtol * np.abs(b))), atol)]


CHOICES: dict[str, Callable[..., list[tuple[Any, Any]]]] = {
    "max": _of_pair,
    "min": _of_pair,
    "maximum": _of_pair,
    "minimum": _of_pair,
    "fmax": _of_pair,
    "fmin": _of_pair,
    "clip": _of_clip,
    "argmax": _of_array(1.0),
    "argmin": _of_array(-1.0),
    "sign": lambda x, **_: [(x, 0.0)],
    "copysign": lambda _, x, **__: [(x, 0.0)],
    "allclose": _of_close,
    "isclose": _of_close,
}
"""By the name of a function: the pairs of numbers by whose order it chooses."""
