"""How errors fall with the step: as a straight line in logarithms, above round-off."""

import math

import numpy as np

ROUND_OFF = 1.5e-15  # of one step
RESOLVED_ROUND_OFFS = 100  # times round-off, above which errors are looked at
RESOLVED_ERROR_OF_A_STEP = RESOLVED_ROUND_OFFS * ROUND_OFF
SUDDEN_FACTOR = 5  # by which an error is smaller than expected where another formula begins
FEWEST_OF_A_LINE = 5  # errors to which a line is fitted where their slopes scatter
STEADY_SLOPE = 0.25  # change of the slope, or error of that of a line, up to which it is one


def falling(x: np.ndarray, errors: np.ndarray, least: float = RESOLVED_ERROR_OF_A_STEP) -> float:
    """The power of x with which errors fall, of those above the least; infinity where that is not to be told, or where
    they suddenly fall by more: smaller steps are then of a better formula."""
    resolved = int(np.append(errors < least, True).argmax())
    if resolved < 3:
        return math.inf
    slopes = np.diff(np.log(errors[:resolved])) / np.diff(np.log(x[:resolved]))
    before, last = slopes[-2:]
    expected = errors[resolved - 1 : -1] * (x[resolved:] / x[resolved - 1 : -1]) ** last
    if np.any(expected > SUDDEN_FACTOR * np.maximum(errors[resolved:], RESOLVED_ERROR_OF_A_STEP / 3)):
        return math.inf
    if abs(last - before) < STEADY_SLOPE:
        return float(last)
    if resolved < FEWEST_OF_A_LINE:
        return math.inf
    overall, error, _ = line(x[:resolved], errors[:resolved])
    first, second = (
        line(x[part], errors[part])[0] for part in (slice(resolved // 2 + 1), slice(resolved // 2, resolved))
    )
    is_straight = error < STEADY_SLOPE and abs(first - second) < 2 * STEADY_SLOPE
    return overall if is_straight else math.inf


def line(h: np.ndarray, e: np.ndarray) -> tuple[float, float, float]:
    """Exponent, standard error and root mean square of the residual of a straight line in logarithms."""
    x, y = np.log(h), np.log(e)
    x = x - x.mean()
    p = x @ y / (x @ x)
    rest = y - y.mean() - p * x
    rms = np.sqrt(rest @ rest / max(1, len(h) - 2))
    return float(p), float(rms / np.sqrt(x @ x)), float(rms)
