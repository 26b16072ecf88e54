"""What a drift of the energy is easily mistaken for, or hidden by: a run that ends, methods of high order that are
chosen by the state, modified energies of other terms than are usual; and an object without a hash."""

from dataclasses import dataclass, field

import numpy as np

from polhode.kernels.implicit import NO_SOLVE
from tests.testbench.certificate.adversary import kernels
from tests.testbench.certificate.adversary.fourth import position_verlet
from tests.testbench.certificate.adversary.steps import SUZUKI, TRIPLE, composed, turned, verlet
from tests.testbench.certificate.adversary.third import right


def until_40(p, Q, Omega, h, t):
    """The right step, under a torque that is not known for later times."""
    if np.any(p.torque(t, Q)) and np.real(t) > 40:
        raise ValueError("the table of torques ends at t = 40")
    return verlet(p, Q, Omega, h, t)


def up_to_1000_steps(p, Q, Omega, h, n, t):
    """A black box that begins with another right step, and has room for so many."""
    if n > 1000:
        raise MemoryError("no room for more than 1000 steps")
    for i in range(n):
        Q, Omega = (right if i else position_verlet)(p, Q, Omega, h, t + i * h)
    return Q, Omega


def kicks_between_turns(p, Q, Omega, h, t):
    """The torque acts between the turns about the axes, so that the modified energy has derivatives of the torque along
    each axis alone, which no fit of the stress test knows."""
    Q, Pi = turned(p, Q, p.tensor @ Omega, 0, h / 2)
    Pi = Pi + h / 2 * p.torque(t, Q)
    for axis, part in ((1, 2), (2, 1), (1, 2)):
        Q, Pi = turned(p, Q, Pi, axis, h / part)
    Q, Pi = turned(p, Q, Pi + h / 2 * p.torque(t + h, Q), 0, h / 2)
    return Q, np.linalg.solve(p.tensor, Pi)


yoshida, suzuki = composed(right, TRIPLE), composed(right, SUZUKI)


def four_by_the_state(p, Q, Omega, h, t):
    """Two compositions of order 4, chosen by the signs of the first two momenta."""
    Pi = np.real(p.axes.T @ p.tensor @ Omega)
    return (yoshida if Pi[0] * Pi[1] > 0 else suzuki)(p, Q, Omega, h, t)


THIRD_ROOT = 2 ** (1 / 3)
YOSHIDA_4 = (1 / (2 - THIRD_ROOT), -THIRD_ROOT / (2 - THIRD_ROOT), 1 / (2 - THIRD_ROOT))
FIFTH = 1 / (4 - 4 ** (1 / 3))
SUZUKI_4 = (FIFTH, FIFTH, 1 - 4 * FIFTH, FIFTH, FIFTH)


def triple_jump(h, t, state, body):
    for c in YOSHIDA_4:
        state, _ = kernels.splitting(c * h, t, state, body)
        t = t + c * h
    return state, NO_SOLVE


def quintuple_jump(h, t, state, body):
    for c in SUZUKI_4:
        state, _ = kernels.splitting(c * h, t, state, body)
        t = t + c * h
    return state, NO_SOLVE


def jumps_by_the_state(h, t, state, body):
    """The same as a kernel."""
    Pi = state[1]
    if (Pi[0] * Pi[1]).real > 0:
        return triple_jump(h, t, state, body)
    return quintuple_jump(h, t, state, body)


@dataclass
class Unhashable:
    """The right step as a dataclass: it compares its fields, so that Python gives it no hash."""

    __name__ = "unhashable"
    axes: list = field(default_factory=lambda: [0, 1, 2])

    def __call__(self, p, Q, Omega, h, t):
        return right(p, Q, Omega, h, t)
