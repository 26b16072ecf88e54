"""`converge` and `work_precision`: errors of any methods on any problem against step, torque evaluations and time."""

import itertools
import math
import time
from collections.abc import Callable, Sequence
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
from polhode.runs.progress import bar
from polhode.runs.solve import solve
from polhode.runs.turns import on_purpose
from polhode.runs.workers import mapped
from polhode.shown import shown
from polhode.testbench.convergence.adaptive import TOLERANCES, AdaptiveRun, Runner, peers
from polhode.testbench.convergence.errors import PANELS, errors
from polhode.testbench.convergence.fit import Fit, fitted

METHODS = ("ELN", "VLV", "RKMK4", "RKN6", "GAUSS8")
"""Those compared if none are named: two of second order, one that is often used, two of high order."""

LOOKS = 4
"""Times at which errors are taken, the largest counts: one alone may be small by accident."""

LEVELS = 15
"""Step sizes, each shorter than the last by a square root of two."""

TURN = 0.8
"""Radians that the body turns at its first speed in the largest step."""

LONGEST = 10.0
"""The span if none is given, unless the problem's own is shorter."""

LONG = 4000
"""Steps of machine code that are timed at least: fewer take less than the clock sees."""

REPEATS = 5
"""Runs of which the fastest counts, for machine code; a function in Python runs once."""


@dataclass(frozen=True)
class Series:
    """One integrator: its errors and what they took, by step or by tolerance."""

    name: str
    title: str
    adaptive: bool
    settings: tuple[float, ...]  # steps h, or tolerances
    h: np.ndarray  # the step, or the mean one
    errors: dict[str, np.ndarray]  # by panel; not a number where it could not be solved
    torques: np.ndarray  # evaluations of the run; not a number where they are not counted
    seconds: np.ndarray  # processor time of the steps; not a number where they were not timed
    fits: dict[str, Fit]  # of fixed steps
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Series of {self.words}, {len(self.settings)} {'tolerances' if self.adaptive else 'steps'}>"

    @property
    def words(self) -> str:
        """The name, and the order of the attitude where there is one."""
        fit = self.fits.get("attitude")
        return f"{self.name} h^{fit.order:.2f}" if fit is not None and fit.decided else self.name

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "tolerance" if self.adaptive else "h": list(self.settings),
            "mean_step": self.h,
            "errors": self.errors,
            "torques": self.torques,
            "seconds": self.seconds,
            "orders": {
                key: {
                    "order": fit.order,
                    "uncertainty": fit.uncertainty,
                    "constant": fit.constant,
                    "floor": fit.floor,
                    "points": sum(fit.used),
                    "note": fit.words,
                }
                for key, fit in self.fits.items()
            },
            "notes": list(self.notes),
        }


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
        """What there is an error of."""
        return [key for key in PANELS if any(key in s.errors for s in self.series)]

    @property
    def kind(self) -> str:
        """The name of the study, as of its files."""
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
        names, Methods, plain functions, BlackBoxes, "module:attribute"; one of them or several
    t_end : float
        end of the interval
    steps : sequence of int
        numbers of steps; by default fifteen, from a step in which the body turns by 0.8 radians on
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
    return _study(problem, methods, t_end, steps, adaptive, progress, timed=False, workers=workers)


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

    The time is that of the steps alone, the least of five runs; few steps are timed as part of more of the same size.
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
    return _study(problem, methods, t_end, steps, adaptive, progress, timed=True)


@on_purpose()
def _study(
    problem: Any, methods: Any, t_end: Any, steps: Any, adaptive: Any, progress: bool, timed: bool, workers: Any = None
) -> Study:
    begin = time.perf_counter()
    p = problem_named(problem)
    given = _integrators(methods)
    progress, adaptive = inputs.flag("progress", progress), inputs.flag("adaptive", adaptive)
    end = _end(p, t_end)
    counts = _counts(p, end, steps)
    times = p.t0 + (end - p.t0) / LOOKS * np.arange(1, LOOKS + 1)
    exact = reference(p, times)
    others = peers() if adaptive else {}
    done = itertools.count(1)
    with bar(progress, len(given) + len(others), f"errors on {p.name}", unit="integrators") as tick:
        tasks = [(p, each, counts, end, exact, timed) for each in given]
        series = mapped(workers, _with_steps, tasks, lambda k, found: tick(next(done)))
        for name, run in others.items():
            series.append(_with_tolerances(p, name, run, times, exact))
            tick(next(done))
    axes = ("torques", "seconds") if timed else ("h",)
    return Study(p, end, tuple(series), axes, time.perf_counter() - begin)


