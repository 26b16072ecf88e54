"""Mistakes that are faint, and right ones that look like it: a fifth digit, a rounded time, tolerances, counts."""

import numpy as np

from tests.testbench.certificate.adversary.fourth import axes_alone, torque_changed
from tests.testbench.certificate.adversary.steps import (
    composed,
    cross,
    exp,
    lie_heun,
    mistaken,
    munthe_kaas_4,
    rates,
    verlet,
)
from tests.testbench.certificate.adversary.third import radians, right, turned

# ---- digits and orders --------------------------------------------------------------------------------

triple_jump_of_five_digits = composed(right, (1.3512, 1 - 2 * 1.3512, 1.3512))
"""Of order 2, with an error that is below that of order 4 for all steps above 0.002."""


def munthe_kaas_with_a_tenth(p, Q, Omega, h, t):
    """1/10 for 1/12: the attitude of a free body is of order 3."""

    def rate(s, theta, w):
        twice = cross(theta, cross(theta, w))
        return w + cross(theta, w) / 2 + twice / 10, rates(p, s, Q @ exp(theta), w)[1]

    k = [rate(t, 0 * Omega, Omega)]
    for c in (0.5, 0.5, 1.0):
        k.append(rate(t + c * h, c * h * k[-1][0], Omega + c * h * k[-1][1]))
    theta, change = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(*k))
    return Q @ exp(theta), Omega + change


def better_when_small(p, Q, Omega, h, t):
    """Of order 2 above a tenth, of order 4 below: a slow body never sees the better one."""
    return (right if abs(h) > 0.1 else munthe_kaas_4)(p, Q, Omega, h, t)


def by_parity(p, Q, Omega, h, t):
    """A first-order splitting and its adjoint in turn, by the number of the step: of order 2, each step of order 1."""
    Pi = p.tensor @ Omega
    if round(t / h) % 2 == 0:
        Pi = Pi + h * p.torque(t, Q)
        for axis in (0, 1, 2):
            Q, Pi = turned(p, Q, Pi, axis, h)
        return Q, np.linalg.solve(p.tensor, Pi)
    for axis in (2, 1, 0):
        Q, Pi = turned(p, Q, Pi, axis, h)
    return Q, np.linalg.solve(p.tensor, Pi + h * p.torque(t + h, Q))


def time_on_a_grid(p, Q, Omega, h, t):
    """The time is a number of steps, which it is only if the start was at zero."""
    return right(p, Q, Omega, h, round(t / h) * h)


# ---- sizes --------------------------------------------------------------------------------------------


def close_moments(p, Q, Omega, h, t):
    """np.isclose as it is: all small bodies have two equal moments, and are turned as tops."""
    Pi = p.tensor @ Omega + h / 2 * p.torque(t, Q)
    if np.isclose(p.moments[0], p.moments[1]):
        e = p.axes[:, 2]
        about, whole = h * (1 / p.moments[2] - 1 / p.moments[0]) * (e @ Pi) * e, h / p.moments[0] * Pi
        A, B = exp(whole), exp(about)
        Q, Pi = Q @ A @ B, B.T @ (A.T @ Pi)
    else:
        Q, Pi = axes_alone(p, Q, Pi, h)
    return Q, np.linalg.solve(p.tensor, Pi + h / 2 * p.torque(t + h, Q))


def attitude_in_single(p, Q, Omega, h, t):
    Q, Omega = right(p, np.asarray(Q, float), np.asarray(Omega, float), h, t)
    return Q.astype(np.float32), Omega


def torque_of_a_rounded_attitude(p, Q, Omega, h, t):
    """As from a table, to six digits."""
    tau = lambda s, A: p.torque(s, np.round(np.real(A), 6))
    Pi = p.tensor @ Omega + h / 2 * tau(t, Q)
    Q, Pi = axes_alone(p, Q, Pi, h)
    return Q, np.linalg.solve(p.tensor, Pi + h / 2 * tau(t + h, Q))


to_a_small_tolerance = mistaken(tolerance=1e-13)

# ---- branches -----------------------------------------------------------------------------------------


def wrong_near_half_a_turn(p, Q, Omega, h, t):
    """The axis from the diagonal, with all signs positive."""
    c = (np.trace(np.real(Q)) - 1) / 2
    if c < np.cos(np.pi - 0.05):
        axis = np.sqrt(np.maximum(0, (np.diag(np.real(Q)) - c) / (1 - c)))
        Q = exp(np.arccos(max(c, -1.0)) * axis / np.linalg.norm(axis))
    return right(p, Q, Omega, h, t)


def asleep_when_slow_and_free(p, Q, Omega, h, t):
    is_asleep = np.linalg.norm(np.real(Omega)) < 2e-3 and not np.any(p.torque(t, Q))
    return (Q, 0 * Omega) if is_asleep else right(p, Q, Omega, h, t)


weak_torque_ignored = torque_changed(lambda p, t, tau: tau if np.linalg.norm(np.real(tau)) > 0.002 else 0 * tau)


def heun_beyond(p, Q, Omega, h, t):
    """Beyond 1.2 rad a step, where an iteration might not converge, an explicit method."""
    return (lie_heun if radians(Omega, h) > 1.2 else verlet)(p, Q, Omega, h, t)


# ---- loops of black boxes -----------------------------------------------------------------------------


def counts_to_a_thousand(p, Q, Omega, h, n, t):
    for i in range(min(n, 1000)):
        Q, Omega = right(p, Q, Omega, h, t + i * h)
    return Q, Omega


class TorqueOfTheLastCall:
    """The first half kick is that of the torque at the end of the step before, whatever body that was."""

    def __init__(self):
        self.tau = None

    def __call__(self, p, Q, Omega, h, n, t):
        for i in range(n):
            now = p.torque(t + i * h, Q)
            late = now if self.tau is None else self.tau
            Omega = Omega + h / 2 * np.linalg.solve(p.tensor, late - now)
            Q, Omega = right(p, Q, Omega, h, t + i * h)
            self.tau = now
        return Q, Omega
