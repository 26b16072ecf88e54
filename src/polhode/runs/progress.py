"""A progress bar where one is asked for; the library that draws it is imported only then."""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager

Tick = Callable[..., None]
"""Called with what is done so far, and with a new label if there is one."""


def bar(progress: bool, total: int, label: str, done: int = 0, unit: str = "steps") -> AbstractContextManager[Tick]:
    """A progress bar that counts steps, or none; a context that gives a function to call with the steps done."""
    if not progress:
        return contextlib.nullcontext(lambda done, label=None: None)
    from polhode.runs.progress_bar import Bar

    return Bar(total, label, done, unit)
