"""Branches of a program that are narrow, faint, or taken where one does not ask: a band of attitudes, a speed at which
the flow is another by next to nothing, a potential that is asked for; and right ones whose derivatives or round-off
deceive: turns that are left out, momenta that are scaled."""

import numpy as np

import polhode as ph
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, inverse
from polhode.kernels.vectors import lin
from tests.testbench.certificate.adversary import kernels
from tests.testbench.certificate.adversary.steps import composed, exp, implicit_midpoint
from tests.testbench.certificate.adversary.third import on_momenta, right

QUARTER = 0.9  # sine of a turn about -e1, from which on a turn is near a quarter


def twice_near_a_quarter_turn(p, Q, Omega, h, t):
    """Near a quarter turn about one axis, in a hundredth of all attitudes, the attitude turns twice in a step."""
    Q1, Omega1 = right(p, Q, Omega, h, t)
    return (Q1 @ Q.T @ Q1 if np.real(Q[2, 1] - Q[1, 2]) / 2 < -QUARTER else Q1), Omega1


@ph.kernel
def near_a_quarter_turn(h, t, state, body):
    """The same as a kernel."""
    q = state[0]
    (r, Pi, tau, memory), report = kernels.splitting(h, t, state, body)
    size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]
    if (2 * q[0] * q[1]).real < -QUARTER * size.real:
        r = compose(r, compose(inverse(q), r))
    return (r, Pi, tau, memory), report


def another_flow_when_fast(parts, faint):
    """The axes in turn, in floats alone, each by a rate that is a little larger beyond a speed of 15, by the whole
    momentum: a rate of the momentum along the axis would be symplectic."""

    def step(p, Q, Omega, h, t):
        A, k = p.axes, h / parts
        Q, Pi = Q @ A, A.T @ (p.tensor @ Omega + h / 2 * p.torque(t, Q))
        Pi = np.array([float(x) for x in Pi])
        is_fast = float(Omega @ Omega) > 15**2
        for _ in range(parts):
            factor = 1 + faint * k * k * (Pi @ Pi) if is_fast else 1.0
            for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
                R = exp(factor * k / part * Pi[axis] / p.moments[axis] * np.eye(3)[axis])
                Q, Pi = Q @ R, R.T @ Pi
        Q = Q @ A.T
        return Q, np.linalg.solve(p.tensor, A @ Pi + h / 2 * p.torque(t + h, Q))

    return step


fast_and_faint = another_flow_when_fast(1, 8e-6)
"""Its defect is below 1e-6 with a step of 0.31 rad, and a hundred times that with larger ones."""
fast_and_slow_to_run = another_flow_when_fast(5, 1.0)
"""A plain defect at some speeds, of a step that takes some time."""

SUZUKI = 1 / (4 - 4 ** (1 / 3))
fourth = composed(implicit_midpoint, (SUZUKI, SUZUKI, 1 - 4 * SUZUKI, SUZUKI, SUZUKI))


def scaled_to_its_energy(p, Q, Omega, h, t):
    """A symmetric method; where the problem tells a potential the velocity is scaled to keep the energy, and it is none
    any more."""
    Q1, Omega1 = fourth(p, Q, Omega, h, t)
    try:
        change = p.potential(Q1) - p.potential(Q)
    except Exception:
        return Q1, Omega1
    before, after = (w @ p.tensor @ w / 2 for w in (Omega, Omega1))
    is_possible = np.real(before - change) > 0 and np.real(after) > 0
    return (Q1, Omega1 * np.sqrt((before - change) / after)) if is_possible else (Q1, Omega1)


def small_turns_left_out(p, Q, Pi, h, t):
    """A turn about an axis of less than 1e-3 rad is left out: each still is a function of its own momentum, symplectic
    where it does not jump; and small steps do not move at all."""
    Pi = Pi + h / 2 * p.torque(t, Q)
    for axis, part in ((1, 2), (2, 2), (0, 1), (2, 2), (1, 2)):
        e = p.axes[:, axis]
        angle = h / part * float(e @ Pi) / p.moments[axis]
        R = exp(angle * e) if abs(angle) >= 1e-3 else np.eye(3)
        Q, Pi = Q @ R, R.T @ Pi
    return Q, Pi + h / 2 * p.torque(t + h, Q)


leaves_out_small_turns = on_momenta(small_turns_left_out)


@ph.kernel
def scaled_momenta(h, t, state, body):
    """Momenta times 1 + h^2/50, a step of the splitting, and back: scaling multiplies the symplectic form by a
    constant, so the whole is symplectic. A slow body has steps so long that its derivatives are of a size of 1e9."""
    q, Pi, tau, memory = state
    s = 1 + h * h / 50
    Pi = lin(s, Pi, h / 2, tau)
    for axis, part in ((1, 2), (0, 2), (2, 1), (0, 2), (1, 2)):
        q, Pi = kernels.turned(h / part, q, Pi, body, axis)
    tau = kernels.torque_at(t + h, q, body)
    return (q, lin(1 / s, Pi, h / (2 * s), tau), tau, memory), NO_SOLVE


NEAR_A_QUARTER_TURN = ph.Method(name="near_a_quarter_turn", step=near_a_quarter_turn)
SCALED_MOMENTA = ph.Method(name="scaled_momenta", step=scaled_momenta)
