"""Energies and errors over time behind statements that no figure shows."""

from typing import Any

import numpy as np

from polhode.physics.catalogue import problem
from polhode.reference.reference import by_dop853
from polhode.runs.solve import solve
from polhode.testbench.drift.stress import StressResult, stress
from polhode.testbench.papers import matrix_newmark
from polhode.testbench.papers.history import axis_momentum_error, kinetic_energy

STEPS = (1.0, 0.5, 0.25, 0.125)


def simo_wong_energy() -> dict[str, StressResult]:
    """The drift of SW on five problems; on the free body also of NMB and HSTAGM, and of NMB with very large steps."""
    return {
        "free body": stress(["SW", "NMB", "HSTAGM"], h=STEPS, t_end=10_000.0, problem="free-body", ensemble=4),
        "free body, large steps": stress(["NMB"], h=(4.0, 2.0), t_end=10_000.0, problem="free-body", ensemble=4),
        "slow top": stress(["SW"], h=(0.05, 0.025), t_end=1000.0, problem="slow-top", ensemble=4),
        "fast top": stress(["SW"], h=(0.01, 0.005), t_end=200.0, problem="fast-top", ensemble=4),
        "soft wall": stress(["SW"], h=(0.025, 0.0125), t_end=500.0, problem="soft-wall", ensemble=4),
        "stress test": stress(["SW"], t_end=2000.0, ensemble=4),
    }


def staggered_stability() -> dict[tuple[str, str, float], float]:
    """The largest energy error of HSTAGM and NMB on [0, 100], in units of the kinetic energy at the start.

    Infinite where the run ends before; by (problem, method, h).
    """
    cases = {
        "slow top": (problem("slow-top"), (0.1, 0.05, 0.025)),
        "soft wall, described": (problem("soft-wall"), (0.05, 0.025, 0.0125)),
        "soft wall, printed": (problem("soft-wall", printed_sign=True), (0.05, 0.025, 0.0125)),
        "fast top": (problem("fast-top"), (0.01, 0.005)),
        "free body": (problem("free-body"), (1.0, 0.5, 0.25)),
    }
    largest = {}
    for name, (p, steps) in cases.items():
        unit = float(p.Omega0 @ p.tensor @ p.Omega0 / 2)
        for method in ("HSTAGM", "NMB"):
            for h in steps:
                s = solve(p, method, h=h, t_end=100.0, on_failure="return")
                with np.errstate(all="ignore"):
                    worst = float(np.abs(s.energy_error).max() / unit)
                largest[name, method, h] = worst if s.success and np.isfinite(worst) else float("inf")
    return largest


def error_growth() -> dict[str, dict[str, list[float]]]:
    """Global errors of the attitude on the stress test at doubling times, h = 1/8: VLV, and ELN which drifts."""
    times = [12.5 * 2**k for k in range(5)]
    p = problem("stress")
    exact = [by_dop853(p, t)[0] for t in times]
    growth: dict[str, dict[str, list[float]]] = {}
    for method in ("VLV", "ELN"):
        s = solve(p, method, h=0.125, t_end=times[-1])
        at = [round(t / 0.125) for t in times]
        growth[method] = {"t": times, "error": [float(np.linalg.norm(s.Q[i] - Q)) for i, Q in zip(at, exact)]}
    return growth


def large_steps() -> dict[str, dict[str, Any]]:
    """The freely spinning body with h = 5: whether the run ends, and how far the momentum is from the true curve.

    The true curve of J Omega is where the sphere |J Omega| = const and the ellipsoid of energy meet; the distance is
    the largest relative change of either.
    """
    p = problem("free-body")
    runs = {}
    for method in ("NMB", "AKW", "RATTLE", "DMV-TT4", "DMV-TT6", "SW", "LP2"):
        s = solve(p, method, h=5.0, t_end=100.0, on_failure="return")
        T, C = kinetic_energy(s), np.linalg.norm(s.Omega @ p.tensor, axis=1)
        off = max(np.abs(T / T[0] - 1).max(), np.abs(C / C[0] - 1).max())
        turns = int((np.diff(np.sign(s.Omega[:, 1])) != 0).sum())
        runs[method] = {"success": s.success, "off": float(off), "turns": turns, "steps": len(s.t) - 1}
    return runs


