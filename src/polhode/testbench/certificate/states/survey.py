"""The survey: one step at many more states than the battery has, a walk along each thing that a state is made of.

A program has branches: the largest component of a quaternion, the order of the moments, a speed below which a body
sleeps, a torque that is too weak, a time before zero. A property that is measured at a dozen states is not known to
hold in a branch that none of them takes. Here each thing is varied alone, over all the decades and orders that users
have, and then all of them at random; a step or two at each state is enough to see another formula.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.problem import Problem
from polhode.testbench.certificate.states.attitudes import ATTITUDES, AXES, spread, turned
from polhode.testbench.certificate.states.cases import INERTIA

RANDOM_STATES = 40  # whose attitudes are spread evenly, all else is drawn
DRAWN_ATTITUDES = 240  # attitudes among which one is looked for where the torque is weak
WEAK_TORQUES = (1e-3, 1e-5)  # sizes of the torque near an equilibrium
DIRECTION = np.array((0.6, -0.36, 0.7144))

SPEEDS, SLOWEST = (120.0, 25.0, 0.03), 1e-4
NEARLY_FIRST = (1.0, 0.04, -0.05)  # within some degrees of an axis, where a spin may be taken for a steady one
ALONG_FIRST = (1.2, 0.15, -0.1)  # within ten degrees of an axis of space, about which a body may be taken to spin
TIMES = (-41.7, -1000.3, 10000.37)  # none of which single precision has
SMALL = "with small moments"
SMALL_AND_FAST = 2e4  # a speed at which the momentum of such a body is felt beside a torque of about one
MOMENTS = {
    "with two equal moments, the first and the second the larger": (2.0, 2.0, 1.3),
    "with two equal moments, the second and the third": (3.1, 2.0, 2.0),
    "with two equal moments, the second and the third the larger": (1.3, 2.0, 2.0),
    "with two equal moments, the first and the third": (2.0, 3.1, 2.0),
    "with moments equal to 1e-3": (2.0, 2.0015, 3.1),
    "with moments equal to 1e-5": (2.0, 2.000015, 3.1),
    "with three moments equal to 1e-3": (2.0, 2.0015, 2.0007),
    "with a rod": (0.2, 1.15, 1.2),
    "with a thin rod": (0.02, 1.01, 1.02),
    "with a thin rod along the third axis": (1.02, 1.01, 0.02),
    SMALL: tuple(1e-9 * x for x in INERTIA),
    "with large moments": tuple(1e5 * x for x in INERTIA),
}


def surveyed(
    p: Problem, drawn: Iterator[tuple[str, np.random.Generator]], rng: np.random.Generator
) -> Iterator[tuple[str, dict[str, Any]]]:
    """How each state differs from the generic one, `p`: words, and what is replaced. Of the same body where damping or
    wheels belong to it. `drawn` are the words of states drawn at random, each with a generator of its own, so that they
    are the same on every problem; `rng` is for the rest."""
    bodies = not p.forces.any
    yield from ((f"at {words}", {"Q0": Q0}) for words, Q0 in ATTITUDES.items() if has_torque(p, Q0))
    yield from ((f"at a speed of {x:g}", {"Omega0": x * DIRECTION}) for x in SPEEDS)
    yield from ((f"at t = {x:.7g}", {"t0": x}) for x in TIMES)
    yield from ((f"near the {axis} axis", {"Omega0": np.roll(NEARLY_FIRST, k)}) for k, axis in enumerate(AXES))
    for (k, axis), (way, sign) in itertools.product(enumerate(AXES), (("up", 1), ("down", -1))):
        yield f"spinning {way} the {axis} axis of space", {"Omega0": sign * p.Q0.T @ np.roll(ALONG_FIRST, k)}
    if bodies:
        orders = list(itertools.permutations(INERTIA))[1:]
        yield from ((f"with moments in the order {_few(x)}", {"inertia": x}) for x in orders)
        yield from ((words, {"inertia": x, "Omega0": DIRECTION}) for words, x in MOMENTS.items())
        small, speed = MOMENTS[SMALL], SMALL_AND_FAST  # where the torque is not all that there is
        yield f"{SMALL}, at a speed of {speed:g}", {"inertia": small, "Omega0": speed * DIRECTION}
    if p.has_torque:
        yield from _weak(p, rng)
    if bodies:  # other problems have seen whether there are branches by the attitude
        yield from ((f"at {words}", {"Q0": Q0}) for words, Q0 in turned().items() if has_torque(p, Q0))
    yield from ((words, _drawn(own, Q0, bodies)) for (words, own), Q0 in zip(drawn, spread(RANDOM_STATES)))
    yield f"at a speed of {SLOWEST:g}", {"Omega0": SLOWEST * DIRECTION}  # last: one with steps of its own takes long


def about_an_axis(p: Problem) -> Iterator[tuple[str, dict[str, Any]]]:
    """States that rotate about a principal axis, or nearly: there iterations end at once, and cross products vanish."""
    for k, axis in enumerate(AXES):
        e = np.eye(3)[k]
        yield f"about the {axis} axis", {"Omega0": 0.8 * e}
        yield f"about the {axis} axis, the other way", {"Omega0": -1.7 * e}
    yield "nearly about the second axis", {"Omega0": (1e-7, 1.1, -1e-7)}
    yield "without a first component", {"Omega0": (0.0, 0.7, -0.4)}


def _weak(p: Problem, rng: np.random.Generator) -> Iterator[tuple[str, dict[str, Any]]]:
    """The attitudes at which the torque, or one component of it, is weakest, among some; and those near an equilibrium
    at which it has a given size, if there is one."""
    drawn = Rotation().random(DRAWN_ATTITUDES, rng=rng).as_matrix()
    tau = np.abs([p.torque(p.t0, Q, p.Omega0) for Q in drawn])
    weakest = drawn[tau.max(axis=1).argmin()]
    yield "where the torque is weak", {"Q0": weakest}
    for k, axis in enumerate(AXES):
        yield f"where the torque about the {axis} axis is weak", {"Q0": drawn[tau[:, k].argmin()]}
    yield from ((f"where the torque is {size:g}", {"Q0": Q}) for size, Q in _near_equilibrium(p, weakest))


def _near_equilibrium(p: Problem, Q: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Attitudes at which the torque has these sizes, on the way to Q from an equilibrium, if there is one near it."""
    from scipy.optimize import brentq, least_squares

    turned = lambda x: Q @ Rotation().from_rotvec(x).as_matrix()
    torque = lambda x: p.torque(p.t0, turned(x), p.Omega0)
    rest = least_squares(torque, np.zeros(3), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    at = lambda part: rest.x * (1 - part)
    for size in WEAK_TORQUES:
        above = lambda part, size=size: float(np.linalg.norm(torque(at(part)))) - size
        if above(0.0) < -size / 2 and above(1.0) > 0:
            yield size, turned(at(brentq(above, 0.0, 1.0)))


def has_torque(p: Problem, Q0: Any) -> bool:
    """Whether the torque is a number there: at the identity a potential of the distance from it has a tip."""
    try:
        return bool(np.isfinite(p.torque(p.t0, p.replaced(Q0=Q0).Q0, p.Omega0)).all())
    except ZeroDivisionError:
        return False


def _drawn(rng: np.random.Generator, Q0: np.ndarray, bodies: bool) -> dict[str, Any]:
    """A state at random in all that it is made of but the attitude."""
    Omega0 = rng.standard_normal(3) * 10 ** rng.uniform(-2, 1.3)
    drawn = dict(Q0=Q0, Omega0=Omega0, t0=rng.uniform(-100, 300))
    if bodies:
        moments = rng.permutation([1.0, rng.uniform(1, 2), rng.uniform(1, 1.95)]) * 10 ** rng.uniform(-2, 2)
        axes = Rotation().random(rng=rng).as_matrix()
        drawn["inertia"] = tuple(moments) if rng.random() < 0.5 else axes @ np.diag(moments) @ axes.T
    return drawn


def _few(numbers: tuple[float, ...]) -> str:
    return ", ".join(f"{x:g}" for x in numbers)
