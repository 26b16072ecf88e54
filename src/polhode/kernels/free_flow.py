"""The motion of a free body in closed form, attitude included, for every body and every start.

Let b be the axis of the middle moment and (a, b, k) in cyclic order. With the differences

    c_a = 1/J_k - 1/J_b,     c_b = 1/J_a - 1/J_k,     c_k = 1/J_b - 1/J_a

Euler's equations are y_a' = c_a y_b y_k and so on. Take S, C, D of ``elliptic.py`` for the constants of motion

    A = c_a c_k y_b^2 - c_a c_b y_k^2,      B = c_a c_k y_b^2 - c_b c_k y_a^2          (neither is negative)

and the addition theorem carries the momentum over a time v, wherever it starts:

    y_a <- (y_a C + y_a' S D)/E,     y_b <- (y_b C D + y_b' S)/E,     y_k <- (y_k D + y_k' S C)/E
    E = 1 - c_a c_k y_b^2 S^2

The rotation F over the time 2v, Q1 = Q0 F, follows from the momentum m at its middle and from one angle x that
is a function of time and the constants of motion alone. As a quaternion (w, e) of some length, with L = |y|,
X = c_a y_b^2 - c_b y_a^2 and eta = c_a X,

    w   = D cos x + X S C sin(x)/L                    e_a = m_a (c_b S cos x + C D sin(x)/L)
    e_b = m_b (C sin(x)/L - c_a S D cos x)            e_k = m_k (1 + eta S^2) sin(x)/L
    x   = L (v/J_k + c_b eta T),      T = integral of S^2/(1 + eta S^2) from 0 to v

Derivation. (1) The classical solution turns the body about the axis a, which brings y0 to y1, and about the
momentum, by an angle which is an integral of the third kind. Begin at time -v with y_b = 0 at time 0: then the
turn about a is by twice the angle of tangent c_b A_a S/D with A_a = y_a at time 0, the integral is 2x, and
multiplying out gives e_b = 0 and e_a : e_k. (2) Any F with Q1 = Q0 F has (w, e) along (1, f J^-1 Y + g Y),
Y = y0 + y1, and by the addition theorem f Y is S times (m_a/D, m_b, m_k/C). (3) The ratio g : f is a constant
of motion, because F is a step of Moser and Veselov's discrete top, for which that holds; so it can be taken
from (1), and (2) gives F for all m. The result has no square root, no angle of a vector, and no division by
anything that can vanish. The sphere, the symmetric body, steady rotation about each axis, the separatrix and
rest are points like any other, and nearly symmetric or nearly steady cases lose no digits.

Of the two extreme axes, a is the one about which the momentum is less: then eta S^2 <= 1. If that puts the
labels in anticyclic order, time and e change sign.

Branches on data are allowed here, as in ``elliptic.py``.
"""

from typing import TypeAlias

from polhode.kernels.elliptic import jacobi
from polhode.kernels.numbers import Number, Numbers, Quat, Vec3
from polhode.kernels.scalar import c0, c1, kernel

Axes: TypeAlias = tuple[int, int, int, int]
"""Which axis of the body is which of the motion, and the sign of the permutation."""


@kernel
def free_flow(h: Number, p: Vec3, J: Vec3) -> tuple[Quat, Vec3]:
    """The free motion over a time h: the rotation (a quaternion of some length) and the momentum at the end.

    In floats the error of F is below three and that of the momentum, relative to |p|, below six ulps of the angle
    |p| h/J, J the smallest moment, or of 1 if that is more, for any h; near the separatrix the instability of the
    motion multiplies this, as it does any change of the start in the last place.
    """
    axes = labels(J, p)
    c, X, orbit = constants(J, p, axes)
    ca, cb, _ = c
    eta, L2 = orbit[3], orbit[5]
    v = axes[3] * h / 2
    scd, turn = jacobi(v, orbit)
    S, C, D = scd
    m = added(picked(p, axes), scd, c, orbit)
    y = added(m, scd, c, orbit)
    x = v / J[axes[2]]
    a, b = c0(L2 * (x * x)), x * c1(L2 * (x * x))  # cos x and sin(x)/L
    a, b = a * turn[0] - L2 * (b * turn[1]), a * turn[1] + b * turn[0]
    e = (m[0] * (cb * S * a + C * D * b), m[1] * (C * b - ca * (S * D) * a), m[2] * (1 + eta * (S * S)) * b)
    e = placed((axes[3] * e[0], axes[3] * e[1], axes[3] * e[2]), axes)
    return (D * a + X * (S * C) * b, e[0], e[1], e[2]), placed(y, axes)


