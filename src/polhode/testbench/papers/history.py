"""Published figures of quantities against time: a curve for each run, a few panels side by side."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from polhode.physics.catalogue import problem
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.solve import solve
from polhode.runs.turns import on_purpose
from polhode.testbench.papers import matrix_newmark
from polhode.testbench.papers.reproduced import Reproduced, Tick, silent


@dataclass(frozen=True)
class Run:
    """One curve: a problem with its parameters, a method, a step, and how the curve is drawn."""

    problem: str
    method: str
    h: float
    t_end: float
    style: str  # of Matplotlib: the marker and the line of the paper
    parameters: tuple[tuple[str, float], ...] = ()
    label: str = ""

    @property
    def text(self) -> str:
        """What the legend says."""
        return self.label or f"h = {self.h:g}"


@dataclass(frozen=True)
class Panel:
    """A quantity of several runs; `components` of a vector are drawn in colours of their own."""

    title: str
    quantity: str
    axis: str
    runs: tuple[Run, ...]
    components: tuple[str, ...] = ()
    logarithmic: bool = False


@dataclass(frozen=True)
class History:
    """A published figure of quantities against time."""

    name: str
    title: str
    source: str
    caption: str
    panels: tuple[Panel, ...]
    columns: int = 1
    notes: tuple[str, ...] = ()

    @on_purpose()
    def run(self, tick: Tick = silent) -> "HistoryResult":
        """Take the runs of the figure; `tick` is told what comes next."""
        clock, runs = time.perf_counter(), {}
        curves = []
        for panel in self.panels:
            for run in panel.runs:
                if run not in runs:
                    tick(f"{run.method}, h = {run.h:g}, {run.problem}")
                    runs[run] = _trajectory(run)
                s = runs[run]
                curves.append(
                    Curve(panel.title, run.method, run.h, run.text, s.t, QUANTITIES[panel.quantity](s), s.message)
                )
        return HistoryResult(self, tuple(curves), time.perf_counter() - clock)


@dataclass(frozen=True)
class Curve:
    """A quantity of one run: values (n,), or (n, 3) of a vector; a message where the run could not go on."""

    panel: str
    method: str
    h: float
    label: str
    t: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)
    message: str


@dataclass(frozen=True, repr=False)
class HistoryResult(Reproduced):
    """A figure of quantities against time, measured."""

    kind: ClassVar[str] = "history"
    study: History
    curves: tuple[Curve, ...]
    seconds: float

    def curve(self, panel: int, method: str, h: float | None = None, label: str | None = None) -> Curve:
        """One curve of a panel, counted from 0."""
        title = self.study.panels[panel].title
        return next(
            c
            for c in self.curves
            if c.panel == title and c.method == method and h in (None, c.h) and label in (None, c.label)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data; of long curves every k-th point, and the last."""
        return self.described() | {
            "caption": self.study.caption,
            "curves": [_thinned(c) for c in self.curves],
            "notes": list(self.study.notes),
            "seconds": self.seconds,
        }


MOST_POINTS = 500
"""Points of a curve in the plain data; all of them are drawn and judged."""


def _thinned(c: Curve) -> dict[str, Any]:
    every = -(-len(c.t) // MOST_POINTS)
    rows = np.unique(np.append(np.arange(0, len(c.t), every), len(c.t) - 1))
    return vars(c) | {"t": c.t[rows], "values": c.values[rows], "every": every}


def _trajectory(run: Run) -> Trajectory:
    p = problem(run.problem, **dict(run.parameters))
    if run.method in matrix_newmark.VARIANTS:
        return matrix_newmark.trajectory(p, run.method, run.h, run.t_end)
    return solve(p, run.method, h=run.h, t_end=run.t_end, on_failure="return")


# ---- quantities --------------------------------------------------------------------------------------


def kinetic_energy(s: Trajectory) -> np.ndarray:
    """T = Omega.J Omega/2."""
    return np.einsum("ni,ij,nj->n", s.Omega, _tensor(s), s.Omega) / 2


def _tensor(s: Trajectory) -> np.ndarray:
    assert s.problem is not None  # it was solved here, not read from a file
    return s.problem.tensor


def increment_degrees(s: Trajectory) -> np.ndarray:
    """|h Omega + h^2/2 A| of a free body in degrees: what the method turns by in a step, beyond 180 degrees, too."""
    J = _tensor(s)
    Pi = s.Omega @ J
    A = np.cross(Pi, s.Omega) @ np.linalg.inv(J)
    return np.degrees(np.linalg.norm(s.h * s.Omega + s.h**2 / 2 * A, axis=1))


def axis_momentum_error(s: Trajectory) -> np.ndarray:
    """|pi.chi - its start|: the momentum in space along the axis of the top, pi = Q J Omega and chi = Q e3.

    Both are taken through the matrix Q, as the paper does, so that the loss of its orthogonality shows.
    """
    pi = np.einsum("nij,jk,nk->ni", s.Q, _tensor(s), s.Omega)
    along = np.einsum("ni,ni->n", pi, s.Q[:, :, 2])
    return np.abs(along - along[0])


QUANTITIES: dict[str, Callable[[Trajectory], np.ndarray]] = {
    "kinetic energy": kinetic_energy,
    "increment in degrees": increment_degrees,
    "Omega": lambda s: s.Omega,
    "Omega 1": lambda s: s.Omega[:, 0],
    "Omega 2": lambda s: s.Omega[:, 1],
    "Omega 3": lambda s: s.Omega[:, 2],
    "momentum": lambda s: s.momentum,
    "energy": lambda s: s.energy,
    "energy error": lambda s: s.energy_error,
    "axis momentum error": axis_momentum_error,
}
"""What can be drawn of a run, by the words of a Panel."""
