"""The implicit equations, shared by all methods.

Unknown e = (h/2) w, the half rotation vector of the step, or f, a tangent in its place; b = (h/2)(momentum after the
half kick). Each returns the residual and its Jacobian for ``implicit.newton``; no division by the inertia, no torque.
`loaded` adds a torque for ``implicit.secant``.
"""

from polhode.kernels.numbers import Body, Kernel, Mat3, Number, Quat, Vec3
from polhode.kernels.rotations import compose, dexp, exp
from polhode.kernels.scalar import a3, c2, c3, c4, c5, kernel
from polhode.kernels.step import moment_at
from polhode.kernels.vectors import cross, dot, minus, mul, plus, scaled


@kernel
def midpoint(e: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """J e - J e x e = b: the midpoint rule for Euler's equations."""
    b, J = data
    m = mul(J, e)
    c = cross(m, e)
    r = (m[0] - c[0] - b[0], m[1] - c[1] - b[1], m[2] - c[2] - b[2])
    A = (
        J[0],
        (J[2] - J[1]) * e[2],
        (J[2] - J[1]) * e[1],
        (J[0] - J[2]) * e[2],
        J[1],
        (J[0] - J[2]) * e[0],
        (J[1] - J[0]) * e[1],
        (J[1] - J[0]) * e[0],
        J[2],
    )
    return r, A


@kernel
def lie_midpoint(f: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """J e = exp(-e) b with exp(e) = cay(2 f): the midpoint rule on the group, in the tangent of the half angle.

    With s = |f|^2, e = 2 (1 - s a3) f; multiplied by (1 + s)/2 the equation is (1 + s)(1 - s a3) J f =
    (1 - s)/2 b + (f.b) f + b x f. One polynomial a step of Newton's and no sine: exp(2 e) is the square of cay(2 f).
    In the Jacobian 2 d/ds of (1 + s)(1 - s a3) is 1 + (1 - s) a3, and b f^T - f b^T is hat(f x b). |e| < pi: a step
    of a whole turn has no solution.
    """
    b, J = data
    s = dot(f, f)
    a, c, d = a3(s), 1 - s, dot(f, b)
    g, k = (1 + s) * (1 - s * a), c / 2
    u = cross(b, f)
    D = (g * J[0] - d, g * J[1] - d, g * J[2] - d)
    r = (D[0] * f[0] - k * b[0] - u[0], D[1] * f[1] - k * b[1] - u[1], D[2] * f[2] - k * b[2] - u[2])
    n, z = scaled(1 + c * a, mul(J, f)), plus(b, u)
    A = (
        D[0] + n[0] * f[0],
        n[0] * f[1] + z[2],
        n[0] * f[2] - z[1],
        n[1] * f[0] - z[2],
        D[1] + n[1] * f[1],
        n[1] * f[2] + z[0],
        n[2] * f[0] + z[1],
        n[2] * f[1] - z[0],
        D[2] + n[2] * f[2],
    )
    return r, A


@kernel
def lie_euler(e: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """J e = exp(-e) b: backward Euler on the group, where a torque can be added.

    d(exp(-e) b) = exp(-e) b x dexp_{-e} de.
    """
    b, J = data
    s = dot(e, e)
    p, q = c2(s), c3(s)
    c1 = 1 - s * q
    u = cross(e, b)
    v = cross(e, u)
    y = (b[0] - c1 * u[0] + p * v[0], b[1] - c1 * u[1] + p * v[1], b[2] - c1 * u[2] + p * v[2])
    d0, d1, d2 = p * e[0], p * e[1], p * e[2]
    q0, q1, q2 = q * e[0], q * e[1], q * e[2]
    xx, xy, xz, yy, yz, zz = q0 * e[0], q0 * e[1], q0 * e[2], q1 * e[1], q1 * e[2], q2 * e[2]
    B0 = cross((1 - (yy + zz), xy - d2, xz + d1), y)  # the columns of dexp_{-e}
    B1 = cross((xy + d2, 1 - (xx + zz), yz - d0), y)
    B2 = cross((xz - d1, yz + d0, 1 - (xx + yy)), y)
    A = (J[0] + B0[0], B1[0], B2[0], B0[1], J[1] + B1[1], B2[1], B0[2], B1[2], J[2] + B2[2])
    return minus(mul(J, e), y), A


@kernel
def lie_verlet(e: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """(1 + |e|^2) J e = b - e x b: the Hamilton-Pontryagin equation with the Cayley map."""
    b, J = data
    m = mul(J, e)
    a = 1 + dot(e, e)
    k = cross(e, b)
    r = (a * m[0] + k[0] - b[0], a * m[1] + k[1] - b[1], a * m[2] + k[2] - b[2])
    x, y, z = 2 * e[0], 2 * e[1], 2 * e[2]
    A = (
        a * J[0] + m[0] * x,
        m[0] * y + b[2],
        m[0] * z - b[1],
        m[1] * x - b[2],
        a * J[1] + m[1] * y,
        m[1] * z + b[0],
        m[2] * x + b[1],
        m[2] * y - b[0],
        a * J[2] + m[2] * z,
    )
    return r, A


@kernel
def moser_veselov(e: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """J e - J e x e = (1 + |e|^2) b: the Moser-Veselov equation F D - D F^T = 2 hat(b) with F = cay(2 e)."""
    b, J = data
    m = mul(J, e)
    c = cross(m, e)
    a = 1 + dot(e, e)
    r = (m[0] - c[0] - a * b[0], m[1] - c[1] - a * b[1], m[2] - c[2] - a * b[2])
    x, y, z = 2 * e[0], 2 * e[1], 2 * e[2]
    A = (
        J[0] - b[0] * x,
        (J[2] - J[1]) * e[2] - b[0] * y,
        (J[2] - J[1]) * e[1] - b[0] * z,
        (J[0] - J[2]) * e[2] - b[1] * x,
        J[1] - b[1] * y,
        (J[0] - J[2]) * e[0] - b[1] * z,
        (J[1] - J[0]) * e[1] - b[2] * x,
        (J[1] - J[0]) * e[0] - b[2] * y,
        J[2] - b[2] * z,
    )
    return r, A


@kernel
def pontryagin(e: Vec3, data: tuple[Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """J e = dexp_{-2e} b: the Hamilton-Pontryagin equation with the exponential map."""
    b, J = data
    x = plus(e, e)
    B = dexp_slope(x, b)
    A = (
        J[0] - 2 * B[0],
        -2 * B[1],
        -2 * B[2],
        -2 * B[3],
        J[1] - 2 * B[4],
        -2 * B[5],
        -2 * B[6],
        -2 * B[7],
        J[2] - 2 * B[8],
    )
    return minus(mul(J, e), dexp(scaled(-1, x), b)), A


@kernel
def lie_trapezoid(e: Vec3, data: tuple[Vec3, Vec3, Vec3]) -> tuple[Vec3, Mat3]:
    """2 J e = c + exp(-2e) b: rotation by the mean of the velocities at both ends; c = (h/2) Pi0."""
    b, c, J = data
    r, A = lie_euler(plus(e, e), (b, J))
    return ((r[0] - c[0]) / 2, (r[1] - c[1]) / 2, (r[2] - c[2]) / 2), A


@kernel
def loaded(e: Vec3, data: tuple[Kernel, Vec3, Number, Number, Quat], body: Body) -> tuple[Vec3, Mat3, Vec3]:
    """An equation of this page for a rotation by e = k Omega, with the torque there: r(e) = k^2 tau(t, Q exp(e))."""
    equation, b, k, t, q = data
    r, A = equation(e, (b, body[0]))
    return r, A, scaled(k * k, moment_at(t, compose(q, exp(e)), scaled(1 / k, e), body))


@kernel
def dexp_slope(x: Vec3, y: Vec3) -> Mat3:
    """The matrix of dx -> d(dexp_{-x} y), with c2' = (2 c4 - c3)/2 and c3' = (3 c5 - c4)/2."""
    s, a = dot(x, x), dot(x, y)
    p, q, u = c2(s), c3(s), c4(s)
    v = cross(x, y)
    d, f = q - 2 * u, 3 * c5(s) - u
    w = (  # d (x x y) + f x x (x x y) - 2 c3 y: what stands before x^T
        d * v[0] + f * (a * x[0] - s * y[0]) - 2 * q * y[0],
        d * v[1] + f * (a * x[1] - s * y[1]) - 2 * q * y[1],
        d * v[2] + f * (a * x[2] - s * y[2]) - 2 * q * y[2],
    )
    return (
        q * (a + x[0] * y[0]) + w[0] * x[0],
        q * x[0] * y[1] + w[0] * x[1] - p * y[2],
        q * x[0] * y[2] + w[0] * x[2] + p * y[1],
        q * x[1] * y[0] + w[1] * x[0] + p * y[2],
        q * (a + x[1] * y[1]) + w[1] * x[1],
        q * x[1] * y[2] + w[1] * x[2] - p * y[0],
        q * x[2] * y[0] + w[2] * x[0] - p * y[1],
        q * x[2] * y[1] + w[2] * x[1] + p * y[0],
        q * (a + x[2] * y[2]) + w[2] * x[2],
    )
