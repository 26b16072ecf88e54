"""One step beside the motion, at every state of the battery: what does not converge there is of no order, whatever it
does elsewhere."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from polhode.testbench.certificate.orders.near_a_state import (
    CONSISTENT_POWER,
    FAINT_ERROR,
    NO_ORDER,
    RESOLVED_ERROR,
    SMALL_RADIANS,
    Of,
    off,
    order_of_a_wrong_step,
    order_of_finer_steps,
    order_of_small_steps,
)
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

WITH_SMALL_STEPS = "with small steps"
STEPS_AT_A_STATE = 5
SMALLER_RADIANS, ONE_STEP_RADIANS = 0.0005, (0.15, 0.3)  # radians a step, at the states
TINY_RADIANS = (5e-7, 2e-5)  # radians a step, where formulas for small angles take over, at the generic state
THREE_RADIANS = (SMALLER_RADIANS, SMALL_RADIANS, ONE_STEP_RADIANS[0])
LARGE_RATIO = ONE_STEP_RADIANS[0] / (4 * SMALL_RADIANS)  # of the smallest of the large steps to the largest small one
UNEXPECTED_FACTOR = 10  # times what larger steps let expect, from which on the error of a small one is looked at
LOOSE_ERROR = 1e-7  # of a small step, which a tolerance explains, but which is told
SLOW_SPEED = 0.01  # below which tiny steps are looked at, too: from rest there is another formula for slow bodies
OFF_PART = 0.05  # a consistent small step is off by at most this part of its rotation


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
    def part_when_small(self) -> float:
        """The part of their turn by which small steps are off."""
        return max(self.tiny, self.smaller / SMALLER_RADIANS, self.small / SMALL_RADIANS)

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
            finer = order_of_finer_steps(look, state, order_there, of) if not errors.tiny or found.seen > 1 else 0.0
            if not is_wrong:  # small steps are resolved
                finer = min(finer, order_of_small_steps(look, state, found.order, of))
            if finer > order_there - 0.5:
                look.later.append(words)
                continue
            order = finer or (order_of_a_wrong_step(look, state, of) if is_inconsistent else 0.0)
        elif (look.character.floor > 1 or look.character.jump) and errors.small < least:
            continue  # round-off, of which no order of small steps can be told
        elif slows or (errors.order_when_large < order_there - 0.7 and errors.one > 30 * max(usual.one, 1e-10)):
            order = order_of_small_steps(look, state, found.order, of)
        else:
            continue
        if not order >= found.order - 0.5 and (found.seen > 1 or is_wrong or slows):
            part = errors.part_when_small if is_wrong or slows else errors.two / ONE_STEP_RADIANS[1]
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


def _part(part: float) -> str:
    """A part of a turn in words."""
    return "more than" if part >= 1 else f"{part:.1%} of" if part >= 1e-3 else f"{part:.0e} of"


def _off_when_tiny(look: Look, state: State, noise: float, of: Of, radians: Sequence[float] = TINY_RADIANS) -> float:
    """The part of its turn by which a tiny step is off, if it is: a formula for small angles that is none."""
    off_by = {x: off(look, state, x, of=of) for x in radians}
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
