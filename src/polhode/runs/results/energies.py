"""Energies and momenta of stacks of states."""

from typing import TYPE_CHECKING

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.runs.results.users_axes import applied

if TYPE_CHECKING:
    from polhode.physics.problem import Problem


def energies(problem: "Problem", Q: np.ndarray, Omega: np.ndarray, t: np.ndarray | None = None) -> np.ndarray:
    """Kinetic plus potential energy at each state of a stack."""
    Pi = applied(problem.tensor, Omega)
    kinetic = (Omega[:, 0] * Pi[:, 0] + Omega[:, 1] * Pi[:, 1] + Omega[:, 2] * Pi[:, 2]) / 2
    if t is not None and problem.internal.wheels is not None:
        kinetic = kinetic + problem.internal.energy(t)
    return kinetic + potential_energies(problem, Q, t)


def momenta(problem: "Problem", t: np.ndarray, Q: np.ndarray, Omega: np.ndarray) -> np.ndarray:
    """The spatial angular momentum at each state of a stack: Q (J Omega + l), l that of a rotor."""
    Pi = applied(problem.tensor, Omega)
    return applied(Q, Pi + problem.internal.momentum(t) if problem.forces.rotor else Pi)


def potential_energies(problem: "Problem", Q: np.ndarray, t: np.ndarray | None = None) -> np.ndarray:
    """U at each attitude of a stack: by machine code where the potential could be compiled; at the times t (n,)."""
    if not len(Q):
        return np.empty(0)
    if t is not None and problem.timed_potential_kernel is not None:
        return np.array([problem.potential(q, x) for q, x in zip(Q, t.tolist())])
    kernel = problem.potential_kernel
    machine = None if kernel is None else problem.machine_potential
    if kernel is not None and machine is not None:
        from polhode.machine import POTENTIAL, check_function, energies, probe

        look = probe(POTENTIAL)
        check_function(problem, "potential", kernel, machine, look, problem.t0, Q[0])
        rows = np.ascontiguousarray(Rotation().from_matrix(Q @ problem.axes).as_quat(scalar_first=True))
        out = np.empty(len(rows))
        energies()(machine.address, np.array(problem.parameters), rows, out)
        return out
    return np.array([problem.potential(q) for q in Q])
