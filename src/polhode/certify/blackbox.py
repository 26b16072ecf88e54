"""A simulator known only by what it does."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class BlackBox:
    """An integrator that can only be run: advance(problem, Q, Omega, h, n, t) -> (Q, Omega) after n steps."""

    name: str
    advance: Callable
