"""The problems on which properties are measured: generic, with three distinct moments where nothing else is said."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.properties import Row
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.physics.wheels import Wheel

INERTIA = (1.6, 2.3, 3.1)
ATTITUDE = (0.9, 0.3, -0.2, 0.25)  # a quaternion, normalised in the arithmetic in use
MOMENTUM = (0.7, -0.4, 1.1)
ROTOR = (0.4, -0.3, 0.8)
GAMMA = 0.25
STRONG = 60.0  # times a torque of about one
WEAK = 1e-40  # damping so weak that it shows only in a method that adds none of its own

Run: TypeAlias = Callable[..., tuple[np.ndarray, np.ndarray]]
"""How an integrator is run from outside: (problem, Q, Omega, h, n, t) -> (Q, Omega) after n steps."""


def free() -> Problem:
    """A free body without symmetry."""
    return problem("free-body", inertia=INERTIA)


def potential() -> Problem:
    """The stress test's potential on a body without symmetry."""
    return problem("stress", inertia=INERTIA)


def stress() -> Problem:
    """The stress test: two equal moments, in a potential without symmetry."""
    return problem("stress")


def top(times: float = 1.0) -> Problem:
    """The heavy top without symmetry, so many times as heavy."""
    light = problem("heavy-top")
    return light if times == 1.0 else problem("heavy-top", weight=times * np.array(light.parameters[:3]))


def forced() -> Problem:
    """The torque that depends on time."""
    return problem("forced")


def wall() -> Problem:
    """A soft wall: a potential with a symmetry, far from linear in Q."""
    return problem("soft-wall", inertia=INERTIA)


def damped() -> Problem:
    """A torque far from linear in the velocity that depends on time and attitude, and damping."""
    C = ((0.3, 0.1, 0.0), (0.1, 0.2, 0.05), (0.0, 0.05, 0.4))
    return Problem(inertia=INERTIA, torque=_drag, damping=C, Pi0=MOMENTUM, name="damped")


def pulled() -> Problem:
    """A strong torque without symmetry: what cuts it off leaves no gradient, as it does of a top's."""
    return Problem(inertia=INERTIA, potential=_strong, torque=_strong_pull, Pi0=MOMENTUM, name="pulled")


def rotor() -> Problem:
    """A rotor in a body in a potential without symmetry."""
    return Problem(inertia=INERTIA, potential=_linear, torque=_pull, rotor=ROTOR, Pi0=MOMENTUM, name="rotor")


def contracted() -> Problem:
    """The torque -gamma J Omega beside a potential without symmetry."""
    C = tuple(GAMMA * x for x in INERTIA)
    return Problem(inertia=INERTIA, potential=_linear, torque=_pull, damping=C, Pi0=MOMENTUM, name="contracted")


def wheels(on: bool = True) -> Problem:
    """A free body with two wheels on skew axes, driven by motors."""
    return Problem(
        inertia=INERTIA,
        wheels=[
            Wheel(axis=(1, 0, 0), inertia=0.25, speed=4.0, torque=0.5 * on),
            Wheel(axis=(0, 0.6, 0.8), inertia=0.125, speed=-2.0, torque=0.25 * on),
        ],
        inertia_includes_wheels=False,
        Omega0=(0.5, -0.25, 0.375),
        name="wheels",
    )


def gyrostat() -> Problem:
    """The same with the motors off."""
    return wheels(on=False)


def weak() -> Problem:
    """A body with next to no damping."""
    return Problem(inertia=INERTIA, damping=WEAK, Pi0=MOMENTUM, name="weakly damped")


def _linear(Q: Any) -> Any:
    return 0.7 * Q[2, 2] + 0.3 * Q[0, 1] + 0.2 * Q[1, 0]


def _pull(t: Any, Q: Any) -> Any:
    return (
        0.7 * Q[2, 1] - 0.3 * Q[0, 2],
        0.2 * Q[1, 2] - 0.7 * Q[2, 0],
        0.3 * Q[0, 0] - 0.2 * Q[1, 1],
    )


def _strong(Q: Any) -> Any:
    return STRONG * _linear(Q)


def _strong_pull(t: Any, Q: Any) -> Any:
    x, y, z = _pull(t, Q)
    return STRONG * x, STRONG * y, STRONG * z


def _drag(t: Any, Q: Any, Omega: Any) -> Any:
    x, y, z = Omega
    s = x * x + y * y + z * z
    return 0.3 * Q[2, 1] - 0.3 * s * x, 0.2 * t - 0.2 * s * y - 0.1 * x, 0.15 * x * Q[0, 0] - 0.2 * z


CASES = {
    "free": free,
    "potential": potential,
    "top": top,
    "forced": forced,
    "stress": stress,
    "damped": damped,
    "rotor": rotor,
    "contracted": contracted,
    "wheels": wheels,
    "gyrostat": gyrostat,
    "weak": weak,
}
"""The problems, by the names that rows of the table of properties use."""


def case_of(row: Row, method: Any) -> Problem | None:
    """The problem on which a property of a method is measured; None where the property says nothing of the method."""
    if not row.is_of(method):
        return None
    return free() if method.free_only else CASES[row.case]()


def placed(p: Problem) -> Problem:
    """The problem at a generic start."""
    w, x, y, z = ATTITUDE
    Q = Rotation().from_quat([x, y, z, w]).as_matrix()
    return p.replaced(Q0=Q) if p.internal.wheels else p.replaced(Q0=Q, Pi0=MOMENTUM)
