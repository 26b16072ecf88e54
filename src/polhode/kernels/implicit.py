"""The implicit equations: three unknowns, solved to round-off or reported as not solved.

Every implicit method here comes down to three equations in three unknowns x: the rotation vector of a step, half of
it, or the tangent of a quarter. The guess is extrapolated from the last three steps (the trail). An iteration stops
when the error it *leaves* is below round-off, which is known one correction earlier than waiting for the
corrections themselves to vanish: Newton's method leaves about K |d|^2, with K measured from the last two
corrections |d'| = K |d|^2 and taken as 8 before there are two (for a body that exists in three dimensions
the curvature of these equations is about 1). A bound on |d|^2 is also met by corrections that
are round-off already, so a solve never hangs on the last bit.

Data-dependent loops are confined to this module.
"""

from typing import Any

from polhode.kernels.numbers import Body, Kernel, Mat3, Number, Quat, Report, Trail, Vec3
from polhode.kernels.scalar import either, epsilon, everybody, finished, kept, kernel, magnitude, nobody
from polhode.kernels.vectors import apply, minus, plus, product, solve3

MOST_ITERATIONS = 30
"""A solve is given up after this many iterations."""

GROWN = 1000
"""Sweeps that change a rotation by more radians than this are given up."""

NO_SOLVE = (0, 0.0)
"""The report of an explicit step: iterations, error left."""


@kernel
def newton(equation: Kernel, trail: Trail, data: Any, scale: Number) -> tuple[Vec3, Mat3, Report]:
    """Solve equation(x, data) = 0 by Newton's method; the equation returns its residual and Jacobian.

    `scale` is the size of x: the error left is below its last bit. Returns x, the new trail and the report
    (iterations, error): the error is zero when solved, else the size of the last correction.
    """
    x = extrapolated(trail)
    tiny = epsilon(scale) * magnitude(scale) / 8
    last = tiny
    error = tiny
    done = nobody(tiny)
    n = 0
    while n < MOST_ITERATIONS:
        d = correction(equation, x, data)
        x = kept(done, x, minus(x, d))
        error = magnitude(d[0]) + magnitude(d[1]) + magnitude(d[2])
        reach = error / 8 if n == 0 else last * last  # |d|^3 <= tiny * reach says K |d|^2 <= tiny
        n += 1
        done = finished(done, error * error * error <= tiny * reach)
        if everybody(done):
            error = 0 * tiny
            break
        last = error
    return x, followed(trail, x), (n, kept(done, 0 * tiny, error))


@kernel
def correction(equation: Kernel, x: Vec3, data: Any) -> Vec3:
    """Newton's correction: the Jacobian's inverse times the residual."""
    r, A = equation(x, data)
    return solve3(A, r)


@kernel
def secant(
    equation: Kernel, trail: Trail, slope: Mat3, data: Any, body: Body, scale: Number
) -> tuple[Vec3, Vec3, Mat3, Mat3, Report]:
    """Solve r(x) = g(x), where g holds the torque, whose derivative nobody gives.

    The equation returns r, its Jacobian, and g. The Jacobian of g (`slope`, nine numbers, carried from step
    to step) is kept up to date by Broyden's rank-one formula, so that a solve costs three or four torque
    evaluations instead of one for every digit. A torque that nearly vanishes is a difference of larger terms and
    has an error that is not small beside it; corrections that no longer shrink and are below the last bit of an
    attitude are that error, and end the iteration too. Returns x, g at x, the new trail, slope and report.
    """
    x = extrapolated(trail)
    noise = epsilon(scale)
    tiny = 2 * noise * magnitude(scale)
    last = tiny
    error = tiny
    d = (0 * x[0], 0 * x[1], 0 * x[2])
    done = nobody(tiny)
    r, A, g = equation(x, data, body)
    n = 1
    while True:
        d = kept(done, d, solve3(minus9(A, slope), minus(g, r)))
        x = kept(done, x, plus(x, d))
        error = magnitude(d[0]) + magnitude(d[1]) + magnitude(d[2])
        quick = ((n > 1) & (error * error <= tiny * last)) | (error <= tiny)  # the rate so far times this correction
        noisy = (n > 1) & (2 * error >= last) & (error <= noise)  # near an equilibrium: the last bits of the torque
        done = finished(done, quick | noisy)
        if everybody(done):
            error = 0 * tiny
            break
        if not n < MOST_ITERATIONS:
            break
        last = error
        before = g
        r, A, g = equation(x, data, body)
        g = kept(done, before, g)
        n += 1
        slope = kept(done, slope, broyden(slope, d, minus(g, before)))
    return x, plus(g, apply(slope, d)), followed(trail, x), slope, (n, kept(done, 0 * tiny, error))


