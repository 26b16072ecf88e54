"""A setting: a method with a step, or one that chooses its steps with a tolerance. What trials compare."""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

from polhode.integrators.method import BlackBox, Method
from polhode.physics.problem import Problem
from polhode.runs.runners.taylor import FINEST_TOLERANCE, taylor


@dataclass(frozen=True)
class Setting:
    """A method with a step, or one that chooses its steps with a tolerance, and what the trial found."""

    method: Method | None  # None: what `maker` makes of a tolerance
    order: float
    size: float  # h, or the tolerance
    error: float = math.nan
    seconds: float = math.inf  # for the whole interval
    maker: Callable[[float], BlackBox] = taylor
    finest: float = FINEST_TOLERANCE  # tolerance

    @property
    def chooses_steps(self) -> bool:
        """Whether it chooses its own steps."""
        return self.method is None

    @property
    def title(self) -> str:
        """What the method is, in a few words."""
        return self.maker(self.size).title if self.method is None else self.method.title

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.maker.__name__.upper() if self.method is None else self.method.name

    def finer(self, factor: float) -> "Setting":
        """The same with an error smaller by this factor."""
        if self.chooses_steps:
            return dataclasses.replace(self, size=max(self.finest, self.size / factor))
        return dataclasses.replace(self, size=self.size / factor ** (1 / self.order))

    @property
    def words(self) -> str:
        """Method and step."""
        return f"{self.name} with {'tolerance' if self.chooses_steps else 'h ='} {self.size:.3g}"


def order_of(method: Method, problem: Problem) -> float:
    """The order, where errors are not at round-off; 2 where nothing is claimed, which only costs a trial more."""
    order = min(method.orders.torque if problem.has_torque else method.orders.free)
    return min(max(order, 1.0), 16.0) if order == order else 2.0
