"""The third adversary: textbook methods of other kinds, right ones that are awkward to measure, and steps that are
wrong only where they are tiny, after many calls, or by a torque that is nearly right."""

import itertools

import numpy as np

from tests.testbench.certificate.adversary.steps import cay, cross, exp, hat

# ---- parts --------------------------------------------------------------------------------------------


def turned(p, Q, Pi, k, h, rotation=exp):
    """The exact flow of Pi_k^2 / 2 J_k."""
    e = p.axes[:, k]
    R = rotation(h / p.moments[k] * (e @ Pi) * e)
    return Q @ R, R.T @ Pi


def kicked(p, Q, Pi, h, t, factor=1.0):
    return Q, Pi + factor * h * p.torque(t, Q)


def on_momenta(flow):
    """A step (problem, Q, Omega, h, t) of one (problem, Q, Pi, h, t)."""

    def step(p, Q, Omega, h, t):
        Q, Pi = flow(p, Q, p.tensor @ Omega, h, t)
        return Q, np.linalg.solve(p.tensor, Pi)

    return step


def axes_and_kicks(p, Q, Pi, h, t, rotation=exp, factor=1.0):
    """Half a kick, the axes there and back, half a kick: order 2, symmetric, symplectic."""
    Q, Pi = kicked(p, Q, Pi, h / 2, t, factor)
    for k, part in ((0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)):
        Q, Pi = turned(p, Q, Pi, k, part * h, rotation)
    return kicked(p, Q, Pi, h / 2, t + h, factor)


def turning_by(rotation):
    return on_momenta(lambda *arguments: axes_and_kicks(*arguments, rotation=rotation))


right = on_momenta(axes_and_kicks)


def radians(Omega, h):
    return abs(h) * np.sqrt(abs(Omega @ Omega))


# ---- textbook methods ---------------------------------------------------------------------------------


def there_and_back(weights):
    """Axes and kick, and their adjoint, in turns: a splitting A(a1) B(b1) A(a2) ... has a1 = w1, b1 = w1 + w2, ..."""

    def flow(p, Q, Pi, h, t):
        for i, w in enumerate(weights):
            if i % 2:
                Q, Pi = kicked(p, Q, Pi, w * h, t)
            for k in (2, 1, 0) if i % 2 else (0, 1, 2):
                Q, Pi = turned(p, Q, Pi, k, w * h)
            t = t + w * h
            if not i % 2:
                Q, Pi = kicked(p, Q, Pi, w * h, t)
        return Q, Pi

    return on_momenta(flow)


def weights_of(a, b):
    """The weights of a splitting of two flows."""
    weights = [a[0]]
    for x in itertools.chain.from_iterable(zip(b, a[1:])):
        weights.append(x - weights[-1])
    return weights[:-1]  # the last is zero


ruth = there_and_back((7 / 24, 9 / 24, 9 / 24, -25 / 24, 1.0))
A = (0.0792036964311957, 0.353172906049774, -0.0420650803577195)
B = (0.209515106613362, -0.143851773179818)
A, B = (*A, 1 - 2 * sum(A), *A[::-1]), (*B, 0.5 - sum(B), 0.5 - sum(B), *B[::-1])
blanes_moan = there_and_back(weights_of(A, B))


def conjugate_by_scaling(p, Q, Omega, h, t):
    """Conjugate to a symplectic method by a linear map that is none."""
    D = 1 + h * h * np.array([0.3, -0.2, 0.1])
    Q, Omega = right(p, Q, D * Omega, h, t)
    return Q, Omega / D


def conjugate_by_a_turn(p, Q, Omega, h, t):
    def by(w):
        return exp(0.1 * h * h * np.array([w[1] * w[2], -w[0] * w[2], w[0]]))

    Q, Omega = right(p, Q @ by(Omega), Omega, h, t)
    return Q @ by(Omega).T, Omega


def midpoint_on_matrices(p, Q, Omega, h, t):
    """Gauss' method of order 2 on the entries of Q: it keeps what is quadratic, as Q^T Q and Q J Omega."""
    J, Q1, Omega1 = p.tensor, Q, Omega
    for _ in range(200):
        w, before = (Omega + Omega1) / 2, Omega1
        Omega1 = Omega + h * np.linalg.solve(J, cross(J @ w, w) + p.torque(t + h / 2, (Q + Q1) / 2))
        Q1, last = Q @ cay(h * (Omega + Omega1) / 2), Q1
        if np.abs(Omega1 - before).max() < 4e-16 and np.abs(Q1 - last).max() < 4e-16:
            break
    return Q1, Omega1


