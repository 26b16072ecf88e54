"""A vector of the body in a uniform field of space: the weight of a heavy body, a magnet in a field.

    U(Q) = w . Q^T f,    torque (body) = (Q^T f) x w

For the weight w = mass * gravity * centre of mass and f points up; for a dipole w = -moment and f is the field.
Parameters: w (principal axes), f (space axes).
"""

import functools

from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.inputs import checked_call, direction, inertia_tensor, number, positive, vector
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import kernel
from polhode.kernels.vectors import apply_transposed, cross, dot
from polhode.physics.build.frames import body_vector, parameters
from polhode.physics.build.parts import finished, momentum_along, top_invariants
from polhode.physics.inertia import Solid
from polhode.physics.problem import Problem


@kernel
def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """(Q^T f) x w"""
    return cross(apply_transposed(Q, (par[3], par[4], par[5])), (par[0], par[1], par[2]))


@kernel
def potential(Q: Mat3, par: Numbers) -> Number:
    """w . Q^T f"""
    return dot(apply_transposed(Q, (par[3], par[4], par[5])), (par[0], par[1], par[2]))


@checked_call
def heavy_body(
    *,
    mass: float,
    centre_of_mass_body: ArrayLike,
    inertia_pivot_body: ArrayLike | None = None,
    inertia_centre_body: ArrayLike | None = None,
    gravity: float = 9.81,
    up_space: ArrayLike = (0.0, 0.0, 1.0),
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike | None = None,
    Pi0: ArrayLike | None = None,
    h: float | None = None,
    t_end: float | None = None,
    name: str = "heavy-body",
) -> Problem:
    """A body that turns about a fixed point (the pivot, origin of its body axes) in uniform gravity.

    Conserved: energy; the momentum about the vertical, and |Q^T up|^2.

    Parameters
    ----------
    mass : float
        of the body
    centre_of_mass_body : three numbers
        from the pivot, in body axes
    inertia_pivot_body : three numbers or 3x3 array
        about the pivot, in body axes (moments or tensor); or
    inertia_centre_body : three numbers or 3x3 array
        about the centre of mass, in the same axes: the parallel-axis shift is made here
    gravity : float
        the acceleration; up_space is the direction against it, in space axes
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

    Examples
    --------
    >>> import polhode as ph
    >>> J = (0.004, 0.004, 0.001)
    >>> top = ph.build.heavy_body(mass=0.3, centre_of_mass_body=(0, 0, 0.1), inertia_pivot_body=J, Omega0=(0, 0, 100))
    >>> sorted(top.invariants)
    ['gravity squared', 'vertical momentum']
    """
    mass, centre = positive("mass", mass), vector("centre_of_mass_body", centre_of_mass_body)
    up = direction("up_space", up_space)
    if (inertia_pivot_body is None) == (inertia_centre_body is None):
        how_many = "neither" if inertia_pivot_body is None else "both"
        raise InputError(f"Give inertia_pivot_body or inertia_centre_body, one of them; {how_many} was given.")
    if inertia_pivot_body is None:
        solid = Solid(
            mass=mass,
            centre_of_mass_body=centre,
            inertia_centre_body=inertia_tensor("inertia_centre_body", inertia_centre_body),
        )
        inertia_pivot_body = solid.inertia_about((0.0, 0.0, 0.0))
    weight = mass * number("gravity", gravity) * centre
    problem = Problem.from_kernels(
        name=name,
        inertia=inertia_pivot_body,
        torque=torque,
        potential=potential,
        parameters=parameters(body_vector(weight), up),
        Q0=Q0,
        Omega0=Omega0,
        Pi0=Pi0,
        invariants=functools.partial(top_invariants, up_space=up),
        h=h,
        t_end=t_end,
    )
    return finished(problem, sources=())


@checked_call
def magnetic_dipole(
    *,
    inertia_body: ArrayLike,
    moment_body: ArrayLike,
    field_space: ArrayLike,
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike | None = None,
    Pi0: ArrayLike | None = None,
    h: float | None = None,
    t_end: float | None = None,
    name: str = "magnetic-dipole",
) -> Problem:
    """A body with a magnetic moment in a uniform field: U(Q) = -m . Q^T B.

    Conserved: energy; the momentum about the field.

    Parameters
    ----------
    inertia_body : three numbers or 3x3 array
        about the centre of mass (or a pivot), in body axes: moments or tensor
    moment_body : three numbers
        the magnetic moment m, fixed in the body, in body axes
    field_space : three numbers
        the field B, in space axes
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
    m, B = vector("moment_body", moment_body), vector("field_space", field_space)
    along = direction("field_space", B)
    problem = Problem.from_kernels(
        name=name,
        inertia=inertia_body,
        torque=torque,
        potential=potential,
        parameters=parameters(body_vector(-m), B),
        Q0=Q0,
        Omega0=Omega0,
        Pi0=Pi0,
        invariants=functools.partial(momentum_along, "momentum about the field", along),
        h=h,
        t_end=t_end,
    )
    return finished(problem, sources=())
