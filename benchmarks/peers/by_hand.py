"""Seven problems with right-hand sides written by hand in unit quaternions, as somebody would who knows them well.

Generic in the arithmetic: for numbers and for the expressions of heyoka. `parts` are its sqrt, sin, cos, and the time.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import polhode as ph
from peers.stress import rates as stress_rates
from peers.stress import stress
from polhode.physics.problem import Problem

UNEVEN = (2.0, 2.6, 4.0)


@dataclass(frozen=True)
class ByHand:
    """A problem of ours, and rates(state, sqrt, sin, cos, t) of (w, x, y, z, a, b, c)."""

    name: str
    problem: Problem
    rates: Callable

    @property
    def start(self) -> np.ndarray:
        """Quaternion and velocity at the start."""
        q, Pi = self.problem.start()
        return np.array([*q, *(np.array(Pi) / self.problem.moments)])


def motion(state, J, tau):
    """q' = q Omega/2,  J Omega' = J Omega x Omega + tau"""
    w, x, y, z, a, b, c = state
    return (
        (-x * a - y * b - z * c) / 2,
        (w * a + y * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y * a) / 2,
        ((J[1] - J[2]) * b * c + tau[0]) / J[0],
        ((J[2] - J[0]) * c * a + tau[1]) / J[1],
        ((J[0] - J[1]) * a * b + tau[2]) / J[2],
    )


def up(state):
    """The vertical in body axes: the last row of Q."""
    w, x, y, z = state[:4]
    return 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


def problems():
    """All of them, by name."""
    even, uneven = ph.problem("stress"), ph.problem("stress", inertia=UNEVEN)
    satellite = ph.build.satellite(
        inertia_body=(1.0, 2.0, 2.5), orbit_rate=1.0, Q0=(0.3, -0.2, 0.1), Omega0=(0.2, 0.1, 1.1)
    )
    found = [
        ByHand("stress", even, _stress(even)),
        ByHand("stress, no symmetry", uneven, _stress(uneven)),
        ByHand("heavy-top", ph.problem("heavy-top"), _heavy_top(ph.problem("heavy-top"))),
        ByHand("fast-top", ph.problem("fast-top"), _top(ph.problem("fast-top"))),
        ByHand("slow-top", ph.problem("slow-top"), _top(ph.problem("slow-top"))),
        ByHand("soft-wall", ph.problem("soft-wall"), _wall(ph.problem("soft-wall"))),
        ByHand("satellite", satellite, _satellite(satellite)),
    ]
    return {x.name: x for x in found}


def _stress(p):
    s = stress(p)
    return lambda state, sqrt, sin, cos, t: stress_rates(state, sqrt, s.J, s.alpha, s.qm)


def _heavy_top(p):
    J, (x, y, z) = p.moments.tolist(), p.parameters[:3]

    def rates(state, sqrt, sin, cos, t):
        a, b, c = up(state)
        return motion(state, J, (z * b - y * c, x * c - z * a, y * a - x * b))

    return rates


def _top(p):
    J, Mgl = p.moments.tolist(), p.parameters[2]

    def rates(state, sqrt, sin, cos, t):
        w, x, y, z = state[:4]
        return motion(state, J, (2 * Mgl * (y * z + w * x), -2 * Mgl * (x * z - w * y), 0.0))

    return rates


def _wall(p):
    J, (A, B, d) = p.moments.tolist(), p.parameters[:3]

    def rates(state, sqrt, sin, cos, t):
        a, b, c = up(state)
        y = 1 / (d + c)
        y2 = y * y
        y4 = y2 * y2
        push = 10 * B * y4 * y4 * y2 * y - A * y2
        return motion(state, J, (-push * b, push * a, 0.0))

    return rates


def _satellite(p):
    J, n = p.moments.tolist(), p.parameters[9]

    def rates(state, sqrt, sin, cos, t):
        w, x, y, z = state[:4]
        c, s = cos(n * t), sin(n * t)  # r(t) = (c, s, 0) in space
        rho = (
            (1 - 2 * (y * y + z * z)) * c + 2 * (x * y + w * z) * s,
            2 * (x * y - w * z) * c + (1 - 2 * (x * x + z * z)) * s,
            2 * (x * z + w * y) * c + 2 * (y * z - w * x) * s,
        )
        k = 3 * n * n
        tau = (
            k * (J[2] - J[1]) * rho[1] * rho[2],
            k * (J[0] - J[2]) * rho[2] * rho[0],
            k * (J[1] - J[0]) * rho[0] * rho[1],
        )
        return motion(state, J, tau)

    return rates
