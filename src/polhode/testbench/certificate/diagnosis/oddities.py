"""Sentences about what is odd of an integrator: its character, and the states and steps where it differs or fails."""

from collections.abc import Mapping, Sequence

import numpy as np

from polhode.integrators.properties import BY_KEY, ORDER
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.diagnosis.at_rest import does_not_rest
from polhode.testbench.certificate.orders.beside_the_motion import off
from polhode.testbench.certificate.orders.elsewhere import OFF_PART, WITH_SMALL_STEPS
from polhode.testbench.certificate.orders.lower import LEAST_ORDER
from polhode.testbench.certificate.running.guard import Refused, guarded
from polhode.testbench.certificate.running.look import Look, Place, states
from polhode.testbench.certificate.structure.tiny_steps import WITH_TINY_STEPS

SMALL_ONES = (WITH_SMALL_STEPS, WITH_TINY_STEPS)
LEFT_HANDED = (
    "It is wrong just where the eigenvectors of the inertia tensor, as numpy.linalg.eigh gives them, are left-handed: "
    "turn one of them round."
)
MOST_NAMED = 4  # states beside the first that a sentence names
FEWEST_OF_ONE_HAND = 4  # bodies with left-handed axes that are no chance
LOOK_RADIANS = 0.03  # radians of the step with which they are looked for
LOOK_SECONDS = 10.0  # seconds for that


def oddities(look: Look, found: Mapping[str, Property]) -> list[str]:
    """The sentences; `found` are the properties, without orders that are lower elsewhere alone."""
    told = look.character.sentences()
    if look.pace.is_slow:
        told.append(
            f"A step takes {1e3 * look.pace.cost.single:.2g} ms, so there was no time for all within "
            f"{look.pace.seconds:g} s: it was looked at with fewer states and steps, as the coverage of each property "
            "says, and what that does not show is undecided. More seconds may be given."
        )
    if look.changed:
        told.append(
            f"It has changed while it was measured: the first step, taken again at the end, differs by "
            f"{look.changed:.0e}. What it does depends on how often it was called."
        )
    if look.stopped:
        told.append(
            f"It no longer runs: the first step, taken again at the end, {look.stopped}. Something that it was asked "
            "has broken what it remembers, as an exception ends a generator; what was measured after that is undecided."
        )
    if look.switches:
        told.append(f"It is another formula {look.switches}: what holds below does not hold there.")
    is_right = _is_right_at_a_generic_state(found)
    told += _differences(look, is_right)
    if guarded(lambda: _are_left_handed(look), look.pace.patience(LOOK_SECONDS))[0]:  # none without an answer
        told.append(LEFT_HANDED)
    if at_rest := guarded(lambda: does_not_rest(look), look.pace.patience(LOOK_SECONDS))[0]:
        told.append(at_rest)
    if look.later and is_right and not look.differs:
        where = ", ".join(list(dict.fromkeys(look.later))[:MOST_NAMED])
        told.append(f"It has a time of its own: {where}, only steps far below a hundredth of a radian converge.")
    if look.not_taken:
        first, *more = look.not_taken
        rest = f"; nor where {'; '.join(more[:MOST_NAMED])}" if more else ""
        told.append(f"What it does where {first} was not measured: no state was found that leads there{rest}.")
    if look.left_alone:
        told.append(f"Branches of its own text were not looked for: {look.left_alone}.")
    if look.fails:
        first, *more = (f"{where} it {what}" for where, what in _first_of(look.fails).items())
        told.append(f"It does not run everywhere: {'; '.join([first, *more[:MOST_NAMED]])}{_and_more(more)}.")
    return told


def _is_right_at_a_generic_state(found: Mapping[str, Property]) -> bool:
    """Whether it converges there, and leaves nothing that stays."""
    orders = [p for key, p in found.items() if BY_KEY[key].kind == ORDER]
    return not any(p.down_to is not None or (p.value is not None and p.value < LEAST_ORDER) for p in orders)


def _differences(look: Look, is_right: bool) -> list[str]:
    """Where it differs from the motion: with small steps, and at other states than the generic one."""
    told, differs = [], _first_of(look.differs)
    with_small_steps = [f"{where} {what}" for where, what in differs.items() if where in SMALL_ONES]
    if with_small_steps:
        other = "Right with usual steps, another formula or a defect that stays" if is_right else "A defect stays"
        told.append(f"{other}: {with_small_steps[0]}.")
    if elsewhere := {where: what for where, what in differs.items() if where not in SMALL_ONES}:
        first, *more = (f"{where} {what}" for where, what in elsewhere.items())
        rest = f"; so too {', '.join(more[:MOST_NAMED])}" if more else ""
        begins = "Right at a generic state, wrong elsewhere" if is_right else "More wrong than at a generic state"
        told.append(f"{begins}: {first}{rest}{_and_more(more)}.")
    return told


def _first_of(told: Mapping[Place, str]) -> dict[str, str]:
    """What was told first of states of the same words, by these."""
    first: dict[str, str] = {}
    for (_, where), what in told.items():
        first.setdefault(where, what)
    return first


def _are_left_handed(look: Look) -> bool:
    """Whether the free bodies that it moves wrongly are those with left-handed principal axes, or most of these."""
    wrong, left = 0, 0
    if "free" not in {case for case, _ in look.differs}:
        return False
    for state in states("free"):
        try:
            is_wrong = off(look, state, LOOK_RADIANS) > OFF_PART * LOOK_RADIANS
        except Refused:
            continue
        is_left = np.linalg.det(np.linalg.eigh(state.problem.tensor)[1]) < 0
        if is_wrong and not is_left:
            return False
        wrong, left = wrong + is_wrong, left + is_left
    return wrong >= FEWEST_OF_ONE_HAND and wrong > left / 2  # of a symmetric body it need not matter


def _and_more(states: Sequence[str]) -> str:
    return f", and at {len(states) - MOST_NAMED} more states" if len(states) > MOST_NAMED else ""
