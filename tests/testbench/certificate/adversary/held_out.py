"""Integrators with which the certificate was tried after it was made: right ones in other forms, one mistake each."""

import numpy as np
from scipy.spatial.transform import Rotation

from tests.testbench.certificate.adversary.steps import cross, exp, hat, rates, verlet

# ---- textbook methods ---------------------------------------------------------------------------------


def turn_about(Q, Pi, e, angle):
    turn = exp(angle * e)
    return Q @ turn, turn.T @ Pi


def symmetric_top(p, Q, Pi, h, sign=1.0, moments=None):
    """A symmetric top, exactly, between two halves of what it lacks: Pi_2^2 (1/J_2 - 1/J_1) / 2."""
    (a, b, c), (_, e2, e3) = p.moments if moments is None else moments, p.axes.T
    Q, Pi = turn_about(Q, Pi, e2, sign * h / 2 * (1 / b - 1 / a) * (e2 @ Pi))
    Q = Q @ exp(h / a * Pi)
    Q, Pi = turn_about(Q, Pi, e3, h * (1 / c - 1 / a) * (e3 @ Pi))
    return turn_about(Q, Pi, e2, sign * h / 2 * (1 / b - 1 / a) * (e2 @ Pi))


def top_and_rest(p, Q, Omega, h, t, torque=None, time=None, **mistake):
    """Kick, symmetric top with the rest, kick: symplectic and symmetric, order 2."""
    torque = torque or p.torque
    clock = time or (lambda s: s)
    Pi = p.tensor @ Omega + h / 2 * torque(clock(t), Q)
    Q, Pi = symmetric_top(p, Q, Pi, h, **mistake)
    return Q, np.linalg.solve(p.tensor, Pi + h / 2 * torque(clock(t + h), Q))


def kutta3(p, Q, Omega, h, t):
    """Kutta's method of order 3 in the Lie algebra."""

    def rate(s, theta, w):
        dtheta = w + cross(theta, w) / 2 + cross(theta, cross(theta, w)) / 12
        return dtheta, rates(p, s, Q @ exp(theta), w)[1]

    a = rate(t, np.zeros(3), Omega)
    b = rate(t + h / 2, h / 2 * a[0], Omega + h / 2 * a[1])
    c = rate(t + h, h * (2 * b[0] - a[0]), Omega + h * (2 * b[1] - a[1]))
    theta, w = (h / 6 * (x + 4 * y + z) for x, y, z in zip(a, b, c))
    return Q @ exp(theta), Omega + w


def momentum_euler(p, Q, Omega, h, t):
    """Euler's method on the momentum in space: order 1, keeps the momentum of a free body exactly."""
    L = Q @ (p.tensor @ Omega) + h * (Q @ p.torque(t, Q))
    Q = Q @ exp(h * Omega)
    return Q, np.linalg.solve(p.tensor, Q.T @ L)


S3 = np.sqrt(3)
GAUSS = np.array([[1 / 4, 1 / 4 - S3 / 6], [1 / 4 + S3 / 6, 1 / 4]])
MISPRINT = np.array([[1 / 4, 1 / 4 - S3 / 16], [1 / 4 + S3 / 6, 1 / 4]])


def times(p, q):
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + hat(p[1:]) @ q[1:])])


def of_quaternion(q):
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * hat(v)


def gauss(A):
    """Gauss of two stages on (q, Omega), q' = q Omega / 2, which keeps |q|, and all that is quadratic."""

    def step(p, Q, Omega, h, t):
        x, y, z, w = Rotation.from_matrix(Q.real).as_quat()
        start = np.concatenate([[w, x, y, z], Omega])
        tau = lambda s, Y: p.torque(s, of_quaternion(Y[:4]))

        def rate(s, Y):
            J, v = p.tensor, Y[4:]
            turn = times(Y[:4], np.array([0, *v])) / 2
            return np.concatenate([turn, np.linalg.solve(J, hat(J @ v) @ v + tau(s, Y))])

        k = np.array([rate(t, start)] * 2)
        for _ in range(60):
            new = np.array([rate(t + c * h, start + h * a @ k) for a, c in zip(A, (0.5 - S3 / 6, 0.5 + S3 / 6))])
            if np.abs(new - k).max() < 2e-16:
                break
            k = new
        end = start + h / 2 * (k[0] + k[1])
        return of_quaternion(end[:4]), end[4:]

    return step


