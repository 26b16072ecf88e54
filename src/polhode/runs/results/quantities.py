"""What follows from the states of a trajectory, beside energy and momentum: the quantities of the papers."""

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, checked_call, one_line
from polhode.runs.results.as_it_was import check_potential
from polhode.runs.results.energies import potential_energies
from polhode.runs.results.users_axes import applied

if TYPE_CHECKING:
    from polhode.physics.problem import Problem


class Quantities:
    """Quantities along a trajectory, for the class that has its states."""

    if TYPE_CHECKING:
        problem: Problem | None
        h: float
        t: np.ndarray
        Q: np.ndarray
        Omega: np.ndarray
        inertia: np.ndarray | None
        saved: dict[str, Any]
        stats: dict[str, Any]
        potential_then: str | None

        @property
        def energy(self) -> np.ndarray: ...

        def _described(self) -> Problem: ...

    @property
    def kinetic(self) -> np.ndarray:
        """The kinetic energy Omega.J Omega/2, and that of the spins of wheels, (n,)."""
        Pi = applied(self._tensor, self.Omega)
        energy = (self.Omega[:, 0] * Pi[:, 0] + self.Omega[:, 1] * Pi[:, 1] + self.Omega[:, 2] * Pi[:, 2]) / 2
        if self._wheels is None:
            return energy
        axes, inertia = self._wheels
        return energy + ((self.wheel_speeds + self.Omega @ axes.T) ** 2 * inertia).sum(axis=1) / 2

    @property
    def wheel_speeds(self) -> np.ndarray:
        """The speeds of the wheels relative to the body, (n, wheels)."""
        if "wheel_speeds" in self.saved:
            return self.saved["wheel_speeds"]
        problem = self._described()
        if problem.internal.wheels is None:
            raise InputError(f"The problem {problem.name!r} has no wheels: give wheels=[Wheel(...)].")
        return problem.internal.wheels.speeds(self.t, self.Omega)

    @property
    def _wheels(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Axes (k, 3) and inertia (k,) of the wheels; None if there are none."""
        if "wheel_speeds" in self.saved:
            return self.saved["wheel_axes"], self.saved["wheel_inertia"]
        wheels = None if self.problem is None else self.problem.internal.wheels
        return None if wheels is None else (wheels.axes, wheels.inertia)

    @property
    def potential(self) -> np.ndarray:
        """The potential energy U(Q), or U(t, Q), (n,)."""
        if self.problem is None and "energy" in self.saved:
            return self.energy - self.kinetic
        check_potential(self._described(), self.potential_then)
        return potential_energies(self._described(), self.Q, self.t)

    @property
    def Omega_space(self) -> np.ndarray:
        """The angular velocity in space axes, Q Omega, (n, 3)."""
        return applied(self.Q, self.Omega)

    @property
    def rotation_increments(self) -> np.ndarray:
        """The angle by which the body turns in the step that begins at each state, in radians, (n,).

        It is |h Omega + h^2/2 Omega'|, from the velocity and the equation of motion; unlike the angle between two
        attitudes it is not folded at half a turn. For NMB, SW and all explicit Newmark methods it is the actual turn.
        """
        if "adapted" in self.stats:
            raise InputError("The steps of this run have lengths of their own, and are not kept: there is no h.")
        ahead = self.h * self.Omega + self.h**2 / 2 * self._accelerations()
        return np.sqrt(ahead[:, 0] ** 2 + ahead[:, 1] ** 2 + ahead[:, 2] ** 2)

    def position(self, point_body: np.ndarray) -> np.ndarray:
        """Where a point of the body is, in space axes from the centre of rotation: Q x, (n, 3)."""
        return applied(self.Q, self._points(point_body))

    def velocity(self, point_body: np.ndarray) -> np.ndarray:
        """The velocity of a point of the body in space axes: Q (Omega x x), (n, 3)."""
        return applied(self.Q, np.cross(self.Omega, self._points(point_body)))

    def acceleration(self, point_body: np.ndarray) -> np.ndarray:
        """The acceleration of a point of the body in space axes: Q (Omega' x x + Omega x (Omega x x)), (n, 3)."""
        x = self._points(point_body)
        turning = np.cross(self.Omega, np.cross(self.Omega, x))
        return applied(self.Q, np.cross(self._accelerations(), x) + turning)

    def _points(self, point_body: np.ndarray) -> np.ndarray:
        return np.broadcast_to(inputs.vector("point_body", point_body), self.Omega.shape)

    @property
    def _tensor(self) -> np.ndarray:
        if self.inertia is None:
            raise InputError("The inertia is not known: the file that this trajectory was read from does not have it.")
        return np.diag(self.inertia) if self.inertia.ndim == 1 else self.inertia

    def _accelerations(self) -> np.ndarray:
        """Omega' at each state, by the equation of motion."""
        problem = self._described()
        if problem.control is not None:
            raise InputError(
                f"The acceleration needs the torque, and what the controller of {problem.name!r} held is not kept: "
                "take differences of Omega."
            )
        states = zip(self.t.tolist(), self.Q, self.Omega)
        tau = np.array([problem.torque(t, Q, Omega) for t, Q, Omega in states]).reshape(-1, 3)
        return np.linalg.solve(self._tensor, (np.cross(applied(self._tensor, self.Omega), self.Omega) + tau).T).T


@checked_call
def dist(A: object, B: object) -> np.ndarray | float:
    """The distance of attitudes, sqrt(2 tr(I - A^T B)): 4 |sin(angle/2)|/sqrt(2), at most 2 sqrt(2).

    Matrices (..., 3, 3), SciPy Rotations or rotation vectors (3,); a stack gives an array. Computed as the Frobenius
    norm of A - B, which it is for rotations, so that near attitudes lose no digits.

    Parameters
    ----------
    A, B : 3x3 arrays (or stacks), Rotations or rotation vectors
        The attitudes.

    Returns
    -------
    float or array
        The distance.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> float(ph.dist(np.eye(3), np.eye(3)))
    0.0
    """
    difference = _matrices("A", A) - _matrices("B", B)
    distance = np.sqrt((difference**2).sum(axis=(-2, -1)))
    return float(distance) if distance.ndim == 0 else distance


def _matrices(label: str, value: object) -> np.ndarray:
    """One rotation in any of the forms that users may give, or a stack of matrices or Rotations."""
    if hasattr(value, "as_matrix"):
        try:
            return np.asarray(value.as_matrix(), dtype=float)
        except Exception:  # of an object that only looks like a Rotation, or its class
            raise InputError(f"{label} is {one_line(value)}; its as_matrix() gives no matrix.") from None
    stack = inputs.real_array(label, value, "a 3x3 matrix, a Rotation or a rotation vector")
    if stack.ndim > 2 and stack.shape[-2:] == (3, 3):
        if not np.isfinite(stack).all():
            raise InputError(f"{label} has entries that are not finite numbers: {one_line(value)}.")
        return stack
    return inputs.rotation(label, value)
