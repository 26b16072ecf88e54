"""What the tables of ``properties.py`` are made of: rows, columns of the lists of methods, outlooks on long runs."""

from dataclasses import dataclass, field
from typing import Any

ORDER, YES_OR_NO, RATE, NUMBER = KINDS = ("order", "yes or no", "rate", "number")
"""What can be measured of a property, in the order in which a certificate lists them. A rate is yes or no, too, and
is claimed by its sign."""


@dataclass(frozen=True)
class Column:
    """A column of the lists of methods, of one property or of several that belong together."""

    head: str  # on the page
    short: str  # in the terminal
    legend: str  # below the table in the terminal
    note: str = ""  # above the table on the page, where the head does not say all


@dataclass(frozen=True, kw_only=True)
class Row:
    """One property."""

    key: str  # in certificates and JSON
    title: str
    kind: str = YES_OR_NO
    measure: str  # what is measured
    case: str  # on which problem; of a method for free bodies only, on the free body
    needs_torque: bool = False  # whether it says nothing of a method for free bodies only
    needs_velocity: bool = False  # whether it says nothing of a method that takes no torque of the velocity
    group: str = ""  # of those that one measurement gives
    how: str = ""  # in words; numbers come with words of their own
    how_outside: str = ""  # the same, of an integrator that can only be run; as `how` if empty
    claim: str | None = None  # the attribute of a Method that claims it
    part: str | None = None  # of a claimed `Order`, for orders
    composes: bool = True  # whether a symmetric composition of a method that has it has it
    column: Column | None = None  # in lists of methods
    label: str = ""  # in a column of several
    adjective: str = ""  # said of it beside the order, if yes
    if_yes: str = ""  # said in a summary, ...
    if_no: str = ""
    covers: tuple[str, ...] = ()  # keys of which nothing need be said if this one is a yes
    keep: str | None = None  # the word of ``properties.KEPT`` for it

    def is_of(self, method: Any) -> bool:
        """Whether it says something of a method, by what that takes."""
        free_only = getattr(method, "free_only", False)
        takes_velocity = getattr(method, "velocity", None) is not None and not free_only
        return not (self.needs_torque and free_only) and (takes_velocity or not self.needs_velocity)


def claim(**row: Any) -> Any:
    """The field of a claim, open unless it is made, with the row of its property."""
    return field(default=None, metadata=row)


@dataclass(frozen=True)
class Outlook:
    """What a verdict means for long runs."""

    key: str
    verdict: str
    words: str
    unless: str | None = None  # the key of a property that, once measured, decides instead
    needs_order: bool = False  # whether it is said only of what converges
