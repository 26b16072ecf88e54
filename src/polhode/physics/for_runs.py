"""What a run asks of a problem: where it starts, which torque a method takes, and that torque as machine code."""

import functools
import math
import struct
from dataclasses import replace
from typing import Any, Self

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.quaternions import quaternion_of_one
from polhode.inputs.rotations import is_plainly_rotation
from polhode.integrators.method import Method
from polhode.integrators.velocity import rotor_inside, takes_all
from polhode.kernels.numbers import Kernel
from polhode.physics.control import asked
from polhode.physics.parameter_row import ParameterRow


class ForRuns(ParameterRow):
    """A problem as runs see it, in principal axes."""

    def start(
        self, Q: np.ndarray | None = None, Omega: np.ndarray | None = None
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """(q, Pi) in principal axes, as tuples of floats."""
        Q = self.Q0 if Q is None else np.asarray(Q, dtype=float)
        Omega = self.Omega0 if Omega is None else np.asarray(Omega, dtype=float)
        return _started(Q.tobytes(), Omega.tobytes(), self.axes.tobytes(), self.moments.tobytes())

    def check_start(self) -> None:
        """Raise InputError if Q0 or Omega0, which were checked when the problem was made, are no start any more.

        Both may be written into; the quaternion of a matrix that is no rotation would be that of another attitude.
        """
        if _is_rotation(self.Q0.tobytes()) and math.isfinite(sum(self.Omega0.tolist())):
            return
        try:
            inputs.rotation("Q0", self.Q0)
            inputs.vector("Omega0", self.Omega0)
        except InputError as error:
            raise InputError(f"The start of {self.name!r} was written into since it was made. {error}") from None

    @property
    def made_of(self) -> list[Any]:
        """The functions that decide how the body moves, for fingerprints; the potential is the last."""
        held = (None, None) if self.control is None else (self.control.law, self.control.period)
        timed = self.timed_potential_kernel
        kernels = (self.torque_kernel, self.moving_kernels.get("all"), *held, timed, self.potential_kernel)
        return [f for f in kernels if f is not None]

    def said(self, t: float, Q: np.ndarray, Omega: np.ndarray) -> np.ndarray:
        """What the law of the controller says at a state, as the motors can give it: numbers in the user's axes."""
        assert self.control is not None and self.law is not None
        wheels = self.internal.wheels
        state = tuple((Q @ self.axes).ravel().tolist()), tuple((Omega @ self.axes).tolist())
        u = np.array(asked(self.control, self.law, t, *state, self.parameters, len(wheels.each) if wheels else 0))
        return wheels.clipped(u) if wheels and self.control.wheels else u

    def driven(self, looks: np.ndarray) -> Self:
        """A copy that knows what its motors did in a run: see ``Wheels.looks``."""
        assert self.internal.wheels is not None
        return self.copied(internal=replace(self.internal, wheels=replace(self.internal.wheels, looks=looks)))

    @property
    def is_driven(self) -> bool:
        """Whether a controller drives wheels, so that only a run knows what they do."""
        return self.control is not None and self.control.wheels

    def check_uncontrolled(self, who: str) -> None:
        """Raise InputError if there is a controller, for `who` cannot call one."""
        if self.control is not None:
            raise InputError(f"{who} takes no controller, and {self.name!r} has one.")

    def check_of_attitude(self, who: str) -> None:
        """Raise InputError if the torque depends on the velocity, for `who` takes tau(t, Q) only."""
        self.check_uncontrolled(who)
        if self.forces.any:
            raise InputError(
                f"{who} takes a torque of t and Q only, and that of {self.name!r} depends on the velocity."
            )

    def source(self, method: Method) -> tuple[Kernel, bool]:
        """The torque that a method takes, and whether that takes the velocity; see ``integrators/velocity.py``."""
        if takes_all(method, self.forces):
            inside = rotor_inside(method, self.forces)
            if self.forces.moving or self.forces.damped or not inside:
                return self.moving_kernels["without rotor" if inside else "all"], True
        elif self.forces.moving:
            return self.moving_kernels["pull"], True
        return self.torque_kernel, False

    @property
    def machine_torque(self) -> Any:
        """The torque as it is now, as machine code; or None (with one warning) when it cannot be compiled."""
        return self._compiled("torque", self.torque_kernel)

    def machine_moment(self, kernel: Kernel, kind: Any) -> Any:
        """A torque that takes the velocity, as machine code of a type; or None (with one warning)."""
        return self._compiled("torque", kernel, kind)

    @property
    def machine_potential(self) -> Any:
        """The potential as it is now, as machine code; or None (with one warning) when it cannot be compiled."""
        return self._compiled("potential", self.potential_kernel)

    def _compiled(self, kind: str, kernel: Kernel | None, *of: Any) -> Any:
        from polhode.machine import CannotCompile, potential_code, torque_code

        try:
            return (torque_code if kind == "torque" else potential_code)(kernel, *of)
        except CannotCompile as error:
            if kind in self._told:
                return None
            self._told.add(kind)
            inputs.warn(
                f"The {kind} of problem {self.name!r} could not be compiled and runs interpreted, about a thousand "
                f"times slower. {error.because} {error.advice}"
            )
            return None


@functools.lru_cache(maxsize=256)
def _is_rotation(Q: bytes) -> bool:
    """Whether the bytes are those of a rotation with room to spare, cached: most runs begin as an earlier one did."""
    return is_plainly_rotation(list(_MATRIX.iter_unpack(Q)))


@functools.lru_cache(maxsize=256)
def _started(Q: bytes, Omega: bytes, axes: bytes, moments: bytes) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Where a body starts, from the bytes of the arrays: they can be written to, and most are not; cached likewise."""
    q, P = _turned(Q, axes)
    (x, y, z), J = _MATRIX.unpack(Omega), _MATRIX.unpack(moments)
    return q, tuple(Jk * (a * x + b * y + c * z + 0.0) for Jk, a, b, c in zip(J, *P))


@functools.lru_cache(maxsize=256)
def _turned(Q: bytes, axes: bytes) -> tuple[tuple[float, ...], list[tuple[float, ...]]]:
    """The quaternion of the principal axes, and the matrix of these, from the bytes of the arrays; cached likewise."""
    rows, P = _MATRIX.iter_unpack(Q), list(_MATRIX.iter_unpack(axes))
    return quaternion_of_one([[a * x + b * y + c * z + 0.0 for x, y, z in zip(*P)] for a, b, c in rows]), P


_MATRIX = struct.Struct("3d")
"""Bytes of one of the three rows of a matrix."""
