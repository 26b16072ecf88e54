"""What stays of an error when h falls: C h^p + floor, from the errors of whole runs and from single small steps.

A run with steps that a certificate can afford does not show a floor below its own error: a method of order 2 with a
damping of 1e-9 is of order 2, as far as runs tell. One step does: its error over its length, beside C h^p, is the floor
of the rate, and what it is off by, however short, is the floor of a step. Both are fitted; where they explain what
C h^p and round-off do not, the order holds down to an error, and that error is told.
"""

from collections.abc import Sequence

import numpy as np

from polhode.testbench.certificate.orders.beside_the_motion import Of, off
from polhode.testbench.certificate.orders.falling import ROUND_OFF, line
from polhode.testbench.certificate.orders.grown import are_grown
from polhode.testbench.certificate.orders.near_a_state import adds_up
from polhode.testbench.certificate.running.character import DOUBLE
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look, states

LADDER = (0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7)
"""Radians of single steps."""
NEARLY_WHOLE = 0.3  # from a whole number, up to which an order that was measured is taken for that number
ROUGH_PART = 0.1  # relative uncertainty of C x^p: the next power of x, and a maximum norm
JUMPS = 3.0  # times the jumps of an integrator's numbers, which are its round-off
FAR_ABOVE = 1e3  # times the precision of floats, from which on what each step is off by is not its round-off
CLEAR_CHI_SQUARED = 12.0  # by so much chi squared falls where the terms of a floor are there
UNEXPLAINED_FACTOR = 3.0  # beyond so many times C x^p an error is not explained by it
HIGHEST_ORDER = 8.0  # stands for higher orders, which leave nothing of an error with these steps
FITTED_POINTS = 8  # of the finest errors of runs, to which a floor is fitted
STRAIGHT_RMS = 0.01  # largest root mean square of logarithms about a line
STRAIGHTER_FACTOR = 10.0  # by which factor the floor lowers it
STEEPER_FACTOR = 3.0  # by which factor it is at least closer than the next power of h, without a floor, is
PLAIN_PART = 0.1  # of the finest error, that a fitted floor is at least; smaller ones are left to single steps
TRIED_FLOORS = 200  # floors that are tried


def hidden(look: Look, case: str, order: float, span: float, of: Of = max) -> float:
    """The error at the end of the span below which smaller steps do not lead, as single steps at the generic state
    show, of Q and Omega the larger or the one that is asked for; zero where none is seen."""
    state = states(case)[0]
    if look.character.floor > 1 or not adds_up(look, state):
        return 0.0  # noise and single precision have floors that are told; what the next step undoes is none
    x = np.array(LADDER)
    least = max(ROUND_OFF, JUMPS * look.character.jump * state.step(1.0))
    try:
        errors = np.array([off(look, state, radians, of=of) for radians in LADDER])
        is_round_off = are_grown(look, state, x, errors, of)
    except Refused:
        return 0.0
    round_off = np.where(is_round_off, JUMPS * errors, least)
    return _floor_of_rate(x, errors / x, whole(order), round_off) * span / state.step(1.0)


def whole(order: float) -> float:
    """The order that was measured as the whole number that it nearly is, and not too high for these steps."""
    order = min(order, HIGHEST_ORDER)
    return round(order) if abs(order - round(order)) < NEARLY_WHOLE else order


def _left(
    terms: Sequence[np.ndarray], x: np.ndarray, rate: np.ndarray, round_off: np.ndarray
) -> tuple[np.ndarray, float]:
    """The coefficients, none of them negative, with which the terms explain the rate, and chi squared of the rest:
    infinity where no such coefficients are found."""
    from scipy.optimize import nnls

    weight = 1 / np.hypot(ROUGH_PART * rate, round_off / x)
    weighted = np.stack(terms, axis=1) * weight[:, None]
    scale = np.linalg.norm(weighted, axis=0)
    try:
        found, left = nnls(weighted / scale, rate * weight)
    except RuntimeError:  # too many iterations
        return np.zeros(len(terms)), np.inf
    return found / scale, float(left**2)


def _floor_of_rate(x: np.ndarray, rate: np.ndarray, order: float, round_off: np.ndarray) -> float:
    """The smallest C x^p + F + G/x, all of them positive, if F or G is there; where these do not explain the errors
    either, the largest that C x^p from the largest steps does not explain; else zero."""
    _, alone = _left([x**order], x, rate, round_off)
    (C, F, G), left = _left([x**order, np.ones_like(x), 1 / x], x, rate, round_off)
    explained = alone - left if np.isfinite(left) else 0.0
    if left > max(2 * CLEAR_CHI_SQUARED, explained / 10):
        # another formula for small steps, which may be of another order
        expected = np.max(rate[:2] / x[:2] ** order) * x**order
        beyond = rate > UNEXPLAINED_FACTOR * expected + 10 * round_off / x
        return float(rate[beyond].max()) if beyond.any() else 0.0
    if explained < CLEAR_CHI_SQUARED:
        return 0.0
    G = G if G > FAR_ABOVE * DOUBLE and G > 10 * round_off.min() else 0.0
    fine = np.geomspace(x[-1], x[0], TRIED_FLOORS)
    return float((C * fine**order + F + G / fine).min()) if F or G else 0.0


def fitted(h: np.ndarray, e: np.ndarray, least: float) -> tuple[float, float, float] | None:
    """(p, its error, floor) of C h^p + floor, where the finest errors leave a straight line in logarithms towards a
    floor above `least`, and lie on one without it; None where they do not."""
    h, e = h[-FITTED_POINTS:], e[-FITTED_POINTS:]
    if len(e) < 5:
        return None
    floors = np.concatenate([[0.0], np.geomspace(1e-3, 1 - 1e-3, TRIED_FLOORS) * e.min()])
    lines = [line(h, e - floor) for floor in floors]
    best = int(np.argmin([rms for _, _, rms in lines]))
    p, error, rms = lines[best]
    if floors[best] < max(least, PLAIN_PART * e.min()) or rms > STRAIGHT_RMS or p <= 0:
        return None
    if lines[0][-1] < STRAIGHTER_FACTOR * rms or _with_the_next_power(h, e) < STEEPER_FACTOR * rms:
        return None
    return p, error, float(floors[best])


def _with_the_next_power(h: np.ndarray, e: np.ndarray) -> float:
    """Root mean square of the residual of C h^p exp(a h) in logarithms: what bends without a floor."""
    x = np.log(h)
    columns = np.stack([np.ones_like(x), x, h], axis=1)
    rest = np.log(e) - columns @ np.linalg.lstsq(columns, np.log(e), rcond=None)[0]
    return float(np.sqrt(rest @ rest / max(1, len(h) - 3)))
