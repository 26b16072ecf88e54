"""Published convergence diagrams: global errors at the end of an interval against the step."""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from polhode.integrators.method import Method
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.reference.reference import reference
from polhode.runs.solve import solve
from polhode.runs.turns import on_purpose
from polhode.testbench.papers.reproduced import Reproduced, Tick, silent

FLOOR = 1e-11
"""Errors below this may be round-off, and are not used for orders."""

NORMS = {
    "Frobenius": ("the Frobenius norm of the difference of the matrices", "for small errors sqrt 2 times the angle"),
    "2-norm": ("the 2-norm of the difference of the matrices", "for small errors the angle"),
    "quaternion": ("the difference of the unit quaternions", "for small errors half the angle"),
}
"""Norms of the error of an attitude: in words, and how each relates to the angle between the attitudes."""


@dataclass(frozen=True)
class Convergence:
    """A published diagram: problems, methods, numbers of steps on [0, t_end], norm and panels of the paper."""

    name: str
    title: str
    source: str
    problems: dict[str, dict[str, Any]]  # "name" or "name, what is changed": parameters
    methods: tuple[str | Method, ...]
    steps: tuple[int, ...]
    t_end: float
    caption: str = ""
    second: str = "Omega"  # what is compared beside Q: Omega, or the momentum Pi = J Omega
    panels: tuple[str, ...] = ()  # in the order of the paper: "Q" and what is compared beside it; both if not given
    norm: str = "Frobenius"
    printed: tuple[tuple[str, str], ...] = ()  # methods that the paper calls by another name
    notes: tuple[str, ...] = ()

    @property
    def drawn(self) -> tuple[str, ...]:
        """What the panels show, in order."""
        return self.panels or (self.second, "Q")

    @on_purpose()
    def run(self, tick: Tick = silent) -> "ConvergenceResult":
        """Take the runs of the figure; `tick` is told what comes next."""
        clock = time.perf_counter()
        series = []
        for name, parameters in self.problems.items():
            p = problem(name.split(",")[0], **parameters)
            exact = reference(p, self.t_end)
            for method in self.methods:
                tick(f"{method} on {name}")
                series.append(self.measured(name, p, method, exact))
        return ConvergenceResult(self, tuple(series), time.perf_counter() - clock)

    def measured(self, name: str, p: Problem, method: str | Method, exact: tuple[np.ndarray, np.ndarray]) -> "Series":
        """The errors of one method on one problem."""
        weight = p.tensor if self.second == "Pi" else np.eye(3)
        errors = []
        for n in self.steps:
            s = solve(p, method, h=(self.t_end - p.t0) / n, n_steps=n, save_every=n, on_failure="return")
            off = np.linalg.norm(weight @ (s.Omega[-1] - exact[1]))
            errors.append((attitude_error(s.Q[-1], exact[0], self.norm), off) if s.success else (np.nan, np.nan))
        Q, Omega = np.array(errors).T
        counts = np.array(self.steps)
        h, called = (self.t_end - p.t0) / counts, str(getattr(method, "name", method))
        return Series(name, called, h, Q, Omega, _order(counts, Q), _order(counts, Omega))


def attitude_error(Q: np.ndarray, exact: np.ndarray, norm: str) -> float:
    """The error of an attitude in one of NORMS, from the Frobenius norm, which is 2 sqrt 2 |sin(angle/2)|."""
    frobenius = float(np.linalg.norm(Q - exact))
    if norm == "Frobenius":
        return frobenius
    if norm == "2-norm":
        return float(np.linalg.norm(Q - exact, 2))
    half = np.arcsin(min(1.0, frobenius / np.sqrt(8)))  # half the angle; the nearer of the two quaternions
    return float(2 * np.sin(half / 2))


@dataclass(frozen=True)
class Series:
    """One method on one problem: steps, errors of the attitude (in the study's norm) and of Omega or Pi, orders."""

    problem: str
    method: str
    h: np.ndarray
    error_Q: np.ndarray  # not a number where the method could not solve its equations
    error_Omega: np.ndarray
    order_Q: float | None
    order_Omega: float | None

    def error(self, what: str) -> np.ndarray:
        """The errors of "Q", or of what is compared beside it."""
        return self.error_Q if what == "Q" else self.error_Omega


@dataclass(frozen=True, repr=False)
class ConvergenceResult(Reproduced):
    """A convergence diagram, measured."""

    kind: ClassVar[str] = "convergence"
    study: Convergence
    series: tuple[Series, ...]
    seconds: float

    @property
    def second(self) -> str:
        """What is compared beside Q."""
        return self.study.second

    def one(self, method: str, problem: str | None = None) -> Series:
        """The series of a method, on the first problem if none is named."""
        problem = problem or self.series[0].problem
        return next(s for s in self.series if s.method == method and s.problem == problem)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self.described() | {
            "caption": self.study.caption,
            "t_end": self.study.t_end,
            "second": self.second,
            "panels": list(self.study.drawn),
            "norm": self.study.norm,
            "printed": dict(self.study.printed),
            "series": [vars(s) for s in self.series],
            "notes": list(self.study.notes),
            "seconds": self.seconds,
        }


def _order(n: np.ndarray, e: np.ndarray) -> float | None:
    """From the two finest steps whose errors are well above round-off."""
    good = np.flatnonzero(np.isfinite(e) & (e > 10 * FLOOR))
    if len(good) < 2:
        return None
    a, b = good[-2:]
    return float(np.log(e[a] / e[b]) / np.log(n[b] / n[a]))
