"""A drill that rubs against the rock: friction that depends on the velocity, at many points."""

import math
from typing import Any

from numpy.typing import ArrayLike

from polhode.inputs import number, positive
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.scalar import sqrt
from polhode.physics.build.parts import finished
from polhode.physics.problem import Problem

POINTS = tuple((math.cos(2 * math.pi * k / 16), math.sin(2 * math.pi * k / 16)) for k in range(16))
"""Where the rim of the bit rubs, on the unit circle."""


def torque(t: Any, Q: Any, Omega: Any, p: Any) -> Any:
    """The drive, the bearing that holds it upright, and the friction at every point of the rim."""
    x, y, z = -p.stiffness * Q[2, 1], p.stiffness * Q[2, 0], p.drive
    for c, s in POINTS:
        a, b = p.radius * c, p.radius * s
        u = -Omega[1] * p.length - Omega[2] * b  # Omega x r, r = (a, b, -length)
        v = Omega[2] * a + Omega[0] * p.length
        w = Omega[0] * b - Omega[1] * a
        speed = u * u + v * v + w * w
        f = -p.load * (1 + p.stiction / (1 + speed / (p.slip * p.slip))) / sqrt(speed + p.smooth * p.smooth)
        x += f * (b * w + p.length * v)
        y += f * (-p.length * u - a * w)
        z += f * (a * v - b * u)
    return x, y, z


def spinning_drill(
    inertia: ArrayLike = (1.2, 1.3, 0.4),
    drive: float = 0.7,
    stiffness: float = 4.0,
    load: float = 0.08,
    stiction: float = 0.8,
    slip: float = 0.5,
    smooth: float = 0.2,
    radius: float = 0.5,
    length: float = 0.6,
    Q0: AttitudeLike | None = (0.2, 0.1, 0.0),
    Omega0: ArrayLike = (0.1, -0.2, 1.5),
) -> Problem:
    """A drill that rubs: friction that falls with the speed, at sixteen points of the rim.

        tau = D e3 - k (Q^T e3) x e3 + sum r x f,    f = -P (1 + s/(1 + v^2/vs^2)) V/sqrt(v^2 + e^2),    V = Omega x r

    Source: none; a control made for this package, with the friction that falls with the speed after Stribeck.
    Conserved: nothing.
    Default: h = 0.02 on [0, 20].
    Reveals: what a costly torque of the velocity makes of a method: the friction is far from linear, so that a kick
    is implicit and asks for it several times, and sixteen square roots are what a step costs.
    Not printed: all data are our choice.

    drive is D, about the axis of the drill; stiffness k; load P, stiction s, slip vs and smooth e those of the
    friction; radius and length place the rim in the body, at (radius cos, radius sin, -length).
    """
    numbers = dict(drive=drive, stiffness=stiffness, load=load, stiction=stiction, radius=radius, length=length)
    parameters = {name: number(name, x) for name, x in numbers.items()}
    parameters |= {"slip": positive("slip", slip), "smooth": positive("smooth", smooth)}
    problem = Problem(
        name="spinning-drill",
        inertia=inertia,
        torque=torque,
        parameters=parameters,
        Q0=Q0,
        Omega0=Omega0,
        h=0.02,
        t_end=20.0,
    )
    return finished(problem, ())
