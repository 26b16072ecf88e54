"""One step beside the motion, at every state of the battery: what does not converge there is of no order, whatever it
does elsewhere."""

import functools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from polhode.testbench.certificate.battery import State
from polhode.testbench.certificate.falling import RESOLVED_ROUND_OFFS, ROUND_OFF, falling, line
from polhode.testbench.certificate.guard import Refused
from polhode.testbench.certificate.look import Look

WITH_SMALL_STEPS = "with small steps"
STEPS_AT_A_STATE = 5
SMALLER_RADIANS, SMALL_RADIANS, ONE_STEP_RADIANS = 0.0005, 0.004, (0.15, 0.3)  # radians a step, at the states
TINY_RADIANS = (5e-7, 2e-5)  # radians a step, where formulas for small angles take over, at the generic state
FINER_FACTOR = 8.0  # factor between steps that are smaller still, where those do not converge
FINEST_STEP = 1e-3  # of such steps, in units of time
SMALL_STEPS = (0.06, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5)
"""Radians of single steps whose errors are compared with each other."""
THREE_RADIANS = (SMALLER_RADIANS, SMALL_RADIANS, ONE_STEP_RADIANS[0])
LARGE_RATIO = ONE_STEP_RADIANS[0] / (4 * SMALL_RADIANS)  # of the smallest of the large steps to the largest small one
UNEXPECTED_FACTOR = 10  # times what larger steps let expect, from which on the error of a small one is looked at
RUN_RADIANS, RUN_COUNTS = 0.6, (6, 12, 24, 48, 96)  # the rotation in short runs, and their numbers of steps
ADDED_RADIANS = (0.01, 0.006)  # of two steps whose errors should add up
REPEATED_STEPS = 8  # steps after which an error that each of them makes is told from one that the first makes alone
REPEATED_RADIANS = tuple(SMALL_RADIANS / 8.0**k for k in range(4))  # of these, the smallest where a branch is narrow
ALONE_FACTOR, REPEATED_FACTOR = 2.0, 4.0  # times the error of the first, up to which it is alone, and above which not
STAYING_RATIO = 1.5  # below which the errors of two steps, one of them an eighth of the other, are the same
STEADY_POWER = 0.1  # error of the power of h, above which the error of a step is irregular
WHOLE_WITHIN = 0.1  # from a whole number, up to which the order of short runs is that number
ROUGH_SLOPE, LEAST_SLOPE = 0.3, 0.75  # of errors that fall irregularly, but fall: less its error, and itself
FAINT_ERROR = 1e-14  # error that is round-off
RESOLVED_ERROR = 1e-9  # error of a small step that the reference resolves
LOOSE_ERROR = 1e-7  # of a small step, which a tolerance explains, but which is told
SLOW_SPEED = 0.01  # below which tiny steps are looked at, too: from rest there is another formula for slow bodies
CONSISTENT_POWER = 1.4  # power of h by which that error falls at least, where a step is consistent: 2 for order 1
NO_ORDER = 0.5  # an order below is none
OFF_PART = 0.05  # a consistent small step is off by at most this part of its rotation

Of: TypeAlias = Callable[[tuple[float, float]], float]
"""Which of two numbers, of Q and of Omega."""
OMEGA: Of = operator.itemgetter(1)


def off(look: Look, state: State, radians: float, steps: int = 1, of: Of = max) -> float:
    """How far a few steps are from the motion, relative to the speed: of Q and Omega the larger, or the one `of` which
    it is asked."""
    return of(off_each(look, state, radians, steps))


def off_each(look: Look, state: State, radians: float, steps: int = 1) -> tuple[float, float]:
    """The same of Q and of Omega."""
    p, h = state.problem, state.step(radians)
    with look.pace.uncounted():
        Q1, Omega1 = motion(state, radians, steps)
    Q, Omega = look.run(p, p.Q0, p.Omega0, h, steps, p.t0)
    return float(np.abs(Q - Q1).max()), float(np.abs(Omega - Omega1).max() / (radians / h))


