"""The states at which properties are measured: fixed ones first, where integrators go wrong, then random ones; and
those of the survey, many more, at which a step or two are looked at.

A property that holds at one generic state may fail at rest, near half a turn, for a full tensor, a sphere, a late time.
Steps are given in radians: of the rotation, and of the change that the torque makes. They are no powers of two.
"""

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polhode.inputs import principal_axes
from polhode.inputs.scipy_rotation import Rotation
from polhode.kernels.rotations import exp, matrix
from polhode.physics.problem import Problem
from polhode.testbench.certificate.states.attitudes import IDENTITY
from polhode.testbench.certificate.states.cases import INERTIA, free, placed, pulled, top
from polhode.testbench.certificate.states.survey import about_an_axis, has_torque, surveyed

SEED = 1821
AT_A_GENERIC_STATE, AT_RANDOM = "at a generic state", "at random state"
RANDOM_STATES = 4
STRONGER = (30.0, 1e3)
"""Times the usual weight of a heavy top: a program may cut off torques beyond what it takes for possible."""
RADIANS = (0.07, 0.31, 0.93, 1.37, 1.9)
"""Radians a step."""
TOLERANCE = 1e-11


@dataclass(frozen=True, eq=False)  # compared by identity: results are kept under the state itself
class State:
    """A problem at a start, in words."""

    words: str
    problem: Problem
    is_surveyed: bool = False
    is_about_an_axis: bool = False
    case: str = ""  # the name of its problem
    name: str = ""  # its words on that problem, where others say that it is visited for a property of another
    radians: tuple[float, ...] = ()  # a step, of one that was found to take a branch with it: see branches/

    @property
    def place(self) -> tuple[str, str]:
        """By which it is known what was seen there: a state of the same words is another problem's, too."""
        return self.case, self.name or self.words

    def __post_init__(self) -> None:
        for start in (self.problem.Q0, self.problem.Omega0):  # shared by all that are looked at: none may write to it
            start.setflags(write=False)

    def step(self, radians: float) -> float:
        """The step in which speed and torque turn the body by about so many radians; where nothing does, a speed of
        one would."""
        p = self.problem
        rate = np.linalg.norm(p.Omega0) + np.sqrt(np.linalg.norm(p.torque(p.t0, p.Q0, p.Omega0)) / p.moments.mean())
        return float(radians / (rate or 1.0))

    @property
    def left_by_a_tolerance(self) -> float:
        """What a tolerance, made for velocities and momenta of about one, may leave of those that there are."""
        return TOLERANCE / self.smallness

    @property
    def smallness(self) -> float:
        """The smaller of speed and momentum, if that is below one."""
        return min(float(np.linalg.norm(self.problem.Omega0)) or 1.0, self.momentum, 1.0)

    @property
    def momentum(self) -> float:
        """The size of a momentum, for relative defects: its own, or what the torque makes of a body at rest."""
        p = self.problem
        own = float(np.linalg.norm(p.tensor @ p.Omega0))
        return own + float(np.linalg.norm(p.torque(p.t0, p.Q0, p.Omega0))) * self.step(0.1) or 1.0


TURN = np.array(matrix(exp((0.5, -0.8, 0.6)))).reshape(3, 3)
FULL = TURN @ np.diag(INERTIA) @ TURN.T
AT_REST, FAST, NEAR_THE_IDENTITY = "at rest", "fast", "near the identity"
FIXED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("with a full tensor", dict(inertia=FULL)),
    ("with moments in another order", dict(inertia=(3.1, 1.6, 2.3))),
    ("at half a turn from the identity", dict(Q0=(1.8985, -1.3995, 2.058), Omega0=(0.5, 0.3, -0.4))),
    ("with nearly equal moments", dict(inertia=(2.0, 2.007, 3.1))),
    (FAST, dict(Omega0=(5.0, -3.0, 7.0))),
    ("slow", dict(Omega0=(2e-3, 1e-3, -3e-3))),
    (NEAR_THE_IDENTITY, dict(Q0=(3e-3, -2e-3, 4e-3))),
    (AT_REST, dict(Omega0=(0.0, 0.0, 0.0))),
    ("at a late time", dict(t0=1000.3)),
    ("with two equal moments", dict(inertia=(2.0, 2.0, 3.1))),
    ("with a flat body", dict(inertia=(1.2, 1.9, 3.1))),
    ("with a sphere", dict(inertia=(2.0, 2.0, 2.0))),
)
"""How each fixed state differs from the generic one, in words and as data; the most telling first. None rotates about a
principal axis: there an iteration with a tolerance ends at once, before the derivative by the complex step has
converged. Those of the survey that do are not for derivatives."""


