"""What acts on a satellite besides the gradient of gravity: torques that know its orbit, added one to the other.

A part is a function torque(t, Q, Omega, p) in body axes, with the parameters that it reads from p. The orbit is there,
too: p.orbit is n, r0 and c x r0 (``gravity_gradient.py``), p.J the inertia with the wheels held fast.
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.forms import form
from polhode.pickling import Travels, recipe


@dataclass(frozen=True)
class Acting(Travels):
    """A torque on a satellite: its name, torque(t, Q, Omega, p), and its parameters by name."""

    name: str
    torque: Callable[..., Any]
    parameters: dict[str, Any]


def all_of(torques: Iterable[Any]) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """torque(t, Q, Omega, p) of all torques together (None if there are none), and the parameters of all."""
    total: Callable[..., Any] | None = None
    parameters: dict[str, Any] = {}
    for part in torques:
        if callable(part):
            part = Acting("torque", _own(part, form("torque", part, None, ("t", "Q"), "Omega").velocity), {})
        if not isinstance(part, Acting):
            raise InputError(
                f"torques has {one_line(part)}; give what build.magnetorquer and build.drag return, or functions "
                "torque(t, Q) or torque(t, Q, Omega) in body axes."
            )
        twice = parameters.keys() & part.parameters.keys()
        if twice:
            raise InputError(
                f"torques has two of the kind {part.name}, whose parameters would share the names "
                f"{', '.join(sorted(twice))}; give one."
            )
        parameters |= part.parameters
        total = part.torque if total is None else together(total, part.torque)
    return total, parameters


@recipe
@functools.cache
def together(one: Callable[..., Any], other: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of two torques."""

    def torque(t, Q, Omega, p):  # type: ignore[no-untyped-def]
        a, b = one(t, Q, Omega, p), other(t, Q, Omega, p)
        return (a[0] + b[0], a[1] + b[1], a[2] + b[2])

    return torque


@recipe
def _own(user: Callable[..., Any], velocity: bool) -> Callable[..., Any]:
    """A function of the user's, which takes no parameters."""
    if velocity:
        return lambda t, Q, Omega, p: user(t, Q, Omega)
    return lambda t, Q, Omega, p: user(t, Q)


# ---- what parts compute with: plain arithmetic, which runs in lanes ----------------------------------------


def in_body(Q: Any, v: Any) -> Any:
    """Q^T v: a vector in space axes, seen from the body."""
    return (
        Q[0, 0] * v[0] + Q[1, 0] * v[1] + Q[2, 0] * v[2],
        Q[0, 1] * v[0] + Q[1, 1] * v[1] + Q[2, 1] * v[2],
        Q[0, 2] * v[0] + Q[1, 2] * v[1] + Q[2, 2] * v[2],
    )


def crossed(a: Any, b: Any) -> Any:
    """a x b"""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def on_orbit(t: Any, o: Any) -> Any:
    """The direction r from the planet to the satellite, and its direction of flight, r'/n."""
    c, s = np.cos(o[0] * t), np.sin(o[0] * t)
    return (
        (c * o[1] + s * o[4], c * o[2] + s * o[5], c * o[3] + s * o[6]),
        (c * o[4] - s * o[1], c * o[5] - s * o[2], c * o[6] - s * o[3]),
    )


def gravity(t: Any, Q: Any, Omega: Any, p: Any) -> Any:
    """3 n^2 rho x J rho"""
    r, _ = on_orbit(t, p.orbit)
    x, y, z = in_body(Q, r)
    J, k = p.J, 3 * p.orbit[0] * p.orbit[0]
    Jr = (
        J[0, 0] * x + J[0, 1] * y + J[0, 2] * z,
        J[1, 0] * x + J[1, 1] * y + J[1, 2] * z,
        J[2, 0] * x + J[2, 1] * y + J[2, 2] * z,
    )
    a, b, c = crossed((x, y, z), Jr)
    return (k * a, k * b, k * c)


GRAVITY = Acting("gravity gradient", gravity, {})
