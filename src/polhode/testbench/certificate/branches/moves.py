"""Where a state may be moved while a branch is looked for: attitude, spin, speed, time, step and moments."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from polhode.errors import InputError
from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.problem import Problem
from polhode.testbench.certificate.states.battery import State, changed

ATTITUDE, SPIN, SPEED, TIME, STEP, MOMENTS = (slice(0, 3), slice(3, 6), 6, 7, 8, slice(9, 12))
TIME_UNIT = 10.0
LOGARITHMS, MOST_LOGARITHM = [SPEED, STEP, 9, 10, 11], 30.0  # of speed, step and moments; farther than any range
SPEEDS, TIMES, RADIANS, SIZES = (1e-3, 130.0), (-1100.0, 1.1e4), (2e-3, 1.9), (0.02, 500.0)
"""Between which a state is looked for: no farther than the battery and the survey go, where right integrators are known
to pass for right."""


@dataclass(frozen=True)
class Moved:
    """A state of the battery that is moved, in numbers; and the step in radians."""

    base: State
    x: np.ndarray

    @property
    def size(self) -> int:
        """Of how many numbers: the moments are those of the body where damping or wheels belong to it."""
        return 9 if self.base.problem.forces.any else 12

    def by(self, x: np.ndarray) -> "Moved":
        """The same base, moved otherwise."""
        return Moved(self.base, x)

    @property
    def radians(self) -> float:
        """The step."""
        return float(np.exp(self.x[STEP]))

    @cached_property
    def state(self) -> State | None:
        """The state, or none where there is no such body, or it is too far out."""
        p, x = self.base.problem, self.x
        if not np.isfinite(x).all() or np.abs(x[LOGARITHMS]).max() > MOST_LOGARITHM:
            return None
        speed = float(np.linalg.norm(p.Omega0)) * np.exp(x[SPEED])
        t0 = p.t0 + TIME_UNIT * x[TIME]
        is_inside = [low <= value <= high for value, (low, high) in self._ranges(speed, t0)]
        if not all(is_inside):
            return None
        turn = Rotation().from_rotvec
        new = {
            "Q0": p.Q0 @ turn(x[ATTITUDE]).as_matrix(),
            "Omega0": turn(x[SPIN]).as_matrix() @ p.Omega0 * np.exp(x[SPEED]),
        }
        if x[TIME]:
            new["t0"] = t0
        if self.size > 9 and np.any(x[MOMENTS]):
            values, axes = np.linalg.eigh(p.tensor) if np.count_nonzero(p.tensor) > 3 else (np.diag(p.tensor), None)
            values = values * np.exp(x[MOMENTS])
            if not (values.sum() > 2.02 * values.max() and SIZES[0] < values.min() and values.max() < SIZES[1]):
                return None
            new["inertia"] = tuple(values) if axes is None else axes @ np.diag(values) @ axes.T
        try:
            there = changed(p, **new)
        except InputError:
            return None
        return State(self.base.words, there, is_surveyed=True, case=self.base.case) if _has_torque(there) else None

    def _ranges(self, speed: float, t0: float) -> list[tuple[float, tuple[float, float]]]:
        """What is moved, each with its range, which the base itself is in, wherever it is."""
        base, x = self.base.problem, self.x
        moved = [(self.radians, RADIANS)]
        if x[SPEED]:
            moved.append((speed, (min(SPEEDS[0], speed / np.exp(x[SPEED])), SPEEDS[1])))
        if x[TIME]:
            moved.append((t0, (min(TIMES[0], base.t0), max(TIMES[1], base.t0))))
        return moved


def _has_torque(p: Problem) -> bool:
    """Whether the problem itself has a torque there: at Q = I not one of the distance from it."""
    try:
        with np.errstate(all="ignore"):
            return bool(np.isfinite(p.torque(p.t0, p.Q0, p.Omega0)).all())
    except ArithmeticError:
        return False


def unmoved(base: State, radians: float) -> Moved:
    """A state of the battery as it is."""
    x = np.zeros(12)
    x[STEP] = np.log(radians)
    return Moved(base, x)


def towards(at: Moved, other: Moved) -> Moved:
    """The same body, with the attitude, spin, speed and time of another state."""
    p, q = at.base.problem, other.base.problem
    speeds = [float(np.linalg.norm(x.Omega0)) for x in (p, q)]
    if min(speeds) == 0:
        return at
    x = at.x.copy()
    x[ATTITUDE] = Rotation().from_matrix(p.Q0.T @ q.Q0).as_rotvec()
    x[SPIN] = _turn_between(p.Omega0 / speeds[0], q.Omega0 / speeds[1])
    x[SPEED], x[TIME] = np.log(speeds[1] / speeds[0]), (q.t0 - p.t0) / TIME_UNIT
    return at.by(x)


def _turn_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation vector that takes one direction to another by the shortest way."""
    axis = np.cross(a, b)
    size = float(np.linalg.norm(axis))
    return axis / size * np.arctan2(size, a @ b) if size else np.zeros(3)


GROUPS = (ATTITUDE, SPIN, slice(6, 7), slice(7, 8), slice(8, 9), MOMENTS)
REACH = (3.0, 3.0, 4.0, 30.0, 3.0, 1.0)
"""Of each group of numbers: how far it is moved at the most."""


def at_random(at: Moved, rng: np.random.Generator, scale: float) -> Moved:
    """One group of numbers moved, or two, by a part of their reach."""
    return _moved(at, rng, scale, rng.choice(_groups_of(at), size=1 + (rng.random() < 0.3), replace=False))


def all_at_random(at: Moved, rng: np.random.Generator, scale: float) -> Moved:
    """The same of all groups."""
    return _moved(at, rng, scale, range(_groups_of(at)))


def _groups_of(at: Moved) -> int:
    return len(GROUPS) - (at.size == 9)


def _moved(at: Moved, rng: np.random.Generator, scale: float, groups: Iterable[int]) -> Moved:
    x = at.x.copy()
    for k in groups:
        group = GROUPS[k]
        x[group] += scale * REACH[k] * rng.standard_normal(x[group].size)
    return at.by(x)
