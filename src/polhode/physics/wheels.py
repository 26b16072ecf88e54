"""Reaction wheels: what spins inside a body, driven by motors.

A wheel with the unit axis a and the inertia I about it turns at the speed w relative to the body. Its motor gives it
the torque u, and the body -u. Its own momentum about the axis and that of everything are

    p = I (w + a . Omega),     p' = u,                J Omega + sum a I w  =  K Omega + sum a p,    K = J - sum I a a^T

with the inertia J of the body and the wheels held fast in it. So the body moves as one of inertia K with a rotor of
momentum l = sum a p, which under constant motor torques changes at a constant rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.pickling import Travels


@inputs.checked_construction
@dataclass(frozen=True)
class Wheel(Travels):
    """A wheel on an axis that is fixed in the body.

    Parameters
    ----------
    axis : three numbers
        its direction in body axes; the length does not matter
    inertia : float
        about the axis
    speed : float
        relative to the body, at the start
    torque : float, callable or Sampled
        of the motor on the wheel, constant; the body feels the opposite
    max_torque : float
        what the motor can give: the torque is clipped there

    Examples
    --------
    >>> import polhode as ph
    >>> ph.Wheel(axis=(0, 0, 2), inertia=0.1, speed=100).axis
    (0.0, 0.0, 1.0)
    """

    axis: Any
    inertia: float
    speed: float = 0.0
    torque: float = 0.0
    max_torque: float | None = None

    def __post_init__(self) -> None:
        axis = inputs.vector("axis of Wheel", self.axis)
        length = float(np.linalg.norm(axis))
        if not length > 0:
            raise InputError(f"axis of Wheel is {one_line(self.axis)}; it must point somewhere.")
        if callable(self.torque):
            raise InputError("torque of Wheel is a function; motors give a constant torque: one number.")
        torque = inputs.number("torque of Wheel", self.torque)
        if self.max_torque is not None:
            most = inputs.positive("max_torque of Wheel", self.max_torque)
            torque = min(max(torque, -most), most)
        given = {
            "axis": tuple((axis / length).tolist()),
            "inertia": inputs.positive("inertia of Wheel", self.inertia),
            "speed": inputs.number("speed of Wheel", self.speed),
            "torque": torque,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Wheels:
    """The wheels of a body, from a start at a time with a velocity."""

    each: tuple[Wheel, ...]
    momenta: np.ndarray  # (k,) p at the start
    since: float
    rotor: np.ndarray  # (3,) what spins beside the wheels, in body axes

    @property
    def axes(self) -> np.ndarray:
        """(k, 3)"""
        return np.array([w.axis for w in self.each])

    @property
    def inertia(self) -> np.ndarray:
        """(k,)"""
        return np.array([w.inertia for w in self.each])

    @property
    def torques(self) -> np.ndarray:
        """(k,)"""
        return np.array([w.torque for w in self.each])

    def started(self, Omega: np.ndarray, t: float) -> "Wheels":
        """The same wheels with the speeds they were given, from another start."""
        speeds = np.array([w.speed for w in self.each])
        return Wheels(self.each, self.inertia * (speeds + self.axes @ Omega), t, self.rotor)

    @property
    def momentum(self) -> np.ndarray:
        """l at the start, (3,)."""
        return self.rotor + self.momenta @ self.axes

    @property
    def rate(self) -> tuple[float, float, float]:
        """l', by the motors."""
        x, y, z = (self.torques @ self.axes).tolist()
        return x, y, z

    def spins(self, t: np.ndarray) -> np.ndarray:
        """p at times (n,): (n, k)."""
        return self.momenta + (np.asarray(t) - self.since)[:, None] * self.torques

    def speeds(self, t: np.ndarray, Omega: np.ndarray) -> np.ndarray:
        """w at times (n,) with velocities (n, 3): (n, k)."""
        return self.spins(t) / self.inertia - Omega @ self.axes.T

    def energy(self, t: np.ndarray) -> np.ndarray:
        """The kinetic energy of the spins, sum p^2/(2 I), (n,)."""
        return (self.spins(t) ** 2 / self.inertia).sum(axis=1) / 2


def given_wheels(wheels: Any, rotor: np.ndarray | None) -> Wheels | None:
    """Wheels from what a user gave, not started; None if there are none."""
    if wheels is None:
        return None
    each = (wheels,) if isinstance(wheels, Wheel) else tuple(inputs.items("wheels", wheels, "a sequence of Wheel"))
    for w in each:
        if not isinstance(w, Wheel):
            raise InputError(f"wheels has {one_line(w)}; give Wheel(axis=..., inertia=...) for each.")
    if not each:
        return None
    return Wheels(each, np.zeros(len(each)), 0.0, np.zeros(3) if rotor is None else rotor)


def without_spin(inertia: Any, wheels: Sequence[Wheel], included: bool) -> Any:
    """K: moments or tensor of what turns with the body, from an inertia that includes the wheels or not."""
    inputs.principal_axes("inertia", inertia)
    J = np.array(inertia, dtype=float)
    if not included:
        return J
    K = np.diag(J) if J.ndim == 1 else J
    for w in wheels:
        K = K - w.inertia * np.outer(w.axis, w.axis)
    least = float(np.linalg.eigvalsh(K)[0])
    if not least > 1e-12 * np.abs(J).max():
        raise InputError(
            f"The inertia without the spin of the wheels has the eigenvalue {least:.3g}, and must be positive: does "
            "the inertia include the wheels? If not, give inertia_includes_wheels=False."
        )
    return np.diag(K) if np.array_equal(K, np.diag(np.diag(K))) else K
