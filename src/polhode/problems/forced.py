"""The stress test with three distinct moments and a torque that depends on time: finds wrong stage times.

    tau(t, Q) = -grad U(Q) + (a sin(w t), b cos(w t), c sin(2 w t + 1))

Nothing is conserved. Parameters: those of the stress test, then a, b, c, w.
"""

from polhode.problem import Problem
from polhode.problems import stress as base
from polhode.scalar import cos, kernel, sin

stress_torque = base.torque


@kernel
def torque(t, Q, par):
    """The stress test's torque and a body torque in time."""
    x, y, z = stress_torque(t, Q, par)
    w = par[13] * t
    return (x + par[10] * sin(w), y + par[11] * cos(w), z + par[12] * sin(2 * w + 1))


def forced(inertia=(1.6, 2.3, 3.1), force=(0.5, 0.4, 0.6), frequency=1.7):
    """The forced stress test."""
    parameters = base.stress().parameters[:10]
    return Problem.from_kernels(
        name="forced",
        inertia=inertia,
        torque=torque,
        potential=None,
        parameters=(*parameters, *force, frequency),
        Q0=(0.0, 0.7227, 0.0),
        Omega0=(0.3, -0.2, 0.625),
        h=0.05,
        t_end=100.0,
    )
