"""What follows from the states of an ensemble: energies, momenta, invariants, the speeds of wheels."""

import functools
from typing import TYPE_CHECKING

import numpy as np

from polhode.errors import InputError
from polhode.physics.problem import Problem
from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.ensemble.invariants import given_to_all, invariant_of_bodies
from polhode.runs.results.as_it_was import check_potential


class Quantities:
    """Quantities of all bodies at the times kept, for the class that has their states."""

    if TYPE_CHECKING:
        t: np.ndarray
        bodies: Bodies
        rows: np.ndarray | None
        potential_then: str | None

        @property
        def Q(self) -> np.ndarray: ...

        @property
        def Omega(self) -> np.ndarray: ...

        @property
        def problem(self) -> Problem: ...

        def __len__(self) -> int: ...

    @functools.cached_property
    def energy(self) -> np.ndarray:
        """E(t) = Omega.J Omega/2 + U(Q), or U(t, Q), (n, N)."""
        tensors = np.broadcast_to(self.bodies.tensors, (len(self), 3, 3))
        return 0.5 * np.einsum("nbi,bij,nbj->nb", self.Omega, tensors, self.Omega) + self._potentials() + self._spins()

    @property
    def energy_error(self) -> np.ndarray:
        """E(t) - E(0), (n, N)."""
        return self.energy - self.energy[0]

    @functools.cached_property
    def momentum(self) -> np.ndarray:
        """The spatial angular momentum Q J Omega, or Q (J Omega + l) with a rotor, (n, N, 3)."""
        tensors = np.broadcast_to(self.bodies.tensors, (len(self), 3, 3))
        if not self.problem.forces.rotor:
            return np.einsum("nbij,bjk,nbk->nbi", self.Q, tensors, self.Omega)
        l = np.stack([p.internal.momentum(self._known_of(p)) for p in self.bodies.kinds], axis=1)  # (n, 1 or N, 3)
        return np.einsum("nbij,nbj->nbi", self.Q, np.einsum("bjk,nbk->nbj", tensors, self.Omega) + l)

    def invariant(self, name: str) -> np.ndarray:
        """One of the problem's invariants, (n, N); NaN after a body failed."""
        Q, Omega = np.asarray(self.Q), np.asarray(self.Omega)  # they may be in a file
        alive = np.isfinite(Omega).all(axis=2) & np.isfinite(Q).all(axis=(2, 3)) & self.bodies.finite
        return invariant_of_bodies(self.bodies, name, self.t, Q, Omega, alive)

    def given_invariants(self) -> dict[str, np.ndarray]:
        """Values of the invariants that you gave the problem, by name: what tables and files have."""
        return {name: self.invariant(name) for name in given_to_all(self.bodies)}

    @functools.cached_property
    def orthogonality(self) -> np.ndarray:
        """max |Q^T Q - I| at each time, (n, N)."""
        return np.abs(np.einsum("nbji,nbjk->nbik", self.Q, self.Q) - np.eye(3)).max(axis=(2, 3))

    def _spins(self) -> np.ndarray | float:
        """The energy of the spins of wheels, (n, 1 or N); zero if there are none."""
        if self.problem.internal.wheels is None:
            return 0.0
        return np.stack([p.internal.energy(self._known_of(p)) for p in self.bodies.kinds], axis=1)

    def _known_of(self, problem: Problem) -> np.ndarray:
        """The times, or NaN for a body that never ran under its controller, which drives its wheels."""
        wheels = problem.internal.wheels
        is_unknown = wheels is not None and wheels.sampled and wheels.looks is None
        return np.full(len(self.t), np.nan) if is_unknown else self.t

    @property
    def wheel_speeds(self) -> np.ndarray:
        """The speeds of the wheels relative to the body, (n, N, wheels)."""
        kinds = self.bodies.kinds
        if kinds[0].internal.wheels is None:
            raise InputError(f"The problem {self.problem.name!r} has no wheels: give wheels=[Wheel(...)].")
        each = (kinds[i if len(kinds) > 1 else 0] for i in range(len(self)))
        speeds = (p.internal.wheels.speeds(self._known_of(p), self.Omega[:, i]) for i, p in enumerate(each))
        return np.stack(list(speeds), axis=1)

    def _potentials(self) -> np.ndarray:
        """U of every body at every time, (n, N)."""
        p, n, N = self.problem, len(self.t), len(self)
        check_potential(p, self.potential_then)
        machine = p.machine_potential if p.has_potential and self.rows is not None else None
        if machine is None or self.rows is None:
            problems = [self.bodies.problem(i) for i in range(N)]
            return np.array(
                [[a.potential(Q, t) for a, Q in zip(problems, row)] for t, row in zip(self.t.tolist(), self.Q)]
            )
        from polhode.machine import energies

        start = np.full((1, 4, N), np.nan)
        start[0, :, self.bodies.finite] = self.bodies.starts(self.bodies.finite)[0]
        q, out = np.concatenate([start, self.rows[:, :4]]), np.empty((n, N))
        evaluate, potential, parameters = energies(), machine.address, self.bodies.parameters
        if len(parameters) == 1:
            for k in range(n):
                evaluate(potential, parameters[0], np.ascontiguousarray(q[k].T), out[k])
        else:
            for i in range(N):
                values = np.empty(n)
                evaluate(potential, parameters[i], np.ascontiguousarray(q[:, :, i]), values)
                out[:, i] = values
        return out
