"""Errors of states against a reference, in four parts: attitude, momentum, energy and phase."""

from dataclasses import dataclass

import numpy as np

from polhode.physics.problem import Problem
from polhode.runs.results.energies import energies

PANELS = {
    "attitude": "attitude error (rad)",
    "momentum": "body momentum error",
    "energy": "energy error",
    "phase": "phase error (rad)",
}
"""What is measured, with the words for it."""

WORDS = {
    "attitude": "the angle between the attitude and the exact one",
    "momentum": "|Pi - Pi exact|, in body axes",
    "energy": "|E - E exact|, for problems that have an energy",
    "phase": "how far the body is ahead: the part of the attitude error about the momentary axis of rotation",
}


@dataclass(frozen=True)
class Errors:
    """Errors at n times; energy is None for a problem that has none."""

    attitude: np.ndarray
    momentum: np.ndarray
    energy: np.ndarray | None
    phase: np.ndarray

    def largest(self) -> dict[str, float]:
        """The largest absolute value of each part over the times; without energy where there is none."""
        panels = {key: getattr(self, key) for key in PANELS}
        return {key: float(np.max(np.abs(value))) for key, value in panels.items() if value is not None}


def errors(problem: Problem, Q: np.ndarray, Omega: np.ndarray, Q_exact: np.ndarray, Omega_exact: np.ndarray) -> Errors:
    """The errors of states (n, 3, 3), (n, 3) against exact ones at the same times."""
    turn = turned_by(Q_exact, Q)
    axis = Omega_exact / np.maximum(np.linalg.norm(Omega_exact, axis=1), np.finfo(float).tiny)[:, None]
    off = (Omega - Omega_exact) @ problem.tensor.T
    energy = None
    if problem.has_potential:
        energy = energies(problem, Q, Omega) - energies(problem, Q_exact, Omega_exact)
    return Errors(
        attitude=np.linalg.norm(turn, axis=1),
        momentum=np.linalg.norm(off, axis=1),
        energy=energy,
        phase=np.einsum("ni,ni->n", turn, axis),
    )


def turned_by(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The rotation vectors of A^T B for stacks, (n, 3); without loss of digits where they are near."""
    F = np.einsum("nji,njk->nik", A, B)
    sine = np.stack([F[:, 2, 1] - F[:, 1, 2], F[:, 0, 2] - F[:, 2, 0], F[:, 1, 0] - F[:, 0, 1]], axis=1) / 2
    size = np.linalg.norm(sine, axis=1)
    angle = np.arctan2(size, (np.einsum("nii->n", F) - 1) / 2)
    return sine * np.where(size > 0, angle / np.maximum(size, np.finfo(float).tiny), 1.0)[:, None]