def book_toss() -> dict[tuple[str, float], dict[str, float]]:
    """The book after it is let go, to t = 100: its greatest kinetic energy, and its momenta early and late.

    Energies are in units of that at the release. "early" and "late" are the largest distances of the spatial momentum
    from (40, 1/5, 0) on [2, 51] and on [51, 100]; "repeats" is how far the ranges of its components differ.
    """
    runs = {}
    for method in ("NMB", "SW"):
        for h in (0.1, 0.05, 0.025, 0.01):
            s = solve(problem("book-toss", dt=h), method, h=h, t_end=100.0)
            free = s.t > 2 + 1.5 * h
            T, pi = kinetic_energy(s)[free], s.momentum[free] - (40.0, 0.2, 0.0)
            early, late = np.array_split(pi, 2)
            runs[method, h] = {
                "greatest energy": float(T.max() / T[0]),
                "early": float(np.linalg.norm(early, axis=1).max()),
                "late": float(np.linalg.norm(late, axis=1).max()),
                "repeats": float(np.abs(np.ptp(late, axis=0) - np.ptp(early, axis=0)).max()),
            }
    return runs


def reorthogonalised() -> dict[str, float]:
    """Lagrangian top: what re-orthogonalising changes by t = 100, beside what one rounding of the start changes."""
    p = problem("lagrange-top")
    a, b = (matrix_newmark.trajectory(p, v, 0.05, 100.0) for v in matrix_newmark.VARIANTS)
    nudged = p.replaced(Omega0=p.Omega0 + np.array([1e-15, 0.0, 0.0]))
    c = matrix_newmark.trajectory(nudged, "NMB, matrix", 0.05, 100.0)
    exact = solve(p, "RKN8", h=0.01, t_end=100.0, save_every=10_000).Q[-1]
    return {
        "attitude": float(np.abs(a.Q - b.Q).max()),
        "energy": float(np.abs(a.energy - b.energy).max()),
        "attitude, start rounded": float(np.abs(a.Q - c.Q).max()),
        "attitude, error of the method": float(np.abs(a.Q[-1] - exact).max()),
        "orthogonality, multiplied": float(a.orthogonality.max()),
        "orthogonality, re-orthogonalised": float(b.orthogonality.max()),
    }


def four_integrals() -> dict[str, float]:
    """How far the four invariants of the Lagrangian top change along the exact motion to t = 20, by DOP853."""
    p = problem("lagrange-top")
    Q, Omega = by_dop853(p, 20.0)
    changes = {"energy": abs(p.energy(Q, Omega) - p.energy(p.Q0, p.Omega0))}
    for name, value in p.invariants.items():
        changes[name] = abs(value(Q, Omega) - value(p.Q0, p.Omega0))
    return {name: float(x) for name, x in changes.items()}


def crouch_grossman_invariants() -> dict[str, dict[str, float]]:
    """Lagrangian top, h = 0.05 on [0, 100]: largest errors of the four invariants by NMB and CG-RK4."""
    p, errors = problem("lagrange-top"), {}
    for method in ("NMB", "CG-RK4"):
        s = solve(p, method, h=0.05, t_end=100.0)
        vertical = np.abs(s.momentum[:, 2] - s.momentum[0, 2]).max()
        errors[method] = {
            "energy": float(np.abs(s.energy_error).max()),
            "axis momentum": float(axis_momentum_error(s).max()),
            "vertical momentum": float(vertical),
            "gravity in body axes": float(np.abs(np.linalg.norm(s.Q[:, 2], axis=1) - 1).max()),
        }
    return errors
