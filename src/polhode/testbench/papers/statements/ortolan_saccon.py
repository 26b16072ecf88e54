"""What Ortolan & Saccon (2012) say."""

import functools
from typing import Any

import numpy as np

from polhode.physics.catalogue import problem
from polhode.testbench.drift.study import ORTOLAN_SACCON
from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.statements.checks import ahead_of, as_accurate, drift, entries, linear_in_time, orders
from polhode.testbench.papers.statements.checks import quadratic_in_h as quadratic
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED, Finding, Statement, judged
from polhode.testbench.papers.table import TableResult

TABLE, FIGURE_1, FIGURE_2 = (f"ortolan-saccon-2012-{x}" for x in ("table-1", "figure-1", "figure-2"))
BALL = "bou-rabee-ortolan-saccon-2010-figure-2"
DRIFTING = tuple(m for m in ORTOLAN_SACCON.methods if m != "VLV")

said = functools.partial(Statement, source="ortolan-saccon-2012")


def least_slope(result: DriftResult) -> Finding:
    """At both steps, LIEMID[EA] drifts at less than the rate of any other."""
    cases, told, value = {}, [], np.nan
    for k, h in enumerate(result.drift.h):
        rates = {m: abs(result.row(m).evidence[k].rate) for m in DRIFTING}
        own, (runner, next_) = rates.pop("LIEMID[EA]"), min(rates.items(), key=lambda x: x[1])
        cases[f"h = {h:g}"] = own < next_ / 1.1
        told.append(f"{own:.1e} against {next_:.1e} of {runner} with h = {h:g}")
        value = own / next_
    return judged(cases, "; ".join(told), value)


def exponential_map(cayley: DriftResult, exponential: DriftResult) -> Finding:
    """Same sign; and the same rate within a quarter."""
    cases, told, ratios = {}, [], []
    for a, b in (("ELN", "NMB"), ("TLN", "TLN-EXP")):
        x, y = cayley.row(a), exponential.row(b)
        ratio = y.evidence[0].rate / x.evidence[0].rate
        cases[f"the sign of {b}"] = x.sign == y.sign
        cases[f"the rate of {b}"] = 0.8 < ratio < 1.25
        told.append(f"{b} drifts at {ratio:.2f} times the rate of {a} (h = 0.125)")
        ratios.append(ratio)
    return judged(cases, "; ".join(told), min(ratios))


def running_times(times: dict[Any, Any]) -> Finding:
    """LIEMID[EA] about two, TLN about six times the median of the remaining methods; about: within 30 per cent."""
    found: dict[str, list[float]] = {"LIEMID[EA]": [], "TLN": []}
    for h in ORTOLAN_SACCON.h:
        rest = np.median([times[m, h] for m in ORTOLAN_SACCON.methods if m not in found])
        for m, ratios in found.items():
            ratios.append(times[m, h] / rest)
    cases = {m: all(0.7 < x / said < 1.3 for x in found[m]) for m, said in (("LIEMID[EA]", 2), ("TLN", 6))}
    told = ", ".join(f"{m} {min(x):.1f} to {max(x):.1f} times the time of the others" for m, x in found.items())
    return judged(cases, told, max(found["TLN"]))


def on_the_group(worst: dict[Any, Any]) -> Finding:
    """|Q^T Q - I| within a thousand roundings; it is sums of roundings that grow with the number of steps."""
    least, most = min(worst.values()), max(worst.values())
    told = (
        f"after 80 000 products of matrices {least:.1e} to {most:.1e}, about ten thousand roundings; with unit "
        "quaternions, as in this package, some 1e-16"
    )
    return judged({"the constraint": most < 1e-10, "machine precision": most < 1e3 * np.finfo(float).eps}, told, most)


def drift_and_structure(result: DriftResult, defects: dict[Any, Any]) -> Finding:
    """Whatever drifts has a symplectic defect, at 50 digits; what is symplectic does not drift."""
    cases = {m: (result.row(m).sign in "+-") != defects[m, "symplectic"].holds for m in ORTOLAN_SACCON.methods}
    least = min(defects[m, "symplectic"].high for m in DRIFTING)
    told = f"the six that drift have defects from {least:.0e}, VLV one of {defects['VLV', 'symplectic'].high:.0e}"
    return judged(cases, told, least)


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
    told = (
        f"angles {f['least angle']:.2f} to {f['greatest angle']:.2f} in a shell of {f['least angle allowed']:.2f} to "
        f"{f['greatest angle allowed']:.2f} (Euler characteristic {f['Euler characteristic']:g}); energy "
        f"{f['energy at the start']:.2f}, passes at {f['pass to the identity']:.2f} and {f['pass to Qm']:.2f}"
    )
    return judged(cases, told, f["Euler characteristic"])


