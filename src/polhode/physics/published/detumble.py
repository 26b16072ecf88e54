"""A tumbling satellite that coils bring to rest in the field of the earth."""

from typing import Any

from numpy.typing import ArrayLike

from polhode.inputs import number
from polhode.inputs.rotations import AttitudeLike
from polhode.kernels.scalar import cos, sin
from polhode.physics.build.parts import finished
from polhode.physics.problem import Problem


def torque_space(t: Any, Q: Any, omega: Any, p: Any) -> Any:
    """m x b with m = -k (b' - omega x b), the rate of the field that the body sees."""
    u = p.orbit_rate * t
    x, z = -3 * sin(2 * u) / 2, (3 * cos(2 * u) - 1) / 2  # y = 0
    dx, dz = -3 * p.orbit_rate * cos(2 * u), -3 * p.orbit_rate * sin(2 * u)
    a, b, c = omega[1] * z - dx, omega[2] * x - omega[0] * z, -omega[1] * x - dz  # omega x b - b'
    return p.gain * b * z, p.gain * (c * x - a * z), -p.gain * b * x


def detumble(
    inertia: ArrayLike = (1.0, 1.2, 1.5),
    gain: float = 0.08,
    orbit_rate: float = 0.05,
    Q0: AttitudeLike | None = (0.3, -0.2, 0.5),
    Omega0: ArrayLike = (0.6, -0.8, 0.5),
) -> Problem:
    """A satellite detumbled by coils: the B-dot law on a polar orbit.

        tau = m x b,   m = -k db/dt as seen by the body,   b(t) = 3 (d . r) r - d,   r on a polar orbit, d = -z

    Source: Stickler & Alfriend 1976, the law; the field is that of a dipole along the axis of the earth.
    Conserved: nothing.
    Default: h = 0.1 on [0, 200].
    Reveals: a torque of the time and the velocity together: it damps what is across the field and leaves what is along
    it, and the field turns. A method that takes time or velocity at the wrong stage loses its order.
    Not printed: all data are our choice; the field is in units of its strength above the equator.

    gain is k, orbit_rate the rate of the orbit.
    """
    problem = Problem(
        name="detumble",
        inertia=inertia,
        torque_space=torque_space,
        parameters={"gain": number("gain", gain), "orbit_rate": number("orbit_rate", orbit_rate)},
        Q0=Q0,
        Omega0=Omega0,
        h=0.1,
        t_end=200.0,
    )
    return finished(problem, ("stickler-alfriend-1976",))
