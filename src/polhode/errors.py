"""Errors that teach: what was given, what is allowed, what to do."""

import difflib


class InputError(ValueError):
    """Something given by the user cannot be right; the message is a sentence for them."""


class FileError(InputError):
    """A file that cannot be written, or is not one of ours."""


class LargeStepWarning(UserWarning):
    """A step in which the body turns so far that the result means little."""


class RunWarning(UserWarning):
    """A run that stopped before its end; what was computed until then is there."""


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


def unknown(kind: str, name: object, known: list[str]) -> InputError:
    """The error for a name that is in no catalogue: the nearest names, and the list."""
    text = name[:200].lower() if isinstance(name, str) else ""
    near = difflib.get_close_matches(text, [k.lower() for k in known], n=1, cutoff=0.5)
    spelled = {k.lower(): k for k in known}
    hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
    return InputError(f"There is no {kind} {one_line(name)}.{hint} Known: {', '.join(known)}.")