@kernel
def repeated(
    sweep: Kernel, x: tuple[Quat, Quat, Vec3, Quat, Quat, Vec3], data: Any, body: Body
) -> tuple[tuple[Quat, Quat, Vec3, Quat, Quat, Vec3], Report]:
    """Solve x = sweep(x) by repeating it; sweep(x, data, body) returns x, its change, and the scale of the change.

    Every sweep gains about the same number of digits, known from the last two changes, so that again the iteration
    stops when the error it leaves is below the last bit. Changes that are round-off, of what changes or of an attitude,
    and no longer shrink end it too.
    It is given up where a sweep gains less than half a bit on average, or where it diverges. Returns x and the report.
    """
    last = 0.0
    reach = 1.0
    n = 0
    while True:
        x, error, scale = sweep(x, data, body)
        n += 1
        noise = epsilon(scale)
        tiny = noise * scale
        noisy = 2 * error >= last and (error <= 8 * tiny or error <= noise)
        if n > 1 and (8 * error * error <= tiny * last or noisy):
            error = 0 * tiny
            break
        reach = 2 * reach
        if not (reach * noise * noise < 1 and error < GROWN):
            break
        last = error
    return x, (n, error)


@kernel
def extrapolated(trail: Trail) -> Vec3:
    """The parabola through the last three solutions, one step on."""
    return (
        3 * (trail[0] - trail[3]) + trail[6],
        3 * (trail[1] - trail[4]) + trail[7],
        3 * (trail[2] - trail[5]) + trail[8],
    )


@kernel
def followed(trail: Trail, x: Vec3) -> Mat3:
    """The trail with x as its newest solution."""
    return (x[0], x[1], x[2], trail[0], trail[1], trail[2], trail[3], trail[4], trail[5])


@kernel
def broyden(B: Mat3, d: Vec3, change: Vec3) -> Mat3:
    """B + (change - B d) d^T / |d|^2: the nearest matrix that maps d to the change seen."""
    e = minus(change, apply(B, d))
    k = 1 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    x, y, z = k * d[0], k * d[1], k * d[2]
    return (
        B[0] + e[0] * x,
        B[1] + e[0] * y,
        B[2] + e[0] * z,
        B[3] + e[1] * x,
        B[4] + e[1] * y,
        B[5] + e[1] * z,
        B[6] + e[2] * x,
        B[7] + e[2] * y,
        B[8] + e[2] * z,
    )


@kernel
def minus9(A: Mat3, B: Mat3) -> Mat3:
    """A - B for matrices."""
    return (
        A[0] - B[0],
        A[1] - B[1],
        A[2] - B[2],
        A[3] - B[3],
        A[4] - B[4],
        A[5] - B[5],
        A[6] - B[6],
        A[7] - B[7],
        A[8] - B[8],
    )


@kernel
def both(a: Report, b: Report) -> Report:
    """The report of two solves in one step."""
    return (a[0] + b[0], a[1] + b[1])


@kernel
def within(report: Report, x: Number, most: int) -> Report:
    """The report of a solve, made a failure if |x| > most: solved, but not by the solution near zero."""
    far = magnitude(x)
    return (report[0], either(far > most, far, report[1]))


@kernel
def size(a: Vec3) -> Number:
    """|a_1| + |a_2| + |a_3|, as a scale for a solve."""
    return magnitude(a[0]) + magnitude(a[1]) + magnitude(a[2])


MOST_TERMS = 100
"""The most terms of the series: eighty digits need forty."""


@kernel
def exponential(X: Mat3) -> tuple[Mat3, Mat3]:
    """exp(X) of a matrix, and its mean over the way from 0 to X, phi = 1 + X/2! + X^2/3! + ...

    The series of phi for X/16, until its terms are round-off, and four times phi(2X) = (1 + exp(X)) phi(X)/2 with
    exp(X) = 1 + X phi(X).
    """
    X = scaled9(1 / 16, X)
    o = 0 * X[0]
    one = (1 + o, o, o, o, 1 + o, o, o, o, 1 + o)
    phi, term = one, one
    tiny = epsilon(o) / 4
    done = nobody(tiny)
    n = 1
    while n < MOST_TERMS:
        n += 1
        term = scaled9(1 / (n + o), product(X, term))
        phi = kept(done, phi, plus9(phi, term))
        done = finished(done, largest9(term) <= tiny)
        if everybody(done):
            break
    for _ in range(4):
        phi = plus9(phi, scaled9(0.5, product(product(X, phi), phi)))
        X = scaled9(2, X)
    return plus9(one, product(X, phi)), phi


@kernel
def largest9(A: Mat3) -> Number:
    """|a_1| + ... + |a_9|, a bound of the largest."""
    return size(A[0:3]) + size(A[3:6]) + size(A[6:9])


@kernel
def plus9(A: Mat3, B: Mat3) -> Mat3:
    """A + B for matrices."""
    return (
        A[0] + B[0],
        A[1] + B[1],
        A[2] + B[2],
        A[3] + B[3],
        A[4] + B[4],
        A[5] + B[5],
        A[6] + B[6],
        A[7] + B[7],
        A[8] + B[8],
    )


@kernel
def scaled9(s: Number, A: Mat3) -> Mat3:
    """s A for matrices."""
    return (s * A[0], s * A[1], s * A[2], s * A[3], s * A[4], s * A[5], s * A[6], s * A[7], s * A[8])
