"""The forms of users' functions: which arguments they take, from how many there are."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError
from polhode.inputs.parameters import Fields, arguments, optional_velocity, record, view


@dataclass(frozen=True)
class Form:
    """What a user's function takes: its first arguments, and whether the velocity and the parameters follow."""

    first: tuple[str, ...]
    velocity: bool = False
    fields: Fields | None = None


def form(
    label: str,
    user: Callable[..., Any],
    fields: Fields | None,
    first: tuple[str, ...],
    velocity: str = "",
    timed: bool = False,
) -> Form:
    """The form of a function, from the number of its arguments; a sentence where none fits, or two do.

    `velocity` is what the velocity is called, where a function may take it; `timed` says that t may come first.
    """
    more = () if fields is None else fields.names if fields.spread else ("p",)
    forms = [Form(first, False, fields if more else None)]
    if velocity:
        forms.append(Form(first, True, fields if more else None))
    if timed:
        forms.append(Form(("t", *first), False, fields if more else None))
    if more:
        forms.append(Form(first))
    spelled = [(*f.first, *(velocity,) * f.velocity, *(more if f.fields else ())) for f in forms]
    least, most = arguments(user)
    fitting = [f for f, names in zip(forms, spelled) if least <= len(names) <= most]
    if fitting and not (len(fitting) > 1 and fitting[1].velocity and optional_velocity(user)):
        return fitting[0]
    called = " or ".join(f"{label}({', '.join(names)})" for names in spelled)
    if fitting:
        raise InputError(f"{label} may take the velocity or not, and both fit: write {called}, without a default.")
    takes = str(least) if least == most else f"{least} to {most}" if most < math.inf else f"{least} or more"
    plural = "" if takes == "1" else "s"
    hint = "" if fields else " Parameters come with parameters={name: value} or args=(...)."
    raise InputError(f"{label} takes {takes} argument{plural}; it is called as {called}.{hint}")


def with_values(user: Callable[..., Any], fields: Fields | None, row: tuple[float, ...]) -> Callable[..., Any]:
    """A user's function of its first arguments alone, with parameters of these values."""
    if fields is None:
        return user
    p = view(record(fields), (*fields.first * (0.0,), *row))
    return lambda *arguments: user(*arguments, *(p if fields.spread else (p,)))
