"""Exact properties behind statements: defects of a few steps at 50 digits, identities between methods."""

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.lookup import method
from polhode.kernels.rotations import dexp
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.runs.solve import solve, step
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.kernel.theorems import Finding
from polhode.testbench.certificate.states import cases
from polhode.testbench.drift.study import ORTOLAN_SACCON

SYMMETRIC = (*ORTOLAN_SACCON.methods, "NMB", "NMS", "SW", "DMV4", "DMV6", "DMV8", "RATTLE")
SYMPLECTIC = (*ORTOLAN_SACCON.methods, "NMB")
TORQUES = ("NMB", "SW", "LIEMID[EA]", "ELN", "VLV", "PRK", "MCG", "NEW3", "TLN", "AKW")

H, T = 0.25, 0.7
"""Step and time of the identities between methods."""


def defects() -> dict[tuple[str, str], Finding]:
    """Findings by (method, property): symmetry, symplecticity free and in a potential, and what LS keeps on a top."""
    measured: dict[tuple[str, str], Finding] = {}

    def add(name: str, what: str, defect: Callable[..., Any], case: Callable[..., Any]) -> None:
        measured[name, what] = theorems.finding(defect, method(name), case())

    for name in SYMMETRIC:
        add(name, "symmetric", theorems.symmetry, cases.free if name.startswith("DMV") else cases.forced)
    for name in SYMPLECTIC:
        add(name, "symplectic", theorems.symplecticity, cases.potential)
        add(name, "symplectic free", theorems.symplecticity, cases.free)
    for name in ("DMV4", "DMV6", "DMV8", "RATTLE", "HSTAGM", "SW", "LS"):
        add(name, "symplectic free", theorems.symplecticity, cases.free)
    add("PRK", "Poisson", theorems.poisson, cases.free)
    add("PRK", "momentum free", theorems.spatial_momentum, cases.free)
    for what, defect in (
        ("symplectic on a top", theorems.symplecticity),
        ("energy on a top", theorems.energy),
        ("vertical momentum on a top", theorems.vertical_momentum),
    ):
        add("LS", what, defect, cases.top)
    return measured


def torque_calls() -> dict[str, float]:
    """Torque evaluations a step, counted over 16 steps and without the one at the start."""
    return {name: (theorems.torque_calls(method(name)) - 1) / 16 for name in TORQUES}


def identities() -> dict[str, float]:
    """Largest differences between maps that are said to be the same, or to be different, from three generic states."""
    forced = problem("forced")
    free = problem("free-body", inertia=tuple(forced.moments))
    differences: dict[str, list[float]] = {}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        Q, Omega = Rotation().random(rng=rng).as_matrix(), rng.normal(size=3)

        def apart(p: Problem, a: str, b: str, Q: np.ndarray = Q, Omega: np.ndarray = Omega) -> float:
            (Q1, W1), (Q2, W2) = (step(p, m, Q, Omega, H, T) for m in (a, b))
            return max(np.abs(Q1 - Q2).max(), np.abs(W1 - W2).max())

        for key, value in {
            "NMS and NMB": apart(forced, "NMS", "NMB"),
            "VLV and RATTLE": apart(forced, "VLV", "RATTLE"),
            "VLV and RATTLE, free": apart(free, "VLV", "RATTLE"),
            "TRAPM and IMIDM": apart(forced, "TRAPM", "IMIDM"),
            "TRAPM and IMIDM, conjugated": conjugated(forced, Q, Omega),
            "rotation about the mean velocity": max(off_mean_axis(free, m, Q, Omega) for m in ("LS", "AKW", "ALGO_C1")),
            "tangent transport of its own axis": transport(rng.normal(size=3)),
        }.items():
            differences.setdefault(key, []).append(float(value))
    return {key: max(values) for key, values in differences.items()}


def conjugated(p: Problem, Q: np.ndarray, Omega: np.ndarray) -> float:
    """How far IMIDM after F is from F after TRAPM, F the explicit momentum-form Euler step over h/2."""

    def euler(t: float, Q: np.ndarray, Omega: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        turn = Rotation().from_rotvec(H / 2 * Omega).as_matrix()
        Pi = turn.T @ (p.tensor @ Omega + H / 2 * p.torque(t, Q))
        return t + H / 2, Q @ turn, np.linalg.solve(p.tensor, Pi)

    def moved(name: str, t: float, Q: np.ndarray, Omega: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        return t + H, *step(p, name, Q, Omega, H, t)

    a, b = moved("IMIDM", *euler(T, Q, Omega)), euler(*moved("TRAPM", T, Q, Omega))
    return max(np.abs(a[1] - b[1]).max(), np.abs(a[2] - b[2]).max())


def off_mean_axis(p: Problem, name: str, Q: np.ndarray, Omega: np.ndarray) -> float:
    """The sine of the angle between the rotation vector of a free step and the mean of the velocities."""
    Q1, Omega1 = step(p, name, Q, Omega, H)
    x, mean = Rotation().from_matrix(Q.T @ Q1).as_rotvec(), (Omega + Omega1) / 2
    return float(np.linalg.norm(np.cross(x, mean)) / np.linalg.norm(x) / np.linalg.norm(mean))


def transport(x: np.ndarray) -> float:
    """How far dexp_x moves a multiple of x."""
    return float(np.abs(np.array(dexp(tuple(x), tuple(1.7 * x))) - 1.7 * x).max())


def orthogonality() -> dict[str, float]:
    """max |Q^T Q - I| after 80 000 steps of the stress test, when the matrix of each step is multiplied to the last."""
    p, worst = problem("stress"), {}
    for name in ORTOLAN_SACCON.methods:
        s = solve(p, name, h=0.125, t_end=10_000.0)
        turns = np.einsum("nji,njk->nik", s.Q[:-1], s.Q[1:])
        Q = s.Q[0].copy()
        for turn in turns:
            Q = Q @ turn
        worst[name] = float(np.abs(Q.T @ Q - np.eye(3)).max())
    return worst
