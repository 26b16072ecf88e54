"""Formulas that change in the middle of what runs: where turns are small, near the identity, from rest, beyond an
angle, between the numbers of a table, for thin bodies, near an axis; a clock that begins at zero; and a right one that
an exception would end."""

import numpy as np

from tests.testbench.certificate.adversary.steps import cay, exp, hat, lie_euler, munthe_kaas_4, rk4_projected, verlet
from tests.testbench.certificate.adversary.third import right, turning_by


def linear_when_small(x):
    """No rotation below a hundredth of a radian, but one plus the rotation vector: each is off by half of x^2."""
    return np.eye(3) + hat(x) if abs(x @ x) < 1e-4 else exp(x)


small_turns = turning_by(linear_when_small)
"""Runs with usual steps stop converging where some of their turns become small; below that they are of order 1."""


def snapped(p, Q, Omega, h, t):
    """An attitude within a hundredth of a radian of the identity is taken for it: with small steps none gets away."""
    is_near = np.real(np.trace(Q)) > 1 + 2 * np.cos(0.01)
    return verlet(p, np.eye(3) if is_near else Q, Omega, h, t)


def no_first_kick_from_rest(p, Q, Omega, h, t):
    """One wrong step, by a part of its turn that does not fall with h; the ones after it are right."""
    return verlet(p, Q, Omega, h, t, first=0.5 if np.any(Omega) else 0.0)


def cut_at_one(p, Q, Omega, h, t):
    """No step turns by more than 1 rad: beyond that the defect begins at zero, where others jump."""

    def cut(x):
        angle = np.sqrt(x @ x)
        return cay(x / angle if angle.real > 1 else x)

    return verlet(p, Q, Omega, h, t, rotation=cut)


TABLE = np.array([(np.cos(x), np.sin(x)) for x in np.linspace(0, 2 * np.pi, 65)])


def from_a_table(x):
    """A rotation by an angle that is nearly that of x, from a table: a function of it with kinks, but an odd one."""
    angle = np.sqrt(float(x @ x))
    if angle == 0:
        return np.eye(3)
    u = angle * 32 / np.pi
    k = int(u) % 64
    c, s = TABLE[k] + (u - int(u)) * (TABLE[k + 1] - TABLE[k])
    r, X = np.hypot(c, s), hat(x / angle)
    return np.eye(3) + s / r * X + (1 - c / r) * X @ X


sines_of_a_table = turning_by(from_a_table)
"""Turns about principal axes, each by an odd function of its own angle: symplectic between the kinks, and wrong."""


def linear_when_smaller(x):
    """The same below 0.002 rad, which no run with usual steps reaches."""
    return np.eye(3) + hat(x) if abs(x @ x) < 4e-6 else exp(x)


def smaller_turns(p, Q, Omega, h, t):
    """Runge and Kutta's method in the Lie algebra, whose smallest turns alone are no rotations: of order 1."""
    return munthe_kaas_4(p, Q, Omega, h, t, rotation=linear_when_smaller)


def thin_rods(p, Q, Omega, h, t):
    """Moments that differ by more than a factor of eight are left to Euler's method."""
    return (lie_euler if max(p.moments) > 8 * min(p.moments) else rk4_projected)(p, Q, Omega, h, t)


def steady_spin(p, Q, Omega, h, t):
    """A spin within some degrees of a principal axis is taken for a steady one."""
    w = p.axes.T @ Omega
    is_steady = np.sort(np.abs(w))[1] < 0.1 * np.sqrt(abs(w @ w))
    return (
        (Q @ exp(h * Omega), Omega + h * np.linalg.solve(p.tensor, p.torque(t, Q)))
        if is_steady
        else right(p, Q, Omega, h, t)
    )


def clock_from_zero(p, Q, Omega, h, n, t):
    """A black box whose clock begins at zero after the first step, whatever the time is."""
    for i in range(n):
        Q, Omega = right(p, Q, Omega, h, i * h if i else t)
    return Q, Omega


def generator():
    """A right method in a generator, which ends with the first exception in it."""

    def steps():
        answer = None
        while True:
            answer = right(*(yield answer))

    running = steps()
    next(running)
    return lambda *asked: running.send(asked)
