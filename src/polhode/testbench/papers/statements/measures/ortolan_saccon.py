"""How the statements of Ortolan & Saccon (2012) are measured."""

from typing import Any

import numpy as np

from polhode.physics.catalogue import problem
from polhode.testbench.drift.study import ORTOLAN_SACCON
from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.statements.record import Finding, judged
from polhode.testbench.papers.table import TableResult

DRIFTING = tuple(m for m in ORTOLAN_SACCON.methods if m != "VLV")


def least_slope(result: DriftResult) -> Finding:
    """At both steps, LIEMID[EA] drifts at less than the rate of any other."""
    cases, parts, value = {}, [], np.nan
    for k, h in enumerate(result.drift.h):
        rates = {m: abs(result.row(m).evidence[k].rate) for m in DRIFTING}
        own, (runner, next_) = rates.pop("LIEMID[EA]"), min(rates.items(), key=lambda x: x[1])
        cases[f"h = {h:g}"] = own < next_ / 1.1
        parts.append(f"{own:.1e} against {next_:.1e} of {runner} with h = {h:g}")
        value = own / next_
    return judged(cases, "; ".join(parts), value)


def exponential_map(cayley: DriftResult, exponential: DriftResult) -> Finding:
    """The drifts have the same sign, and the same rate within a quarter."""
    cases, parts, ratios = {}, [], []
    for a, b in (("ELN", "NMB"), ("TLN", "TLN-EXP")):
        x, y = cayley.row(a), exponential.row(b)
        ratio = y.evidence[0].rate / x.evidence[0].rate
        cases[f"the sign of {b}"] = x.sign == y.sign
        cases[f"the rate of {b}"] = 0.8 < ratio < 1.25
        parts.append(f"{b} drifts at {ratio:.2f} times the rate of {a} (h = 0.125)")
        ratios.append(ratio)
    return judged(cases, "; ".join(parts), min(ratios))


def running_times(times: dict[Any, Any]) -> Finding:
    """LIEMID[EA] about two, TLN about six times the median of the remaining methods; about: within 30 per cent."""
    ratios_of: dict[str, list[float]] = {"LIEMID[EA]": [], "TLN": []}
    for h in ORTOLAN_SACCON.h:
        rest = np.median([times[m, h] for m in ORTOLAN_SACCON.methods if m not in ratios_of])
        for m, ratios in ratios_of.items():
            ratios.append(times[m, h] / rest)
    cases = {m: all(0.7 < x / said < 1.3 for x in ratios_of[m]) for m, said in (("LIEMID[EA]", 2), ("TLN", 6))}
    measured = ", ".join(f"{m} {min(x):.1f} to {max(x):.1f} times the time of the others" for m, x in ratios_of.items())
    return judged(cases, measured, max(ratios_of["TLN"]))


def on_the_group(worst: dict[Any, Any]) -> Finding:
    """|Q^T Q - I| within a thousand roundings; it is sums of roundings that grow with the number of steps."""
    least, most = min(worst.values()), max(worst.values())
    measured = (
        f"after 80 000 products of matrices {least:.1e} to {most:.1e}, about ten thousand roundings; with unit "
        "quaternions, as in this package, some 1e-16"
    )
    return judged(
        {"the constraint": most < 1e-10, "machine precision": most < 1e3 * np.finfo(float).eps}, measured, most
    )


def drift_and_structure(result: DriftResult, defects: dict[Any, Any]) -> Finding:
    """Whatever drifts has a symplectic defect, at 50 digits; what is symplectic does not drift."""
    cases = {m: (result.row(m).sign in "+-") != defects[m, "symplectic"].holds for m in ORTOLAN_SACCON.methods}
    least = min(defects[m, "symplectic"].high for m in DRIFTING)
    measured = f"the six that drift have defects from {least:.0e}, VLV one of {defects['VLV', 'symplectic'].high:.0e}"
    return judged(cases, measured, least)


def symmetric_and_drifting(result: DriftResult, defects: dict[Any, Any]) -> Finding:
    """All six are symmetric to 50 digits, and drift."""
    cases = {m: defects[m, "symmetric"].holds and result.row(m).sign in "+-" for m in DRIFTING}
    most = max(defects[m, "symmetric"].high for m in DRIFTING)
    return judged(cases, f"six methods return to the start to {most:.0e} when the step is reversed, and drift", most)


def sphere(_: BallResult) -> Finding:
    """dist(exp(v), I) = 2 sqrt 2 sin(|v|/2) = 1 at |v| = 2 asin(1/(2 sqrt 2))."""
    radius = 2 * np.arcsin(1 / (2 * np.sqrt(2)))
    return judged({"radius one": abs(radius - 1) < 0.01}, f"a sphere, of radius {radius:.4f}", radius)


def confined(ball: BallResult) -> Finding:
    """The allowed region is a closed shell; path and level sets stay away from the identity, from pi, and from Qm."""
    f = ball.facts
    cases = {
        "the path": f["least angle allowed"] <= f["least angle"] < f["greatest angle"] <= f["greatest angle allowed"],
        "the region": f["greatest angle allowed"] < np.pi and f["least angle allowed"] > 0,
        "simply connected": f["Euler characteristic"] == 2,
        "below the passes": f["greatest energy"] < min(f["pass to the identity"], f["pass to Qm"]),
    }
    measured = (
        f"angles {f['least angle']:.2f} to {f['greatest angle']:.2f} in a shell of {f['least angle allowed']:.2f} to "
        f"{f['greatest angle allowed']:.2f} (Euler characteristic {f['Euler characteristic']:g}); energy "
        f"{f['energy at the start']:.2f}, passes at {f['pass to the identity']:.2f} and {f['pass to Qm']:.2f}"
    )
    return judged(cases, measured, f["Euler characteristic"])


