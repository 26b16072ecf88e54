"""A spacecraft with three reaction wheels, motors on."""

import math

import numpy as np
from numpy.typing import ArrayLike

from polhode.inputs import positive, vector
from polhode.inputs.rotations import AttitudeLike
from polhode.physics.build.parts import finished
from polhode.physics.problem import Problem
from polhode.physics.wheels import Wheel

RPM = 2 * math.pi / 60
WHEEL = 100.0 / (6000.0 * RPM)
"""100 N m s at 6000 revolutions a minute, in kg m^2."""


def wheels(
    inertia: ArrayLike = (900.0, 800.0, 600.0),
    wheel_inertia: float = WHEEL,
    speeds: ArrayLike = (500.0 * RPM, 200.0 * RPM, -150.0 * RPM),
    torques: ArrayLike = (0.2, 0.1, -0.5),
    max_torque: float = 0.2,
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike = (0.08, 0.01, 0.0),
) -> Problem:
    """A spacecraft with three balanced reaction wheels whose motors are on.

        J Omega' + sum a I w' = (J Omega + sum a I w) x Omega,      I (w' + a . Omega') = u

    Source: the integrated test of balanced reaction wheels of Basilisk (Kenneally, Piggott & Schaub 2020), which keeps
    the motors on for half a second.
    Conserved: all of the momentum of body and wheels, Q (J Omega + sum a I w), which is `momentum` of a run.
    Default: h = 0.5 on [0, 200].
    Reveals: whether what the motors give the wheels is taken from the body, to the last bit and at the same time.
    Not printed: nothing; J is that of the body with the wheels held fast, the wheels are on its axes.

    speeds are w, relative to the body; torques are u, of the motors, and no more than max_torque.
    """
    each = [
        Wheel(axis=axis, inertia=positive("wheel_inertia", wheel_inertia), speed=w, torque=u, max_torque=max_torque)
        for axis, w, u in zip(np.eye(3), vector("speeds", speeds), vector("torques", torques))
    ]
    problem = Problem(name="wheels", inertia=inertia, wheels=each, Q0=Q0, Omega0=Omega0, h=0.5, t_end=200.0)
    return finished(problem, ("kenneally-piggott-schaub-2020",))
