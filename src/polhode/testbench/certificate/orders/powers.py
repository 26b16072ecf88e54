"""A lower power of h beside that of the order, as a coefficient with a wrong fifth digit leaves it: what single small
steps show of it, and how large it may be without being seen.

The error of a small step over its length is C x^p + D x^q, with vectors C and D: they may point anywhere, and cancel at
some step. The lower power counts where it is the larger part of an error that is above round-off, so that C x^p with
what follows it does not pass for it. With that condition the largest D which is not seen follows from C and p.
"""

import math
from collections.abc import Sequence

import numpy as np

from polhode.testbench.certificate.orders.beside_the_motion import off, off_by
from polhode.testbench.certificate.orders.exponents import FLOORS_ABOVE, WRONG_ERROR
from polhode.testbench.certificate.orders.exponents import ROUND_OFF as ROUND_OFF_OF_RUNS
from polhode.testbench.certificate.orders.falling import ROUND_OFF
from polhode.testbench.certificate.orders.floor import HIGHEST_ORDER, LADDER, NEARLY_WHOLE
from polhode.testbench.certificate.orders.grown import is_grown
from polhode.testbench.certificate.orders.near_a_state import adds_up, orders_at
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look, states

NEXT_POWER, LEAST_ROUGHNESS = 3.0, 0.003
"""Times C x^p x, which the terms that follow it are taken to be; and the least part of C x^p that they are."""
SEEN_CHI_SQUARED, GOOD_CHI_SQUARED = 8.0, 2.0  # without a smaller power of h, and with it, where there is one
CLEAR_ROUND_OFFS = 3.0  # times round-off, from which on a power of h is seen where it is the larger part
BETWEEN_STEPS = 3.3  # at most the factor between two steps of the ladder
ROOM = 3.0  # factor by which errors of steps add up to more in a run, or to less, than their size
BETWEEN_RUNS = 3.0  # factor of h within which runs show a power


def orders_of_small_steps(look: Look, case: str, order: float) -> tuple[float, float]:
    """The orders of Q and of Omega that single small steps at the generic state show, if they do: by their slope, or by
    a smaller power of h beside that of the order."""
    state, x = states(case)[0], np.array(LADDER)
    if _is_rough(look) or not adds_up(look, state):
        return np.inf, np.inf
    try:
        found = np.array(orders_at(look, state))
        errors = [off_by(look, state, radians) for radians in LADDER]
    except Refused:
        return np.inf, np.inf
    rates = [np.array(each) / x[:, None] for each in zip(*errors)]
    together = [rates, rates] if state.problem.has_torque else [rates[:1], rates[1:]]
    found = np.minimum(found, [lower_power(x, of, min(order, HIGHEST_ORDER)) for of in together])
    Q, Omega = map(float, found)
    return min(Q, Omega), min(Q, Omega) if state.problem.has_torque else Omega  # a free velocity knows no attitude


def tells_nothing(look: Look, case: str) -> bool:
    """Whether single small steps do not show a lower power of h: what they add is noise, is undone by the next one, or
    is round-off that grows as they get smaller."""
    state, smallest = states(case)[0], LADDER[-1]
    try:
        return (
            _is_rough(look) or not adds_up(look, state) or is_grown(look, state, smallest, off(look, state, smallest))
        )
    except Refused:
        return True


def _is_rough(look: Look) -> bool:
    return look.character.floor > 1 or look.character.jump > 0


def lower_power(x: np.ndarray, rates: Sequence[np.ndarray], order: float) -> float:
    """The smaller power q of C x^p + D x^q that explains the rates, vectors each with its own C and D, where C x^p
    alone does not, and which is the larger part of one of them at some step; infinity without one. An order that is
    not nearly whole is on its way from one whole number to the next: p is the higher one."""
    order = math.ceil(order - NEARLY_WHOLE)
    alone = max(_left(x, rate, (order,))[1] for rate in rates)
    if alone < SEEN_CHI_SQUARED:
        return np.inf
    tried = {}
    for q in range(1, order):
        fits = [_left(x, rate, (order, float(q))) for rate in rates]
        if any(_is_larger_part(x, sizes, order, q) for sizes, _ in fits):
            tried[q] = max(left for _, left in fits)
    best = min(tried, key=tried.__getitem__, default=None)
    return np.inf if best is None or tried[best] > GOOD_CHI_SQUARED else float(best)


def _left(x: np.ndarray, rate: np.ndarray, powers: Sequence[float]) -> tuple[np.ndarray, float]:
    """The sizes of the vectors of coefficients with which these powers of x explain a rate, and the mean of the squares
    of what they leave, over what is left to round-off and to the next power."""
    roughness = np.clip(NEXT_POWER * x, LEAST_ROUGHNESS, None)
    weight = 1 / np.hypot(roughness * np.linalg.norm(rate, axis=1), ROUND_OFF / x)
    columns = np.stack([x**power for power in powers], axis=1) * weight[:, None]
    scale = np.linalg.norm(columns, axis=0)
    coefficients, *_ = np.linalg.lstsq(columns / scale, rate * weight[:, None], rcond=None)
    left = rate * weight[:, None] - columns / scale @ coefficients
    return np.linalg.norm(coefficients, axis=1) / scale, float(np.sum(left**2) / len(x))


def _is_larger_part(x: np.ndarray, sizes: np.ndarray, order: float, q: float) -> bool:
    """Whether D x^q is larger than C x^p, and well above round-off, at one of the steps."""
    C, D = sizes
    return bool(np.any((D * x**q > C * x**order) & (D * x**q > CLEAR_ROUND_OFFS * ROUND_OFF / x)))


def unseen(h: np.ndarray, errors: np.ndarray, order: float, span: float, step_round_off: float) -> dict[int, float]:
    """By each lower power q the size D such that an error D h^q of runs over a span could be there, unseen by them and
    by single steps with this round-off, beside C h^p; empty where the runs do not show C, or there is no lower power.

    It is seen where it is the larger part, from h = (D / C)^(1 / (p - q)) down, and D h^q is above round-off there:
    that of runs, or of single steps, where it is the greater the smaller they are. Between two steps that are tried, h
    may have to be smaller by their ratio.
    """
    p = round(order)
    clear = np.isfinite(errors) & (errors > FLOORS_ABOVE * ROUND_OFF_OF_RUNS) & (errors < WRONG_ERROR)
    if not clear.any() or p < 2:
        return {}
    C, finest = errors[clear][-1] / h[clear][-1] ** p, h[-1]
    found = {}
    for q in range(1, p):
        of_runs = FLOORS_ABOVE * ROUND_OFF_OF_RUNS * BETWEEN_RUNS**q
        by_runs = max(of_runs ** ((p - q) / p) * C ** (q / p), C * (BETWEEN_RUNS * finest) ** (p - q))
        of_steps = CLEAR_ROUND_OFFS * step_round_off * span * BETWEEN_STEPS ** (q + 1)
        by_steps = of_steps ** ((p - q) / (p + 1)) * C ** ((q + 1) / (p + 1))
        found[q] = float(ROOM * min(by_runs, by_steps))
    return found