def nearly_one(_: BallResult) -> Finding:
    """dist(Q0, I)."""
    distance = float(np.linalg.norm(problem("stress").Q0 - np.eye(3)))
    return judged({"nearly one": abs(distance - 1) < 1e-3}, f"dist(Q0, I) = {distance:.5f}", distance)


def lewis_simo(table: TableResult, identities: dict[Any, Any], defects: dict[Any, Any]) -> Finding:
    """Symplectic, with energy and momentum; and in one family with C1 and AKW, which are not symplectic."""
    cases = {
        "symplectic, energy and momentum": all(
            table.cell("LS", f"free {x}").measured == "yes" for x in ("symplectic", "energy", "momentum")
        ),
        "one family": identities["rotation about the mean velocity"] < 1e-14,
        "the particular cases as symplectic ones": all(
            table.cell(m, "free symplectic").measured == "yes" for m in ("ALGO_C1", "AKW")
        ),
    }
    told = (
        "all three turn about the mean velocity by their own angle "
        f"(to {identities['rotation about the mean velocity']:.0e}) and keep energy and momentum; only the angle of LS "
        f"is symplectic ({defects['LS', 'symplectic free'].high:.0e}), so it cannot contain the other two"
    )
    return judged(cases, told, defects["LS", "symplectic free"].high)


def heavy_top(defects: dict[Any, Any]) -> Finding:
    """LS with its torque at the midpoint, on a heavy top."""
    a, b = defects["LS", "symplectic on a top"], defects["LS", "energy on a top"]
    told = (
        f"symplectic defect {a.high:.0e}, energy change {b.high:.0e} in three steps of a heavy top, with the torque at "
        "the midpoint (how it enters is not printed); the vertical momentum is exact"
    )
    return judged({"symplectic": a.holds, "energy": b.holds}, told, a.high)


def krysl_explicit(calls: dict[Any, Any], table: TableResult) -> Finding:
    """One torque a step; momentum free; and the momentum of a symmetry is kept in a potential, too."""
    cases = {
        "explicit in the torque": calls["LIEMID[EA]"] == 1,
        "momentum of a free body": table.cell("LIEMID[EA]", "free momentum").measured == "yes",
        "only for the free body": table.cell("LIEMID[EA]", "potential momentum").measured == "no",
    }
    cell = table.cell("LIEMID[EA]", "potential momentum")
    told = (
        f"{calls['LIEMID[EA]']:g} torque a step; the momentum of a symmetric potential is kept as well "
        f"({cell.value:.0e})"
    )
    return judged(cases, told, calls["LIEMID[EA]"])


def conjugate(identities: dict[Any, Any]) -> Finding:
    """IMIDM after an explicit half step is that half step after TRAPM."""
    off, apart = identities["TRAPM and IMIDM, conjugated"], identities["TRAPM and IMIDM"]
    told = f"IMIDM F = F TRAPM to {off:.0e}, F the explicit half step, while the two differ by {apart:.0e} a step"
    return judged({"conjugate": off < 1e-14, "different": apart > 1e-6}, told, off)


def almost_poisson(defects: dict[Any, Any]) -> Finding:
    """Momentum exact; the Poisson defect is that of order h^3."""
    a, b = defects["PRK", "momentum free"], defects["PRK", "Poisson"]
    told = f"momentum to {a.high:.0e}; the Poisson defect of a step with h = 1/8 is {b.high:.0e}: not zero, but small"
    return judged({"momentum": a.holds, "almost Poisson": b.high < 1e-4}, told, b.high)


def no_drift_of_new3(table: TableResult, result: DriftResult) -> Finding:
    """None on the free body, which the authors tested; on the stress test there is."""
    free = table.cell("NEW3", "free energy")
    slope = result.row("NEW3").evidence[0].rate
    told = f"free body: {free.measured} (slope below {free.value:.0e}); stress test: slope {slope:+.1e}"
    return judged({"the free body": free.measured == "no drift seen", "the stress test": slope == 0}, told, slope)