def lgvi(p, Q, Omega, h, t, first=0.5, frame="body", back=True):
    """The variational integrator with exp: h g = sin a/a J f + (1 - cos a)/a^2 f x J f, by Newton."""
    J = p.tensor
    g = J @ Omega + first * h * p.torque(t, Q)
    f = h * Omega
    for _ in range(30):
        change = np.linalg.solve(derivative_of_turn(J, f), h * g - turn_of(J, f))
        f = f + change
        if np.abs(change).max() < 1e-13:
            break
    F = exp(f)
    Q1 = Q @ F if frame == "body" else F @ Q
    Pi = (F.T if back else F) @ g
    return Q1, np.linalg.solve(J, Pi + h / 2 * p.torque(t + h, Q1))


def coefficients(f):
    s = f @ f
    a = np.sqrt(s)
    if abs(a) < 1e-2:
        return 1 - s / 6 + s * s / 120, 0.5 - s / 24 + s * s / 720
    return np.sin(a) / a, (1 - np.cos(a)) / s


def turn_of(J, f):
    a, b = coefficients(f)
    return a * (J @ f) + b * (hat(f) @ (J @ f))


def derivative_of_turn(J, f, d=1e-6):
    """By differences: an approximate Jacobian is enough for Newton's method to end at the root."""
    return np.column_stack([(turn_of(J, f + d * e) - turn_of(J, f - d * e)) / (2 * d) for e in np.eye(3)])


