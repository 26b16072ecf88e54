"""Where functions of theta change sign inside a step, 0 < theta <= 1: every place, each once; for many steps at once.

A function is sampled at Chebyshev points, more and more until its polynomial has settled; the zeros of the polynomial
(eigenvalues of its companion matrix) say where it may change sign and separate neighbours. The function itself
decides, and a bracketing method finds each place to the last digits. A function whose polynomial does not settle,
because it has kinks or jumps, is bracketed by its 65 samples alone. A zero without a change of sign does not count.

Each function gets the bits that it gets alone: nothing is summed across functions.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

SAMPLES = (8, 16, 32, 64)
SETTLED = 1e-9
"""The last coefficients of a polynomial that has settled, relative to the largest."""

MOST_HALVINGS = 200
"""Evaluations after which a bracket is good enough: twice what bisection needs for any two floats in [0, 1]."""

Many: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""g(which, theta): the value of function number which[k] at theta[k], for each k."""


class Changes(NamedTuple):
    """Changes of sign, in the order of functions and places: the function, theta, and 1 (rising) or -1 of each."""

    which: np.ndarray
    theta: np.ndarray
    direction: np.ndarray


def crossings(g: Callable[[float], float], first: float, last: float) -> list[tuple[float, int]]:
    """(theta, direction) of every change of sign of one function; `first` and `last` are its values at 0 and 1."""
    many = lambda which, theta: np.array([g(x) for x in theta.tolist()], dtype=float)
    _, theta, direction = crossings_of_many(many, np.array([first]), np.array([last]))
    return list(zip(theta.tolist(), direction.tolist()))


def crossings_of_many(g: Many, first: np.ndarray, last: np.ndarray) -> Changes:
    """Every change of sign of functions whose values at 0 and 1 are `first` and `last`."""
    which, theta, value = _sampled(g, first, last)
    order = np.lexsort((theta, which))
    which, theta, value = which[order], theta[order], value[order]
    signed = np.flatnonzero((value != 0) & ~np.isnan(value))
    a, b = signed[:-1], signed[1:]
    changes = (which[a] == which[b]) & ((value[a] < 0) != (value[b] < 0))
    a, b = a[changes], b[changes]
    roots = _roots(g, which[a], theta[a], theta[b], value[a], value[b])
    crossings = Changes(which[a], roots, np.where(value[b] > 0, 1, -1))
    at_end = np.flatnonzero((value == 0) & (theta == 1))
    before = np.searchsorted(signed, at_end) - 1  # the last that is known of the same function
    is_known = (before >= 0) & (which[signed[before]] == which[at_end]) if len(signed) else np.zeros(len(before), bool)
    at_end, before = at_end[is_known], signed[before[is_known]] if len(signed) else before[is_known]
    ends = Changes(which[at_end], theta[at_end], np.where(value[before] > 0, -1, 1))
    joined = Changes(*(np.concatenate(both) for both in zip(crossings, ends)))
    order = np.lexsort((joined.theta, joined.which))
    return Changes(*(x[order] for x in joined))


