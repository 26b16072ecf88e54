"""One step beside the motion, at every state of the battery: what does not converge there is of no order, whatever it
does elsewhere. What remembers is run for some steps there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polhode.testbench.certificate.orders.beside_the_motion import Of, noise_of, off
from polhode.testbench.certificate.orders.by_runs import by_runs
from polhode.testbench.certificate.orders.lower import LEAST_ORDER, Elsewhere
from polhode.testbench.certificate.orders.near_a_state import (
    CONSISTENT_POWER,
    FAINT_ERROR,
    RESOLVED_ERROR,
    RESOLVED_NOISES,
    SMALL_RADIANS,
    order_of_a_wrong_step,
    order_of_finer_steps,
    order_of_runs,
    order_of_small_steps,
)
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

WITH_SMALL_STEPS = "with small steps"
STEPS_AT_A_STATE = 5
SMALLER_RADIANS, ONE_STEP_RADIANS = 0.0005, (0.15, 0.3)  # radians a step, at the states
LARGER_RADIANS = (*ONE_STEP_RADIANS[::-1], ONE_STEP_RADIANS[0] / 2)  # where smaller ones are refused
TINY_RADIANS = (5e-7, 2e-5)  # radians a step, where formulas for small angles take over, at the generic state
THREE_RADIANS = (SMALLER_RADIANS, SMALL_RADIANS, ONE_STEP_RADIANS[0])
WORSE_FACTOR = 30.0  # times the error at the generic state, from which on one that stays is of another state alone
LARGE_RATIO = ONE_STEP_RADIANS[0] / (4 * SMALL_RADIANS)  # of the smallest of the large steps to the largest small one
UNEXPECTED_FACTOR = 10  # times what larger steps let expect, from which on the error of a small one is looked at
LOOSE_ERROR = 1e-7  # of a small step, which a tolerance explains, but which is told
SLOW_SPEED = 0.01  # below which tiny steps are looked at, too: from rest there is another formula for slow bodies
LOWER_BY = 0.7  # by which the order that large steps show must be lower, for small ones to be looked at
RESOLVED_LARGE_ERROR, RESOLVED_SMALL_ERROR = 1e-10, 1e-12  # of steps, above which they show an order
OFF_PART = 0.05  # a consistent small step is off by at most this part of its rotation


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
    def part_when_small(self) -> float:
        """The part of their turn by which small steps are off."""
        return max(self.tiny, self.smaller / SMALLER_RADIANS, self.small / SMALL_RADIANS)

    def are_worse(self, usual: "Errors") -> bool:
        """Whether they are far larger than usual, those of large steps or those of small ones."""
        is_worse = self.one > WORSE_FACTOR * max(usual.one, RESOLVED_LARGE_ERROR)
        return is_worse or self.part_when_small > WORSE_FACTOR * usual.part_when_small

    @property
    def order_when_large(self) -> float:
        """The order that the two large steps show; infinity where they are round-off."""
        if min(self.one, self.two) <= RESOLVED_LARGE_ERROR:
            return math.inf
        return math.log(self.two / self.one) / math.log(ONE_STEP_RADIANS[1] / ONE_STEP_RADIANS[0]) - 1

    @property
    def order_before(self) -> float:
        """The order that the smaller of these shows, beside the largest of the small ones."""
        return math.log(max(self.one, FAINT_ERROR) / max(self.next, FAINT_ERROR)) / math.log(LARGE_RATIO) - 1

    def order_shown(self, least: float) -> float:
        """The order that large steps show, or larger ones and a small one, if that is above the least."""
        before = self.order_before if self.next > max(RESOLVED_SMALL_ERROR, least) else math.inf
        return min(before, self.order_when_large if self.one > least else math.inf)


@dataclass(frozen=True)
class StateAsked:
    """A state of a case, in words, and which of Q and Omega is looked at there."""

    case: str
    state: State
    words: str
    of: Of

    @property
    def is_generic(self) -> bool:
        """Whether it is the state at which the order is known by runs: it is told in other words."""
        return self.words == WITH_SMALL_STEPS


def elsewhere(look: Look, case: str, order_there: float, of: Of = max) -> Elsewhere:
    """The lowest order at the states of the battery.

    An order is lower where a small step is off by a good part of the rotation it makes, or by a part of it, however
    small, that does not fall with h (it does not converge), or where a small step is off by far more than larger ones
    let expect, or where steps fall too slowly with h, which still smaller ones confirm.
    """
    if look.character.memory:
        return by_runs(look, case, order_there, of)
    found, usual = Elsewhere(order_there), None
    generic, *_ = look.states(case)
    for state in look.states(case):
        if found.seen and not look.pace.afford(STEPS_AT_A_STATE, are_small=True):
            break
        if state.is_surveyed and not look.pace.has_time_for_survey and state.words not in look.suspects:
            break
        words = WITH_SMALL_STEPS if state is generic else state.words
        try:
            errors = _errors(look, state, of, is_generic=state is generic)
        except Refused as error:
            order, part = _by_larger_steps(look, state, order_there, of)
            if math.isnan(order) or (state is generic and order < found.order):
                found.refused.append(f"{state.words} it {error.words}")
                continue
        else:
            usual = usual or errors
            order, part = _order_and_part(
                look, StateAsked(case, state, words, of), errors, usual, found.order, order_there
            )
        found.seen += 1
        if not order >= order_there - 0.5:
            look.wrong_at.add(state.place)
        if not order >= found.order - 0.5:
            look.note_difference(case, words, f"one step is off by {_part(part)} its turn")
            found.note(order, words)
    return found


def _order_and_part(
    look: Look, asked: StateAsked, errors: Errors, usual: Errors, so_far: float, order_there: float
) -> tuple[float, float]:
    """The order at a state, infinity where it is as expected, not a number where it is lower and not to be told; and
    the part of its turn by which a step is off there."""
    state, of = asked.state, asked.of
    noise, left = noise_of(look, state), state.left_by_a_tolerance if state.is_surveyed else 0.0
    least = max(RESOLVED_ERROR, left)
    if least > RESOLVED_ERROR and LOOSE_ERROR < errors.small < least and _slows(errors, so_far, noise):
        look.loose[asked.case, asked.words] = errors.small
    least = max(1000 * noise, least)
    is_inconsistent = errors.small > least and errors.next < 4**CONSISTENT_POWER * errors.small
    is_wrong = errors.tiny > 0 or is_inconsistent or errors.small > max(OFF_PART * SMALL_RADIANS, 100 * noise)
    slows = _slows(errors, so_far, least)
    is_far = errors.largest > max(100 * max(usual.largest, 1e-9), OFF_PART * ONE_STEP_RADIANS[1])
    at_best = max(errors.order_when_large, errors.order_before)  # a high order may be far off with a large step
    faintest = max(noise, left / RESOLVED_NOISES)  # below which small steps show nothing
    if is_wrong or (is_far and at_best < order_there - LOWER_BY):
        finer = order_of_finer_steps(look, state, order_there, of) if not (errors.tiny and asked.is_generic) else 0.0
        if not is_wrong:  # small steps are resolved, and so are runs
            resolved = order_of_small_steps(look, state, so_far, of, faintest)
            finer = resolved if resolved < math.inf else finer
        if finer > order_there - 0.5:
            look.later.append(asked.words)
            return math.inf, 0.0
        order = finer or (order_of_a_wrong_step(look, state, of) if is_inconsistent else 0.0)
    elif slows or errors.order_shown(100 * faintest) < order_there - LOWER_BY:
        order = order_of_small_steps(look, state, so_far, of, faintest)
    else:
        return math.inf, 0.0
    if not (is_wrong or slows) and (asked.is_generic or (order < LEAST_ORDER and not errors.are_worse(usual))):
        return math.inf, 0.0  # its order is known by runs, and that an error stays is told with it
    return order, errors.part_when_small if is_wrong or slows else errors.two / ONE_STEP_RADIANS[1]


def _by_larger_steps(look: Look, state: State, order_there: float, of: Of) -> tuple[float, float]:
    """The order that large steps, and short runs, show of what refuses small ones, as above."""
    radians = LARGER_RADIANS
    try:
        errors = [max(off(look, state, x, of=of), FAINT_ERROR) for x in radians]
    except Refused:
        return math.nan, 0.0
    orders = [math.log(a / b) / math.log(x / y) - 1 for a, b, x, y in zip(errors, errors[1:], radians, radians[1:])]
    part = errors[-1] / radians[-1]
    if errors[-1] < max(RESOLVED_LARGE_ERROR, 100 * noise_of(look, state)) or max(orders) > order_there - LOWER_BY:
        return math.inf, part
    if part > OFF_PART and max(orders) < CONSISTENT_POWER - 1:
        return 0.0, part
    runs = order_of_runs(look, state, of)
    return math.nan if runs == math.inf else runs, part


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


def _errors(look: Look, state: State, of: Of, is_generic: bool) -> Errors:
    """The errors of single steps at a state; of tiny ones at the generic state, and where a body is slow."""
    noise = noise_of(look, state)
    tiny = _off_when_tiny(look, state, noise, of) if is_generic else 0.0
    if float(np.linalg.norm(state.problem.Omega0)) < SLOW_SPEED:
        tiny = _off_when_tiny(look, state, noise, of, TINY_RADIANS[:1])
    radians = (SMALLER_RADIANS, SMALL_RADIANS, 4 * SMALL_RADIANS, *ONE_STEP_RADIANS)
    return Errors(tiny, *(off(look, state, x, of=of) for x in radians))


def _part(part: float) -> str:
    """A part of a turn in words."""
    return "more than" if part >= 1 else f"{part:.1%} of" if part >= 1e-3 else f"{part:.0e} of"


def _off_when_tiny(look: Look, state: State, noise: float, of: Of, radians: Sequence[float] = TINY_RADIANS) -> float:
    """The part of its turn by which a tiny step is off, if it is: a formula for small angles that is none."""
    try:
        off_by = {x: off(look, state, x, of=of) for x in radians}
    except Refused:
        return 0.0  # which says nothing of steps that are not tiny
    return max(d / x if d > max(OFF_PART * x, 100 * noise) else 0.0 for x, d in off_by.items())


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
