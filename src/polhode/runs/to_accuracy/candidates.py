"""Which methods are tried where an accuracy is asked for: chosen by the claims in the catalogue."""

import functools
import math

from polhode.integrators.lookup import methods
from polhode.integrators.method import Method
from polhode.physics.problem import Problem

HIGH_ORDER = 6
"""The lowest order of a method that is tried: those below are never the fastest way to an accuracy."""


def able(problem: Problem, is_formula: bool, wide: bool = False) -> list[Method]:
    """What is tried beside Taylor's method: for a free body the cheapest exact one, else every method of high order.

    Where Taylor's method takes the torque, methods whose torque stands in equations are slower and left out. Where the
    torque jumps, so are methods that remember earlier torques. `wide`: all of high order, whatever they solve.
    """
    if not problem.has_torque and not wide:
        exact = [m for m in methods().values() if not m.free_only and min(m.orders.free) == math.inf]
        return [min(exact, key=lambda m: (m.torques_at_start, m.torques_per_step or 0))]
    jumps = bool(problem.breaks) or problem.control is not None
    return [
        m
        for m in _high()
        if (m.velocity is not None or not problem.forces.any)
        and (m.explicit_torque or wide or not is_formula)
        and not (m.extended and jumps)
    ]


@functools.cache
def _high() -> list[Method]:
    return [m for m in methods().values() if not m.free_only and min(m.orders.torque) >= HIGH_ORDER]


def witnesses() -> list[Method]:
    """The methods that check a result where the torque depends on the time, the best first: they take any torque."""
    return sorted((m for m in _high() if m.velocity is not None), key=lambda m: -min(m.orders.torque))
