"""Errors that teach: what was given, what is allowed, what to do; also for a call with the wrong keywords."""

import difflib
import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


class InputError(ValueError):
    """Something given by the user cannot be right; the message is a sentence for them."""


class FileError(InputError):
    """A file that cannot be written, or is not one of ours."""


class DoesNotRun(InputError):
    """An integrator of the user's that cannot take its first step; the message says what it did instead."""


class LargeStepWarning(UserWarning):
    """A step in which the body turns so far that the result means little."""


class RunWarning(UserWarning):
    """A run that stopped before its end; what was computed until then is there."""


class EventWarning(UserWarning):
    """A function of an event that was no number on the way: beside such a value no event is seen."""


class RunError(RuntimeError):
    """A run that stopped before its end; `result` is what was computed until then, if it was kept."""

    result: object = None


class CallError(InputError, TypeError):
    """A call with an argument that there is not, or without one that there must be."""


class FrozenError(InputError, AttributeError):
    """An attribute of something that does not change was given another value."""


def one_line(value: object) -> str:
    """A value as it goes into a sentence."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of 5000 digits, or whatever __repr__ of what was given raises
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= 120 else text[:117] + "..."


def near(name: str, names: Iterable[str]) -> str | None:
    """The name nearest to one that is none of them, case-blind; None where no name is near."""
    spelled = {k.lower(): k for k in names}
    matches = difflib.get_close_matches(name[:200].lower(), list(spelled), n=1, cutoff=0.5)
    return spelled[matches[0]] if matches else None


def users_line(error: BaseException) -> str:
    """Where in a user's own code an error was raised, as it goes behind a sentence: " (mine.py, line 23)". Empty where
    none of it was under way, or where it has no file."""
    import sysconfig
    import traceback

    paths = sysconfig.get_paths()
    others = (os.path.dirname(__file__), *(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")), "<")
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if not file.startswith(others):
            return f" ({os.path.basename(file)}, line {line})"
    return ""


def unknown(kind: str, name: object, names: list[str]) -> InputError:
    """The error for a name that is in no catalogue: the nearest name, and the list."""
    nearest = near(name, names) if isinstance(name, str) else None
    hint = f" Did you mean {nearest!r}?" if nearest else ""
    return InputError(f"There is no {kind} {one_line(name)}.{hint} Known: {', '.join(names)}.")


def checked_call(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a sentence for a keyword that it does not take and for an argument that is missing."""
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    name = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            return function(*arguments, **keywords)
        except TypeError:  # of the call, or of something inside it
            try:
                signature.bind(*arguments, **keywords)
            except TypeError as error:
                raise CallError(_sentence(name, parameters, keywords, error)) from None
            raise

    return call


def checked_construction(kind: C) -> C:
    """The class, with the same sentences for how it is made."""
    setattr(kind, "__init__", checked_call(getattr(kind, "__init__")))  # noqa: B009, B010  of a class, not an instance
    return kind


def _sentence(name: str, parameters: list[inspect.Parameter], keywords: dict[str, Any], error: TypeError) -> str:
    """What is wrong with the keywords of a call, in the words of the function that was called."""
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    takes = f"It takes {', '.join(names)}" if names else "It takes nothing"
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for keyword in keywords:
        if keyword not in names and not takes_any:
            nearest = near(keyword, names)
            hint = f" Did you mean {nearest}?" if nearest else ""
            return f"{name} takes no {keyword[:200]!r}.{hint} {takes}."
    needed = ", ".join(p.name for p in parameters if p.name in names and p.default is p.empty)
    return f"{name}: {error}. {takes}" + (f"; needed are {needed}." if needed else ".")
