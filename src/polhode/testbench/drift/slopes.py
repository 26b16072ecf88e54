"""Slopes with uncertainties: straight lines through correlated samples, and a power law through the slopes.

The energy error of an integrator is a possible drift plus an oscillation that is anything but white noise,
so the textbook error of a regression is far too small. Two independent looks replace it: how much the blocks
of one run disagree with the line, and how much runs from nearby starts disagree with each other.
"""

import numpy as np


def line(t: np.ndarray, e: np.ndarray, blocks: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Least-squares slopes of the rows of e (runs, samples) over t, their block errors, and what is left over.

    The slope is the sum of w_i e_i; its variance is estimated by the squares of the sums of w_i r_i over whole
    blocks, r the residual: correlation within a block is then counted in full. Returns, for each run, the slope,
    its error, the rms residual of the block means (how far the run is from a line) and the rms residual about
    the block means (how far it oscillates).
    """
    x = t - t.mean()
    w = x / (x @ x)
    slopes = e @ w
    r = e - e.mean(axis=1, keepdims=True) - slopes[:, None] * x
    edges = np.linspace(0, len(t), blocks + 1).astype(int)
    sums = np.add.reduceat(w * r, edges[:-1], axis=1)
    errors = np.sqrt((sums**2).sum(axis=1) * blocks / (blocks - 2))
    means = np.add.reduceat(r, edges[:-1], axis=1) / np.diff(edges)
    between = (means**2).mean(axis=1)
    within = np.maximum((r**2).mean(axis=1) - between, 0)
    return slopes, errors, np.sqrt(between), np.sqrt(within)


def pooled(slopes: np.ndarray, errors: np.ndarray, independent: int) -> tuple[float, float]:
    """The mean slope of an ensemble and its standard error.

    The spread counts as that of `independent` runs. The block error is added in full, not divided by the
    number of runs: nearby starts of a regular motion make the same oscillation, and its error is common to all.
    """
    spread = slopes.var(ddof=1) / independent if len(slopes) > 1 else 0.0
    return float(slopes.mean()), float(np.sqrt(spread + (errors**2).mean()))


def power(h: np.ndarray, slopes: np.ndarray, errors: np.ndarray) -> tuple[float, float]:
    """The exponent p of |slope| = c h^p and its standard error, from two step sizes or more."""
    x, y = np.log(h), np.log(np.abs(slopes))
    weight = (slopes / errors) ** 2
    x = x - (weight @ x) / weight.sum()
    p = (weight * x) @ y / ((weight * x) @ x)
    error = 1 / np.sqrt((weight * x) @ x)
    if len(h) > 2:  # where the points do not lie on a power law to within their errors, the error says so
        r = y - (weight @ y) / weight.sum() - p * x
        error *= max(1.0, np.sqrt((weight * r) @ r / (len(h) - 2)))
    return float(p), float(error)