@kernel
def added(y: Vec3, scd: Vec3, c: Vec3, orbit: Numbers) -> Vec3:
    """The momentum, in labelled axes, later by the argument of S, C and D: the addition theorem.

    For short times it is written as y plus a small change, because the rounding of C and D, the same in every step
    of one size, would add up; for long times with E as a sum of positive terms, for it is small near the separatrix.
    """
    S, C, D = scd
    ca, cb, ck = c
    ya, yb, yk = y
    A, B = orbit[0], orbit[1]
    SS = S * S
    da, db, dk = ca * (yb * yk), cb * (yk * ya), ck * (ya * yb)
    bb = ca * ck * (yb * yb)
    if abs(2 - C - D) <= 0.25:
        E = 1 - bb * SS
        f, g = A / (1 + C), B / (1 + D)  # 1 - C = f S^2, 1 - D = g S^2
        return (
            ya + (da * (S * D) + ya * ((bb - f) * SS)) / E,
            yb + (db * S + yb * ((bb - g - f * D) * SS)) / E,
            yk + (dk * (S * C) + yk * ((bb - g) * SS)) / E,
        )
    E = (bb * (C * C + D * D) - cb * (ca * (yk * yk) + ck * (ya * ya))) / (A + B)
    return ((ya * C + da * (S * D)) / E, (yb * (C * D) + db * S) / E, (yk * D + dk * (S * C)) / E)


@kernel
def labels(J: Vec3, y: Vec3) -> Axes:
    """The axes a, b, k, and +1 or -1 for cyclic or anticyclic order."""
    b = 2
    if (J[0] - J[1]) * (J[0] - J[2]) <= 0:
        b = 0
    elif (J[1] - J[0]) * (J[1] - J[2]) <= 0:
        b = 1
    i, j = (b + 1) % 3, (b + 2) % 3
    c = (J[i] - J[j]) * J[b]
    about_i = c * (y[i] * y[i]) + (J[b] - J[j]) * J[i] * (y[b] * y[b])  # c times the square of y_i where y_b = 0
    about_j = c * (y[j] * y[j]) + (J[i] - J[b]) * J[j] * (y[b] * y[b])
    if abs(about_i) < abs(about_j):
        return i, b, j, -1
    return j, b, i, 1


@kernel
def constants(J: Vec3, y: Vec3, axes: Axes) -> tuple[Vec3, Number, Numbers]:
    """(c_a, c_b, c_k), X, (A, B, A - B, eta, c_b, L^2): subtracting only what is a difference of the problem itself."""
    Ja, Jb, Jk = J[axes[0]], J[axes[1]], J[axes[2]]
    ya, yb, yk = picked(y, axes)
    aa, bb, kk = ya * ya, yb * yb, yk * yk
    ca, cb, ck = (Jb - Jk) / (Jb * Jk), (Jk - Ja) / (Jk * Ja), (Ja - Jb) / (Ja * Jb)
    X = ca * bb - cb * aa
    return (ca, cb, ck), X, (ca * (ck * bb - cb * kk), ck * X, cb * (ck * aa - ca * kk), ca * X, cb, aa + bb + kk)


@kernel
def picked(y: Vec3, axes: Axes) -> Vec3:
    """The components along a, b, k."""
    return (y[axes[0]], y[axes[1]], y[axes[2]])


@kernel
def placed(y: Vec3, axes: Axes) -> Vec3:
    """Components along a, b, k in their places."""
    one, two = y[2], y[0]  # along b + 1 and b + 2
    if axes[3] < 0:
        one, two = two, one
    if axes[1] == 0:
        return (y[1], one, two)
    if axes[1] == 1:
        return (two, y[1], one)
    return (one, two, y[1])
