"""What the verbs share: numbers in, tables and JSON out."""

import argparse
import os
import sys
from typing import Any


def number(text: Any) -> Any:
    """A finite number, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value - value != 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value


def whole(text: Any) -> Any:
    """A whole number, at least 1, for argparse; 1e9 is one."""
    try:
        value = int(text) if text.isdecimal() else float(text)
    except ValueError:
        value = 0
    if value < 1 or value % 1:  # NaN and infinity have no remainder that is zero
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, at least 1")
    return int(value)


def wants_progress() -> Any:
    """Whether standard error is a terminal."""
    return sys.stderr.isatty()


def show(*things: Any) -> None:
    """Print rich tables and texts on standard output; wide where there is neither a terminal to fit nor COLUMNS."""
    from rich.console import Console

    from polhode.views.tables import width

    console = Console(width=width(), highlight=False, markup=False)
    for thing in things:
        console.print(thing, soft_wrap=isinstance(thing, str) and not sys.stdout.isatty())


def show_json(data: Any) -> None:
    """Print JSON on standard output, which is its own again: see `Aside`."""
    from polhode.views.files import as_json

    if isinstance(sys.stdout, Aside):
        sys.stdout.end()
    print(as_json(data))


class Aside:
    """In place of standard output while a verb that prints JSON is at work: what a user's function, another package or
    a worker prints comes on standard error, and that it does is told once. The JSON then has standard output alone."""

    def __init__(self, name: str) -> None:
        self._name, self._is_told = name, False
        self._results, self._kept = sys.stdout, -1

    def __enter__(self) -> None:
        if _is_open(sys.stdout, 1) and _is_open(sys.stderr, 2):  # what is not Python, and processes, print there, too
            sys.stdout.flush()
            self._kept = os.dup(1)
            os.dup2(2, 1)
        sys.stdout = self

    def __exit__(self, *exception: Any) -> None:
        self.end()

    def write(self, text: str) -> int:
        """To standard error."""
        if not self._is_told:
            self._is_told = True
            sys.stderr.write(f"{self._name}: standard output is for the JSON; what else is printed comes here.\n")
        return sys.stderr.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)

    def end(self) -> None:
        """Give standard output back."""
        if sys.stdout is self:
            sys.stdout = self._results
        if self._kept >= 0:
            os.dup2(self._kept, 1)
            os.close(self._kept)
            self._kept = -1


def _is_open(stream: Any, number: int) -> bool:
    """Whether a stream is that of the system with this number."""
    try:
        return stream.fileno() == number
    except (OSError, ValueError, AttributeError):  # one that is kept in memory, or closed
        return False
