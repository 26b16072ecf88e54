"""What a run needs of a problem and a method: the body that a step is given, and machine code; kept for the next."""

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


def body_of(problem: Problem, method: Method, number: Callable = float, torque: Callable | None = None) -> tuple:
    """The body a step is given: inertia, the method's coefficients, torque; numbers made by `number`."""
    J = tuple(number(x) for x in problem.moments.tolist())
    par = tuple(number(x) for x in problem.parameters)
    kernel, moving = (torque, False) if torque else problem.source(method)
    return (
        J,
        tuple(1 / x for x in J),
        _coefficients(method, J, number),
        (kernel, par, ()) if moving else (kernel, par),
    )


def _coefficients(method: Method, J: tuple, number: Callable) -> tuple:
    """The method's coefficients; floats of a function that cannot change are found once."""
    make = method.coefficients
    if not make:
        return ()
    return _floats(make, J) if number is float and is_static(make) else make(J, number)


@functools.lru_cache(maxsize=256)
def _floats(make: Callable, J: tuple) -> tuple:
    return make(J, float)


def machine_torque(problem: Problem, method: Method) -> tuple[Any, Any]:
    """(machine code, its type) of the torque that a method is given; None if it cannot be compiled."""
    from polhode.machine import compile

    kernel, moving = problem.source(method)
    kind = compile.MOMENT if moving else compile.TORQUE
    alone = lambda: problem.machine_moment(kernel, kind) if moving else problem.machine_torque
    if not method.nodes:
        return alone(), kind
    from polhode.machine.quadrature_lanes import torque_for

    return torque_for(kernel, alone, kind, method.nodes)


@dataclass(frozen=True)
class Code:
    """Machine code of a run: the loop with its first and last arguments, the type of the torque, and what is held."""

    loop: Any
    head: tuple[Any, ...]
    kind: Any
    look: tuple[Any, ...]
    held: tuple[Any, ...]  # as long as their addresses are used


MOST_KEPT = 16
"""For each torque."""


@dataclass
class Kept:
    """Body (without the torque) and code of a run, of what, and the start at which the code was last compared."""

    body: tuple
    code: Code
    method: Method  # held, so that nothing else has its id
    digest: str | None  # the fingerprint of a torque that may change; None of one that cannot
    compared: tuple | None = None


_KEPT: "weakref.WeakKeyDictionary[Callable, dict[tuple, Kept]]" = weakref.WeakKeyDictionary()
"""What the last runs were made of, by the torque; it holds none that nobody else does."""


def known(problem: Problem, method: Method) -> tuple[tuple, Kept] | None:
    """(body, what is kept) of a problem and a method that have run before and are proved unchanged; None else."""
    kernel, _ = problem.source(method)
    kept = _KEPT.get(kernel)
    found = None if kept is None else kept.get(_key(problem, method))
    if found is None:
        return None
    if found.digest is not None:
        now = proof(kernel)
        if now is None or now.digest != found.digest:
            return None
    J, iJ, numbers, rest = found.body
    return (J, iJ, numbers, (kernel, *rest)), found


def keep(problem: Problem, method: Method, body: tuple, code: Code, start: tuple) -> None:
    """Keep body and code for the next run from this start, if what the functions do can be proved unchanged then."""
    if not all(f is None or is_static(f) for f in (method.step, method.start, method.coefficients)):
        return
    J, iJ, numbers, (kernel, *rest) = body
    now = None if is_static(kernel) else proof(kernel)
    if now is None and not is_static(kernel):
        return
    kept = _KEPT.setdefault(kernel, {})
    kept[_key(problem, method)] = Kept((J, iJ, numbers, rest), code, method, None if now is None else now.digest, start)
    for old in list(kept)[:-MOST_KEPT]:
        kept.pop(old, None)


OFTEN = 1000
_CALLS: collections.Counter[tuple] = collections.Counter()


def called_often(problem: Problem, method: Method) -> bool | None:
    """Whether single steps are worth machine code, as `compiled=` says it: None if so, False if not (yet).

    They are where it is there already, or after many calls of what cannot change.
    """
    kernel, _ = problem.source(method)
    key = id(kernel), *_key(problem, method)
    if key[1:] in _KEPT.get(kernel, ()):
        return None
    if len(_CALLS) > OFTEN:
        _CALLS.clear()
    _CALLS[key] += 1
    if _CALLS[key] < OFTEN:
        return False
    del _CALLS[key]
    return None if is_static(kernel) and is_static(method.step) else False


def _key(problem: Problem, method: Method) -> tuple:
    return id(method), problem.parameters, problem.moments.tobytes()
