"""Rotations as quaternions (w, x, y, z) of any length: what they do to a vector does not depend on it.

A product of rotations costs 16 multiplications, a matrix is always orthogonal to round-off however many
steps went before, and normalising is one square root that no later result waits for.

Over 10^8 steps a rounding that always goes the same way shows, where random ones would not. Three such are avoided
here: scaling a quaternion by a number one bit from 1 (see `unit`), multiplying by the reciprocal of a number near 1,
and rounding a sum to a number near 1 (see `rotated`). docs/round-off.md has the measurements.
"""

from polhode.kernels.numbers import Mat3, Quat, Vec3
from polhode.kernels.scalar import c0, c1, c2, c3, kernel, sqrt
from polhode.kernels.vectors import cross, dot

COARSE = 24
"""Adding this to a number near 1 and subtracting it again rounds the number to a multiple of 2^-48."""


@kernel
def exp(x: Vec3) -> Quat:
    """The rotation exp(hat x): about x, by |x|."""
    s = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) / 4
    k = c1(s) / 2
    return (c0(s), k * x[0], k * x[1], k * x[2])


@kernel
def cay(x: Vec3) -> Quat:
    """The rotation cay(x) = (I - hat(x)/2)^-1 (I + hat(x)/2): about x, by 2 atan(|x|/2)."""
    return (1 + 0 * x[0], x[0] / 2, x[1] / 2, x[2] / 2)


@kernel
def compose(p: Quat, q: Quat) -> Quat:
    """The rotation P Q."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@kernel
def inverse(q: Quat) -> Quat:
    """The rotation Q^T."""
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def unit(q: Quat) -> Quat:
    """The same rotation as a quaternion of length one, to 2e-15; shares its division with `matrix`.

    The factor is rounded to a multiple of 2^-48, so that a quaternion of nearly that length stays as it is. Scaled
    by 1 - 2^-53 each of its numbers would be rounded towards zero, by a part of its last bit that depends on the
    number: a small rotation, the same one step after step.
    """
    k = sqrt(1 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]))
    k = (k + COARSE) - COARSE
    return (k * q[0], k * q[1], k * q[2], k * q[3])


@kernel
def matrix(q: Quat) -> Mat3:
    """The rotation as a matrix, by rows; orthogonal to round-off whatever the length of q."""
    w, x, y, z = q
    s = 2 * (1 / (w * w + x * x + y * y + z * z))
    sx, sy, sz = s * x, s * y, s * z
    wx, wy, wz = w * sx, w * sy, w * sz
    xx, xy, xz = x * sx, x * sy, x * sz
    yy, yz, zz = y * sy, y * sz, z * sz
    return (1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy))


@kernel
def rotated(q: Quat, v: Vec3) -> Vec3:
    """Q v = v + 2 (w a + u x a)/|q|^2 with q = (w, u), a = u x v.

    Written with 3 |q|^2, for |q|^2 is near 1, and below 1 numbers lie twice as close as above: a sum there is rounded
    down more than up, and v would grow. Each component is divided: a reciprocal is rounded up more than down.
    """
    w, u = q[0], (q[1], q[2], q[3])
    n = 3 * (w * w) + 3 * dot(u, u)
    a = cross(u, v)
    b = cross(u, a)
    return (
        v[0] + 6 * (w * a[0] + b[0]) / n,
        v[1] + 6 * (w * a[1] + b[1]) / n,
        v[2] + 6 * (w * a[2] + b[2]) / n,
    )


@kernel
def rotated_back(q: Quat, v: Vec3) -> Vec3:
    """Q^T v"""
    w, u = q[0], (q[1], q[2], q[3])
    n = 3 * (w * w) + 3 * dot(u, u)
    a = cross(v, u)
    b = cross(a, u)
    return (
        v[0] + 6 * (w * a[0] + b[0]) / n,
        v[1] + 6 * (w * a[1] + b[1]) / n,
        v[2] + 6 * (w * a[2] + b[2]) / n,
    )


@kernel
def cayley_back(e: Vec3, v: Vec3) -> Vec3:
    """cay(2 e)^T v, with one division: the reciprocal of 1 + |e|^2, which may be anything, rounds either way."""
    a = cross(v, e)
    b = cross(a, e)
    k = 2 / (1 + dot(e, e))
    return (v[0] + k * (a[0] + b[0]), v[1] + k * (a[1] + b[1]), v[2] + k * (a[2] + b[2]))


@kernel
def cayley_twice(f: Vec3) -> Quat:
    """The rotation cay(2 f)^2, by 4 atan|f|, as a quaternion of length (1 + |f|^2)/2."""
    return ((1 - dot(f, f)) / 2, f[0], f[1], f[2])


@kernel
def cayley_twice_back(f: Vec3, v: Vec3) -> Vec3:
    """(cay(2 f)^2)^T v, with one division as in `cayley_back`."""
    a = cross(v, f)
    b = cross(a, f)
    s = dot(f, f)
    w, k = (1 - s) / 2, 8 / ((1 + s) * (1 + s))
    return (v[0] + k * (w * a[0] + b[0]), v[1] + k * (w * a[1] + b[1]), v[2] + k * (w * a[2] + b[2]))


@kernel
def dexp(x: Vec3, y: Vec3) -> Vec3:
    """dexp_x y, right-trivialised: d/de exp(x + e y) = hat(dexp_x y) exp(x)."""
    s = dot(x, x)
    a = cross(x, y)
    b = cross(x, a)
    p, q = c2(s), c3(s)
    return (y[0] + p * a[0] + q * b[0], y[1] + p * a[1] + q * b[1], y[2] + p * a[2] + q * b[2])


@kernel
def dexpinv(x: Vec3, y: Vec3) -> Vec3:
    """dexp_x^-1 y, with (1 - (|x|/2) cot(|x|/2))/|x|^2 written so that nothing cancels; |x| < 2 pi."""
    s = dot(x, x) / 4
    a = cross(x, y)
    b = cross(x, a)
    c = (c2(s) - c3(s)) / (4 * c1(s))
    return (y[0] - a[0] / 2 + c * b[0], y[1] - a[1] / 2 + c * b[1], y[2] - a[2] / 2 + c * b[2])
