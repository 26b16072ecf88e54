"""Defects that are round-off, or what an iteration leaves, and steps that give none."""

from collections.abc import Callable, Sequence

import numpy as np

from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.states.battery import State

SMALL_CHANGE = 1e-4  # of the step, over which a defect that is no round-off ...
SMOOTH_BEND = 0.02  # ... bends by at most so much

SCANNED_STEPS = np.geomspace(0.5, 1.0, 12)  # parts of a step between which the number of iterations changes
ITERATED_RADIANS = 0.1  # radians a step, below which a change is that of a formula for small angles
CHANGED_POWER, REVERSALS = 1.5, 3  # change of the power of h from one to the next, and how often it is back and forth
ROUND_OFF_PART = 1e-3  # of the largest defect, below which another is round-off


def finite(at: Callable[..., float], state: State, radians: float, counts: Sequence[int]) -> float:
    """The largest defect over so many steps at once. One that is no number says that the step is lost, not that nothing
    is wrong."""
    with np.errstate(all="ignore"):
        found = [at(state, radians, n) for n in counts]
    if not np.isfinite(found).all():
        raise Refused(f"gave no finite derivatives at h = {state.step(radians):.3g}")
    return max(found)


def is_erratic(at: Callable[..., float], state: State, radians: Sequence[float], found: Sequence[float]) -> bool:
    """Whether the largest defect is round-off that a long or unstable step has magnified: for steps that hardly differ
    it is another each time, where a defect of the method, or of a tolerance, is the same."""
    x = radians[int(np.argmax(found))]
    try:
        near = [finite(at, state, x * (1 + k * SMALL_CHANGE), (1,)) for k in range(-3, 4)]
    except Refused:
        return True  # a step at the limit of what runs
    bends = np.abs(np.diff(near, 2)) / max(near)  # not the changes: a smooth defect that passes zero has large ones
    return bool(np.median(bends) > SMOOTH_BEND)


def is_left_by_an_iteration(
    at: Callable[..., float], state: State, radians: float, steepest: float, floor: float
) -> bool:
    """Whether a defect rises and falls with the step as what an iteration leaves does, each time that it takes one more
    or one less to come below a tolerance, or rises with a power above `steepest`; a defect of the method follows one
    power of h."""
    if radians < ITERATED_RADIANS:
        return False
    try:
        found = [finite(at, state, radians * part, (1,)) for part in SCANNED_STEPS]
    except Refused:
        return False
    clear = np.array(found) > max(ROUND_OFF_PART * max(found), floor)
    powers = np.diff(np.log(np.maximum(found, 1e-300))) / np.diff(np.log(SCANNED_STEPS))
    powers = powers[clear[1:] & clear[:-1]]
    changes = np.diff(powers)
    changes = changes[np.abs(changes) > CHANGED_POWER]
    reversals = int(np.sum(changes[1:] * changes[:-1] < 0))  # one or two are those of another formula
    return reversals >= REVERSALS or (len(powers) > 1 and float(np.median(powers)) > steepest)
