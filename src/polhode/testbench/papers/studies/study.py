"""A measurement without a figure of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.runs.turns import on_purpose
from polhode.testbench.papers.reproduced import Tick, silent


@dataclass(frozen=True)
class Study:
    """A name, and the function that measures it; `timed` ones are measured alone."""

    name: str
    function: Callable[[], Any]
    timed: bool = False

    @on_purpose()
    def run(self, tick: Tick = silent) -> Any:
        """Call the function; steps are large on purpose, so that none is warned of."""
        tick(self.name)
        return self.function()
