"""Does the energy drift? A verdict on a slope, with its uncertainty.

A method that is symplectic, or conjugate to one, keeps the energy within a bound for exponentially long times.
A steady drift therefore proves that it is neither. A slope fitted to one run proves little: the energy also
oscillates, at several time scales, and some methods leave the regime in which the drift is a constant rate. So what a
modified energy explains is fitted away (``drift.modified``), and every method starts from an ensemble: the problem's
own start, and starts that the motion itself comes to later, with a momentum that differs by 1e-3: neighbouring
motions, each caught in another phase of its oscillations. Every step size has starts of its own, so that a slow
oscillation in the same phase is not mistaken for a second witness. What the runs prove is judged in ``drift.evidence``.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from polhode.errors import InputError
from polhode.inputs import check_bytes, checked_call, flag, interval, items, number, step_sizes, whole
from polhode.integrators.lookup import Integrator, integrator
from polhode.integrators.lookup import method as look_up
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.arguments import given_problem
from polhode.runs.crews.workers import mapped
from polhode.runs.solve import solve
from polhode.runs.turns import on_purpose
from polhode.shown import shown
from polhode.testbench.drift.evidence import Evidence, Row, evidence_of, judged, out_of_bounds
from polhode.testbench.drift.modified import MOST_SAMPLES, terms
from polhode.testbench.drift.starts import Starts
from polhode.testbench.drift.study import ORTOLAN_SACCON

if TYPE_CHECKING:
    from polhode.testbench.drift.family import FamilyResult

SAMPLES = 10_000  # about as many energies are kept of a run, so that memory and time do not grow with the span
FEWEST_STEPS = 200  # with fewer steps a slope in four quarters means nothing
MOST_PROBLEMS = 10_000  # problems drawn at random, at most: more would take days


@overload
def stress(
    methods: Any = None,
    h: Any = ORTOLAN_SACCON.h,
    t_end: float = ORTOLAN_SACCON.t_end,
    ensemble: int = 8,
    problem: str | Problem = "stress",
    random: None = None,
    progress: bool = False,
    *,
    workers: Any = None,
) -> "StressResult": ...


@overload
def stress(
    methods: Any = None,
    h: Any = ORTOLAN_SACCON.h,
    t_end: float = ORTOLAN_SACCON.t_end,
    ensemble: int = 8,
    problem: str | Problem = "stress",
    *,
    random: int,
    progress: bool = False,
    workers: Any = None,
) -> "FamilyResult": ...


@checked_call
@on_purpose()
def stress(
    methods: Any = None,
    h: Any = ORTOLAN_SACCON.h,
    t_end: float = ORTOLAN_SACCON.t_end,
    ensemble: int = 8,
    problem: str | Problem = "stress",
    random: int | None = None,
    progress: bool = False,
    *,
    workers: Any = None,
) -> "StressResult | FamilyResult":
    """Measure the energy drift of methods and return a StressResult.

    Parameters
    ----------
    methods : one or several of: str, Method, callable or BlackBox
        names, Methods or plain step functions; those of Ortolan & Saccon (2012) if not given
    h : sequence of float
        step sizes: with two or more a verdict is confirmed and the exponent of h is fitted
    t_end : float
        end of the interval, a whole number of steps of every size
    ensemble : int
        number of starts; the first is the problem's own
    problem : Problem or str
        a shipped problem's name or a Problem; it must have a potential
    random : int
        this many stress problems drawn at random in place of `problem`, the same every time; returns a FamilyResult
    progress : bool
        show a progress bar
    workers : None, int, executor, Dask client or "dask"
        who measures, as for `sweep`: each method with each step size is a task

    Returns
    -------
    StressResult
        A row for each method, with rate, error and verdict; or a FamilyResult with `random`.

    Raises
    ------
    InputError
        A problem without a potential, or a t_end that is no whole number of steps.

    Examples
    --------
    >>> import polhode as ph
    >>> r = ph.stress(["VLV"], t_end=500, ensemble=2)
    >>> [row.method for row in r.rows]
    ['VLV']
    """
    ensemble, progress = whole("ensemble", ensemble), flag("progress", progress)
    check_bytes(f"ensemble = {ensemble}", 16.0 * SAMPLES * ensemble, "Take fewer starts: 8 are enough for most.")
    if random is not None:
        from polhode.testbench.drift.family import stress_family

        random = whole("random", random, most=MOST_PROBLEMS)
        return stress_family(random, methods, h, t_end, ensemble, progress, workers)
    problem, t_end = given_problem(problem, None), number("t_end", t_end)
    if not problem.has_potential:
        raise InputError(f"The problem {problem.name!r} has no potential U(Q), so it has no energy that could drift.")
    methods = _methods(methods, problem)
    h, counts = _step_sizes(problem, h, t_end)
    starts = Starts(problem, ensemble, h)
    clock = time.perf_counter()
    tasks = [(m, starts, size, n) for m in methods for size, n in zip(h, counts)]
    with _bar(progress, len(methods) * ensemble * sum(counts)) as tick:
        if workers is None:
            evidence = [_measured(*task, tick) for task in tasks]
        else:
            evidence = mapped(workers, _measured, tasks, lambda k, one_evidence: tick(ensemble * tasks[k][-1]))
    rows = [judged(m, evidence[k * len(h) : (k + 1) * len(h)]) for k, m in enumerate(methods)]
    return StressResult(
        problem=problem,
        h=h,
        t_end=t_end,
        ensemble=ensemble,
        rows=tuple(rows),
        wall_time=time.perf_counter() - clock,
    )


@dataclass(frozen=True)
class StressResult:
    """Drift verdicts: `rows` by method, each with its evidence by step size."""

    problem: Problem
    h: tuple[float, ...]
    t_end: float
    ensemble: int
    rows: tuple[Row, ...]
    wall_time: float

    def __getitem__(self, method: str | Integrator) -> Row:
        """The row of a method, by name or alias."""
        for row in self.rows:
            if row.method == str(method):
                return row
        name = look_up(method).name
        for row in self.rows:
            if row.method == name:
                return row
        raise InputError(f"{name} was not in this test; it was of {', '.join(r.method for r in self.rows)}.")

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{row.method} {row.words}" for row in self.rows)
        return f"<StressResult on {self.problem.name}, t = {self.problem.t0:g} to {self.t_end:g}: {verdicts}>"

    def _repr_html_(self) -> str:
        return shown("stress test, verdicts", self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "problem": self.problem.name,
            "t0": self.problem.t0,
            "t_end": self.t_end,
            "h": list(self.h),
            "ensemble": self.ensemble,
            "wall_time": self.wall_time,
            "methods": [row.to_dict() for row in self.rows],
        }

    def table(self) -> Any:
        """A rich table: slopes with uncertainty, exponent of h, verdict."""
        return shown("stress test, a table", self)

    def figure(self) -> Any:
        """A Matplotlib figure: a row per method, a column per step size."""
        return shown("stress test, a figure", self)

    def save(self, folder: str | os.PathLike[str]) -> dict[str, Path]:
        """Write stress.png, stress.svg, stress.html and stress.json into a folder; returns their paths."""
        return shown("stress test, files", self, folder)


# ---- measuring ---------------------------------------------------------------------------------------


@on_purpose()
def _measured(
    method: Integrator, starts: Starts, h: float, n: int, tick: Callable[[int], None] = lambda n: None
) -> Evidence:
    """Run the ensemble with one step size; the first unstable run ends it."""
    every = max(1, n // SAMPLES)
    energies, explained = [], []
    for p in starts.of(h):
        s = solve(p, method, h=h, n_steps=n, save_every=every, on_failure="return")
        if s.stats["interrupted"]:
            raise KeyboardInterrupt
        if s.message and s.stats["n_steps"] == 0 and not isinstance(method, Method):
            raise InputError(s.message)  # the method is not unstable: it does not run
        with np.errstate(all="ignore"):
            energies.append(s.energy_error)
        tick(n)
        if s.message or out_of_bounds(s.t, energies[-1], starts.energy):
            tick(n * (starts.count - len(energies)))
            break
        if p.has_torque:
            some = slice(None, None, -(-len(s.t) // MOST_SAMPLES))
            explained.append(terms(p, s.Q[some], s.Omega[some]))
    return evidence_of(s.t, energies, h, n, s.message, starts, explained or None)


# ---- arguments ---------------------------------------------------------------------------------------


def _methods(methods: Any, problem: Problem) -> list[Integrator]:
    if methods is None:
        methods = ORTOLAN_SACCON.methods
    if isinstance(methods, (str, Method)) or callable(methods):
        methods = [methods]
    methods = [integrator(m) for m in items("methods", methods, "a method or a sequence of them")]
    if not methods:
        raise InputError("No method was given; give at least one, or leave methods out for those of the paper.")
    for m in methods:
        if isinstance(m, Method) and m.free_only and problem.has_torque:
            raise InputError(f"{m.name} is for a free body only, and {problem.name!r} has a torque. Leave it out.")
    return list({_identity(m): m for m in methods}.values())


def _identity(method: Integrator) -> Any:
    """By what a method that is given twice is known: itself, or its address if it cannot be hashed, as an instance of
    a dataclass that compares its fields."""
    try:
        hash(method)
    except TypeError:
        return id(method)
    return method


def _step_sizes(problem: Problem, h: Any, t_end: float) -> tuple[tuple[float, ...], list[int]]:
    """The step sizes in increasing order, and the number of steps of each."""
    sizes = step_sizes(h)
    counts = [interval(problem, x, t_end, None)[1] for x in sizes]
    if min(counts) < FEWEST_STEPS:
        raise InputError(
            f"t_end = {t_end:g} is only {min(counts)} steps of h = {sizes[-1]:g}; a drift needs at least "
            f"{FEWEST_STEPS}. Lengthen the span or reduce h."
        )
    return sizes, counts


class _bar:
    """A progress bar, or none; its context gives a function to call with the number of steps just taken."""

    def __init__(self, wanted: bool, total: int) -> None:
        self.bar, self.done = None, 0
        if wanted:
            from polhode.runs.progress_bar import Bar

            self.bar = Bar(total, "stress test")

    def __enter__(self) -> Callable[[int], None]:
        show = self.bar.__enter__() if self.bar else lambda done: None

        def tick(n: int) -> None:
            self.done += n
            show(self.done)

        return tick

    def __exit__(self, *exception: Any) -> Any:
        return self.bar.__exit__(*exception) if self.bar else False
