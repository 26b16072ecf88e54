"""Accuracy instead of a step: which method, with which step, found by short trial runs on the problem itself.

1. Trial. Over the first part of the interval each candidate is run with finer and finer steps until its error, against
   the finest run there is, is its share of the accuracy asked for. The one that needs the least time is taken.
2. Run and check. The whole interval is run with what was found, and once more much finer. What the two differ by is
   the error of the first, which is returned, if it is small enough. Otherwise both are repeated, finer: errors may
   grow faster than with the time, and a trial knows the beginning only.
3. Another's word. Two runs of one method can both step over a short pulse of a torque that depends on the time. Where
   it may, a run of Gauss's method, finer until the two agree, is asked as well; where they never do, its is taken.
"""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import check_breaks, positive, warn
from polhode.integrators.lookup import Integrator, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.physics.problem import Problem
from polhode.runs.candidates import able, witnesses
from polhode.runs.embedded import FINEST as FINEST_PAIR
from polhode.runs.embedded import Embedded, rkmk54
from polhode.runs.taylor import FINEST, Taylor, series_of, taylor
from polhode.runs.trajectory import Trajectory
from polhode.runs.turns import on_purpose

BEST = 1e-14
"""No accuracy beyond can be asked of floats."""

RADIANS = 6.0
"""How far the body turns in a trial run, if the interval is not shorter."""

SHARE = 0.3
"""The part of the accuracy that is aimed at."""

OF_PAIR, PAIR_IS_ENOUGH = 10 * FINEST_PAIR, 1e-9
"""The smallest tolerance of the pair, so that there is a smaller to know its error by; and for which accuracies its
smallest is exact."""

TRIES, ROUNDS, COMPARED, ASKED = 12, 6, 64, 6
"""Runs of a candidate in the trial; of the whole interval; states that are compared; runs of a witness."""

SMALL, MOST_STEPS = 0.1, 10_000_000
"""An error, in radians, from which on the order of a method tells the step that is wanted; and the steps of a trial for
which it is given up."""

LEAST = 512
"""Steps of a witness: a pulse shorter than an eighth of a step, where it looks at the torque, nobody sees."""


@dataclass(frozen=True)
class Setting:
    """A method with a step, or one that chooses its steps with a tolerance, and what the trial found."""

    method: Method | None  # None: what `maker` makes of a tolerance
    order: float
    size: float  # h, or the tolerance
    error: float = math.nan
    seconds: float = math.inf  # for the whole interval
    maker: Callable[[float], BlackBox] = taylor
    finest: float = FINEST  # tolerance

    @property
    def chooses_steps(self) -> bool:
        """Whether it chooses its own steps."""
        return self.method is None

    @property
    def title(self) -> str:
        """What the method is, in a few words."""
        return self.maker(self.size).title if self.method is None else self.method.title

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.maker.__name__.upper() if self.method is None else self.method.name

    def finer(self, factor: float) -> "Setting":
        """The same with an error smaller by this factor."""
        if self.chooses_steps:
            return dataclasses.replace(self, size=max(self.finest, self.size / factor))
        return dataclasses.replace(self, size=self.size / factor ** (1 / self.order))

    @property
    def words(self) -> str:
        """Method and step."""
        return f"{self.name} with {'tolerance' if self.chooses_steps else 'h ='} {self.size:.3g}"


