"""The loop: steps, saves, counts, and stops at the first step that fails. It knows no method and no problem."""

from typing import Any

from polhode.kernels.numbers import Body, Kernel, Number, Quat, Rows, Span, State, Vec3
from polhode.kernels.rotations import matrix, rotated
from polhode.kernels.scalar import everybody, kernel
from polhode.kernels.vectors import dot, mul


@kernel
def advance(step: Kernel, body: Body, span: Span, state: State, out: Any, rows: Rows) -> Any:
    """Take the steps of a span, and write (q, Pi) to those rows of `out` that are due.

    Returns the steps taken, the next row, the steps left to it, the iterations, the error of the last solve (zero
    unless it failed) and the state after the last good step.
    """
    (h, t0, first, n), (row, every, left) = span, rows
    iterations = 0
    for i in range(first, first + n):
        after, report = step(h, t0 + i * h, state, body)
        iterations += report[0]
        q, Pi, tau = after[0], after[1], after[2]
        total = sum_of(q, Pi, tau)
        if not (report[1] == 0 and total - total == 0):  # an infinity or a NaN anywhere makes total - total NaN
            return i - first, row, left, iterations, 1.0 * report[1], state
        state = after
        row, left = counted(out, row, left, every, q, Pi)
    return n, row, left, iterations, 0.0, state


@kernel
def sum_of(q: Quat, Pi: Vec3, tau: Vec3) -> Number:
    """A sum to test a state by: an infinity or a NaN in it makes the sum one, too."""
    return q[0] + Pi[0] + Pi[1] + Pi[2] + tau[0] + tau[1] + tau[2]


@kernel
def counted(out: Any, row: int, left: int, every: int, q: Quat, Pi: Vec3) -> tuple[int, int]:
    """Count a step and write its state if a row is due; returns the next row and the steps left to it."""
    if left != 1:
        return row, left - 1
    keep(out, row, q, Pi)
    return row + 1, every


@kernel
def keep(out: Any, row: int, q: Quat, Pi: Vec3) -> None:
    """Write a state to a row."""
    for k in range(4):
        out[row, k] = q[k]
    for k in range(3):
        out[row, 4 + k] = Pi[k]


@kernel
def survey(
    step: Kernel,
    body: Body,
    span: Span,
    state: State,
    out: Any,
    rows: Rows,
    about: tuple[Kernel, Quat, int, int, Any],
) -> Any:
    """As `advance`, and after each `every_look` steps add energy and spatial momentum to the tally.

    It is about (potential, origin, every_look, looks, tally): `origin` holds their values at the start, from which they
    are counted; `looks` is how many there are in the whole run. The tally has as many blocks of equal length as it has
    rows: see `note`.
    """
    (h, t0, first, n), (row, every, left) = span, rows
    potential, origin, every_look, looks, tally = about
    iterations, done = 0, 0
    while done < n:
        i = first + done
        size = min(every_look - i % every_look, n - done)
        took, row, left, its, error, state = advance(step, body, (h, t0, i, size), state, out, (row, every, left))
        iterations += its
        done += took
        if took < size:
            return done, row, left, iterations, error, state
        if (i + size) % every_look == 0:
            values = watched(state[0], state[1], body, potential)
            look = (i + size) // every_look - 1
            block = look * len(tally) // looks
            place = look - (block * looks + len(tally) - 1) // len(tally)
            for k in range(4):
                note(tally, block, k, place, values[k] - origin[k])
    return done, row, left, iterations, 0.0, state


@kernel
def watched(q: Quat, Pi: Vec3, body: Body, potential: Kernel) -> Any:
    """Energy and spatial momentum."""
    pi = rotated(q, Pi)
    return (dot(Pi, mul(body[1], Pi)) / 2 + potential(matrix(q), body[3][1]), pi[0], pi[1], pi[2])


@kernel
def note(tally: Any, block: int, k: int, place: int, y: Number) -> None:
    """Add y to a block: least, greatest, count, sum of y, sum of place times y, each sum with what rounding left out.

    Compensated (Kahan) sums: over 10^9 terms plain ones would lose half the digits.
    """
    tally[block, k, 0] = min(tally[block, k, 0], y)
    tally[block, k, 1] = max(tally[block, k, 1], y)
    tally[block, k, 2] += 1
    for j in range(2):
        x = (y if j == 0 else place * y) - tally[block, k, 4 + 2 * j]
        old = tally[block, k, 3 + 2 * j]
        new = old + x
        tally[block, k, 3 + 2 * j] = new
        tally[block, k, 4 + 2 * j] = (new - old) - x


@kernel
def advance_all(step: Kernel, body: Body, span: Span, state: State, out: Any, rows: Rows) -> Any:
    """As `advance`, for numbers that may stand for several bodies, of which one may fail and the others go on.

    Returns after the first step in which one fails, with the state after it: that of the others is right. The
    error is zero for them, positive for a body that did not solve its equations, NaN for one that is not finite.
    """
    (h, t0, first, n), (row, every, left) = span, rows
    iterations = 0
    for i in range(first, first + n):
        state, report = step(h, t0 + i * h, state, body)
        iterations += report[0]
        q, Pi, tau = state[0], state[1], state[2]
        row, left = counted(out, row, left, every, q, Pi)
        total = sum_of(q, Pi, tau)
        error = report[1] + (total - total)
        if not everybody(error == 0):
            return i + 1 - first, row, left, iterations, error, state
    return n, row, left, iterations, 0.0, state
