"""Published figures of energy errors: the stress test in the layout of the paper."""

from dataclasses import dataclass
from typing import Any, ClassVar

from polhode.testbench.drift.evidence import Row
from polhode.testbench.drift.stress import StressResult, stress
from polhode.testbench.drift.study import Study
from polhode.testbench.papers.reproduced import Reproduced, Tick, silent


@dataclass(frozen=True)
class Drift:
    """A published figure of energy errors. `together`: a panel for each step, all methods in it."""

    name: str
    study: Study
    caption: str = ""
    together: bool = False
    ensemble: int = 8
    printed: tuple[tuple[str, str], ...] = ()  # methods that the paper calls by another name
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What the figure shows."""
        return self.study.title

    @property
    def source(self) -> str:
        """The paper, by its key in references.bib."""
        return self.study.source

    def run(self, tick: Tick = silent, ensemble: int | None = None) -> "DriftResult":
        """Take the runs of the figure; `tick` is told what comes next."""
        tick(", ".join(self.study.methods))
        drift = stress(
            self.study.methods,
            h=self.study.h,
            t_end=self.study.t_end,
            ensemble=ensemble or self.ensemble,
            problem=self.study.problem,
        )
        return DriftResult(self, drift)


@dataclass(frozen=True, repr=False)
class DriftResult(Reproduced):
    """A figure of energy errors, measured."""

    kind: ClassVar[str] = "drift"
    study: Drift
    drift: StressResult

    @property
    def rows(self) -> tuple[Row, ...]:
        """A verdict for each method, with the slopes it rests on."""
        return self.drift.rows

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.drift.wall_time

    def row(self, method: str) -> Row:
        """The verdict on a method."""
        return self.drift[method]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        more = {"caption": self.study.caption, "printed": dict(self.study.printed), "notes": list(self.study.notes)}
        return self.described() | more | self.drift.to_dict()
