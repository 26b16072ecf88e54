"""What `solve` returns: the states kept, what follows from them, and how they go to a file."""

import contextlib
import csv
import errno
import functools
import json
import os
import pathlib
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from polhode import inputs
from polhode.errors import FileError, InputError, one_line
from polhode.inputs.scipy_rotation import Rotation
from polhode.pickling import Travels, picklable
from polhode.runs import netcdf, places
from polhode.runs.quantities import Quantities
from polhode.shown import shown

if TYPE_CHECKING:
    from polhode.physics.problem import Problem

FORMAT = "polhode trajectory"
"""The mark by which a file is known as ours."""

AXES = tuple(enumerate("xyz"))


@dataclass(frozen=True)
class Trajectory(Quantities, Travels):
    """States of a rigid body at the times kept, with the statistics of the run.

    t (n,), Q (n,3,3) and Omega (n,3); a run that failed keeps all it had reached, with success = False and
    a message that says what happened at which step and what to do. If a function of yours raised, `exception` is
    what it raised: `raise s.exception` shows where.
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
    inertia: np.ndarray | None = None  # moments or tensor, as given; that of the problem, or of the file
    exception: BaseException | None = None  # what a user's function raised, if that is what ended the run
    error_estimate: float | None = None  # largest error of the attitudes kept, in radians, of a run to an accuracy

    def __post_init__(self):
        if self.inertia is None and self.problem is not None:
            object.__setattr__(self, "inertia", self.problem.inertia)

    def _luggage(self):
        return {**vars(self), "exception": picklable(self.exception)}

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
    def _has_energy(self):
        return "energy" in self.saved or (self.problem is not None and self.problem.has_potential)

    @property
    def energy_error(self):
        """E(t) - E(0)."""
        return self.energy - self.energy[0]

    @functools.cached_property
    def momentum(self):
        """The spatial angular momentum Q J Omega, or Q (J Omega + l) with a rotor, (n, 3)."""
        if "momentum" in self.saved:
            return self.saved["momentum"]
        return momenta(self._described(), self.t, self.Q, self.Omega)

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
        if self._has_energy:
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
        if self.inertia is not None:
            attributes["inertia"] = self.inertia.ravel()
        axes = list("xyz")
        return xarray.Dataset(data, coords={"t": self.t, "space": axes, "body": axes}, attrs=attributes)

    def save(self, path):
        """Write netCDF (.nc, .netcdf), which `polhode.load` and anything that reads netCDF reads back, or .csv."""
        kind = inputs.file_path("path", path).suffix.lower()
        if kind == ".csv":
            return self.to_csv(path)
        if kind not in (".nc", ".netcdf"):
            raise FileError(
                f"{places.shown(path)} says no format that is known: give a name that ends in .nc or .netcdf (netCDF, "
                "which polhode.load reads back) or .csv (a table of numbers)."
            )
        data = self.to_xarray().assign_attrs(complete=int(self.success))
        checked = {k: {"fletcher32": True} for k in ("t", *data.data_vars)}  # checksums inside the file

        def write(new):
            try:
                data.to_netcdf(new, engine="netcdf4", encoding=checked)
            except (OSError, RuntimeError) as error:  # on a full disk the library names other reasons
                if shutil.disk_usage(new.parent).free < data.nbytes:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
                raise

        return _written(path, write)

    def to_csv(self, path: str | pathlib.Path) -> pathlib.Path:
        """Write a table, a row for each state: t, Q by rows, Omega, energy (where there is one), momentum."""
        columns = {"t": self.t, **{f"Q_{a}{b}": self.Q[:, i, j] for i, a in AXES for j, b in AXES}}
        columns |= {f"Omega_{a}": self.Omega[:, i] for i, a in AXES}
        if self._has_energy:
            columns["energy"] = self.energy
        columns |= {f"momentum_{a}": self.momentum[:, i] for i, a in AXES}

        def write(new):
            with open(new, "w", encoding="ascii", newline="") as file:
                table = csv.writer(file)
                table.writerow(columns)
                for row in zip(*columns.values()):
                    table.writerow(map(float, row))  # the shortest digits that give the same number again

        return _written(path, write)

    def plot(self, axes=None):
        """Energy error, momentum error, Omega and orthogonality against time; returns the figure."""
        return shown("trajectory, plotted", self, axes)


def given_trajectory(value: object) -> Trajectory:
    """A Trajectory with states in it, and nothing else."""
    if not isinstance(value, Trajectory):
        raise InputError(f"trajectory is {one_line(value)}; give what solve returns, a Trajectory.")
    return value


def _written(path, write):
    """Let `write` make a file, and put it in its place when it is whole."""
    place = places.target(path)
    places.tidy(place)
    try:
        with places.replacing(place) as new:  # perhaps it is the very file that this trajectory reads from
            write(new)
    except (OSError, RuntimeError) as error:
        advice = "Check the folder, its permissions and its space; the trajectory is still in memory."
        raise places.unwritable(places.shown(path), error, advice) from error
    return pathlib.Path(path)


def load(path):
    """Read a trajectory that `Trajectory.save` or a run with `out` wrote.

    Of a run that did not end, and of a damaged or cut file, the rows that match their checksums are read; success
    is then False, and the message says how many of how many rows there are.
    """
    data = _dataset(path)
    if data.attrs.get("format") != FORMAT:
        raise FileError(f"{path} is netCDF, but not a trajectory written by polhode: its format mark is missing.")
    needed = {"t", "Q", "Omega", "momentum", "method", "h", "stats", "success", "message", "problem"}
    missing = sorted(needed - set(data.variables) - set(data.attrs))
    if missing:
        raise FileError(f"{path} is not a whole trajectory: {', '.join(missing)} is missing.")
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
        inertia=_inertia(data.attrs.get("inertia")),
    )


def _dataset(path):
    """The Dataset of a file, by the checksums of the file where a run wrote it."""
    import xarray

    place = places.named(path)
    path = places.shown(path)
    try:
        if not place.exists():
            raise FileError(f"There is no file {path}.")
        if not place.is_file():
            raise FileError(f"{path} is not a trajectory: it is a folder or a device, not a file.")
        data = netcdf.read(place)
        if data is None:
            with xarray.open_dataset(place, engine="netcdf4") as data:
                data.load()
    except FileError:
        raise
    except (OSError, ValueError, KeyError, RuntimeError) as error:  # RuntimeError: a checksum inside netCDF
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())
        raise FileError(f"{path} is not a trajectory: it cannot be read as netCDF ({reason}).") from error
    return data


def _inertia(numbers):
    """Moments or tensor, from the numbers in a file; None if there are none."""
    if numbers is None:
        return None
    numbers = np.array(numbers, dtype=float)
    return numbers.reshape(3, 3) if numbers.size == 9 else numbers


def seen(problem, rows):
    """Attitudes and velocities in the user's axes, from rows of (q, Pi) in principal axes."""
    if len(rows) <= FEW and problem.moments.ndim == 1:
        with contextlib.suppress(ZeroDivisionError):  # a quaternion of zeros: arrays make NaN of it
            return _seen_one_by_one(problem, rows)
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


