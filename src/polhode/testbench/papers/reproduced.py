"""What a published figure or table is, whatever it shows: a name by paper, a run, and a result that shows itself."""

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from polhode.shown import shown

if TYPE_CHECKING:
    from polhode.testbench.papers.statements.record import Checked

PAPERS = {
    "ortolan-saccon-2012": "Ortolan & Saccon (2012)",
    "bou-rabee-ortolan-saccon-2010": "Bou-Rabee, Ortolan & Saccon (2010)",
    "krysl-endres-2005": "Krysl & Endres (2005)",
    "hairer-vilmart-2006": "Hairer & Vilmart (2006)",
}
"""The papers whose figures, tables and statements are measured again, as they are cited in headings."""

Tick = Callable[[str], None]


def silent(what: str) -> None:
    """A tick that tells nobody."""


class Specification(Protocol):
    """What can be measured: a figure, a table, or a study behind a statement."""

    @property
    def name(self) -> str: ...

    def run(self, tick: Tick = silent) -> Any: ...


class Reproduced(abc.ABC):
    """A figure or table, measured. `study` is what was measured; `kind` says by which views it is shown."""

    kind: ClassVar[str]
    vector: ClassVar[bool] = True  # whether the figure is worth writing as SVG
    study: Any
    if TYPE_CHECKING:  # some results have it as a field, others compute it

        @property
        def seconds(self) -> float:
            """How long it took to measure."""

    def __repr__(self) -> str:
        return f"<{self.name}: {self.heading}; figure(), show() and page() show it>"

    @property
    def name(self) -> str:
        """What `reproduce` is called with: paper, then figure or table."""
        return self.study.name

    @property
    def title(self) -> str:
        """What it shows, beginning with its number in the paper."""
        return self.study.title

    @property
    def source(self) -> str:
        """The paper, by its key in references.bib."""
        return self.study.source

    @property
    def heading(self) -> str:
        """Paper, number and title."""
        return f"{PAPERS[self.source]}, {self.title}"

    @property
    def said(self) -> "tuple[Checked, ...]":
        """What the paper says of it, measured; other results that this needs are measured now, unless they are kept."""
        from polhode.testbench.papers.statements.checked import about

        return about(self)

    def figure(self) -> Any:
        """A Matplotlib figure, or None where there is nothing to draw."""
        return shown(f"published {self.kind}, a figure", self)

    def show(self) -> list[Any]:
        """What goes to the terminal."""
        return shown(f"published {self.kind}, in the terminal", self)

    def page(self) -> str:
        """A page of HTML that stands alone, with the figure and what the paper says."""
        return shown(f"published {self.kind}, a page", self)

    @abc.abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data."""

    def described(self) -> dict[str, Any]:
        """What every result says of itself, as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "said": [s.to_dict() for s in self.said],
        }
