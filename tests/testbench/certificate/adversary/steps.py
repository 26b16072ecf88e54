"""Integrators in plain NumPy, right and wrong in one place each; all take complex numbers unless they say otherwise."""

import numpy as np


def hat(x):
    return np.array([[0 * x[0], -x[2], x[1]], [x[2], 0 * x[0], -x[0]], [-x[1], x[0], 0 * x[0]]])


def cross(a, b):
    """As np.cross, ten times as fast for one pair of vectors: most of the time of the suite would be spent there."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def cay(x):
    X = hat(x) / 2
    return np.linalg.solve(np.eye(3) - X, np.eye(3) + X)


def exp(x):
    X, s = hat(x), x @ x
    a = np.sqrt(s)
    if abs(a) < 1e-4:
        return np.eye(3) + (1 - s / 6) * X + (0.5 - s / 24) * X @ X
    return np.eye(3) + np.sin(a) / a * X + (1 - np.cos(a)) / s * X @ X


def solved(J, b, h, w, tolerance=0.0, most=60):
    inverse = np.linalg.inv(J)
    for _ in range(most):
        new = inverse @ (b + h / 2 * cross(J @ w, w) - h * h / 4 * (w @ J @ w) * w)
        small = np.abs(new - w).max() <= tolerance
        w = new
        if small:
            break
    return w


def verlet(
    p, Q, Omega, h, t, *, rotation=cay, tolerance=0.0, J=None, late=1.0, first=0.5, last=0.5, torque=None, **bug
):
    """The variational Lie-Verlet method with the Cayley map; every keyword is a way to get it wrong."""
    J = p.tensor if J is None else J
    torque = torque or p.torque
    tau = torque(t, Q)
    w = solved(J, J @ Omega + first * h * tau, h, Omega, tolerance)
    Q1 = Q @ rotation(h * w)
    m = J @ w
    end = tau if bug.get("stale") else torque(t + late * h, Q1)
    Pi = m + h / 2 * cross(m, w) + h * h / 4 * (1 + bug.get("lopsided", 0.0)) * (w @ m) * w + last * h * end
    return Q1, w if bug.get("half") else np.linalg.solve(J, Pi)


def mistaken(**bug):
    def step(p, Q, Omega, h, t):
        return verlet(p, Q, Omega, h, t, **bug)

    return step


def explicit_midpoint(p, Q, Omega, h, t):
    """Of order 2, and nothing else: half a step of Euler gives the rates of the whole one."""
    m = Omega + h / 2 * rates(p, t, Q, Omega)[1]
    return Q @ exp(h * m), Omega + h * rates(p, t + h / 2, Q @ exp(h / 2 * Omega), m)[1]


# ---- splittings ---------------------------------------------------------------------------------------


def turned(p, Q, Pi, axis, h):
    """The exact flow of Pi_k^2 / 2 J_k: a rotation about a principal axis."""
    A, moments = p.axes, p.moments
    e = A[:, axis]
    turn = exp(h * (e @ Pi) / moments[axis] * e)
    return Q @ turn, turn.T @ Pi


def axes_in_turn(order):
    def step(p, Q, Omega, h, t):
        Pi = p.tensor @ Omega + h / 2 * p.torque(t, Q)
        for axis in order[:-1]:
            Q, Pi = turned(p, Q, Pi, axis, h / 2)
        Q, Pi = turned(p, Q, Pi, order[-1], h)
        for axis in reversed(order[:-1]):
            Q, Pi = turned(p, Q, Pi, axis, h / 2)
        return Q, np.linalg.solve(p.tensor, Pi + h / 2 * p.torque(t + h, Q))

    return step


def lie_trotter(p, Q, Omega, h, t):
    """A kick and three turns, not symmetric: order 1, symplectic."""
    Pi = p.tensor @ Omega + h * p.torque(t, Q)
    for axis in range(3):
        Q, Pi = turned(p, Q, Pi, axis, h)
    return Q, np.linalg.solve(p.tensor, Pi)


def composed(step, weights):
    def steps(p, Q, Omega, h, t):
        for c in weights:
            Q, Omega = step(p, Q, Omega, c * h, t)
            t = t + c * h
        return Q, Omega

    return steps


TRIPLE = (1 / (2 - 2 ** (1 / 3)), -(2 ** (1 / 3)) / (2 - 2 ** (1 / 3)), 1 / (2 - 2 ** (1 / 3)))
SUZUKI = (1 / (4 - 4 ** (1 / 3)),) * 2 + (1 - 4 / (4 - 4 ** (1 / 3)),) + (1 / (4 - 4 ** (1 / 3)),) * 2
_K = (
    *(0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860),
    *(0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254),
    *(0.25837438768632204729397911, 0.29501172360931029887096624),
)
KAHAN_LI_8 = (*_K, -0.60550853383003451169892108, *reversed(_K))
"""Kahan & Li (1997), 17 stages, as printed."""


# ---- Runge-Kutta --------------------------------------------------------------------------------------


def rates(p, t, Q, Omega):
    J = p.tensor
    return Q @ hat(Omega), np.linalg.solve(J, cross(J @ Omega, Omega) + p.torque(t, Q))


def lie_euler(p, Q, Omega, h, t):
    return Q @ exp(h * Omega), Omega + h * rates(p, t, Q, Omega)[1]


def lie_heun(p, Q, Omega, h, t):
    """Heun's method, the rotation by the mean velocity."""
    a = rates(p, t, Q, Omega)[1]
    b = rates(p, t + h, Q @ exp(h * Omega), Omega + h * a)[1]
    return Q @ exp(h / 2 * (Omega + Omega + h * a)), Omega + h / 2 * (a + b)


def rk4(p, Q, Omega, h, t):
    """The classical method on the nine entries of Q: leaves the group."""
    k = [rates(p, t, Q, Omega)]
    for c in (0.5, 0.5, 1.0):
        k.append(rates(p, t + c * h, Q + c * h * k[-1][0], Omega + c * h * k[-1][1]))
    return tuple(y + h / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip((Q, Omega), *k))


def rk4_projected(p, Q, Omega, h, t):
    """The same, with Q replaced by the nearest rotation (Newton's iteration for the polar factor)."""
    Q, Omega = rk4(p, Q, Omega, h, t)
    for _ in range(6):
        Q = (Q + np.linalg.inv(Q).T) / 2
    return Q, Omega


def munthe_kaas_4(p, Q, Omega, h, t, rotation=exp):
    """RK4 in the Lie algebra, with dexp^-1 to second order."""

    def rate(s, theta, w):
        A = exp(theta)
        # theta' = dexpinv(-theta) of the body velocity
        dtheta = w + cross(theta, w) / 2 + cross(theta, cross(theta, w)) / 12
        return dtheta, rates(p, s, Q @ A, w)[1]

    z = np.zeros(3)
    k = [rate(t, z, Omega)]
    for c in (0.5, 0.5, 1.0):
        k.append(rate(t + c * h, c * h * k[-1][0], Omega + c * h * k[-1][1]))
    theta, w = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(*k))
    return Q @ rotation(theta), Omega + w


def implicit_midpoint(p, Q, Omega, h, t):
    """J (Omega1 - Omega)/h = J w x w + tau(Q exp(h w/2)), w the mean velocity, Q1 = Q exp(h w)."""
    J, w = p.tensor, Omega
    for _ in range(100):
        new = Omega + h / 2 * np.linalg.solve(J, cross(J @ w, w) + p.torque(t + h / 2, Q @ exp(h / 2 * w)))
        if np.array_equal(new, w):
            break
        w = new
    return Q @ exp(h * w), 2 * w - Omega
