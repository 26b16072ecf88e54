"""What a run needs of a problem and a method: the body that a step takes, and machine code; kept for the next run."""

import collections
import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from polhode.integrators.method import Method
from polhode.kernels.fingerprint import is_static
from polhode.kernels.unchanged import proof
from polhode.physics.problem import Problem


def body_of(
    problem: Problem, method: Method, number: Callable[..., Any] = float, torque: Callable[..., Any] | None = None
) -> tuple[Any, ...]:
    """The body that a step takes: inertia, the method's coefficients, torque; `number` makes its numbers."""
    J = tuple(number(x) for x in problem.moments.tolist())
    par = tuple(number(x) for x in problem.parameters)
    kernel, moving = (torque, False) if torque else problem.source(method)
    return (
        J,
        tuple(1 / x for x in J),
        _coefficients(method, J, number),
        (kernel, par, ()) if moving else (kernel, par),
    )


def _coefficients(method: Method, J: tuple[Any, ...], number: Callable[..., Any]) -> tuple[Any, ...]:
    """The method's coefficients; as floats, if their function cannot change, computed once."""
    make = method.coefficients
    if not make:
        return ()
    return _floats(make, J) if number is float and is_static(make) else make(J, number)


@functools.lru_cache(maxsize=256)
def _floats(make: Callable[..., Any], J: tuple[Any, ...]) -> tuple[Any, ...]:
    return make(J, float)


def machine_torque(problem: Problem, method: Method) -> tuple[Any, Any]:
    """(machine code, its type) of the torque that a method takes; the code is None if it cannot be compiled."""
    from polhode.machine import MOMENT, TORQUE

    kernel, moving = problem.source(method)
    kind = MOMENT if moving else TORQUE
    alone = lambda: problem.machine_moment(kernel, kind) if moving else problem.machine_torque
    if not method.nodes:
        return alone(), kind
    from polhode.machine import stages_torque

    return stages_torque(kernel, alone, kind, method.nodes)


@dataclass(frozen=True)
class Code:
    """Machine code of a run: the loop, its first and last arguments, the type of the torque, and what must live on."""

    loop: Any
    head: tuple[Any, ...]
    kind: Any
    look: tuple[Any, ...]
    held: tuple[Any, ...]  # as long as their addresses are used


MOST_KEPT = 16
"""For each torque."""


@dataclass
class Kept:
    """Body (without the torque) and code of a run, what they were made of, and the start of the last comparison."""

    body: tuple[Any, ...]
    code: Code
    method: Method  # held, so that nothing else has its id
    digest: str | None  # the fingerprint of a torque that may change; None for one that cannot
    compared: tuple[Any, ...] | None = None


_KEPT: "weakref.WeakKeyDictionary[Callable[..., Any], dict[tuple[Any, ...], Kept]]" = weakref.WeakKeyDictionary()
"""What the last runs were made of, by the torque; an entry goes when nobody else holds its torque."""


def known(problem: Problem, method: Method) -> tuple[tuple[Any, ...], Kept] | None:
    """(body, entry) of a problem and a method that have run before and are proved unchanged; None otherwise."""
    kernel, _ = problem.source(method)
    entries = _KEPT.get(kernel)
    entry = None if entries is None else entries.get(_key(problem, method))
    if entry is None:
        return None
    if entry.digest is not None:
        now = proof(kernel)
        if now is None or now.digest != entry.digest:
            return None
    J, iJ, numbers, rest = entry.body
    return (J, iJ, numbers, (kernel, *rest)), entry


def keep(problem: Problem, method: Method, body: tuple[Any, ...], code: Code, start: tuple[Any, ...]) -> None:
    """Keep body and code for the next run from this start, if what the functions do can be proved unchanged then."""
    if not all(f is None or is_static(f) for f in (method.step, method.start, method.coefficients)):
        return
    J, iJ, numbers, (kernel, *rest) = body
    now = None if is_static(kernel) else proof(kernel)
    if now is None and not is_static(kernel):
        return
    entries = _KEPT.setdefault(kernel, {})
    entries[_key(problem, method)] = Kept(
        (J, iJ, numbers, rest), code, method, None if now is None else now.digest, start
    )
    for old in list(entries)[:-MOST_KEPT]:
        entries.pop(old, None)


MANY_CALLS = 1000
"""Single steps of a problem and a method, after which they are worth compiling."""

_CALLS: collections.Counter[tuple[Any, ...]] = collections.Counter()


def called_often(problem: Problem, method: Method) -> bool | None:
    """Whether single steps are worth machine code, in the words of `compiled=`: None if they are, False if not yet.

    They are once there is machine code, or after many calls of functions that cannot change.
    """
    kernel, _ = problem.source(method)
    key = id(kernel), *_key(problem, method)
    if key[1:] in _KEPT.get(kernel, ()):
        return None
    if len(_CALLS) > MANY_CALLS:
        _CALLS.clear()
    _CALLS[key] += 1
    if _CALLS[key] < MANY_CALLS:
        return False
    del _CALLS[key]
    return None if is_static(kernel) and is_static(method.step) else False


def _key(problem: Problem, method: Method) -> tuple[Any, ...]:
    return id(method), problem.parameters, problem.moments.tobytes()
