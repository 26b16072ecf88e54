"""A satellite on a circular orbit, turned by the gradient of gravity.

    torque (body) = 3 n^2 rho x J rho,    rho = Q^T r(t),    r(t) = cos(n t) r0 + sin(n t) c x r0

r points from the planet to the satellite, c is the normal of the orbit, n the rate of the orbit. Space axes do
not turn, so the torque depends on time. Parameters: J (principal), r0, c x r0, n.

With other torques, damping, a rotor, wheels or a controller beside it, the same torque is one part of several
(``acting.py``), a function of (t, Q, Omega) in the user's axes with parameters by name.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.inputs import checked_call, direction, items, positive
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.numbers import Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import cos, kernel, sin
from polhode.kernels.vectors import apply_transposed
from polhode.physics.build.acting import GRAVITY, Acting, all_of
from polhode.physics.build.frames import parameters, principal_moments
from polhode.physics.build.parts import finished
from polhode.physics.control import Sampled
from polhode.physics.problem import Problem
from polhode.physics.wheels import Wheel


@kernel
def torque(t: Number, Q: Mat3, par: Numbers) -> Vec3:
    """3 n^2 rho x J rho"""
    n = par[9]
    c, s = cos(n * t), sin(n * t)
    x, y, z = apply_transposed(Q, (c * par[3] + s * par[6], c * par[4] + s * par[7], c * par[5] + s * par[8]))
    k = 3 * n * n
    return (k * (par[2] - par[1]) * y * z, k * (par[0] - par[2]) * z * x, k * (par[1] - par[0]) * x * y)


class Satellite(Problem):
    """A problem that knows its orbit: the rate n, r0, c x r0 and the normal c."""

    orbit: tuple[float, np.ndarray, np.ndarray, np.ndarray]

    def parameters_for(self, moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """See ``Problem``; p.J, on which gravity acts, follows from the inertia."""
        return self._with_inertia(super().parameters_for(moments, axes), moments, axes)

    def parameter_rows(self, moments: np.ndarray, axes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See ``Problem``."""
        return self._with_inertia(super().parameter_rows(moments, axes, rows), moments, axes)

    def _with_inertia(self, numbers: np.ndarray, moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """Rows of parameters in which p.J, the first with a name, is the inertia of each body, wheels held fast."""
        if self.fields is None:
            return numbers
        J = (axes * moments[:, None]) @ np.swapaxes(axes, 1, 2)
        if self.internal.wheels is not None:
            J = J + sum(w.inertia * np.outer(w.axis, w.axis) for w in self.internal.wheels.each)
        n = max(len(numbers), len(J))
        numbers = np.array(np.broadcast_to(numbers, (n, numbers.shape[1])))
        numbers[:, self.fields.first : self.fields.first + 9] = J.reshape(-1, 9)
        return numbers

    def jacobi(self, t: float, Q: np.ndarray, Omega: np.ndarray) -> float:
        """The energy as seen from the orbit, under the gradient of gravity alone."""
        (n, r0, s0, c), J = self.orbit, self.tensor
        rho = (np.cos(n * t) * r0 + np.sin(n * t) * s0) @ Q
        return Omega @ J @ Omega / 2 + 1.5 * n**2 * (rho @ J @ rho) - n * (c @ Q @ J @ Omega)


@checked_call
def satellite(
    *,
    inertia_body: ArrayLike,
    orbit_rate: float,
    position_space: ArrayLike = (1.0, 0.0, 0.0),
    orbit_normal_space: ArrayLike = (0.0, 0.0, 1.0),
    torques: Sequence[Any] = (),
    damping: ArrayLike | None = None,
    rotor: ArrayLike | None = None,
    wheels: Wheel | Sequence[Wheel] | None = None,
    inertia_includes_wheels: bool = True,
    control: Sampled | None = None,
    Q0: AttitudeLike | None = None,
    Omega0: ArrayLike | None = None,
    Pi0: ArrayLike | None = None,
    t0: float = 0.0,
    h: float | None = None,
    t_end: float | None = None,
    name: str = "satellite",
) -> Satellite:
    """A rigid satellite on a circular orbit; the attitude does not act back on the orbit.

    Conserved, if nothing but gravity acts: the Jacobi integral, which depends on time and is therefore a function of
    its own, ``problem.jacobi(t, Q, Omega) = Omega.J Omega/2 + (3/2) n^2 rho.J rho - n c.Q J Omega``. There is no
    potential, because in space axes the field turns with the satellite.

    Parameters
    ----------
    inertia_body : three numbers or 3x3 array
        about the centre of mass, in body axes: moments or tensor
    orbit_rate : float
        n, in radians per unit of time: sqrt(GM / radius^3)
    position_space : three numbers
        direction from the planet to the satellite at t = 0, in space axes
    orbit_normal_space : three numbers
        direction of the orbital momentum, in space axes, at right angles to it
    torques : sequence of torques or callables
        what acts beside gravity: [build.magnetorquer(...), build.drag(...), a function torque(t, Q) or torque(t, Q,
        Omega) of your own in body axes, ...]
    damping, rotor, wheels, inertia_includes_wheels, control
        as in `Problem`
    Q0, Omega0, Pi0 : 3x3 array, Rotation or three numbers
        the start; Omega0 and Pi0 in body axes, relative to space, not to the orbit

    Returns
    -------
    Problem
        For anything that takes a problem.

    Raises
    ------
    InputError
        A number or vector that cannot be used.
    """
    n = positive("orbit_rate", orbit_rate)
    r0, c = direction("position_space", position_space), direction("orbit_normal_space", orbit_normal_space)
    if abs(r0 @ c) > 1e-9:
        raise InputError(
            f"position_space and orbit_normal_space must be at right angles; the cosine between them is {r0 @ c:.3g}."
        )
    s0 = np.cross(c, r0)
    start: dict[str, Any] = {"Q0": Q0, "Omega0": Omega0, "Pi0": Pi0, "t0": t0, "h": h, "t_end": t_end, "name": name}
    more: dict[str, Any] = {"damping": damping, "rotor": rotor, "wheels": wheels, "control": control}
    acting = (torques,) if isinstance(torques, Acting) or callable(torques) else items("torques", torques, "a sequence")
    if not len(acting) and all(x is None for x in more.values()):
        problem = Satellite.from_kernels(
            inertia=inertia_body,
            torque=torque,
            potential=None,
            parameters=parameters(principal_moments, r0.tolist(), s0.tolist(), (n,)),
            **start,
        )
    else:
        total, named = all_of((GRAVITY, *acting))
        own = {"J": np.eye(3), "orbit": np.array([n, *r0, *s0])}  # J is filled in by the problem
        more["inertia_includes_wheels"] = inertia_includes_wheels
        problem = Satellite(inertia=inertia_body, torque=total, parameters=own | named, **more, **start)
    return finished(problem.copied(orbit=(n, r0, s0, c)), sources=())
