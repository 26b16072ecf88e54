"""A heavy top without symmetry. The symmetric tops share its torque.

Parameters: w = mass * gravity * centre of mass, in body axes.
"""

from numpy.typing import ArrayLike

from polhode.inputs import vector
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import kernel
from polhode.physics.build.parts import finished, top_invariants
from polhode.physics.problem import Problem


@kernel
def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """w x (-Q^T e3): weight at the centre of mass."""
    x, y, z = par[0], par[1], par[2]
    return (z * Q[7] - y * Q[8], x * Q[8] - z * Q[6], y * Q[6] - x * Q[7])


@kernel
def potential(Q: Mat3, par: Numbers) -> Number:
    """The height of the weight."""
    return par[0] * Q[6] + par[1] * Q[7] + par[2] * Q[8]


def heavy_top(
    weight: ArrayLike = (0.35, -0.2, 1.1),
    inertia: ArrayLike = (1.6, 2.0, 1.1),
    Q0: AttitudeLike | None = (0.6, -0.3, 0.2),
    Omega0: ArrayLike = (0.4, -0.3, 1.5),
) -> Problem:
    """A heavy top with three distinct moments and its centre of mass off every axis.

        U(Q) = w . Q^T e3,    w = mass * gravity * centre of mass in body axes;    gravity acts along -e3

    Source: none; a control made for this package.
    Conserved: energy; the vertical momentum and |Q^T e3|^2 (the Casimirs).
    Default: h = 0.05 on [0, 100].
    Reveals: which invariants of a top a method really keeps. On symmetric tops accidents of symmetry make
    methods look better than they are.
    Not printed: all data are our choice.

    weight is w, inertia about the fixed point, Q0 a rotation vector, Rotation or matrix, Omega0 in body axes.
    """
    problem = Problem.from_kernels(
        name="heavy-top",
        inertia=inertia,
        torque=torque,
        potential=potential,
        parameters=vector("weight", weight),
        Q0=Q0,
        Omega0=Omega0,
        invariants=top_invariants,
        h=0.05,
        t_end=100.0,
    )
    return finished(problem, sources=())
