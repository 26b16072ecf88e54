"""Published work-precision diagrams: global errors against the processor time of the run."""

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from polhode.integrators.lookup import method as catalogue_method
from polhode.integrators.method import Method
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.reference.reference import reference
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.turns import on_purpose
from polhode.testbench.papers.convergence import Convergence, Series
from polhode.testbench.papers.reproduced import Reproduced, Tick, silent

RUNS = 25
"""Runs whose times are taken; their median counts."""

STEPS = 4000
"""Steps of a timed run: many, so that the time of a step is that of machine code, not of the call."""


@dataclass(frozen=True)
class WorkPrecision:
    """A published diagram: families of methods, drawn by the line style of the family."""

    name: str
    title: str
    source: str
    caption: str
    problems: tuple[str, ...]
    families: tuple[tuple[str, tuple[str, ...]], ...]  # line style of Matplotlib: methods
    steps: tuple[int, ...]
    t_end: float
    norm: str = "quaternion"
    runs: int = RUNS
    printed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    timed: ClassVar[bool] = True  # measured alone, so that nothing else takes the processor

    @property
    def methods(self) -> tuple[str, ...]:
        """All methods, family by family."""
        return tuple(m for _, members in self.families for m in members)

    @on_purpose()
    def run(self, tick: Tick = silent) -> "WorkPrecisionResult":
        """Take the runs of the figure; `tick` is told what comes next."""
        clock, series = time.perf_counter(), []
        errors = Convergence(
            self.name, self.title, self.source, {}, self.methods, self.steps, self.t_end, second="Pi", norm=self.norm
        )
        for name in self.problems:
            p = problem(name)
            exact = reference(p, self.t_end)
            for method in self.methods:
                tick(f"{method} on {name}")
                measured = errors.measured(name, p, method, exact)
                seconds = [
                    float("nan") if np.isnan(e) else n * step_seconds(p, method, h, self.runs)
                    for n, h, e in zip(self.steps, measured.h, measured.error_Q)
                ]
                series.append(Timed(**vars(measured), time=np.array(seconds)))
        return WorkPrecisionResult(self, tuple(series), time.perf_counter() - clock)


@dataclass(frozen=True)
class Timed(Series):
    """A series with the processor time of each run, in seconds."""

    time: np.ndarray = field(kw_only=True)


@dataclass(frozen=True, repr=False)
class WorkPrecisionResult(Reproduced):
    """A work-precision diagram, measured."""

    kind: ClassVar[str] = "work-precision"
    study: WorkPrecision
    series: tuple[Timed, ...]
    seconds: float

    def one(self, method: str, problem: str | None = None) -> Timed:
        """The series of a method, on the first problem if none is named."""
        problem = problem or self.series[0].problem
        return next(s for s in self.series if s.method == method and s.problem == problem)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self.described() | {
            "caption": self.study.caption,
            "t_end": self.study.t_end,
            "second": "Pi",
            "norm": self.study.norm,
            "runs": self.study.runs,
            "printed": dict(self.study.printed),
            "series": [vars(s) for s in self.series],
            "notes": list(self.study.notes),
            "seconds": self.seconds,
        }


def step_seconds(p: Problem, method: str | Method, h: float, runs: int = RUNS) -> float:
    """The processor time of a step: the median over so many runs, after one that compiles and is not counted."""
    return float(np.median(step_times(p, method, h, runs)))


def step_times(p: Problem, method: str | Method, h: float, runs: int = RUNS) -> np.ndarray:
    """The processor time of a step in each of so many runs, of machine code alone: one call, no state kept."""
    runner = KernelRunner(p, catalogue_method(method), h, True)
    out, seconds = np.empty((1, 7)), []
    for k in range(runs + 1):
        clock = time.process_time()
        took = runner.advance(k * STEPS, STEPS, STEPS, STEPS, out, 0)[0]
        seconds.append((time.process_time() - clock) / STEPS if took == STEPS else float("nan"))
    return np.array(seconds[1:])
