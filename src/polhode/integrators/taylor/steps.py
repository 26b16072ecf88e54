"""Steps of Taylor's method: as long as the last terms of the series allow, rows wherever they are wanted.

The steps do not know of the rows: a row inside a step is the value of its series there. So a run is the same however
it is cut, and rows cost little.

A torque that depends on the time may change where no series can see it: exp(-((t - 7)/0.02)^2) is zero at t = 0, with
all the coefficients a float can hold. Where the torque may hide so (``Recurrences.functions_of_time``), the equation of
motion itself is asked at places along the step, which ends before the first at which the series does not fulfil it.

The state of a run is its `place`: the time of the last expansion as an unrounded sum of two numbers, the state there,
(w, x, y, z, a, b, c, 0), and what rounding has left out of that. Each step is added to both, so that the error of
rounding hardly grows with their number.
"""

import math
from typing import Any, TypeAlias

from polhode.kernels.numbers import Kernel, Number, Rows, Span, Vec3
from polhode.kernels.scalar import kernel

TIME, REST, STATE, CARRY, NUMBERS = 0, 1, 2, 10, 18
"""Where in a place they are: the time (two numbers), the state and the carry (eight each); and how many in all."""

TINY, EPSILON = 1e-300, 2.0**-52
OFF = 1e-15
"""How far the square of the length of q may be from 1 before it is brought back."""

LOOKS, LOOKED = 16, 5
"""At how many places of a step the equation is asked, and how many rows `looked` has: the lowest orders of a jet."""

MISSED = 100.0
"""What the series may miss the equation by, in tolerances a step; the terms left out come to about the order."""


Motion: TypeAlias = tuple[Kernel, Kernel, Kernel, Kernel, Any, Vec3]
"""jet, value, reach, move, data, moments of inertia.

jet(y, t, order, data, work, series) expands the motion, value(series, order, s, y) is its change over a time s, which
move(series, order, s, y) adds to a state and its carry. reach(series, order, allowed) is the time in which the last two
terms come to 2^allowed: that of the attitude absolute, that of the velocity relative to its size, or to what the body
gains in the time of a turn where it is at rest.
"""

Room: TypeAlias = tuple[Any, Any, Any, Any]
"""work, series, looked, end: room of a jet, the series it makes, those at places along a step, and a state."""


@kernel
def advance(
    motion: Motion,
    precision: tuple[int, float, bool],
    span: Span,
    place: Any,
    room: Room,
    out: Any,
    rows: Rows,
) -> Any:
    """Go over the intervals of a span, and write (q, Pi) to those rows of `out` that are due.

    The precision is (order, tolerance, whether the torque may hide). `end` is left with the state after the last
    interval. Returns the intervals done, the next row, the intervals left to it, and how many expansions were made; it
    stops where a step is not finite, or so short that the time does not move.
    """
    (_, value, _, move, _, moments), (order, tolerance, hides), (_, series, _, end) = motion, precision, room
    (h, t0, first, n), (row, every, left) = span, rows
    done, expansions = 0, 1
    allowed = math.log2(tolerance)
    step = expanded(motion, order, allowed, h, place, room)
    if hides:
        step = seen_through(motion, order, tolerance, step, h, place, room)
    while done < n:
        size = min(left, n - done)
        target = t0 + (first + done + size) * h
        ahead = (target - place[TIME]) - place[REST]
        while abs(ahead) > abs(step):
            if not moved(move, order, step, place, series):
                return done, row, left, expansions
            step = expanded(motion, order, allowed, h, place, room)
            if hides:
                step = seen_through(motion, order, tolerance, step, h, place, room)
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
            I, J, K = moments
            for k in range(4):
                out[row, k] = end[k]
            out[row, 4], out[row, 5], out[row, 6] = I * end[4], J * end[5], K * end[6]
            row += 1
            left = every
    return done, row, left, expansions


@kernel
def expanded(motion: Motion, order: int, allowed: float, h: Number, place: Any, room: Room) -> Any:
    """Expand the motion at the place; the step is such that the last two terms are below the tolerance, 2^allowed."""
    (jet, _, reach, _, data, _), (work, series, _, _) = motion, room
    jet(place[STATE : STATE + 8], place[TIME] + place[REST], order, data, work, series)
    step = reach(series, order, allowed)
    return step if h > 0 else -step


@kernel
def seen_through(
    motion: Motion, order: int, tolerance: float, step: Number, h: Number, place: Any, room: Room
) -> Number:
    """The part of a step over which the series fulfils the equation of motion, as far as LOOKS places tell.

    They are at most h apart, which is all there is to go by where a body rests and its series has no end.
    """
    series = room[1]
    if not abs(step) > 0:  # nor is it a number
        return step
    part = min(abs(step), LOOKS * abs(h)) / LOOKS
    if h < 0:
        part = -part
    scale = 1 / (size_of(series, 0, 4) + math.sqrt(size_of(series, 1, 4)) + TINY)
    most = MISSED * max(tolerance, EPSILON)
    while True:
        good = 0
        while (
            good < LOOKS and missed(motion, order, (good + 1) * part, place, room) * scale * abs(LOOKS * part) <= most
        ):
            good += 1
        if good > 0 or place[TIME] + part == place[TIME]:
            return good * part
        part = part / LOOKS


@kernel
def missed(motion: Motion, order: int, s: Number, place: Any, room: Room) -> Number:
    """By how much the velocity's derivative in the series differs, a time s on, from what the equation says there."""
    (jet, value, _, _, data, _), (work, series, looked, y) = motion, room
    value(series, order, s, y)
    for k in range(8):
        y[k] += place[STATE + k]
    jet(y, place[TIME] + (place[REST] + s), LOOKED - 1, data, work, looked)
    a = b = c = 0.0  # the derivative, by Horner's scheme
    for m in range(order, 0, -1):
        a, b, c = a * s + m * series[m, 4], b * s + m * series[m, 5], c * s + m * series[m, 6]
    return max(abs(a - looked[1, 4]), max(abs(b - looked[1, 5]), abs(c - looked[1, 6])))


@kernel
def size_of(series: Any, n: int, first: int) -> Number:
    """The largest of four numbers of a row: of the quaternion from 0, of the velocity from 4."""
    a, b = abs(series[n, first]), abs(series[n, first + 1])
    return max(max(a, b), max(abs(series[n, first + 2]), abs(series[n, first + 3])))


@kernel
def moved(move: Kernel, order: int, step: Number, place: Any, series: Any) -> bool:
    """Take a step; False if it is not finite, or too short to be one."""
    time = place[TIME] + step
    if not (abs(step) < math.inf and abs(time - place[TIME]) > 0):
        return False
    rest = place[REST] + ((place[TIME] - time) + step)
    place[TIME] = time + rest
    place[REST] = (time - place[TIME]) + rest
    move(series, order, step, place[STATE : STATE + 16])
    total = 0.0
    for k in range(8):
        total += place[STATE + k]
    return total - total == 0
