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

    fits = sys.stdout.isatty() or "COLUMNS" in os.environ
    console = Console(width=None if fits else 132, highlight=False, markup=False)
    for thing in things:
        console.print(thing, soft_wrap=isinstance(thing, str) and not sys.stdout.isatty())


def show_json(data: Any) -> None:
    """Print JSON on standard output."""
    from polhode.views.files import as_json

    print(as_json(data))
