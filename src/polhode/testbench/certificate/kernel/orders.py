"""The orders of a kernel in 60 digits: from runs, and from steps so tiny that they show what runs hide.

A damping of 1e-13, or a coefficient with a wrong tenth digit, is far below the error of any run. The error of a step of
1e-9, over its length, is C h^p and what is left: a floor, or a smaller power of h.
"""

import math
from collections.abc import Iterator

import mpmath

from polhode.errors import InputError
from polhode.integrators.method import Method
from polhode.integrators.properties import Row
from polhode.integrators.velocity import adapted
from polhode.kernels.many_digits import converted, in_mpmath, precision, real
from polhode.kernels.numbers import Number
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import DOWN_TO, Mark, Property
from polhode.testbench.certificate.kernel.theorems import STEP_SIZE, apart, fresh, furthest, generic, order
from polhode.testbench.certificate.orders.runs import SPAN

TINY_EXPONENTS = (-30, -36)  # of two, for steps so small that of an error a floor is left, or its smallest power of h
FLOATS_RATE = 1e-15  # of an error, relative to the time: floats do not show a smaller one
LOWER_BY = 0.6  # by which tiny steps must be of lower order to count
WHOLE_WITHIN = 0.05  # from a whole number, up to which an order is that number
NOTHING = (0.0, math.inf)  # rate and power of tiny steps that show nothing
CHANGES, ONE_SLOPE = (1e-10, 1e-25), 1e-4  # of a step, the second below what floats feel; by which two slopes differ
TINY_WITHIN = 0.01  # from a whole number, up to which the power of tiny steps is that number


def orders(method: Method, p: Problem, row: Row) -> Iterator[Property]:
    """The orders of Q and of Omega; lower, or down to an error, where tiny steps show what larger ones hide. Those of
    what remembers show nothing of the steps after them; nor do those of what computes in floats on its way."""
    tiny = [NOTHING] * 2 if method.extended or computes_in_floats(method, p) else _tiny(method, p)
    if p.has_torque:  # what is wrong with the one is soon wrong with the other
        tiny = [tiny[0], tiny[0]] if tiny[0][1] < tiny[1][1] else [tiny[1], tiny[1]]
    elif tiny[1][1] < tiny[0][1]:
        tiny[0] = tiny[1]
    for value, (rate, power) in zip(order(method, p), tiny):
        exact = value == float("inf")
        how = f"{row.how} at 60 digits against an independent reference, halving h and extrapolating to h = 0"
        how, marks = "exact to 60 digits" if exact else how, frozenset[Mark]()
        stays = None
        is_open = not exact and abs(value - round(value)) > WHOLE_WITHIN  # on its way from one power to another
        is_whole = abs(power - round(power)) < TINY_WITHIN if power < math.inf else False
        if is_whole and (power < value - LOWER_BY or (is_open and power > LOWER_BY)):
            if round(power) <= 0:
                stays = _at_usual_steps(rate, power) * SPAN
            else:
                value, exact = power, False
                how += f"; single steps far below those show the order {power:.2f}"
                marks = frozenset({Mark.BY_SINGLE_STEPS})
        near = exact or abs(value - round(value)) <= WHOLE_WITHIN
        error = None if exact else abs(value - round(value))
        verdict = "yes" if near else "undecided"
        words = "" if stays is None else f"{DOWN_TO} {stays:.0e}"
        yield Property(value, WHOLE_WITHIN, verdict, how, bound=error, qualifier=words, down_to=stays, marks=marks)


def _tiny(method: Method, p: Problem) -> list[tuple[float, float]]:
    """The rates of tiny steps and their powers, of Q and of Omega; infinity where they are too faint for floats, or
    where such steps are refused."""
    try:
        found = rates_of_tiny_steps(method, p)
    except (InputError, ArithmeticError):
        return [NOTHING] * 2
    return [(r, power if _at_usual_steps(r, power) > FLOATS_RATE else math.inf) for r, power in found]


def computes_in_floats(method: Method, p: Problem, digits: int = 60) -> bool:
    """Whether a kernel that runs with many digits makes floats of some, as math.sin does of a number of any kind: its
    result then does not feel so small a change of the step."""
    method = adapted(method, p.forces)
    with precision(digits):
        body, q, Pi = generic(p, method)

        def slope(change: float) -> tuple[Number, ...]:
            ends = (real(STEP_SIZE) * (1 + sign * real(change)) for sign in (-1, 1))
            (q0, Pi0), (q1, Pi1) = (fresh(method, h, real(0), q, Pi, body) for h in ends)
            return tuple((b - a) / (2 * real(change)) for a, b in zip((*q0, *Pi0), (*q1, *Pi1)))

        try:
            usual, tiny = map(slope, CHANGES)
        except (InputError, ArithmeticError):
            return False
        return bool(furthest(usual, tiny) > ONE_SLOPE * furthest(usual, (0,) * len(usual)))


def _at_usual_steps(rate: float, power: float) -> float:
    """What becomes of the rate of the smallest steps where steps are as large as usual."""
    if not math.isfinite(power):
        return 0.0
    return rate * (STEP_SIZE / 2.0 ** TINY_EXPONENTS[-1]) ** power


def rates_of_tiny_steps(method: Method, p: Problem, digits: int = 60) -> tuple[tuple[float, float], ...]:
    """Of Q and of Omega: the error of a tiny step over its length, and the power of h with which it falls between two
    such steps. An order that holds shows the same power; zero is what stays however small the steps are."""
    from polhode.reference.reference import by_mpmath

    method = adapted(method, p.forces)
    with precision(digits):
        body, q, Pi = generic(p, method)
        start = tuple(map(in_mpmath, q)), tuple(map(in_mpmath, Pi))
        rates = []
        for exponent in TINY_EXPONENTS:
            h = real(2) ** exponent
            q_end, Pi_end = converted(by_mpmath(p, in_mpmath(h), digits, *start))
            q1, Pi1 = fresh(method, h, real(0), q, Pi, body)
            rates.append((apart(q1, q_end) / h, furthest(Pi1, Pi_end) / h))
        round_off = real(10) ** (8 - digits) / h
        between = TINY_EXPONENTS[0] - TINY_EXPONENTS[1]
        return tuple(
            (float(b), float(mpmath.log(in_mpmath(a / b), 2)) / between if min(a, b) > round_off else float("inf"))
            for a, b in zip(*rates)
        )
