"""Machine code against the function it was made from: do they say the same?

Machine code is found by a fingerprint, kept on disk, made by a compiler. Whatever goes wrong there must not go
unnoticed: before a run the machine code that will run is evaluated at the start and at another attitude, and so is the
user's Python function. A difference beyond round-off is an error. The cost is that of a few calls of the function.
When both are proved to be what they were when they agreed (``kernels/unchanged.py``), the start alone is compared.
Kernels of this package need no guard: they cannot change while a program runs, and the tests compare them.
"""

import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import warn
from polhode.kernels.fingerprint import is_static
from polhode.kernels.references import python_function, references
from polhode.kernels.unchanged import proof

TURN = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
"""The rotation from the start to the second attitude of the comparison; about no axis of symmetry."""

TOLERANCE = 1e-9
"""The difference that counts as round-off, relative to the largest value found."""

Numbers = tuple[float, ...] | None  # None: an exception


AGREED: "weakref.WeakKeyDictionary[Callable[..., Any], tuple[str, int]]" = weakref.WeakKeyDictionary()
"""By function: the fingerprint that it had when machine code agreed with it, and the address of that code."""


def check(
    what: str,
    kernel: Callable[..., Any],
    places: Sequence[Any],
    machine: Callable[[Any], Numbers],
    python: Callable[[Any], Numbers],
    moved: Callable[[Any, np.random.Generator], Any],
    size: float = 0.0,
) -> bool:
    """Compare at each place what machine code says with what Python says; an error if they differ.

    `what` names the function in the error, `kernel` is the function, `moved` is a place changed in the last digits, and
    `size` how large the values are elsewhere: where they vanish, what is left of them is round-off.
    Functions compiled by Numba keep the values that their globals had then: if that is the difference they are brought
    up to date, and the answer is True: what Python said before does not count.
    """
    ours, theirs = [machine(x) for x in places], [python(x) for x in places]
    if _difference(ours, theirs, size) <= TOLERANCE:
        return False
    for f in _jitted(kernel):
        f.recompile()
    theirs = [python(x) for x in places]
    if _difference(ours, theirs, size) <= TOLERANCE:
        return True
    if [python(x) for x in places] != theirs:
        warn(
            f"The {what} is not a function: two calls with the same arguments gave different values. Its machine code "
            "cannot be compared with it."
        )
        return False
    rng = np.random.default_rng(1)
    noise = max(_difference([python(moved(x, rng)) for x in places], theirs, size) for _ in range(4))
    if _difference(ours, theirs, size) <= 100 * noise < 1:
        return False
    raise InputError(
        f"The machine code of the {what} does not compute what the Python function does: {_words(ours)} against "
        f"{_words(theirs)} at the start and at another attitude. It is not used. Give compiled=False, or write the "
        "function with plain arithmetic; and please report this."
    )


def check_function(
    problem: Any,
    what: str,
    kernel: Callable[..., Any],
    machine: Any,
    look: Callable[..., Any],
    t: float,
    Q: Any,
    velocity: Any = None,
) -> bool:
    """Compare a problem's torque or potential; ``look(address, par, t, Q, out)`` evaluates its machine code.

    A torque that takes the velocity is compared at this one; it comes behind the numbers of Q.
    """
    if is_static(kernel):
        return False
    par, size = np.array(problem.parameters), 1 if what == "potential" else 3

    def of_machine(Q: np.ndarray) -> Numbers:
        out = np.zeros(size)
        return floats_or_none(lambda: look(machine.address, par, t, Q, out) or out.tolist())

    def of_python(Q: np.ndarray) -> Numbers:
        state = (tuple(Q[:9].tolist()), tuple(Q[9:].tolist()))[: 1 if velocity is None else 2]
        arguments = (t, *state, problem.parameters)[what == "potential" :]
        return floats_or_none(lambda: kernel(*arguments) if size > 1 else (kernel(*arguments),))

    start = np.asarray(Q) @ problem.axes
    moving = () if velocity is None else np.asarray(velocity) @ problem.axes
    at = lambda Q: np.concatenate([Q.ravel(), moving])
    proved, same = proof(kernel), None
    if proved is not None:
        same = (proved.digest, machine.address)
        if AGREED.get(kernel) == same and _agree(of_machine(at(start)), of_python(at(start))):
            return False
    places = [at(start), at(start @ TURN)]
    outdated = check(f"{what} of {problem.name!r}", kernel, places, of_machine, of_python, nearby)
    if same is not None and isinstance(kernel, types.FunctionType) and not outdated:
        AGREED[kernel] = same
    return outdated


def agrees_again(
    kernel: Callable[..., Any],
    digest: str,
    machine: Any,
    look: Callable[[np.ndarray], Any],
    said: Sequence[float],
) -> bool:
    """Whether machine code that agreed with a function, which is proved to be what it was, says what the function said.

    `look(out)` evaluates the machine code where the function `said` these three numbers. False where that is not plain
    to see, or where zeros would be all there is to compare: then the function itself is asked.
    """
    if AGREED.get(kernel) != (digest, machine.address) or not any(said):
        return False
    out = np.zeros(3)
    return _agree(floats_or_none(lambda: look(out) or out.tolist()), tuple(said))


def nearby(Q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Numbers changed in the last digits of the largest: a zero among them may be round-off of another one, too."""
    return Q + 4e-16 * np.abs(Q).max() * rng.standard_normal(len(Q))


def _agree(ours: Numbers, theirs: Numbers) -> bool:
    """Whether a few numbers are the same but for round-off; False also where that is not plain to see."""
    if ours is None or theirs is None:
        return False
    return max(abs(x - y) for x, y in zip(ours, theirs)) <= TOLERANCE * max(map(abs, theirs))


def floats_or_none(function: Callable[..., Any]) -> Numbers:
    """What a function returns, as floats; None if it raises. A run that meets the exception reports it."""
    try:
        return tuple(float(x) for x in function())
    except Exception:
        return None


def _difference(ours: list[Numbers], theirs: list[Numbers], size: float) -> float:
    """The largest difference, relative to the largest number or to `size`; infinite where only one raises."""
    if any((x is None) != (y is None) for x, y in zip(ours, theirs)):
        return np.inf
    x = np.array([x for x in ours if x is not None], dtype=float)
    y = np.array([y for y in theirs if y is not None], dtype=float)
    if not np.array_equal(np.isfinite(x), np.isfinite(y)):
        return np.inf
    x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    if np.array_equal(x, y):
        return 0.0
    largest = max(np.abs(y).max(), size)
    return float(np.abs(x - y).max() / largest) if largest else np.inf


def _jitted(kernel: Callable[..., Any]) -> list[Any]:
    """The functions compiled by Numba that a function reaches."""
    jitted, todo, met = [], [kernel], set()
    while todo:
        value = todo.pop()
        f = python_function(value)
        if f is None or f in met:
            continue
        met.add(f)
        if value is not f and getattr(value, "signatures", False):
            jitted.append(value)
        todo.extend(x for _, x in references(f))
    return jitted


def _words(values: list[Numbers]) -> str:
    return " and ".join("an exception" if x is None else np.array2string(np.array(x), precision=6) for x in values)
