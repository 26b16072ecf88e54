"""A body in a Coulombic potential with a soft wall: the wall of `polhode.build`, with the published data."""

from numpy.typing import ArrayLike

from polhode.inputs import positive
from polhode.inputs.rotations import AttitudeLike
from polhode.physics.build.parts import finished
from polhode.physics.build.wall import wall
from polhode.physics.problem import Problem


def soft_wall(
    attraction: float = 1.0,
    repulsion: float = 0.001,
    distance: float = 1.1,
    inertia: ArrayLike = (2.0, 3.0, 4.5),
    Q0: AttitudeLike | None = None,
    Pi0: ArrayLike = (2.0, 2.0, 2.0),
    printed_sign: bool = False,
) -> Problem:
    """The soft wall of Holder, Leimkuhler and Reich: attracted, and thrown back from a steep wall.

        U(Q) = -1/x + 0.001/x^10,    x = 1.1 + Q33: the distance of the tip of the third body axis from the wall

    Source: Holder, Leimkuhler & Reich 2001; Krysl & Endres 2005, section 3.6.
    Conserved: energy; the vertical momentum and |Q^T e3|^2 (the Casimirs).
    Default: h = 0.025 on [0, 100].
    Reveals: stiffness that comes and goes. The wall repels within a time much shorter than that of the motion,
    so errors are made in bursts, and a method is as good as its step at the wall.
    Misprint: as printed by Krysl & Endres, the torque (-x^-2 + 0.01 x^-11) [-Q23; Q13; 0] belongs to minus this
    potential: it repels from afar and pulls into a well 10^7 deep at the wall, the opposite of "attractive
    Coulombic potential coupled with a repulsive ... soft wall"; from this start the body turns back before it
    gets there, and nothing steep is met. The problem described is shipped; printed_sign=True gives the one printed.
    Not printed: the interval and the step sizes; [0, 100] and 0.025 were chosen.

    attraction, repulsion, distance (above 1: the tip must not reach the wall), inertia, Q0, Pi0 (body axes; with
    Q0 the identity also space axes) can be changed.
    """
    sign = -1 if printed_sign else 1
    problem = wall(
        name="soft-wall",
        inertia_body=inertia,
        point_body=(0.0, 0.0, 1.0),
        normal_space=(0.0, 0.0, 1.0),
        distance=distance,
        attraction=sign * positive("attraction", attraction),
        repulsion=sign * positive("repulsion", repulsion),
        powers=(1, 10),
        Q0=Q0,
        Pi0=Pi0,
        h=0.025,
        t_end=100.0,
    )
    return finished(problem, ("holder-leimkuhler-reich-2001", "krysl-endres-2005"))
