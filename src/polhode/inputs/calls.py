"""Calls: a wrong keyword is named with the nearest right one; warnings point at the user's line."""

import contextlib
import difflib
import functools
import inspect
import pathlib
import sys
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from polhode.errors import CallError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

INSIDE = (str(pathlib.Path(__file__).resolve().parent.parent), contextlib.contextmanager.__code__.co_filename)
"""Where lines are not the user's: this package, and what calls its functions for a context manager."""


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a sentence for a keyword that it does not take and for an argument that is missing."""
    signature = inspect.signature(function)
    known = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*arguments, **keywords)
        except TypeError:  # of the call, or of something inside it
            try:
                signature.bind(*arguments, **keywords)
            except TypeError as error:
                raise CallError(_sentence(name, known, keywords, error)) from None
            raise

    return call


def checked_construction(kind: C) -> C:
    """The class, with the same sentences for how it is made."""
    setattr(kind, "__init__", checked_call(getattr(kind, "__init__")))  # noqa: B009, B010  of a class, not an instance
    return kind


def _sentence(name: str, known: list[inspect.Parameter], keywords: dict, error: TypeError) -> str:
    names = [p.name for p in known if p.kind is not p.POSITIONAL_ONLY]
    for given in keywords:
        if given not in names:
            near = difflib.get_close_matches(given.lower(), [k.lower() for k in names], n=1, cutoff=0.5)
            hint = f" Did you mean {next(k for k in names if k.lower() == near[0])}?" if near else ""
            return f"{name} takes no {given[:200]!r}.{hint} It takes {', '.join(names)}."
    needed = ", ".join(p.name for p in known if p.default is p.empty)
    return f"{name}: {error}. It takes {', '.join(names)}" + (f"; needed are {needed}." if needed else ".")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that points at the line of the user's program that led to it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(INSIDE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
