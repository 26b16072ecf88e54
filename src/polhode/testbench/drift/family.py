"""A family of stress problems drawn at random, so that no method passes by the luck of one body and one potential.

Each has three distinct moments, another point of attraction, another strength and another start. What makes the
published test a test is kept: a flat body that starts near the sphere dist(Q, I) = 1 and circles it in one sense,
spinning about the axis of its largest moment. (Of a motion that swings to and fro, or is chaotic, no symmetric method
shows a drift: what it gains on the way out it loses on the way back.) The energy keeps the motion away from the cone
of the potential at the identity and from its pole at Qm. The draws are the same in every run of the program.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.lookup import Integrator
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.runs.crews.workers import mapped
from polhode.runs.progress import bar
from polhode.shown import shown
from polhode.testbench.drift.evidence import Row
from polhode.testbench.drift.stress import StressResult, stress

MARGIN = 0.15
"""The energy stays below the potential at the identity, and below the pass to the pole, by this much."""


def random_problems(count: int) -> Iterator[Problem]:
    """This many stress problems, in the same order every time, each drawn when it is asked for."""
    rng = np.random.default_rng(20120417)
    drawn = 0
    while drawn < count:
        p = _drawn(rng, f"stress {drawn + 1}")
        if p is not None:
            drawn += 1
            yield p


def _drawn(rng: np.random.Generator, name: str) -> Problem | None:
    """One draw, or None where the motion might reach a singularity of the potential."""
    a = rng.uniform(1.5, 2.5)
    b = a * (1 + rng.choice([-1, 1]) * rng.uniform(0.02, 0.12))
    c = rng.uniform(0.92, 0.99) * (a + b)
    angle = rng.uniform(0, 2 * np.pi)
    Q0 = Rotation().from_rotvec(rng.uniform(0.65, 0.8) * np.array([np.cos(angle), np.sin(angle), 0.0]))
    Omega0 = rng.uniform(0.5, 0.75) * np.array([*rng.uniform(-0.1, 0.1, 2), 1.0])
    Qm = Rotation().from_rotvec(rng.uniform(2.2, 2.9) * _direction(rng))
    p = problem("stress", inertia=(a, b, c), alpha=rng.uniform(0.15, 0.45), Qm=Qm, Q0=Q0, Omega0=Omega0)
    p = p.copied(name=name)
    way = [Rotation().from_rotvec(s * Qm.as_rotvec()).as_matrix() for s in np.linspace(0.02, 0.98, 97)]
    heights = [p.potential(Q) for Q in way]  # from the identity, over the pass, down to the pole
    valley = int(np.argmin(heights[:60]))
    lowest = min(max(heights[:valley]), max(heights[valley:]))
    return p if p.energy(p.Q0, p.Omega0) < lowest - MARGIN else None


def _direction(rng: np.random.Generator) -> np.ndarray:
    v = rng.standard_normal(3)
    return v / np.linalg.norm(v)


@dataclass(frozen=True)
class FamilyRow:
    """One method on the whole family."""

    method: str
    drifts: int  # on how many problems
    unstable: int
    problems: int
    proven: int  # on how many the drift proves that it is neither symplectic nor conjugate to a symplectic method
    rates: tuple[float, ...]  # by problem, at the smallest step
    words: str
    sign: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return dict(vars(self))


@dataclass(frozen=True)
class FamilyResult:
    """Drift verdicts on a family: `rows` by method, `results` by problem."""

    results: tuple[StressResult, ...]
    rows: tuple[FamilyRow, ...]

    def __getitem__(self, method: str | Integrator) -> FamilyRow:
        """The row of a method."""
        for row in self.rows:
            if row.method == str(method):
                return row
        raise InputError(f"{method} was not in this test; it was of {', '.join(r.method for r in self.rows)}.")

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{row.method} {row.words}" for row in self.rows)
        return f"<FamilyResult on {len(self.results)} problems: {verdicts}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, with the parameters of every problem."""
        return {
            "problems": [_described(r.problem) for r in self.results],
            "h": list(self.results[0].h),
            "t_end": self.results[0].t_end,
            "ensemble": self.results[0].ensemble,
            "methods": [row.to_dict() for row in self.rows],
            "results": [r.to_dict() for r in self.results],
        }

    def table(self) -> Any:
        """A rich table: on how many problems each method drifts."""
        return shown("family of problems, a table", self)


def stress_family(
    count: int,
    methods: Sequence[Integrator] | None,
    h: Sequence[float],
    t_end: float,
    ensemble: int,
    progress: bool = False,
    workers: Any = None,
) -> FamilyResult:
    """The stress test on `count` random problems; with workers, each problem is a task."""
    tasks = [(p, methods, h, t_end, ensemble, progress and workers is None) for p in random_problems(count)]
    with bar(progress and workers is not None, count, "problems", unit="problems") as tick:
        done = itertools.count(1)
        results = mapped(workers, _stressed, tasks, lambda k, result: tick(next(done)))
    rows = [_row([result.rows[k] for result in results]) for k in range(len(results[0].rows))]
    return FamilyResult(tuple(results), tuple(rows))


def _stressed(problem: Problem, methods: Any, h: Any, t_end: float, ensemble: int, progress: bool) -> StressResult:
    return stress(methods, h=h, t_end=t_end, ensemble=ensemble, problem=problem, progress=progress)


def _row(rows: Sequence[Row]) -> FamilyRow:
    drifts = sum(row.verdict == "drifts" for row in rows)
    unstable = sum(row.verdict == "unstable" for row in rows)
    signs = {row.sign for row in rows if row.verdict == "drifts"}
    words = f"drifts on {drifts} of {len(rows)}" if drifts else "no drift seen"
    if unstable:
        words = f"unstable on {unstable} of {len(rows)}" + (f", {words}" if drifts else "")
    return FamilyRow(
        method=rows[0].method,
        drifts=drifts,
        unstable=unstable,
        problems=len(rows),
        proven=sum(row.neither for row in rows),
        rates=tuple(row.evidence[0].rate for row in rows),
        words=words,
        sign="unstable" if unstable else signs.pop() if len(signs) == 1 else "+-" if signs else "none",
    )


def _described(p: Problem) -> dict[str, Any]:
    return {
        "name": p.name,
        "inertia": p.inertia,
        "alpha": p.parameters[0],
        "Qm": p.parameters[1:10],
        "Q0": p.Q0,
        "Omega0": p.Omega0,
    }
