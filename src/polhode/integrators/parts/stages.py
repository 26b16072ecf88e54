"""Stages of Runge-Kutta methods: sums and products over tuples of vectors, unrolled when a step is built.

A step for s stages is put together from closures, one inside the other: machine code then has neither tables
nor counters, and plain Python runs the same source. Coefficients come as one flat tuple: the rows of A (only
what is left of the diagonal where the tableau is explicit), then b, then c.
"""

from collections.abc import Callable
from typing import Any

from polhode.integrators.parts.tableaux import constants
from polhode.kernels.implicit import size
from polhode.kernels.rotations import compose, exp
from polhode.kernels.scalar import epsilon, kernel, overlap
from polhode.kernels.vectors import lin, scaled

MOST_SWEEPS = 100
"""Iterations after which stages are given up: floats need a dozen or two, fifty digits four times as many."""


def packed(tableau: Any) -> Callable[..., Any]:
    """The coefficients of a tableau, as the function (J, number) -> numbers of a Method."""
    rows = [row[:i] if tableau.explicit else row for i, row in enumerate(tableau.A)]
    exact = (*(x for row in rows for x in row), *tableau.b, *tableau.c)
    return constants(exact)


def places(s: int, explicit: bool) -> tuple[list[int], int, int]:
    """Where in the packed coefficients of s stages each row of A begins, where b, and where c."""
    rows = [i * (i - 1) // 2 if explicit else i * s for i in range(s + 1)]
    return rows[:s], rows[s], rows[s] + s


def total(n: int, at: int) -> Callable[..., Any]:
    """The kernel sum_j c[at + j] x_j over the first n vectors."""
    i, j, last, here = n - 2, n - 1, at + n - 2, at + n - 1
    if n == 1:
        return lambda c, x: scaled(c[here], x[j])
    if n == 2:
        return lambda c, x: lin(1, scaled(c[last], x[i]), c[here], x[j])
    before = total(n - 2, at)  # two at a time: every closure is a function to compile
    return lambda c, x: lin(1, lin(1, before(c, x), c[last], x[i]), c[here], x[j])


def rows(n: int, s: int, at: int) -> Callable[..., Any]:
    """The kernel of n sums over s vectors, each with the next s coefficients from `at` on."""
    if n == 0:
        return lambda c, x: ()
    before, row = rows(n - 1, s, at), total(s, at + s * (n - 1))
    return lambda c, x: before(c, x) + (row(c, x),)


def turned(n: int, at: int) -> Callable[..., Any]:
    """The kernel q exp(h c[at] x_1) exp(h c[at + 1] x_2) ... over the first n vectors."""
    i, j, last, here = n - 2, n - 1, at + n - 2, at + n - 1
    if n == 1:
        return lambda h, c, q, x: compose(q, exp(scaled(h * c[here], x[j])))
    if n == 2:
        return lambda h, c, q, x: compose(compose(q, exp(scaled(h * c[last], x[i]))), exp(scaled(h * c[here], x[j])))
    before = turned(n - 2, at)
    return lambda h, c, q, x: compose(
        compose(before(h, c, q, x), exp(scaled(h * c[last], x[i]))), exp(scaled(h * c[here], x[j]))
    )


# ---- implicit tableaux ---------------------------------------------------------------------------------


def fixed_point(s: Any) -> Any:
    """The kernel that solves x = f(x) for s vectors, where f also returns the slopes a step needs, and its scale.

    Broyden's method from the Jacobian of plain iteration, in the form that keeps the corrections instead of a
    matrix (Kelley 1995, 7.3), the last eight of them: no derivative of the torque, and 0.9 to 0.35 of the
    evaluations of plain iteration, the fewer the larger the step. Solved means that the last correction is
    round-off at the scale of what f adds up, which may cancel in x; it is not added, so that the slopes belong to x.
    Returns x, the slopes and the report (evaluations of f, error: zero when solved).
    """
    blend, inner, reach = blended(s), overlaps(s), sizes(s)

    def solve(f: Any, x: Any, data: Any, body: Any) -> Any:
        image, slopes, scale = f(x, data, body)
        d = blend(1, image, -1, x)
        error = reach(d)
        tiny = 2 * epsilon(scale) * scale
        none, one = blend(0, d, 0, d), 1 + 0 * error
        steps, norms = (none, none, none, none, none, none, none, none), (one, one, one, one, one, one, one, one)
        n = 1
        while n < MOST_SWEEPS and not error <= tiny:
            x = blend(1, x, 1, d)
            steps, norms = steps[1:] + (d,), norms[1:] + (inner(d, d),)
            image, slopes, scale = f(x, data, body)
            d = blend(1, image, -1, x)
            for k in range(7):
                d = blend(1, d, inner(steps[k], d) / norms[k], steps[k + 1])
            d = blend(1 / (1 - inner(steps[7], d) / norms[7]), d, 0, d)
            error = reach(d)
            n += 1
        return x, slopes, (n, 0 * error if error <= tiny else error)

    return solve


def blended(n: Any) -> Any:
    """The kernel a x_j + b y_j for each of the first n vectors."""
    if n == 0:
        return lambda a, x, b, y: ()
    j, before = n - 1, blended(n - 1)
    return lambda a, x, b, y: before(a, x, b, y) + (lin(a, x[j], b, y[j]),)


def overlaps(n: Any) -> Any:
    """The kernel sum_j x_j . y_j over the first n vectors."""
    j = n - 1
    if n == 1:
        return lambda x, y: overlap3(x[j], y[j])
    before = overlaps(n - 1)
    return lambda x, y: before(x, y) + overlap3(x[j], y[j])


@kernel
def overlap3(a: Any, b: Any) -> Any:
    """a . b, derivatives carried along included."""
    return overlap(a[0], b[0]) + overlap(a[1], b[1]) + overlap(a[2], b[2])


def sizes(n: Any) -> Any:
    """The kernel sum_j |x_j| over the first n vectors."""
    j = n - 1
    if n == 1:
        return lambda x: size(x[j])
    before = sizes(n - 1)
    return lambda x: before(x) + size(x[j])
