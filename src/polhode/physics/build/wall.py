"""A wall that attracts from afar and repels at close range, as between two molecules.

    U(Q) = -A x^-a + B x^-b,    x = d + n . Q p

p is a point of the body (body axes, from the pivot), n the normal of the wall (space axes) and d the distance of
the wall from the pivot: x is the distance of the point from the wall. Parameters: A, B, d, p, n.
"""

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call, direction, items, number, vector, whole
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Kernel, Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import kernel
from polhode.kernels.vectors import apply_transposed, cross, dot
from polhode.physics.build.frames import body_vector, parameters
from polhode.physics.build.parts import finished, top_invariants
from polhode.physics.problem import Problem
from polhode.pickling import recipe


@recipe
@functools.cache
def wall_kernels(a: int, b: int) -> tuple[Kernel, Kernel]:
    """Torque and potential for the powers a < b, which are built in: no arithmetic needs a power function."""

    def power(x: Number, n: int) -> Number:
        y = x
        for _ in range(n - 1):
            y = y * x
        return y

    def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
        """-dU/dx (p x Q^T n)"""
        p, n = (par[3], par[4], par[5]), apply_transposed(Q, (par[6], par[7], par[8]))
        y = 1 / (par[2] + dot(p, n))
        push = b * par[1] * power(y, b + 1) - a * par[0] * power(y, a + 1)
        x = cross(p, n)
        return (push * x[0], push * x[1], push * x[2])

    def potential(Q: Mat3, par: Numbers) -> Number:
        """-A x^-a + B x^-b"""
        p, n = (par[3], par[4], par[5]), apply_transposed(Q, (par[6], par[7], par[8]))
        y = 1 / (par[2] + dot(p, n))
        return par[1] * power(y, b) - par[0] * power(y, a)

    return kernel(torque), kernel(potential)


@checked_call
def wall(
    *,
    inertia_body: ArrayLike,
    point_body: ArrayLike,
    distance: float,
    attraction: float,
    repulsion: float,
    normal_space: ArrayLike = (0.0, 0.0, 1.0),
    powers: Sequence[int] = (6, 12),
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike | None = None,
    Pi0: ArrayLike | None = None,
    h: float | None = None,
    t_end: float | None = None,
    name: str = "wall",
) -> Problem:
    """A body about a fixed point (the pivot), one point of which is attracted and repelled by a plane wall.

    Conserved: energy; the momentum about the normal of the wall.

    Parameters
    ----------
    inertia_body : three numbers or 3x3 array
        about the pivot, in body axes: moments or tensor
    point_body : three numbers
        the point that feels the wall, from the pivot, in body axes
    distance : float
        of the wall from the pivot; more than the length of point_body
    normal_space : three numbers
        direction from the wall to the pivot, in space axes
    attraction, repulsion : float
        A and B of U = -A x^-a + B x^-b, x the distance of the point from the wall
    powers : pair of int
        a and b; (6, 12) is the potential of Lennard-Jones: A = 4 depth size^6, B = 4 depth size^12
    Q0, Omega0, Pi0 : 3x3 array, Rotation or three numbers
        the start; Omega0 and Pi0 in body axes

    Returns
    -------
    Problem
        For anything that takes a problem.

    Raises
    ------
    InputError
        A number or vector that cannot be used.
    """
    p, n = vector("point_body", point_body), direction("normal_space", normal_space)
    A, B, d = number("attraction", attraction), number("repulsion", repulsion), number("distance", distance)
    pair = [whole("one of powers", x, most=24) for x in items("powers", powers, "two whole numbers, such as (6, 12)")]
    if len(pair) != 2 or not pair[0] < pair[1]:
        raise InputError(f"powers is {one_line(powers)}; give two whole numbers a < b from 1 to 24, such as (6, 12).")
    a, b = pair
    reach = float(np.linalg.norm(p))
    if not d > reach:
        raise InputError(f"distance is {d:g}, but the point reaches {reach:g} from the pivot: it would pass the wall.")
    torque, potential = wall_kernels(a, b)
    problem = Problem.from_kernels(
        name=name,
        inertia=inertia_body,
        torque=torque,
        potential=potential,
        parameters=parameters((A, B, d), body_vector(p), n),
        Q0=Q0,
        Omega0=Omega0,
        Pi0=Pi0,
        invariants=functools.partial(top_invariants, up_space=n),
        h=h,
        t_end=t_end,
    )
    return finished(problem, sources=())
