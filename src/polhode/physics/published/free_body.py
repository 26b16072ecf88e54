"""Three free bodies: no torque, everything known in closed form."""

from collections.abc import Sequence

from numpy.typing import ArrayLike

from polhode.inputs.functions import no_potential, no_torque
from polhode.inputs.rotations import AttitudeLike
from polhode.physics.build.parts import as_published, finished, free_invariants
from polhode.physics.problem import Problem


def free_body(
    inertia: ArrayLike = (0.9144, 1.098, 1.66),
    Omega0: ArrayLike = (0.45549, 0.82623, 0.03476),
    Q0: AttitudeLike | None = None,
) -> Problem:
    """The freely spinning body of McLachlan and Zanna.

        Q' = Q hat(Omega),    J Omega' = J Omega x Omega

    Source: McLachlan & Zanna 2005, as used by Krysl & Endres 2005, section 3.1.
    Conserved: energy; all of the spatial momentum; the Casimir |Pi|^2.
    Default: h = 0.125 on [0, 100].
    Reveals: the order and the error constant of a method where the exact answer is known. The motion is 3 %
    off the separatrix in 2 T J2 / |Pi|^2, so that errors of phase are large and easily seen. It does not tell
    symplectic methods from others: with so many integrals the energy of most methods just oscillates.
    Not printed: the attitude at the start; the identity was chosen.

    inertia, Omega0, Q0 can be changed; Omega0 in body axes.
    """
    return _free("free-body", inertia, Q0, h=0.125, t_end=100.0, sources=FREE_BODY, Omega0=Omega0)


def asymmetric(
    inertia: ArrayLike = (0.6, 0.8, 1.0), Pi0: ArrayLike = (1.8, 0.4, -0.9), Q0: AttitudeLike | None = None
) -> Problem:
    """The asymmetric free body of Hairer and Vilmart.

        Q' = Q hat(Omega),    J Omega' = J Omega x Omega

    Source: Hairer & Vilmart 2006, section on numerical experiments (moments as in Celledoni & Safstrom 2006).
    Conserved: energy; all of the spatial momentum; the Casimir |Pi|^2.
    Default: h = 0.1 on [0, 10].
    Reveals: what high order buys. The Moser-Veselov methods of order 2 to 10 have momentum errors from
    2.8e-1 to 1.1e-11 at this step.
    Not printed: nothing.

    inertia, Pi0 (body axes), Q0 can be changed.
    """
    return _free("asymmetric", inertia, Q0, h=0.1, t_end=10.0, sources=HAIRER_VILMART, Pi0=Pi0)


def water(
    inertia: ArrayLike = (0.345, 0.653, 1.0), Pi0: ArrayLike = (1.8, 0.4, -0.9), Q0: AttitudeLike | None = None
) -> Problem:
    """The flat free body of Hairer and Vilmart: a water molecule.

        Q' = Q hat(Omega),    J Omega' = J Omega x Omega

    Source: Hairer & Vilmart 2006 (moments as in Fasso 2003). A planar body has J1 + J2 = J3; rounded to three
    digits these moments miss it by 0.2 % on the side where no body exists, which does not matter here.
    Conserved: energy; all of the spatial momentum; the Casimir |Pi|^2.
    Default: h = 0.1 on [0, 10].
    Reveals: as for the asymmetric body, with a faster spin (|Omega| about 5) and moments three times apart,
    where the error constants of splittings and of preprocessed methods part company.
    Not printed: nothing.

    inertia, Pi0 (body axes), Q0 can be changed.
    """
    with as_published(inertia, (0.345, 0.653, 1.0)):
        return _free("water", inertia, Q0, h=0.1, t_end=10.0, sources=WATER, Pi0=Pi0)


FREE_BODY = ("mclachlan-zanna-2005", "krysl-endres-2005")
HAIRER_VILMART = ("hairer-vilmart-2006", "celledoni-safstrom-2006")
WATER = ("hairer-vilmart-2006", "fasso-2003")


def _free(
    name: str,
    inertia: ArrayLike,
    Q0: AttitudeLike | None,
    *,
    h: float,
    t_end: float,
    sources: Sequence[str],
    Omega0: ArrayLike | None = None,
    Pi0: ArrayLike | None = None,
) -> Problem:
    problem = Problem.from_kernels(
        name=name,
        inertia=inertia,
        torque=no_torque,
        potential=no_potential,
        Q0=Q0,
        Omega0=Omega0,
        Pi0=Pi0,
        invariants=free_invariants,
        h=h,
        t_end=t_end,
    )
    return finished(problem, sources)
