"""The loop that watches: as ``loop.advance``, and it stops before a step in which a watched function may change sign.

Between two steps the state is that of one shorter step from the last: the method's own, to its order. A watched
function g is looked at in five places of a step, the Chebyshev points, through which a polynomial goes:

    p(x) = c0 + c1 T1(x) + ... + c4 T4(x),     |Tk| <= 1,     so it has no zero if |c0| > |c1| + ... + |c4|

What the polynomial leaves out is estimated by twice its last two coefficients. A step that cannot be excluded is left
to ``runs/between_steps/crossings.py``, which looks as closely as it has to.
"""

from typing import Any

from polhode.kernels.loop import counted, sum_of
from polhode.kernels.numbers import Body, Condition, Kernel, Number, Quat, Rows, Span, State, Vec3
from polhode.kernels.rotations import matrix
from polhode.kernels.scalar import everybody, kernel
from polhode.kernels.vectors import mul

NODES = (0.14644660940672624, 0.5, 0.8535533905932737)
"""(1 - cos(k pi/4))/2: the places inside the step."""

HALF_ROOT = 0.7071067811865476


@kernel
def doubt(a: Number, b: Number, c: Number, d: Number, e: Number) -> Number:
    """Negative if a function with these values at the five places has no zero between them; NaN if one is NaN."""
    c0 = (a / 2 + b + c + d + e / 2) / 4
    c1 = (a / 2 + HALF_ROOT * (b - d) - e / 2) / 2
    c2 = (a / 2 - c + e / 2) / 2
    c3 = (a / 2 - HALF_ROOT * (b - d) - e / 2) / 2
    c4 = (a / 2 - b + c - d + e / 2) / 4
    return abs(c1) + abs(c2) + 3 * (abs(c3) + abs(c4)) - abs(c0)


@kernel
def may_cross(a: Number, b: Number, c: Number, d: Number, e: Number) -> Condition:
    """Whether a function with these values at the five places may have a zero between them; True if one is NaN."""
    return not doubt(a, b, c, d, e) < 0


@kernel
def seen_by(look: Any, k: int, t: Number, q: Quat, Pi: Vec3, body: Body) -> Any:
    """The value of watched function k at a state."""
    function, about = look
    return function(k, t, matrix(q), mul(body[1], Pi), about)


@kernel
def part(step: Kernel, start: Kernel, h: Number, t: Number, state: State, body: Body) -> tuple[Quat, Vec3]:
    """(q, Pi) after one step of length h from a state, started anew."""
    after = step(h, t, start(h, t, state[0], state[1], body), body)[0]
    return after[0], after[1]


@kernel
def advance_watched(
    method: tuple[Kernel, Kernel],
    body: Body,
    span: Span,
    state: State,
    out: Any,
    rows: Rows,
    watched: tuple[Any, Any],
) -> Any:
    """As ``loop.advance``, by a method (step, start).

    `watched` is (look, values): `values` holds the watched functions at the state, before and after. The last that is
    returned says whether the next step is one to look at.
    """
    (step, start), (look, values) = method, watched
    (h, t0, first, n), (row, every, left) = span, rows
    iterations = 0
    for i in range(first, first + n):
        t = t0 + i * h
        after, report = step(h, t, state, body)
        q, Pi, tau = after[0], after[1], after[2]
        total = sum_of(q, Pi, tau)
        if not (report[1] == 0 and total - total == 0):
            return i - first, row, left, iterations + report[0], 1.0 * report[1], state, False
        q1, Pi1 = part(step, start, NODES[0] * h, t, state, body)
        q2, Pi2 = part(step, start, NODES[1] * h, t, state, body)
        q3, Pi3 = part(step, start, NODES[2] * h, t, state, body)
        for k in range(len(values)):
            b = seen_by(look, k, t + NODES[0] * h, q1, Pi1, body)
            c = seen_by(look, k, t + NODES[1] * h, q2, Pi2, body)
            d = seen_by(look, k, t + NODES[2] * h, q3, Pi3, body)
            e = seen_by(look, k, t0 + (i + 1) * h, q, Pi, body)
            if may_cross(values[k], b, c, d, e):
                for j in range(k):  # the step is not taken: its values are taken back
                    values[j] = seen_by(look, j, t, state[0], state[1], body)
                return i - first, row, left, iterations, 0.0, state, True
            values[k] = e
        iterations += report[0]
        state = after
        row, left = counted(out, row, left, every, q, Pi)
    return n, row, left, iterations, 0.0, state, False


@kernel
def advance_all_watched(
    method: tuple[Kernel, Kernel],
    body: Body,
    span: Span,
    state: State,
    out: Any,
    rows: Rows,
    watched: tuple[Any, Any],
) -> Any:
    """As ``loop.advance_all``; steps in which a watched function of one of the bodies may change sign are noted.

    `look` is (function, note, about): note(k, i, doubt, before and after of function k, states before and after, about)
    writes step i down for those bodies that are in doubt, and all go on.
    """
    (step, start), ((function, note, about), values) = method, watched
    (h, t0, first, n), (row, every, left) = span, rows
    iterations = 0
    for i in range(first, first + n):
        t = t0 + i * h
        after, report = step(h, t, state, body)
        iterations += report[0]
        q, Pi, tau = after[0], after[1], after[2]
        s1 = step(NODES[0] * h, t, start(NODES[0] * h, t, state[0], state[1], body), body)[0]
        s2 = step(NODES[1] * h, t, start(NODES[1] * h, t, state[0], state[1], body), body)[0]
        s3 = step(NODES[2] * h, t, start(NODES[2] * h, t, state[0], state[1], body), body)[0]
        for k in range(len(values)):
            a = values[k, 0]
            b = function(k, t + NODES[0] * h, matrix(s1[0]), mul(body[1], s1[1]), about)
            c = function(k, t + NODES[1] * h, matrix(s2[0]), mul(body[1], s2[1]), about)
            d = function(k, t + NODES[2] * h, matrix(s3[0]), mul(body[1], s3[1]), about)
            e = function(k, t0 + (i + 1) * h, matrix(q), mul(body[1], Pi), about)
            open_question = doubt(a, b, c, d, e)
            if not everybody(open_question < 0):
                note(k, i, open_question, a, e, (state[0], state[1], q, Pi), about)
            values[k, 0] = e
        state = after
        row, left = counted(out, row, left, every, q, Pi)
        total = sum_of(q, Pi, tau)
        error = report[1] + (total - total)
        if not everybody(error == 0):
            return i + 1 - first, row, left, iterations, error, state
    return n, row, left, iterations, 0.0, state
