"""The problems on which properties are measured: generic, with three distinct moments where nothing else is said."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.properties import Row
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem

INERTIA = (1.6, 2.3, 3.1)
ATTITUDE = (0.9, 0.3, -0.2, 0.25)  # a quaternion, normalised in the arithmetic in use
MOMENTUM = (0.7, -0.4, 1.1)

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


def top() -> Problem:
    """The heavy top without symmetry."""
    return problem("heavy-top")


def forced() -> Problem:
    """The torque that depends on time."""
    return problem("forced")


def wall() -> Problem:
    """A soft wall: a potential with a symmetry, far from linear in Q."""
    return problem("soft-wall", inertia=INERTIA)


CASES = {"free": free, "potential": potential, "top": top, "forced": forced, "stress": stress}
"""By the name that a row of the table of properties gives."""


def case_of(row: Row, method: Any) -> Problem | None:
    """The problem on which a property of a method is measured; none where it says nothing of the method."""
    free_only = getattr(method, "free_only", False)
    if free_only and row.needs_torque:
        return None
    return free() if free_only else CASES[row.case]()


def placed(p: Problem) -> Problem:
    """The problem at a generic start."""
    w, x, y, z = ATTITUDE
    Q = Rotation().from_quat([x, y, z, w]).as_matrix()
    return p.replaced(Q0=Q, Pi0=MOMENTUM)
