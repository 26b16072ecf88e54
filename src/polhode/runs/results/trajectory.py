"""What `solve` returns: the states kept, and what follows from them. ``filed.py`` has their ways into files."""

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.pickling import Travels, picklable
from polhode.runs.between_steps.dense import between
from polhode.runs.results.as_it_was import check_potential
from polhode.runs.results.attitudes import Attitudes
from polhode.runs.results.columns import MADE_BY, Made
from polhode.runs.results.energies import energies, momenta
from polhode.runs.results.filed import Filed
from polhode.runs.results.invariants import invariant_values
from polhode.runs.results.quantities import Quantities
from polhode.shown import shown

if TYPE_CHECKING:
    from polhode.physics.problem import Problem

SAVED = ("energy", "momentum", "wheel_speeds", "wheel_axes", "wheel_inertia")
"""What a file has besides the states."""

FILED = "invariant "
"""What stands before the name of an invariant that comes from a file, among what is saved."""


@dataclass(frozen=True, eq=False)
class State:
    """One state: the time, the attitude (3, 3) and the angular velocity in body axes."""

    t: float
    Q: np.ndarray
    Omega: np.ndarray


@dataclass(frozen=True, eq=False)
class Crossings:
    """Where an event happened: t (m,), Q (m, 3, 3), Omega (m, 3), and the direction, 1 rising or -1 falling (m,)."""

    t: np.ndarray
    Q: np.ndarray
    Omega: np.ndarray
    direction: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def table(self) -> np.ndarray:
        """As a file keeps them: t, direction, Q and Omega, 14 numbers for each."""
        columns = (self.t, self.direction, *self.Q.reshape(-1, 9).T, *self.Omega.reshape(-1, 3).T)
        return np.array(columns, dtype=float).reshape(14, -1).T

    @classmethod
    def of(cls, table: np.ndarray) -> "Crossings":
        """From such a table."""
        return cls(table[:, 0], table[:, 2:11].reshape(-1, 3, 3), table[:, 11:], table[:, 1].astype(int))


