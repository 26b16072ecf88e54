"""A user's functions of a 3x3 array, as kernels on tuples in the principal axes of the body.

    torque(t, Q, parameters) -> (x, y, z)        potential(Q, parameters) -> number

The first nine parameters are the rotation R from the principal axes to the user's body axes: the attitude
the user sees is Q R^T, and a body torque of theirs is R^T tau in principal axes.
"""

from polhode.kernels.scalar import STEP
from polhode.kernels.vectors import apply_transposed, product
from polhode.pickling import recipe

PARAMETERS = 16
"""How many parameters every torque has; the unused ones are zero. One signature serves all torques."""


def square(Q):
    """Nine numbers as a 3x3 array; on the stack, in machine code."""
    import numpy

    return numpy.array(Q).reshape(3, 3)


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


@recipe
def body_torque(user):
    """From tau(t, Q) in the user's body axes."""

    def torque(t, Q, par):
        return apply_transposed(axes(par), triple(user(t, square(seen(Q, par)))))

    return torque


@recipe
def space_torque(user):
    """From the torque in space axes."""

    def torque(t, Q, par):
        return apply_transposed(Q, triple(user(t, square(seen(Q, par)))))

    return torque


@recipe
def potential_only(user):
    """From the potential alone: tau_j = -dU(Q exp(e hat e_j))/de at e = 0, by the complex step, to round-off."""

    def torque(t, Q, par):
        o, i = 0.0, STEP * 1j
        x = user(square(seen(product(Q, (1 + o * i, o * i, o * i, o * i, 1 + o * i, -i, o * i, i, 1 + o * i)), par)))
        y = user(square(seen(product(Q, (1 + o * i, o * i, i, o * i, 1 + o * i, o * i, -i, o * i, 1 + o * i)), par)))
        z = user(square(seen(product(Q, (1 + o * i, -i, o * i, i, 1 + o * i, o * i, o * i, o * i, 1 + o * i)), par)))
        return (-imaginary_part(x) / STEP, -imaginary_part(y) / STEP, -imaginary_part(z) / STEP)

    return torque


@recipe
def user_potential(user):
    """From U(Q)."""

    def potential(Q, par):
        return real_part(user(square(seen(Q, par))))

    return potential


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