def nearly_one(_: BallResult) -> Finding:
    """dist(Q0, I)."""
    distance = float(np.linalg.norm(problem("stress").Q0 - np.eye(3)))
    return judged({"nearly one": abs(distance - 1) < 1e-3}, f"dist(Q0, I) = {distance:.5f}", distance)


def lewis_simo(table: TableResult, identities: dict[Any, Any], defects: dict[Any, Any]) -> Finding:
    """LS is symplectic and keeps energy and momentum; of its family, C1 and AKW are not symplectic."""
    cases = {
        "symplectic, energy and momentum": all(
            table.cell("LS", f"free {x}").measured == "yes" for x in ("symplectic", "energy", "momentum")
        ),
        "one family": identities["rotation about the mean velocity"] < 1e-14,
        "the particular cases as symplectic ones": all(
            table.cell(m, "free symplectic").measured == "yes" for m in ("ALGO_C1", "AKW")
        ),
    }
    measured = (
        "all three turn about the mean velocity by their own angle "
        f"(to {identities['rotation about the mean velocity']:.0e}) and keep energy and momentum; only the angle of LS "
        f"is symplectic ({defects['LS', 'symplectic free'].high:.0e}), so it cannot contain the other two"
    )
    return judged(cases, measured, defects["LS", "symplectic free"].high)


def heavy_top(defects: dict[Any, Any]) -> Finding:
    """Defects of LS with its torque at the midpoint, on a heavy top."""
    a, b = defects["LS", "symplectic on a top"], defects["LS", "energy on a top"]
    measured = (
        f"symplectic defect {a.high:.0e}, energy change {b.high:.0e} in three steps of a heavy top, with the torque at "
        "the midpoint (how it enters is not printed); the vertical momentum is exact"
    )
    return judged({"symplectic": a.holds, "energy": b.holds}, measured, a.high)


def krysl_explicit(calls: dict[Any, Any], table: TableResult) -> Finding:
    """One torque a step; momentum free; and the momentum of a symmetry is kept in a potential, too."""
    cases = {
        "explicit in the torque": calls["LIEMID[EA]"] == 1,
        "momentum of a free body": table.cell("LIEMID[EA]", "free momentum").measured == "yes",
        "only for the free body": table.cell("LIEMID[EA]", "potential momentum").measured == "no",
    }
    cell = table.cell("LIEMID[EA]", "potential momentum")
    measured = (
        f"{calls['LIEMID[EA]']:g} torque a step; the momentum of a symmetric potential is kept as well "
        f"({cell.value:.0e})"
    )
    return judged(cases, measured, calls["LIEMID[EA]"])


def conjugate(identities: dict[Any, Any]) -> Finding:
    """IMIDM after an explicit half step is that half step after TRAPM."""
    off, apart = identities["TRAPM and IMIDM, conjugated"], identities["TRAPM and IMIDM"]
    measured = f"IMIDM F = F TRAPM to {off:.0e}, F the explicit half step, while the two differ by {apart:.0e} a step"
    return judged({"conjugate": off < 1e-14, "different": apart > 1e-6}, measured, off)


def almost_poisson(defects: dict[Any, Any]) -> Finding:
    """Momentum exact; the Poisson defect is that of order h^3."""
    a, b = defects["PRK", "momentum free"], defects["PRK", "Poisson"]
    measured = (
        f"momentum to {a.high:.0e}; the Poisson defect of a step with h = 1/8 is {b.high:.0e}: not zero, but small"
    )
    return judged({"momentum": a.holds, "almost Poisson": b.high < 1e-4}, measured, b.high)


def no_drift_of_new3(table: TableResult, result: DriftResult) -> Finding:
    """No drift on the free body, which the authors tested; on the stress test there is one."""
    free = table.cell("NEW3", "free energy")
    slope = result.row("NEW3").evidence[0].rate
    measured = f"free body: {free.measured} (slope below {free.value:.0e}); stress test: slope {slope:+.1e}"
    return judged({"the free body": free.measured == "no drift seen", "the stress test": slope == 0}, measured, slope)


def changed_time(times: dict[Any, Any]) -> Finding:
    """RATTLE, free: the momentum is exact at a changed time; the attitude is not."""
    rows = {key: row for key, row in times.items() if key[0] == "RATTLE"}
    momentum = max(row["momentum"] for row in rows.values())
    attitude = min(row["attitude"] for row in rows.values())
    measured = (
        f"RATTLE's momentum is exact at the times c t (to {momentum:.0e}), c - 1 = {rows['RATTLE', 0.1]['c - 1']:.3f} "
        f"with h = 0.1; its attitude is not: {attitude:.0e} and more are left"
    )
    return judged({"the momentum": momentum < 1e-12, "the attitude": attitude < 1e-12}, measured, momentum)


def related(identities: dict[Any, Any], defects: dict[Any, Any]) -> Finding:
    """VLV and RATTLE are different maps, both symplectic."""
    apart = identities["VLV and RATTLE"]
    measured = f"steps from the same state differ by {apart:.0e}; both are symplectic to 1e-48"
    both = defects["VLV", "symplectic"].holds and defects["RATTLE", "symplectic free"].holds
    return judged({"different": apart > 1e-6, "both symplectic": both}, measured, apart)