def battery(p: Problem, case: str = "", seed: int = SEED, count: int = RANDOM_STATES) -> Iterator[State]:
    """All states on a problem, with its name: those of `_states_on`."""
    return (replace(state, case=case) for state in _states_on(p, seed, count))


def _states_on(p: Problem, seed: int, count: int) -> Iterator[State]:
    """The generic state, the fixed ones, and random ones, of the same body where damping or wheels belong to it; then
    those of the survey."""
    generic = placed(p)
    yield State(AT_A_GENERIC_STATE, generic)
    has_value_there = has_torque(generic, np.eye(3))
    moves_at_rest = np.any(generic.torque(p.t0, generic.Q0, np.zeros(3)))
    for words, other in FIXED:
        if words == AT_REST and not moves_at_rest:
            continue  # a free body at rest stays at rest
        if words == NEAR_THE_IDENTITY and not has_value_there:
            continue  # there a potential of the distance from the identity has a tip
        if p.forces.any and "inertia" in other:
            continue
        yield State(words, changed(generic, **other))
    rng = np.random.default_rng(seed)
    for k in range(1, count + 1):
        moments = np.sort(rng.uniform(1, 3, 3))
        moments[2] = min(moments[2], 0.98 * (moments[0] + moments[1]))
        axes = Rotation().random(rng=rng).as_matrix()
        Q0 = Rotation().random(rng=rng).as_matrix()
        Omega0 = rng.standard_normal(3) * 10 ** rng.uniform(-1, 0.7)
        start = generic.replaced(Q0=Q0, Omega0=Omega0, t0=rng.uniform(0, 30))
        other = {} if p.forces.any else dict(inertia=axes @ np.diag(moments) @ axes.T)
        yield State(f"{AT_RANDOM} {k}", changed(start, **other))
    if not has_value_there:  # where most runs of users start: another torque has
        for words, Q0 in ((f"at {IDENTITY}", np.eye(3)), (NEAR_THE_IDENTITY, dict(FIXED)[NEAR_THE_IDENTITY]["Q0"])):
            yield State(f"{words}, as a heavy top", placed(top()).replaced(Q0=Q0), is_surveyed=True)
        # not on a top's own problem, which has such a value: what a top keeps is nothing of a torque without symmetry
        yield State("under a strong torque without symmetry", placed(pulled()), is_surveyed=True)
    if p.has_torque and not p.forces.any:
        for times in STRONGER:
            heavy = placed(top(times))
            yield State(f"under a torque {times:g} times as strong, as a heavy top", heavy, is_surveyed=True)
    drawn = ((f"{AT_RANDOM} {k}", np.random.default_rng([seed, k])) for k in itertools.count(count + 1))
    for words, other in surveyed(generic, drawn, rng):
        yield State(words, changed(generic, **other), is_surveyed=True)
    for words, other in about_an_axis(generic):
        yield State(words, changed(generic, **other), is_surveyed=True, is_about_an_axis=True)


@functools.cache
def free_at_rest() -> State:
    """A free body at rest, which is no state of the battery: nothing moves there."""
    return State(AT_REST, placed(free()).replaced(Omega0=(0.0, 0.0, 0.0)), case="free")


def changed(p: Problem, inertia: np.ndarray | None = None, **start: Any) -> Problem:
    """The problem with another start or inertia. With a full tensor it is the same body in other axes: the torque is
    that of the principal axes, turned, as it is for every problem with a full tensor."""
    if inertia is not None and np.ndim(inertia) == 2:
        start = {"Omega0": p.Omega0, **start}
        p = p.with_inertia(np.array(inertia), *principal_axes("inertia", inertia), p.parameters)
        inertia = None
    return p.replaced(**start) if inertia is None else p.replaced(inertia=inertia, **start)
