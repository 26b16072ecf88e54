"""Results as tables: columns with names, units and what they are, for data frames, CSV and netCDF."""

import csv
import json
import pathlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import FileError, InputError, one_line
from polhode.runs.files import places
from polhode.runs.results.invariants import labels

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
"""long_name and units of what is saved. The equations hold in any consistent units, so none is named."""

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


def with_invariants(
    data: Any, dims: tuple[str, ...], values: Mapping[str, np.ndarray], taken: Iterable[str] = ()
) -> Any:
    """A Dataset with these invariants, too; its attribute `invariants` says by name which variable is which."""
    names = labels(values, {*data.variables, *data.dims, *taken})
    for name, label in names.items():
        data[label] = (dims, values[name], {"long_name": f"invariant {name}"})
    return data.assign_attrs(invariants=json.dumps(names)) if names else data


def columns(s: Any, has_energy: bool, invariants: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The table of a trajectory: t, Q by rows, Omega, energy (where there is one), momentum, invariants by name.

    Of an ensemble it has a row for each time and body: t, body, and the rest as above.
    """
    bodies = s.Omega.shape[1:-1]
    table = {"t": s.t} if not bodies else {"t": np.repeat(s.t, *bodies), "body": np.tile(np.arange(*bodies), len(s.t))}
    table |= {f"Q_{a}{b}": s.Q[..., i, j].ravel() for i, a in AXES for j, b in AXES}
    table |= {f"Omega_{a}": s.Omega[..., i].ravel() for i, a in AXES}
    if has_energy:
        table["energy"] = s.energy.ravel()
    table |= {f"momentum_{a}": s.momentum[..., i].ravel() for i, a in AXES}
    return table | {label: invariants[name].ravel() for name, label in labels(invariants, table).items()}


def write_csv(path: pathlib.Path, table: Mapping[str, np.ndarray]) -> None:
    """Write columns as CSV, each number with the shortest digits that give it again."""
    with open(path, "w", encoding="ascii", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(table)
        rows.writerows(zip(*(column.tolist() for column in table.values())))


def is_csv(path: Any) -> bool:
    """Whether the name of a file asks for CSV; if it asks for neither that nor netCDF, a sentence."""
    kind = inputs.file_path("path", path).suffix.lower()
    if kind not in (".csv", ".nc", ".netcdf"):
        raise FileError(
            f"The name {places.shown(path)} says no known format: give one that ends in .nc or .netcdf (netCDF, which "
            "polhode.load reads back) or .csv (a table of numbers)."
        )
    return kind == ".csv"
