"""Errors that teach: what was given, what is allowed, what to do."""

import difflib


class InputError(ValueError):
    """Something given by the user cannot be right; the message is a sentence for them."""


class FileError(InputError):
    """A file that cannot be written, or is not one of ours."""


class LargeStepWarning(UserWarning):
    """A step in which the body turns so far that the result means little."""


def one_line(value):
    """A value as it goes into a sentence."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else text[:117] + "..."


def unknown(kind, name, known):
    """The error for a name that is in no catalogue: the nearest names, and the list."""
    near = difflib.get_close_matches(str(name).lower(), [k.lower() for k in known], n=1, cutoff=0.5)
    spelled = {k.lower(): k for k in known}
    hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
    return InputError(f"There is no {kind} {name!r}.{hint} Known: {', '.join(known)}.")
