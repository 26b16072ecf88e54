"""Torque, potential and energy of a problem at an attitude, in the user's axes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.kernels.numbers import Kernel
from polhode.physics.problem_data import ProblemData


class Quantities(ProblemData):
    """What can be asked of a problem at a time, an attitude and a velocity."""

    def torque(self, t: float, Q: ArrayLike, Omega: ArrayLike | None = None) -> np.ndarray:
        """The torque at time t and attitude Q (3x3), in body axes; at the velocity Omega, where it depends on it.

        With damping and a rotor it is all that stands beside J Omega x Omega in the equation of motion, but for what a
        controller holds.
        """
        if self.forces.any:
            if Omega is None:
                raise InputError(f"The torque of {self.name!r} depends on the velocity: give torque(t, Q, Omega).")
            velocity = tuple((np.asarray(Omega) @ self.axes).tolist())
            return self._at(self.moving_kernels["all"], t, Q, velocity)
        return self._at(self.torque_kernel, t, Q)

    def conservative_torque(self, t: float, Q: ArrayLike) -> np.ndarray:
        """The part of the torque that has a potential, if there is one."""
        return self._at(self.conservative_kernel, t, Q)

    def _at(self, kernel: Kernel, t: float, Q: ArrayLike, *velocity: tuple[float, ...]) -> np.ndarray:
        Qp = np.asarray(Q) @ self.axes
        return self.axes @ np.array(kernel(t, tuple(Qp.ravel().tolist()), *velocity, self.parameters))

    def potential(self, Q: ArrayLike, t: float | None = None) -> Any:
        """The potential energy at attitude Q, and at time t where it depends on it."""
        attitude = lambda: tuple((np.asarray(Q) @ self.axes).ravel().tolist())
        if self.potential_kernel is not None:
            return self.potential_kernel(attitude(), self.parameters)
        if self.timed_potential_kernel is None:
            raise InputError(f"The problem {self.name!r} has no potential, so it has no energy: give potential=U.")
        if t is None:
            raise InputError(f"The potential of {self.name!r} depends on the time: give t=.")
        return self.timed_potential_kernel(t, attitude(), self.parameters)

    def energy(self, Q: ArrayLike, Omega: ArrayLike, t: float | None = None) -> Any:
        """Kinetic plus potential energy."""
        Omega, spins = np.asarray(Omega), 0.0
        if self.internal.wheels is not None:
            if t is None and self.forces.motors:
                raise InputError(f"The motors of {self.name!r} change the energy of the wheels: give t=.")
            spins = self.internal.energy(np.array([self.t0 if t is None else t]))[0]
        return 0.5 * Omega @ self.tensor @ Omega + self.potential(Q, t) + spins
