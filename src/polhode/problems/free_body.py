"""The freely spinning body of McLachlan and Zanna, as used by Krysl and Endres."""

from polhode.adapt import no_potential, no_torque
from polhode.problem import Problem


def free_body(inertia=(0.9144, 1.098, 1.66), Omega0=(0.45549, 0.82623, 0.03476), Q0=None):
    """A free body: energy and all of the spatial momentum are conserved."""
    return Problem.from_kernels(
        name="free-body",
        inertia=inertia,
        torque=no_torque,
        potential=no_potential,
        Q0=Q0,
        Omega0=Omega0,
        h=0.125,
        t_end=100.0,
    )
