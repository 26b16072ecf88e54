"""Accuracy instead of a step.

1. Trials (``trials.py``) over the first part of the interval tell which method, with which step, is the fastest.
2. Run and check. The whole interval is run with that setting, and once more much finer. The difference of the two is
   the error of the first, which is returned if that is small enough. Otherwise both are repeated, finer: errors may
   grow faster than time does, and a trial knows only the beginning.
3. A witness. Two runs of one method can both step over a short pulse of a torque that depends on the time. Where the
   torque may, Gauss's method is run as well, finer and finer until the two agree; if they never do, its run is taken.
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import warn
from polhode.runs.own_steps.embedded import FINEST_RTOL, rkmk54
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.taylor import FINEST_TOLERANCE, taylor
from polhode.runs.to_accuracy.candidates import witnesses
from polhode.runs.to_accuracy.setting import Setting, order_of
from polhode.runs.to_accuracy.trials import Search, apart
from polhode.runs.turns import on_purpose

MOST_ROUNDS, COMPARED_STATES, WITNESS_RUNS = 6, 64, 6
"""Runs of the whole interval; states that are compared, at the least; runs of a witness."""

FEWEST_WITNESS_STEPS = 512
"""The fewest steps of a witness: a pulse of the torque shorter than an eighth of such a step may stay unseen."""


@dataclass(frozen=True)
class Round:
    """A run of the whole interval, its error, and what it was made with."""

    error: float
    run: Trajectory
    setting: Setting


@on_purpose()
def accurate(search: Search, rows: int | None, more: dict[str, Any], looks: dict[str, Any]) -> Trajectory:
    """A run whose attitudes are right to the accuracy of the search, with `rows` at equal distances, or at every step.

    `more` are arguments of `solve` for the run that is returned. `looks` are times or events; with them the run that
    was found is made once more.
    """
    ranked = search.best()
    if not ranked:
        raise InputError(
            f"No method reached {search.accuracy:g} in a trial over the first {abs(search.begin):g} of "
            f"{search.problem.name!r}. Give a method and h, or ask for less.{''.join(' ' + x for x in search.reasons)}"
        )
    if not looks:
        return _told(search, _found(search, ranked, rows, more))
    found = _found(search, ranked, rows, {"on_failure": more["on_failure"]})
    return _told(search, _once_more(search, found, looks | more) if found.run.success else found)


def _found(search: Search, ranked: list[Setting], rows: int | None, more: dict[str, Any]) -> Round:
    """The whole run, with its error, by the fastest setting; if that misses the accuracy, by the most accurate one."""
    results = _rounds(search, ranked[0], ranked, rows, more)
    is_taylor = lambda x: x.chooses_steps and x.maker is taylor
    others = [x for x in ranked[1:] if not is_taylor(ranked[0])]
    if others and min(x.error for x in results) > search.accuracy:
        accurate = max(others, key=lambda x: (is_taylor(x), x.order))
        results += [x for x in _rounds(search, accurate, ranked, rows, more) if x.run.success]
    return min(results, key=lambda x: x.error)


def _told(search: Search, best: Round) -> Trajectory:
    """The run, with a warning if it misses the accuracy."""
    if best.run.success and best.error > search.accuracy:
        timed = search.may_be_timed
        warn(
            f"The accuracy {search.accuracy:g} was not reached: the error is about {best.error:.1g}. Over this "
            "interval the motion magnifies rounding errors beyond it"
            + (", or the torque has pulses too short to be seen." if timed else ".")
        )
    return best.run


def _once_more(search: Search, found: Round, more: dict[str, Any]) -> Round:
    """The run that was found, with times or events between its steps, and with the error of the states it now keeps.

    Where another method has been a witness, an error that misses the accuracy stays as it is: the witness saw more.
    """
    first, error = found.run, found.error
    steps, rows = round(search.length / first.h), len(first.t) - 1  # intervals of h, whatever steps a pair chooses
    s = search.solve(search.problem, first.integrator, h=first.h, n_steps=steps, save_every=steps // rows, **more)
    if len(s.t) and (error <= search.accuracy or not search.may_be_timed):
        error = _error_at_times(search, _control(found.setting, first.h), rows, s)
    told = dataclasses.replace(s, stats=s.stats | {"why": first.stats["why"]}, error_estimate=error)
    return Round(error, told, found.setting)


def _error_at_times(search: Search, finer: Setting, rows: int, s: Trajectory) -> float:
    """What a finer run differs by, at some of the times kept; infinite if it fails.

    It ends with the last of them, in two steps or more: times inside its first step would see that step's error alone,
    which is the same in both runs.
    """
    some = np.arange(len(s.t))[:: -max(1, len(s.t) // COMPARED_STATES)][::-1]  # the last is one of them
    length = search.until(float(s.t[-1]))
    check = search.trajectory(finer, length, max(2, math.ceil(rows * length / search.length)), 2, t_eval=s.t[some])
    return _difference(np.asarray(s.Q)[some], check.Q) if check.success else math.inf


def _rounds(
    search: Search, setting: Setting, ranked: list[Setting], rows: int | None, more: dict[str, Any]
) -> list[Round]:
    """Runs with their errors, each finer than the one before, until one is good enough; a failed one is the last."""
    results: list[Round] = []
    timed = search.may_be_timed
    for _ in range(MOST_ROUNDS):
        count = rows or _natural(search, setting)
        s = search.trajectory(setting, search.length, count, **more)
        if not s.success:
            return [Round(-math.inf, s, setting)]
        error, following = _error(search, setting, s, count), None
        if error <= search.accuracy and timed:
            error, following = _witnessed(search, setting, s, count, error)
        results.append(Round(error, _with_reasons(s, setting, ranked, search, error), setting))
        if error <= search.accuracy or (following is None and setting == setting.finer(2.0)):
            break
        if not setting.chooses_steps:
            setting = dataclasses.replace(setting, size=s.h)
        setting = following or setting.finer(max(2.0, 2 * error / search.accuracy))
    return results


def _error(search: Search, setting: Setting, s: Trajectory, count: int) -> float:
    """What a much finer run differs by, at some of the rows; infinite if it fails."""
    return _compared(search, s, count, _control(setting, s.h))


def _compared(search: Search, s: Trajectory, count: int, other: Setting) -> float:
    """What a run with another setting differs by, at some of the rows; infinite if it fails."""
    look = max(1, -(-count // COMPARED_STATES))
    while count % look:  # downwards: a number of rows without divisors is compared at every row, not at the end alone
        look -= 1
    check = search.trajectory(other, search.length, count // look, 2 * look)
    return _difference(np.asarray(s.Q[look::look]), check.Q[1:]) if check.success else math.inf


def _difference(A: np.ndarray, B: np.ndarray) -> float:
    """The largest angle between attitudes of two runs; no less than what floats can tell."""
    return max(apart(A, B), 2.0**-52)


def _witnessed(
    search: Search, setting: Setting, s: Trajectory, count: int, error: float
) -> tuple[float, Setting | None]:
    """The error, if another method agrees to the accuracy; else the least they differ by, and that method's setting."""
    method = next(m for m in witnesses() if m.name != setting.name)
    h = min(
        0.25 / search.speed, abs(search.length) / FEWEST_WITNESS_STEPS, math.inf if setting.chooses_steps else abs(s.h)
    )
    other = Setting(method, order_of(method, search.problem), math.copysign(h, search.length))
    least = math.inf
    for _ in range(WITNESS_RUNS):
        least = min(least, _compared(search, s, count, other))
        if least <= search.accuracy:
            return error, None
        other = dataclasses.replace(other, size=other.size / 2)
    return least, other if search.only is None else None


