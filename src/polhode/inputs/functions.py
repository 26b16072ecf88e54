"""A user's functions of a 3x3 array, as kernels on tuples in the principal axes of the body.

    torque(t, Q, parameters) -> (x, y, z)        potential(Q, parameters) -> number

The first nine parameters are the rotation R from the principal axes to the user's body axes: the attitude
the user sees is Q R^T, and a body torque of theirs is R^T tau in principal axes.
"""

from collections.abc import Callable
from typing import Any

from polhode.inputs.parameters import Fields, record, view
from polhode.kernels.numbers import Kernel, Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import STEP, kernel
from polhode.kernels.step import l_at
from polhode.kernels.vectors import apply, apply_transposed, cross, minus, plus, product
from polhode.pickling import recipe

PARAMETERS = 16
"""The fewest parameters of a torque; unused ones are zero, so that one signature serves all torques."""


def square(Q: Mat3) -> Any:
    """Nine numbers as a 3x3 array; on the stack, in machine code."""
    import numpy

    return numpy.array(Q).reshape(3, 3)


def vector3(v: Vec3) -> Any:
    """Three numbers as an array; on the stack, in machine code."""
    import numpy

    return numpy.array(v)


def triple(value: Any) -> Vec3:
    """Three numbers from a tuple, a list or an array."""
    if len(value) != 3:
        raise ValueError(f"The torque is {len(value)} numbers, not three")
    return tuple(plain(x) for x in value)


def plain(x: Any) -> Any:
    return x.item() if hasattr(x, "item") else x


def real_part(x: Any) -> Number:
    """The value of a potential that may come as complex."""
    return plain(x).real if hasattr(x, "real") else x


def imaginary_part(x: Any) -> Number:
    """What the complex step has added."""
    x = plain(x)
    return x.imag if hasattr(x, "imag") else 0.0


def torque_call(user: Callable[..., Any], fields: Fields | None) -> Kernel:
    """call(t, Q, par): the user's torque as three numbers; arrays live as long as the call, and so do views of them."""
    if fields is None:
        return lambda t, Q, par: triple(user(t, square(Q)))
    p = record(fields)
    if fields.spread:
        return lambda t, Q, par: triple(user(t, square(Q), *view(p, par)))
    return lambda t, Q, par: triple(user(t, square(Q), view(p, par)))


def moment_call(user: Callable[..., Any], fields: Fields | None) -> Kernel:
    """call(t, Q, Omega, par): the user's torque that takes the velocity, as three numbers."""
    if fields is None:
        return lambda t, Q, Omega, par: triple(user(t, square(Q), vector3(Omega)))
    p = record(fields)
    if fields.spread:
        return lambda t, Q, Omega, par: triple(user(t, square(Q), vector3(Omega), *view(p, par)))
    return lambda t, Q, Omega, par: triple(user(t, square(Q), vector3(Omega), view(p, par)))


def potential_call(user: Callable[..., Any], fields: Fields | None) -> Kernel:
    """call(Q, par): the user's potential."""
    if fields is None:
        return lambda Q, par: user(square(Q))
    p = record(fields)
    if fields.spread:
        return lambda Q, par: user(square(Q), *view(p, par))
    return lambda Q, par: user(square(Q), view(p, par))


def timed_potential_call(user: Callable[..., Any], fields: Fields | None) -> Kernel:
    """call(t, Q, par): the user's potential that depends on the time."""
    if fields is None:
        return lambda t, Q, par: user(t, square(Q))
    p = record(fields)
    if fields.spread:
        return lambda t, Q, par: user(t, square(Q), *view(p, par))
    return lambda t, Q, par: user(t, square(Q), view(p, par))


