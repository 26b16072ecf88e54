"""Torque, potential and energy of a problem at an attitude, in the user's axes."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.kernels.numbers import Kernel
from polhode.kernels.vectors import apply, apply_transposed, product
from polhode.physics.problem_data import ProblemData
from polhode.physics.torques import is_derived


class Quantities(ProblemData):
    """What can be asked of a problem at a time, an attitude and a velocity."""

    def check_methods(self) -> None:
        """Raise InputError if a subclass has a torque or potential of its own: runs take what was given, not these."""
        kind = type(self)
        for name in ("torque", "potential"):
            if getattr(kind, name) is not getattr(Quantities, name):
                raise InputError(
                    f"{kind.__name__} has a method {name} of its own, which no run would call: give the function to "
                    f"the problem, as super().__init__({name}=...), and leave out the method."
                )

    def torque(self, t: float, Q: ArrayLike, Omega: ArrayLike | None = None) -> np.ndarray:
        """The torque at time t and attitude Q (3x3), in body axes; and at the velocity Omega, if it depends on it.

        With damping and a rotor it is all that stands beside J Omega x Omega in the equation of motion, except what a
        controller holds.
        """
        if self.forces.any:
            if Omega is None:
                raise InputError(f"The torque of {self.name!r} depends on the velocity: give torque(t, Q, Omega).")
            velocity = apply_transposed(_numbers(self.axes), _numbers(Omega, (3,)))
            return self._at(self.moving_kernels["all"], t, Q, velocity)
        return self._at(self.torque_kernel, t, Q)

    def friction_rate(self, t: float, Q: ArrayLike, Omega: ArrayLike) -> float:
        """How strongly the torque depends on the velocity, as a rate: |J^-1 d tau/d Omega|."""
        w = np.asarray(Omega, dtype=float)
        d = 1e-6 * (1 + float(np.abs(w).max()))
        slopes = [(self.torque(t, Q, w + d * e) - self.torque(t, Q, w - d * e)) / (2 * d) for e in np.eye(3)]
        rates = np.linalg.solve(self.tensor, np.array(slopes).T)
        return float(np.abs(np.linalg.eigvals(rates)).max()) if np.isfinite(rates).all() else math.inf

    def conservative_torque(self, t: float, Q: ArrayLike) -> np.ndarray:
        """The part of the torque that has a potential, if there is one."""
        return self._at(self.conservative_kernel, t, Q)

    def _at(self, kernel: Kernel, t: float, Q: ArrayLike, *velocity: tuple[float, ...]) -> np.ndarray:
        is_complex = (np.iscomplexobj(Q) and np.any(np.imag(Q))) or (isinstance(t, complex) and t.imag != 0)
        if is_complex and is_derived(self.functions or {}):
            raise InputError(
                f"The torque of {self.name!r} is derived from its potential by the complex step, so it has no value at "
                "a complex attitude or time: give the torque beside the potential, torque=..., or differentiate by "
                "differences."
            )
        axes = _numbers(self.axes)
        return np.array(apply(axes, kernel(t, product(_numbers(Q), axes), *velocity, self.parameters)))

    def potential(self, Q: ArrayLike, t: float | None = None) -> Any:
        """The potential energy at attitude Q, and at time t if it depends on it."""
        attitude = lambda: product(_numbers(Q), _numbers(self.axes))
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


def _numbers(array: ArrayLike, shape: tuple[int, ...] = (3, 3)) -> tuple[Any, ...]:
    """The entries, row by row.

    Sums of them have one order; in a matrix product the order depends on where in memory an array begins.
    """
    values = np.asarray(array)
    if values.shape != shape:
        raise InputError(f"An array of shape {values.shape} was given where {shape} is needed.")
    return tuple(values.ravel().tolist())
