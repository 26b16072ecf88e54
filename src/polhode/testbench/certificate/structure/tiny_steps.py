"""Tiny steps: a formula for small angles may take over there, where its defect is hardly above round-off."""

from collections.abc import Callable

from polhode.integrators.properties import Row
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.structure.limit import ROUND_OFFS_ABOVE
from polhode.testbench.certificate.structure.round_off import finite, is_erratic
from polhode.testbench.certificate.structure.visits import TINY_RADIANS, calls_of

WITH_TINY_STEPS = "with tiny steps"
TINY_CALLS = 10  # defects that a look at tiny steps may take


def when_tiny(look: Look, row: Row, at: Callable[..., float], floor: float, how: str) -> Property | None:
    """The property, if steps so small that hardly any formula is wrong there show a defect that is no round-off: at the
    generic state, and where it has differed from the motion."""
    if look.character.floor > 1 or look.character.jump:
        return None
    generic, *others = look.states(row.case)
    for state in (generic, *(other for other in others if other.words in look.odd_words)):
        for x in TINY_RADIANS:
            if not look.pace.afford(TINY_CALLS * calls_of(look, row)):
                return None
            try:
                found = finite(at, state, x, (1,))
                if found <= ROUND_OFFS_ABOVE * floor or is_erratic(at, state, (x,), (found,)):
                    continue
            except Refused:
                continue
            where = WITH_TINY_STEPS if state is generic else state.words
            look.note_difference(row.case, where, f"({row.title}: {found:.0e}, {x:g} rad a step)")
            coverage = f"first seen {state.words}, {x:g} rad a step"
            return Property(found, floor, "no", f"{how}: {found:.0e} with a tiny step", coverage=coverage)
    return None
