"""What `solve` returns: the states kept, what follows from them, and how they go to a file."""

import functools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polhode import inputs
from polhode.errors import FileError, InputError, one_line
from polhode.rotation import Rotation

if TYPE_CHECKING:
    from polhode.problem import Problem

FORMAT = "polhode trajectory"
"""The mark by which a file is known as ours."""


@dataclass(frozen=True)
class Trajectory:
    """States of a rigid body at the times kept, with the statistics of the run.

    t (n,), Q (n,3,3) and Omega (n,3); a run that failed keeps all it had reached, with success = False and
    a message that says what happened at which step and what to do.
    """

    problem: "Problem | None"
    method: str
    h: float
    t: np.ndarray
    Q: np.ndarray
    Omega: np.ndarray
    stats: dict = field(default_factory=dict)
    success: bool = True
    message: str = ""
    problem_name: str = ""
    saved: dict = field(default_factory=dict)  # fields of a trajectory read from a file, which has no functions
    reductions: dict = field(default_factory=dict)  # Reduction by name, of what `reduce` asked for

    def __repr__(self):
        outcome = "" if self.success else f", stopped: {self.message}"
        return (
            f"<Trajectory of {self.problem_name} by {self.method}, h = {self.h:g}: {len(self.t)} states, "
            f"t = {self.t[0]:g} to {self.t[-1]:g}{outcome}>"
        )

    @functools.cached_property
    def energy(self):
        """E(t) = Omega.J Omega/2 + U(Q)."""
        if "energy" in self.saved:
            return self.saved["energy"]
        return energies(self._described(), self.Q, self.Omega)

    @property
    def energy_error(self):
        """E(t) - E(0)."""
        return self.energy - self.energy[0]

    @functools.cached_property
    def momentum(self):
        """The spatial angular momentum Q J Omega, (n, 3)."""
        if "momentum" in self.saved:
            return self.saved["momentum"]
        return momenta(self._described(), self.Q, self.Omega)

    @functools.cached_property
    def orthogonality(self):
        """max |Q^T Q - I| at each time."""
        return np.abs(np.einsum("nji,njk->nik", self.Q, self.Q) - np.eye(3)).max(axis=(1, 2))

    @property
    def rotation(self):
        """The attitudes as one SciPy Rotation."""
        return Rotation().from_matrix(self.Q)

    def quat(self, scalar_first=False):
        """The attitudes as unit quaternions (n, 4)."""
        return self.rotation.as_quat(scalar_first=scalar_first)

    def invariant(self, name):
        """One of the problem's invariants along the trajectory."""
        functions = self._described().invariants
        if name not in functions:
            raise InputError(
                f"The problem {self.problem_name!r} lists no invariant {name!r}; it lists {list(functions)}."
            )
        return np.array([functions[name](Q, Omega) for Q, Omega in zip(self.Q, self.Omega)])

    def _described(self):
        if self.problem is None:
            raise InputError(
                "This trajectory was read from a file, which holds no functions; this was not saved in it."
            )
        return self.problem

    # ---- files --------------------------------------------------------------------------------------

    def to_xarray(self):
        """An xarray Dataset with the states, energy (where there is one), momentum and the run's data."""
        import xarray

        data = {"Q": (("t", "space", "body"), self.Q), "Omega": (("t", "body"), self.Omega)}
        if "energy" in self.saved or (self.problem is not None and self.problem.has_potential):
            data["energy"] = ("t", self.energy)
        data["momentum"] = (("t", "space"), self.momentum)
        attributes = {
            "format": FORMAT,
            "method": self.method,
            "problem": self.problem_name,
            "h": self.h,
            "success": int(self.success),
            "message": self.message,
            "stats": json.dumps(self.stats),
        }
        if self.problem is not None:
            attributes["inertia"] = self.problem.inertia.ravel()
        axes = list("xyz")
        return xarray.Dataset(data, coords={"t": self.t, "space": axes, "body": axes}, attrs=attributes)

    def save(self, path):
        """Write netCDF; `polhode.load` reads it back, and so does anything that reads netCDF."""
        path = inputs.file_path("path", path)
        try:
            self.to_xarray().to_netcdf(path, engine="netcdf4")
        except OSError as error:
            raise FileError(
                f"{path} cannot be written: {error.strerror or error}. Check the folder and its permissions; "
                "the trajectory is still in memory."
            ) from error
        return path

    def plot(self, axes=None):
        """Energy error, momentum error, Omega and orthogonality against time; returns the figure."""
        from polhode.figures.trajectory import plot_trajectory

        return plot_trajectory(self, axes)


