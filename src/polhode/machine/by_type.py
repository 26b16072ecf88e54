"""Functions that are other code for each type of number: how they are declared, and which they are."""

from typing import Any

from numba import types
from numba.extending import overload

from polhode.machine.link_only import LinkedCompiler

F8 = types.float64
INSIDE: Any = {  # for functions that only machine code calls
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": LinkedCompiler,
}

BY_TYPE: set[Any] = set()
"""Those declared so far: they are never compiled from their own source."""


def by_type(function, **options):
    """Numba's overload, remembered in BY_TYPE."""
    BY_TYPE.add(function)
    return overload(function, **options)
