"""The invariants that a problem lists, along the states of a run: values, and names that tables can have for them."""

import re
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.parameters import arguments

if TYPE_CHECKING:
    from polhode.physics.problem import Problem

NUMBERS = (int, float, np.integer, np.floating, np.bool_, np.ndarray)
"""What an invariant may give; of arrays, those without dimensions."""


def invariant_values(
    name: str,
    function: Callable[..., Any],
    t: np.ndarray,
    Q: np.ndarray,
    Omega: np.ndarray,
    parameters: tuple[Any, ...] = (),
) -> np.ndarray:
    """An invariant f(Q, Omega), f(t, Q, Omega) or f(t, Q, Omega, *parameters) at each state of a stack, (n,)."""
    count = arguments(function)[0]
    if count < 3:
        values = [function(*state) for state in zip(Q, Omega)]
    else:
        more = parameters if count > 3 else ()
        values = [function(*state, *more) for state in zip(t.tolist(), Q, Omega)]
    for value in {type(x): x for x in values}.values():  # one of each kind, since there are many
        if np.ndim(value) or np.iscomplexobj(value) or not isinstance(value, NUMBERS):
            raise InputError(f"The invariant {name!r} gives {one_line(value)}; it must give a number.")
    return np.array(values, dtype=float)


def common_invariants(problems: Iterable["Problem"]) -> list[str]:
    """The names of the invariants that all these problems list, in the order of the first."""
    first, *others = problems
    return [name for name in first.invariants if all(name in p.invariants for p in others)]


def labels(names: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """{name of an invariant: name of its column}, with _ in place of what is neither a letter of ASCII nor a digit.

    Where another column has that name, `invariant_` is put in front of it, and if need be a number behind.
    """
    chosen: dict[str, str] = {}
    for name in names:
        label, used = re.sub(r"\W", "_", name, flags=re.ASCII), {*taken, *chosen.values()}
        label = label if label not in used else f"invariant_{label}"
        more = (f"{label}_{k}" for k in range(2, len(used) + 3))
        chosen[name] = next(x for x in (label, *more) if x not in used)
    return chosen