def _sampled(g: Many, first: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(which, theta, value) of all samples: enough that between two neighbours is at most one change of sign."""
    active, values = np.arange(len(first)), np.stack([first, last], axis=1)
    samples: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for n in SAMPLES:
        nodes = np.array([math.sin(math.pi * k / (2 * n)) ** 2 for k in range(n)] + [1.0])
        more = np.empty((len(active), n + 1))
        every = n // (values.shape[1] - 1)
        more[:, ::every] = values  # the nodes before are among these
        new = np.flatnonzero(np.arange(n + 1) % every)
        more[:, new] = g(np.repeat(active, len(new)), np.tile(nodes[new], len(active))).reshape(len(active), len(new))
        values = more
        c = _coefficients(values)
        size = np.abs(c).max(axis=1)
        settled = (np.abs(c[:, -3:]).sum(axis=1) <= SETTLED * size) & (size > 0)
        bent = settled & ~_is_monotone(c)
        ends = settled | ~np.isfinite(size) | (size == 0) | (n == SAMPLES[-1])
        samples.append((np.repeat(active[ends], n + 1), np.tile(nodes, int(ends.sum())), values[ends].ravel()))
        which, theta = _between(active[bent], c[bent])
        samples.append((which, theta, g(which, theta)))
        active, values = active[~ends], values[~ends]
        if not len(active):
            break
    which, theta, value = (np.concatenate(x) for x in zip(*samples))
    return which, theta, value


def _coefficients(values: np.ndarray) -> np.ndarray:
    """Chebyshev coefficients of polynomials through values (m, n + 1) at the points x = cos(pi k/n), k = 0 ... n."""
    n = values.shape[1] - 1
    weights = np.cos(np.pi * np.outer(np.arange(n + 1), np.arange(n + 1)) / n)
    halved = values.copy()
    halved[:, [0, -1]] /= 2
    with np.errstate(invalid="ignore", over="ignore"):
        c = 2 / n * (weights * halved[:, None, :]).sum(axis=2)
    c[:, [0, -1]] /= 2
    return c


def _is_monotone(c: np.ndarray) -> np.ndarray:
    """Whether polynomials surely have one zero at most: p' = sum k c_k U_(k-1), and |U_(k-1)| <= k."""
    squares = np.arange(c.shape[1]) ** 2
    return np.abs(c[:, 1]) > (squares[2:] * np.abs(c[:, 2:])).sum(axis=1)


def _between(which: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(which, theta): places that separate the zeros of polynomials from each other."""
    pairs: list[tuple[np.ndarray, np.ndarray]] = [(which[:0], np.empty(0))]
    degrees = c.shape[1] - 1 - np.argmax((np.abs(c) > 1e-14 * np.abs(c).max(axis=1)[:, None])[:, ::-1], axis=1)
    for degree in np.unique(degrees[degrees > 1]).tolist():  # a line has one zero
        here = np.flatnonzero(degrees == degree)
        x = np.linalg.eigvals(_companions(c[here, : degree + 1]))
        theta = (1 - x.real) / 2
        theta[(np.abs(x.imag) >= 1e-6) | (theta <= -1e-6) | (theta >= 1 + 1e-6)] = np.nan
        theta.sort(axis=1)
        middle = (theta[:, :-1] + theta[:, 1:]) / 2
        inside = (middle > 0) & (middle < 1)
        pairs.append((np.repeat(which[here], inside.sum(axis=1)), middle[inside]))
    return np.concatenate([x for x, _ in pairs]), np.concatenate([x for _, x in pairs])


def _companions(c: np.ndarray) -> np.ndarray:
    """The matrices whose eigenvalues are the zeros of Chebyshev series of one degree, as numpy's chebcompanion."""
    degree = c.shape[1] - 1
    matrices = np.zeros((len(c), degree, degree))
    beside = np.array([math.sqrt(0.5)] + [0.5] * (degree - 2))
    rows = np.arange(degree - 1)
    matrices[:, rows, rows + 1] = matrices[:, rows + 1, rows] = beside
    scale = np.array([1.0] + [math.sqrt(0.5)] * (degree - 1))
    matrices[:, :, -1] -= c[:, :-1] / c[:, -1:] * (scale / scale[-1]) / 2
    return matrices[:, ::-1, ::-1]


def _roots(g: Many, which: np.ndarray, a: np.ndarray, b: np.ndarray, fa: np.ndarray, fb: np.ndarray) -> np.ndarray:
    """The place of the change of sign in each bracket [a, b], by Chandrupatla's method: bisection, or inverse quadratic
    interpolation where that is safe. (SciPy's takes milliseconds for each call.)"""
    roots, going = np.empty(len(which)), np.arange(len(which))
    x1, x2, f1, f2, t = b, a, fb, fa, np.full(len(which), 0.5)
    for _ in range(MOST_HALVINGS):
        if not len(going):
            return roots
        x = x1 + t * (x2 - x1)
        f = g(which[going], x)
        same = (f < 0) == (f1 < 0)
        x3, f3 = np.where(same, x1, x2), np.where(same, f1, f2)
        x2, f2 = np.where(same, x2, x1), np.where(same, f2, f1)
        x1, f1 = x, f
        roots[going] = np.where(np.abs(f1) <= np.abs(f2), x1, x2)
        least = (2 * np.finfo(float).eps * np.abs(roots[going]) + 1e-16) / np.abs(x2 - x1)
        on = (least <= 0.5) & (f1 != 0)
        going, least = going[on], least[on]
        x1, x2, x3, f1, f2, f3 = (y[on] for y in (x1, x2, x3, f1, f2, f3))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            xi, phi = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2)
            safe = (phi * phi < xi) & ((1 - phi) ** 2 < 1 - xi)
            t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        t = np.clip(np.where(safe, t, 0.5), least, 1 - least)
    return roots
