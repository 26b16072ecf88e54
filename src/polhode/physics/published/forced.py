"""The stress test with three distinct moments and a torque that depends on time.

Parameters: those of the stress test (10), then a, b, c, w.
"""

from numpy.typing import ArrayLike

from polhode.inputs import number, vector
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import cos, kernel, sin
from polhode.physics.build.parts import finished
from polhode.physics.problem import Problem
from polhode.physics.published import stress as base

stress_torque = base.torque


@kernel
def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """The stress test's torque and a body torque in time."""
    x, y, z = stress_torque(t, Q, par)
    w = par[13] * t
    return (x + par[10] * sin(w), y + par[11] * cos(w), z + par[12] * sin(2 * w + 1))


def forced(
    inertia: ArrayLike = (1.6, 2.3, 3.1),
    force: ArrayLike = (0.5, 0.4, 0.6),
    frequency: float = 1.7,
    alpha: float = 0.3,
    Qm: AttitudeLike | None = None,
    Q0: AttitudeLike | None = (0.0, 0.7227, 0.0),
    Omega0: ArrayLike = (0.3, -0.2, 0.625),
) -> Problem:
    """The forced stress test.

        tau(t, Q) = -grad U(Q) + (a sin(w t), b cos(w t), c sin(2 w t + 1)),    U as in the stress test

    Source: none; a control made for this package.
    Conserved: nothing.
    Default: h = 0.05 on [0, 100].
    Reveals: wrong stage times. A method that evaluates its torque at the wrong time keeps its order on every
    problem without explicit time and loses it here; with three distinct moments and no symmetry nothing hides.
    Not printed: all data but those of the stress test are our choice.

    force is (a, b, c), a torque in body axes, frequency is w; the rest as in the stress test.
    """
    of_stress = base.stress(alpha=alpha, inertia=inertia, Qm=Qm, Q0=Q0, Omega0=Omega0)
    problem = Problem.from_kernels(
        name="forced",
        inertia=inertia,
        torque=torque,
        potential=None,
        parameters=(*of_stress.parameters[:10], *vector("force", force), number("frequency", frequency)),
        Q0=Q0,
        Omega0=Omega0,
        h=0.05,
        t_end=100.0,
    )
    return finished(problem, of_stress.sources, landmarks=of_stress.landmarks)
