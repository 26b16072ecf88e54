"""The exponent with which the errors of runs fall: of the finest ones above their floor, with an error of its own."""

from dataclasses import dataclass

import numpy as np

from polhode.testbench.certificate.orders.falling import line
from polhode.testbench.certificate.orders.floor import fitted

ROUND_OFF = 3e-14  # of a global error, with room for some hundred steps
FLOOR_ROUND_OFFS = 100  # times round-off, from which on a floor is not that of round-off
WINDOW_ERRORS = 4  # errors from which an exponent is had
WRONG_ERROR = 0.1  # of an error with the finest steps, from which on there is no convergence
ROUND_OFFS_NEAR = 10  # times round-off, below which it is a part of an error
FLOORS_ABOVE = 15  # times the floor, from which on an error counts
WHOLE_WITHIN = 0.15  # from a whole number, up to which an exponent is that number
STEADY_SLOPE = 0.4  # change of a steep slope from which on the order is not seen yet; round-off makes up to 0.3
SMALL_ERROR = 1e-4  # the four largest steps of a method with fixed steps cannot all have such small errors, and alike


@dataclass(frozen=True)
class Exponent:
    """An order with its error, the floor of the error in floats if it has one, and what is to be said."""

    value: float | None
    error: float = 0.0
    floor: float = 0.0
    words: str = ""
    converges: bool = True  # whether the errors fall with h, or may do so

    @property
    def known(self) -> bool:
        """Whether it is a whole number, or exact."""
        if self.value is None or not self.converges:
            return False
        near = WHOLE_WITHIN if self.value < 5 else 2 * WHOLE_WITHIN  # few errors of high orders are above round-off
        return np.isinf(self.value) or (abs(self.value - round(self.value)) < near and self.error < 2 * WHOLE_WITHIN)


def exponent(h: np.ndarray, e: np.ndarray, round_off: float = ROUND_OFF) -> Exponent:
    """The exponent of errors e at steps h, which fall."""
    there = np.isfinite(e)
    if there.sum() >= 4 and e[there][-3:].min() > WRONG_ERROR * e[there].min() and e[there][-1] > WRONG_ERROR:
        words = f"does not converge: it is off by {e[there][-1]:.1g}"
        return Exponent(0.0, 0.0, float(e[there][-1]), words, converges=False)
    good = there & (e < 0.5)  # larger ones are no errors but wrong answers
    if good.sum() < 2:
        return Exponent(None, words="too few steps gave an answer")
    h, e = h[good], e[good]
    if e.max() < 3 * round_off:
        return Exponent(float("inf"), floor=float(e.max()), words=f"exact, to {e.max():.0e}, from h = {h[0]:.2g} on")
    slopes = np.diff(np.log(e)) / np.diff(np.log(h))
    flat = _floor(h, e, slopes, round_off)
    clear = int(np.append(e <= FLOORS_ABOVE * max(flat, round_off / 20), True).argmax())
    while clear > WINDOW_ERRORS and e[clear - 1] < ROUND_OFFS_NEAR * round_off and _turns(slopes[: clear - 1]):
        clear -= 1
    if clear < 3:
        if flat > FLOOR_ROUND_OFFS * round_off:
            return Exponent(0.0, 0.0, flat, f"does not fall with h: it stays at {flat:.0e}", converges=False)
        return Exponent(None, floor=float(e.min()), words=f"reaches round-off with {clear} steps only")
    with_floor = fitted(h, e, FLOOR_ROUND_OFFS * round_off) if not flat else None
    if with_floor:
        p, error, flat = with_floor
        return Exponent(p, error, flat, f"stops falling at {flat:.0e}")
    h, e = h[:clear], e[:clear]
    steep = np.log(e[-2] / e[-1]) / np.log(h[-2] / h[-1]) > 5  # few errors are above round-off: the finest count
    n = 3 if steep else WINDOW_ERRORS
    finest = line(h[-n:], e[-n:])
    before = line(h[-n - 2 : -2], e[-n - 2 : -2]) if clear >= n + 2 and not steep else finest
    value = finest[0] + (finest[0] - before[0]) * 0.5  # halfway to h = 0 over a factor of two in h, for terms in h
    value = value if abs(finest[0] - before[0]) < 0.5 else finest[0]
    error = max(finest[1], abs(finest[0] - before[0]) / 2)
    change = abs(slopes[clear - 2] - slopes[clear - 3])
    error = max(error, change) if steep and change > STEADY_SLOPE else error
    words = f"stops falling at {flat:.0e}" if flat > FLOOR_ROUND_OFFS * round_off else ""
    return Exponent(float(value), float(error), float(flat), words)


def _turns(slopes: np.ndarray) -> bool:
    """Whether the last slope is another than the one before: the finest error, next to round-off, is in part that."""
    return bool(abs(slopes[-1] - slopes[-2]) > STEADY_SLOPE / 2)


def chooses(e: np.ndarray, round_off: float = ROUND_OFF) -> bool:
    """Whether the errors of the largest steps are small, and hardly depend on the step: it divides them as it likes."""
    first = e[:4]
    if not np.isfinite(first).all() or first.min() < FLOOR_ROUND_OFFS * round_off:
        return False
    return bool(first.max() < SMALL_ERROR and first.max() < 3 * first.min())


def _floor(h: np.ndarray, e: np.ndarray, slopes: np.ndarray, round_off: float) -> float:
    """Where the error stops falling: the level of the finest errors, if they have stopped; else zero."""
    if len(e) >= 4 and np.median(slopes[-3:]) < 0.35:
        return float(np.median(e[-4:]))
    return 0.0
