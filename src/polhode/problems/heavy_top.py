"""A heavy top without symmetry: three distinct moments, the centre of mass off every axis.

    U(Q) = w . Q^T e3,    w = mass * gravity * centre of mass in body axes;     gravity acts along -e3

Only the energy and the vertical momentum are conserved. A control: on symmetric tops accidents of symmetry
make methods look better than they are.

Parameters: w.
"""

from polhode.problem import Problem
from polhode.scalar import kernel


@kernel
def torque(t, Q, par):
    """w x (-Q^T e3): weight at the centre of mass."""
    x, y, z = par[0], par[1], par[2]
    return (z * Q[7] - y * Q[8], x * Q[8] - z * Q[6], y * Q[6] - x * Q[7])


@kernel
def potential(Q, par):
    """The height of the weight."""
    return par[0] * Q[6] + par[1] * Q[7] + par[2] * Q[8]


def heavy_top(
    weight=(0.35, -0.2, 1.1), inertia=(1.6, 2.0, 1.1), Q0=(0.6, -0.3, 0.2), Omega0=(0.4, -0.3, 1.5)
):
    """A heavy top; `weight` is mass times gravity times the centre of mass, in body axes."""
    J = inertia
    return Problem.from_kernels(
        name="heavy-top",
        inertia=J,
        torque=torque,
        potential=potential,
        parameters=weight,
        Q0=Q0,
        Omega0=Omega0,
        invariants={"vertical momentum": lambda Q, Omega: Q[2] @ (J * Omega)},
        h=0.05,
        t_end=100.0,
    )
