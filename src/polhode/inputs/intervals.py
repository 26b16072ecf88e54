"""Intervals: step sizes, ends, numbers of steps, and the times at which a torque jumps."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.names import items
from polhode.inputs.numbers import LARGEST_WHOLE, number, whole


def step_size(value: Any) -> float:
    """A step size, positive or negative."""
    h = number("h", value)
    if h == 0:
        raise InputError("h is 0; give a step size, positive to go forwards in time or negative to go backwards.")
    return h


def step_sizes(value: Any) -> tuple[float, ...]:
    """One or more positive step sizes, in increasing order, each once."""
    several = [value] if np.isscalar(value) or value is None else items("h", value, "one or more positive step sizes")
    sizes = sorted({number("h", x) for x in several})
    if not sizes or sizes[0] <= 0:
        raise InputError(f"h is {one_line(value)}; give one or more positive step sizes.")
    return tuple(sizes)


def times(label: str, value: Any) -> tuple[float, ...]:
    """Times that a user gives, as finite floats; a sentence where one is no number."""
    return tuple(number(f"one of {label}", x) for x in items(label, value, "a sequence of times"))


def steps_to(t0: float, h: float, t: float) -> tuple[int, bool]:
    """How many steps of at most h lead from t0 to t, negative if t is behind; and whether they are of h itself."""
    steps = (t - t0) / h
    n = round(steps)
    if abs(steps - n) <= 1e-9 * max(1, abs(n)):
        return n, True
    return (math.ceil(steps) if steps > 0 else -1), False


def interval(problem: Any, h: Any, t_end: Any, n_steps: Any, strict: bool = True) -> tuple[float, int]:
    """The step size and the number of steps; those of the problem where none are given.

    When t_end is no whole number of steps away, h is the most a step may be, unless it is `strict`.
    """
    if h is None:
        if problem.h is None:
            raise InputError(f"Give h: the problem {problem.name!r} has no step size of its own.")
        h = problem.h
    h = step_size(h)
    if n_steps is not None:
        if t_end is not None:
            raise InputError("Give t_end or n_steps, not both.")
        return h, _within(problem, h, whole("n_steps", n_steps))
    t_end = end_of(problem, t_end)
    steps = (t_end - problem.t0) / h
    if steps < 0:
        raise InputError(f"t_end = {t_end:g} is not ahead of t0 = {problem.t0:g} with h = {h:g}: change the sign of h.")
    if steps > LARGEST_WHOLE:
        raise InputError(
            f"t_end = {t_end:g} is {steps:.3g} steps of h = {h:g} from t0; at most 2^53 can be told apart."
        )
    n, is_whole = steps_to(problem.t0, h, t_end)
    if n == 0:
        raise InputError(f"t_end = {t_end:g} is t0: there is nothing to integrate.")
    if not is_whole and not strict:
        h = (t_end - problem.t0) / n
    elif not is_whole:
        n = max(1, round(steps))
        near = (t_end - problem.t0) / n
        raise InputError(
            f"t_end - t0 = {t_end - problem.t0:g} is {steps:.12g} steps of h = {h:g}; it must be a whole number. "
            f"h = {near!r} gives {n} steps."
        )
    return h, _within(problem, h, n)


def end_of(problem: Any, t_end: Any) -> float:
    """The end of the interval; that of the problem where none is given."""
    if t_end is None:
        if problem.t_end is None:
            raise InputError(f"Give t_end or n_steps: the problem {problem.name!r} has no interval of its own.")
        t_end = problem.t_end
    t_end = number("t_end", t_end)
    if t_end == problem.t0:
        raise InputError(f"t_end = {t_end:g} is t0: there is nothing to integrate.")
    return t_end


def check_breaks(problem: Any, h: float, n: int) -> None:
    """A torque that jumps inside a step costs every method its order: steps must begin at the jumps."""
    for x in problem.breaks:
        k = (x - problem.t0) / h
        if 0 < k < n and abs(k - round(k)) > 1e-6:
            near = problem.h if problem.h is not None else (x - problem.t0) / max(1, round(k))
            raise InputError(
                f"The torque of {problem.name!r} jumps at t = {x:g}, {k:.6g} steps of h = {h:g} from the start; a step "
                f"must begin there: try h = {near:g}, or a whole part of it."
            )


def check_within(label: str, times: Sequence[float], t0: float, h: float, n: int) -> None:
    """Times must follow each other in the direction of the run, each once, and lie in its interval."""
    end, slack = t0 + n * h, 1e-9 * abs(h)
    for before, t in zip((None, *times), times):
        if not min(t0, end) - slack <= t <= max(t0, end) + slack:
            raise InputError(f"{label} has t = {t:g}, which is outside of the run from {t0:g} to {end:g}.")
        if before is not None and (t - before) * h <= 0:
            way = "rise" if h > 0 else "fall, as h is negative"
            raise InputError(f"{label} has t = {t:g} after {before:g}; the times must {way}, each once.")


def _within(problem: Any, h: float, n: int) -> int:
    """The number of steps, if the clock can count them: times must differ from step to step, and be finite."""
    end = problem.t0 + n * h
    if not math.isfinite(end):
        raise InputError(f"{n} steps of h = {h:g} from t0 = {problem.t0:g} end beyond all floats: reduce h or n_steps.")
    if problem.t0 + h == problem.t0 or end - h == end:
        raise InputError(
            f"h = {h:g} is lost in the rounding of times from t0 = {problem.t0:g} to {end:g}: increase h, or choose t0 "
            "nearer to zero."
        )
    return n