@functools.cache
def motion(state: State, radians: float, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Where the body is after so much rotation, which is the same for every integrator."""
    from polhode.reference.reference import by_dop853

    return by_dop853(state.problem, state.problem.t0 + steps * state.step(radians))


@dataclass
class Elsewhere:
    """What single steps at the states of the battery show of an order."""

    order: float  # the lowest
    where: str = ""  # the first state at which it is lower than at the generic one, in words
    refused: list[str] = field(default_factory=list)
    seen: int = 0  # states
    is_untold: bool = False  # whether a step is wrong at some state, and it is not known how often in a run

    @property
    def is_known(self) -> bool:
        """Whether no state has left it open if there is an order at all."""
        return not self.is_untold or self.order < NO_ORDER

    def note(self, order: float, words: str) -> None:
        """A lower order at a state; not a number, where it is not to be told."""
        self.where = self.where or words
        if math.isnan(order):
            self.is_untold = True
        else:
            self.order = min(self.order, order)


@dataclass(frozen=True)
class Errors:
    """How far single steps at a state are from the motion; of a tiny one, the part of its turn that it is off by."""

    tiny: float
    smaller: float
    small: float
    next: float  # of a step four times as large as the small one
    one: float  # of two large ones
    two: float

    @property
    def largest(self) -> float:
        """Of the large steps."""
        return max(self.one, self.two)

    @property
    def order_when_large(self) -> float:
        """The order that the two large steps show; infinity where they are round-off."""
        if min(self.one, self.two) <= 1e-10:
            return math.inf
        return math.log(self.two / self.one) / math.log(ONE_STEP_RADIANS[1] / ONE_STEP_RADIANS[0]) - 1

    @property
    def order_before(self) -> float:
        """The order that the smaller of these shows, beside the largest of the small ones."""
        return math.log(max(self.one, FAINT_ERROR) / max(self.next, FAINT_ERROR)) / math.log(LARGE_RATIO) - 1


def elsewhere(look: Look, case: str, order_there: float, of: Of = max) -> Elsewhere:
    """The lowest order at the states of the battery.

    An order is lower where a small step is off by a good part of the rotation it makes, or by a part of it, however
    small, that does not fall with h (it does not converge), or where one step is off by far more than at the generic
    state and falls too slowly with h, or where a small step is off by far more than larger ones let expect.
    """
    found, usual = Elsewhere(order_there), None
    for state in look.states(case):
        if found.seen and not look.pace.afford(STEPS_AT_A_STATE, are_small=True):
            break
        if state.is_surveyed and not look.pace.has_time_for_survey and state.words not in look.suspects:
            break
        absolute = max(10 * look.character.noise, 2 * look.character.jump)
        noise = max(10 * look.character.floor * 1e-15, absolute * state.step(1.0))
        try:
            errors = _errors(look, state, noise, of, is_generic=not found.seen)
        except Refused as error:
            found.refused.append(f"{state.words} it {error.words}")
            continue
        found.seen += 1
        usual = usual or errors
        words = state.words if found.seen > 1 else WITH_SMALL_STEPS
        least = max(RESOLVED_ERROR, state.left_by_a_tolerance if state.is_surveyed else 0.0)
        if least > RESOLVED_ERROR and LOOSE_ERROR < errors.small < least and _slows(errors, found.order, noise):
            look.loose[case, words] = errors.small
        least = max(1000 * noise, least)
        is_inconsistent = errors.small > least and errors.next < 4**CONSISTENT_POWER * errors.small
        is_wrong = errors.tiny > 0 or is_inconsistent or errors.small > max(OFF_PART * SMALL_RADIANS, 100 * noise)
        slows = _slows(errors, found.order, least)
        is_far = errors.largest > max(100 * max(usual.largest, 1e-9), OFF_PART * ONE_STEP_RADIANS[1])
        at_best = max(errors.order_when_large, errors.order_before)  # a high order may be far off with a large step
        if is_wrong or (is_far and at_best < order_there - 0.7):
            if (not errors.tiny or found.seen > 1) and _converges_later(look, state, order_there, of):
                look.later.append(words)
                continue
            order = _order_of_a_wrong_step(look, state, of) if is_inconsistent else 0.0
        elif slows or (errors.order_when_large < order_there - 0.7 and errors.one > 30 * max(usual.one, 1e-10)):
            order = _order_of_small_steps(look, state, found.order, of)
        else:
            continue
        if not order >= found.order - 0.5 and (found.seen > 1 or is_wrong or slows):
            part = max(errors.tiny, errors.small / SMALL_RADIANS) if is_wrong else errors.two / ONE_STEP_RADIANS[1]
            look.note_difference(case, words, f"one step is off by {_part(part)} its turn")
            found.note(order, words)
    return found


def suspects_of(look: Look, case: str, part: float) -> set[str]:
    """The words of the states at which two small steps are off by a part of their turn that does not fall with h, as
    far as a part of the seconds of the certificate goes: a brief look, where there is no time for a longer one."""
    others = list(look.states(case)[1:])
    most = int(part * look.pace.seconds / max(2 * look.pace.cost.single, 1e-9))
    others.sort(key=lambda state: not state.is_surveyed)  # the others are looked at first in any case
    found = set()
    for state in others[:most]:
        try:
            small, next_ = (off(look, state, x) for x in (SMALL_RADIANS, 4 * SMALL_RADIANS))
        except Refused:
            continue
        least = max(RESOLVED_ERROR, state.left_by_a_tolerance if state.is_surveyed else 0.0)
        if small > least and next_ < 4**CONSISTENT_POWER * small:
            found.add(state.words)
    return found


def _errors(look: Look, state: State, noise: float, of: Of, is_generic: bool) -> Errors:
    """The errors of single steps at a state; of tiny ones at the generic state, and where a body is slow."""
    tiny = _off_when_tiny(look, state, noise, of) if is_generic else 0.0
    if float(np.linalg.norm(state.problem.Omega0)) < SLOW_SPEED:
        tiny = _off_when_tiny(look, state, noise, of, TINY_RADIANS[:1])
    radians = (SMALLER_RADIANS, SMALL_RADIANS, 4 * SMALL_RADIANS, *ONE_STEP_RADIANS)
    return Errors(tiny, *(off(look, state, x, of=of) for x in radians))


def _order_of_small_steps(look: Look, state: State, order_so_far: float, of: Of) -> float:
    """The order at a state where small steps converge more slowly: larger ones may not have begun to converge."""
    order = max(0.0, _order_at(look, state, of))
    if order < NO_ORDER:
        return _order_of_a_wrong_step(look, state, of)
    runs = _order_of_runs(look, state, of, is_rough=True) if order < order_so_far - 0.5 else math.inf
    if runs == math.inf:
        return order
    if runs > order_so_far - 0.5:
        return runs  # what every other step puts right is no error
    return max(order, runs) if abs(runs - round(runs)) < WHOLE_WITHIN else order


def _order_of_a_wrong_step(look: Look, state: State, of: Of) -> float:
    """The order of runs from a state where a step, however small, is off by a part of its turn: none if the steps after
    it are off as well; that of its own error if it is the first alone, as where a branch is taken at a point; that of
    runs where it is irregular. Not a number where that is not to be told."""
    radians = np.array(REPEATED_RADIANS)
    try:
        first, after = (
            np.array([max(off(look, state, x, n, of), FAINT_ERROR) for x in radians]) for n in (1, REPEATED_STEPS)
        )
    except Refused:
        return math.nan
    times, (power, error, _) = after / first, line(radians, first)
    if first[-1] > first[-2] / STAYING_RATIO and times[-1] > 1 / ALONE_FACTOR:
        return 0.0  # not even the error of a step falls, and the next ones do not put it right
    if error > STEADY_POWER:
        runs = _order_of_runs(look, state, of)
        return float(round(runs)) if runs < math.inf and abs(runs - round(runs)) < WHOLE_WITHIN else math.nan
    if times[-1] > REPEATED_FACTOR:
        return 0.0 if power < CONSISTENT_POWER else math.nan
    is_alone = times.max() < ALONE_FACTOR and abs(power - round(power)) < WHOLE_WITHIN
    return max(0.0, float(round(power))) if is_alone else math.nan


def _part(part: float) -> str:
    """A part of a turn in words."""
    return "more than" if part >= 1 else f"{part:.1%} of" if part >= 1e-3 else f"{part:.0e} of"


def _off_when_tiny(look: Look, state: State, noise: float, of: Of, radians: Sequence[float] = TINY_RADIANS) -> float:
    """The part of its turn by which a tiny step is off, if it is: a formula for small angles that is none."""
    off_by = {x: off(look, state, x, of=of) for x in radians}
    return max(d / x if d > max(OFF_PART * x, 100 * noise) else 0.0 for x, d in off_by.items())


def _converges_later(look: Look, state: State, order_there: float, of: Of) -> bool:
    """Whether still smaller steps converge as they should: an integrator with a time of its own, such as that of a
    damping, takes a small rotation of a slow body for a long time."""
    count = max(3, math.ceil(math.log(state.step(SMALL_RADIANS) / FINEST_STEP, FINER_FACTOR)))
    finer = [SMALL_RADIANS / FINER_FACTOR**k for k in range(count - 2, count + 1)]
    try:
        one, two, three = (off(look, state, x, of=of) for x in finer)
    except Refused:
        return False
    pairs = [(a, max(b, FAINT_ERROR)) for a, b in ((one, two), (two, three)) if a > RESOLVED_ERROR]
    rates = [np.log(a / b) / np.log(FINER_FACTOR) - 1 for a, b in pairs]
    return min(rates, default=np.inf) > min(order_there, 1.0) - 0.3


def orders_at(look: Look, state: State) -> tuple[float, float]:
    """The orders of Q and of Omega that single steps at a state show as they get smaller, an error of one step being
    like x^(p+1); infinity where too few are above round-off, or where they still change."""
    found = np.array([off_each(look, state, x) for x in SMALL_STEPS])
    Q, Omega = (falling(np.array(SMALL_STEPS), errors) - 1 for errors in found.T)
    return Q, Omega


def _order_at(look: Look, state: State, of: Of) -> float:
    """The lower of the two, or the one that is asked for; infinity where a step is refused."""
    try:
        orders = orders_at(look, state)
    except Refused:
        return math.inf
    return min(orders) if of is max else of(orders)


def adds_up(look: Look, state: State) -> bool:
    """Whether the error of a small step is still there after the next one, which need not be of the same kind."""
    try:
        errors = [(off(look, state, x), off(look, state, x, 2)) for x in ADDED_RADIANS]
    except Refused:
        return True
    return any(one < RESOLVED_ROUND_OFFS * ROUND_OFF or two > one for one, two in errors)


def _order_of_runs(look: Look, state: State, of: Of, is_rough: bool = False) -> float:
    """The order that short runs from a state show; infinity where they show none, or are refused. A rough one is a
    whole number, of errors that fall, however irregularly."""
    radians = RUN_RADIANS / np.array(RUN_COUNTS)
    try:
        errors = np.array([off(look, state, x, n, of) for x, n in zip(radians, RUN_COUNTS)])
    except Refused:
        return math.inf
    order = falling(radians, errors)
    if order == math.inf and is_rough and errors.min() > 0:
        slope, error, _ = line(radians, errors)
        return float(round(slope)) if slope - error > ROUGH_SLOPE and slope > LEAST_SLOPE else math.inf
    return order


def _slows(errors: Errors, order_there: float, least: float) -> bool:
    """Whether the error of small or smaller steps falls more slowly than that of larger ones: another formula is used
    there."""
    small, smaller = (errors.small, errors.next, errors.one), (errors.smaller, errors.small, errors.one)
    radians = (SMALL_RADIANS, 4 * SMALL_RADIANS, ONE_STEP_RADIANS[0])
    return _falls_slowly(small, radians, order_there, least) or _falls_slowly(
        smaller, THREE_RADIANS, order_there, least
    )


def _falls_slowly(errors: Sequence[float], radians: Sequence[float], order_there: float, least: float) -> bool:
    """Whether the first error is far above what the third lets expect, and the second is not far above it."""
    (first, second, third), (x, y, z) = errors, radians
    expected = third * (x / z) ** (order_there + 1)
    is_resolved = first > max(least, UNEXPECTED_FACTOR * expected)
    return is_resolved and math.log(max(second, FAINT_ERROR) / first) / math.log(y / x) - 1 < order_there - 0.7
