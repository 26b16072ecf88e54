"""The result of an ensemble: states of all bodies at the times kept, and what happened to each."""

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, SupportsIndex, overload

import numpy as np

from polhode.physics.problem import Problem
from polhode.pickling import Travels, picklable
from polhode.runs.ensemble import saved
from polhode.runs.ensemble.bodies import Bodies, chosen_numbers
from polhode.runs.ensemble.quantities import Quantities
from polhode.runs.files.tables import columns, write_csv
from polhode.runs.results.attitudes import Attitudes
from polhode.runs.results.columns import Made
from polhode.runs.results.filed import written
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.results.users_axes import in_users_axes
from polhode.shown import shown

STATES_AT_ONCE = 4096
"""States that are looked at together."""


@dataclasses.dataclass(frozen=True, eq=False)
class Ensemble(Attitudes, Quantities, Travels):
    """States of N bodies at the times kept, with the statistics of the run.

    t (n,), Q (n, N, 3, 3), Omega (n, N, 3); success (N,) and messages {body: sentence}. What a body that failed
    would have had after its failure is NaN. `ensemble[i]` is the Trajectory of one body; a slice, numbers or a mask
    give the Ensemble of those bodies.

    Attributes
    ----------
    t : (n,) array
        The times kept.
    Q : (n, N, 3, 3) array
        Attitudes.
    Omega : (n, N, 3) array
        Angular velocities in body axes.
    success : (N,) array of bool
        Which bodies reached the end.
    messages : dict of str
        By body, what happened.
    stats : dict
        Counts and times of the run.
    """

    method: str
    h: float
    t: np.ndarray
    bodies: Bodies
    rows: np.ndarray | None  # (n - 1, 7, N): quaternion and momentum in principal axes, after the start
    failed: np.ndarray  # (N,) the step in which a body failed, or -1
    errors: np.ndarray  # (N,) the last correction of a body that did not solve its equations, NaN otherwise
    stats: dict[str, Any]
    sentences: dict[int, Any] = dataclasses.field(default_factory=dict)  # by body, of those that ran one by one
    states: tuple[Any, ...] | None = None  # Q and Omega, where there are no rows
    exceptions: dict[int, Any] = dataclasses.field(default_factory=dict)  # what a user's function raised, by body
    events: dict[str, Any] = dataclasses.field(
        default_factory=dict
    )  # BodyCrossings by name, of what `events` asked for
    integrator: Any = None  # what took the steps
    ended: dict[int, Any] = dataclasses.field(default_factory=dict)  # the event that ended a body, by body
    reductions: dict[str, Any] = dataclasses.field(
        default_factory=dict
    )  # Reduction by name, of what `reduce` asked for
    potential_then: str | None = None  # what the potential was known by when they ran: see ``results/as_it_was.py``

    def __repr__(self) -> str:
        lost, bodies = int((~self.success).sum()), "1 body" if len(self) == 1 else f"{len(self)} bodies"
        return (
            f"<Ensemble of {bodies} in {self.problem.name} by {self.method}, h = {self.h:g}: "
            f"{len(self.t)} states, t = {self.t[0]:g} to {self.t[-1]:g}{f', {lost} failed' if lost else ''}>"
        )

    def __len__(self) -> int:
        return len(self.bodies)

    @overload
    def __getitem__(self, i: SupportsIndex) -> Trajectory: ...

    @overload
    def __getitem__(self, i: slice | Sequence[int] | Sequence[bool]) -> "Ensemble": ...

    def __getitem__(self, i: Any) -> "Trajectory | Ensemble":
        """The trajectory of body i, as far as it came; or the ensemble of the bodies of a slice, numbers or a mask."""
        if not hasattr(i, "__index__") or np.ndim(i):
            return self._some(chosen_numbers(i, len(self)))
        if not -len(self) <= i < len(self):
            raise IndexError(f"There is no body {i}: the ensemble has {len(self)} bodies, 0 to {len(self) - 1}.")
        i = range(len(self))[i]
        n = len(self.t)
        if self.failed[i] >= 0 or i in self.ended:
            n = 1 + int(np.isfinite(self.Omega[1:, i, 0]).sum())
        states: dict[str, Any] = {"t": self.t[:n], "Q": self.Q[:n, i], "Omega": self.Omega[:n, i]}
        message = self.messages.get(i, "")
        if i in self.ended:
            last = self.events[self.ended[i]].of(i)
            states = {k: np.concatenate([x, getattr(last, k)[-1:]]) for k, x in states.items()}
            message = f"The event {self.ended[i]!r} ended the run at t = {last.t[-1]:g}."
        return Trajectory(
            problem=self.bodies.problem(i),
            method=self.method,
            h=self.h,
            **states,
            stats={"n_steps": int(self.stats["n_steps"] if self.failed[i] < 0 else self.failed[i])},
            success=bool(self.success[i]),
            message=message,
            problem_name=self.problem.name,
            exception=self.exceptions.get(i),
            events={name: crossings.of(i) for name, crossings in self.events.items()},
            reductions={name: reduction.of(i) for name, reduction in self.reductions.items()},
            integrator=self.integrator,
            potential_then=self.potential_then,
        )

    def _some(self, which: np.ndarray) -> "Ensemble":
        """The ensemble of these bodies. Its stats are those of the run, without what was counted over all bodies."""
        totals = ("n_torque", "n_iterations", "wall_time")
        chosen = lambda of: {k: of[i] for k, i in enumerate(which.tolist()) if i in of}
        return Ensemble(
            method=self.method,
            h=self.h,
            t=self.t,
            bodies=self.bodies.some(which),
            rows=None if self.rows is None else self.rows[:, :, which],
            failed=self.failed[which],
            errors=self.errors[which],
            stats={k: v for k, v in self.stats.items() if k not in totals} | {"n_bodies": len(which)},
            sentences=chosen(self.sentences),
            states=None if self.states is None else tuple(x[:, which] for x in self.states),
            exceptions=chosen(self.exceptions),
            events={name: crossings.some(which) for name, crossings in self.events.items()},
            ended=chosen(self.ended),
            reductions={name: reduction.of(which) for name, reduction in self.reductions.items()},
            integrator=self.integrator,
            potential_then=self.potential_then,
        )

    def _luggage(self) -> dict[str, Any]:
        fields = {x.name: getattr(self, x.name) for x in dataclasses.fields(self)}
        exceptions = {i: picklable(raised) for i, raised in self.exceptions.items()}
        return fields | {"exceptions": exceptions}  # attitudes and energies follow from the rows

    def quat(self, scalar_first: bool = False, continuous: bool = True) -> np.ndarray:
        """The attitudes as unit quaternions (n, N, 4); the sign of each is by default that of the one before it."""
        return super().quat(scalar_first, continuous)

    def to_xarray(self, units: Any = None) -> Any:
        """An xarray Dataset of times and bodies, with the parameters of each body as coordinates."""
        return saved.dataset(self, units)

    def save(self, path: Any, units: Any = None) -> Any:
        """Write netCDF (.nc), which `polhode.load` reads back as data, without functions and events; or .csv."""
        return saved.save(self, path, units, written)

    def to_dataframe(self) -> Any:
        """A pandas DataFrame, a row for each time and body: Q by rows, Omega, energy (where there is one), momentum,
        and the invariants that you gave the problem.
        """
        import pandas

        return pandas.DataFrame(columns(self, self.has_energy, self.given_invariants())).set_index(["t", "body"])

    def to_csv(self, path: Any) -> Any:
        """Write that table: t, body, and the rest."""
        table = columns(self, self.has_energy, self.given_invariants())
        return written(path, lambda new: write_csv(new, table))

    def plot(self) -> Any:
        """Bands that hold half and nine tenths of the bodies, against time; returns the figure."""
        return shown("ensemble, plotted", self)

    def _repr_html_(self) -> str:
        return shown("ensemble, a card", self)

    @property
    def problem_name(self) -> str:
        """The name of the problem."""
        return self.problem.name

    @property
    def has_energy(self) -> bool:
        """Whether there is an energy."""
        return self.problem.has_energy

    @property
    def problem(self) -> Problem:
        """The problem, with the start of the first body."""
        return self.bodies.problem(0)

    @functools.cached_property
    def Q(self) -> np.ndarray:
        """The attitudes, (n, N, 3, 3)."""
        return self._states[0]

    @functools.cached_property
    def Omega(self) -> np.ndarray:
        """The angular velocities in body axes, (n, N, 3)."""
        return self._states[1]

    @functools.cached_property
    def _states(self) -> tuple[np.ndarray, np.ndarray]:
        if self.states is not None:
            return self.states
        assert self.rows is not None  # there are rows or states
        n, N, bodies = len(self.t), len(self), self.bodies
        Q, Omega = np.empty((n, N, 3, 3)), np.empty((n, N, 3))
        Q[0], Omega[0] = bodies.Q0, bodies.Omega0
        if bodies.has_the_same_axes:
            for some in self._pieces():
                rows = np.swapaxes(self.rows[some], 1, 2).reshape(-1, 7)  # body after body, time after time
                moments = bodies.moments if len(bodies.moments) == 1 else np.tile(bodies.moments, (len(rows) // N, 1))
                q, v = in_users_axes(SimpleNamespace(moments=moments, axes=bodies.axes[0]), rows)
                Q[1:][some], Omega[1:][some] = q.reshape(-1, N, 3, 3), v.reshape(-1, N, 3)
        else:
            for i in range(N):
                Q[1:, i], Omega[1:, i] = in_users_axes(bodies.problem(i), np.ascontiguousarray(self.rows[:, :, i]))
        return Q, Omega

    def velocities(self) -> Iterable[np.ndarray]:
        """The angular velocities after the start, some times (n, N, 3) at once, in any axes of the body."""
        if self.states is not None:  # they may be in a file
            return (self.states[1][some.start + 1 : some.stop + 1] for some in self._pieces())
        assert self.rows is not None
        rows = self.rows
        return (np.swapaxes(rows[some, 4:], 1, 2) / self.bodies.moments for some in self._pieces())

    def _pieces(self) -> Iterable[slice]:
        """The times after the start, as many at once as stay in the cache."""
        each = max(1, STATES_AT_ONCE // len(self))
        return (slice(k, k + each) for k in range(0, len(self.t) - 1, each))

    @property
    def success(self) -> np.ndarray:
        """Which bodies reached the end, (N,)."""
        return (self.failed < 0) & (not self.stats["interrupted"])

    @functools.cached_property
    def messages(self) -> dict[int, str]:
        """What happened to each body that failed."""
        return {int(i): self._sentence(int(i)) for i in np.flatnonzero(self.failed >= 0)}

    @property
    def message(self) -> str:
        """What went wrong, in one text; empty if nothing did."""
        lost = np.flatnonzero(self.failed >= 0)
        sentences = []
        if self.stats["interrupted"]:
            sentences.append(f"Interrupted at step {self.stats['n_steps']}; what was computed until then is here.")
        if len(lost):
            sentences.append(f"{len(lost)} of {len(self)} bodies failed.")
            sentences.extend(self._sentence(int(i)) for i in lost[:3])
            sentences.extend(["..."] * (len(lost) > 3))
        return " ".join(sentences)

    def _sentence(self, i: int) -> str:
        if i in self.sentences:
            return f"Body {i}: {self.sentences[i]}"
        if not self.bodies.finite[i]:
            return f"Body {i} cannot start: one of its numbers (Q0, Omega0, inertia, parameters) is not finite."
        k = self.failed[i]
        where = f"step {k} (t = {self.problem.t0 + k * self.h:g}) of {self.problem.name} with h = {self.h:g}"
        if self.errors[i] > 0:
            return (
                f"Body {i}: {self.method} did not solve its equations at {where}: the iteration was given up "
                f"with an error of {self.errors[i]:.2g} left. Reduce h."
            )
        return (
            f"Body {i}: {self.method} met a torque or a state that is not a finite number in {where}. Check the torque "
            "there, or reduce h."
        )


for _field in dataclasses.fields(Ensemble):
    setattr(Ensemble, _field.name, Made(_field.name))  # to type checkers they stay fields
