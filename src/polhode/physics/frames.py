"""Frames that attitudes are seen from: fixed, spinning, or that of a satellite on its orbit.

A frame is an attitude F(t), from its axes to those of space, and its angular velocity in its own axes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call, direction, number, rotation
from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.build.gravity_gradient import Satellite

__all__ = ["Frame", "fixed", "lvlh", "spinning"]


@dataclass(frozen=True)
class Frame:
    """A frame: attitude(t) -> 3x3 (its axes to space), and rate(t) -> its angular velocity in its own axes."""

    attitude: Callable[[float], Any]
    rate: Callable[[float], Any]
    name: str = "frame"

    def attitudes(self, times: Any) -> np.ndarray:
        """F at each time, (n, 3, 3)."""
        return np.array([rotation(f"attitude of {self.name}", self.attitude(float(t))) for t in times]).reshape(
            -1, 3, 3
        )

    def rates(self, times: Any) -> np.ndarray:
        """The angular velocity at each time, (n, 3)."""
        return np.array([self.rate(float(t)) for t in times], dtype=float).reshape(-1, 3)


def given_frame(value: Any) -> Frame:
    """A Frame; a rotation is a frame that stands still."""
    if isinstance(value, Frame):
        return value
    if callable(value) and not hasattr(value, "as_matrix"):
        raise InputError(f"frame is {one_line(value)}; a frame that turns needs its rate, too: frames.Frame(F, rate).")
    return fixed(value)


@checked_call
def fixed(attitude: Any) -> Frame:
    """A frame that stands still: a 3x3 matrix, a Rotation or a rotation vector, from its axes to space.

    Parameters
    ----------
    attitude : 3x3 array, Rotation or three numbers
        From its axes to space.

    Returns
    -------
    Frame
        For `Trajectory.relative_to`.
    """
    return Frame(_Fixed(rotation("attitude", attitude)), _Fixed(np.zeros(3)), "fixed")


@checked_call
def spinning(*, axis_space: Any = (0.0, 0.0, 1.0), rate: float, attitude: Any = None, t0: float = 0.0) -> Frame:
    """A frame that turns about an axis of space at a constant rate, such as that of the Earth; `attitude` at t0.

    Parameters
    ----------
    axis_space : three numbers
        The axis.
    rate : float
        Radians a unit of time.
    attitude : 3x3 array, Rotation or three numbers
        At t0.
    t0 : float
        When it has it.

    Returns
    -------
    Frame
        For `Trajectory.relative_to`.
    """
    n, axis, begin = number("rate", rate), direction("axis_space", axis_space), rotation("attitude", attitude)
    return Frame(_Spinning(n, axis, begin, number("t0", t0)), _Fixed(n * axis @ begin), "spinning")


@checked_call
def lvlh(
    satellite: Any = None,
    *,
    orbit_rate: float | None = None,
    position_space: Any = (1.0, 0.0, 0.0),
    orbit_normal_space: Any = (0.0, 0.0, 1.0),
) -> Frame:
    """Local vertical, local horizontal: z to the planet, y against the normal of the orbit, x forwards.

    Parameters
    ----------
    satellite : Problem
        a problem of `build.satellite`, whose orbit it is; or
    orbit_rate : float
        n, of a circular orbit
    position_space : three numbers
        from the planet to the satellite at t = 0
    orbit_normal_space : three numbers
        the normal of the orbit

    Returns
    -------
    Frame
        For `Trajectory.relative_to`.
    """
    if (satellite is None) == (orbit_rate is None):
        raise InputError("Give a satellite, made by build.satellite, or orbit_rate; one of them.")
    if satellite is not None:
        if not isinstance(satellite, Satellite):
            raise InputError(f"satellite is {one_line(satellite)}; give a problem made by build.satellite.")
        n, r0, _, c = satellite.orbit
    else:
        n, c = number("orbit_rate", orbit_rate), direction("orbit_normal_space", orbit_normal_space)
        r0 = direction("position_space", position_space)
        if abs(r0 @ c) > 1e-9:
            raise InputError("position_space and orbit_normal_space must be perpendicular.")
    begin = np.stack([np.cross(c, r0), -c, -r0], axis=1)
    return Frame(_Spinning(n, np.asarray(c), begin, 0.0), _Fixed(np.array([0.0, -n, 0.0])), "LVLH")


@dataclass(frozen=True)
class _Fixed:
    value: np.ndarray

    def __call__(self, t: float) -> np.ndarray:
        return self.value


@dataclass(frozen=True)
class _Spinning:
    rate: float
    axis: np.ndarray
    begin: np.ndarray
    t0: float

    def __call__(self, t: float) -> np.ndarray:
        turned = Rotation().from_rotvec(self.rate * (t - self.t0) * self.axis).as_matrix()
        return turned @ self.begin
