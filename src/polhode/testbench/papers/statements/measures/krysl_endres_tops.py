"""How the statements of Krysl & Endres (2005) about tops, and about the soft wall, are measured."""

from typing import Any

import numpy as np

from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.history import HistoryResult
from polhode.testbench.papers.statements.checks import FACTOR_OF_A_TIE, factor, order_of
from polhode.testbench.papers.statements.record import Finding, judged


def half_a_percent(result: HistoryResult) -> Finding:
    """The error has no trend, and is below 0.5 % of H."""
    c = result.curves[0]
    H = result_energy()
    worst = float(np.abs(c.values).max() / abs(H))
    first, second = (float(np.abs(x).max()) for x in np.array_split(c.values, 2))
    trend = abs(np.polyfit(c.t, c.values, 1)[0]) * c.t[-1]
    cases = {"no drift": abs(second / first - 1) < 0.1 and trend < 0.1 * first, "half a percent": worst < 0.005}
    measured = (
        f"no trend, and an error of up to {worst:.2%} of H, from the start of Engo & Marthinsen (none is printed)"
    )
    return judged(cases, measured, worst)


def result_energy() -> float:
    """H of the Lagrangian top at the start."""
    from polhode.physics.catalogue import problem

    p = problem("lagrange-top")
    return float(p.energy(p.Q0, p.Omega0))


def like_crouch_grossman(result: ConvergenceResult, invariants: dict[Any, Any]) -> Finding:
    """Invariants, constant and slope, each within a factor of two (the slope within 0.1)."""
    nmb, cg = invariants["NMB"], invariants["CG-RK4"]
    f = factor(result.one("NMB"), result.one("CG-RK4"), "Q")
    slopes = [order_of(result.one(m), "Q") for m in ("NMB", "CG-RK4")]
    alike = lambda a, b: max(a, b) < 2 * min(a, b) or max(a, b) < 1e-13
    cases = {
        "the energy": alike(nmb["energy"], cg["energy"]),
        "the vertical momentum": alike(nmb["vertical momentum"], cg["vertical momentum"]),
        "the momentum along the axis": alike(nmb["axis momentum"], cg["axis momentum"]),
        "the constant of the error": f.least > 0.5 and f.greatest < 2,
        "the slope": abs(slopes[0] - slopes[1]) < 0.1,
    }
    measured = (
        f"energy error {nmb['energy']:.1e} against {cg['energy']:.1e}, vertical momentum "
        f"{nmb['vertical momentum']:.1e} "
        f"against {cg['vertical momentum']:.1e}; global error {f} times that of CG-RK4, slopes {slopes[0]:.2f} and "
        f"{slopes[1]:.2f} (which tends to 2, too)"
    )
    return judged(cases, measured, f.mean)


