"""What other states than the generic one show of an order: that it is lower there, or that it is not to be told."""

import math
from dataclasses import dataclass, field, replace

from polhode.testbench.certificate.certificate import IN_FLOATS, Mark, Property
from polhode.testbench.certificate.orders.exponents import WHOLE_WITHIN
from polhode.testbench.certificate.orders.runs import HIGH_ORDER
from polhode.testbench.certificate.states.battery import SEED

LEAST_ORDER = 0.5  # order below which there is none
FEWEST_STATES = 7  # states without which an order is not known


@dataclass
class Elsewhere:
    """What single steps, or short runs, from the states of the battery show of an order."""

    order: float  # the lowest
    looked_at: str = "one step"  # what was looked at, in words
    why_untold: str = "but only 1 or none {}, where a step is wrong, and it is not known how often"
    where: str = ""  # the first state at which it is lower than at the generic one, in words
    refused: list[str] = field(default_factory=list)
    seen: int = 0  # states that gave an answer
    is_untold: bool = False  # whether it is lower at some state, and it is not known by how much

    @property
    def is_known(self) -> bool:
        """Whether no state has left it open if there is an order at all."""
        return not self.is_untold or self.order < LEAST_ORDER

    def note(self, order: float, words: str) -> None:
        """A lower order at a state; not a number, where it is not to be told."""
        self.where = self.where or words
        if math.isnan(order):
            self.is_untold = True
        else:
            self.order = min(self.order, order)

    def coverage(self, of: int) -> str:
        """The states, of so many, at which it was looked at, in words, with the first that refused."""
        words = f"{self.looked_at} at {self.seen} states, random ones by seed {SEED}"
        if self.seen + len(self.refused) < of:
            words += ", no more for want of time"
        return f"{words}; {self.refused[0]}" if self.refused else words

    @property
    def is_seen_too_little(self) -> bool:
        """Whether there are too few states at which it has been seen, and none where it is lower."""
        return self.seen < FEWEST_STATES and not self.where


def lowered(order: Property, other: Elsewhere, threshold: float, coverage: str) -> Property:
    """An order that is lower at another state; undecided where it may be none there."""
    marks = order.marks | {Mark.LOWER_ELSEWHERE}
    if not other.is_known:
        why = f"{order.how}; {other.why_untold.format(other.where)}"
        return Property(None, threshold, "undecided", why, coverage=coverage, marks=marks)
    value = other.order if order.value is None else min(order.value, other.order)
    how = f"{order.how}; but only {other.order:.1f} {other.where}"
    is_whole = abs(value - round(value)) < 2 * WHOLE_WITHIN
    verdict = "no" if value < LEAST_ORDER else "yes" if is_whole else "undecided"
    found = Property(value, threshold, verdict, how, bound=abs(value - round(value)), coverage=coverage, marks=marks)
    return replace(found, qualifier=IN_FLOATS) if verdict == "yes" and value > HIGH_ORDER else found
