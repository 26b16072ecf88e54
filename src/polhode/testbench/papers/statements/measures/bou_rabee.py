"""How the statements of Bou-Rabee, Ortolan & Saccon (2010) are measured."""

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.statements.checks import linear_in_time, order_of, orders, quadratic_in_h
from polhode.testbench.papers.statements.record import CONFIRMED, Finding, judged


def linear_and_quadratic(method: str) -> Callable[..., Any]:
    """One rate all along, and that goes like h^2."""

    def check(result: DriftResult) -> Finding:
        parts = {"linear in T": linear_in_time(method)(result), "quadratic in h": quadratic_in_h(method)(result)}
        measured = f"{method}: {parts['linear in T'].measured}; {parts['quadratic in h'].measured}"
        return judged({k: f.verdict == CONFIRMED for k, f in parts.items()}, measured, parts["quadratic in h"].value)

    return check


def similar_cost(
    defects: dict[Any, Any], calls: dict[Any, Any], convergence: ConvergenceResult, times: dict[Any, Any]
) -> Finding:
    """Symmetric, one torque a step, order two, and a step costs the same within 30 per cent."""
    ratios = [times["ELN", h] / times["VLV", h] for h in (0.125, 0.25)]
    cases = {
        "symmetric": all(defects[m, "symmetric"].holds for m in ("ELN", "VLV")),
        "explicit in the torque": calls["ELN"] == calls["VLV"] == 1,
        "second order": orders({2: ()})(convergence).verdict == CONFIRMED,
        "similar cost": all(1 / 1.3 < x < 1.3 for x in ratios),
    }
    measured = f"a step of Lie-Newmark takes {min(ratios):.2f} to {max(ratios):.2f} times as long as one of Lie-Verlet"
    return judged(cases, measured, float(np.mean(ratios)))


def smaller_drift(newmark: DriftResult, midpoint: DriftResult) -> Finding:
    """At both steps."""
    cases, parts = {}, []
    for a, b in zip(midpoint.row("LIEMID[EA]").evidence, newmark.row("ELN").evidence):
        ratio = abs(a.rate / b.rate)
        cases[f"h = {a.h:g}"] = ratio < 1 / 1.1
        parts.append(f"{ratio:.2f} times as fast with h = {a.h:g}")
    return judged(cases, ", ".join(parts), ratio)


def linear_growth(growth: dict[Any, Any]) -> Finding:
    """The exponent of t in the global error, from a line through the logarithms at doubling times."""
    powers = {m: float(np.polyfit(np.log(g["t"]), np.log(g["error"]), 1)[0]) for m, g in growth.items()}
    measured = (
        f"the error of VLV grows like t^{powers['VLV']:.2f} up to t = {growth['VLV']['t'][-1]:g}; ELN's, too: "
        f"t^{powers['ELN']:.2f}"
    )
    return judged({"VLV": abs(powers["VLV"] - 1) < 0.2}, measured, powers["VLV"])


def not_symplectic(method: str, result_has: str) -> Callable[..., Any]:
    """A defect at 50 digits, and a drift."""

    def check(result: DriftResult, defects: dict[Any, Any]) -> Finding:
        a = defects[method, "symplectic"]
        rate = result.row(method).evidence[0].rate
        measured = f"symplectic defect {a.high:.0e} at 50 digits, drift {rate:+.1e}"
        return judged({"not symplectic": not a.holds, "drift": result.row(method).sign == result_has}, measured, a.high)

    return check


def second_order_symmetric(convergence: ConvergenceResult, defects: dict[Any, Any]) -> Finding:
    """Of LIEMID[EA]."""
    Q, Omega = (order_of(convergence.one("LIEMID[EA]"), what) for what in ("Q", "Omega"))
    cases = {
        "second order": max(abs(Q - 2), abs(Omega - 2)) < 0.05,
        "symmetric": defects["LIEMID[EA]", "symmetric"].holds,
    }
    measured = f"orders {Q:.2f} and {Omega:.2f}, symmetry to {defects['LIEMID[EA]', 'symmetric'].high:.0e}"
    return judged(cases, measured, Q)


def two_solves(times: dict[Any, Any]) -> Finding:
    """Two small solves instead of one: it shows in the time of a step, beside MCG, which is the same with one."""
    ratios = [times["LIEMID[EA]", h] / times["MCG", h] for h in (0.125, 0.25)]
    measured = f"a step takes {min(ratios):.2f} to {max(ratios):.2f} times as long as one of MCG, which solves once"
    return judged({"dearer": min(ratios) > 1.1}, measured, float(np.mean(ratios)))


def picture(ball: BallResult) -> Finding:
    """A path on a shell around the identity, inside the level surface of its energy, away from Qm."""
    f = ball.facts
    cases = {
        "inside the level surface": f["greatest U"] < f["greatest energy"],
        "away from Qm": f["nearest to Qm"] > 1,
        "energy is lost": f["change of energy"] < 0,
    }
    measured = (
        f"U between {f['least U']:.2f} and {f['greatest U']:.2f} on the path, E = {f['energy at the start']:.3f} "
        "at the "
        f"start and {f['change of energy']:+.3f} until the end; no nearer to Qm than {f['nearest to Qm']:.2f}"
    )
    return judged(cases, measured, f["change of energy"])
