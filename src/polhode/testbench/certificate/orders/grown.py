"""Round-off that is larger than usual: that of an extrapolation with large weights, or of a velocity which is read off
a turn, as log(Q^T Q1) / h is, which grows as the step gets smaller.

It is at most about 1e-14 over the step, and it is erratic: a step that hardly differs has another. An error that an
integrator makes with small steps is not.
"""

import numpy as np

from polhode.testbench.certificate.orders.beside_the_motion import Of, off
from polhode.testbench.certificate.orders.falling import ROUND_OFF
from polhode.testbench.certificate.running.character import DOUBLE
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

MOST_ROUND_OFFS = 100.0  # times the precision of floats, over the step in radians, which such a round-off may be
NEARLY = (1 - 1e-4, 1 + 1e-4)  # of a step, to which it is changed
ERRATIC_PART = 0.05  # of an error, by which it changes then; what follows a power of h changes by a thousandth


def is_grown(look: Look, state: State, radians: float, error: float, of: Of = max) -> bool:
    """Whether the error of a small step is such a round-off."""
    if look.character.jump or not ROUND_OFF < error <= MOST_ROUND_OFFS * DOUBLE / radians:
        return False
    near = [off(look, state, radians * x, of=of) for x in NEARLY]
    return max(*near, error) - min(*near, error) > ERRATIC_PART * error


def are_grown(look: Look, state: State, x: np.ndarray, errors: np.ndarray, of: Of = max) -> np.ndarray:
    """The same of each of some steps."""
    return np.array([is_grown(look, state, radians, error, of) for radians, error in zip(x, errors)])
