"""How the statements of Krysl & Endres (2005) are measured; those about tops in ``krysl_endres_tops.py``."""

from typing import Any

import numpy as np

from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.history import HistoryResult
from polhode.testbench.papers.statements.checks import factor, order_of
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