def by_newton(p, Q, Pi, h, t):
    """Lie-Verlet by Newton's method until the residual is small: the derivative by the complex step lags behind."""
    J, b = p.tensor, Pi + h / 2 * p.torque(t, Q)
    w = np.linalg.solve(J, b)
    for _ in range(50):
        m = J @ w
        residual = m + h / 2 * cross(w, m) + h * h / 4 * (w @ m) * w - b
        if np.abs(residual.real).max() < 1e-14:
            break
        slope = J + h / 2 * (hat(w) @ J - hat(m)) + h * h / 4 * ((w @ m) * np.eye(3) + 2 * np.outer(w, m))
        w = w - np.linalg.solve(slope, residual)
    m = J @ w
    Q = Q @ cay(h * w)
    return Q, m - h / 2 * cross(w, m) + h * h / 4 * (w @ m) * w + h / 2 * p.torque(t + h, Q)


def by_a_norm(x):
    """A rotation that is right for real vectors alone, beyond 0.6 radians."""
    if abs(np.sqrt(x @ x)) < 0.6:
        return exp(x)
    angle = np.linalg.norm(x)
    K = hat(x / angle)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


# ---- wrong somewhere ----------------------------------------------------------------------------------


def no_turn_when_tiny(p, Q, Omega, h, t, limit=1e-4):
    Q1, Omega1 = right(p, Q, Omega, h, t)
    return (Q if radians(Omega, h) < limit else Q1), Omega1


def three_terms_below(limit):
    def rotation(x):
        return np.eye(3) + hat(x) + hat(x) @ hat(x) / 2 if np.sqrt(abs(x @ x)) < limit else exp(x)

    return turning_by(rotation)


def momentum_alone(p, Q, Omega, h, t):
    """Explicit, of order 2, with the momentum kept by construction, and nothing else."""
    J, tau = p.tensor, p.torque(t, Q)
    Pi = J @ Omega
    Q1 = Q @ exp(h * (Omega + h / 2 * np.linalg.solve(J, cross(Pi, Omega) + tau)))
    return Q1, np.linalg.solve(J, Q1.T @ Q @ (Pi + h / 2 * tau) + h / 2 * p.torque(t + h, Q1))


def two_methods(is_other):
    def step(p, Q, Omega, h, t):
        return (momentum_alone if is_other(radians(Omega, h)) else right)(p, Q, Omega, h, t)

    return step


def worn(calls=1000):
    """Another method after so many calls."""
    count = itertools.count()

    def step(p, Q, Omega, h, t):
        Q, Omega = right(p, Q, Omega, h, t)
        return Q, Omega * (1.001 if next(count) >= calls else 1.0)

    return step


def by_eigenvectors(p, Q, Omega, h, t):
    """Heun's method in principal axes, right-handed or not."""
    (a, b, c), axes = np.linalg.eigh(p.tensor)

    def rate(w, Q, t):
        spin = np.array([(b - c) * w[1] * w[2], (c - a) * w[2] * w[0], (a - b) * w[0] * w[1]])
        return (spin + axes.T @ p.torque(t, Q)) / (a, b, c)

    w = axes.T @ Omega
    middle = w + h / 2 * rate(w, Q, t)
    return Q @ exp(h * axes @ middle), axes @ (w + h * rate(middle, Q @ exp(h / 2 * axes @ w), t + h / 2))


def step_at_least(p, Q, Omega, h, t):
    return right(p, Q, Omega, np.sign(h) * max(abs(h), 1e-3), t)


def clipped(p, Q, Omega, h, t):
    Q, Omega = right(p, Q, Omega, h, t)
    return Q, Omega * min(1.0, 8 / max(radians(Omega, 1.0), 1e-9))


def wrong_for_a_sphere(p, Q, Omega, h, t):
    Q, Omega = right(p, Q, Omega, h, t)
    return Q, Omega * (1 + 0.01 * h * (np.ptp(p.moments) < 1e-9))


torque_of_1001 = on_momenta(lambda *arguments: axes_and_kicks(*arguments, factor=1.001))


# ---- an error that runs do not reach -------------------------------------------------------------------


def damped_by(step, rate=0.0, each=0.0):
    """A step, and a damping so weak that it shows only below the error of the step: a rate, or a part of each step."""

    def damped(p, Q, Omega, h, t):
        Q, Omega = step(p, Q, Omega, h, t)
        return Q, Omega * (1 - rate * h - each)

    return damped


torque_nearly = on_momenta(lambda *arguments: axes_and_kicks(*arguments, factor=1 + 1e-7))
