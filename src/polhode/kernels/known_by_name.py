"""What the fingerprint says of a code, and what it knows by name: functions and classes of this package."""

import functools
import hashlib
import pathlib
import sys
import types
from typing import Any

from polhode.kernels.references import codes


@functools.lru_cache(maxsize=4096)
def code_digest(code: types.CodeType) -> bytes:
    """A hash of a code and those inside it."""
    text = hashlib.blake2b(digest_size=16)
    for part in codes(code):
        about = (part.co_names, part.co_varnames, part.co_freevars, part.co_cellvars, part.co_flags)
        counts = (part.co_argcount, part.co_kwonlyargcount, part.co_posonlyargcount)
        text.update(repr((part.co_code, part.co_exceptiontable, about, counts)).encode())
        for constant in part.co_consts:
            if not isinstance(constant, types.CodeType):
                text.update(_constant(constant).encode() + b";")
    return text.digest()


def _constant(value: Any) -> str:
    """A text for a constant of a code; a set is written in order."""
    if isinstance(value, (tuple, frozenset)):
        parts = [_constant(x) for x in value]
        return type(value).__name__ + repr(sorted(parts) if isinstance(value, frozenset) else parts)
    return f"{type(value).__name__} {value!r}"


def is_ours(value: Any) -> bool:
    """Whether a function or class is one of this package."""
    return (value.__module__ or "").startswith("polhode.")


BELOW = ("kernels", "inputs", "integrators", "machine", "physics")
"""Parts of this package whose functions are walked, since machine code is made of them. Others are known by name."""


def is_of_the_house(value: Any) -> bool:
    """Whether a function or class is one of this package that no machine code holds: `step`, `solve`, a result.

    It is what its module calls so; a function made inside another may hold something of the user's, and is walked.
    """
    if not is_ours(value) or value.__module__.split(".")[1] in BELOW:
        return False
    return getattr(sys.modules.get(value.__module__), value.__qualname__, None) is value


@functools.cache
def house() -> str:
    """A hash of all sources of this package: what is known by name is as they say."""
    sources = sorted(pathlib.Path(__file__).parents[1].rglob("*.py"))
    return hashlib.blake2b(b"".join(file.read_bytes() for file in sources), digest_size=16).hexdigest()


def name_of(value: Any) -> str:
    """The module and the name of a function or class."""
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', getattr(value, '__name__', ''))}"
