"""The laws of controllers and motors as kernels: what a user's function of (t, Q, Omega) says, in the user's axes.

law(t, Q, Omega, parameters) -> three numbers, the torque on the body; or one for each wheel, of its motor
"""

from collections.abc import Callable
from typing import Any

from polhode.inputs.functions import axes, plain, square, users_attitude, vector3
from polhode.inputs.parameters import Fields, record, view
from polhode.kernels.numbers import Kernel, Mat3, Number, Numbers, Vec3
from polhode.kernels.references import paths, reachable, references
from polhode.kernels.vectors import apply
from polhode.pickling import recipe


class NotSaid(ValueError):
    """What a law returned is not as many numbers as it must be; `value` is it."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"not the numbers of a law: {value!r}")
        self.value = value


def several(value: Any, like: tuple[float, ...]) -> tuple[Number, ...]:
    """As many numbers as there are in `like`, from a tuple, a list or an array; machine code has that from its type."""
    try:
        numbers = tuple(plain(x) for x in value)
    except (TypeError, ValueError):
        raise NotSaid(value) from None
    if len(numbers) != len(like):
        raise NotSaid(value)
    return numbers


def one(value: Any) -> tuple[Number]:
    """One number, as a tuple."""
    try:
        return (plain(value),)
    except (TypeError, ValueError):
        raise NotSaid(value) from None


def law_call(user: Callable[..., Any], fields: Fields | None, n: int) -> Kernel:
    """call(t, Q, Omega, par): the n numbers that a user's law says; n = 0 of one that says a number, not several."""
    like = (0.0,) * n
    if fields is None:
        if n == 0:
            return lambda t, Q, Omega, par: one(user(t, square(Q), vector3(Omega)))
        return lambda t, Q, Omega, par: several(user(t, square(Q), vector3(Omega)), like)
    p = record(fields)
    if fields.spread:
        if n == 0:
            return lambda t, Q, Omega, par: one(user(t, square(Q), vector3(Omega), *view(p, par)))
        return lambda t, Q, Omega, par: several(user(t, square(Q), vector3(Omega), *view(p, par)), like)
    if n == 0:
        return lambda t, Q, Omega, par: one(user(t, square(Q), vector3(Omega), view(p, par)))
    return lambda t, Q, Omega, par: several(user(t, square(Q), vector3(Omega), view(p, par)), like)


@recipe
def law_kernel(user: Callable[..., Any], fields: Fields | None, n: int) -> Kernel:
    """From law(t, Q, Omega) or law(t, Q, Omega, p) in the user's axes, which says n numbers, or a number (n = 0)."""
    call = law_call(user, fields, n)

    def law(t: Number, Q: Mat3, Omega: Vec3, par: Numbers) -> tuple[Number, ...]:
        return call(t, users_attitude(Q, par), apply(axes(par), Omega), par)

    return law


@recipe
def constant_law(u: float) -> Kernel:
    """Of a motor with a constant torque."""
    return lambda t, Q, Omega, par: (u,)


@recipe
def side_by_side(law: Kernel, other: Kernel) -> Kernel:
    """The numbers of two laws, one after the other."""
    return lambda t, Q, Omega, par: law(t, Q, Omega, par) + other(t, Q, Omega, par)


# ---- what is more than a function ----------------------------------------------------------------------


def does_more(law: Kernel) -> str:
    """Why a law, or what draws random numbers, is no machine code though that could be made: "" without a reason.

    Machine code has random numbers, too, but not those of the generator that the user has set, and prints elsewhere.
    """
    for f in reachable([law]):
        named = paths(f.__code__)
        if any("objmode" in path for path in named):
            return "it calls back into Python"
        if ("print",) in named and "print" not in f.__globals__:
            return "it prints"
        for _, value in references(f):
            if {type(value).__name__, type(getattr(value, "__self__", None)).__name__} & GENERATORS:
                return RANDOM
    return ""


RANDOM = "it draws random numbers"
GENERATORS = {"Random", "RandomState", "Generator"}
"""Classes of random numbers, Python's and NumPy's."""
