"""A body that damping brings to rest."""

from numpy.typing import ArrayLike

from polhode.inputs.rotations import AttitudeLike
from polhode.physics.build.parts import finished
from polhode.physics.problem import Problem


def damped_body(
    inertia: ArrayLike = (1.0, 2.0, 2.5),
    damping: ArrayLike = (0.05, 0.1, 0.125),
    Q0: AttitudeLike | None = (0.2, -0.3, 0.4),
    Omega0: ArrayLike = (1.0, 0.2, 0.3),
) -> Problem:
    """A damped body that comes to rest.

        J Omega' = J Omega x Omega - C Omega

    Source: none; a control made for this package.
    Conserved: nothing; the kinetic part falls at the rate Omega . C Omega.
    Default: h = 0.05 on [0, 40].
    Reveals: what damping does to a method. With C = gamma J, as by default with gamma = 0.05, the motion is that of a
    free body at another time: Pi(t) = e^(-gamma t) Pi_free(s), Q(t) = Q_free(s), s = (1 - e^(-gamma t))/gamma. Then the
    symplectic form contracts by e^(-gamma h) in a step, and some methods do that exactly.
    Not printed: all data are our choice.

    damping is C: a number, three, or a symmetric tensor, in body axes.
    """
    problem = Problem(name="damped-body", inertia=inertia, damping=damping, Q0=Q0, Omega0=Omega0, h=0.05, t_end=40.0)
    return finished(problem, ())
