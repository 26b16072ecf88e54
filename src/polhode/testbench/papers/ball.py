"""The path in the axis-angle ball: Figure 2 of Bou-Rabee, Ortolan & Saccon (2010), and where the motion can go."""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.runs.results.energies import potential_energies
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.solve import solve
from polhode.testbench.papers.reproduced import Reproduced, Tick, silent

GRID = 81
"""Points of the grid along each axis of the ball."""


@dataclass(frozen=True)
class Ball:
    """A published picture of a path among level surfaces of the potential."""

    name: str
    title: str
    source: str
    caption: str
    problem: str
    method: str
    h: float
    t_end: float
    printed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def run(self, tick: Tick = silent) -> "BallResult":
        """Take the runs of the figure; `tick` is told what comes next."""
        clock = time.perf_counter()
        tick(f"{self.method}, h = {self.h:g}")
        p = problem(self.problem)
        s = solve(p, self.method, h=self.h, t_end=self.t_end)
        tick("where the motion can go")
        return BallResult(self, s, facts(p, s), time.perf_counter() - clock)


@dataclass(frozen=True, repr=False)
class BallResult(Reproduced):
    """A path in the ball with numbers on where it is and where it can go; see `facts`."""

    kind: ClassVar[str] = "ball"
    vector: ClassVar[bool] = False  # a hundred thousand triangles and lines
    study: Ball
    path: Trajectory
    facts: dict[str, float]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data; of the path the rotation vector at every hundredth step."""
        return self.described() | {
            "caption": self.study.caption,
            "printed": dict(self.study.printed),
            "facts": self.facts,
            "t": self.path.t[::100],
            "rotation_vector": self.path.rotation[::100].as_rotvec(),
            "notes": list(self.study.notes),
            "seconds": self.seconds,
        }


def facts(p: Problem, s: Trajectory) -> dict[str, float]:
    """Angles and energies along the path, and the region that its energy allows."""
    centre = next(iter(p.landmarks.values()))
    angle = np.linalg.norm(s.rotation.as_rotvec(), axis=1)
    U = potential_energies(p, s.Q)
    return {
        "least angle": float(angle.min()),
        "greatest angle": float(angle.max()),
        "least U": float(U.min()),
        "greatest U": float(U.max()),
        "energy at the start": float(s.energy[0]),
        "change of energy": float(s.energy_error[-1]),
        "greatest energy": float(s.energy.max()),
        "nearest to Qm": float(np.linalg.norm(s.Q - centre, axis=(1, 2)).min()),
        **region(p, float(s.energy.max()), centre),
    }


def region(p: Problem, energy: float, centre: np.ndarray) -> dict[str, float]:
    """Where U <= energy around the start: its angles, its Euler characteristic, and the heights that close it.

    The region is made of the cells of a grid over the ball that hang together with the start. A shell around the
    identity has the characteristic 2 and is simply connected; a ball has 1, a ring 0. What it does not reach is the
    identity, the surface of the ball (where opposite points are one) and Qm: the heights of the passes are those of
    the lowest paths to them on the grid, found by raising the level until the way is free.
    """
    side = np.linspace(-np.pi, np.pi, GRID)
    places = np.stack(np.meshgrid(side, side, side, indexing="ij"), -1)
    angle = np.linalg.norm(places, axis=-1)
    with np.errstate(all="ignore"):
        U = potential_energies(p, Rotation().from_rotvec(places.reshape(-1, 3)).as_matrix()).reshape(angle.shape)
    U = np.where(angle <= np.pi, U, np.inf)
    start = _cell(side, Rotation().from_matrix(p.Q0).as_rotvec())
    inside = _component(energy >= U, start)
    targets = {
        "pass to the identity": _cell(side, np.zeros(3)),
        "pass to Qm": _cell(side, Rotation().from_matrix(centre).as_rotvec()),
    }
    heights = {name: _pass(U, start, cell, energy) for name, cell in targets.items()}
    return {
        "least angle allowed": float(angle[inside].min()),
        "greatest angle allowed": float(angle[inside].max()),
        "Euler characteristic": float(euler_characteristic(inside)),
        **heights,
    }


def euler_characteristic(cells: np.ndarray) -> int:
    """Corners - edges + faces - cubes of a union of closed unit cubes, given as a boolean array."""
    padded = np.pad(cells, 1)
    total = 0
    for thin in np.ndindex(2, 2, 2):  # which directions of the element are a point rather than an interval
        touched = padded
        for axis, point in enumerate(thin):
            low = np.take(touched, range(touched.shape[axis] - 1), axis)
            high = np.take(touched, range(1, touched.shape[axis]), axis)
            touched = (low | high) if point else high
        total += (-1) ** (3 - sum(thin)) * int(touched.sum())
    return total


def _cell(side: np.ndarray, place: np.ndarray) -> tuple[int, ...]:
    return tuple(int(np.abs(side - x).argmin()) for x in place)


def _component(allowed: np.ndarray, start: tuple[int, ...]) -> np.ndarray:
    from scipy.ndimage import label

    numbers, _ = label(allowed)
    return numbers == numbers[start] if allowed[start] else np.zeros_like(allowed)


def _pass(U: np.ndarray, start: tuple[int, ...], goal: tuple[int, ...], low: float) -> float:
    """The lowest level at which start and goal hang together, by bisection, to 1e-3."""
    high = float(np.max(U, where=np.isfinite(U), initial=low))
    while high - low > 1e-3:
        middle = (low + high) / 2
        if _component(middle >= U, start)[goal]:
            high = middle
        else:
            low = middle
    return high
