"""Other implementations of kernels, for the types they are called with: the one list, in the order they are asked.

What is compiled must not depend on what was compiled before it in the process. So the list is written down here, whole,
and nothing adds to it; a variant decides by the kernel and the types of its arguments alone. The list is part of the
key of every piece of machine code, and its modules are imported when the first kernel is compiled.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

VARIANTS = (
    "polhode.machine.lanes.lane_by_lane:one_by_one",  # kernels that decide by the value of a number: body after body
    "polhode.machine.lanes.half_blocks:halved",  # blocks of two vectors: one half, then the other
    "polhode.machine.lanes.quadrature:at_one",  # a torque made for all stages, at one attitude
)
"""Functions (kernel, types of its arguments) -> another implementation of it, or None; the first is used."""


def chosen(kernel: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """What is compiled where a kernel is called with arguments of these types: a variant, or its own source."""
    return next(filter(None, (variant(kernel, arguments) for variant in _variants())), kernel)


@functools.cache
def _variants() -> tuple[Callable[..., Any], ...]:
    places = (name.split(":") for name in VARIANTS)
    return tuple(getattr(importlib.import_module(module), function) for module, function in places)
