"""Trials: which method, with which step, reaches an accuracy the soonest, by short runs on the problem itself.

Over the first part of the interval each candidate is run with finer and finer steps, until its error against the
finest run there is falls below its share of the accuracy.
"""

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import check_breaks
from polhode.integrators.lookup import Integrator, name_of
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.own_steps.embedded import FINEST_RTOL, Embedded, rkmk54
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.taylor import FINEST_TOLERANCE, Taylor
from polhode.runs.runners.taylor_series import series_of
from polhode.runs.to_accuracy.candidates import able, witnesses
from polhode.runs.to_accuracy.setting import Setting, order_of

BEST_ACCURACY = 1e-14
"""The best accuracy that floats can give."""

TRIAL_RADIANS = 6.0
"""How far the body turns in a trial, if the interval is not shorter."""

TRIAL_SHARE = 0.3
"""The part of the accuracy that a trial aims at."""

SMALLEST_RTOL, ACCURACY_OF_PAIR = 10 * FINEST_RTOL, 1e-9
"""The smallest tolerance that the embedded pair is given here, so that a run with a smaller one can tell its error; and
the accuracies for which its finest run counts as exact."""

MOST_TRIES = 12
"""Runs of a candidate."""

SMALL_ERROR, MOST_STEPS = 0.1, 10_000_000
"""An error, in radians, below which the order of a method predicts the step it needs; and the number of steps at which
a trial is given up."""


