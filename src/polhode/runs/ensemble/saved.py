"""Ensembles as data: an xarray Dataset of times and bodies, netCDF files, and what is read back from them."""

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.runs.files.tables import described, is_csv, with_invariants
from polhode.runs.results.attitudes import Attitudes
from polhode.shown import shown

FORMAT = "polhode ensemble"
"""The mark by which a file is known as ours."""


def dataset(e: Any, units: Any = None) -> Any:
    """A Dataset of an ensemble: dimensions t, body, space and axis; parameters and inertia as coordinates of bodies."""
    import xarray

    axes, N = list("xyz"), len(e)
    data = {"Q": (("t", "body", "space", "axis"), e.Q), "Omega": (("t", "body", "axis"), e.Omega)}
    if e.problem.has_energy:
        data["energy"] = (("t", "body"), e.energy)
    data["momentum"] = (("t", "body", "space"), e.momentum)
    if e.problem.internal.wheels is not None:
        data["wheel_speeds"] = (("t", "body", "wheel"), e.wheel_speeds)
    data["success"] = (("body",), e.success)
    coordinates = {"t": e.t, "body": np.arange(N), "space": axes, "axis": axes} | _parameters(e)
    tensors = np.broadcast_to(e.bodies.tensors, (N, 3, 3))
    coordinates["inertia"] = (("body", "row", "column"), tensors)
    about = {"format": FORMAT, "method": e.method, "problem": e.problem.name, "h": e.h, "message": e.message}
    about |= {"stats": json.dumps(e.stats), "messages": json.dumps(e.messages)}
    whole = xarray.Dataset(data, coords=coordinates, attrs=about)
    return described(with_invariants(whole, ("t", "body"), e.given_invariants()), units)


def _parameters(e: Any) -> dict[str, Any]:
    """The parameters that the problem was made with, by name, for each body."""
    fields = e.problem.fields
    values: dict[str, Any] = {}
    if fields is None:
        return values
    rows, at = np.broadcast_to(e.bodies.parameters, (len(e), e.bodies.parameters.shape[1])), fields.first
    for name, shape in zip(fields.names, fields.shapes):
        size = math.prod(shape)
        label = name if name not in ("t", "body", "space", "axis", "Q", "Omega", "energy", "inertia") else f"{name}_"
        dimensions = ("body", *(f"{label}_{k}" for k in range(len(shape))))
        values[label] = (dimensions, rows[:, at : at + size].reshape(len(e), *shape))
        at += size
    return values


def save(e: Any, path: Any, units: Any, written: Any) -> Any:
    """Write an ensemble as netCDF, or as a table."""
    if is_csv(path):
        return e.to_csv(path)
    data = dataset(e, units)
    data["success"] = data["success"].astype("i1")
    return written(path, lambda new: data.to_netcdf(new, engine="netcdf4"))


@dataclass(frozen=True)
class SavedEnsemble(Attitudes):
    """An ensemble read from a file, which holds no functions; `data` is the Dataset with everything in it."""

    data: Any
    t: np.ndarray
    Q: np.ndarray
    Omega: np.ndarray

    @classmethod
    def of(cls, data: Any) -> "SavedEnsemble":
        """From the Dataset of a file."""
        return cls(data, data["t"].values, data["Q"].values, data["Omega"].values)

    def __len__(self) -> int:
        return int(self.Q.shape[1])

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self)} bodies in {self.problem_name} by {self.method}, read from a file>"

    def __getitem__(self, bodies: Any) -> "SavedEnsemble":
        """The ensemble of some bodies: a slice, numbers or a mask."""
        return SavedEnsemble.of(self.data.isel(body=np.atleast_1d(np.arange(len(self))[bodies])))

    @property
    def method(self) -> str:
        """The name of the method."""
        return str(self.data.attrs["method"])

    @property
    def problem_name(self) -> str:
        """The name of the problem."""
        return str(self.data.attrs["problem"])

    @property
    def h(self) -> float:
        """The step size."""
        return float(self.data.attrs["h"])

    @property
    def stats(self) -> dict[str, Any]:
        """The statistics of the run."""
        return json.loads(self.data.attrs["stats"])

    @property
    def messages(self) -> dict[int, str]:
        """What happened to each body that failed."""
        return {int(k): v for k, v in json.loads(self.data.attrs["messages"]).items()}

    @property
    def success(self) -> np.ndarray:
        """Which bodies reached the end, (N,)."""
        return self.data["success"].values.astype(bool)

    @property
    def has_energy(self) -> bool:
        """Whether there is an energy."""
        return "energy" in self.data

    @property
    def energy(self) -> np.ndarray:
        """E(t), (n, N)."""
        return self.data["energy"].values

    @property
    def energy_error(self) -> np.ndarray:
        """E(t) - E(0), (n, N)."""
        return self.energy - self.energy[0]

    @property
    def momentum(self) -> np.ndarray:
        """The spatial angular momentum, (n, N, 3)."""
        return self.data["momentum"].values

    def to_xarray(self) -> Any:
        """The Dataset."""
        return self.data

    def plot(self) -> Any:
        """Bands of quantiles over time; returns the figure."""
        return shown("ensemble, plotted", self)
