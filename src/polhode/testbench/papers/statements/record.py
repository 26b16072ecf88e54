"""A statement of a paper as data: where it stands, its words, how it is measured, and the verdict."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

CONFIRMED, IN_PART, NOT_CONFIRMED = "confirmed", "holds in part", "not confirmed"
VERDICTS = (CONFIRMED, IN_PART, NOT_CONFIRMED)


@dataclass(frozen=True)
class Finding:
    """A verdict, the sentence with the numbers behind it, and the number that decides."""

    verdict: str
    measured: str
    value: float


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A sentence of a paper.

    key      its name, once and for all
    source   the paper, by its key in references.bib
    where    section, figure or table
    says     the words; in quotation marks on the page if `quoted`, a paraphrase otherwise
    verdict  what the measurement said; the suite measures it again
    needs    names of figures, tables and studies whose results `measure` is given, in this order
    measure  from those results to a Finding
    figure   the figure or table on whose page it stands; "" for the audit page alone
    timed    whether it is about processor time: its number is that of one machine, its verdict may be, too
    """

    key: str
    source: str
    where: str
    says: str
    verdict: str
    needs: tuple[str, ...]
    measure: Callable[..., Finding]
    figure: str = ""
    quoted: bool = True
    timed: bool = False

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.key}: the verdict is {self.verdict!r}; it must be one of {VERDICTS}.")


@dataclass(frozen=True)
class Checked:
    """A statement with what is measured now."""

    statement: Statement
    finding: Finding

    @property
    def says(self) -> str:
        """The words, in quotation marks if they are the paper's."""
        return f"“{self.statement.says}”" if self.statement.quoted else self.statement.says

    @property
    def verdict(self) -> str:
        """What was found."""
        return self.finding.verdict

    @property
    def holds(self) -> bool:
        """Whether it is confirmed without restriction."""
        return self.verdict == CONFIRMED

    @property
    def measured(self) -> str:
        """The sentence with the numbers."""
        return self.finding.measured

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        s = self.statement
        return {
            "key": s.key,
            "source": s.source,
            "where": s.where,
            "says": s.says,
            "quoted": s.quoted,
            "holds": self.holds,
            "verdict": self.verdict,
            "measured": self.measured,
            "value": self.finding.value,
            "timed": s.timed,
        }


MOST_LISTED = 6
"""Cases up to which those that hold and fail are listed; with more, the sentence itself must name what fails."""


def judged(cases: Mapping[str, bool], measured: str, value: float) -> Finding:
    """A verdict from the cases that a statement is about: confirmed if it holds in all, in part if in some."""
    if not cases:
        raise ValueError("A statement without a case cannot be judged.")
    holding = [name for name, holds in cases.items() if holds]
    failing = [name for name, holds in cases.items() if not holds]
    if not failing:
        return Finding(CONFIRMED, measured, float(value))
    if not holding:
        return Finding(NOT_CONFIRMED, measured, float(value))
    if len(cases) > MOST_LISTED:
        return Finding(IN_PART, f"holds in {len(holding)} of {len(cases)} cases; {measured}", float(value))
    return Finding(IN_PART, f"holds for {', '.join(holding)}; not for {', '.join(failing)}: {measured}", float(value))
