"""How far the body turns in a step: a warning where it is too far, because the result does not show it."""

import contextlib
import contextvars
import math
from collections.abc import Iterable, Iterator

import numpy as np

from polhode.errors import LargeStepWarning
from polhode.inputs import warn

TOO_FAR = 1.5
"""Radians a step. Beyond it every method but an exact flow has errors of order one within a few steps."""

FEW_ROWS = 16
"""Velocities below which plain floats are faster than arrays; the bits are the same."""

_meant = contextvars.ContextVar("large steps are meant", default=False)


@contextlib.contextmanager
def on_purpose() -> Iterator[None]:
    """No warnings of large steps inside: there, what large steps do is measured."""
    token = _meant.set(True)
    try:
        yield
    finally:
        _meant.reset(token)


def fastest(Omega: np.ndarray) -> float:
    """The largest |Omega| of a stack (..., 3), of those that are finite."""
    if Omega.ndim == 2 and len(Omega) <= FEW_ROWS:
        return _longest(Omega.tolist())
    if Omega.shape == (3,):
        return _longest([Omega.tolist()])
    with np.errstate(all="ignore"):
        squares = Omega[..., 0] ** 2 + Omega[..., 1] ** 2 + Omega[..., 2] ** 2
    most = float(squares.max(initial=0.0))
    if not math.isfinite(most):
        most = float(np.max(squares, where=np.isfinite(squares), initial=0.0))
    return math.sqrt(most)


def _longest(vectors: list[list[float]]) -> float:
    most = 0.0
    for x, y, z in vectors:
        square = x * x + y * y + z * z
        if most < square < math.inf:
            most = square
    return math.sqrt(most)


def speeds(Omega: Iterable[np.ndarray]) -> np.ndarray:
    """The largest |Omega| of each of N bodies, over arrays (N, 3) or (n, N, 3), of those that are numbers."""
    best = np.array(0.0)
    with np.errstate(all="ignore"):
        for each in Omega:  # a piece at a time stays in the cache
            x, y, z = each[..., 0], each[..., 1], each[..., 2]
            squares = x * x + y * y + z * z
            best = np.fmax(best, squares if squares.ndim == 1 else np.fmax.reduce(squares))
    return np.asarray(np.sqrt(best))


def is_too_far(turn: float) -> bool:
    """Whether a warning is due for so many radians a step."""
    return turn > TOO_FAR and not _meant.get()


def warn_of_bodies(what: str, each: np.ndarray, h: float) -> bool:
    """`warn_of` for many bodies, by the |Omega| of `each`; `what` has a place for the name of the first too fast."""
    far = np.flatnonzero(abs(h) * each > TOO_FAR)
    if not len(far):
        return False
    first = int(np.argmax(each))
    more = f" ({len(far)} of {len(each)} bodies too far)" if len(far) > 1 else ""
    return warn_of(what.format(f"body {first}"), float(each[first]), h, more)


def warn_of(what: str, speed: float, h: float, more: str = "") -> bool:
    """Warn if a body of this |Omega| turns too far in a step of h, and return whether; `what` ends in the verb."""
    turn = abs(h) * speed
    if not is_too_far(turn):
        return False
    warn(
        f"{what} by {turn:.3g} radians in a step of h = {h:g}{more}; beyond about {TOO_FAR} the result means little. "
        f"h = {np.copysign(1 / speed, h):.2g} gives one radian a step.",
        LargeStepWarning,
    )
    return True
