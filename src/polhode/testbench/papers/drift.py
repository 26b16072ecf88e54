"""Published figures of energy errors: the stress test, with what the paper says checked."""

from dataclasses import dataclass

from polhode.shown import shown
from polhode.testbench.drift.stress import StressResult, stress
from polhode.testbench.drift.study import Study
from polhode.testbench.papers.said import Checked, checked


@dataclass(frozen=True)
class Drift:
    """A published figure of energy errors."""

    name: str
    study: Study
    statements: tuple = ()

    @property
    def title(self):
        """What the figure shows."""
        return self.study.title

    @property
    def source(self):
        """The paper."""
        return self.study.source

    def run(self, tick=lambda what: None, ensemble=8):
        """Measure it."""
        tick(", ".join(self.study.methods))
        drift = stress(
            self.study.methods, h=self.study.h, t_end=self.study.t_end, ensemble=ensemble, problem=self.study.problem
        )
        result = DriftResult(self, drift, ())
        return DriftResult(self, drift, checked(self.statements, result))


@dataclass(frozen=True)
class DriftResult:
    """A figure of energy errors, measured."""

    reproduced: Drift
    drift: StressResult
    said: tuple[Checked, ...]

    @property
    def name(self):
        """The name by paper."""
        return self.reproduced.name

    @property
    def rows(self):
        """The verdicts."""
        return self.drift.rows

    @property
    def seconds(self):
        """How long it took."""
        return self.drift.wall_time

    def to_dict(self):
        """Plain data."""
        told = [vars(s) for s in self.said]
        return {"name": self.name, "title": self.reproduced.title, "said": told} | self.drift.to_dict()

    def figure(self):
        """A Matplotlib figure: a row per method, a column per step size."""
        return self.drift.figure()

    def show(self):
        """What goes to the terminal."""
        return shown("published drift, in the terminal", self)

    def page(self):
        """The page."""
        return shown("published drift, a page", self)
