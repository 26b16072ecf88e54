"""The fourth adversary: programs with branches that no state of a battery takes, maps put together from several, loops
of a black box that do more than a step does, and right ones that others said too little of."""

import itertools
import sys
import time

import numpy as np

from tests.testbench.certificate.adversary.steps import exp, hat, rk4
from tests.testbench.certificate.adversary.third import axes_and_kicks, kicked, on_momenta, radians, right, turned

# ---- a branch each ------------------------------------------------------------------------------------


def damped_where(condition, rate=0.01):
    """The right step, damped where a condition (problem, Q, Omega, h, t) holds."""

    def step(p, Q, Omega, h, t):
        is_there = condition(p, np.real(Q), np.real(Omega), h, t)
        Q, Omega = right(p, Q, Omega, h, t)
        return Q, Omega * (1 - rate * h) if is_there else Omega

    return step


def torque_changed(change):
    """The right step with another torque: change(problem, t, torque)."""

    def step(p, Q, Omega, h, t):
        Pi = p.tensor @ Omega + h / 2 * change(p, t, p.torque(t, Q))
        Q, Pi = axes_alone(p, Q, Pi, h)
        return Q, np.linalg.solve(p.tensor, Pi + h / 2 * change(p, t + h, p.torque(t + h, Q)))

    return step


def axes_alone(p, Q, Pi, h, order=(0, 1, 2)):
    i, j, k = order
    for axis, part in ((i, 0.5), (j, 0.5), (k, 1.0), (j, 0.5), (i, 0.5)):
        Q, Pi = turned(p, Q, Pi, axis, part * h)
    return Q, Pi


def largest_is_x(p, Q, Omega, h, t):
    """Whether the first imaginary component of the quaternion is the largest."""
    return np.argmax([*np.diag(Q), np.trace(Q)]) == 0


fast = damped_where(lambda p, Q, Omega, h, t: Omega @ Omega > 100)
before_zero = torque_changed(lambda p, t, tau: tau if t >= 0 else 0 * tau)
deadband = torque_changed(lambda p, t, tau: tau if np.abs(tau).max() > 0.1 else 0 * tau)
by_quaternion = damped_where(largest_is_x)
about_an_axis = damped_where(lambda p, Q, Omega, h, t: np.sum(np.abs(Omega) > 1e-9) == 1)
odd_order = damped_where(lambda p, Q, Omega, h, t: p.moments[0] > p.moments[1] > p.moments[2])
nearly_equal = damped_where(lambda p, Q, Omega, h, t: 0 < abs(p.moments[0] / p.moments[1] - 1) < 1e-3)
slender = damped_where(lambda p, Q, Omega, h, t: p.moments.max() > 5 * p.moments.min())


def sleeping(p, Q, Omega, h, t):
    Q, Omega = right(p, Q, Omega, h, t)
    return Q, 0 * Omega if abs(Omega @ Omega) < 1e-6 else Omega


def first_order_when_tiny(p, Q, Omega, h, t):
    """I + hat x below 1e-4 rad."""
    small = lambda x: exp(x) if np.sqrt(abs(x @ x)) > 1e-4 else np.eye(3) + hat(x)
    return on_momenta(lambda *arguments: axes_and_kicks(*arguments, rotation=small))(p, Q, Omega, h, t)


def free_path(p, Q, Omega, h, t):
    """Without a torque another method, which is not symmetric."""
    return right(p, Q, Omega, h, t) if np.any(p.torque(t, Q)) else rk4(p, Q, Omega, h, t)


def torque_by_differences(p, Q, Omega, h, t, d=1e-6):
    """Forward differences of the potential: off by 1e-6."""

    def tau(s, A):
        if not p.has_potential:
            return p.torque(s, A)
        U = p.potential(A)
        return np.array([-(p.potential(A @ exp(d * e)) - U) / d for e in np.eye(3)])

    Pi = np.real(p.tensor @ Omega) + h / 2 * tau(t, np.real(Q))
    Q, Pi = axes_alone(p, np.real(Q), Pi, h)
    return Q, np.linalg.solve(p.tensor, Pi + h / 2 * tau(t + h, Q))


