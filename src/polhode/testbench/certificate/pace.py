"""The time of a certificate: all that a fast integrator gets, and what a slow one gets within a budget.

An integrator whose step takes milliseconds cannot be looked at with ten thousand steps. Each measurement then has its
part of the budget, what the ones before it have left over included; it looks at fewer states and steps, which its
coverage tells, and what is not seen well enough is undecided, with the seconds that would decide it.
"""

import time

from polhode.integrators.properties import Row
from polhode.testbench.certificate.guard import OwnTime

SLOW = 5e-3  # seconds a step, from which on an integrator is slow
BUDGET = 25.0  # seconds for all measurements of a slow one but its drift
WHOLE = 30.0  # seconds for a certificate of a slow one
PATIENT = 1.5  # times its part of the budget, after which a measurement is ended
LEAST = 1.0  # seconds that a measurement has in any case
FEW = 1.2
PARTS = {"order": 2.5, "symplecticity": 3.0, "conformality": 3.0, "orthogonality": 2.0, "Poisson map": 0.7}
PARTS |= {"largest step": 1.5, "torque evaluations": 0.3}
"""By measure, its part of the budget, beside that of one that takes a few steps at each state."""
NEEDED = {"order": 380, "symplecticity": 520, "conformality": 520, "Poisson map": 520, "torque evaluations": 16}
FEWEST_NEEDED = 84
"""By measure, and for all others: about how many steps a measurement needs."""


class Pace:
    """How long an integrator takes, and how much time a measurement has."""

    def __init__(self) -> None:
        self.own = OwnTime()
        self.step = 0.0  # seconds a step
        self.begun = 0.0
        self.allotted = float("inf")  # seconds for the measurement under way
        self.clock = time.process_time()

    @property
    def is_slow(self) -> bool:
        """Whether there is no time for every step."""
        return self.step > SLOW

    def begin(self, row: Row, left: list[Row]) -> None:
        """A measurement begins; it and those in `left` share what is left of the budget."""
        self.begun, self.clock = self.own.seconds, time.process_time()
        if self.is_slow:
            part = PARTS.get(row.measure, FEW)
            rest = sum(PARTS.get(other.measure, FEW) for other in left)
            self.allotted = max(BUDGET - self.begun, 0.0) * part / (part + rest)

    @property
    def spent(self) -> float:
        """Seconds since the measurement began: of computing, or of a slow integrator all that it has taken."""
        return self.own.seconds - self.begun if self.is_slow else time.process_time() - self.clock

    def patience(self, seconds: float) -> float:
        """The seconds after which the measurement is ended."""
        return min(seconds, max(LEAST, PATIENT * self.allotted)) if self.is_slow else seconds

    def missing(self, row: Row) -> str:
        """What would decide a measurement that was ended, in words; nothing to say of a fast integrator."""
        return f"; {would_decide(self.step * NEEDED.get(row.measure, FEWEST_NEEDED))}" if self.is_slow else ""

    def afford(self, steps: float, part: float = 1.0) -> bool:
        """Whether so many steps fit into a part of what the measurement has left."""
        return not self.is_slow or self.step * steps <= part * max(self.allotted - self.spent, 0.0)

    @property
    def whole(self) -> float:
        """Seconds that the certificate of a slow integrator has left; all that is wanted for a fast one."""
        return max(WHOLE - self.own.seconds, 0.0) if self.is_slow else float("inf")


def would_decide(seconds: float) -> str:
    """What is missing, in words."""
    return f"there was no time for more; about {max(seconds, 1.0):.0f} s would decide it"
