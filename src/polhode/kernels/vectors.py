"""Three-vectors as triples, and 3x3 matrices as nine numbers by rows."""

from polhode.kernels.numbers import Mat3, Number, Vec3
from polhode.kernels.scalar import kernel


@kernel
def dot(a: Vec3, b: Vec3) -> Number:
    """a . b"""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vec3, b: Vec3) -> Vec3:
    """a x b"""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def plus(a: Vec3, b: Vec3) -> Vec3:
    """a + b"""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def minus(a: Vec3, b: Vec3) -> Vec3:
    """a - b"""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scaled(s: Number, a: Vec3) -> Vec3:
    """s a"""
    return (s * a[0], s * a[1], s * a[2])


@kernel
def lin(s: Number, a: Vec3, t: Number, b: Vec3) -> Vec3:
    """s a + t b"""
    return (s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2])


@kernel
def mul(J: Vec3, a: Vec3) -> Vec3:
    """J a for a diagonal J"""
    return (J[0] * a[0], J[1] * a[1], J[2] * a[2])


@kernel
def hat(a: Vec3) -> Mat3:
    """The matrix of x -> a x x"""
    return (0 * a[0], -a[2], a[1], a[2], 0 * a[0], -a[0], -a[1], a[0], 0 * a[0])


@kernel
def apply(A: Mat3, x: Vec3) -> Vec3:
    """A x"""
    return (
        A[0] * x[0] + A[1] * x[1] + A[2] * x[2],
        A[3] * x[0] + A[4] * x[1] + A[5] * x[2],
        A[6] * x[0] + A[7] * x[1] + A[8] * x[2],
    )


@kernel
def apply_transposed(A: Mat3, x: Vec3) -> Vec3:
    """A^T x"""
    return (
        A[0] * x[0] + A[3] * x[1] + A[6] * x[2],
        A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
        A[2] * x[0] + A[5] * x[1] + A[8] * x[2],
    )


@kernel
def product(A: Mat3, B: Mat3) -> Mat3:
    """A B"""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def solve3(A: Mat3, r: Vec3) -> Vec3:
    """A^-1 r by the adjugate: no pivoting, no branch; A is a near-identity times the inertia here."""
    c0 = A[4] * A[8] - A[5] * A[7]
    c1 = A[2] * A[7] - A[1] * A[8]
    c2 = A[1] * A[5] - A[2] * A[4]
    c3 = A[5] * A[6] - A[3] * A[8]
    c4 = A[0] * A[8] - A[2] * A[6]
    c5 = A[2] * A[3] - A[0] * A[5]
    c6 = A[3] * A[7] - A[4] * A[6]
    c7 = A[1] * A[6] - A[0] * A[7]
    c8 = A[0] * A[4] - A[1] * A[3]
    d = 1 / (A[0] * c0 + A[1] * c3 + A[2] * c6)
    return (
        d * (c0 * r[0] + c1 * r[1] + c2 * r[2]),
        d * (c3 * r[0] + c4 * r[1] + c5 * r[2]),
        d * (c6 * r[0] + c7 * r[1] + c8 * r[2]),
    )
