"""Single steps and short runs from one state, beside the motion: how far they are off, and the order that they show."""

import math

import numpy as np

from polhode.testbench.certificate.orders.beside_the_motion import ATTITUDE, OMEGA, Of, off, off_each, off_in_runs
from polhode.testbench.certificate.orders.falling import (
    RESOLVED_ERROR_OF_A_STEP,
    RESOLVED_ROUND_OFFS,
    ROUND_OFF,
    falling,
    line,
)
from polhode.testbench.certificate.orders.grown import is_grown
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

SMALL_RADIANS = 0.004  # radians of a small step
SMALL_STEPS = (0.06, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5)
"""Radians of single steps whose errors are compared with each other."""
FINER_FACTOR = 8.0  # factor between steps that are smaller still, where those do not converge
FINEST_STEP = 1e-3  # of such steps, in units of time
RESOLVED_NOISES = 10.0  # times the noise of a step, above which its error is looked at
RISE_FACTOR, RISEN_ERROR = 3.0, 1e-12  # of an error beside that of a larger step, where it is no round-off
RUN_RADIANS, RUN_COUNTS = 0.6, (6, 12, 24, 48, 96)  # the rotation in short runs, and their numbers of steps
SHORT_RUN_RADIANS = 0.06  # the rotation in shorter ones
ADDED_RADIANS = (0.01, 0.006)  # of two steps whose errors should add up
REPEATED_STEPS = 8  # steps after which an error that each of them makes is told from one that the first makes alone
REPEATED_RADIANS = tuple(SMALL_RADIANS / 8.0**k for k in range(4))  # of these, the smallest where a branch is narrow
ALONE_FACTOR, REPEATED_FACTOR = 2.0, 4.0  # times the error of the first, up to which it is alone, and above which not
STAYING_STEPS = 3  # between the first and the last of those in which a part of a turn stays
STAYING_RATIO = 1.5  # below which the errors of two steps, one of them an eighth of the other, are the same
STEADY_POWER = 0.1  # error of the power of h, above which the error of a step is irregular
WHOLE_WITHIN = 0.1  # from a whole number, up to which the order of short runs is that number
ROUGH_SLOPE, LEAST_SLOPE = 0.3, 0.75  # of errors that fall irregularly, but fall: less its error, and itself
FAINT_ERROR = 1e-14  # error that is round-off
RESOLVED_ERROR = 1e-9  # error of a small step that the reference resolves
CONSISTENT_POWER = 1.4  # power of h by which that error falls at least, where a step is consistent: 2 for order 1
NO_ORDER = 0.5  # an order below is none


def orders_at(look: Look, state: State, noise: float = 0.0) -> tuple[float, float]:
    """The orders of Q and of Omega that single steps at a state show as they get smaller, an error of one step being
    like x^(p+1); infinity where too few are above round-off, or where they still change."""
    found = np.array([off_each(look, state, x) for x in SMALL_STEPS])
    Q, Omega = (_falling_last(look, state, errors, of, noise) - 1 for errors, of in zip(found.T, (ATTITUDE, OMEGA)))
    return Q, Omega


def _falling_last(look: Look, state: State, errors: np.ndarray, of: Of, noise: float) -> float:
    """The power of the step with which errors fall; of those beyond the last rise, if there is one: smaller steps are
    then of another formula, which is worse. Round-off that grows is none."""
    x, least = np.array(SMALL_STEPS), max(RESOLVED_ERROR_OF_A_STEP, RESOLVED_NOISES * noise)
    rises = 1 + np.flatnonzero((errors[1:] > RISE_FACTOR * errors[:-1]) & (errors[1:] > max(RISEN_ERROR, least)))
    if len(rises) and is_grown(look, state, x[rises[-1]], errors[rises[-1]], of):
        return falling(x[: rises[0]], errors[: rises[0]], least)
    first = int(rises[-1]) if len(rises) else 0
    return falling(x[first:], errors[first:], least)


def _order_at(look: Look, state: State, of: Of, noise: float) -> float:
    """The lower of the two, or the one that is asked for; infinity where a step is refused."""
    try:
        orders = orders_at(look, state, noise)
    except Refused:
        return math.inf
    return min(orders) if of is max else of(orders)


def adds_up(look: Look, state: State) -> bool:
    """Whether the error of a small step is still there after the next one, which need not be of the same kind."""
    try:
        errors = [(off(look, state, x), off(look, state, x, 2)) for x in ADDED_RADIANS]
    except Refused:
        return True
    return any(one < RESOLVED_ROUND_OFFS * ROUND_OFF or two > one for one, two in errors)


