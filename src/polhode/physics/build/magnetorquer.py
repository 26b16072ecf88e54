"""Magnetorquers that brake a tumbling satellite: the B-dot law, in the field of a dipole.

    b(t) = B0 (3 (m . r) r - m),         B = Q^T b,         B' = Q^T b' - Omega x B,         torque = mu x B

r is the direction from the planet to the satellite on its circular orbit, m the direction of the planet's dipole and B0
the strength of the field over the magnetic equator, at the height of the orbit: the field of a dipole M at the distance
R has B0 = (mu_0/4 pi) M/R^3, some 2.6e-5 T in low orbits about the Earth.
"""

from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import checked_call, direction, number, positive
from polhode.physics.build.acting import Acting, crossed, in_body, on_orbit


@checked_call
def magnetorquer(
    *,
    gain: float,
    field: float,
    max_moment: float | None = None,
    dipole_space: Any = (0.0, 0.0, -1.0),
    planet_axis_space: Any = (0.0, 0.0, 1.0),
    planet_rate: float = 0.0,
) -> Acting:
    """Three coils along the body axes under the B-dot law, for `satellite(torques=[...])`.

    Idea. In a field that stands still in space B' = -Omega x B, and the torque is k (Omega x B) x B: its power is
    -k |Omega x B|^2, so that it brakes whatever turns about another axis than the field. On the orbit the field itself
    turns, about twice an orbit, and the body is left turning with it, not at rest (Stickler & Alfriend 1976).
    Units: with SI, field in T, gain in A m^2 s/T, moment in A m^2, torque in N m.

    `replaced(gain=...)`, and parameters={"gain": (N,)} of an ensemble, change it; nothing is compiled again.

    Parameters
    ----------
    gain : float
        k: the magnetic moment is mu = -k B', B' the rate at which the field changes in body axes
    field : float
        B0, the strength of the field over the magnetic equator at the height of the orbit
    max_moment : float, optional
        what a coil can give: each component of mu is clipped there
    dipole_space : three numbers
        direction of the planet's dipole m at t = 0; along the axis of the planet (an axial dipole) or tilted; that of
        the Earth points south, hence the default
    planet_axis_space, planet_rate : three numbers, float
        the axis about which a tilted dipole turns with the planet, and the rate

    Returns
    -------
    Acting
        For `satellite(torques=[...])`.

    Raises
    ------
    InputError
        A number or vector that cannot be used.
    """
    m, axis = direction("dipole_space", dipole_space), direction("planet_axis_space", planet_axis_space)
    rate = number("planet_rate", planet_rate)
    if number("gain", gain) < 0:
        raise InputError(f"gain is {gain}; with a negative one the coils would feed the motion.")
    along = (m @ axis) * axis
    parameters = {
        "gain": number("gain", gain),
        "dipole": np.array([positive("field", field), rate, *along, *(m - along), *np.cross(axis, m)]),
    }
    if max_moment is None:
        return Acting("magnetorquer", braking, parameters)
    parameters["max_moment"] = positive("max_moment", max_moment)
    return Acting("magnetorquer", clipped, parameters)


def braking(t: Any, Q: Any, Omega: Any, p: Any) -> Any:
    """mu x B with mu = -k B'"""
    B, x, y, z = changing(t, Q, Omega, p)
    return crossed((-p.gain * x, -p.gain * y, -p.gain * z), B)


def clipped(t: Any, Q: Any, Omega: Any, p: Any) -> Any:
    """The same with every component of mu between -max_moment and max_moment, without a decision."""
    B, x, y, z = changing(t, Q, Omega, p)
    top = p.max_moment
    x, y, z = -p.gain * x, -p.gain * y, -p.gain * z
    mu = (
        (abs(x + top) - abs(x - top)) / 2,
        (abs(y + top) - abs(y - top)) / 2,
        (abs(z + top) - abs(z - top)) / 2,
    )
    return crossed(mu, B)


def changing(t: Any, Q: Any, Omega: Any, p: Any) -> Any:
    """B in body axes, and the three components of B'."""
    o, d = p.orbit, p.dipole
    r, v = on_orbit(t, o)
    n, w = o[0], d[1]
    c, s = np.cos(w * t), np.sin(w * t)
    m = (d[2] + c * d[5] + s * d[8], d[3] + c * d[6] + s * d[9], d[4] + c * d[7] + s * d[10])
    u = (w * (c * d[8] - s * d[5]), w * (c * d[9] - s * d[6]), w * (c * d[10] - s * d[7]))  # m'
    mr = m[0] * r[0] + m[1] * r[1] + m[2] * r[2]
    a = 3 * mr
    e = 3 * (u[0] * r[0] + u[1] * r[1] + u[2] * r[2] + n * (m[0] * v[0] + m[1] * v[1] + m[2] * v[2]))
    k = d[0]
    b = (k * (a * r[0] - m[0]), k * (a * r[1] - m[1]), k * (a * r[2] - m[2]))
    rate = (
        k * (e * r[0] + a * n * v[0] - u[0]),
        k * (e * r[1] + a * n * v[1] - u[1]),
        k * (e * r[2] + a * n * v[2] - u[2]),
    )
    B, moved = in_body(Q, b), in_body(Q, rate)
    x, y, z = crossed(Omega, B)
    return B, moved[0] - x, moved[1] - y, moved[2] - z
