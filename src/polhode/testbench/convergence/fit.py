"""The order of convergence from errors at several steps: C h^p + floor, with an uncertainty.

Errors fall like h^p only between two ends: for large steps higher terms count, for small ones round-off, which makes a
plateau. The plateau is part of the model; steps that are too large are dropped, one after the other, until the rest
agrees with it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

FEWEST_POINTS = 3
"""The fewest points above the plateau from which an order is taken."""

TIMES_THE_FLOOR = 10.0
"""A point counts for the order if it is at least this many times the floor."""

LARGEST_MISFIT = 0.02
"""If a fit leaves a larger |log(error/model)| than this at such a point, another large step is dropped."""

FLAT_SLOPE = 0.7
"""A plateau is reached where the slope between the two smallest steps is below this part of the median slope."""

E_FOLDINGS_BELOW = 20.0
"""Where no plateau is to be fitted, the floor is put this many e-foldings below all errors."""

MANY_POINTS = 6
"""From this many points on, both of the next terms of the error are fitted as well."""

ROUND_OFF = 1e-12
"""Errors below this, relative to what they are errors of, may be round-off."""

HIGHEST_FLOOR = 1e-10
"""The highest floor that can be round-off, relative like ROUND_OFF: a higher one is the method's own error."""


@dataclass(frozen=True)
class Fit:
    """error = constant h^order + floor; `used` marks the points that decide the order."""

    order: float
    uncertainty: float
    constant: float
    floor: float
    used: tuple[bool, ...]
    words: str = ""  # why there is no order, where there is none

    @property
    def decided(self) -> bool:
        """Whether there is an order."""
        return self.order == self.order


def without_order(count: int, words: str) -> Fit:
    """No order, and why."""
    return Fit(np.nan, np.nan, np.nan, np.nan, (False,) * count, words)


def fitted(h: np.ndarray, e: np.ndarray, most: float = np.inf, scale: float = 1.0) -> Fit:
    """Fit errors at steps; those above `most` mean nothing, and `scale` is that of what is compared."""
    h, e = np.abs(np.asarray(h, dtype=float)), np.asarray(e, dtype=float)
    finite = np.isfinite(e)
    if finite.any() and np.all(e[finite] <= ROUND_OFF * scale):
        return without_order(len(h), "round-off only")
    usable = np.flatnonzero(finite & (e > 0) & (e < most))
    usable = usable[np.argsort(-h[usable], kind="stable")]
    tried = []
    for start in range(max(1, len(usable) - FEWEST_POINTS + 1)):
        rest = usable[start:]
        fit = _from(h[rest], e[rest], scale) if len(rest) >= FEWEST_POINTS else None
        if fit is not None:
            tried.append((rest, *fit))
    if not tried:
        return without_order(len(h), f"fewer than {FEWEST_POINTS} steps with an error above round-off")
    best = next((k for k, (*_, misfit) in enumerate(tried) if misfit <= LARGEST_MISFIT), None)
    if best is None:
        best = min(range(len(tried)), key=lambda k: tried[k][-1])
    rest, (log_constant, order, log_floor), uncertainty, good, _ = tried[best]
    used = np.zeros(len(h), dtype=bool)
    used[rest[good]] = True
    return Fit(float(order), uncertainty, float(np.exp(log_constant)), float(np.exp(log_floor)), tuple(map(bool, used)))


def _from(h: np.ndarray, e: np.ndarray, scale: float) -> tuple[Any, ...] | None:
    """(parameters, uncertainty of the order, points above the plateau, misfit) of all these points, or None."""
    from scipy.optimize import least_squares

    x, y = np.log(h), np.log(e)
    model = lambda p: np.logaddexp(p[0] + p[1] * x, p[2])
    steepest = np.max(np.diff(y) / np.diff(x))
    slopes = np.diff(y) / np.diff(x)
    flat = slopes[-1] < FLAT_SLOPE * np.median(slopes) if len(x) > FEWEST_POINTS else False
    none = y.min() - E_FOLDINGS_BELOW  # where no plateau is reached, none is fitted
    highest = np.log(HIGHEST_FLOOR * scale) if flat else none
    first = (y[0] - steepest * x[0], steepest, min(y.min(), highest) - 0.1)
    limits = ((-np.inf, -np.inf, -np.inf), (np.inf, np.inf, highest))
    root = least_squares(lambda p: model(p) - y, first, bounds=limits, loss="soft_l1", f_scale=0.1, max_nfev=400)
    if not np.all(np.isfinite(root.x)) or root.x[1] <= 0:
        return None
    good = (root.x[0] + root.x[1] * x > root.x[2] + np.log(TIMES_THE_FLOOR)) & (y > np.log(ROUND_OFF * scale))
    if good.sum() < FEWEST_POINTS:
        return None
    x, y = x[good], y[good]  # the plateau scatters: with its height known, it has no say in the order
    order, constant, error, misfit = _line(x, y, root.x[2])
    return (constant, order, root.x[2]), error, good, misfit


def _line(x: np.ndarray, y: np.ndarray, log_floor: float) -> tuple[float, float, float, float]:
    """Order, log(constant), uncertainty and misfit of the points above a plateau of known height.

    C h^p (1 + a h + b h^2), as many terms as the points allow, is fitted beside C h^p: what the next terms change is an
    error of the order that no covariance of a straight line knows.
    """
    rest = y + np.log1p(-np.exp(np.minimum(log_floor - y, -1e-6)))  # log(e - floor)
    h = np.exp(x - x.max())
    columns = np.stack([x, np.ones_like(x), h, h * h], axis=1)
    (order, constant), error, misfit = _least_squares(columns[:, :2], rest)
    if len(x) > FEWEST_POINTS:
        (better, constant, *_), formal, _ = _least_squares(columns[:, : 4 if len(x) >= MANY_POINTS else 3], rest)
    else:
        better, formal = (rest[-2] - rest[-1]) / (x[-2] - x[-1]), error
    return better, constant, float(np.hypot(formal, (better - order) / 2)), misfit


def _least_squares(columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """The parameters, the standard error of the first, and the largest residual."""
    parameters, *_ = np.linalg.lstsq(columns, y, rcond=None)
    off = columns @ parameters - y
    variance = np.linalg.pinv(columns.T @ columns)[0, 0] * (off @ off) / max(1, len(y) - columns.shape[1])
    return parameters, float(np.sqrt(variance)), float(np.abs(off).max())