def order_of_small_steps(look: Look, state: State, order_so_far: float, of: Of, noise: float = 0.0) -> float:
    """The order at a state where small steps converge more slowly: larger ones may not have begun to converge. Errors
    that are like noise, or like round-off, tell nothing."""
    order = max(0.0, _order_at(look, state, of, noise))
    if order < NO_ORDER or (order == math.inf and _stays(look, state, of, noise)):
        return order_of_a_wrong_step(look, state, of)
    runs = order_of_runs(look, state, of, is_rough=True) if order < order_so_far - 0.5 else math.inf
    if order_so_far - 0.5 < runs < math.inf:  # a long one may soon have left where it is wrong
        runs = min(runs, order_of_runs(look, state, of, is_rough=True, turn=SHORT_RUN_RADIANS))
    if runs == math.inf:
        return order
    if runs > order_so_far - 0.5:
        return runs  # what every other step puts right is no error
    return max(order, runs) if abs(runs - round(runs)) < WHOLE_WITHIN else order


def _stays(look: Look, state: State, of: Of, noise: float) -> bool:
    """Whether the part of its turn by which a small step is off stays, however irregularly: as where the time is
    rounded to a grid, and a step begins and ends before or beyond its time."""
    x, least = np.array(SMALL_STEPS), RESOLVED_ROUND_OFFS * max(RESOLVED_ERROR_OF_A_STEP, noise)
    try:
        errors = np.array([off(look, state, radians, of=of) for radians in SMALL_STEPS])
    except Refused:
        return False
    n = int(np.append(errors < least, True).argmax())
    if n <= STAYING_STEPS:
        return False
    first, last = n - 1 - STAYING_STEPS, n - 1
    return bool(errors[last] / errors[first] > (x[last] / x[first]) ** (1 + NO_ORDER))


def order_of_a_wrong_step(look: Look, state: State, of: Of) -> float:
    """The order of runs from a state where a step, however small, is off by a part of its turn: none if the steps after
    it are off as well; that of its own error if it is the first alone, as where a branch is taken at a point; that of
    runs where it is irregular. Not a number where that is not to be told."""
    radians = np.array(REPEATED_RADIANS)
    try:
        first, after = (
            np.array([max(off(look, state, x, n, of), FAINT_ERROR) for x in radians]) for n in (1, REPEATED_STEPS)
        )
    except Refused:
        return math.nan
    times, (power, error, _) = after / first, line(radians, first)
    if first[-1] > first[-2] / STAYING_RATIO and times[-1] > 1 / ALONE_FACTOR:
        return 0.0  # not even the error of a step falls, and the next ones do not put it right
    if error > STEADY_POWER:
        runs = order_of_runs(look, state, of)
        return float(round(runs)) if runs < math.inf and abs(runs - round(runs)) < WHOLE_WITHIN else math.nan
    if times[-1] > REPEATED_FACTOR:
        return 0.0 if power < CONSISTENT_POWER else math.nan
    is_alone = times.max() < ALONE_FACTOR and abs(power - round(power)) < WHOLE_WITHIN
    return max(0.0, float(round(power))) if is_alone else math.nan


def order_of_runs(look: Look, state: State, of: Of, is_rough: bool = False, turn: float = RUN_RADIANS) -> float:
    """The order that short runs from a state show; infinity where they show none, or are refused. A rough one is a
    whole number, of errors that fall, however irregularly."""
    radians = turn / np.array(RUN_COUNTS)
    try:
        errors = off_in_runs(look, state, turn, RUN_COUNTS, of)
    except Refused:
        return math.inf
    order = falling(radians, errors)
    if order == math.inf and is_rough and errors.min() > 0:
        slope, error, _ = line(radians, errors)
        return float(round(slope)) if slope - error > ROUGH_SLOPE and slope > LEAST_SLOPE else math.inf
    return order


def order_of_finer_steps(look: Look, state: State, order_there: float, of: Of) -> float:
    """The order that still smaller steps show: an integrator with a time of its own, such as that of a damping, takes a
    small rotation of a slow body for a long time. Infinity where they converge, but not yet with a steady order; zero
    where they do not."""
    count = max(3, math.ceil(math.log(state.step(SMALL_RADIANS) / FINEST_STEP, FINER_FACTOR)))
    finer = [SMALL_RADIANS / FINER_FACTOR**k for k in range(count - 2, count + 1)]
    try:
        one, two, three = (off(look, state, x, of=of) for x in finer)
    except Refused:
        return 0.0
    pairs = [(a, max(b, FAINT_ERROR)) for a, b in ((one, two), (two, three)) if a > RESOLVED_ERROR]
    rates = [np.log(a / b) / np.log(FINER_FACTOR) - 1 for a, b in pairs]
    if min(rates, default=math.inf) < min(order_there, 1.0) - 0.3:
        return 0.0
    is_steady = len(rates) == 2 and max(abs(rate - round(rates[0])) for rate in rates) < WHOLE_WITHIN
    return float(round(rates[0])) if is_steady else math.inf