FEW = 3
"""States below which plain floats are faster than arrays; the bits are the same."""


def _seen_one_by_one(problem, rows):
    Q, Omega, J = [], [], problem.moments.tolist()
    for w, x, y, z, *Pi in rows.tolist():
        s = 2 / (w * w + x * x + y * y + z * z)
        Q.append(
            (
                (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
                (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
                (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
            )
        )
        Omega.append([a / b for a, b in zip(Pi, J)])
    P = problem.axes.tolist()
    if P != IDENTITY:
        turned = lambda v: [a * v[0] + b * v[1] + c * v[2] for a, b, c in P]
        Q, Omega = [[turned(row) for row in each] for each in Q], [turned(v) for v in Omega]
    return np.array(Q).reshape(-1, 3, 3), np.array(Omega).reshape(-1, 3)


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def energies(problem, Q, Omega):
    """Kinetic plus potential energy at each state of a stack."""
    Pi = _applied(problem.tensor, Omega)
    kinetic = (Omega[:, 0] * Pi[:, 0] + Omega[:, 1] * Pi[:, 1] + Omega[:, 2] * Pi[:, 2]) / 2
    return kinetic + potential_energies(problem, Q)


def momenta(problem, t, Q, Omega):
    """The spatial angular momentum at each state of a stack: Q (J Omega + l), l that of a rotor."""
    Pi = _applied(problem.tensor, Omega)
    return _applied(Q, Pi + problem.internal.momentum(t) if problem.forces.rotor else Pi)


def _applied(A, x):
    """A x for stacks, term by term: unlike a matrix product, the bits of one state never depend on the others."""
    return A[..., 0] * x[:, 0, None] + A[..., 1] * x[:, 1, None] + A[..., 2] * x[:, 2, None]


def potential_energies(problem, Q):
    """U at each attitude of a stack: by machine code where the potential could be compiled."""
    machine = problem.machine_potential if problem.has_potential else None
    if machine is not None:
        from polhode.machine import compile
        from polhode.machine.guard import check_function

        kernel, look = problem.potential_kernel, compile.probe(compile.POTENTIAL)
        check_function(problem, "potential", kernel, machine, look, problem.t0, Q[0])
        rows = np.ascontiguousarray(Rotation().from_matrix(Q @ problem.axes).as_quat(scalar_first=True))
        out = np.empty(len(rows))
        compile.energies()(machine.address, np.array(problem.parameters), rows, out)
        return out
    return np.array([problem.potential(q) for q in Q])