def _control(setting: Setting, h: float) -> Setting:
    """A setting whose error is far smaller; near the finest tolerance, which has none, one that rounds otherwise."""
    if not setting.chooses_steps:
        return dataclasses.replace(setting, size=h / 2)
    if setting.maker is rkmk54:
        return dataclasses.replace(setting, size=max(FINEST_RTOL, setting.size / 1000))
    if setting.size < 100 * FINEST_TOLERANCE:
        return dataclasses.replace(setting, size=20 * setting.size)
    return setting.finer(1000.0)


def _natural(search: Search, setting: Setting) -> int:
    """How many rows there are by default: one per step."""
    if not setting.chooses_steps:
        return search.steps(setting, search.length, 1)
    s = search.trajectory(setting, search.begin, 1)
    return max(1, round(s.stats["n_iterations"] * search.length / search.begin))


def _with_reasons(s: Trajectory, setting: Setting, ranked: list[Setting], search: Search, error: float) -> Trajectory:
    """The trajectory with its error, and with why this setting was chosen."""
    trials = ", ".join(f"{x.words}: {x.seconds:.2g} s" for x in ranked)
    why = (
        f"{setting.words}, as trials over the first {abs(search.begin):.3g} of {abs(search.length):.6g} promise for "
        f"the whole: {trials}. The error is what a much finer run differs by."
    )
    return dataclasses.replace(s, stats=s.stats | {"why": why}, error_estimate=error)
