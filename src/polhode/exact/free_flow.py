"""The motion of a free body in closed form, attitude included, for every body and every start.

Label the principal axes so that b has the middle moment, and write the differences of the inverse moments

    c_a = 1/J_k - 1/J_b,   c_b = 1/J_a - 1/J_k,   c_k = 1/J_b - 1/J_a          c_a + c_b + c_k = 0

for (a, b, k) in cyclic order; then Euler's equations are y_a' = c_a y_b y_k and so on. With S, C, D of
``elliptic.py`` for the two constants of the motion

    A = c_a c_k y_b^2 - c_a c_b y_k^2,      B = c_a c_k y_b^2 - c_b c_k y_a^2          (none is negative)

the addition theorem carries the momentum over a time v, whatever the start:

    y_a -> (y_a C + y_a' S D)/E,    y_b -> (y_b C D + y_b' S)/E,    y_k -> (y_k D + y_k' S C)/E
    E = 1 - c_a c_k y_b^2 S^2

The rotation F of a step, Q1 = Q0 F, over the time 2v follows from the momentum m in the middle of it and one
angle x that depends on the constants alone. As a quaternion, up to its length, with L = |y|, X = c_a y_b^2 -
c_b y_a^2 and eta = c_a X,

    w = D cos x + X S C sin(x)/L               e_a = m_a (c_b S cos x + C D sin(x)/L)
    e_b = m_b (-c_a S D cos x + C sin(x)/L)    e_k = m_k (1 + eta S^2) sin(x)/L
    x = L (v/J_k + c_b eta T),   T = integral of S^2/(1 + eta S^2)

It comes from the classical solution by the polar angles of the momentum about the axis a, with the elliptic
integral of the third kind, in four steps: start where y_b = 0, so that the step is symmetric in time and the
integral runs from zero; see that the rotation is then R_a R_y R_a and its axis (e_a, 0, e_k); use that
(w, e) = (1, s (1/J + r) (m_a/D, m_b, m_k/C)) for every m with r a constant of the motion (the theorem of Moser
and Veselov on their discrete top); and eliminate r. No square root, no angle of a vector and no division by
anything that vanishes is left: the sphere, the symmetric body, steady rotation about each axis, the separatrix
and rest are points like any other.

Of the two extreme axes a is the one about which the momentum swings less, L^2 - y_a^2 >= L^2/2; then
eta S^2 <= 1. If the labels are in anticyclic order, time and the vector part change sign.
"""

from polhode.exact.elliptic import jacobi
from polhode.scalar import c0, c1, kernel
from polhode.so3.vectors import dot


@kernel
def free_flow(h, p, J):
    """The free motion over a time h: the rotation (a quaternion of any length) and the momentum at the end."""
    axes = labels(J, p)
    constants = constants_of(J, p, axes)
    v = axes[3] * h / 2
    S, C, D, a, b = jacobi_of(v, constants)
    return carried(v / J[axes[2]], p, axes, constants, (S, C, D), (a, b))


@kernel
def free_momentum(h, p, J):
    """The momentum alone after a time h."""
    axes = labels(J, p)
    constants = constants_of(J, p, axes)
    S, C, D, a, b = jacobi_of(axes[3] * h, constants)
    y = added((p[axes[0]], p[axes[1]], p[axes[2]]), constants, (S, C, D))
    return placed(y, axes)


@kernel
def carried(g, p, axes, constants, scd, turn):
    """The rotation and the momentum after S, C, D and a turn by the third integral; x = L g + the turn."""
    ca, cb, ck, X, A, B, gap, eta, L2 = constants
    S, C, D = scd
    m = added((p[axes[0]], p[axes[1]], p[axes[2]]), constants, scd)
    y = added(m, constants, scd)
    a, b = c0(L2 * g * g), g * c1(L2 * g * g)
    a, b = a * turn[0] - L2 * (b * turn[1]), a * turn[1] + b * turn[0]
    w = D * a + X * S * C * b
    e = (
        axes[3] * m[0] * (cb * S * a + C * D * b),
        axes[3] * m[1] * (C * b - ca * S * D * a),
        axes[3] * m[2] * (1 + eta * S * S) * b,
    )
    e = placed(e, axes)
    return (w, e[0], e[1], e[2]), placed(y, axes)


@kernel
def added(y, constants, scd):
    """The momentum (in labelled axes) later by the argument of S, C, D: the addition theorem."""
    ca, cb, ck, X, A, B, gap, eta, L2 = constants
    ya, yb, yk = y
    S, C, D = scd
    E = 1 - ca * ck * (yb * yb) * (S * S)
    if abs((A + B) * (S * S)) > 0.25:  # the same as a sum of positive terms: E is small near the separatrix
        E = (ca * ck * (yb * yb) * (C * C + D * D) - cb * (ca * (yk * yk) + ck * (ya * ya))) / (A + B)
    return (
        (ya * C + ca * (yb * yk) * (S * D)) / E,
        (yb * (C * D) + cb * (ya * yk) * S) / E,
        (yk * D + ck * (ya * yb) * (S * C)) / E,
    )


@kernel
def labels(J, y):
    """The axes a, b, k, and +1 or -1 for cyclic or anticyclic order."""
    b = 2
    if (J[0] - J[1]) * (J[0] - J[2]) <= 0:
        b = 0
    elif (J[1] - J[0]) * (J[1] - J[2]) <= 0:
        b = 1
    i, j = (b + 1) % 3, (b + 2) % 3
    c = (J[i] - J[j]) * J[b]
    swing_i = (J[j] - J[b]) * J[i] * (y[b] * y[b]) - c * (y[i] * y[i])
    swing_j = (J[b] - J[i]) * J[j] * (y[b] * y[b]) - c * (y[j] * y[j])
    if abs(swing_i) < abs(swing_j):
        return i, b, j, -1
    return j, b, i, 1


@kernel
def constants_of(J, y, axes):
    """c_a, c_b, c_k, X, A, B, A - B, eta, L^2"""
    Ja, Jb, Jk = J[axes[0]], J[axes[1]], J[axes[2]]
    aa, bb, kk = y[axes[0]] * y[axes[0]], y[axes[1]] * y[axes[1]], y[axes[2]] * y[axes[2]]
    ca, cb, ck = (Jb - Jk) / (Jb * Jk), (Jk - Ja) / (Jk * Ja), (Ja - Jb) / (Ja * Jb)
    X = ca * bb - cb * aa
    return ca, cb, ck, X, ca * (ck * bb - cb * kk), ck * X, cb * (ck * aa - ca * kk), ca * X, dot(y, y)


@kernel
def jacobi_of(v, constants):
    """S, C, D and the turn by the third integral, for these constants of the motion."""
    ca, cb, ck, X, A, B, gap, eta, L2 = constants
    return jacobi(v, A, B, gap, eta, cb, L2)


@kernel
def placed(y, axes):
    """Three components in labelled axes, in their places."""
    one, two = (y[2], y[0]) if axes[3] > 0 else (y[0], y[2])
    if axes[1] == 0:
        return (y[1], one, two)
    if axes[1] == 1:
        return (two, y[1], one)
    return (one, two, y[1])
