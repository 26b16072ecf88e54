"""What one state shows of a property: its defects, with steps from small to large, and the "no" that follows if one of
them is the method's own."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from polhode.integrators.properties import Row
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import AT_A_GENERIC_STATE, RADIANS, State
from polhode.testbench.certificate.structure.defects import DIRECT
from polhode.testbench.certificate.structure.limit import (
    ROUND_OFFS_ABOVE,
    another_formula,
    is_lost,
    jumps_elsewhere,
    solved,
    steepest_power,
)
from polhode.testbench.certificate.structure.round_off import finite, is_erratic, is_left_by_an_iteration
from polhode.testbench.certificate.structure.visits import (
    BRIEF_RADIANS,
    COUNTS_AT_ONCE,
    COUNTS_WITH_MEMORY,
    SMALLEST_RADIANS,
    Doubt,
    Visits,
)

WRONG_DEFECT = 1e-5  # a larger one, at other states than the generic one, is a mistake; high orders have smaller ones
SURVEYED_DEFECT = 1e-6  # at a state of the survey, where an iteration may converge more slowly than elsewhere
LARGER_RADIANS = (0.93, 1.9)  # radians a step with which a smaller defect is looked at there, ...
MOST_REPEATED = 6  # ... at so many states
ENOUGH_RADIANS = 0.9  # radians a step, up to which a property must be seen to hold
LOOSE_DEFECT = 1e-5  # defect at any step, up to which it may be that of a tolerance, ...
POWER_BY_TOLERANCE = 2.5  # ... if it grows with no more than this power of h: the last iteration gains a factor like h
ITERATED_DEFECT = 1e-9  # of momenta and speeds of about one, up to which it may be that of a method well iterated
THREE_AT_ONCE = 3  # steps of a black box in one call
LEFT_BY_AN_ITERATION = "as an iteration leaves that ends before round-off"
FAINT_DEFECT = 1e-9  # defect up to which it may be round-off, magnified


@dataclass(frozen=True)
class Seen:
    """A property that is looked at: of what, its row, its defect, the round-off of that, how in words; what was
    seen."""

    look: Look
    row: Row
    at: Callable[..., float]
    floor: float
    how: str
    visits: Visits


Told: TypeAlias = tuple[Property, str] | None
"""A "no" and its note, if there is one."""


def at_a_state(seen: Seen, state: State, steps: Sequence[float]) -> Told:
    """What a state shows, with these steps in radians: noted, or a "no"."""
    look, row, visits = seen.look, seen.row, seen.visits
    counts = _counts(look, row, is_first=not visits.states)
    defects, radians = _measured(look, state, seen.at, steps, visits, counts)
    n = solved(look, state, defects, radians, seen.floor)
    if n < len(defects):
        other = _beyond(seen, state, (radians[n - 1], radians[n]))
        if other and other.is_of_the_step:
            return _switches(seen, state, other), "scales"
        if other:
            words = f"{other.defect:.0e} beyond {other.radians:.3g} rad a step {state.words}"
            visits.doubts.append(Doubt(f"{words}, another formula there, or another solution of its equations"))
        look.ended.setdefault(row.key, f"beyond {radians[n - 1]:g} rad a step {state.words}")
    if not defects:
        visits.runs_everywhere = False
        return None
    is_refused = n == len(defects) and bool(visits.refusals)  # it says itself how far it goes
    if not visits.states and not is_refused and radians[n - 1] < ENOUGH_RADIANS:
        visits.doubts.append(Doubt(f"it fails beyond {radians[n - 1]:g} rad a step", is_of_lost_steps=True))
    defects, radians = defects[:n], radians[:n]
    visits.note(state, radians[-1], steps is BRIEF_RADIANS)
    return (_judged_briefly if state.is_surveyed else _judged)(seen, state, defects, radians)


def _judged_briefly(seen: Seen, state: State, defects: Sequence[float], radians: Sequence[float]) -> Told:
    """The verdict on a state of the survey. A defect that is too small to be told from what an iteration leaves there
    is looked at with larger steps, over which one of the method grows."""
    look, visits, largest = seen.look, seen.visits, float(max(defects))
    least = max(ROUND_OFFS_ABOVE * seen.floor, state.left_by_a_tolerance)
    if largest > max(SURVEYED_DEFECT, state.left_by_a_tolerance):
        return _judged(seen, state, defects, radians) if _is_followed(look, state, radians[-1]) else None
    if SURVEYED_DEFECT < largest and look.character.floor == 1:
        visits.left[state.words] = largest
    if not least < largest or look.character.floor > 1 or visits.repeated >= MOST_REPEATED:
        return None
    visits.repeated += 1
    if is_erratic(seen.at, state, radians, defects):
        return None
    more, at_radians = _measured(look, state, seen.at, LARGER_RADIANS, visits, _counts(look, seen.row, is_first=False))
    more, at_radians = [*defects, *more], [*radians, *at_radians]
    n = solved(look, state, more, at_radians, seen.floor)
    if n > len(defects) and _is_followed(look, state, at_radians[n - 1]):
        return _judged(seen, state, more[:n], at_radians[:n])
    visits.iterated[state.words] = largest
    return None


def _judged(seen: Seen, state: State, defects: Sequence[float], radians: Sequence[float]) -> Told:
    """The verdict on a state, if it is a "no": a defect that is the method's own."""
    look, row, at, floor, visits = seen.look, seen.row, seen.at, seen.floor, seen.visits
    largest = float(max(defects))
    is_above = largest > ROUND_OFFS_ABOVE * floor
    may_be_round_off = largest > floor and (not is_above or largest < FAINT_DEFECT)
    is_rough = may_be_round_off and is_erratic(at, state, radians, defects)
    if not is_above or is_rough:
        if largest > floor and not state.is_surveyed and is_above == is_rough:
            visits.doubts.append(Doubt(f"{largest:.0e} {state.words}, near round-off"))
        visits.worst = max(visits.worst, largest)
        return None
    where = _largest(radians, defects)
    is_small = largest < WRONG_DEFECT and largest * state.smallness < ITERATED_DEFECT
    if is_small and _is_iterated(seen, state, radians, defects):
        words = f"{largest:.0e} {state.words}, {where}, {LEFT_BY_AN_ITERATION}"
        visits.doubts.append(Doubt(words, is_left_by_an_iteration=True))
        visits.worst = max(visits.worst, largest)
        return None
    has_one_round_off = look.character.floor == 1  # else a defect may be hidden by round-off at the generic state
    if state.place[1] != AT_A_GENERIC_STATE and largest > WRONG_DEFECT and has_one_round_off:
        on = f", {state.words.removesuffix(state.name).strip()}" if state.name else ""
        look.note_difference(*state.place, f"({row.title}{on}: {largest:.0e}, {where})")
    fall, note = _fall(radians, defects, floor)
    words, coverage = f"{seen.how}: {largest:.0e}, {fall}", f"first seen {state.words}, {where}"
    note = "scales" if state.place in look.differs else note  # it is wrong there, whatever the step
    return Property(largest, floor, "no", words, coverage=coverage, seen_at=state.words), note


