"""Names, choices, yes or no, functions, and sequences of them."""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line

MOST_ITEMS = 1_000_000
"""Things in a sequence that is looked at one by one: a generator may have no end."""


def text(label: str, value: Any) -> str:
    """A name: text of one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > 200:
        raise InputError(f"{label} is {one_line(value)}; it must be text of one line, from 1 to 200 characters.")
    return str(value)


@functools.lru_cache(maxsize=4096)
def spelled(name: str) -> str:
    """A name as it is looked up: small letters without accents, spaces, dashes, underscores, brackets and ampersands.

    A last word that says only what kind of thing it is does not count: "Koziara-Bićanić algorithm". What separates
    numbers stays, for "DMV1.2" is not "DMV12".
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).casefold()
    plain = re.sub(r"[\s_]+", " ", plain).strip().rstrip(".")
    plain = re.sub(r" (method|algorithm|integrator|scheme)$", "", plain)
    return re.sub(r"[\s&()\[\]\-\u2010-\u2015\u2212]|\band\b", "", plain)


def text_or_empty(label: str, value: Any) -> str:
    """A name, or the empty text that leaves it to the function to find one."""
    return "" if isinstance(value, str) and not value else text(label, value)


def flag(label: str, value: Any) -> bool:
    """Yes or no."""
    if value is True or value is False:
        return value
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise InputError(f"{label} is {one_line(value)}; it must be True or False.")


def flag_or_none(label: str, value: Any) -> bool | None:
    """Yes, no, or left open."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise InputError(f"{label} is {one_line(value)}; it must be True, False or None.")


def items(label: str, value: Any, wanted: str) -> list[Any]:
    """The things in a sequence, or in anything that gives them one after the other; text is no sequence."""
    if isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
        raise InputError(f"{label} is {one_line(value)}; it must be {wanted}.")
    things: list[Any] = []
    try:
        for x in value:
            if len(things) == MOST_ITEMS:
                raise InputError(f"{label} holds more than {MOST_ITEMS} things; it must be {wanted}.")
            things.append(x)
    except InputError:
        raise
    except Exception:  # an array of no dimension, or whatever __iter__ raises
        raise InputError(f"{label} is {one_line(value)}; it must be {wanted}.") from None
    return things


def choices(label: str, value: Any, allowed: Iterable[str]) -> tuple[str, ...]:
    """One of the names known, or several of them."""
    if isinstance(value, tuple) and not value:
        return ()
    allowed = list(allowed)
    several = [value] if isinstance(value, str) else items(label, value, f"some of {', '.join(allowed)}")
    for name in several:
        if not isinstance(name, str) or name not in allowed:
            raise InputError(f"{label} has {one_line(name)}; it may have {', '.join(allowed)}.")
    return tuple(several)


def choice(label: str, value: Any, allowed: Iterable[str]) -> str:
    """One of the names known."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError(f"{label} is {one_line(value)}; it may be {', '.join(allowed)}.")
    return value


def function(label: str, value: Any) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        raise InputError(f"{label} is {one_line(value)}; it must be a function, or left out.")
    return value


def functions_by_name(label: str, value: Any) -> dict[str, Callable[..., Any]]:
    """A dictionary of functions by name; none if None is given."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{label} is {one_line(value)}; it must be a dictionary {{name: function}}.")
    return {text(f"a name in {label}", k): function(f"{label}[{one_line(k)}]", f) for k, f in value.items()}