class Search:
    """The search for a setting, on one problem and one interval."""

    def __init__(
        self, problem: Problem, accuracy: float, length: float, solve: Callable[..., Any], only: Integrator | None
    ) -> None:
        self.problem, self.accuracy, self.length, self.solve, self.only = problem, accuracy, length, solve, only
        self.speed = _speed(problem, length)
        self.begin = self._begin()
        self.allowed = SHARE * accuracy * self.begin / length
        self.told: list[str] = []

    def _begin(self) -> float:
        """How much of the interval a trial takes."""
        wanted = math.copysign(min(abs(self.length), max(RADIANS / self.speed, abs(self.length) / 1000)), self.length)
        for unit in self._units():
            whole = max(1, round(wanted / unit)) * unit
            wanted = whole if abs(whole) < abs(self.length) else self.length
        return wanted

    def _units(self) -> list[float]:
        """What steps must be a whole part of, where the torque jumps: the problem's own step, a controller's period."""
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

    def _may_pace(self) -> bool:
        """Whether steps may have lengths of their own: nothing jumps, and no motors are looked at in every step."""
        return not self._units() and self.problem.control is None

    def best(self, wide: bool = False) -> list[Setting]:
        """Settings that reach the accuracy, the fastest first; see `candidates`."""
        exact = self._finest()
        tried = [self._coarsest(setting, exact) for setting in self.candidates(wide)]
        return sorted((x for x in tried if x is not None), key=lambda x: x.seconds)

    def candidates(self, wide: bool = False) -> list[Setting]:
        """Every method that may be taken, with a first guess; `wide`: of fixed steps, too, where Taylor's would do."""
        first = [Setting(None, 1.0, max(FINEST, self.accuracy / 100))]
        h = math.copysign(1.5 / self.speed, self.length)
        if isinstance(self.only, Taylor):
            return first
        if isinstance(self.only, Embedded):
            return [self._pair]
        if self.only is not None:
            if not isinstance(self.only, Method):
                raise InputError(f"accuracy finds the step of a method of known order; {name_of(self.only)} has none.")
            return [Setting(self.only, _order(self.only, self.problem), h)]
        wide = wide and self.problem.forces.any
        methods = able(self.problem, self.is_formula, wide)
        fixed = [Setting(m, _order(m, self.problem), h) for m in methods]
        if self.is_formula:
            return [*first, *fixed]
        return [*fixed, self._pair] if self.problem.has_torque and self._may_pace() else fixed

    @property
    def _pair(self) -> Setting:
        """The pair that takes any torque; its error is about the tolerance."""
        return Setting(None, 1.0, max(OF_PAIR, self.accuracy / 10), maker=rkmk54, finest=OF_PAIR)

    @property
    def is_formula(self) -> bool:
        """Whether Taylor's method can take the torque; why not is told."""
        try:
            series_of(self.problem)
        except InputError as error:
            self.told.append(str(error))
            return False
        return True

    @property
    def may_be_timed(self) -> bool:
        """Whether the torque depends on the time, or may: what is no formula, and is given the time, may."""
        if not self.problem.has_torque:
            return False
        if self.is_formula:
            return series_of(self.problem).functions_of_time > 1
        given = self.problem.functions  # None: kernels, which are given the time
        return given is None or self.problem.timed_potential_kernel is not None or bool(given.keys() - {"potential"})

    def _finest(self) -> np.ndarray:
        """The attitudes of the finest run there is over the trial's part."""
        if self.is_formula:
            return self.run(Setting(None, 1.0, FINEST), self.begin, 4)[0]
        if self.accuracy >= PAIR_IS_ENOUGH and self._may_pace():  # a torque with kinks wants steps that see them
            return self.run(Setting(None, 1.0, FINEST_PAIR, maker=rkmk54), self.begin, 4)[0]
        best = witnesses()[0]
        h = math.copysign(0.05 / self.speed, self.length)
        return self.run(Setting(best, _order(best, self.problem), h), self.begin, 4)[0]

    def _coarsest(self, setting: Setting, exact: np.ndarray) -> Setting | None:
        """The setting as coarse as the accuracy allows, or None if it does not reach it."""
        for _ in range(TRIES):
            most = 1e4 if setting.chooses_steps else 4.0**setting.order
            try:
                s = self.trajectory(setting, self.begin, 4)
            except InputError:
                return None
            if not s.success:  # a step so long that its equations have no solution
                setting = setting.finer(most)
                continue
            error, seconds = apart(s.Q[1:], exact), s.stats["wall_time"]
            if error <= max(self.allowed, BEST) or (setting.chooses_steps and setting.size <= setting.finest):
                again = [self.trajectory(setting, self.begin, 4).stats for _ in range(2)]
                seconds = min(seconds, *(stats["wall_time"] for stats in again))
                return dataclasses.replace(setting, error=error, seconds=seconds * self._longer(setting, again[0]))
            if error < SMALL and not setting.chooses_steps:
                most = math.inf
            setting = setting.finer(min(max(2 * error / max(self.allowed, BEST), 2.0), most))
            if not setting.chooses_steps and abs(self.begin / setting.size) > MOST_STEPS:
                return None
        return None

    def _longer(self, setting: Setting, stats: dict[str, Any]) -> float:
        """How many times longer the whole run takes than the trial: by its torques, as some methods begin with many."""
        ratio, m = self.length / self.begin, setting.method
        if m is None:
            return ratio
        trial, whole = (
            m.torques_at_start + m.torques(*(round(k * stats[x]) for x in ("n_steps", "n_iterations")))
            for k in (1.0, ratio)
        )
        return whole / trial if trial else ratio

    def run(self, setting: Setting, length: float, rows: int, **more: Any) -> tuple[np.ndarray, float]:
        """The attitudes at so many times, the last at the end, and the seconds it took."""
        s = self.trajectory(setting, length, rows, **more)
        if not s.success:
            raise InputError(s.message)
        return s.Q[1:], s.stats["wall_time"]

    def trajectory(self, setting: Setting, length: float, rows: int, **more: Any) -> Trajectory:
        """A run over so much of the interval, with rows at equal distances."""
        more = {"on_failure": "return"} | more  # of a trial
        if setting.chooses_steps:
            return self.solve(self.problem, setting.maker(setting.size), h=length / rows, n_steps=rows, **more)
        n = self.steps(setting, length, rows)
        return self.solve(self.problem, setting.method, h=length / n, n_steps=n, save_every=n // rows, **more)

    def steps(self, setting: Setting, length: float, rows: int) -> int:
        """How many steps over this length, a multiple of the rows, so that steps begin where the torque jumps."""
        n = rows * max(1, math.ceil(length / setting.size / rows - 1e-9))
        units = self._units()
        if units:
            k = math.lcm(rows, *(_steps_at_least(length, unit) for unit in units))
            n = k * max(1, math.ceil(n / k))
            check_breaks(self.problem, length / n, n)
        return n


def _steps_at_least(length: float, unit: float) -> int:
    """The smallest number of equal steps over this length of which a whole number is a unit."""
    ratio = Fraction(length / unit).limit_denominator(1000)
    if abs(float(ratio) * unit / length - 1) > 1e-10:
        raise InputError(
            f"Equal steps over {abs(length):g} do not fit {abs(unit):g}, the time between jumps of the torque: let the "
            "interval be a whole number of it."
        )
    return ratio.numerator


def _order(method: Method, problem: Problem) -> float:
    """The order, where errors are not at round-off; 2 where nothing is claimed, which only costs a trial more."""
    order = min(method.orders.torque if problem.has_torque else method.orders.free)
    return min(max(order, 1.0), 16.0) if order == order else 2.0


def _speed(problem: Problem, length: float) -> float:
    """Radians a unit of time: what the body has, or what its torque gives it in the time of a turn."""
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


@on_purpose()
def accurate(
    solve: Callable[..., Any],
    problem: Problem,
    only: Integrator | None,
    accuracy: Any,
    length: float,
    rows: int | None,
    more: dict[str, Any],
) -> Trajectory:
    """A run over `length` whose attitudes are right to `accuracy`, with rows at equal distances, or at every step.

    `solve` is that of this package; `more` goes to it with the run that is returned. `only` is the method, if the user
    has chosen one.
    """
    accuracy = positive("accuracy", accuracy)
    if accuracy < BEST:
        raise InputError(f"accuracy is {accuracy:g}; in floats nothing below {BEST:g} can be had.")
    if accuracy > 1:
        raise InputError(f"accuracy is {accuracy:g}; it is an error of the attitude in radians, at most 1.")
    search = Search(problem, accuracy, length, solve, only)
    ranked = search.best()
    if not ranked:
        raise InputError(
            f"No method reached {accuracy:g} in a trial over the first {abs(search.begin):g} of {problem.name!r}. Give "
            f"a method and h, or ask for less.{''.join(' ' + x for x in search.told)}"
        )
    return _checked(search, ranked, rows, more)


def _checked(search: Search, ranked: list[Setting], rows: int | None, more: dict[str, Any]) -> Trajectory:
    """The whole run, and one much finer to know its error; if the fastest does not get there, by the most accurate."""
    timed, results = search.may_be_timed, _rounds(search, ranked[0], ranked, rows, more)
    is_taylor = lambda x: x.chooses_steps and x.maker is taylor
    others = [x for x in ranked[1:] if not is_taylor(ranked[0])]
    if others and min(error for error, _ in results) > search.accuracy:
        accurate = max(others, key=lambda x: (is_taylor(x), x.order))
        results += [x for x in _rounds(search, accurate, ranked, rows, more) if x[1].success]
    error, best = min(results, key=lambda pair: pair[0])
    if best.success and error > search.accuracy:
        warn(
            f"The accuracy {search.accuracy:g} was not reached: the error is about {error:.1g}. Over this interval the "
            "motion magnifies the error of rounding by more than that"
            + (", or the torque has pulses too short to be seen." if timed else ".")
        )
    return best


def _rounds(
    search: Search, setting: Setting, ranked: list[Setting], rows: int | None, more: dict[str, Any]
) -> list[tuple[float, Trajectory]]:
    """Runs with their errors, each finer than the one before, until one is good enough; a failed one is the last."""
    results: list[tuple[float, Trajectory]] = []
    timed = search.may_be_timed
    for _ in range(ROUNDS):
        kept = rows or _natural(search, setting)
        s = search.trajectory(setting, search.length, kept, **more)
        if not s.success:
            return [(-math.inf, s)]
        error, following = _error(search, setting, s, kept), None
        if error <= search.accuracy and timed:
            error, following = _witnessed(search, setting, s, kept, error)
        results.append((error, _with_reasons(s, setting, ranked, search, error)))
        if error <= search.accuracy or (following is None and setting == setting.finer(2.0)):
            break
        if not setting.chooses_steps:
            setting = dataclasses.replace(setting, size=s.h)
        setting = following or setting.finer(max(2.0, 2 * error / search.accuracy))
    return results


def _error(search: Search, setting: Setting, s: Trajectory, kept: int) -> float:
    """What a much finer run differs by, at the rows kept or at some of them; infinite if there is none."""
    return _compared(search, s, kept, _control(setting, s.h))


def _compared(search: Search, s: Trajectory, kept: int, other: Setting) -> float:
    """What a run with another setting differs by, at the rows kept or at some of them; infinite if there is none."""
    look = max(1, -(-kept // COMPARED))
    while kept % look:
        look += 1
    check = search.trajectory(other, search.length, kept // look)
    return max(apart(np.asarray(s.Q[look::look]), check.Q[1:]), 2.0**-52) if check.success else math.inf


def _witnessed(
    search: Search, setting: Setting, s: Trajectory, kept: int, error: float
) -> tuple[float, Setting | None]:
    """The error if another method agrees to the accuracy; else what it differs by at least, and its finest setting."""
    method = next(m for m in witnesses() if m.name != setting.name)
    h = min(0.25 / search.speed, abs(search.length) / LEAST, math.inf if setting.chooses_steps else abs(s.h))
    other = Setting(method, _order(method, search.problem), math.copysign(h, search.length))
    least = math.inf
    for _ in range(ASKED):
        least = min(least, _compared(search, s, kept, other))
        if least <= search.accuracy:
            return error, None
        other = dataclasses.replace(other, size=other.size / 2)
    return least, other if search.only is None else None


def _control(setting: Setting, h: float) -> Setting:
    """A setting of which the error is far smaller; at the finest tolerance one whose rounding is another."""
    if not setting.chooses_steps:
        return dataclasses.replace(setting, size=h / 2)
    if setting.maker is rkmk54:
        return dataclasses.replace(setting, size=max(FINEST_PAIR, setting.size / 1000))
    if setting.size < 100 * FINEST:
        return dataclasses.replace(setting, size=20 * setting.size)
    return setting.finer(1000.0)


def _natural(search: Search, setting: Setting) -> int:
    """How many rows there are if nobody says: one a step."""
    if not setting.chooses_steps:
        return search.steps(setting, search.length, 1)
    s = search.trajectory(setting, search.begin, 1)
    return max(1, round(s.stats["n_iterations"] * search.length / search.begin))


def _with_reasons(s: Trajectory, setting: Setting, ranked: list[Setting], search: Search, error: float) -> Trajectory:
    """The trajectory with its error and the reason why it was made so."""
    trials = ", ".join(f"{x.words}: {x.seconds:.2g} s" for x in ranked)
    why = (
        f"{setting.words}, as trials over the first {abs(search.begin):.3g} of {abs(search.length):.6g} promise for "
        f"the whole: {trials}. The error is what a much finer run differs by."
    )
    return dataclasses.replace(s, stats=s.stats | {"why": why}, error_estimate=error)
