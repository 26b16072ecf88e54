"""A progress bar with rate and time left."""

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text


class Bar:
    """A progress bar on standard error. Its context gives a function to call with the work done so far, and with a new
    label if there is one.

    With the name of a `unit` the rate is shown, too; without a `total` no end is shown. `done` is what was done before,
    which does not count for the rate.
    """

    def __init__(self, total: int | None, label: str, done: int = 0, unit: str | None = None) -> None:
        columns = [TextColumn("{task.description}"), BarColumn()]
        if total is not None:
            columns.append(TextColumn("{task.percentage:>3.0f}%"))
        if unit:
            columns.append(_Rate(unit))
        self._progress = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(label, total=total, completed=done)

    def __enter__(self) -> Callable[..., None]:
        self._progress.start()

        def show(done: int, label: str | None = None) -> None:
            self._progress.update(self._task, completed=done, description=label)

        return show

    def __exit__(self, *exception: Any) -> None:
        self._progress.stop()


class _Rate(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Any) -> Text:
        """The rate with a prefix that makes it readable."""
        rate = task.speed or 0.0
        for size, prefix in ((1e6, " M"), (1e3, " k")):
            if rate >= size:
                return Text(f"{rate / size:.3g}{prefix} {self._unit}/s")
        return Text(f"{rate:.3g} {self._unit}/s")
