"""`converge` and `work_precision`: errors of any methods on any problem against step, torque evaluations and time."""

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.integrators.lookup import Integrator, integrator, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.physics.catalogue import problem as problem_named
from polhode.physics.problem import Problem
from polhode.reference.reference import reference
from polhode.runs.crews.workers import mapped
from polhode.runs.progress import bar
from polhode.runs.turns import on_purpose
from polhode.shown import shown
from polhode.testbench.convergence.adaptive import peers
from polhode.testbench.convergence.errors import PANELS
from polhode.testbench.convergence.series import LOOKS, Series, by_steps, by_tolerances

METHODS = ("ELN", "VLV", "RKMK4", "RKN6", "GAUSS8")
"""The methods compared if none are named: two of second order, one that is often used, two of high order."""

LEVELS = 15
"""How many step sizes, each shorter than the last by a factor of sqrt 2."""

RADIANS_A_STEP = 0.8
"""Radians that the body turns in the largest step, at the speed it starts with."""

LONGEST_SPAN = 10.0
"""The span if none is given, unless the problem's own is shorter."""


@dataclass(frozen=True)
class Study:
    """Errors of several integrators on one problem; `axes` are what they are drawn against."""

    problem: Problem
    t_end: float
    series: tuple[Series, ...]
    axes: tuple[str, ...]  # "h", "torques", "seconds"
    wall_time: float

    def __repr__(self) -> str:
        of = ", ".join(s.words for s in self.series)
        span = f"t = {self.problem.t0:g} to {self.t_end:g}"
        return f"<Study of {self.problem.name}, {span}: {of}; table(), figure() and save() show it>"

    def __getitem__(self, name: str) -> Series:
        for each in self.series:
            if each.name == name:
                return each
        raise InputError(f"There is no {one_line(name)} here; there are {', '.join(s.name for s in self.series)}.")

    @property
    def panels(self) -> list[str]:
        """The parts of the error that this problem has."""
        return [key for key in PANELS if any(key in s.errors for s in self.series)]

    @property
    def kind(self) -> str:
        """The name of the study, and of its files."""
        return "converge" if self.axes == ("h",) else "work-precision"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "study": self.kind,
            "problem": self.problem.name,
            "inertia": self.problem.inertia,
            "t0": self.problem.t0,
            "t_end": self.t_end,
            "integrators": [s.to_dict() for s in self.series],
            "wall_time": self.wall_time,
        }

    def table(self) -> Any:
        """Orders, errors and cost, for the terminal."""
        return shown("convergence, a table", self)

    def figure(self) -> Any:
        """A Matplotlib figure: a row per error, a column per axis."""
        return shown("convergence, a figure", self)

    def save(self, folder: Any) -> Any:
        """Write figure (PNG, SVG), page and numbers (JSON) to a folder; returns {name: path}."""
        return shown("convergence, files", self, folder)


@inputs.checked_call
def converge(
    problem: Any,
    methods: Any = None,
    t_end: float | None = None,
    *,
    steps: Sequence[int] | None = None,
    adaptive: bool = False,
    progress: bool = False,
    workers: Any = None,
) -> Study:
    """Errors against the step, and the orders that follow, with uncertainties.

    The error is the largest at four times, against the closed form or a Taylor series of 25 digits. Attitude, body
    momentum, energy and phase are measured apart. An order is that of C h^p + floor, so that round-off does not count.

    Parameters
    ----------
    problem : Problem or str
        a name or a Problem, yours too
    methods : one or several of: str, Method, callable or BlackBox
        one or several: names, Methods, plain functions, BlackBoxes, "module:attribute"
    t_end : float
        end of the interval
    steps : sequence of int
        numbers of steps; by default fifteen, beginning with steps in which the body turns by 0.8 radians
    adaptive : bool
        whether SciPy's DOP853 and LSODA and, where installed, heyoka are shown at their mean steps
    workers : None, int, executor, Dask client or "dask"
        who measures, as for `sweep`: each method is a task

    Returns
    -------
    Study
        Errors by step and the orders; `figure()`, `show()`, `page()`, `to_dict()`.

    Examples
    --------
    >>> import polhode as ph
    >>> study = ph.converge("free-body", ["VLV"], t_end=2, steps=(32, 64, 128, 256))
    >>> study.to_dict()["problem"]
    'free-body'
    """
    return _study(problem, methods, t_end, steps, adaptive=adaptive, progress=progress, timed=False, workers=workers)