def euler_angles(p, Q, Omega, h, t):
    """RK4 on the angles z-y-x, singular where the second is a right angle."""
    y = np.array([np.arctan2(Q[1, 0], Q[0, 0]), -np.arcsin(np.clip(Q[2, 0], -1, 1)), np.arctan2(Q[2, 1], Q[2, 2])])

    def rotation(y):
        (cz, cy, cx), (sz, sy, sx) = np.cos(y), np.sin(y)
        return np.array(
            [
                [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
                [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
                [-sy, cy * sx, cy * cx],
            ]
        )

    def rate(s, y, w):
        q = (np.sin(y[2]) * w[1] + np.cos(y[2]) * w[2]) / np.cos(y[1])
        turn = np.array([q, np.cos(y[2]) * w[1] - np.sin(y[2]) * w[2], w[0] + np.sin(y[1]) * q])
        return turn, rates(p, s, rotation(y), w)[1]

    k = [rate(t, y, Omega)]
    for c in (0.5, 0.5, 1.0):
        k.append(rate(t + c * h, y + c * h * k[-1][0], Omega + c * h * k[-1][1]))
    y, w = (z + h / 6 * (a + 2 * b + 2 * c + d) for z, a, b, c, d in zip((y, Omega), *k))
    return rotation(y), w


# ---- right, in other forms ----------------------------------------------------------------------------


def in_lists(p, Q, Omega, h, t):
    Q, Omega = top_and_rest(p, Q, Omega, h, t)
    return [list(row) for row in Q], list(Omega)


def in_place(p, Q, Omega, h, t):
    """Overwrites what it is given."""
    Q[:], Omega[:] = top_and_rest(p, Q, Omega, h, t)
    return Q, Omega


def by_quaternions(p, Q, Omega, h, t):
    """Attitudes are quaternions of SciPy inside; real numbers only."""
    Q, Omega = top_and_rest(p, Rotation.from_matrix(Q).as_matrix(), Omega, h, t)
    q = Rotation.from_matrix(Q).as_quat()
    return Rotation.from_quat(-q).as_matrix(), Omega


def orthonormalised(p, Q, Omega, h, t):
    """Gram and Schmidt after every step, as matrix codes do; not analytic."""
    Q, Omega = top_and_rest(p, Q, Omega, h, t)
    U, R = np.linalg.qr(Q)
    return U * np.sign(np.diag(R).real), Omega


def many_substeps(p, Q, Omega, h, t):
    """As many steps inside as keep each below 0.1, so their number jumps with h: order 2 still."""
    n = int(np.ceil(abs(h) / 0.1))
    for i in range(n):
        Q, Omega = top_and_rest(p, Q, Omega, h / n, t + i * h / n)
    return Q, Omega


class KeepsTorque:
    """The torque at the end of a step is that at the start of the next: kept, and found again by its time alone."""

    __name__ = "keeps_torque"

    def __init__(self):
        self.kept = (None, None)

    def __call__(self, p, Q, Omega, h, t):
        def torque(s, A):
            if self.kept[0] is None or abs(self.kept[0] - s) > 1e-12:
                self.kept = s, np.asarray(p.torque(s, A))
            return self.kept[1]

        return top_and_rest(p, Q, Omega, h, t, torque=torque)


# ---- one mistake --------------------------------------------------------------------------------------


def wrong_frame(p, Q, Omega, h, t):
    return top_and_rest(p, Q, Omega, h, t, torque=lambda s, A: A @ p.torque(s, A))


def transposed_frame(p, Q, Omega, h, t):
    return top_and_rest(p, Q, Omega, h, t, torque=lambda s, A: A.T @ p.torque(s, A))


def wrong_energy(p, Q, Omega, h, t):
    """The rest with the wrong sign: a symplectic method, of another body."""
    return top_and_rest(p, Q, Omega, h, t, sign=-1.0)


def rescaled(p, Q, Omega, h, t):
    """The velocity is scaled so that the energy is what it was: kept exactly, and nothing else is."""
    before = p.energy(Q.real, Omega.real) if np.isrealobj(Omega) else None
    Q, Omega = top_and_rest(p, Q, Omega, h, t)
    if before is None:
        raise TypeError("real numbers only")
    U = p.potential(Q)
    return Q, Omega * np.sqrt((before - U) / (Omega @ p.tensor @ Omega / 2))


def single_torque(p, Q, Omega, h, t):
    """The torque, and it alone, in single precision."""
    return top_and_rest(p, Q, Omega, h, t, torque=lambda s, A: np.float32(p.torque(s, A.real)).astype(float))


def coarse_clock(p, Q, Omega, h, t):
    """Steps are rounded to thousandths."""
    return top_and_rest(p, Q, Omega, round(h, 3), t)


def no_time(p, Q, Omega, h, t):
    return top_and_rest(p, Q, Omega, h, t, time=lambda s: 0.0)


def series_beyond(p, Q, Omega, h, t):
    """The exponential by five terms where the angle is large."""

    def rotation(x):
        if abs(np.sqrt(x @ x)) < 1.2:
            return exp(x)
        X = hat(x)
        return np.eye(3) + X @ (np.eye(3) + X @ (np.eye(3) / 2 + X / 6 + X @ X / 24))

    Pi = p.tensor @ Omega + h / 2 * p.torque(t, Q)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        e = p.axes[:, axis]
        turn = rotation(h / part * (e @ Pi) / p.moments[axis] * e)
        Q, Pi = Q @ turn, turn.T @ Pi
    return Q, np.linalg.solve(p.tensor, Pi + h / 2 * p.torque(t + h, Q))


def sorted_moments(p, Q, Omega, h, t):
    """Takes the moments to be in ascending order, as formulas with elliptic functions do."""
    return top_and_rest(p, Q, Omega, h, t, moments=np.sort(p.moments))


def one_sense(p, Q, Omega, h, t):
    """No torque where the third velocity is negative."""
    acts = 1.0 if Omega[2].real >= 0 else 0.0
    return top_and_rest(p, Q, Omega, h, t, torque=lambda s, A: acts * p.torque(s, A))


def lgvi_with(**mistake):
    def step(p, Q, Omega, h, t):
        return lgvi(p, Q, Omega, h, t, **mistake)

    return step


def capped(p, Q, Omega, h, t):
    """Speeds of more than 8 are cut, as game engines do."""
    Q, Omega = top_and_rest(p, Q, Omega, h, t)
    size = np.sqrt(Omega @ Omega)
    return Q, Omega * (8 / size) if size.real > 8 else Omega


def verlet_by_two(p, Q, Omega, h, t):
    """Two steps of half the size, extrapolated in the algebra: order 4 if it were right, here with 1/2 for 1/3."""
    one, two = verlet(p, Q, Omega, h, t), verlet(p, *verlet(p, Q, Omega, h / 2, t), h / 2, t + h / 2)
    return two[0], two[1] + (two[1] - one[1]) / 2


def with_a_time_of_its_own(p, Q, Omega, h, t):
    """A drag that vanishes with the step, of order 1: a small rotation of a slow body takes long beside it."""
    Q, Omega = top_and_rest(p, Q, Omega, h, t)
    return Q, Omega * np.exp(-h * h)
