"""Numbers, whole numbers, vectors and arrays."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line

LARGEST_WHOLE = 2**53
"""The largest whole number that can be given: beyond it t0 + i h does not tell one step from the next."""


MOST_LISTED = 10**7
"""Things in a list or a range from which an array is made."""


def number(label: str, value: Any) -> float:
    """What a user gives, as a finite float; a sentence where it is none."""
    if value.__class__ is float and value - value == 0:
        return value
    if isinstance(value, (bool, np.bool_, np.complexfloating, str, bytes)) or not _is_one(value):
        raise InputError(f"{label} is {one_line(value)}; it must be a number.")
    try:
        x = float(value)
    except OverflowError:
        raise InputError(f"{label} is {one_line(value)}; it must be finite.") from None
    except Exception:  # whatever __float__ of what was given raises
        raise InputError(f"{label} is {one_line(value)}; it must be a number.") from None
    if not math.isfinite(x):
        raise InputError(f"{label} is {x}; it must be finite.")
    return x


def positive(label: str, value: Any) -> float:
    """A number above zero."""
    x = number(label, value)
    if not x > 0:
        raise InputError(f"{label} is {x:g}; it must be above zero.")
    return x


def whole(label: str, value: Any, least: int = 1, most: int = LARGEST_WHOLE) -> int:
    """A whole number from `least` to `most`."""
    if value.__class__ is int and least <= value <= most:
        return value
    try:
        x = None if isinstance(value, (bool, np.bool_, str, bytes)) or not _is_one(value) else int(value)
        if x != value:
            x = None
    except Exception:  # whatever __int__ or a comparison of what was given raises
        x = None
    if x is None or x < least:
        raise InputError(f"{label} is {one_line(value)}; it must be a whole number, at least {least}.")
    if x > most:
        size = "2^53" if most == LARGEST_WHOLE else str(most)
        raise InputError(f"{label} is {one_line(value)}; it must be a whole number, at most {size}.")
    return x


def real_array(label: str, value: Any, wanted: str) -> np.ndarray:
    """An array of floats, of any shape; `wanted` says in a few words what is asked for."""
    try:
        if not isinstance(value, np.ndarray) and hasattr(value, "__len__") and len(value) > MOST_LISTED:
            raise TypeError  # a range of 10^9 would take a minute before its shape is seen
        if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
            raise TypeError  # what is masked is not given, and there is a number below every mask
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":  # complex numbers would lose a part without a word; text is no number
            raise TypeError
        return np.array(array, dtype=float)
    except Exception:  # ragged lists, objects, text; whatever __array__ or __float__ raises
        raise InputError(f"{label} is {one_line(value)}; give {wanted}.") from None


def finite_array(label: str, value: Any, shapes: Sequence[tuple[int, ...]], wanted: str) -> np.ndarray:
    """An array of finite floats, of one of some shapes."""
    x = real_array(label, value, wanted)
    if x.shape not in shapes:
        raise InputError(f"{label} has shape {x.shape}; it must be {wanted}.")
    if not np.isfinite(x).all():
        raise InputError(f"{label} is {one_line(x.tolist())}; it must be finite.")
    return x


def vector(label: str, value: Any) -> np.ndarray:
    """Three finite numbers."""
    return finite_array(label, value, [(3,)], "three numbers")


def positive_vector(label: str, value: Any) -> np.ndarray:
    """Three numbers above zero."""
    v = vector(label, value)
    if not (v > 0).all():
        raise InputError(f"{label} is {v.tolist()}; all three must be above zero.")
    return v


def direction(label: str, value: Any) -> np.ndarray:
    """A unit vector along the given one."""
    v = vector(label, value)
    size = np.abs(v).max()
    if size == 0:
        raise InputError(f"{label} is zero; it must be a direction, of any length.")
    length = math.hypot(*v)
    if length == math.inf or length < np.finfo(float).tiny:  # of the others no bit changes
        v = v / size
        length = math.hypot(*v)
    return v / length


def padded(label: str, value: Any, room: int) -> tuple[float, ...]:
    """At most `room` finite numbers, filled up with zeros."""
    x = real_array(label, value, f"a sequence of at most {room} numbers")
    if x.ndim != 1 or len(x) > room:
        raise InputError(f"{label} has shape {x.shape}; there is room for {room} numbers in a row.")
    if not np.isfinite(x).all():
        raise InputError(f"{label} is {one_line(x.tolist())}; every one must be finite.")
    return (*x.tolist(), *(room - len(x)) * (0.0,))


def _is_one(value: Any) -> bool:
    """Whether a value is no array, or one of a single real number."""
    return not isinstance(value, np.ndarray) or (value.ndim == 0 and value.dtype.kind in "iufO")
