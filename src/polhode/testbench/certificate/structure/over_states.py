"""A defect at every state of the battery, for steps from small to large, and the verdict that follows.

A property that holds leaves round-off at every state and for every step; one defect that is a method's own is a "no",
wherever it is found. A large step whose equations were not solved ends the range, and is no verdict on the method.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polhode.integrators.properties import Row
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import would_decide
from polhode.testbench.certificate.states.battery import RADIANS, State
from polhode.testbench.certificate.structure.defects import BY_DERIVATIVES, DIRECT
from polhode.testbench.certificate.structure.limit import (
    ROUND_OFFS_ABOVE,
    another_formula,
    is_lost,
    jumps_elsewhere,
    solved,
    steepest_power,
)
from polhode.testbench.certificate.structure.round_off import finite, is_erratic, is_left_by_an_iteration
from polhode.testbench.certificate.structure.tiny_steps import when_tiny
from polhode.testbench.certificate.structure.visits import (
    BRIEF_RADIANS,
    COUNTS_AT_ONCE,
    COUNTS_WITH_MEMORY,
    FEWEST_STATES,
    FOR_A_FREE_BODY,
    SMALLEST_RADIANS,
    SURVEYED_RADIANS,
    Visits,
    calls_of,
    steps_for,
    visited,
)

OF_THE_STATE = (
    "symmetry",
    "symplecticity",
    "conformality",
    "Poisson map",
)  # measures without meaning where Q and Omega are not the whole state
WRONG_DEFECT = 1e-5  # a larger one, at other states than the generic one, is a mistake; high orders have smaller ones
SURVEYED_DEFECT = 1e-6  # at a state of the survey, where an iteration may converge more slowly than elsewhere
ENOUGH_RADIANS = 0.9  # radians a step, up to which a property must be seen to hold
LEAST_RADIANS = 0.2  # radians a step, without which a property is not known
LOOSE_DEFECT = 1e-5  # defect at any step, up to which it may be that of a tolerance, ...
POWER_BY_TOLERANCE = 2.5  # ... if it grows with no more than this power of h: the last iteration gains a factor like h
ITERATED_DEFECT = 1e-9  # of momenta and speeds of about one, up to which it may be that of a method well iterated
THREE_AT_ONCE = 3  # steps of a black box in one call
LEFT_BY_AN_ITERATION = "as an iteration leaves that ends before round-off"
FAINT_DEFECT = 1e-9  # defect up to which it may be round-off, magnified


def over_states(look: Look, row: Row, at: Callable[..., float], floor: float, how: str) -> tuple[list[Property], str]:
    """The property, alone in a list, and the note "scales", "stays" or "" that says how its defect behaves.

    `at(state, radians, steps at once)` is the defect, relative to the size of what it is a defect of.
    """
    visits, pace, calls = Visits(), look.pace, calls_of(look, row)
    for state in visited(look, row):
        if state.is_about_an_axis and row.measure in BY_DERIVATIVES:
            continue
        is_suspect = state.is_surveyed and state.words in look.suspects
        steps = SURVEYED_RADIANS if is_suspect else steps_for(pace, state, visits.states, calls)
        if not steps:
            visits.is_short = not state.is_surveyed
            visits.seconds_short = pace.cost.usual * calls * len(BRIEF_RADIANS) * (FEWEST_STATES - visits.states)
            break
        brief = steps is BRIEF_RADIANS
        defects, radians = _measured(look, state, at, steps, visits, _counts(look, row, is_first=not visits.states))
        n = solved(look, state, defects, radians, floor)
        if n < len(defects):
            other = _beyond(look, row, state, at, (radians[n - 1], radians[n]), floor)
            if other and other.is_of_the_step:
                return [_switches(look, row, state, how, floor, other)], "scales"
            if other:
                words = f"{other.defect:.0e} beyond {other.radians:.3g} rad a step {state.words}"
                visits.doubts.append(f"{words}, another formula there, or another solution of its equations")
            look.ended.setdefault(row.key, f"beyond {radians[n - 1]:g} rad a step {state.words}")
        if not defects:
            visits.runs_everywhere = False
            continue
        is_refused = n == len(defects) and bool(visits.refusals)  # it says itself how far it goes
        if not visits.states and not is_refused and radians[n - 1] < ENOUGH_RADIANS:
            visits.doubts.append(f"it fails beyond {radians[n - 1]:g} rad a step")
        defects, radians = defects[:n], radians[:n]
        visits.note(state, radians[-1], brief)
        largest = max(defects)
        if state.is_surveyed and not _tells(look, state, radians[-1], largest):
            if SURVEYED_DEFECT < largest < state.left_by_a_tolerance and look.character.floor == 1:
                visits.left[state.words] = float(largest)
            continue
        if largest > ROUND_OFFS_ABOVE * floor and not (
            largest < FAINT_DEFECT and is_erratic(at, state, radians, defects)
        ):
            fall, note = _fall(radians, defects, floor)
            where = _largest(radians, defects)
            is_faint = largest < WRONG_DEFECT and largest * state.smallness < ITERATED_DEFECT
            if is_faint and _is_iterated(look, state, at, radians, defects, floor):
                visits.doubts.append(f"{largest:.0e} {state.words}, {where}, {LEFT_BY_AN_ITERATION}")
                visits.worst = float(max(visits.worst, largest))
                continue
            if visits.states > (0 if state.is_surveyed else 1) and largest > WRONG_DEFECT:
                look.note_difference(row.case, state.words, f"({row.title}: {largest:.0e}, {where})")
            words, coverage = f"{how}: {largest:.0e}, {fall}", f"first seen {state.words}, {where}"
            note = "scales" if state.words in look.differs else note  # it is wrong there, whatever the step
            return [Property(float(largest), floor, "no", words, coverage=coverage, seen_at=state.words)], note
        is_faint = largest <= ROUND_OFFS_ABOVE * floor
        if largest > floor and not state.is_surveyed and not (is_faint and is_erratic(at, state, radians, defects)):
            visits.doubts.append(f"{largest:.0e} {state.words}, near round-off")
        visits.worst = float(max(visits.worst, largest))
    tiny = when_tiny(look, row, at, floor, how) if visits.states else None
    if tiny is not None:
        return [tiny], "scales"
    note = "stays" if any(LEFT_BY_AN_ITERATION in doubt for doubt in visits.doubts) else ""
    return [_without_defect(look, row, how, floor, visits)], note


def _counts(look: Look, row: Row, is_first: bool) -> Sequence[int]:
    """Over how many steps at once a defect is looked at: more of what remembers, and at the first state."""
    counts: Sequence[int] = COUNTS_WITH_MEMORY if look.character.memory else (1,)
    if look.character.memory and row.measure in DIRECT and is_first:
        counts = COUNTS_AT_ONCE
    if look.is_box and not look.is_kernel and row.measure == "symmetry" and is_first:
        counts = (*counts, THREE_AT_ONCE)  # its own loop may count the time otherwise when it goes back
    return counts


def _is_iterated(
    look: Look,
    state: State,
    at: Callable[..., float],
    radians: Sequence[float],
    defects: Sequence[float],
    floor: float,
) -> bool:
    """Whether a defect is what an iteration leaves; one that is known to leave something leaves this, too."""
    if look.character.noise or look.character.memory:
        return False
    x = radians[int(np.argmax(defects))]
    if look.iterates and not state.is_surveyed:
        return True
    found = is_left_by_an_iteration(at, state, x, steepest_power(look), floor)
    look.iterates = look.iterates or found
    return found


def _tells(look: Look, state: State, radians: float, defect: float) -> bool:
    """Whether a defect at a state of the survey is the method's own: neither what a tolerance leaves there, nor that of
    a step which is lost where others are not known to be wrong."""
    if defect < max(SURVEYED_DEFECT, state.left_by_a_tolerance):
        return False
    words = state.words.removeprefix(f"{FOR_A_FREE_BODY} ")
    return words in look.differs or not is_lost(look, state, radians)


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
                look.fails.setdefault(state.words, error.words)
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


def _without_defect(look: Look, row: Row, how: str, floor: float, visits: Visits) -> Property:
    """The property, if no defect was seen."""
    worst, noise, coverage = visits.worst, look.character.noise, visits.coverage
    if not visits.states and visits.surveyed < FEWEST_STATES:
        return Property(None, floor, "undecided", f"{how}: {visits.refusals[0]}")
    if row.key in look.ended:
        coverage += f"; left out, as not solved: {look.ended[row.key]}"
    if visits.refusals:
        coverage += f"; {visits.refusals[0]}"
    doubt = would_decide(visits.seconds_short) if visits.seconds_short > 0 else ""
    if look.character.memory and row.measure in OF_THE_STATE:
        doubt = "round-off over 1, 2 and 5 steps, but its state may be more than Q and Omega"
    elif noise and worst > max(noise / 10, floor / look.character.floor):
        doubt = f"{worst:.0e}, which may be its noise of {noise:.0e}"
    elif visits.farthest < LEAST_RADIANS and visits.states:
        doubt = f"seen with steps up to {visits.farthest:g} rad alone"
    elif visits.doubts:
        doubt = f"not to be told ({visits.doubts[0]})"
    if doubt:
        return Property(worst, floor, "undecided", f"{how}: {doubt}", bound=worst, coverage=coverage)
    precision = look.character.precision
    qualifier = ", ".join(words for words in (precision, visits.up_to, visits.by_a_tolerance) if words)
    words = f"{how}: round-off for all"
    return Property(worst, floor, "yes", words, bound=floor, coverage=coverage, qualifier=qualifier)


@dataclass(frozen=True)
class Jump:
    """Where a defect jumps while the motion is still followed."""

    radians: float  # a step
    defect: float  # just beyond
    is_of_the_step: bool  # whether it jumps there at most states: another formula, not another solution


def _beyond(
    look: Look, row: Row, state: State, at: Callable[..., float], ends: tuple[float, float], floor: float
) -> Jump | None:
    """From which step on, in radians, and with which defect, it is another formula, if it is."""
    if look.character.floor > 1:  # noise, or single precision: every defect is rough
        return None
    counts = COUNTS_WITH_MEMORY if look.character.memory else (1,)
    one = lambda state, x: finite(at, state, x, counts)
    found = another_formula(look, state, lambda x: one(state, x), ends, floor)
    if found is None:
        return None
    others = [other for other in look.states(row.case) if not other.is_surveyed and other is not state]
    return Jump(*found, is_of_the_step=bool(look.switches) or jumps_elsewhere(one, state, found[0], others, floor))


def _switches(look: Look, row: Row, state: State, how: str, floor: float, jump: Jump) -> Property:
    """The property of an integrator that is another formula beyond so many radians a step."""
    look.switches = look.switches or f"beyond {jump.radians:.3g} rad a step, as seen {state.words}"
    words = f"{how}: {jump.defect:.0e} beyond {jump.radians:.3g} rad a step, where it is another formula"
    coverage = f"first seen {state.words}, {jump.radians:.3g} rad a step; round-off up to there"
    return Property(jump.defect, floor, "no", words, coverage=coverage, seen_at=state.words)


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