def machine_precision(result: HistoryResult) -> Finding:
    """The error is some roundings if re-orthogonalised; more, and growing, if only multiplied."""
    large, small = (result.curve(0, m).values for m in ("NMB, matrix", "NMB, re-orthogonalised"))
    first, last = (float(np.median(x)) for x in (large[1 : len(large) // 8], large[-len(large) // 8 :]))
    cases = {"machine precision": small.max() < 1e-14, "larger without": large.max() > 2 * small.max() and last > first}
    measured = f"up to {small.max():.0e} re-orthogonalised, up to {large.max():.0e} and growing when only multiplied"
    return judged(cases, measured, small.max())


def hardly_any_effect(runs: dict[Any, Any]) -> Finding:
    """The difference of the runs is that of a rounding of the start, and far below the error of the method."""
    off, rounding, error = (runs[x] for x in ("attitude", "attitude, start rounded", "attitude, error of the method"))
    cases = {"below the error": off < 1e-6 * error, "like a rounding": off < 100 * rounding}
    measured = (
        f"attitudes differ by {off:.0e} by t = 100, as after a rounding of the start ({rounding:.0e}); NMB's "
        f"error is {error:.1g}"
    )
    return judged(cases, measured, off)


def identical_but_largest(result: ConvergenceResult) -> Finding:
    """SW and HSTAGM, step by step: equal within 10 per cent but for the largest."""
    a, b = result.one("SW"), result.one("HSTAGM")
    ratios = np.array([a.error_Q / b.error_Q, a.error_Omega / b.error_Omega])
    apart = np.abs(np.log(ratios)).max(axis=0) > np.log(FACTOR_OF_A_TIE)
    largest = int(apart.sum())
    cases = {"small steps": not apart[3:].any(), "largest steps": bool(apart[0]) and apart[:largest].all()}
    measured = (
        f"errors of SW are {ratios[:, 3:].min():.3f} to {ratios[:, 3:].max():.3f} times those of HSTAGM for h = "
        "0.005 and "
        f"below, {ratios.min():.2f} to {ratios.max():.2f} times for h = 0.04 and 0.02"
    )
    return judged(cases, measured, float(ratios[0, -1]))


def staggered_unstable(runs: dict[Any, Any]) -> Finding:
    """The energy error of HSTAGM on [0, 100], where that of NMB stays bounded."""
    worst = {
        name: min(x for (case, method, _), x in runs.items() if case == name and method == "HSTAGM")
        for name in ("slow top", "soft wall, described", "soft wall, printed")
    }
    measured = (
        f"energy errors of {worst['slow top']:.0e} times the kinetic energy and more on the slow top, of "
        f"{worst['soft wall, described']:.0e} at the wall as described, and of {worst['soft wall, printed']:.0e} "
        "with the "
        "sign as printed"
    )
    cases = {
        "the slow top": worst["slow top"] > 10,
        "the wall as described": worst["soft wall, described"] > 10,
        "the wall with the printed sign": worst["soft wall, printed"] > 10,
    }
    return judged(cases, measured, worst["slow top"])


def staggered_like_newmark(result: HistoryResult) -> Finding:
    """Amplitude and sign of the oscillation of T."""
    nmb, staggered = (result.curve(0, m).values for m in ("NMB", "HSTAGM"))
    same = float(np.corrcoef(nmb, staggered)[0, 1])
    size = float(np.ptp(staggered) / np.ptp(nmb))
    first, second = (float(np.ptp(x)) for x in np.array_split(staggered, 2))
    cases = {
        "an oscillation without drift": abs(second / first - 1) < 0.1,
        "the same curve": same > 0.9 and 0.8 < size < 1.25,
    }
    measured = (
        f"it oscillates {size:.2f} times as far, and the other way (correlation {same:+.2f}): up where NMB goes down"
    )
    return judged(cases, measured, same)


def staggered_symplectic(defects: dict[Any, Any]) -> Finding:
    """The symplectic defect of a fresh free step of HSTAGM."""
    d = defects["HSTAGM", "symplectic free"]
    return judged({"symplectic": d.holds}, f"a fresh step has a symplectic defect of {d.high:.0e} at 50 digits", d.high)


def blow_up(result: HistoryResult) -> Finding:
    """The energy error of HSTAGM on the slow top, beside those of the others."""
    off = {c.method: np.abs(c.values - c.values[0]) for c in result.curves if c.panel == "slow top"}
    t = result.curve(1, "HSTAGM").t
    start = float(t[np.argmax(off["HSTAGM"] > 2 * off["NMB"].max())])
    last = float(off["HSTAGM"][-20:].max())
    cases = {"blow-up": last > 100 * off["NMB"].max(), "developing early on": start < t[-1]}
    measured = f"beyond twice the error of NMB from t = {start:.1f} on, {last:.0f} at t = 20, where H(0) is 32.5"
    return judged(cases, measured, last)


def wall(result: ConvergenceResult) -> Finding:
    """With the printed sign and with the one described, in both quantities: ahead by a factor of two, "clearly"."""
    cases, parts = {}, []
    others = ("AKW", "SW", "HSTAGM")
    for name, sign in (("soft-wall, printed sign", "printed sign"), ("soft-wall", "sign described")):
        for what in ("Q", "Pi"):
            factors = {m: factor(result.one("NMB", name), result.one(m, name), what) for m in others}
            nearest = max(factors, key=lambda m: factors[m].mean)
            cases[f"{what} ({sign})"] = factors[nearest].greatest < 0.5
            parts.append(f"{factors[nearest]} times the error of {nearest} in {what} ({sign})")
    return judged(cases, "NMB has " + ", ".join(parts), factors[nearest].mean)
