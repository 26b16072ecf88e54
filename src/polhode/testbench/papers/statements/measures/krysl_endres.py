"""How the statements of Krysl & Endres (2005) are measured."""

from typing import Any

import numpy as np

from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.history import HistoryResult
from polhode.testbench.papers.statements.checks import FACTOR_OF_A_TIE, factor, order_of
from polhode.testbench.papers.statements.record import Finding, judged

# ---- the freely spinning body ------------------------------------------------------------------------


def unchanging_amplitude(result: HistoryResult, energies: dict[Any, Any]) -> Finding:
    """Each step: the same range in both halves of the span; and no drift to t = 10 000, with h = 4, 2, 1 and below."""
    cases, parts = {}, []
    for c in result.curves:
        first, second = (float(np.ptp(x)) for x in np.array_split(c.values, 2))
        cases[c.label] = abs(second / first - 1) < 0.1
        parts.append(f"{np.ptp(c.values):.2g}")
    row = energies["free body, large steps"]["NMB"]
    cases["t = 10 000"] = row.sign == energies["free body"]["NMB"].sign == "none"
    text = (
        f"amplitudes {', '.join(parts)} with h = 4, 2, 1, 1/2; to t = 10 000 slopes below {row.evidence[-1].bound:.0e}"
    )
    return judged(cases, text, row.evidence[-1].bound)


def large_increments(result: HistoryResult) -> Finding:
    """Twice the step, twice the increment, and with h = 4 beyond half a turn."""
    ranges = {c.h: (c.values.min(), c.values.max()) for c in result.curves}
    measured = ", ".join(f"{a:.0f} to {b:.0f} degrees with h = {h:g}" for h, (a, b) in ranges.items())
    return judged({"h = 4": ranges[4.0][0] > 180, "h = 1/2": ranges[0.5][1] > 20}, measured, ranges[4.0][1])


def character(result: HistoryResult) -> Finding:
    """At each large step: Omega_1 stays positive, the others change sign as often, extremes within 15 per cent."""

    def shape(h: float) -> tuple[list[int], list[float]]:
        values = [result.curve(i, "NMB", h).values for i in range(3)]
        turns = [int((np.diff(np.sign(x)) != 0).sum()) for x in values]
        return turns, [float(np.abs(x).max()) for x in values]

    turns, sizes = shape(0.125)
    cases, worst = {}, 0.0
    for h in (5.0, 4.0, 2.0):
        t, s = shape(h)
        off = max(abs(a / b - 1) for a, b in zip(s, sizes))
        cases[f"h = {h:g}"] = t[0] == 0 and max(abs(a - b) for a, b in zip(t, turns)) <= 1 and off < 0.15
        worst = max(worst, off)
    measured = f"the same tumbling, to one reversal in [0, 100]; extremes of the components off by {worst:.0%} at most"
    return judged(cases, measured, worst)


def on_par_at_five(runs: dict[Any, Any]) -> Finding:
    """With h = 5: NMB and AKW go on, the Moser-Veselov methods do not; how far each is from the true curve."""
    cases = {
        "NMB and AKW run": runs["NMB"]["success"] and runs["AKW"]["success"],
        "all Moser-Veselov methods fail": not any(runs[m]["success"] for m in ("RATTLE", "DMV-TT4", "DMV-TT6")),
        "NMB on par with AKW": runs["NMB"]["off"] < 2 * runs["AKW"]["off"] + 0.05,
    }
    measured = (
        "DMV, DMV4 and DMV6 have no solution at this step; the momentum of AKW stays on the true curve (to "
        f"{runs['AKW']['off']:.0e}), that of NMB leaves it by {runs['NMB']['off']:.0%}; both reverse "
        f"{runs['AKW']['turns']} times"
    )
    return judged(cases, measured, runs["NMB"]["off"])


def two_orders(result: ConvergenceResult) -> Finding:
    """NMB against AKW, which the text names, and LS, which the caption does."""
    factors = {m: factor(result.one("NMB"), result.one(m), "Q") for m in ("AKW", "LS")}
    measured = ", ".join(f"{f} times the error of {m}" for m, f in factors.items())
    return judged(
        {m: f.mean < 0.02 for m, f in factors.items()}, f"NMB has {measured} in the attitude", factors["AKW"].mean
    )


def printed_orders(result: ConvergenceResult) -> Finding:
    """Orders of the momentum, as the caption names them."""
    expected = {m: 2 for m in ("NMB", "SW", "LS", "LP2", "AKW", "RATTLE")} | {"DMV-TT4": 4, "DMV-TT6": 6}
    measured_orders = {m: order_of(result.one(m), "Pi") for m in expected}
    measured = ", ".join(f"{m} {x:.2f}" for m, x in measured_orders.items())
    return judged(
        {m: abs(measured_orders[m] - p) < 0.03 * p for m, p in expected.items()}, measured, measured_orders["DMV-TT6"]
    )


# ---- book toss ---------------------------------------------------------------------------------------


def simo_wong_unstable(result: HistoryResult, book: dict[Any, Any]) -> Finding:
    """Its energy rises with the larger steps, and not with the small one."""
    grown = {h: book["SW", h]["greatest energy"] for h in (0.1, 0.05, 0.025, 0.01)}
    coarse, fine = (np.abs(result.curve(1, "SW", h).values[:, 2]).max() for h in (0.05, 0.001))
    cases = {
        "h = 0.05": grown[0.05] > 2,
        "worse with larger steps": grown[0.1] > grown[0.05] > grown[0.025] > grown[0.01],
    }
    measured = (
        f"kinetic energy up to {grown[0.1]:.1f}, {grown[0.05]:.1f}, {grown[0.025]:.2f} and {grown[0.01]:.3f} times its "
        f"value by t = 100 with h = 0.1, 0.05, 0.025, 0.01; in the figure Omega_3 reaches {coarse:.1f} instead "
        f"of {fine:.1f}"
    )
    return judged(cases, measured, grown[0.05])


