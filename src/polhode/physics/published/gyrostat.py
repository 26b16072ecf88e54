"""The free gyrostat: a body in which something spins."""

import functools

from numpy.typing import ArrayLike

from polhode.inputs import vector
from polhode.inputs.rotations import AttitudeLike
from polhode.physics.build.parts import finished, gyrostat_invariants
from polhode.physics.problem import Problem


def gyrostat(
    inertia: ArrayLike = (1.0, 2.0, 2.5),
    rotor: ArrayLike = (0.4, -0.3, 0.8),
    Q0: AttitudeLike | None = (0.2, -0.3, 0.4),
    Omega0: ArrayLike = (1.0, 0.2, 0.3),
) -> Problem:
    """The free gyrostat of Zhukovskii and Volterra.

        J Omega' = (J Omega + l) x Omega

    Source: Volterra 1899, who solved it by elliptic functions.
    Conserved: energy; all of the momentum Q (J Omega + l); its square in the body.
    Default: h = 0.05 on [0, 100].
    Reveals: whether a method knows that a rotor is no torque: the bracket is that of the free body, at the momentum
    J Omega + l. A method that takes l x Omega for a torque loses the momentum, and the symplectic form with it.
    Not printed: all data are our choice.

    rotor is l, the constant momentum of what spins, in body axes.
    """
    rotor = tuple(vector("rotor", rotor).tolist())
    problem = Problem(name="gyrostat", inertia=inertia, rotor=rotor, Q0=Q0, Omega0=Omega0, h=0.05, t_end=100.0)
    return finished(problem.keeping(functools.partial(gyrostat_invariants, rotor=rotor)), ("volterra-1899",))
