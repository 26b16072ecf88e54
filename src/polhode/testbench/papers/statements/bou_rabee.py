"""What Bou-Rabee, Ortolan & Saccon (2010) say. Their NMB is ELN here."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.statements.checks import drift, linear_in_time, order_of, orders, quadratic_in_h
from polhode.testbench.papers.statements.record import CONFIRMED, Finding, Statement, judged

FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5 = (f"bou-rabee-ortolan-saccon-2010-figure-{k}" for k in range(1, 6))

said = functools.partial(Statement, source="bou-rabee-ortolan-saccon-2010")


def linear_and_quadratic(method: str) -> Callable[..., Any]:
    """One rate all along, and that goes like h^2."""

    def check(result: DriftResult) -> Finding:
        parts = {"linear in T": linear_in_time(method)(result), "quadratic in h": quadratic_in_h(method)(result)}
        told = f"{method}: {parts['linear in T'].measured}; {parts['quadratic in h'].measured}"
        return judged({k: f.verdict == CONFIRMED for k, f in parts.items()}, told, parts["quadratic in h"].value)

    return check


def similar_cost(defects: dict, calls: dict, convergence: ConvergenceResult, times: dict) -> Finding:
    """Symmetric, one torque a step, order two, and a step costs the same within 30 per cent."""
    ratios = [times["ELN", h] / times["VLV", h] for h in (0.125, 0.25)]
    cases = {
        "symmetric": all(defects[m, "symmetric"].holds for m in ("ELN", "VLV")),
        "explicit in the torque": calls["ELN"] == calls["VLV"] == 1,
        "second order": orders({2: ()})(convergence).verdict == CONFIRMED,
        "similar cost": all(1 / 1.3 < x < 1.3 for x in ratios),
    }
    told = f"a step of Lie-Newmark takes {min(ratios):.2f} to {max(ratios):.2f} times as long as one of Lie-Verlet"
    return judged(cases, told, float(np.mean(ratios)))


def smaller_drift(newmark: DriftResult, midpoint: DriftResult) -> Finding:
    """At both steps."""
    cases, told = {}, []
    for a, b in zip(midpoint.row("LIEMID[EA]").evidence, newmark.row("ELN").evidence):
        ratio = abs(a.rate / b.rate)
        cases[f"h = {a.h:g}"] = ratio < 1 / 1.1
        told.append(f"{ratio:.2f} times as fast with h = {a.h:g}")
    return judged(cases, ", ".join(told), ratio)


def linear_growth(growth: dict) -> Finding:
    """The exponent of t in the global error, from a line through the logarithms at doubling times."""
    powers = {m: float(np.polyfit(np.log(g["t"]), np.log(g["error"]), 1)[0]) for m, g in growth.items()}
    told = (
        f"the error of VLV grows like t^{powers['VLV']:.2f} up to t = {growth['VLV']['t'][-1]:g}; ELN's, too: "
        f"t^{powers['ELN']:.2f}"
    )
    return judged({"VLV": abs(powers["VLV"] - 1) < 0.2}, told, powers["VLV"])


def not_symplectic(method: str, result_has: str) -> Callable[..., Any]:
    """A defect at 50 digits, and a drift."""

    def check(result: DriftResult, defects: dict) -> Finding:
        a = defects[method, "symplectic"]
        rate = result.row(method).evidence[0].rate
        told = f"symplectic defect {a.high:.0e} at 50 digits, drift {rate:+.1e}"
        return judged({"not symplectic": not a.holds, "drift": result.row(method).sign == result_has}, told, a.high)

    return check


def second_order_symmetric(convergence: ConvergenceResult, defects: dict) -> Finding:
    """Of LIEMID[EA]."""
    Q, Omega = (order_of(convergence.one("LIEMID[EA]"), what) for what in ("Q", "Omega"))
    cases = {
        "second order": max(abs(Q - 2), abs(Omega - 2)) < 0.05,
        "symmetric": defects["LIEMID[EA]", "symmetric"].holds,
    }
    told = f"orders {Q:.2f} and {Omega:.2f}, symmetry to {defects['LIEMID[EA]', 'symmetric'].high:.0e}"
    return judged(cases, told, Q)


def two_solves(times: dict) -> Finding:
    """Two small solves instead of one: it shows in the time of a step, beside MCG, which is the same with one."""
    ratios = [times["LIEMID[EA]", h] / times["MCG", h] for h in (0.125, 0.25)]
    told = f"a step takes {min(ratios):.2f} to {max(ratios):.2f} times as long as one of MCG, which solves once"
    return judged({"dearer": min(ratios) > 1.1}, told, float(np.mean(ratios)))


def picture(ball: BallResult) -> Finding:
    """A path on a shell around the identity, inside the level surface of its energy, away from Qm."""
    f = ball.facts
    cases = {
        "inside the level surface": f["greatest U"] < f["greatest energy"],
        "away from Qm": f["nearest to Qm"] > 1,
        "energy is lost": f["change of energy"] < 0,
    }
    told = (
        f"U between {f['least U']:.2f} and {f['greatest U']:.2f} on the path, E = {f['energy at the start']:.3f} "
        "at the "
        f"start and {f['change of energy']:+.3f} until the end; no nearer to Qm than {f['nearest to Qm']:.2f}"
    )
    return judged(cases, told, f["change of energy"])


STATEMENTS = (
    said(
        key="br-nmb-drifts",
        where="section 3, Figure 1",
        says="A systematic drift for the NMB scheme can be observed in both cases",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"ELN": "-"}),
        figure=FIGURE_1,
    ),
    said(
        key="br-vlv-bounded",
        where="section 3, Figure 1",
        says="No energy drift is observed for the VLV scheme",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"VLV": "none"}),
        figure=FIGURE_1,
    ),
    said(
        key="br-linear-quadratic",
        where="section 3, Figure 1",
        says="The drift appears linear in the time span T and quadratic in the time-stepsize h",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=linear_and_quadratic("ELN"),
        figure=FIGURE_1,
    ),
    said(
        key="br-exponential-map",
        where="section 3",
        says="We have also tested the Lie-Newmark method with the Cayley map ... replaced by the exponential map. "
        "Systematic energy drift is observed in that case too",
        verdict=CONFIRMED,
        needs=("exponential-for-cayley",),
        measure=drift({"NMB": "-"}),
        figure=FIGURE_1,
    ),
    said(
        key="br-confined-path",
        where="Figure 2",
        says="The trajectory stays on a shell between level sets of the potential, and away from the attraction point",
        quoted=False,
        verdict=CONFIRMED,
        needs=(FIGURE_2,),
        measure=picture,
        figure=FIGURE_2,
    ),
    said(
        key="br-second-order",
        where="caption of Figure 3",
        says="Observe that both integrators are second-order accurate",
        verdict=CONFIRMED,
        needs=(FIGURE_3,),
        measure=orders({2: ()}),
        figure=FIGURE_3,
    ),
    said(
        key="br-similar-methods",
        where="sections 1 and 4",
        says="Both methods are semi-explicit, second-order accurate and symmetric. ... the complexity and "
        "implementation of "
        "the two methods is quite similar",
        verdict=CONFIRMED,
        needs=("defects", "torque-calls", FIGURE_3, "stress-costs"),
        measure=similar_cost,
        figure=FIGURE_3,
        timed=True,
    ),
    said(
        key="br-conjecture-false",
        where="abstract",
        says="a counterexample to the conjecture that the semi-explicit Lie-Newmark algorithm is variational",
        verdict=CONFIRMED,
        needs=(FIGURE_1, "defects"),
        measure=not_symplectic("ELN", "-"),
        figure=FIGURE_1,
    ),
    said(
        key="br-linear-growth",
        where="section 1",
        says="variational integrators nearly preserve the true energy and exhibit linear growth in global error",
        verdict=CONFIRMED,
        needs=("error-growth",),
        measure=linear_growth,
    ),
    said(
        key="br-liemid-drifts",
        where="appendix, Figure 4",
        says="A systematic drift for the LIEMID[EA] scheme can be observed in both cases",
        verdict=CONFIRMED,
        needs=(FIGURE_4,),
        measure=drift({"LIEMID[EA]": "+"}),
        figure=FIGURE_4,
    ),
    said(
        key="br-vlv-bounded-again",
        where="Figure 4",
        says="VLV, drawn beside it, does not drift",
        quoted=False,
        verdict=CONFIRMED,
        needs=(FIGURE_4,),
        measure=drift({"VLV": "none"}),
        figure=FIGURE_4,
    ),
    said(
        key="br-liemid-linear-quadratic",
        where="appendix, Figure 4",
        says="The drift appears linear in the time span T and quadratic in the time-stepsize h",
        verdict=CONFIRMED,
        needs=(FIGURE_4,),
        measure=linear_and_quadratic("LIEMID[EA]"),
        figure=FIGURE_4,
    ),
    said(
        key="br-liemid-smaller-drift",
        where="appendix",
        says="the drift of LIEMID[EA] is smaller than the drift exhibited by NMB",
        verdict=CONFIRMED,
        needs=(FIGURE_1, FIGURE_4),
        measure=smaller_drift,
        figure=FIGURE_4,
    ),
    said(
        key="br-liemid-not-symplectic",
        where="appendix",
        says="the test reveals that the integrator is not conjugate symplectic",
        verdict=CONFIRMED,
        needs=(FIGURE_4, "defects"),
        measure=not_symplectic("LIEMID[EA]", "+"),
        figure=FIGURE_4,
    ),
    said(
        key="br-liemid-two-solves",
        where="appendix",
        says="the algorithm involves two nonlinear solves per step, unlike the Lie-Newmark and Lie-Verlet "
        "methods which "
        "involve one",
        verdict=CONFIRMED,
        needs=("stress-costs",),
        measure=two_solves,
        figure=FIGURE_5,
        timed=True,
    ),
    said(
        key="br-liemid-second-order",
        where="appendix, Figure 5",
        says="the method is symmetric and second-order accurate",
        verdict=CONFIRMED,
        needs=(FIGURE_5, "defects"),
        measure=second_order_symmetric,
        figure=FIGURE_5,
    ),
)