@dataclass(frozen=True, eq=False)
class Trajectory(Attitudes, Quantities, Filed, Travels):
    """States of a rigid body at the times kept, with the statistics of the run.

    t (n,), Q (n,3,3) and Omega (n,3); a run that failed keeps all it had reached, with success = False and
    a message that says what happened at which step and what to do. If a function of yours raised, `exception` is
    what it raised: `raise s.exception` shows where.

    Attributes
    ----------
    t : (n,) array
        The times kept.
    Q : (n, 3, 3) array
        Attitudes, body to space.
    Omega : (n, 3) array
        Angular velocity in body axes.
    stats : dict
        Counts and times of the run.
    success : bool
        Whether it reached its end.
    message : str
        What happened, if not.
    exception : exception or None
        What a function of yours raised.
    events : dict of Crossings
        By name: t, Q, Omega, direction.
    reductions : dict
        What `reduce` asked for, by name.
    error_estimate : float or None
        The largest error of the attitudes kept, in radians, if `accuracy` was given.
    """

    problem: "Problem | None"
    method: str
    h: float
    t: np.ndarray
    Q: np.ndarray
    Omega: np.ndarray
    stats: dict[str, Any] = field(default_factory=dict)
    success: bool = True
    message: str = ""
    problem_name: str = ""
    saved: dict[str, Any] = field(default_factory=dict)  # columns of a file, which has no functions to make them
    reductions: dict[str, Any] = field(default_factory=dict)  # Reduction by name, of what `reduce` asked for
    inertia: np.ndarray | None = None  # moments or tensor, of the problem or from the file
    exception: BaseException | None = None  # what a user's function raised, if that is what ended the run
    events: dict[str, Crossings] = field(default_factory=dict)  # by name, of what `events` asked for
    integrator: Any = None  # what took the steps, and takes them again for states between rows; None from a file
    error_estimate: float | None = None  # largest error of the attitudes kept, in radians, of a run to an accuracy
    potential_then: str | None = None  # what the potential was known by when it ran: see ``as_it_was.py``

    def __post_init__(self) -> None:
        if self.inertia is None and self.problem is not None:
            object.__setattr__(self, "inertia", self.problem.inertia)

    @classmethod
    def of_run(cls, attributes: dict[str, Any]) -> "Trajectory":
        """From its attributes, and what makes those that are not among them when they are wanted (``columns.py``).

        What comes from a run needs no checks, and making it field by field would take as long as a short run.
        """
        self = object.__new__(cls)
        object.__setattr__(self, "__dict__", attributes)
        return self

    def _luggage(self) -> dict[str, Any]:
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        luggage = {**vars(self), **fields, "exception": self.exception and picklable(self.exception)}
        luggage.pop(MADE_BY, None)
        return luggage

    def __repr__(self) -> str:
        outcome = "" if self.success else f", stopped: {self.message}"
        states = f"{len(self.t)} states, t = {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) else "no states"
        return f"<Trajectory of {self.problem_name} by {self.method}, h = {self.h:g}: {states}{outcome}>"

    def __call__(self, t: float) -> "State":
        """The state at time t, to the order of the method: s(t).Q, s(t).Omega."""
        Q, Omega = between(self, [inputs.number("t", t)])
        return State(float(t), Q[0], Omega[0])

    def at(self, times: Any) -> "Trajectory":
        """The states at any times of the run, to the order of the method.

        Each is reached from the last state kept before it, by steps of h and a shorter last one.
        """
        times = inputs.times("times", times)
        Q, Omega = between(self, times)
        changed: dict[str, Any] = {
            "t": np.array(times),
            "Q": Q,
            "Omega": Omega,
            "saved": {},
            "reductions": {},
            "events": {},
        }
        return dataclasses.replace(self, **changed)

    @functools.cached_property
    def energy(self) -> np.ndarray:
        """E(t) = Omega.J Omega/2 + U(Q), or U(t, Q)."""
        if "energy" in self.saved:
            return self.saved["energy"]
        check_potential(self._described(), self.potential_then)
        return energies(self._described(), self.Q, self.Omega, self.t)

    @property
    def _has_energy(self) -> bool:
        return "energy" in self.saved or (self.problem is not None and self.problem.has_energy)

    @property
    def energy_error(self) -> np.ndarray:
        """E(t) - E(0)."""
        return self.energy - self.energy[:1]  # none, if there are no states

    @functools.cached_property
    def momentum(self) -> np.ndarray:
        """The spatial angular momentum Q J Omega, or Q (J Omega + l) with a rotor, (n, 3)."""
        if "momentum" in self.saved:
            return self.saved["momentum"]
        return momenta(self._described(), self.t, self.Q, self.Omega)

    @functools.cached_property
    def orthogonality(self) -> np.ndarray:
        """max |Q^T Q - I| at each time."""
        return np.abs(np.einsum("nji,njk->nik", self.Q, self.Q) - np.eye(3)).max(axis=(1, 2))

    def invariant(self, name: str) -> np.ndarray:
        """One of the problem's invariants along the trajectory, (n,)."""
        if f"{FILED}{name}" in self.saved:
            return self.saved[f"{FILED}{name}"]
        problem = self._described()
        functions = problem.invariants
        if name not in functions:
            raise InputError(
                f"The problem {self.problem_name!r} lists no invariant {name!r}; it lists {list(functions)}."
            )
        return invariant_values(name, functions[name], self.t, self.Q, self.Omega, problem.for_functions())

    def _given_invariants(self) -> dict[str, np.ndarray]:
        """Values of the invariants that the user gave, by name: what tables and files have."""
        if self.problem is not None:
            return {name: self.invariant(name) for name in self.problem.given_invariants}
        return {key.removeprefix(FILED): values for key, values in self.saved.items() if key.startswith(FILED)}

    def _described(self) -> "Problem":
        if self.problem is None:
            raise InputError(
                "This was not saved, and cannot be computed: the trajectory was read from a file, which holds no "
                "functions. load(path, problem) with the problem that was solved gives it back."
            )
        return self.problem

    def _repr_html_(self) -> str:
        return shown("trajectory, a card", self)

    def plot(self, axes: Any = None) -> Any:
        """Attitude, energy error, momentum error, Omega and orthogonality against time; returns the figure."""
        return shown("trajectory, plotted", self, axes)


def given_trajectory(value: object) -> Trajectory:
    """The value, if it is a Trajectory with states in it; else a sentence."""
    if not isinstance(value, Trajectory):
        raise InputError(f"trajectory is {one_line(value)}; give what solve returns, a Trajectory.")
    if not len(value.t):
        raise InputError(
            f"The trajectory of {value.problem_name} has no states: {value.message or 't_eval had no times.'}"
        )
    return value


for _field in dataclasses.fields(Trajectory):
    setattr(Trajectory, _field.name, Made(_field.name))  # to type checkers they stay fields
