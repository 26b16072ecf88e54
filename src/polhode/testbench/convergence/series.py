"""One integrator on one problem: its errors, and what they cost, by step or by tolerance."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import one_line
from polhode.integrators.lookup import Integrator, name_of
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.solve import solve
from polhode.runs.turns import on_purpose
from polhode.testbench.convergence.adaptive import TOLERANCES, AdaptiveRun, Runner
from polhode.testbench.convergence.errors import PANELS, errors
from polhode.testbench.convergence.fit import Fit, fitted

LOOKS = 4
"""Errors are taken at this many times, and the largest counts: at a single time it may be small by accident."""

FEWEST_TIMED_STEPS = 4000
"""The fewest steps of machine code that are timed: fewer take less than the clock resolves."""

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


@on_purpose()
def by_steps(p: Problem, method: Integrator, counts: list[int], end: float, exact: Any, timed: bool) -> Series:
    """The errors of an integrator in steps of h."""
    calls = [0]

    def counting(*at: Any) -> np.ndarray:
        calls[0] += 1
        return p.torque(*at)

    own_count = isinstance(method, Method)
    mine = p if own_count else p.copied(torque=counting)
    largest: list[dict[str, float]] = []
    torques, seconds, notes = [], [], []
    for n in counts:
        calls[0] = 0
        step = (end - p.t0) / n
        s = solve(mine, method, h=step, n_steps=n, save_every=n // LOOKS)
        if not s.success:
            notes.append(f"{n} steps: {s.message}")
            largest.append({})
        else:
            largest.append(errors(p, s.Q[1:], s.Omega[1:], *exact).largest())
        torques.append(s.stats["n_torque"] if own_count else calls[0])
        seconds.append(_timed(mine, method, step, n) if timed and s.success else np.nan)
    h = (end - p.t0) / np.array(counts)
    by_panel = _by_panel(p, largest)
    fits = {key: fitted(h, e, *_limits(key, p)) for key, e in by_panel.items()}
    title = getattr(method, "title", "")
    counted = np.array(torques, dtype=float) if p.has_torque else np.full(len(counts), np.nan)
    return Series(
        name_of(method), title, False, tuple(h), h, by_panel, counted, np.array(seconds), fits, tuple(notes[:1])
    )


def _limits(key: str, p: Problem) -> tuple[float, float]:
    """The largest error that still means something, and the size of the quantity it is an error of."""
    Pi = float(np.linalg.norm(p.tensor @ p.Omega0)) or 1.0
    if key == "momentum":
        return Pi, Pi
    if key == "energy":
        size = max(abs(p.energy(p.Q0, p.Omega0)), 1.0)
        return size, size
    return 1.0, 1.0


def _by_panel(p: Problem, largest: list[dict[str, float]]) -> dict[str, np.ndarray]:
    keys = [key for key in PANELS if key != "energy" or p.has_potential]
    return {key: np.array([row.get(key, np.nan) for row in largest]) for key in keys}


def _timed(p: Problem, method: Integrator, h: float, n: int) -> float:
    """Processor time of n steps, without that of one; for machine code of FEWEST_TIMED_STEPS at least, and scaled."""
    many, repeats = (max(n, FEWEST_TIMED_STEPS), REPEATS) if isinstance(method, Method) else (n, 1)
    best = {1: math.inf, many: math.inf}
    for _ in range(repeats):
        for count in best:
            clock = time.process_time()
            if not solve(p, method, h=h, n_steps=count, save_every=count).success:
                return math.nan
            best[count] = min(best[count], time.process_time() - clock)
    seconds = (best[many] - best[1]) * n / max(1, many - 1)
    return seconds if seconds > 0 else math.nan


def by_tolerances(p: Problem, name: str, run: Runner, times: np.ndarray, exact: Any) -> Series:
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
    largest = [{} if r is None else errors(p, r.Q, r.Omega, *exact).largest() for r in runs]
    value: Callable[[Callable[[AdaptiveRun], Any]], np.ndarray] = lambda f: np.array(
        [np.nan if r is None or f(r) is None else f(r) for r in runs], dtype=float
    )
    return Series(
        name,
        "steps of its own, by tolerance",
        True,
        tolerances,
        (times[-1] - p.t0) / value(lambda r: r.steps),
        _by_panel(p, largest),
        value(lambda r: r.torques) if p.has_torque else np.full(len(runs), np.nan),
        value(lambda r: r.seconds),
        {},
        tuple(notes[:1]),
    )
