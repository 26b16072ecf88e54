"""A controller that looks at the body once a period and holds its torque until it looks again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import checked_construction, function, positive
from polhode.pickling import Travels


@checked_construction
@dataclass(frozen=True)
class Sampled(Travels):
    """A zero-order hold: law(t, Q, Omega) -> torque in body axes, called at t0, t0 + period, ... and held in between.

    The period is a whole number of steps. The law is called in Python; the steps between two calls are not.
    At a call the torque jumps, and the method is started anew: one with a memory, as ADAMS8, keeps its order.

    Parameters
    ----------
    law : callable
        law(t, Q, Omega) -> three numbers in body axes.
    period : float
        Between two calls: a whole number of steps.
    """

    law: Callable[..., Any]
    period: float

    def __post_init__(self) -> None:
        function("law of Sampled", self.law)
        object.__setattr__(self, "period", positive("period of Sampled", self.period))

    def steps(self, h: float) -> int:
        """How many steps of h a period has."""
        n = self.period / abs(h)
        k = max(1, round(n))
        if abs(n - k) > 1e-9 * n:
            raise InputError(
                f"The period of the controller, {self.period:g}, is {n:.6g} steps of h = {h:g}; it must be a whole "
                f"number of them: take h = {self.period / k:.10g}."
            )
        return k

    def torque(self, t: float, Q: np.ndarray, Omega: np.ndarray) -> np.ndarray:
        """What the law says, checked."""
        value = self.law(t, Q, Omega)
        try:
            u = np.array(value, dtype=float)
        except (TypeError, ValueError):
            u = np.array(np.nan)
        if u.shape != (3,) or not np.isfinite(u).all():
            raise InputError(
                f"The law of the controller returned {one_line(value)} at t = {t:g}; it must return three finite "
                "numbers."
            )
        return u
