"""Up to which step a defect tells of the method, and what becomes of it beyond: a solver at its limit, or another
formula.

The residual of an iteration that no longer converges grows with a high power of the step, but it grows: between two
steps that hardly differ, so do the defects. An integrator that changes its formula at some angle has a defect that
jumps there, while its steps go on following the motion. The first says nothing of the method; the second is a "no".
"""

from collections.abc import Callable, Sequence

import numpy as np

from polhode.testbench.certificate.orders.near_a_state import off
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

ROUND_OFFS_ABOVE = 30  # a defect beyond so many times round-off is the method's own
STEEP_POWERS = 4  # powers of h above the order: a defect that grows still faster is a step that failed, not the method
HIGH_ORDER = 20  # stands for the order of what looks exact with small steps
LARGE_RADIANS = 1.0  # radians a step, from which on such a failure may be that of a solver at its limit
SLOW_RADIANS, PLAIN_DEFECT = (
    0.5,
    1e-3,
)  # radians a step from which on a solver may be slow, and the defect above which it is not that
WHOLE_DEFECT = 0.9  # as large as what it is a defect of: a run that has blown up
LOST_PART = 0.2  # a failed step is off by this part of its rotation, or of the momentum
WORSE_TIMES = 1.5  # times what a step that is hardly smaller misses it by
TORN_STEPS = 6  # after which a Q that is no rotation at all is that of a step that failed
HARDLY_RATIO = (
    1.0 + 1e-5
)  # ratio of two steps that hardly differ: a power of sixty changes by less than a part in a thousand
BEYOND_FACTORS = (1.0, 1.02, 1.06)  # times the step where another formula begins: none of these steps may be lost
JUMP_RATIO, JUMPED_DEFECT = 1e3, 1e-6  # ratio of their defects that is a jump, and the least to which they jump

JUST_BELOW_AND_BEYOND = (0.96, 1.04)  # of the angle of a jump, at other states
FEWEST_TOLD, MOST_RADIANS = 3, 1.9  # states that must tell of it, and radians a step up to which they can


def steepest_power(look: Look) -> float:
    """The power of h with which a defect of the method may grow."""
    highest = max(look.orders, default=2.0)
    return (highest if np.isfinite(highest) else HIGH_ORDER) + STEEP_POWERS


def solved(look: Look, state: State, found: Sequence[float], radians: Sequence[float], floor: float) -> int:
    """How many of the defects come before the step fails: one that is far larger than any power of h explains is that
    of equations that were not solved, at a large step or one that is lost, or of another formula."""
    steepest = steepest_power(look)
    least = 1e-15 * look.character.floor
    for k in range(1, len(found)):
        smaller = [(radians[k - 1], max(found[k - 1], least))]
        smaller += [
            (x, d) for x, d in zip(radians[: k - 1], found) if d > ROUND_OFFS_ABOVE * floor
        ]  # one alone may pass zero
        steep = all(found[k] > d * (radians[k] / x) ** steepest for x, d in smaller)
        slow = radians[k] > SLOW_RADIANS and found[k] < PLAIN_DEFECT
        large = radians[k] > LARGE_RADIANS or found[k] > WHOLE_DEFECT
        if found[k] > floor and steep and (slow or large or is_lost(look, state, radians[k])):
            return k
    return len(found)


def another_formula(
    look: Look, state: State, at: Callable[[float], float], ends: tuple[float, float], floor: float
) -> tuple[float, float] | None:
    """The step in radians at which the defect `at` jumps, between one that is solved and one that is not, and the
    defect just beyond. None where it grows on its way, or where the steps beyond are lost or refused, as are those of
    a solver at its limit; a defect that is not plain, or that of a step back which goes elsewhere, does not tell."""
    solved, beyond = ends
    try:
        before, after = max(at(solved), floor), at(beyond)
        while beyond / solved > HARDLY_RATIO:
            if not JUMP_RATIO * before < after:
                return None
            middle = (solved * beyond) ** 0.5
            found = at(middle)
            if found * found < before * after:
                solved, before = middle, max(found, floor)
            else:
                beyond, after = middle, found
    except Refused:
        return None
    is_jump = max(JUMP_RATIO * before, JUMPED_DEFECT) < after < LOST_PART  # an iteration more or less makes small ones
    lost = is_jump and any(is_lost(look, state, factor * beyond, solved) for factor in BEYOND_FACTORS)
    return (beyond, after) if is_jump and not lost else None


def jumps_elsewhere(
    at: Callable[[State, float], float], seen: State, radians: float, others: Sequence[State], floor: float
) -> bool:
    """Whether a defect that jumps at one state does so at most others, at the same angle, with the same turn or with
    the same step: a formula that is chosen by the step does, another solution of an implicit equation is a matter of
    the state."""
    h, speed = seen.step(radians), lambda state: float(np.linalg.norm(state.problem.Omega0)) or 1.0
    same_angle = lambda state: radians
    same_turn = lambda state: h * speed(seen) / speed(state) / state.step(1.0)  # by the velocity alone
    same_step = lambda state: h / state.step(1.0)
    for angle in (same_angle, same_turn, same_step):
        told = [_jumps_at(at, state, angle(state), floor) for state in others]
        known = [jumps for jumps in told if jumps is not None]
        if len(known) >= FEWEST_TOLD and 2 * sum(known) > len(known):
            return True
    return False


def _jumps_at(at: Callable[[State, float], float], state: State, radians: float, floor: float) -> bool | None:
    """Whether the defect at a state jumps about an angle; None where steps below it already have a defect, or fail."""
    if radians > MOST_RADIANS:
        return None
    try:
        before, after = (max(at(state, x * radians), floor) for x in JUST_BELOW_AND_BEYOND)
    except Refused:
        return None
    return after > max(JUMP_RATIO * before, JUMPED_DEFECT) if before < ROUND_OFFS_ABOVE * floor else None


def is_lost(look: Look, state: State, radians: float, solved: float | None = None) -> bool:
    """Whether one step, or one of the three that a defect is taken from, misses the motion by a good part of the
    rotation, and by more than one that is `solved`, if such a step is known; or a few more leave no rotation at all."""
    p, h = state.problem, state.step(radians)
    try:
        Q, _ = look.run(p, p.Q0, p.Omega0, h, TORN_STEPS, p.t0)
        is_torn = np.abs(Q.T @ Q - np.eye(3)).max() > LOST_PART
        usual = {k: WORSE_TIMES * off(look, state, solved, k) if solved else 0.0 for k in (1, 3)}
        return bool(is_torn) or any(
            off(look, state, radians, k) > max(LOST_PART * k * radians, usual[k]) for k in usual
        )
    except Refused:
        return True
