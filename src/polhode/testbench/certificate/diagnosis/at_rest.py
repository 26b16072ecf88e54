"""A free body at rest, which stays there. A direction is its velocity over its speed: zero over zero, unless someone
has thought of it. No property is measured there, where nothing moves."""

import numpy as np

from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import free_at_rest

STEP = 0.11
MOVED = 1e-9  # of an attitude or a velocity: more than a regularised division leaves


def does_not_rest(look: Look) -> str:
    """What happens to a free body at rest, in a sentence, if it does not stay at rest."""
    p = free_at_rest().problem
    try:
        Q, Omega = look.run(p, p.Q0, p.Omega0, STEP, 1, 0.0)
    except Refused as error:
        return f"A free body at rest stops it: it {error.words}."
    moved = max(np.abs(Q - p.Q0).max(), np.abs(Omega).max())
    floor = MOVED * max(look.character.floor, 1.0)
    return f"A free body at rest does not stay there: one step moves it by {moved:.0e}." if moved > floor else ""
