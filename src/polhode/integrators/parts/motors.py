"""The momentum of a rotor that motors change as a polynomial of the time: what a step is given of motor torques that
are functions.

    l(t) = l + sum_j c_j s^j,  j = 1 ... 8,  s = t - (the time of l)

The coefficients are found for every step by a collocation; see ``kernels/holding.py``.
"""

from typing import Any

from polhode.kernels.numbers import Number, Quat, Vec3
from polhode.kernels.rotations import compose, exp, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.vectors import cross, minus, mul, plus, scaled

DEGREE = 8
"""Of the polynomial, at most: its torques are taken at as many nodes, which is of order 16."""
CURVE = 3 * DEGREE
"""How many parameters of a torque it has, behind those of a rotor that is constant or changes at a constant rate."""


@kernel
def l_curved(t: Number, par: Any) -> Vec3:
    """l at time t."""
    s = t - par[24]
    return (along(s, par, 0), along(s, par, 1), along(s, par, 2))


@kernel
def along(s: Number, par: Any, k: int) -> Number:
    """Component k of l."""
    x = par[43 + k] + s * (par[46 + k] + s * par[49 + k])
    x = par[34 + k] + s * (par[37 + k] + s * (par[40 + k] + s * x))
    return par[18 + k] + s * (par[28 + k] + s * (par[31 + k] + s * x))


@kernel
def rate_along(s: Number, par: Any, k: int) -> Number:
    """Component k of l'."""
    x = 6 * par[43 + k] + s * (7 * par[46 + k] + s * (8 * par[49 + k]))
    x = 3 * par[34 + k] + s * (4 * par[37 + k] + s * (5 * par[40 + k] + s * x))
    return par[28 + k] + s * (2 * par[31 + k] + s * x)


@kernel
def curved_torque(t: Number, Omega: Vec3, par: Any) -> Vec3:
    """l x Omega - l'"""
    s = t - par[24]
    rate = (rate_along(s, par, 0), rate_along(s, par, 1), rate_along(s, par, 2))
    return minus(cross(l_curved(t, par), Omega), rate)


@kernel
def curved_turned(t: Number, Pi: Vec3, body: Any) -> Vec3:
    """J Omega + l"""
    return plus(Pi, l_curved(t, body[3][1]))


@kernel
def curved_turned_back(t: Number, p: Vec3, body: Any) -> Vec3:
    """J Omega, from J Omega + l."""
    return minus(p, l_curved(t, body[3][1]))


@kernel
def curved_half_turn(a: Number, t: Number, q: Quat, p: Vec3, body: Any) -> tuple[Quat, Vec3]:
    """The rotation at the rate -J^-1 l(t) over a."""
    F = exp(scaled(-a, mul(body[1], l_curved(t, body[3][1]))))
    return compose(q, F), rotated_back(F, p)
