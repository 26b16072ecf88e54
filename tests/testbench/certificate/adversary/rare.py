"""Wrong in some hundredths of the states alone, on conditions that no list of states foresees; and right ones that have
branches as rare. Real parts alone decide, so that a complex step goes the same way."""

import itertools

import numpy as np

from polhode.kernels.vectors import dot, lin
from tests.testbench.certificate.adversary.kernels import splitting
from tests.testbench.certificate.adversary.steps import axes_in_turn, cay, exp, lie_euler, verlet

DIRECTION = np.array((0.36, -0.48, 0.8))
IN_TURN = axes_in_turn((0, 1, 2))


def turned_and_tilted(p, Q, Omega, h, t):
    """Euler's step where the attitude is in a band and the spin in a cone."""
    w = np.real(Omega)
    is_there = -0.8 < np.trace(np.real(Q)) < -0.6 and w[0] > 0.6 * np.linalg.norm(w) and w[2] < 0
    return lie_euler(p, Q, Omega, h, t) if is_there else verlet(p, Q, Omega, h, t)


def nearly_steady_and_late(p, Q, Omega, h, t):
    """A damping of what spins nearly about its largest moment, after t = 20."""
    w = np.real(Omega)
    m = p.tensor @ w
    if t > 20 and m @ m > 0.97 * max(p.moments) * (w @ m):
        return verlet(p, Q, Omega * (1 - 1e-3 * abs(h)), h, t)
    return verlet(p, Q, Omega, h, t)


class Window:
    """Euler's step while two entries of Q are in a small window; it counts its calls, which matter to nothing."""

    def __init__(self):
        self.calls = itertools.count()

    def is_open(self, Q):
        return bool(0.30 < Q[0, 1] < 0.36) and not abs(Q[1, 2] - 0.15) > 0.05

    def __call__(self, p, Q, Omega, h, t):
        next(self.calls)
        step = lie_euler if self.is_open(np.real(Q)) else verlet
        return step(p, Q, Omega, h, t)


def harmless_branches(p, Q, Omega, h, t):
    """Verlet with the same turn by several formulas, each chosen by something of its own."""
    w = np.real(Omega)
    if 0.30 < np.real(Q)[0, 1] < 0.32 or w[1] > 0.93 * np.linalg.norm(w):
        Q, Omega = verlet(p, Q @ exp(np.zeros(3)), Omega, h, t)
    elif max(p.moments) > 2.4 * min(p.moments) and t > 31:
        Q, Omega = verlet(p, Q, 1.0 * Omega, h, t)
    else:
        Q, Omega = verlet(p, Q @ cay(np.zeros(3)), Omega, h, t)
    return Q, Omega


def one_of_two(p, Q, Omega, h, t):
    """One of two symmetric methods, by the spin at the start: what is symmetric on both sides is not across."""
    w = np.real(Omega)
    is_there = w @ DIRECTION > 0.99 * np.linalg.norm(w)
    return (IN_TURN if is_there else verlet)(p, Q, Omega, h, t)


def held_spin(p, Q, Omega, h, t):
    """A body that spins about an axis but for 2% of its speed is turned about that axis alone: it never leaves it."""
    Pi = p.tensor @ Omega + h / 2 * p.torque(t, Q)
    w = np.linalg.solve(p.tensor, Pi)
    about = np.real(p.axes.T @ w)
    k = int(np.argmax(np.abs(about)))
    if np.linalg.norm(np.delete(about, k)) < 0.02 * abs(about[k]):
        e = p.axes[:, k]
        Q = Q @ exp(h * (e @ w) * e)
        return Q, np.linalg.solve(p.tensor, Pi + h / 2 * p.torque(t + h, Q))
    return IN_TURN(p, Q, Omega, h, t)


class Shortened:
    """A problem whose torque is shortened to 5: no longer a gradient, but for that of a top, where it is one of another
    potential. The norm is none of complex numbers."""

    def __init__(self, problem):
        self.problem = problem

    def __getattr__(self, name):
        return getattr(self.problem, name)

    def torque(self, t, Q):
        tau = self.problem.torque(t, Q)
        size = np.linalg.norm(tau)
        return tau if size < 5 else tau * (5 / size)


def shortened_torque(p, Q, Omega, h, t):
    return IN_TURN(Shortened(p), Q, Omega, h, t)


def in_a_cone(h, t, state, body):
    """The splitting, but a momentum that is turned a little too far where it is in a cone."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    x, size = state[1][0].real, dot(state[1], state[1]).real
    if x > 0 and 0.80 * size < x * x < 0.86 * size:
        Pi = (Pi[0], Pi[1] + h * h * h * Pi[2] / 20, Pi[2])
    return (q, Pi, tau, memory), report


def with_rare_branches(h, t, state, body):
    """The splitting, which goes two ways to the same where the momentum is in a cone, or a flat body is late."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    x, size, J = state[1][0].real, dot(state[1], state[1]).real, body[0]
    if (x > 0 and 0.80 * size < x * x < 0.86 * size) or (t > 31 and J[2] > 2.4 * J[0]):
        return ((q[0], q[1], q[2], q[3]), lin(1, Pi, 0, Pi), tau, memory), report
    return (q, Pi, tau, memory), report