def changed_time(times: dict[Any, Any]) -> Finding:
    """RATTLE, free: the momentum is exact at a changed time; the attitude is not."""
    rows = {key: row for key, row in times.items() if key[0] == "RATTLE"}
    momentum = max(row["momentum"] for row in rows.values())
    attitude = min(row["attitude"] for row in rows.values())
    told = (
        f"RATTLE's momentum is exact at the times c t (to {momentum:.0e}), c - 1 = {rows['RATTLE', 0.1]['c - 1']:.3f} "
        f"with h = 0.1; its attitude is not: {attitude:.0e} and more are left"
    )
    return judged({"the momentum": momentum < 1e-12, "the attitude": attitude < 1e-12}, told, momentum)


def related(identities: dict[Any, Any], defects: dict[Any, Any]) -> Finding:
    """Different maps, both symplectic."""
    apart = identities["VLV and RATTLE"]
    told = f"steps from the same state differ by {apart:.0e}; both are symplectic to 1e-48"
    both = defects["VLV", "symplectic"].holds and defects["RATTLE", "symplectic free"].holds
    return judged({"different": apart > 1e-6, "both symplectic": both}, told, apart)


STATEMENTS = (
    said(
        key="os-drift-all-but-vlv",
        where="section 6, Figure 1",
        says="A systematic drift for all the methods but the VLV can be observed",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"ELN": "-", "TLN": "-", "PRK": "-", "MCG": "+", "NEW3": "+", "LIEMID[EA]": "+", "VLV": "none"}),
        figure=FIGURE_1,
    ),
    said(
        key="os-drift-signs",
        where="section 6, Figure 1",
        says="Positive (MCG, NEW3, LIEMID[EA]) and negative energy drifts (ELN, TLN, PRK) of different slope are "
        "observed",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"MCG": "+", "NEW3": "+", "LIEMID[EA]": "+", "ELN": "-", "TLN": "-", "PRK": "-"}),
        figure=FIGURE_1,
    ),
    said(
        key="os-vlv-bounded",
        where="caption of Figure 1",
        says="the energy error of VLV method remains bounded as predicted by the theory",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"VLV": "none"}),
        figure=FIGURE_1,
    ),
    said(
        key="os-linear-in-time",
        where="section 6",
        says="the drift is linear with respect to time",
        verdict=IN_PART,
        needs=(FIGURE_1,),
        measure=linear_in_time(*DRIFTING),
        figure=FIGURE_1,
    ),
    said(
        key="os-quadratic-in-h",
        where="section 6",
        says="A finer analysis also shows that the drift is quadratic in the timestep h",
        verdict=IN_PART,
        needs=(FIGURE_1,),
        measure=quadratic(*DRIFTING),
        figure=FIGURE_1,
    ),
    said(
        key="os-least-slope",
        where="section 6",
        says="LIEMID[EA] exhibits the smallest slope constant (in absolute value)",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=least_slope,
        figure=FIGURE_1,
    ),
    said(
        key="os-exponential-map",
        where="section 6",
        says="tests ... using the exponential map in place of the Cayley map in the reconstruction equation of ELN and "
        "TLN also show a very similar drift in the energy",
        verdict=IN_PART,
        needs=(FIGURE_1, "exponential-for-cayley"),
        measure=exponential_map,
        figure=FIGURE_1,
    ),
    said(
        key="os-second-order",
        where="section 6, Figure 2",
        says="all the methods are second-order accurate",
        verdict=CONFIRMED,
        needs=(FIGURE_2,),
        measure=orders({2: ()}),
        figure=FIGURE_2,
    ),
    said(
        key="os-better-accuracy",
        where="caption of Figure 2",
        says="PRK, MCG and LIEMID[EA] show a better accuracy than those of other methods",
        verdict=IN_PART,
        needs=(FIGURE_2,),
        measure=ahead_of(("PRK", "MCG", "LIEMID[EA]"), ("ELN", "TLN", "NEW3", "VLV")),
        figure=FIGURE_2,
    ),
    said(
        key="os-tln-as-eln",
        where="section 6",
        says="despite its implicitness, TLN shows the same accuracy than that of ELN in this numerical test",
        verdict=NOT_CONFIRMED,
        needs=(FIGURE_2,),
        measure=as_accurate("TLN", "ELN"),
        figure=FIGURE_2,
    ),
    said(
        key="os-running-times",
        where="section 6",
        says="LIEMID[EA] and TLN, respectively, require about two and six (!) times the running time of the remaining "
        "algorithms",
        verdict=IN_PART,
        needs=("stress-costs",),
        measure=running_times,
        figure=FIGURE_1,
        timed=True,
    ),
    said(
        key="os-on-the-group",
        where="section 6",
        says="the SO(3) constraint ... is satisfied for all methods up to machine precision",
        verdict=IN_PART,
        needs=("orthogonality",),
        measure=on_the_group,
    ),
    said(
        key="os-drift-disproves",
        where="section 4",
        says="if an integrator exhibits a systematic drift in total energy, one can conclude that it is neither a "
        "symplectic nor a conjugate-symplectic integrator",
        verdict=CONFIRMED,
        needs=(FIGURE_1, "defects"),
        measure=drift_and_structure,
    ),
    said(
        key="os-symmetric-may-drift",
        where="section 1",
        says="a counterexample ... to the belief that symmetric methods applied to reversible Hamiltonian "
        "systems nearly "
        "preserve the energy over long times",
        verdict=CONFIRMED,
        needs=(FIGURE_1, "defects"),
        measure=symmetric_and_drifting,
    ),
    said(
        key="os-sphere-of-radius-one",
        where="section 4",
        says="it can be pictured as a sphere of radius one when employing the exponential coordinates",
        verdict=NOT_CONFIRMED,
        needs=(BALL,),
        measure=sphere,
    ),
    said(
        key="os-confined",
        where="section 4",
        says="the true solution is confined to a simply connected neighborhood of the set S_alpha x {0}",
        verdict=CONFIRMED,
        needs=(BALL,),
        measure=confined,
    ),
    said(
        key="os-start-near-one",
        where="section 6",
        says="The initial attitude ... has been selected so that dist(Q0, I) is nearly one",
        verdict=CONFIRMED,
        needs=(BALL,),
        measure=nearly_one,
    ),
    said(
        key="os-lie-newmark-keeps-nothing",
        where="section 2",
        says="the Lie-Newmark method neither exactly preserve[s] energy nor conserve[s] momentum for the free "
        "rigid body",
        verdict=CONFIRMED,
        needs=(TABLE,),
        measure=entries(
            {
                ("ELN", "free energy"): "no drift seen",
                ("ELN", "free momentum"): "no",
                ("TLN", "free energy"): "no drift seen",
                ("TLN", "free momentum"): "no",
            }
        ),
        figure=TABLE,
    ),
    said(
        key="os-simo-wong",
        where="section 2",
        says="in the free rigid body case, both [Algo_1, Algo_C1] preserve energy whereas only the latter preserves "
        "momentum ...; none of these algorithms is nevertheless symplectic",
        verdict=CONFIRMED,
        needs=(TABLE,),
        measure=entries(
            {
                ("IMID", "free energy"): "yes",
                ("ALGO_C1", "free energy"): "yes",
                ("IMID", "free momentum"): "no",
                ("ALGO_C1", "free momentum"): "yes",
                ("IMID", "free symplectic"): "no",
                ("ALGO_C1", "free symplectic"): "no",
            }
        ),
        figure=TABLE,
    ),
    said(
        key="os-austin",
        where="section 2",
        says="the midpoint rule applied to Euler's equations with a Cayley reconstruction procedure is ... a simple "
        "non-symplectic energy-momentum-preserving method",
        verdict=CONFIRMED,
        needs=(TABLE,),
        measure=entries(
            {
                ("AKW", "free energy"): "yes",
                ("AKW", "free momentum"): "yes",
                ("AKW", "free symplectic"): "no",
            }
        ),
        figure=TABLE,
    ),
    said(
        key="os-lewis-simo",
        where="section 2",
        says="a symplectic, energy and momentum-preserving integrator ..., which encompasses, as a particular "
        "case, the "
        "energy-momentum algorithms of Simo and Wong and the midpoint-rule integrator of Austin et al.",
        verdict=IN_PART,
        needs=(TABLE, "identities", "defects"),
        measure=lewis_simo,
        figure=TABLE,
    ),
    said(
        key="os-lewis-simo-heavy-top",
        where="section 2",
        says="it might be symplectic or energy preserving for some particular choice of the potential energy ... "
        "(e.g., "
        "in the case of a heavy top)",
        verdict=NOT_CONFIRMED,
        needs=("defects",),
        measure=heavy_top,
        figure=TABLE,
    ),
    said(
        key="os-krysl-explicit",
        where="section 2",
        says="LIEMID[EA] ... is explicit in the torque evaluation and momentum-preserving (only for the free "
        "rigid body)",
        verdict=IN_PART,
        needs=("torque-calls", TABLE),
        measure=krysl_explicit,
        figure=TABLE,
    ),
    said(
        key="os-krysl-outperforms",
        where="section 2, on Krysl (2005)",
        says="the accuracy of LIEMID[EA] method outperforms the algorithms by Simo and Wong, Austin et al., and "
        "Krysl and "
        "Endres (free rigid body, fast and slow Lagrangian tops, soft wall)",
        verdict=IN_PART,
        needs=("accuracy-of-others",),
        measure=ahead_of(("LIEMID[EA]",), ("SW", "AKW", "NMB"), ("free-body", "fast-top", "slow-top", "soft-wall")),
    ),
    said(
        key="os-trapm-imidm-conjugate",
        where="section 2, on Krysl (2008)",
        says="[TRAPM and IMIDM] are mutually conjugate",
        verdict=CONFIRMED,
        needs=("identities",),
        measure=conjugate,
    ),
    said(
        key="os-trapm-imidm-accuracy",
        where="section 2, on Krysl (2008)",
        says="they exhibit ... a higher accuracy than the algorithms by Simo and Wong and Austin et al.",
        verdict=IN_PART,
        needs=("accuracy-of-others",),
        measure=ahead_of(("TRAPM", "IMIDM"), ("SW", "AKW")),
    ),
    said(
        key="os-prk-almost-poisson",
        where="section 2, on Nukala & Shelton (2007)",
        says="In the free rigid body case, the algorithms exactly preserve the momentum, and PRK is almost Poisson",
        verdict=CONFIRMED,
        needs=("defects",),
        measure=almost_poisson,
    ),
    said(
        key="os-nukala-shelton-superior",
        where="section 2, on Nukala & Shelton (2007)",
        says="[PRK and MCG] exhibit superior performance compared with the algorithms of Simo and Wong, "
        "Lie-Newmark, Moser "
        "and Veselov, Lewis and Simo, and Krysl (free rigid body, heavy top, fast and slow Lagrangian tops)",
        verdict=IN_PART,
        needs=("accuracy-of-others",),
        measure=ahead_of(
            ("PRK", "MCG"),
            ("SW", "ELN", "RATTLE", "LS", "LIEMID[EA]"),
            ("free-body", "heavy-top", "fast-top", "slow-top"),
        ),
    ),
    said(
        key="os-new3-no-drift",
        where="section 5.6, on Koziara & Bicanic (2010)",
        says="In the numerical tests reported [by its authors], the algorithm performs well, showing no energy drift",
        verdict=IN_PART,
        needs=(TABLE, FIGURE_1),
        measure=no_drift_of_new3,
    ),
    said(
        key="os-rattle",
        where="section 2",
        says="[RATTLE] is symplectic and momentum-preserving both for the free body case and the generic "
        "potential case, "
        "and exactly preserves energy only in the former case",
        verdict=CONFIRMED,
        needs=(TABLE,),
        measure=entries(
            {
                ("RATTLE", "free symplectic"): "yes",
                ("RATTLE", "potential symplectic"): "yes",
                ("RATTLE", "free momentum"): "yes",
                ("RATTLE", "potential momentum"): "yes",
                ("RATTLE", "free energy"): "yes",
                ("RATTLE", "potential energy"): "nearly",
            }
        ),
        figure=TABLE,
    ),
    said(
        key="os-exact-up-to-time",
        where="section 2, on Ge & Marsden (1988)",
        says="the methods are symplectic, momentum preserving, and energy preserving: this implies that they are "
        "integrating "
        "exactly the Hamiltonian system up to a reparametrization of time",
        verdict=IN_PART,
        needs=("changed-time",),
        measure=changed_time,
        figure=TABLE,
    ),
    said(
        key="os-vlv-and-rattle",
        where="section 5.7",
        says="The method [VLV] is closely related to, but different, from the RATTLE method",
        verdict=CONFIRMED,
        needs=("identities", "defects"),
        measure=related,
    ),
)
