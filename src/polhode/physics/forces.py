"""What acts on a body besides a torque: damping, a rotor, and what motors and controllers do.

C     the torque -C Omega;             l     momentum inside the body, in body axes, l' its rate at a time
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.numbers import real_array
from polhode.integrators.parts.motors import CURVE
from polhode.integrators.velocity import Forces
from polhode.kernels.step import INTERNAL
from polhode.physics.wheels import Wheels


@dataclass(frozen=True)
class Internal:
    """The numbers of what acts besides a torque, in the user's body axes."""

    damping: np.ndarray | None = None  # 3x3
    rotor: np.ndarray | None = None  # 3
    rate: tuple[float, float, float] = (0.0, 0.0, 0.0)  # of the rotor's momentum
    since: float = 0.0  # the time at which the rotor's momentum is `rotor`
    held: tuple[float, float, float] | None = None  # a torque that is held
    wheels: Wheels | None = None  # what the rotor is made of, where there are wheels

    def turning(self, wheels: Wheels) -> "Internal":
        """The same with wheels, from their start."""
        l, rate = wheels.rotor_of(wheels.momenta), wheels.rate_of(wheels.torques)
        return replace(self, rotor=l, rate=rate, since=wheels.since, wheels=wheels)

    def replaced(self, name: str, damping: Any, rotor: Any) -> "Internal":
        """The same with other damping or another rotor, where there was one."""
        for what, new, had in (("damping", damping, self.damping), ("rotor", rotor, self.rotor)):
            if new is not None and had is None:
                raise InputError(
                    f"The problem {name!r} was made without {what}, and its functions are compiled without it: make "
                    f"the problem with {what}= (zero will do), and replace that."
                )
        C = self.damping if damping is None else damping_tensor(damping)
        other = replace(self, damping=C)
        if rotor is None:
            return other
        l = inputs.vector("rotor", rotor)
        return replace(other, rotor=l) if self.wheels is None else other.turning(replace(self.wheels, rotor=l))

    def forces(self, moving: bool) -> Forces:
        """Which of these forces there are."""
        motors = self.wheels is not None and (self.wheels.sampled or bool(self.wheels.torques.any()))
        return Forces(self.damping is not None, moving, self.rotor is not None, motors, self._curved)

    @property
    def _curved(self) -> bool:
        return self.wheels is not None and self.wheels.curved

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return (INTERNAL + CURVE * self._curved) if self.any else 0

    def energy(self, t: np.ndarray) -> np.ndarray:
        """The energy of the spins of the wheels at times (n,)."""
        return np.zeros(len(t)) if self.wheels is None else self.wheels.energy(t)

    @property
    def any(self) -> bool:
        """Whether there are any numbers."""
        return self.damping is not None or self.rotor is not None or self.held is not None

    def numbers(self, axes: np.ndarray) -> np.ndarray:
        """(n, count) in the principal axes (n, 3, 3) of n bodies."""
        n, back = len(axes), np.swapaxes(axes, 1, 2)
        C = np.zeros((3, 3)) if self.damping is None else self.damping
        vectors = [np.zeros(3) if v is None else np.asarray(v, float) for v in (self.rotor, self.rate, self.held)]
        l, rate, held = (np.einsum("nij,j->ni", back, v) for v in vectors)
        since = np.full((n, 1), self.since)
        curve = np.zeros((n, CURVE * self._curved))
        return np.concatenate([(back @ C @ axes).reshape(n, 9), l, rate, since, held, curve], axis=1)

    def momentum(self, t: np.ndarray) -> np.ndarray:
        """l at some times, (n, 3)."""
        if self.wheels is not None and self.wheels.looks is not None:
            return self.wheels.rotor_of(self.wheels.spins(t))
        l = np.zeros(3) if self.rotor is None else self.rotor
        return l + (np.asarray(t) - self.since)[:, None] * np.array(self.rate)


def damping_tensor(value: Any) -> np.ndarray:
    """C from a number, three, or a symmetric 3x3 tensor; a warning if it would feed the motion."""
    C = real_array("damping", value, "a number, three numbers, or a symmetric 3x3 tensor")
    if C.shape not in ((), (3,), (3, 3)):
        raise InputError(f"damping has shape {C.shape}; give a number, three numbers, or a symmetric 3x3 tensor.")
    if not np.isfinite(C).all():
        raise InputError(f"damping is {C.tolist()}; it must be finite.")
    C = C * np.eye(3) if C.ndim == 0 else np.diag(C) if C.ndim == 1 else C
    if np.abs(C - C.T).max() > 1e-12 * np.abs(C).max():
        raise InputError(f"damping is {C.tolist()}; it must be symmetric: the part that is not does no work.")
    C = (C + C.T) / 2
    least = float(np.linalg.eigvalsh(C)[0])
    if least < -1e-14 * np.abs(C).max():
        inputs.warn(f"damping has the eigenvalue {least:.3g}: along that axis the torque -C Omega feeds the motion.")
    return C
