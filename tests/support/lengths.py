"""A right kernel, but for the length of its quaternion, which every step changes by a factor."""

import polhode as ph
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp, rotated_back
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import lin


def lengthened(factor):
    """A symplectic splitting of the axes, whose quaternion each step multiplies by `factor`."""

    @ph.kernel
    def splitting(h, t, state, body):
        q, Pi, tau, memory = state
        Pi = lin(1, Pi, h / 2, tau)
        for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
            angle = h / part * body[1][axis] * Pi[axis]
            turn = exp((angle * (axis == 0), angle * (axis == 1), angle * (axis == 2)))
            q, Pi = compose(q, turn), rotated_back(turn, Pi)
        q = (factor * q[0], factor * q[1], factor * q[2], factor * q[3])
        tau = torque_at(t + h, q, body)
        return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE

    name = f"SPLITTING of length {factor:g}"
    return ph.Method(name=name, step=splitting, order=2, symmetric=True, symplectic=True, torques_per_step=1)
