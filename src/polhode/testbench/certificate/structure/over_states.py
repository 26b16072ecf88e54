"""A defect at every state of the battery, for steps from small to large, and the verdict that follows.

A property that holds leaves round-off at every state and for every step; one defect that is a method's own is a "no",
wherever it is found. A large step whose equations were not solved ends the range, and is no verdict on the method.
"""

from collections.abc import Callable

from polhode.integrators.properties import Row
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import would_decide
from polhode.testbench.certificate.structure.at_a_state import Seen, at_a_state
from polhode.testbench.certificate.structure.tiny_steps import when_tiny
from polhode.testbench.certificate.structure.visits import (
    BRIEF_RADIANS,
    FEWEST_STATES,
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
LEAST_RADIANS = 0.2  # radians a step, without which a property is not known


def over_states(look: Look, row: Row, at: Callable[..., float], floor: float, how: str) -> tuple[list[Property], str]:
    """The property, alone in a list, and the note "scales", "stays" or "" that says how its defect behaves.

    `at(state, radians, steps at once)` is the defect, relative to the size of what it is a defect of.
    """
    seen = Seen(look, row, at, floor, how, Visits())
    visits, pace, calls = seen.visits, look.pace, calls_of(look, row)
    states = visited(look, row)
    for k, state in enumerate(states):
        is_suspect = state.is_surveyed and state.words in look.suspects
        steps = (state.radians or SURVEYED_RADIANS) if is_suspect else steps_for(pace, state, visits.states, calls)
        if not steps and not state.is_surveyed:
            visits.is_short = True
            visits.seconds_short = pace.cost.usual * calls * len(BRIEF_RADIANS) * (FEWEST_STATES - visits.states)
            continue
        if not steps:
            visits.missed = sum(other.is_surveyed for other in states[k:])
            break
        found = at_a_state(seen, state, steps)
        if found:
            return [found[0]], found[1]
    tiny = when_tiny(look, row, at, floor, how) if visits.states else None
    if tiny is not None:
        return [tiny], "scales"
    note = "stays" if any(doubt.is_left_by_an_iteration for doubt in visits.doubts) else ""
    return [_without_defect(look, row, how, floor, visits)], note


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
        doubt = f"not to be told ({visits.doubts[0].words})"
    if doubt:
        marks = frozenset({Mark.LOSES_STEPS} if any(x.is_of_lost_steps for x in visits.doubts) else ())
        return Property(worst, floor, "undecided", f"{how}: {doubt}", bound=worst, coverage=coverage, marks=marks)
    precision = look.character.precision
    restrictions = (precision, visits.up_to, visits.states_alone, visits.by_a_tolerance)
    qualifier = ", ".join(words for words in restrictions if words)
    words = f"{how}: round-off for all{visits.by_an_iteration}"
    return Property(worst, floor, "yes", words, bound=floor, coverage=coverage, qualifier=qualifier)
