"""How a task that somebody else took ended, and what is said when nobody is left to take it."""

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import Any

from polhode.errors import RunError

TRIES = 3
"""How often a task whose worker died is tried."""

AHEAD = 4
"""Tasks handed out for each worker beyond the one that it has: enough to keep it busy, few enough to stop at once."""

PATIENCE = 10.0
"""Seconds after which a cluster that does not open or does not close is given up."""

GUARD = (
    'A program that starts processes needs its own work below `if __name__ == "__main__":`, as every program that uses '
    "multiprocessing."
)

Task = Callable[..., Any]


class WorkersLost(RunError):
    """Nobody is left to work: an executor broke, a scheduler or the last worker is gone."""


@dataclass(frozen=True)
class Outcome:
    """How a task ended: its result, or what it raised, or that its workers died."""

    index: int  # its place among those given
    result: Any = None
    error: BaseException | None = None

    @property
    def died(self) -> bool:
        """Whether its workers did, each time it was tried."""
        return isinstance(self.error, BrokenExecutor) or type(self.error).__name__ == "KilledWorker"


Outcomes = Iterator[Outcome]
