"""The stress test of Ortolan and Saccon: a body in a trough on the group, pulled towards one attitude.

Parameters: alpha, then Qm by rows.
"""

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.inputs import number, rotation
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import kernel, sqrt
from polhode.physics.build.parts import finished
from polhode.physics.problem import Problem

LEAST_DISTANCE = 1e-6
"""How far from the singularities of the potential a motion may start."""


@kernel
def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """-grad U: minus twice (1 - 1/dist) times the skew part of Q, and the same for Qm^T Q with alpha/dist^3."""
    a, b, c, d, e, f, g, h, i = par[1], par[2], par[3], par[4], par[5], par[6], par[7], par[8], par[9]
    near = sqrt(2 * (3 - (Q[0] + Q[4] + Q[8])))
    trace = (a * Q[0] + d * Q[3] + g * Q[6]) + (b * Q[1] + e * Q[4] + h * Q[7]) + (c * Q[2] + f * Q[5] + i * Q[8])
    s = 2 * (3 - trace)
    u = 2 / near - 2
    v = -par[0] / (s * sqrt(s))
    x = (c * Q[1] + f * Q[4] + i * Q[7]) - (b * Q[2] + e * Q[5] + h * Q[8])
    y = (a * Q[2] + d * Q[5] + g * Q[8]) - (c * Q[0] + f * Q[3] + i * Q[6])
    z = (b * Q[0] + e * Q[3] + h * Q[6]) - (a * Q[1] + d * Q[4] + g * Q[7])
    return (u * (Q[7] - Q[5]) + v * x, u * (Q[2] - Q[6]) + v * y, u * (Q[3] - Q[1]) + v * z)


@kernel
def potential(Q: Mat3, par: Numbers) -> Number:
    """(dist(Q, I) - 1)^2 - alpha / dist(Q, Qm)"""
    near = sqrt(2 * (3 - (Q[0] + Q[4] + Q[8]))) - 1
    trace = (
        (par[1] * Q[0] + par[4] * Q[3] + par[7] * Q[6])
        + (par[2] * Q[1] + par[5] * Q[4] + par[8] * Q[7])
        + (par[3] * Q[2] + par[6] * Q[5] + par[9] * Q[8])
    )
    return near * near - par[0] / sqrt(2 * (3 - trace))


def stress(
    alpha: float = 0.3,
    inertia: ArrayLike = (2.0, 2.0, 4.0),
    Qm: AttitudeLike | None = None,
    Q0: AttitudeLike | None = (0.0, 0.7227, 0.0),
    Omega0: ArrayLike = (0.0, 0.0, 0.625),
) -> Problem:
    """The stress test: a symmetric body in a potential without symmetry.

        U(Q) = (dist(Q, I) - 1)^2 - alpha / dist(Q, Qm),      dist(A, B) = sqrt(2 tr(I - A^T B))

    Source: Bou-Rabee, Ortolan & Saccon 2010 (on [0, 15000]); Ortolan & Saccon 2012 (on [0, 10000]).
    Conserved: energy, and nothing else.
    Default: h = 0.125 on [0, 10000].
    Reveals: energy drift. The first term is least on a sphere of attitudes about the identity, the second
    attracts to Qm outside it. No momentum is conserved, and the motion stays in a simply connected region: a
    method that is symplectic, or conjugate to a symplectic one, keeps the energy within O(h^2) for ever. A
    steady drift proves that it is neither, which no free body or top can show.
    Not printed: nothing. U has a cone at the identity, where its torque has no value, and a pole at Qm.

    alpha is the strength of the attraction; Qm (by default the rotation vector (2.5, 0, 2.5)/sqrt 2) and Q0 are
    rotation vectors, Rotations or matrices; Omega0 is in body axes.
    """
    Qm = rotation("Qm", (2.5 / 2**0.5, 0.0, 2.5 / 2**0.5) if Qm is None else Qm)
    problem = Problem.from_kernels(
        name="stress",
        inertia=inertia,
        torque=torque,
        potential=potential,
        parameters=(number("alpha", alpha), *Qm.ravel()),
        Q0=Q0,
        Omega0=Omega0,
        h=0.125,
        t_end=10_000.0,
    )
    for label, centre in (("the identity, where the torque has no value", np.eye(3)), ("Qm, the pole of U", Qm)):
        if np.linalg.norm(problem.Q0 - centre) < LEAST_DISTANCE:
            raise InputError(
                f"Q0 is within {LEAST_DISTANCE:g} of {label}: the potential is singular at the start. Start elsewhere."
            )
    return finished(problem, ("bou-rabee-ortolan-saccon-2010", "ortolan-saccon-2012"), landmarks={"$Q_m$": Qm})
