"""Reaction wheels: what spins inside a body, driven by motors.

A wheel with the unit axis a and the inertia I about it turns at the speed w relative to the body. Its motor gives it
the torque u, and the body -u. Its own momentum about the axis and that of everything are

    p = I (w + a . Omega),     p' = u,                J Omega + sum a I w  =  K Omega + sum a p,    K = J - sum I a a^T

with the inertia J of the body and the wheels held fast in it. So the body moves as one of inertia K with a rotor of
momentum l = sum a p, which under constant motor torques changes at a constant rate. A motor that is sampled has a
constant torque from one look to the next: p is linear in between, and is kept at the looks; of one whose torque is a
function p is a polynomial in every step (``kernels/holding.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.inputs.parameters import arguments
from polhode.physics.control import Sampled
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
        of the motor on the wheel: constant, f(t, Q, Omega) -> number, or Sampled(law, period=...) with a law like that;
        the body feels the opposite. A function is compiled where it can be, and costs a few microseconds a step; one
        that cannot be is called in Python, some ten times in a step. Functions may take the parameters of the problem
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
    torque: Any = 0.0
    max_torque: float | None = None

    def __post_init__(self) -> None:
        axis = inputs.vector("axis of Wheel", self.axis)
        length = float(np.linalg.norm(axis))
        if not length > 0:
            raise InputError(f"axis of Wheel is {one_line(self.axis)}; it must point somewhere.")
        if self.max_torque is not None:
            object.__setattr__(self, "max_torque", inputs.positive("max_torque of Wheel", self.max_torque))
        numbers = {
            "axis": tuple((axis / length).tolist()),
            "inertia": inputs.positive("inertia of Wheel", self.inertia),
            "speed": inputs.number("speed of Wheel", self.speed),
            "torque": self._given_torque(),
        }
        for name, value in numbers.items():
            object.__setattr__(self, name, value)

    def _given_torque(self) -> Any:
        if isinstance(self.torque, Sampled):
            if self.torque.wheels:
                raise InputError("torque of Wheel is of one wheel: give Sampled(law, period=...) without wheels=True.")
            return self.torque
        if callable(self.torque):
            least, most = arguments(inputs.function("torque of Wheel", self.torque))
            if not (least <= 3 <= most or least > 3):
                raise InputError(
                    "torque of Wheel is a function; it is called as torque(t, Q, Omega), or with the parameters of the "
                    "problem behind, and gives one number."
                )
            return self.torque
        return self.clipped(inputs.number("torque of Wheel", self.torque))

    def clipped(self, torque: float) -> float:
        """A torque, or what the motor can give of it."""
        most = self.max_torque
        return torque if most is None else min(max(torque, -most), most)


@dataclass(frozen=True)
class Wheels:
    """The wheels of a body, from a start at a time with a velocity."""

    each: tuple[Wheel, ...]
    momenta: np.ndarray  # (k,) p at the start
    since: float
    rotor: np.ndarray  # (3,) what spins beside the wheels, in body axes
    sampled: bool = False  # whether a controller drives the motors
    curved: bool = False  # whether torques of motors are functions
    looks: np.ndarray | None = None  # (n, 1 + s k + k) of a run: times, the curves of p since (s, k), and p then

    @property
    def axes(self) -> np.ndarray:
        """The axes of the wheels in the body, unit vectors (k, 3)."""
        return np.array([w.axis for w in self.each])

    @property
    def inertia(self) -> np.ndarray:
        """The inertia of each wheel about its axis, (k,)."""
        return np.array([w.inertia for w in self.each])

    @property
    def torques(self) -> np.ndarray:
        """(k,) of motors that are not sampled."""
        return np.array([0.0 if self.sampled else w.torque for w in self.each])

    def started(self, Omega: np.ndarray, t: float) -> "Wheels":
        """The same wheels with the speeds they were given, from another start."""
        speeds = np.array([w.speed for w in self.each])
        return replace(self, momenta=self.inertia * (speeds + self.axes @ Omega), since=t, looks=None)

    def clipped(self, torques: np.ndarray) -> np.ndarray:
        """Torques (k,), or what the motors can give of them."""
        return np.array([w.clipped(u) for w, u in zip(self.each, torques.tolist())])

    def rotor_of(self, momenta: np.ndarray) -> np.ndarray:
        """l, (..., 3), from p (..., k)."""
        return self.rotor + momenta @ self.axes

    def rate_of(self, torques: np.ndarray) -> tuple[float, float, float]:
        """l', by motors of these torques (k,)."""
        x, y, z = (torques @ self.axes).tolist()
        return x, y, z

    def spins(self, t: np.ndarray) -> np.ndarray:
        """p at times (n,): (n, k)."""
        t = np.asarray(t)
        if self.looks is None:
            if self.sampled and (np.abs(t - self.since) > 0).any():
                raise InputError(
                    "What a controller did to the wheels is known of a run only: ask its Trajectory for energy, "
                    "momentum and wheel_speeds."
                )
            return self.momenta + (t - self.since)[:, None] * self.torques
        k, times = len(self.each), self.looks[:, 0]
        sign = 1 if times[-1] >= times[0] else -1
        at = np.maximum(np.searchsorted(sign * times, sign * t, side="right") - 1, 0)
        curve = self.looks[at, 1:-k].reshape(len(at), -1, k)
        return spun(self.looks[at, -k:], curve, (t - times[at])[:, None])

    def speeds(self, t: np.ndarray, Omega: np.ndarray) -> np.ndarray:
        """w at times (n,) with velocities (n, 3): (n, k)."""
        return self.spins(t) / self.inertia - Omega @ self.axes.T

    def energy(self, t: np.ndarray) -> np.ndarray:
        """The kinetic energy of the spins, sum p^2/(2 I), (n,)."""
        return (self.spins(t) ** 2 / self.inertia).sum(axis=1) / 2


def spun(p: np.ndarray, curve: np.ndarray, s: np.ndarray | float) -> np.ndarray:
    """Momenta p (..., k) after the time s, along curves (..., s, k): p + sum_j s^(j + 1) curve_j."""
    for j in range(curve.shape[-2]):
        p = p + s ** (j + 1) * curve[..., j, :]
    return p


def given_wheels(wheels: Any) -> tuple[Wheel, ...]:
    """Wheels from what a user gave; none if there are none."""
    if wheels is None:
        return ()
    each = (wheels,) if isinstance(wheels, Wheel) else tuple(inputs.items("wheels", wheels, "a sequence of Wheel"))
    for w in each:
        if not isinstance(w, Wheel):
            raise InputError(f"wheels has {one_line(w)}; give Wheel(axis=..., inertia=...) for each.")
    return each


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
