"""Steps of Taylor's method: as long as the last terms of the series allow, rows wherever they are wanted.

The steps do not know of the rows: a row inside a step is the value of its series there. So a run is the same however
it is cut, and rows cost little.

The state of a run is its `place`: the time of the last expansion as an unrounded sum of two numbers, the state there,
(w, x, y, z, a, b, c, 0), and what rounding has left out of that. Each step is added to both, so that the error of
rounding hardly grows with their number.
"""

import math
from typing import Any

from polhode.kernels.numbers import Kernel, Number
from polhode.kernels.scalar import kernel

TIME, REST, STATE, CARRY, NUMBERS = 0, 1, 2, 10, 18
"""Where in a place they are: the time (two numbers), the state and the carry (eight each); and how many in all."""

TINY = 1e-300
OFF = 1e-15
"""How far the square of the length of q may be from 1 before it is brought back."""


@kernel
def advance(
    jet: Kernel,
    value: Kernel,
    data: Any,
    order: int,
    tolerance: float,
    h: Number,
    t0: Number,
    first: int,
    n: int,
    every: int,
    left: int,
    place: Any,
    work: Any,
    series: Any,
    out: Any,
    row: int,
    end: Any,
) -> Any:
    """Go from t0 + first h over n intervals of h; after each `every` of them write (q, Omega) to the next row of `out`.

    jet(y, t, order, data, work, series) expands the motion, value(series, order, s, y) is its change over a time s.
    `left` is how many intervals remain to the next row, `end` the state after the last. Returns the intervals done,
    the next row, the intervals left, and how many expansions were made; it stops where a step is not finite, or so
    short that the time does not move.
    """
    done, expansions = 0, 1
    step = expanded(jet, data, order, tolerance, h, place, work, series)
    while done < n:
        size = min(left, n - done)
        target = t0 + (first + done + size) * h
        ahead = (target - place[TIME]) - place[REST]
        while abs(ahead) > abs(step):
            if not moved(value, order, step, place, series, end):
                return done, row, left, expansions
            step = expanded(jet, data, order, tolerance, h, place, work, series)
            expansions += 1
            ahead = (target - place[TIME]) - place[REST]
        value(series, order, ahead, end)
        total = 0.0
        for k in range(8):
            end[k] = place[STATE + k] + (end[k] + place[CARRY + k])
            total += end[k]
        if not (total - total == 0 and abs(step) > 0):
            return done, row, left, expansions
        done += size
        left -= size
        if left == 0:
            for k in range(7):
                out[row, k] = end[k]
            row += 1
            left = every
    return done, row, left, expansions


@kernel
def expanded(
    jet: Kernel, data: Any, order: int, tolerance: float, h: Number, place: Any, work: Any, series: Any
) -> Any:
    """Expand the motion at the place; the step is such that the last two terms are below the tolerance.

    That of the attitude is absolute, that of the velocity relative to its size, or to what the body gains in the time
    of a turn where it is at rest.
    """
    jet(place[STATE : STATE + 8], place[TIME] + place[REST], order, data, work, series)
    fast = size_of(series, 0, 4)
    scale = 1 / (fast + math.sqrt(size_of(series, 1, 4)) + TINY)
    step = math.inf
    for k in range(2):
        m = order - k
        last = max(size_of(series, m, 0), scale * size_of(series, m, 4))
        step = min(step, math.exp(math.log(tolerance / (last + TINY)) / m))
    return step if h > 0 else -step


@kernel
def size_of(series: Any, n: int, first: int) -> Number:
    """The largest of four numbers of a row: of the quaternion from 0, of the velocity from 4."""
    a, b = abs(series[n, first]), abs(series[n, first + 1])
    return max(max(a, b), max(abs(series[n, first + 2]), abs(series[n, first + 3])))


@kernel
def moved(value: Kernel, order: int, step: Number, place: Any, series: Any, change: Any) -> bool:
    """Take a step; False if it is not finite, or too short to be one."""
    time = place[TIME] + step
    if not (abs(step) < math.inf and abs(time - place[TIME]) > 0):
        return False
    rest = place[REST] + ((place[TIME] - time) + step)
    place[TIME] = time + rest
    place[REST] = (time - place[TIME]) + rest
    value(series, order, step, change)
    total = 0.0
    for k in range(8):
        old, x = place[STATE + k], change[k] + place[CARRY + k]
        new = old + x
        place[STATE + k] = new
        place[CARRY + k] = (old - new) + x if abs(old) > abs(x) else (x - new) + old
        total += new
    w, x, y, z = place[STATE], place[STATE + 1], place[STATE + 2], place[STATE + 3]
    off = ((w * w + x * x) + (y * y + z * z)) - 1
    if abs(off) > OFF:
        for k in range(4):
            old, x = place[STATE + k], -place[STATE + k] * (off / 2)
            place[STATE + k] = old + x
            place[CARRY + k] += (old - place[STATE + k]) + x
    return total - total == 0
