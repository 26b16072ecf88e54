"""A fingerprint of functions: of everything they can reach at this moment.

What a function computes depends on more than its code: on the defaults of its arguments, on what it closes over, on
globals and attributes of modules, on the functions it calls, on the object it is bound to. The fingerprint covers all
of it, values with type, shape and every byte, and is the same in another process. It is taken anew each time it is
needed, because any of it may have changed since.

What cannot be seen through (an open file, an object of a compiled library that does not pickle, what `eval` finds) is
named in `unseen`; what rests on the fingerprint, machine code kept for later or a checkpoint, is not used then.
"""

import types
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from polhode.kernels.walk import IN_C as IN_C
from polhode.kernels.walk import Walk, static_digest


@dataclass(frozen=True)
class Fingerprint:
    """A hash of what some functions can reach, and what could not be seen through."""

    digest: str
    unseen: tuple[str, ...] = ()


def fingerprint(values: Iterable[Any]) -> Fingerprint:
    """The fingerprint of these functions (or other values), as they are now."""
    walk = Walk()
    for value in values:
        walk.add(value)
    walk.finish()
    return Fingerprint(walk.hash.hexdigest(), tuple(walk.unseen))


def is_static(function: Any) -> bool:
    """Whether a function reaches nothing but this package, libraries and constants: what it does cannot change."""
    return isinstance(function, types.FunctionType) and static_digest(function) is not None