class Search:
    """The search for a setting, on one problem and one interval."""

    def __init__(
        self, problem: Problem, accuracy: float, length: float, solve: Callable[..., Any], only: Integrator | None
    ) -> None:
        self.problem, self.accuracy, self.length, self.solve, self.only = problem, accuracy, length, solve, only
        self.speed = _speed(problem, length)
        self.begin = self._begin()
        self.allowed = TRIAL_SHARE * accuracy * self.begin / length
        self.reasons: list[str] = []  # why methods were left out

    def _begin(self) -> float:
        """How much of the interval a trial takes."""
        wanted = math.copysign(
            min(abs(self.length), max(TRIAL_RADIANS / self.speed, abs(self.length) / 1000)), self.length
        )
        for unit in self._units():
            whole = max(1, round(wanted / unit)) * unit
            wanted = whole if abs(whole) < abs(self.length) else self.length
        return wanted

    def _units(self) -> list[float]:
        """Times between jumps of the torque, which a whole number of steps must fill: the problem's h, a period."""
        units = []
        if self.problem.breaks:
            if self.problem.h is None:
                raise InputError(
                    f"The torque of {self.problem.name!r} jumps: give the problem a step h that fits the jumps."
                )
            units.append(self.problem.h)
        if self.problem.control is not None and self.problem.control.period:
            units.append(self.problem.control.period)
        return [math.copysign(x, self.length) for x in units]

    def until(self, t: float) -> float:
        """The length of a run that ends at this time; where steps must meet jumps, of the whole run."""
        return self.length if self._units() or t == self.problem.t0 else t - self.problem.t0

    def _may_pace(self) -> bool:
        """Whether steps may have lengths of their own: nothing jumps, and no motor is evaluated in every step."""
        return not self._units() and self.problem.control is None

    def best(self, wide: bool = False) -> list[Setting]:
        """Settings that reach the accuracy, the fastest first; see `candidates`."""
        exact = self._finest()
        tried = [self._coarsest(setting, exact) for setting in self.candidates(wide)]
        return sorted((x for x in tried if x is not None), key=lambda x: x.seconds)

    def candidates(self, wide: bool = False) -> list[Setting]:
        """Every method that may do, with a first guess. `wide`: those of fixed steps even where Taylor's would do."""
        first = [Setting(None, 1.0, max(FINEST_TOLERANCE, self.accuracy / 100))]
        h = math.copysign(1.5 / self.speed, self.length)
        if isinstance(self.only, Taylor):
            return first
        if isinstance(self.only, Embedded):
            return [self._pair]
        if self.only is not None:
            if not isinstance(self.only, Method):
                raise InputError(f"accuracy finds the step of a method of known order; {name_of(self.only)} has none.")
            return [Setting(self.only, order_of(self.only, self.problem), h)]
        wide = wide and self.problem.forces.any
        methods = able(self.problem, self.is_formula, wide)
        fixed = [Setting(m, order_of(m, self.problem), h) for m in methods]
        if self.is_formula:
            return [*first, *fixed]
        return [*fixed, self._pair] if self.problem.has_torque and self._may_pace() else fixed

    @property
    def _pair(self) -> Setting:
        """The pair that takes any torque; its error is about the tolerance."""
        return Setting(None, 1.0, max(SMALLEST_RTOL, self.accuracy / 10), maker=rkmk54, finest=SMALLEST_RTOL)

    @property
    def is_formula(self) -> bool:
        """Whether Taylor's method can take the torque; if not, `reasons` says why."""
        try:
            series_of(self.problem)
        except InputError as error:
            self.reasons.append(str(error))
            return False
        return True

    @property
    def may_be_timed(self) -> bool:
        """Whether the torque may depend on the time: a formula is looked into, of a function that takes t it may."""
        if not self.problem.has_torque:
            return False
        if self.is_formula:
            return series_of(self.problem).functions_of_time > 1
        functions = self.problem.functions  # None: kernels, which take the time
        if functions is None or self.problem.timed_potential_kernel is not None:
            return True
        return bool(functions.keys() - {"potential"})

    def _finest(self) -> np.ndarray:
        """The attitudes of the finest run there is over the trial's part."""
        if self.is_formula:
            return self.run(Setting(None, 1.0, FINEST_TOLERANCE), self.begin, 4)[0]
        if self.accuracy >= ACCURACY_OF_PAIR and self._may_pace():  # a torque with kinks wants steps that see them
            return self.run(Setting(None, 1.0, FINEST_RTOL, maker=rkmk54), self.begin, 4)[0]
        best = witnesses()[0]
        h = math.copysign(0.05 / self.speed, self.length)
        return self.run(Setting(best, order_of(best, self.problem), h), self.begin, 4)[0]

    def _coarsest(self, setting: Setting, exact: np.ndarray) -> Setting | None:
        """The setting as coarse as the accuracy allows, or None if it does not reach it."""
        for _ in range(MOST_TRIES):
            most = 1e4 if setting.chooses_steps else 4.0**setting.order
            try:
                s = self.trajectory(setting, self.begin, 4)
            except InputError:  # a method that does not take this problem
                if self.only is not None:
                    raise
                return None
            if not s.success:  # a step so long that its equations have no solution
                setting = setting.finer(most)
                continue
            error, seconds = apart(s.Q[1:], exact), s.stats["wall_time"]
            if error <= max(self.allowed, BEST_ACCURACY) or (setting.chooses_steps and setting.size <= setting.finest):
                again = [self.trajectory(setting, self.begin, 4).stats for _ in range(2)]
                seconds = min(seconds, *(stats["wall_time"] for stats in again))
                return dataclasses.replace(setting, error=error, seconds=seconds * self._longer(setting, again[0]))
            if error < SMALL_ERROR and not setting.chooses_steps:
                most = math.inf
            setting = setting.finer(min(max(2 * error / max(self.allowed, BEST_ACCURACY), 2.0), most))
            if not setting.chooses_steps and abs(self.begin / setting.size) > MOST_STEPS:
                return None
        return None

    def _longer(self, setting: Setting, stats: dict[str, Any]) -> float:
        """How many times longer the whole run takes than the trial: by torques, since some methods begin with many."""
        ratio, m = self.length / self.begin, setting.method
        if m is None:
            return ratio
        trial, whole = (
            m.torques_at_start + m.torques(*(round(k * stats[x]) for x in ("n_steps", "n_iterations")))
            for k in (1.0, ratio)
        )
        return whole / trial if trial else ratio

    def run(self, setting: Setting, length: float, rows: int, **more: Any) -> tuple[np.ndarray, float]:
        """The attitudes at `rows` times, the last at the end, and the seconds it took."""
        s = self.trajectory(setting, length, rows, **more)
        if not s.success:
            raise InputError(s.message)
        return s.Q[1:], s.stats["wall_time"]

    def trajectory(self, setting: Setting, length: float, rows: int, parts: int = 1, **more: Any) -> Trajectory:
        """A run over this length of the interval, with rows at equal distances.

        Where rows are close, they keep the steps of the pair short, whatever its tolerance: a run that is to be finer
        must be given more `parts`, of which no step is longer than one.
        """
        more = {"on_failure": "return"} | more  # a trial may fail
        if setting.chooses_steps:
            parts = parts if setting.maker is rkmk54 else 1
            n, method = rows * parts, setting.maker(setting.size)
            return self.solve(self.problem, method, h=length / n, n_steps=n, save_every=parts, **more)
        n = self.steps(setting, length, rows)
        return self.solve(self.problem, setting.method, h=length / n, n_steps=n, save_every=n // rows, **more)

    def steps(self, setting: Setting, length: float, rows: int) -> int:
        """How many steps over this length: a multiple of the rows, and such that steps begin where the torque jumps."""
        n = rows * max(1, math.ceil(length / setting.size / rows - 1e-9))
        units = self._units()
        if units:
            k = math.lcm(rows, *(_steps_at_least(length, unit) for unit in units))
            n = k * max(1, math.ceil(n / k))
            check_breaks(self.problem, length / n, n)
        return n


def _steps_at_least(length: float, unit: float) -> int:
    """The smallest number of equal steps over this length of which a whole number fills a unit."""
    ratio = Fraction(length / unit).limit_denominator(1000)
    if abs(float(ratio) * unit / length - 1) > 1e-10:
        raise InputError(
            f"Equal steps over {abs(length):g} do not fit {abs(unit):g}, the time between jumps of the torque: let the "
            "interval be a whole number of it."
        )
    return ratio.numerator


def _speed(problem: Problem, length: float) -> float:
    """Radians per unit of time: the speed the body has, or what its torque gives it in the time of a turn."""
    start = problem.t0, problem.Q0, problem.Omega0
    torque = problem.torque(*start)
    if problem.control is not None:
        wheels = problem.internal.wheels
        said = problem.said(*start)
        torque = torque - wheels.rate_of(said) if problem.control.wheels and wheels is not None else torque + said
    pushed = math.sqrt(float(np.abs(torque).max() / problem.moments.min()))
    return max(float(np.linalg.norm(problem.Omega0)), pushed, 1e-3 / abs(length))


def apart(A: np.ndarray, B: np.ndarray) -> float:
    """The largest angle between attitudes of two stacks; infinite where one is not finite."""
    chord = np.sqrt(((A - B) ** 2).sum(axis=(-2, -1)).max())  # 2 sqrt 2 sin(angle/2)
    if not np.isfinite(chord):
        return math.inf
    return float(2 * math.asin(min(1.0, chord / math.sqrt(8))))
