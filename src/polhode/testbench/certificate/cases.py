"""The problems on which properties are measured: generic, with three distinct moments where nothing else is said."""

from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.catalogue import problem

INERTIA = (1.6, 2.3, 3.1)
ATTITUDE = (0.9, 0.3, -0.2, 0.25)  # a quaternion, normalised in the arithmetic in use
MOMENTUM = (0.7, -0.4, 1.1)


def free():
    """A free body without symmetry."""
    return problem("free-body", inertia=INERTIA)


def potential():
    """The stress test's potential on a body without symmetry."""
    return problem("stress", inertia=INERTIA)


def stress():
    """The stress test: two equal moments, in a potential without symmetry."""
    return problem("stress")


def top():
    """The heavy top without symmetry."""
    return problem("heavy-top")


def forced():
    """The torque that depends on time."""
    return problem("forced")


def wall():
    """A soft wall: a potential with a symmetry, far from linear in Q."""
    return problem("soft-wall", inertia=INERTIA)


CASES = {"free": free, "potential": potential, "top": top, "forced": forced, "stress": stress}
"""By the name that a row of the table of properties gives."""


def case_of(row, method):
    """The problem on which a property of a method is measured; none where it says nothing of the method."""
    free_only = getattr(method, "free_only", False)
    if free_only and row.needs_torque:
        return None
    return free() if free_only else CASES[row.case]()


def placed(p):
    """The problem at a generic start."""
    w, x, y, z = ATTITUDE
    Q = Rotation().from_quat([x, y, z, w]).as_matrix()
    return p.replaced(Q0=Q, Pi0=MOMENTUM)