def _counts(look: Look, row: Row, is_first: bool) -> Sequence[int]:
    """Over how many steps at once a defect is looked at: more of what remembers, and at the first state."""
    counts: Sequence[int] = COUNTS_WITH_MEMORY if look.character.memory else (1,)
    if look.character.memory and row.measure in DIRECT and is_first:
        counts = COUNTS_AT_ONCE
    if look.is_box and not look.is_kernel and row.measure == "symmetry" and is_first:
        counts = (*counts, THREE_AT_ONCE)  # its own loop may count the time otherwise when it goes back
    return counts


def _is_iterated(seen: Seen, state: State, radians: Sequence[float], defects: Sequence[float]) -> bool:
    """Whether a defect is what an iteration leaves; one that is known to leave something leaves this, too."""
    look = seen.look
    if look.character.noise or look.character.memory:
        return False
    x = radians[int(np.argmax(defects))]
    if look.iterates and not state.is_surveyed:
        return True
    found = is_left_by_an_iteration(seen.at, state, x, steepest_power(look), seen.floor)
    look.iterates = look.iterates or found
    return found


def _is_followed(look: Look, state: State, radians: float) -> bool:
    """Whether a defect at a state of the survey tells: a step that is lost does not, where others are not known to be
    wrong, on this problem or on another."""
    is_wrong = any(state.place[1] == words for _, words in (*look.differs, *look.wrong_at))
    return is_wrong or not is_lost(look, state, radians)


