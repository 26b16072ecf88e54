"""Three symmetric heavy tops: Lagrange's case, integrable by four integrals.

    U(Q) = Mgl e3 . Q e3,    J = (J1, J1, J3) about the fixed point

The torque is the heavy top's with w = (0, 0, Mgl); in space axes it is -Mgl Q e3 x e3.
"""

import math
from collections.abc import Sequence

from numpy.typing import ArrayLike

from polhode.inputs import number
from polhode.inputs.rotations import AttitudeLike
from polhode.physics.build.parts import finished, require_symmetric, symmetric_top_invariants
from polhode.physics.problem import Problem
from polhode.physics.published.heavy_top import potential, torque

MGL = math.sqrt(3) / 2 * 9.81


def lagrange_top(
    Mgl: float = MGL,
    inertia: ArrayLike = (7 / 8, 7 / 8, 2 / 8),
    Q0: AttitudeLike | None = (-math.pi / 16, 0.0, 0.0),
    Omega0: ArrayLike = (0.0, 0.0, 1.0),
) -> Problem:
    """The Lagrangian top of Engo and Marthinsen.

        J Omega' = J Omega x Omega + Mgl (Q^T e3) x e3,    Mgl = (sqrt 3/2) 9.81

    Source: Engo & Marthinsen 1998; Krysl & Endres 2005, section 3.3.
    Conserved, four integrals: energy; the momentum about the axis of the top; the vertical momentum and
    |Q^T e3|^2 (the Casimirs).
    Default: h = 0.05 on [0, 100].
    Reveals: how a method treats four integrals at once. The top is slow (it would stand upright from
    Omega3 = 21.8): it falls through the bottom and comes back close to the top, where neighbouring motions part.
    Not printed by Krysl & Endres: inertia and start. These are the data of example 9 of DiffMan, the package
    of Engo, Marthinsen & Munthe-Kaas, in which mass 1, length sqrt(3)/2 and gravity 9.81 give the Mgl printed.
    Whether Krysl & Endres started there is open: they report an energy error below 0.5 % for NMB, and from
    this start it is 0.9 %.

    Mgl, inertia, Q0, Omega0 (body axes) can be changed.
    """
    sources = ("engo-marthinsen-1998", "krysl-endres-2005")
    return _top("lagrange-top", Mgl, inertia, Q0, Omega0, h=0.05, t_end=100.0, sources=sources)


def fast_top(
    Mgl: float = 20.0,
    inertia: ArrayLike = (5.0, 5.0, 1.0),
    Q0: AttitudeLike | None = (0.3, 0.0, 0.0),
    Omega0: ArrayLike = (0.0, 0.0, 50.0),
) -> Problem:
    """The fast Lagrangian top of Simo and Wong.

        spatial torque -20 Q e3 x e3,    J = (5, 5, 1)

    Source: Simo & Wong 1991; Krysl & Endres 2005, section 3.4.
    Conserved, four integrals: energy; the momentum about the axis of the top; the vertical momentum and
    |Q^T e3|^2 (the Casimirs).
    Default: h = 0.01 on [0, 10].
    Reveals: accuracy at fast rotation: the body turns half a radian in a step of 0.01 while the axis only
    precesses, so methods that are exact for the spin win by orders of magnitude.
    Not printed: the step sizes of the convergence curves; 0.01 was chosen.

    Mgl, inertia, Q0, Omega0 (body axes) can be changed.
    """
    sources = ("simo-wong-1991", "krysl-endres-2005")
    return _top("fast-top", Mgl, inertia, Q0, Omega0, h=0.01, t_end=10.0, sources=sources)


def slow_top(
    Mgl: float = 20.0,
    inertia: ArrayLike = (5.0, 5.0, 1.0),
    Q0: AttitudeLike | None = (0.05, 0.0, 0.0),
    Omega0: ArrayLike = (0.0, 0.0, 5.0),
) -> Problem:
    """The slow Lagrangian top of Krysl and Endres: too slow to stand, it falls and rises again.

        spatial torque -20 Q e3 x e3,    J = (5, 5, 1)

    Source: Krysl & Endres 2005, section 3.5.
    Conserved, four integrals: energy; the momentum about the axis of the top; the vertical momentum and
    |Q^T e3|^2 (the Casimirs).
    Default: h = 0.05 on [0, 10].
    Reveals: weak instability. It starts close to the unstable upright (stable from Omega3 = 20), errors grow
    exponentially until it falls, and staggered schemes such as HSTAGM blow up on it.
    Not printed: the step sizes of the convergence curves; 0.05 was chosen.

    Mgl, inertia, Q0, Omega0 (body axes) can be changed.
    """
    return _top("slow-top", Mgl, inertia, Q0, Omega0, h=0.05, t_end=10.0, sources=("krysl-endres-2005",))


def _top(
    name: str,
    Mgl: float,
    inertia: ArrayLike,
    Q0: AttitudeLike | None,
    Omega0: ArrayLike,
    *,
    h: float,
    t_end: float,
    sources: Sequence[str],
) -> Problem:
    inertia = require_symmetric(name, inertia)
    problem = Problem.from_kernels(
        name=name,
        inertia=inertia,
        torque=torque,
        potential=potential,
        parameters=(0.0, 0.0, number("Mgl", Mgl)),
        Q0=Q0,
        Omega0=Omega0,
        invariants=symmetric_top_invariants,
        h=h,
        t_end=t_end,
    )
    return finished(problem, sources)
