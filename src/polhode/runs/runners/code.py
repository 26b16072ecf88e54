"""What a run needs of a problem and a method: the body that a step takes, and machine code; kept for the next run."""

import collections
import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

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


class Code(NamedTuple):
    """Machine code of a run: the loop, its first and last arguments, the type of the torque, and what must live on."""

    loop: Any
    head: tuple[Any, ...]
    kind: Any
    look: tuple[Any, ...]
    held: tuple[Any, ...]  # as long as their addresses are used


def head_of(body: tuple[Any, ...], address: int) -> tuple[Any, ...]:
    """The first arguments of a loop of machine code: the constants of a body, its torque, its parameters."""
    J, iJ, numbers, (_, par, *_) = body
    return np.array([*J, *iJ, *numbers]), address, np.array(par)


MOST_KEPT = 16
"""For each torque."""


@dataclass
class Kept:
    """Body (without the torque) and code of a run, what they were made of, and the start of the last comparison."""

    key: tuple[Any, ...]
    body: tuple[Any, ...]
    code: Code
    method: Method  # held, so that nothing else has its id
    digest: str | None  # the fingerprint of a torque that may change; None for one that cannot
    compared: tuple[Any, ...] | None = None
    look: Any = None  # what evaluates the torque once, made when it is first compared again

    @property
    def moving(self) -> bool:
        """Whether the torque takes the velocity."""
        return len(self.body[3]) > 1


@dataclass(frozen=True)
class _OfTorque:
    """What is kept for one torque: by method, inertia and parameters; and for each method what came last."""

    same: dict[tuple[Any, ...], Kept] = field(default_factory=dict)
    alike: dict[int, Kept] = field(default_factory=dict)

    def add(self, key: tuple[Any, ...], entry: Kept) -> None:
        """Keep one more; the oldest goes."""
        self.same[key] = self.alike[id(entry.method)] = entry
        for old in list(self.same)[:-MOST_KEPT]:  # a list: other threads may add to it meanwhile
            self.same.pop(old, None)
        for other in list(self.alike)[:-MOST_KEPT]:
            self.alike.pop(other, None)


_KEPT: "weakref.WeakKeyDictionary[Callable[..., Any], _OfTorque]" = weakref.WeakKeyDictionary()
"""What the last runs were made of, by the torque; an entry goes when nobody else holds its torque."""


def known(problem: Problem, method: Method) -> tuple[tuple[Any, ...], Kept] | None:
    """(body, entry) of a torque and a method that have run before and are proved unchanged; None otherwise."""
    kernel, _ = problem.source(method)
    entries = _KEPT.get(kernel)
    if entries is None:
        return None
    key = _key(problem, method)
    entry = entries.same.get(key) or entries.alike.get(id(method))
    if entry is None:
        return None
    if entry.digest is not None:
        now = proof(kernel)
        if now is None or now.digest != entry.digest:
            return None
    if entry.key != key or not _same_bits(entry.body[3][0], problem.parameters):
        found = _with_other_numbers(problem, method, key, entry)
        if found is None:
            return None
        entries.add(key, found)
        entry = found
    J, iJ, numbers, rest = entry.body
    return (J, iJ, numbers, (kernel, *rest)), entry


def _same_bits(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether equal numbers are the same: 0 and -0 are equal."""
    return a is b or 0.0 not in a or np.array(a).tobytes() == np.array(b).tobytes()


def _with_other_numbers(problem: Problem, method: Method, key: tuple[Any, ...], entry: Kept) -> Kept | None:
    """What is kept, for a body of another inertia or other parameters: machine code is given both as numbers."""
    (J, iJ, numbers, rest), code, par = entry.body, entry.code, problem.parameters
    constants, address, _ = code.head
    if key[2] != entry.key[2]:
        J, iJ, numbers, _ = body = body_of(problem, method)
        if len(numbers) != len(entry.body[2]):  # of which it was compiled for so many
            return None
        constants, _, _ = head_of(body, address)
    code = Code(code.loop, (constants, address, np.array(par)), code.kind, code.look, code.held)
    return Kept(key, (J, iJ, numbers, (par, *rest[1:])), code, method, entry.digest, None, entry.look)


def keep(problem: Problem, method: Method, body: tuple[Any, ...], code: Code, start: tuple[Any, ...]) -> None:
    """Keep body and code for the next run from this start, if what the functions do can be proved unchanged then."""
    if not never_changes(method):
        return
    J, iJ, numbers, (kernel, *rest) = body
    now = None if is_static(kernel) else proof(kernel)
    if now is None and not is_static(kernel):
        return
    key, digest = _key(problem, method), None if now is None else now.digest
    _KEPT.setdefault(kernel, _OfTorque()).add(key, Kept(key, (J, iJ, numbers, rest), code, method, digest, start))


def never_changes(method: Method) -> bool:
    """Whether no function of a method can change: those of a user's own may, and not its step alone."""
    return all(f is None or is_static(f) for f in (method.step, method.start, method.coefficients))


MANY_CALLS = 1000
"""Single steps of a problem and a method, after which they are worth compiling."""

_CALLS: collections.Counter[tuple[Any, ...]] = collections.Counter()


def called_often(problem: Problem, method: Method) -> bool | None:
    """Whether single steps are worth machine code, in the words of `compiled=`: None if they are, False if not yet.

    They are once there is machine code, or after many calls of functions that cannot change.
    """
    kernel, _ = problem.source(method)
    key, kept = (id(kernel), *_key(problem, method)), _KEPT.get(kernel)
    if kept is not None and key[1:] in kept.same:
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