@inputs.checked_call
def work_precision(
    problem: Any,
    methods: Any = None,
    t_end: float | None = None,
    *,
    steps: Sequence[int] | None = None,
    adaptive: bool = True,
    progress: bool = False,
) -> Study:
    """Errors against torque evaluations and processor time; arguments as for `converge`.

    The time is that of the steps alone, the least of five runs; if they are few, more steps of the same size are timed.
    SciPy's solvers call the torque from Python: compare their evaluations rather than their time.

    Parameters
    ----------
    problem, methods, t_end, steps, adaptive, progress
        As for `converge`.

    Returns
    -------
    Study
        Errors by evaluations and by time.
    """
    return _study(problem, methods, t_end, steps, adaptive=adaptive, progress=progress, timed=True)


@on_purpose()
def _study(
    problem: Any,
    methods: Any,
    t_end: Any,
    steps: Any,
    *,
    adaptive: Any,
    progress: bool,
    timed: bool,
    workers: Any = None,
) -> Study:
    begin = time.perf_counter()
    p = problem_named(problem)
    integrators = _integrators(methods)
    progress, adaptive = inputs.flag("progress", progress), inputs.flag("adaptive", adaptive)
    end = _end(p, t_end)
    counts = _counts(p, end, steps)
    times = p.t0 + (end - p.t0) / LOOKS * np.arange(1, LOOKS + 1)
    exact = reference(p, times)
    others = peers() if adaptive else {}
    done = itertools.count(1)
    with bar(progress, len(integrators) + len(others), f"errors on {p.name}", unit="integrators") as tick:
        tasks = [(p, each, counts, end, exact, timed) for each in integrators]
        series = mapped(workers, by_steps, tasks, lambda k, one_series: tick(next(done)))
        for name, run in others.items():
            series.append(by_tolerances(p, name, run, times, exact))
            tick(next(done))
    axes = ("torques", "seconds") if timed else ("h",)
    return Study(p, end, tuple(series), axes, time.perf_counter() - begin)


def _integrators(methods: Any) -> list[Integrator]:
    if methods is None:
        methods = METHODS
    several = [methods] if isinstance(methods, str | Method | BlackBox) or callable(methods) else methods
    integrators = [integrator(m) for m in inputs.items("methods", several, "a method, or several")]
    names = [name_of(m) for m in integrators]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two of the methods are called {name!r}: give them names of their own.")
    if not integrators:
        raise InputError("methods is empty; give at least one.")
    return integrators


def _end(p: Problem, t_end: float | None) -> float:
    if t_end is None:
        longest = p.t0 + LONGEST_SPAN
        return float(longest if p.t_end is None else min(p.t_end, longest))
    end = inputs.number("t_end", t_end)
    if end <= p.t0:
        raise InputError(f"t_end is {end:g}; it must be after the start, t0 = {p.t0:g}.")
    return end


def _counts(p: Problem, end: float, steps: Sequence[int] | None) -> list[int]:
    """Numbers of steps, multiples of LOOKS."""
    if steps is not None:
        counts = [inputs.whole("steps", n) for n in inputs.items("steps", steps, "numbers of steps")]
        wrong = [n for n in counts if n % LOOKS]
        if wrong or not counts:
            raise InputError(
                f"steps has {wrong or 'nothing'}; give multiples of {LOOKS}: errors are taken at {LOOKS} times."
            )
        return sorted(set(counts))
    turned = float(np.linalg.norm(p.Omega0)) * (end - p.t0)
    first = max(1, math.ceil(turned / RADIANS_A_STEP / LOOKS))
    return sorted({LOOKS * round(first * 2 ** (k / 2)) for k in range(LEVELS)})