def damping_with_h(p, Q, Omega, h, t):
    """Of order 1, with a small constant."""
    Q, Omega = right(p, Q, Omega, h, t)
    return Q, Omega * (1 - 1e-3 * h * abs(h))


def faintly_damped(p, Q, Omega, h, t):
    """Real numbers only, and a damping that differences do not show."""
    Q, Omega = right(p, np.asarray(Q, float), np.asarray(Omega, float), h, t)
    return Q, Omega * (1 - 1e-10 * h)


# ---- put together from several ------------------------------------------------------------------------


def substeps_by_speed(p, Q, Omega, h, t):
    """Symplectic wherever the number of substeps does not change, which is almost everywhere."""
    n = max(1, int(np.ceil(radians(np.real(Omega), h) / 0.1)))
    for i in range(n):
        Q, Omega = right(p, Q, Omega, h / n, t + i * h / n)
    return Q, Omega


def axes_by_the_state(p, Q, Omega, h, t):
    """The axes in the order of the momenta."""
    Pi = p.tensor @ Omega
    order = np.argsort(np.abs(np.real(p.axes.T @ Pi)))
    Q, Pi = kicked(p, Q, Pi, h / 2, t)
    Q, Pi = axes_alone(p, Q, Pi, h, order)
    Q, Pi = kicked(p, Q, Pi, h / 2, t + h)
    return Q, np.linalg.solve(p.tensor, Pi)


# ---- black boxes --------------------------------------------------------------------------------------


def every_tenth_damped(p, Q, Omega, h, n, t):
    for i in range(n):
        Q, Omega = right(p, Q, Omega, h, t + i * h)
        Omega = Omega * (1 - 1e-3 * h) if i % 10 == 9 else Omega
    return Q, Omega


# ---- right, and hard to handle ------------------------------------------------------------------------


def hangs_beyond(p, Q, Omega, h, t):
    while abs(h) > 0.6:
        time.sleep(0.01)
    return right(p, Q, Omega, h, t)


def exits_beyond(p, Q, Omega, h, t):
    if abs(h) > 2.5:
        sys.exit("h is too large")
    return right(p, Q, Omega, h, t)


def free_only(p, Q, Omega, h, t):
    if np.any(p.torque(t, Q)):
        raise ValueError("a free body only")
    return right(p, Q, Omega, h, t)


_BITS = itertools.cycle((1 - 2**-53, 1.0, 1 + 2**-52))


def last_bit(p, Q, Omega, h, t):
    """As sums by threads are: now and then another last bit."""
    Q, Omega = right(p, Q, Omega, h, t)
    return Q, Omega * next(_BITS)


def position_verlet(p, Q, Omega, h, t):
    Q, Pi = axes_alone(p, Q, p.tensor @ Omega, h / 2)
    Q, Pi = kicked(p, Q, Pi, h, t + h / 2)
    Q, Pi = axes_alone(p, Q, Pi, h / 2)
    return Q, np.linalg.solve(p.tensor, Pi)


YOSHIDA_6 = (0.784513610477560, 0.235573213359357, -1.17767998417887)
YOSHIDA_6 = (*YOSHIDA_6, 1 - 2 * sum(YOSHIDA_6), *YOSHIDA_6[::-1])


def yoshida_6(p, Q, Omega, h, t):
    """Of order 6, which it shows with small steps only where a body is slow."""
    for w in YOSHIDA_6:
        Q, Omega = position_verlet(p, Q, Omega, w * h, t)
        t = t + w * h
    return Q, Omega


def transposed(p, Q, Omega, h, t):
    Q, Omega = right(p, Q, Omega, h, t)
    return Q.T, Omega


def in_space(p, Q, Omega, h, t):
    Q, Omega = right(p, Q, Omega, h, t)
    return Q, Q @ Omega
