"""Warnings that point at the user's line."""

import contextlib
import pathlib
import sys
import warnings

INSIDE = (str(pathlib.Path(__file__).resolve().parent.parent), contextlib.contextmanager.__code__.co_filename)
"""Where lines are not the user's: this package, and what calls its functions for a context manager."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that points at the line of the user's program that led to it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
