"""Where a function of theta changes sign inside a step, 0 < theta <= 1: every place, each once.

The function is sampled at Chebyshev points, more and more until its polynomial has settled; the zeros of the polynomial
(eigenvalues of its companion matrix) say where it may change sign and separate neighbours. The function itself
decides, and Brent's method on it finds each place to the last digits. A function that does not settle, since it has
kinks or jumps, is bracketed by its 65 samples alone. A zero that it touches without a change of sign is none.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np

SAMPLES = (8, 16, 32, 64)
SETTLED = 1e-9
"""The last coefficients of a polynomial that has settled, relative to the largest."""


def crossings(g: Callable[[float], float], first: float, last: float) -> list[tuple[float, int]]:
    """(theta, direction) of every change of sign; `first` and `last` are the values at 0 and 1."""
    known = {0.0: first, 1.0: last}

    def at(theta: float) -> float:
        if theta not in known:
            known[theta] = float(g(theta))
        return known[theta]

    for n in SAMPLES:
        nodes = [math.sin(math.pi * k / (2 * n)) ** 2 for k in range(n + 1)]
        nodes[-1] = 1.0
        c = _coefficients(np.array([at(x) for x in nodes]))
        size = np.abs(c).max()
        if not np.isfinite(size) or size == 0:
            break
        if np.abs(c[-3:]).sum() <= SETTLED * size:
            for theta in _between(_zeros(c)):
                at(theta)
            break
    return _changes(at, sorted(known.items()))


def _coefficients(values: np.ndarray) -> np.ndarray:
    """Chebyshev coefficients of the polynomial through values at the points x = cos(pi k/n), k = 0 ... n."""
    n = len(values) - 1
    weights = np.cos(np.pi * np.outer(np.arange(n + 1), np.arange(n + 1)) / n)
    halved = values.astype(float)
    halved[[0, -1]] /= 2
    c = 2 / n * (weights @ halved)
    c[[0, -1]] /= 2
    return c


def _zeros(c: np.ndarray) -> list[float]:
    """The zeros of the polynomial in theta = (1 - x)/2, inside the step and near its ends."""
    large = np.flatnonzero(np.abs(c) > 1e-14 * np.abs(c).max())
    if large[-1] == 0:
        return []
    x = np.polynomial.chebyshev.chebroots(c[: large[-1] + 1])
    theta = (1 - x[np.abs(x.imag) < 1e-6].real) / 2
    return sorted(theta[(theta > -1e-6) & (theta < 1 + 1e-6)].tolist())


def _between(zeros: list[float]) -> list[float]:
    """Places that separate zeros from each other."""
    middle = [(a + b) / 2 for a, b in itertools.pairwise(zeros)]
    return [x for x in middle if 0 < x < 1]


def _changes(at: Callable[[float], float], samples: list[tuple[float, float]]) -> list[tuple[float, int]]:
    from scipy.optimize import brentq

    found: list[tuple[float, int]] = []
    before: tuple[float, float] | None = None
    for theta, value in samples:
        if before is not None and value == 0 and theta == 1.0:
            found.append((1.0, -int(math.copysign(1, before[1]))))
        if value == 0 or math.isnan(value):
            continue
        if before is not None and (before[1] < 0) != (value < 0):
            place = brentq(at, before[0], theta, xtol=1e-16, rtol=4 * np.finfo(float).eps, maxiter=200)
            found.append((place, int(math.copysign(1, value))))
        before = theta, value
    return found
