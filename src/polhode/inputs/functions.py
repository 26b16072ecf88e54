"""A user's functions of a 3x3 array, as kernels on tuples in the principal axes of the body.

    torque(t, Q, parameters) -> (x, y, z)        potential(Q, parameters) -> number

The first nine parameters are the rotation R from the principal axes to the user's body axes: the attitude
the user sees is Q R^T, and a body torque of theirs is R^T tau in principal axes.
"""

import math
from collections.abc import Callable

from polhode.errors import InputError
from polhode.inputs.parameters import FIRST, Fields, arguments, record, view
from polhode.kernels.scalar import STEP
from polhode.kernels.vectors import apply_transposed, product
from polhode.pickling import recipe

PARAMETERS = 16
"""How many parameters every torque has at least; the unused ones are zero. One signature serves all torques."""


def square(Q):
    """Nine numbers as a 3x3 array; on the stack, in machine code."""
    import numpy

    return numpy.array(Q).reshape(3, 3)


def vector3(v):
    """Three numbers as an array; on the stack, in machine code."""
    import numpy

    return numpy.array(v)


def triple(value):
    """Three numbers from a tuple, a list or an array."""
    if len(value) != 3:
        raise ValueError(f"The torque is {len(value)} numbers, not three")
    return tuple(plain(x) for x in value)


def plain(x):
    return x.item() if hasattr(x, "item") else x


def real_part(x):
    """The value of a potential that may come as complex."""
    return plain(x).real if hasattr(x, "real") else x


def imaginary_part(x):
    """What the complex step has added."""
    x = plain(x)
    return x.imag if hasattr(x, "imag") else 0.0


def torque_call(user, fields):
    """call(t, Q, par): the user's torque as three numbers; arrays live as long as the call, and so do views of them."""
    if fields is None:
        return lambda t, Q, par: triple(user(t, square(Q)))
    p = record(fields)
    if fields.spread:
        return lambda t, Q, par: triple(user(t, square(Q), *view(p, par)))
    return lambda t, Q, par: triple(user(t, square(Q), view(p, par)))


def potential_call(user, fields):
    """call(Q, par): the user's potential."""
    if fields is None:
        return lambda Q, par: user(square(Q))
    p = record(fields)
    if fields.spread:
        return lambda Q, par: user(square(Q), *view(p, par))
    return lambda Q, par: user(square(Q), view(p, par))


@recipe
def body_torque(user, fields: Fields | None = None):
    """From tau(t, Q) in the user's body axes, or tau(t, Q, p)."""
    call = torque_call(user, fields)

    def torque(t, Q, par):
        return apply_transposed(axes(par), call(t, seen(Q, par), par))

    return torque


@recipe
def space_torque(user, fields: Fields | None = None):
    """From the torque in space axes."""
    call = torque_call(user, fields)

    def torque(t, Q, par):
        return apply_transposed(Q, call(t, seen(Q, par), par))

    return torque


@recipe
def potential_only(user, fields: Fields | None = None):
    """From the potential alone: tau_j = -dU(Q exp(e hat e_j))/de at e = 0, by the complex step, to round-off."""
    call = potential_call(user, fields)

    def torque(t, Q, par):
        o, i = 0.0, STEP * 1j
        x = call(seen(product(Q, (1 + o * i, o * i, o * i, o * i, 1 + o * i, -i, o * i, i, 1 + o * i)), par), par)
        y = call(seen(product(Q, (1 + o * i, o * i, i, o * i, 1 + o * i, o * i, -i, o * i, 1 + o * i)), par), par)
        z = call(seen(product(Q, (1 + o * i, -i, o * i, i, 1 + o * i, o * i, o * i, o * i, 1 + o * i)), par), par)
        return (-imaginary_part(x) / STEP, -imaginary_part(y) / STEP, -imaginary_part(z) / STEP)

    return torque


@recipe
def user_potential(user, fields: Fields | None = None):
    """From U(Q), or U(Q, p)."""
    call = potential_call(user, fields)

    def potential(Q, par):
        return real_part(call(seen(Q, par), par))

    return potential


# ---- from what the user gave ---------------------------------------------------------------------------


def fields_taken(label: str, user: Callable, fields: Fields | None, first: tuple[str, ...]) -> Fields | None:
    """The parameters that a function takes behind its first arguments: all, or None; a sentence if neither fits."""
    more = () if fields is None else fields.names if fields.spread else ("p",)
    forms = [(*first, *more), first] if more else [first]
    least, most = arguments(user)
    for form in forms:
        if least <= len(form) <= most:
            return fields if len(form) > len(first) else None
    takes = str(least) if least == most else f"{least} to {most}" if most < math.inf else f"{least} or more"
    called = " or ".join(f"{label}({', '.join(form)})" for form in forms)
    hint = "" if fields else " Parameters come with parameters={name: value} or args=(...)."
    plural = "" if takes == "1" else "s"
    raise InputError(f"{label} takes {takes} argument{plural}; it is called as {called}.{hint}")


def with_values(user: Callable, fields: Fields | None, row: tuple[float, ...]) -> Callable:
    """A user's function of its first arguments alone, with parameters of these values."""
    if fields is None:
        return user
    p = view(record(fields), (*FIRST * (0.0,), *row))
    return lambda *given: user(*given, *(p if fields.spread else (p,)))


def no_torque(t, Q, par):
    """The torque on a free body."""
    return (0 * Q[0], 0 * Q[0], 0 * Q[0])


def no_potential(Q, par):
    """The potential of a free body."""
    return 0 * Q[0]


def axes(par):
    """R, from the parameters."""
    return (par[0], par[1], par[2], par[3], par[4], par[5], par[6], par[7], par[8])


def seen(Q, par):
    """Q R^T: the attitude of the axes the user knows."""
    R = axes(par)
    return product(Q, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))