def _integrators(methods: Any) -> list[Integrator]:
    if methods is None:
        methods = METHODS
    several = [methods] if isinstance(methods, str | Method | BlackBox) or callable(methods) else methods
    found = [integrator(m) for m in inputs.items("methods", several, "a method, or several")]
    names = [name_of(m) for m in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two of the methods are called {name!r}: give them names of their own.")
    if not found:
        raise InputError("methods is empty; give at least one.")
    return found


def _end(p: Problem, t_end: float | None) -> float:
    if t_end is None:
        longest = p.t0 + LONGEST
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
                f"steps has {wrong or 'nothing'}; give multiples of {LOOKS}: errors are taken {LOOKS} times."
            )
        return sorted(set(counts))
    turned = float(np.linalg.norm(p.Omega0)) * (end - p.t0)
    first = max(1, math.ceil(turned / TURN / LOOKS))
    return sorted({LOOKS * round(first * 2 ** (k / 2)) for k in range(LEVELS)})


@on_purpose()
def _with_steps(p: Problem, method: Integrator, counts: list[int], end: float, exact: Any, timed: bool) -> Series:
    """The errors of an integrator in steps of h."""
    calls = [0]

    def counting(*at: Any) -> np.ndarray:
        calls[0] += 1
        return p.torque(*at)

    own_count = isinstance(method, Method)
    mine = p if own_count else p.copied(torque=counting)
    found: list[dict[str, float]] = []
    torques, seconds, notes = [], [], []
    for n in counts:
        calls[0] = 0
        step = (end - p.t0) / n
        s = solve(mine, method, h=step, n_steps=n, save_every=n // LOOKS)
        if not s.success:
            notes.append(f"{n} steps: {s.message}")
            found.append({})
        else:
            found.append(errors(p, s.Q[1:], s.Omega[1:], *exact).largest())
        torques.append(s.stats["n_torque"] if own_count else calls[0])
        seconds.append(_timed(mine, method, step, n) if timed and s.success else np.nan)
    h = (end - p.t0) / np.array(counts)
    by_panel = _by_panel(p, found)
    fits = {key: fitted(h, e, *_limits(key, p)) for key, e in by_panel.items()}
    title = getattr(method, "title", "")
    counted = np.array(torques, dtype=float) if p.has_torque else np.full(len(counts), np.nan)
    return Series(
        name_of(method), title, False, tuple(h), h, by_panel, counted, np.array(seconds), fits, tuple(notes[:1])
    )


def _limits(key: str, p: Problem) -> tuple[float, float]:
    """The largest error that means something, and the scale of what it is an error of."""
    Pi = float(np.linalg.norm(p.tensor @ p.Omega0)) or 1.0
    if key == "momentum":
        return Pi, Pi
    if key == "energy":
        size = max(abs(p.energy(p.Q0, p.Omega0)), 1.0)
        return size, size
    return 1.0, 1.0


def _by_panel(p: Problem, found: list[dict[str, float]]) -> dict[str, np.ndarray]:
    keys = [key for key in PANELS if key != "energy" or p.has_potential]
    return {key: np.array([row.get(key, np.nan) for row in found]) for key in keys}


def _timed(p: Problem, method: Integrator, h: float, n: int) -> float:
    """Processor time of n steps: of that many, or of LONG steps of machine code in proportion, less that of one."""
    many, repeats = (max(n, LONG), REPEATS) if isinstance(method, Method) else (n, 1)
    best = {1: math.inf, many: math.inf}
    for _ in range(repeats):
        for count in best:
            clock = time.process_time()
            if not solve(p, method, h=h, n_steps=count, save_every=count).success:
                return math.nan
            best[count] = min(best[count], time.process_time() - clock)
    taken = (best[many] - best[1]) * n / max(1, many - 1)
    return taken if taken > 0 else math.nan


def _with_tolerances(p: Problem, name: str, run: Runner, times: np.ndarray, exact: Any) -> Series:
    """The errors of a solver with steps of its own; a note says where it cannot take the problem."""
    runs: list[AdaptiveRun | None] = []
    notes: list[str] = []
    tolerances = TOLERANCES[:: 1 if name.startswith("scipy") else 3]
    for tolerance in tolerances:
        try:
            runs.append(run(p, times, tolerance))
        except Exception as error:  # of a package that is not ours, or of a torque that it cannot take
            runs.append(None)
            notes.append(f"tolerance {tolerance:g}: {type(error).__name__}: {one_line(str(error))}")
    found = [{} if r is None else errors(p, r.Q, r.Omega, *exact).largest() for r in runs]
    value: Callable[[Callable[[AdaptiveRun], Any]], np.ndarray] = lambda f: np.array(
        [np.nan if r is None or f(r) is None else f(r) for r in runs], dtype=float
    )
    return Series(
        name,
        "steps of its own, by tolerance",
        True,
        tolerances,
        (times[-1] - p.t0) / value(lambda r: r.steps),
        _by_panel(p, found),
        value(lambda r: r.torques) if p.has_torque else np.full(len(runs), np.nan),
        value(lambda r: r.seconds),
        {},
        tuple(notes[:1]),
    )
