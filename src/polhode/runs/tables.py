"""Results as tables: columns with names, units and what they are, for data frames, CSV and netCDF."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line

AXES = tuple(enumerate("xyz"))

ABOUT = {
    "t": ("time", "unit of time"),
    "Q": ("attitude, body to space", "1"),
    "Omega": ("angular velocity in body axes", "radian per unit of time"),
    "energy": ("kinetic plus potential energy", "unit of energy"),
    "momentum": ("angular momentum in space axes", "unit of angular momentum"),
    "wheel_speeds": ("speeds of the wheels relative to the body", "radian per unit of time"),
    "wheel_axes": ("axes of the wheels in body axes", "1"),
    "wheel_inertia": ("inertia of the wheels about their axes", "unit of inertia"),
}
"""long_name and units of what is saved. The equations hold in any consistent units, so that none are named."""

SI = {"t": "s", "Omega": "rad s-1", "energy": "J", "momentum": "kg m2 s-1"} | {
    "wheel_speeds": "rad s-1",
    "wheel_inertia": "kg m2",
}


def given_units(units: Any) -> dict[str, str]:
    """Units by variable: "SI", a dictionary of some of them, or none."""
    if units is None:
        return {}
    if isinstance(units, str) and units == "SI":
        return SI
    if not isinstance(units, Mapping) or not all(k in ABOUT and isinstance(u, str) for k, u in units.items()):
        raise InputError(
            f'units is {one_line(units)}; give "SI" or a dictionary of texts for some of {", ".join(ABOUT)}.'
        )
    return dict(units)


def described(data: Any, units: Any) -> Any:
    """A Dataset whose variables say what they are and in which units."""
    named = given_units(units)
    for key, (what, unit) in ABOUT.items():
        if key in data.variables:
            data[key].attrs.update(long_name=what, units=named.get(key, unit))
    return data


def columns(s: Any, has_energy: bool) -> dict[str, np.ndarray]:
    """The table of a trajectory: t, Q by rows, Omega, energy (where there is one), momentum."""
    found = {"t": s.t, **{f"Q_{a}{b}": s.Q[:, i, j] for i, a in AXES for j, b in AXES}}
    found |= {f"Omega_{a}": s.Omega[:, i] for i, a in AXES}
    if has_energy:
        found["energy"] = s.energy
    return found | {f"momentum_{a}": s.momentum[:, i] for i, a in AXES}
