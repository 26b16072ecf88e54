"""The order of what remembers, at every state of the battery: short runs beside the motion, each in one call, since a
single step tells nothing of the steps after it."""

import math

import numpy as np

from polhode.testbench.certificate.orders.beside_the_motion import Of, noise_of, off_in_runs
from polhode.testbench.certificate.orders.falling import falling, line
from polhode.testbench.certificate.orders.lower import LEAST_ORDER, Elsewhere
from polhode.testbench.certificate.orders.near_a_state import RUN_COUNTS, RUN_RADIANS
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

FEW_COUNTS = RUN_COUNTS[1:4]  # numbers of steps of runs at every state
FINER_TIMES = 8  # times as many steps, where errors fall too slowly
RESOLVED_ERROR = 1e-11  # error of a short run that is no round-off, nor that of the reference
RESOLVED_NOISES = 100.0  # times the noise of a step, which a run is taken to add up to
LOWER_BY = 0.5  # by which an order must be lower to count
WORSE_FACTOR = 30.0  # times the error at the generic state, from which on one that stays is of another state alone
WRONG_PART = 0.05  # of its rotation, by which a run that has not begun to converge is off
WHY_UNTOLD = "but less {}, as short runs show, and it is not known by how much"


def by_runs(look: Look, case: str, order_there: float, of: Of = max) -> Elsewhere:
    """The lowest order at the states of the battery, of which the generic one has been seen in the runs before."""
    found = Elsewhere(order_there, looked_at="short runs", why_untold=WHY_UNTOLD)
    times = math.ceil(look.character.remembers_after / FEW_COUNTS[-1])  # so that it remembers in the longest run
    generic, *_ = look.states(case)
    usual = math.inf, 0.0
    for state in look.states(case):
        if found.seen and not look.pace.afford(times * sum(FEW_COUNTS), are_small=True):
            break
        if state.is_surveyed and not look.pace.has_time_for_survey and state.words not in look.suspects:
            break
        try:
            order, part = _order_and_part(look, state, times * np.array(FEW_COUNTS), of)
            if state is generic:  # its order is known by longer runs
                usual, order = (order, part), math.inf
            if usual[0] < LEAST_ORDER and order < LEAST_ORDER and part < WORSE_FACTOR * usual[1]:
                order = math.inf  # what stays at the generic state, too, is told with its order
            if not order >= found.order - LOWER_BY:  # larger steps may not have begun to converge
                order, part = _by_finer_runs(look, state, times, of)
        except Refused as error:
            found.refused.append(f"{state.words} it {error.words}")
            continue
        found.seen += 1
        if not order >= found.order - LOWER_BY:
            look.note_difference(case, state.words, f"a short run is off by {part:.0e} of its turn")
            found.note(order, state.words)
    return found


def _by_finer_runs(look: Look, state: State, times: int, of: Of) -> tuple[float, float]:
    """The same of more runs with far more steps; not a number where there is no time for them."""
    counts = FINER_TIMES * times * np.array(RUN_COUNTS)
    if not look.pace.afford(int(counts.sum()), are_small=True):
        return math.nan, 0.0
    return _order_and_part(look, state, counts, of)


def _order_and_part(look: Look, state: State, counts: np.ndarray, of: Of) -> tuple[float, float]:
    """The order that runs of so many steps show, infinity where their errors are too small to tell; not a number where
    they are large and tell none. And the part of its turn by which the finest is off."""
    radians = RUN_RADIANS / counts
    errors = off_in_runs(look, state, RUN_RADIANS, counts.tolist(), of)
    least = max(RESOLVED_ERROR, RESOLVED_NOISES * noise_of(look, state))
    least = max(least, RESOLVED_NOISES * state.left_by_a_tolerance if state.is_surveyed else 0.0)
    order, part = falling(radians, errors, least), float(errors[-1]) / RUN_RADIANS
    if order < math.inf or errors[-1] < least:
        return max(order, 0.0), part
    slope, error, _ = line(radians, errors)  # they fall irregularly, or hardly
    if slope - error < 0.0 or part > WRONG_PART:
        return max(0.0, round(slope)) if error < LOWER_BY else math.nan, part
    return float(round(slope)), part