def _measured(
    look: Look,
    state: State,
    at: Callable[..., float],
    steps: Sequence[float],
    visits: Visits,
    counts: Sequence[int],
) -> tuple[list[float], list[float]]:
    """The defects at a state, and the steps in radians, up to the first step that is refused."""
    defects: list[float] = []
    if look.character.memory:  # what it remembers of another problem is no defect
        with contextlib.suppress(Refused):
            look.run(state.problem, state.problem.Q0, state.problem.Omega0, state.step(steps[0]), 1, state.problem.t0)
    for x in steps:
        try:
            defects.append(finite(at, state, x, counts))
        except Refused as error:
            visits.refusals.append(f"{state.words} it {error.words}")
            if visits.states and (x == RADIANS[0] or (state.is_surveyed and not _runs_with_small_steps(look, state))):
                look.fails.setdefault(state.place, error.words)
            break
    return defects, list(steps[: len(defects)])


def _runs_with_small_steps(look: Look, state: State) -> bool:
    """Whether it has an answer to a small step: a solver may be at its limit with larger ones, as for a thin rod."""
    p = state.problem
    try:
        look.run(p, p.Q0, p.Omega0, state.step(SMALLEST_RADIANS[-1]), 1, p.t0)
    except Refused:
        return False
    return True


@dataclass(frozen=True)
class Jump:
    """Where a defect jumps while the motion is still followed."""

    radians: float  # a step
    defect: float  # just beyond
    is_of_the_step: bool  # whether it jumps there at most states: another formula, not another solution


def _beyond(seen: Seen, state: State, ends: tuple[float, float]) -> Jump | None:
    """From which step on, in radians, and with which defect, it is another formula, if it is."""
    look = seen.look
    if look.character.floor > 1:  # noise, or single precision: every defect is rough
        return None
    counts = COUNTS_WITH_MEMORY if look.character.memory else (1,)
    one = lambda state, x: finite(seen.at, state, x, counts)
    found = another_formula(look, state, lambda x: one(state, x), ends, seen.floor)
    if found is None:
        return None
    others = [other for other in look.states(seen.row.case) if not other.is_surveyed and other is not state]
    is_of_the_step = bool(look.switches) or jumps_elsewhere(one, state, found[0], others, seen.floor)
    return Jump(*found, is_of_the_step=is_of_the_step)


def _switches(seen: Seen, state: State, jump: Jump) -> Property:
    """The property of an integrator that is another formula beyond so many radians a step."""
    look = seen.look
    look.switches = look.switches or f"beyond {jump.radians:.3g} rad a step, as seen {state.words}"
    words = f"{seen.how}: {jump.defect:.0e} beyond {jump.radians:.3g} rad a step, where it is another formula"
    coverage = f"first seen {state.words}, {jump.radians:.3g} rad a step; round-off up to there"
    return Property(jump.defect, seen.floor, "no", words, coverage=coverage, seen_at=state.words)


def _largest(radians: Sequence[float], found: Sequence[float]) -> str:
    """The step at which the defect is largest, in words."""
    return f"{radians[int(np.argmax(found))]:g} rad a step"


def _fall(radians: Sequence[float], found: Sequence[float], floor: float) -> tuple[str, str]:
    """How the defect behaves: in words, and as the note."""
    above = [(x, d) for x, d in zip(radians, found) if d > floor]
    if len(above) < 2:
        return f"only at {above[0][0]:g} rad a step", "scales"
    (a, c), (b, d) = above[:2]  # the smallest steps: at large ones a defect no longer grows
    power = np.log(d / c) / np.log(b / a)
    x, y = np.log(np.array(above)).T
    overall = np.polyfit(x, y, 1)[0]
    if power < 1 or (
        max(found) < LOOSE_DEFECT and overall < POWER_BY_TOLERANCE
    ):  # a method of order 1 has one that falls like h^2
        return "hardly falls with h", "stays"
    return f"falls like h^{power:.1f}", "scales"