@recipe
def body_torque(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From tau(t, Q) in the user's body axes, or tau(t, Q, p)."""
    call = torque_call(user, fields)

    def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
        return apply_transposed(axes(par), call(t, users_attitude(Q, par), par))

    return torque


@recipe
def space_torque(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From the torque in space axes."""
    call = torque_call(user, fields)

    def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
        return apply_transposed(Q, call(t, users_attitude(Q, par), par))

    return torque


@recipe
def body_moment(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From tau(t, Q, Omega) in the user's body axes, or tau(t, Q, Omega, p)."""
    call = moment_call(user, fields)

    def moment(t: Number, Q: Mat3, Omega: Vec3, par: Numbers) -> Vec3:
        return apply_transposed(axes(par), call(t, users_attitude(Q, par), apply(axes(par), Omega), par))

    return moment


@recipe
def space_moment(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From the torque in space axes, a function of the velocity in space axes."""
    call = moment_call(user, fields)

    def moment(t: Number, Q: Mat3, Omega: Vec3, par: Numbers) -> Vec3:
        return apply_transposed(Q, call(t, users_attitude(Q, par), apply(Q, Omega), par))

    return moment


@recipe
def of_both(torque: Kernel, moment: Kernel) -> Kernel:
    """A torque tau(t, Q), and one that takes the velocity."""
    return lambda t, Q, Omega, par: plus(torque(t, Q, par), moment(t, Q, Omega, par))


@recipe
def of_two(torque: Kernel, other: Kernel) -> Kernel:
    """Two torques tau(t, Q)."""
    return lambda t, Q, par: plus(torque(t, Q, par), other(t, Q, par))


@recipe
def with_held(torque: Kernel) -> Kernel:
    """A torque and one that is held for a while."""
    return lambda t, Q, par: plus(torque(t, Q, par), (par[25], par[26], par[27]))


@recipe
def with_internal(torque: Kernel, moving: bool, damped: bool, rotor: bool) -> Kernel:
    """A torque with damping and the rotor's part added, -C Omega + l x Omega - l', which takes the velocity."""
    if not moving:
        torque = without_velocity(torque)
    if damped and rotor:
        return lambda t, Q, Omega, par: plus(
            torque(t, Q, Omega, par), plus(damping_torque(Omega, par), rotor_torque(t, Omega, par))
        )
    if damped:
        return lambda t, Q, Omega, par: plus(torque(t, Q, Omega, par), damping_torque(Omega, par))
    if rotor:
        return lambda t, Q, Omega, par: plus(torque(t, Q, Omega, par), rotor_torque(t, Omega, par))
    return torque


@recipe
def without_velocity(torque: Kernel) -> Kernel:
    """A torque tau(t, Q) as one that is told the velocity."""
    return lambda t, Q, Omega, par: torque(t, Q, par)


@kernel
def damping_torque(Omega: Vec3, par: Numbers) -> Vec3:
    """-C Omega"""
    x, y, z = Omega
    return (
        -(par[9] * x + par[10] * y + par[11] * z),
        -(par[12] * x + par[13] * y + par[14] * z),
        -(par[15] * x + par[16] * y + par[17] * z),
    )


@kernel
def rotor_torque(t: Number, Omega: Vec3, par: Numbers) -> Vec3:
    """l x Omega - l', what a rotor does to the body."""
    return minus(cross(l_at(t, par), Omega), (par[21], par[22], par[23]))


@recipe
def potential_only(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From the potential alone: tau_j = -dU(Q exp(e hat e_j))/de at e = 0, by the complex step, to round-off."""
    call = potential_call(user, fields)

    def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
        o, i = 0.0, STEP * 1j
        x = call(
            users_attitude(product(Q, (1 + o * i, o * i, o * i, o * i, 1 + o * i, -i, o * i, i, 1 + o * i)), par), par
        )
        y = call(
            users_attitude(product(Q, (1 + o * i, o * i, i, o * i, 1 + o * i, o * i, -i, o * i, 1 + o * i)), par), par
        )
        z = call(
            users_attitude(product(Q, (1 + o * i, -i, o * i, i, 1 + o * i, o * i, o * i, o * i, 1 + o * i)), par), par
        )
        return (-imaginary_part(x) / STEP, -imaginary_part(y) / STEP, -imaginary_part(z) / STEP)

    return torque


@recipe
def timed_potential_only(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """The same of a potential U(t, Q), at the time t."""
    call = timed_potential_call(user, fields)

    def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
        o, i = 0.0, STEP * 1j
        x = call(
            t,
            users_attitude(product(Q, (1 + o * i, o * i, o * i, o * i, 1 + o * i, -i, o * i, i, 1 + o * i)), par),
            par,
        )
        y = call(
            t,
            users_attitude(product(Q, (1 + o * i, o * i, i, o * i, 1 + o * i, o * i, -i, o * i, 1 + o * i)), par),
            par,
        )
        z = call(
            t,
            users_attitude(product(Q, (1 + o * i, -i, o * i, i, 1 + o * i, o * i, o * i, o * i, 1 + o * i)), par),
            par,
        )
        return (-imaginary_part(x) / STEP, -imaginary_part(y) / STEP, -imaginary_part(z) / STEP)

    return torque


@recipe
def timed_potential(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From U(t, Q), or U(t, Q, p)."""
    call = timed_potential_call(user, fields)

    def potential(t: Number, Q: Mat3, par: Numbers) -> Number:
        return real_part(call(t, users_attitude(Q, par), par))

    return potential


@recipe
def user_potential(user: Callable[..., Any], fields: Fields | None = None) -> Kernel:
    """From U(Q), or U(Q, p)."""
    call = potential_call(user, fields)

    def potential(Q: Mat3, par: Numbers) -> Number:
        return real_part(call(users_attitude(Q, par), par))

    return potential


def no_torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """The torque on a free body."""
    return (0 * Q[0], 0 * Q[0], 0 * Q[0])


def no_potential(Q: Mat3, par: Numbers) -> Number:
    """The potential of a free body."""
    return 0 * Q[0]


def axes(par: Numbers) -> Mat3:
    """R, from the parameters."""
    return (par[0], par[1], par[2], par[3], par[4], par[5], par[6], par[7], par[8])


def users_attitude(Q: Mat3, par: Numbers) -> Mat3:
    """Q R^T: the attitude of the axes the user knows."""
    R = axes(par)
    return product(Q, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))
