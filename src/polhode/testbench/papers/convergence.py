"""Published convergence diagrams: global errors at the end of an interval against the step."""

import time
from dataclasses import dataclass

import numpy as np

from polhode.physics.catalogue import problem
from polhode.reference.reference import reference
from polhode.runs.solve import solve
from polhode.runs.turns import on_purpose
from polhode.shown import shown
from polhode.testbench.papers.said import Checked, checked

FLOOR = 1e-11
"""Errors below may be round-off, and are not used for orders."""


@dataclass(frozen=True)
class Convergence:
    """A published diagram: problems, methods, numbers of steps on [0, t_end], and what the paper says of it."""

    name: str
    title: str
    source: str
    problems: dict[str, dict]  # "name" or "name, what is changed": parameters
    methods: tuple[str, ...]
    steps: tuple[int, ...]
    t_end: float
    second: str = "Omega"  # what is compared beside Q: Omega, or the momentum Pi = J Omega
    statements: tuple = ()
    notes: tuple[str, ...] = ()

    @on_purpose()
    def run(self, tick=lambda what: None):
        """Measure it."""
        clock = time.perf_counter()
        series = []
        for name, parameters in self.problems.items():
            p = problem(name.split(",")[0], **parameters)
            exact = reference(p, self.t_end)
            for method in self.methods:
                tick(f"{method} on {name}")
                series.append(self._measured(name, p, method, exact))
        seconds = time.perf_counter() - clock
        result = ConvergenceResult(self, tuple(series), (), seconds)
        return ConvergenceResult(self, tuple(series), checked(self.statements, result), seconds)

    def _measured(self, name, p, method, exact):
        weight = p.tensor if self.second == "Pi" else np.eye(3)
        errors = []
        for n in self.steps:
            s = solve(p, method, h=(self.t_end - p.t0) / n, n_steps=n, save_every=n, on_failure="return")
            Q, Omega = (s.Q[-1], s.Omega[-1]) if s.success else (np.full((3, 3), np.nan), np.full(3, np.nan))
            errors.append((np.linalg.norm(Q - exact[0]), np.linalg.norm(weight @ (Omega - exact[1]))))
        Q, Omega = np.array(errors).T
        n = np.array(self.steps)
        return Series(name, method, (self.t_end - p.t0) / n, Q, Omega, _order(n, Q), _order(n, Omega))


@dataclass(frozen=True)
class Series:
    """One method on one problem: steps, errors of the attitude (Frobenius norm) and of Omega or Pi, orders."""

    problem: str
    method: str
    h: np.ndarray
    error_Q: np.ndarray  # not a number where the method could not solve its equations
    error_Omega: np.ndarray
    order_Q: float | None
    order_Omega: float | None


@dataclass(frozen=True)
class ConvergenceResult:
    """A convergence diagram, measured."""

    study: Convergence
    series: tuple[Series, ...]
    said: tuple[Checked, ...]
    seconds: float

    @property
    def name(self):
        """The name by paper."""
        return self.study.name

    @property
    def second(self):
        """What is compared beside Q."""
        return self.study.second

    def to_dict(self):
        """Plain data."""
        return {
            "name": self.name,
            "title": self.study.title,
            "source": self.study.source,
            "t_end": self.study.t_end,
            "second": self.second,
            "series": [vars(s) for s in self.series],
            "said": [vars(s) for s in self.said],
            "notes": list(self.study.notes),
            "seconds": self.seconds,
        }

    def figure(self):
        """A Matplotlib figure: a row per problem, errors of Omega (or Pi) and of Q against h."""
        return shown("published convergence, a figure", self)

    def show(self):
        """What goes to the terminal."""
        return shown("published convergence, in the terminal", self)

    def page(self):
        """The page."""
        return shown("published convergence, a page", self)


def _order(n, e):
    """From the two finest steps whose errors are well above round-off."""
    good = np.flatnonzero(np.isfinite(e) & (e > 10 * FLOOR))
    if len(good) < 2:
        return None
    a, b = good[-2:]
    return float(np.log(e[a] / e[b]) / np.log(n[b] / n[a]))
