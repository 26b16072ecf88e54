"""What a reduction leaves of a quantity of many bodies: numbers for each, in place of its values."""

from collections.abc import Sequence

import numpy as np

from polhode.runs.ensemble.solve import Ensemble
from polhode.runs.results.reductions import BLOCKS, QUANTITIES

STATISTICS = ("first", "min", "max", "mean", "slope", "slope_error")
"""As in ``reductions.Reduction``: extremes, mean and slope are over the values after the start, one for each look."""


FEWEST_LOOKS = 3
"""Looks after the start that statistics need."""


def statistics(e: Ensemble, quantity: str, short: Sequence[int] = ()) -> dict[str, np.ndarray]:
    """By name, a number for each body; NaN for one that failed, whose values are not all there.

    `short` are the bodies that an event ended: their statistics are over the values until then, if there are enough.
    """
    values = _values(e, quantity)
    numbers = _statistics(e.t, values)
    for i in short:
        n = int(np.isfinite(values[:, i]).sum())
        if n > FEWEST_LOOKS:
            for name, number in _statistics(e.t[:n], values[:n, i : i + 1]).items():
                numbers[name][i] = number[0]
    return numbers


def _values(e: Ensemble, quantity: str) -> np.ndarray:
    """A quantity or an invariant at every time of every body, (n, N)."""
    if quantity not in QUANTITIES:
        return e.invariant(quantity)
    return e.energy if quantity == "energy" else e.momentum[:, :, QUANTITIES.index(quantity) - 1]


def _statistics(t: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
    """The statistics of values (n, bodies) at times (n,)."""
    first, y = values[0].copy(), values[1:] - values[0]
    t = t[1:] - t[1:].mean()
    slope = t @ y / (t @ t)
    return {
        "first": first,
        "min": first + y.min(axis=0),
        "max": first + y.max(axis=0),
        "mean": first + y.mean(axis=0),
        "slope": slope,
        "slope_error": _slope_error(t, y, slope),
    }


def _slope_error(t: np.ndarray, y: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The standard error of a slope, from the scatter of block means about the line, as if independent."""
    blocks = min(BLOCKS, len(t))
    if blocks < 3:
        return np.full(y.shape[1], np.nan)
    parts = np.array_split(np.arange(len(t)), blocks)
    x = np.array([t[part].mean() for part in parts])
    means = np.array([y[part].mean(axis=0) for part in parts])
    x = x - x.mean()
    rest = means - means.mean(axis=0) - np.outer(x, slope)
    return np.sqrt((rest**2).sum(axis=0) / (blocks - 2) / (x @ x))