def given_trajectory(value: object) -> Trajectory:
    """A Trajectory with states in it, and nothing else."""
    if not isinstance(value, Trajectory):
        raise InputError(f"trajectory is {one_line(value)}; give what solve returns, a Trajectory.")
    return value


@inputs.checked_call
def load(path):
    """Read a trajectory that `Trajectory.save` wrote."""
    import xarray

    path = inputs.file_path("path", path)
    if not path.exists():
        raise FileError(f"There is no file {path}.")
    try:
        with xarray.open_dataset(path, engine="netcdf4") as data:
            data.load()
    except (OSError, ValueError, KeyError) as error:
        raise FileError(f"{path} is not a trajectory: it cannot be read as netCDF ({error}).") from error
    if data.attrs.get("format") != FORMAT:
        raise FileError(f"{path} is netCDF, but not a trajectory written by polhode: its format mark is missing.")
    return Trajectory(
        problem=None,
        method=data.attrs["method"],
        h=float(data.attrs["h"]),
        t=data["t"].values,
        Q=data["Q"].values,
        Omega=data["Omega"].values,
        stats=json.loads(data.attrs["stats"]),
        success=bool(data.attrs["success"]),
        message=str(data.attrs["message"]).rstrip(),
        problem_name=data.attrs["problem"],
        saved={k: data[k].values for k in ("energy", "momentum") if k in data},
    )


def seen(problem, rows):
    """Attitudes and velocities in the user's axes, from rows of (q, Pi) in principal axes."""
    w, x, y, z = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    s = 2 / (w * w + x * x + y * y + z * z)
    Q = np.empty((len(rows), 3, 3))
    Q[:, 0] = np.stack([1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)], axis=1)
    Q[:, 1] = np.stack([s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)], axis=1)
    Q[:, 2] = np.stack([s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)], axis=1)
    Omega = rows[:, 4:] / problem.moments
    if not np.array_equal(problem.axes, np.eye(3)):
        Q = np.stack([_applied(problem.axes, Q[:, i]) for i in range(3)], axis=1)
        Omega = _applied(problem.axes, Omega)
    return Q, Omega


def energies(problem, Q, Omega):
    """Kinetic plus potential energy at each state of a stack."""
    Pi = _applied(problem.tensor, Omega)
    kinetic = (Omega[:, 0] * Pi[:, 0] + Omega[:, 1] * Pi[:, 1] + Omega[:, 2] * Pi[:, 2]) / 2
    return kinetic + potential_energies(problem, Q)


def momenta(problem, Q, Omega):
    """The spatial angular momentum Q J Omega at each state of a stack."""
    return _applied(Q, _applied(problem.tensor, Omega))


def _applied(A, x):
    """A x for stacks, term by term: unlike a matrix product, the bits of one state never depend on the others."""
    return A[..., 0] * x[:, 0, None] + A[..., 1] * x[:, 1, None] + A[..., 2] * x[:, 2, None]


def potential_energies(problem, Q):
    """U at each attitude of a stack: by machine code where the potential could be compiled."""
    if problem.has_potential and problem.machine_potential is not None:
        from polhode import compile

        rows = np.ascontiguousarray(Rotation().from_matrix(Q @ problem.axes).as_quat(scalar_first=True))
        out = np.empty(len(rows))
        compile.energies()(problem.machine_potential.address, np.array(problem.parameters), rows, out)
        return out
    return np.array([problem.potential(q) for q in Q])
