"""A progress bar with rate and time left."""

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn


class Bar:
    """Context manager that gives a function to call with the work done so far; drawn on standard error."""

    def __init__(self, total, label):
        columns = (TextColumn(label), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(label, total=total)

    def __enter__(self):
        self._progress.start()
        return lambda done: self._progress.update(self._task, completed=done)

    def __exit__(self, *exception):
        self._progress.stop()
        return False
