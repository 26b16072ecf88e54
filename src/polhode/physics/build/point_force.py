"""A force at a point of the body: a thruster, a spring, a drill bit. Its torque is x x Q^T f in body axes.

    position (space) = Q x,      torque (body) = x x Q^T f(t, Q x)

x is the point in body axes, from the centre of rotation, and f the force in space axes (Krysl & Endres 2005, (17)).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call, vector
from polhode.physics.build.frames import body_vector, parameters
from polhode.physics.build.parts import finished
from polhode.physics.build.uniform_field import potential, torque
from polhode.physics.problem import Problem
from polhode.pickling import recipe


@checked_call
def point_force(
    *,
    inertia_body: Any,
    point_body: Any,
    force_space: Any,
    Q0: Any = None,
    Omega0: Any = None,
    Pi0: Any = None,
    t0: float = 0.0,
    h: float | None = None,
    t_end: float | None = None,
    name: str = "point-force",
) -> Problem:
    """A body with a force at one of its points.

    A constant force has the potential -f . Q x, and so an energy; a function is taken to have none.

    Parameters
    ----------
    inertia_body : three numbers or 3x3 array
        about the centre of rotation, in body axes: moments or tensor
    point_body : three numbers
        where the force acts, from the centre of rotation, in body axes
    force_space : three numbers or callable
        the force in space axes: three numbers, or a function f(t, x) of time and of the position of the point in space
        axes (an array) that returns three numbers
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
    point = vector("point_body", point_body)
    start = {"Q0": Q0, "Omega0": Omega0, "Pi0": Pi0, "t0": t0, "h": h, "t_end": t_end, "name": name}
    if callable(force_space):
        _check_force(force_space, t0, point)
        problem = Problem(inertia=inertia_body, torque=torque_of(force_space, *point.tolist()), **start)
    else:
        force = vector("force_space", force_space)
        problem = Problem.from_kernels(
            inertia=inertia_body,
            torque=torque,
            potential=potential,
            parameters=parameters(body_vector(-point), force.tolist()),
            **start,
        )
    return finished(problem, sources=("krysl-endres-2005",))


def _check_force(force: Callable[..., Any], t0: float, point: np.ndarray) -> None:
    """Call the force once, so that what it lacks is said of it and not of a torque nobody wrote."""
    try:
        value = force(t0, point.copy())
        three = np.array(value, dtype=float).shape == (3,)
    except Exception as error:
        raise InputError(
            f"force_space(t, x) failed at the start: {type(error).__name__}: {error}. It is called with a time and the "
            "position of the point in space axes, an array of three."
        ) from error
    if not three:
        raise InputError(f"force_space(t, x) returned {one_line(value)}; it must return three numbers.")


@recipe
def torque_of(force: Callable[..., Any], x: float, y: float, z: float) -> Callable[..., tuple[float, float, float]]:
    """The torque in body axes of a force in space axes at the point (x, y, z) of the body."""

    def torque(t: float, Q: np.ndarray) -> tuple[float, float, float]:
        at = np.array(
            [
                Q[0, 0] * x + Q[0, 1] * y + Q[0, 2] * z,
                Q[1, 0] * x + Q[1, 1] * y + Q[1, 2] * z,
                Q[2, 0] * x + Q[2, 1] * y + Q[2, 2] * z,
            ]
        )
        f = force(t, at)
        a = Q[0, 0] * f[0] + Q[1, 0] * f[1] + Q[2, 0] * f[2]
        b = Q[0, 1] * f[0] + Q[1, 1] * f[1] + Q[2, 1] * f[2]
        c = Q[0, 2] * f[0] + Q[1, 2] * f[1] + Q[2, 2] * f[2]
        return (y * c - z * b, z * a - x * c, x * b - y * a)

    return torque