def newmark_stable(result: HistoryResult, book: dict[Any, Any]) -> Finding:
    """Its energy never rises, and velocities are right to some per cent."""
    grown = max(book["NMB", h]["greatest energy"] for h in (0.1, 0.05, 0.025, 0.01))
    coarse, fine = (np.abs(result.curve(0, "NMB", h).values).max(axis=0) for h in (0.05, 0.001))
    off = float(np.abs(coarse / fine - 1).max())
    measured = (
        f"kinetic energy at most {grown:.4f} times its value by t = 100; extremes of the velocities off by {off:.1%}"
    )
    return judged({"stability": grown < 1.01, "accuracy": off < 0.1}, measured, grown)


def limited_momenta(book: dict[Any, Any]) -> Finding:
    """Momenta are not exact; their ranges late in the run are those early in it."""
    row = book["NMB", 0.05]
    cases = {
        "not exact": row["early"] > 1e-6,
        "limited": row["late"] < 1.1 * row["early"],
        "periodic": row["repeats"] < 0.05 * row["early"],
    }
    measured = (
        f"off by up to {row['early']:.1f} of 40 before t = 51 and {row['late']:.1f} after it with h = 0.05; the "
        "ranges of "
        f"the components repeat to {row['repeats']:.2f}"
    )
    return judged(cases, measured, row["late"])


def exact_momenta(result: HistoryResult, book: dict[Any, Any]) -> Finding:
    """Momenta are kept to round-off at all steps, also where the energy grows."""
    off = {h: max(row["early"], row["late"]) for (m, h), row in book.items() if m == "SW"}
    measured = (
        f"to {max(off.values()):.0e} of 40 at all steps, also where its energy grows "
        f"{book['SW', 0.05]['greatest energy']:.1f}-fold"
    )
    return judged({f"h = {h:g}": x < 1e-9 for h, x in off.items()}, measured, max(off.values()))


# ---- tops --------------------------------------------------------------------------------------------


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


# ---- all problems ------------------------------------------------------------------------------------


def simo_wong_drifts(energies: dict[Any, Any]) -> Finding:
    """Whether SW drifts: on five problems, at all steps."""
    rows = {name: result["SW"] for name, result in energies.items() if name != "free body, large steps"}
    measured = ", ".join(
        f"{name}: {row.words}"
        + (f" ({row.evidence[0].rate:+.0e})" if row.sign in "+-" else f" (below {row.evidence[0].bound:.0e})")
        for name, row in rows.items()
    )
    return judged(
        {name: row.sign in ("+", "-") for name, row in rows.items()}, measured, rows["stress test"].evidence[0].rate
    )


def symmetric_methods(defects: dict[Any, Any]) -> Finding:
    """A step forth and back; SW on the state with its memory."""
    findings = {m: defects[m, "symmetric"] for m in ("NMB", "NMS", "SW")}
    measured = ", ".join(f"{m} to {f.high:.0e}" for m, f in findings.items())
    return judged(
        {m: f.holds for m, f in findings.items()}, f"{measured} at 50 digits (SW with its memory)", findings["NMB"].high
    )


def newmark_symplectic(defects: dict[Any, Any]) -> Finding:
    """The symplectic defects D^T W D - W, and the drift."""
    a, b = defects["NMB", "symplectic"], defects["NMB", "symplectic free"]
    measured = f"defects of {b.high:.0e} for a free body and {a.high:.0e} in a potential, at 50 digits; and it drifts"
    return judged({"free": b.holds, "in a potential": a.holds}, measured, a.high)


def simo_wong_symplectic(defects: dict[Any, Any]) -> Finding:
    """The symplectic defect of a fresh free step of SW."""
    d = defects["SW", "symplectic free"]
    return judged(
        {"not symplectic": not d.holds}, f"a fresh free step has a defect of {d.high:.0e} at 50 digits", d.high
    )


def same_map(identities: dict[Any, Any]) -> Finding:
    """NMS and NMB from the same states."""
    off = identities["NMS and NMB"]
    return judged({"equal": off < 1e-14}, f"steps from generic states agree to {off:.0e}", off)


def idle_transport(identities: dict[Any, Any]) -> Finding:
    """The shift S has no effect, since dexp_x x = x."""
    off = identities["tangent transport of its own axis"]
    return judged({"no effect": off < 1e-14}, f"it moves its own axis by {off:.0e}", off)


def one_torque(calls: dict[Any, Any]) -> Finding:
    """How often each method asks for the torque in a step: the explicit one once."""
    measured = ", ".join(f"{m} {calls[m]:g}" for m in ("NMB", "SW", "AKW"))
    return judged(
        {"NMB": calls["NMB"] == 1, "implicit methods take more": calls["AKW"] > 1},
        f"torques a step: {measured}",
        calls["NMB"],
    )


def integrals(changes: dict[Any, Any]) -> Finding:
    """How far the four invariants change along the exact motion."""
    measured = ", ".join(f"{name} {x:.0e}" for name, x in changes.items())
    return judged(
        {name: x < 1e-9 for name, x in changes.items()},
        f"changes by t = 20 along a reference: {measured}",
        max(changes.values()),
    )
