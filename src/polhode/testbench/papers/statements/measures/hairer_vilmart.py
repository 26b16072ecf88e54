"""How the statements of Hairer & Vilmart (2006) are measured."""

import itertools
from typing import Any

import numpy as np

from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.scalar_functions import ScalarFunctionsResult
from polhode.testbench.papers.statements.checks import factor
from polhode.testbench.papers.statements.record import Finding, judged
from polhode.testbench.papers.table import TableResult
from polhode.testbench.papers.work_precision import WorkPrecisionResult

PREPROCESSED = ("DMV4", "DMV6", "DMV8")


def only_invariants(dependence: dict[Any, Any]) -> Finding:
    """The terms of s and d in the third invariant, summed."""
    measured = "the terms of s and d up to h^8 in the third invariant |Omega|^2 are all zero, in exact rational numbers"
    return judged({letter: x == 0 for letter, x in dependence.items()}, measured, max(dependence.values()))


def table_1(result: ScalarFunctionsResult) -> Finding:
    """Every coefficient of Table 1, compared as a rational function."""
    wrong = [f"{r.function} {r.monomial}" for r in result.rows if r.wrong]
    measured = result.lead if not wrong else f"wrong: {', '.join(wrong)}"
    return judged(
        {f"{r.function} {r.monomial}": r.wrong == 0 for r in result.rows}, measured.rstrip("."), len(result.rows)
    )


def exact_quantities(table: TableResult, defects: dict[Any, Any]) -> Finding:
    """Orders, invariants and the Poisson property from Table 2, symmetry at 50 digits."""
    cases = {}
    for m in PREPROCESSED:
        cases[f"order of {m}"] = table.cell(m, "order y").measured == table.cell(m, "order Q").measured == m[3:]
        for column in ("Qy", "C", "H", "Poisson"):
            cases[f"{table.columns[column]} of {m}"] = table.cell(m, column).measured == "yes"
        cases[f"symmetry of {m}"] = defects[m, "symmetric"].holds
    worst = max(table.cell(m, c).value for m in PREPROCESSED for c in ("Qy", "C", "H", "Poisson"))
    orders_ = ", ".join(f"{table.cell(m, 'order Q').value:.2f}" for m in PREPROCESSED)
    return judged(cases, f"orders {orders_}; invariants, Poisson property and symmetry to {worst:.0e}", worst)


def not_symplectic(defects: dict[Any, Any]) -> Finding:
    """The symplectic defects of a free step."""
    findings = {m: defects[m, "symplectic free"] for m in PREPROCESSED}
    measured = ", ".join(f"{m} {f.high:.0e}" for m, f in findings.items())
    return judged(
        {m: not f.holds for m, f in findings.items()},
        f"symplectic defects {measured}, at 50 digits",
        findings["DMV8"].high,
    )


def gradient(terms: dict[Any, Any]) -> Finding:
    """ds/dC = dd/dH at h^2, and not beyond."""
    beyond = [x for k, x in terms.items() if not k.startswith("h^2")]
    measured = (
        f"ds/dC - dd/dH is {terms['h^2']} at h^2 and {terms['h^4 H']} H {terms['h^4 C']} C at h^4 (body (0.6, 0.8, 1))"
    )
    return judged({"after h^2": terms["h^2"] == 0, "not in general": all(beyond)}, measured, float(terms["h^4 H"]))


def modified_hamiltonian(times: dict[Any, Any]) -> Finding:
    """y is the exact motion at the times c t, c = dK/dH constant, with c - 1 = O(h^2r): a Poisson flow of K(H, C)."""
    cases, parts = {}, []
    for m, order in (("RATTLE", 2), ("DMV4", 4), ("DMV6", 6)):
        left = max(times[m, h]["momentum"] for h in (0.2, 0.1, 0.05))
        rate = float(np.log2(times[m, 0.1]["c - 1"] / times[m, 0.05]["c - 1"]))
        cases[m] = left < 1e-12 and abs(rate - order) < 0.1
        parts.append(f"{m}: to {left:.0e}, c - 1 of order h^{rate:.2f}")
    return judged(cases, "the momentum is exact at the times c t; " + "; ".join(parts), left)


def time_transformation(same_as: dict[Any, Any]) -> Finding:
    """s3 is that of Table 1, s5 and s7 are not."""
    measured = ", ".join(f"{k} {'the same' if same else 'another'}" for k, same in same_as.items())
    return judged(
        {"k = 3": same_as["s3"], "k > 3": not same_as["s5"] and not same_as["s7"]}, measured, float(same_as["s3"])
    )


def inferior(result: ConvergenceResult) -> Finding:
    """The completed time transformation beside the preprocessed method of the same order, two bodies."""
    cases, parts = {}, []
    for order in (4, 6):
        for body in ("asymmetric", "water"):
            f = factor(result.one(f"DMV-TT{order}+Q", body), result.one(f"DMV{order}", body), "Q")
            cases[f"order {order}, {body}"] = f.least > 1.1
            parts.append(f"{f.least:.0f} to {f.greatest:.0f}")
    return judged(cases, f"its errors in Q are {', '.join(parts)} times as large (orders 4, 6; two bodies)", f.mean)


def higher_order_pays(result: WorkPrecisionResult) -> Finding:
    """At every step at which both can be solved, the next order has the smaller error, also at the largest."""
    cases, gains, lost = {}, [], []
    for family in (("RATTLE", *PREPROCESSED), ("IMR2", "IMR4", "IMR6")):
        for (low, high), body in itertools.product(itertools.pairwise(family), ("asymmetric", "water")):
            a, b = result.one(low, body), result.one(high, body)
            both = np.isfinite(a.error_Q) & np.isfinite(b.error_Q) & (a.error_Q > 1e-12)
            ratios = a.error_Q[both] / b.error_Q[both]
            case = f"{high} over {low}, {body}"
            cases[case] = bool((ratios > 1.1).all())
            gains.append(float(ratios[0]))  # at the largest common step
            lost += [] if cases[case] else [f"{case} (with h = {a.h[both][0]:g}, where both errors are of order one)"]
    measured = (
        f"at the largest step both can take, the next order is {min(gains):.1f} to {max(gains):.0f} times as accurate"
    )
    return judged(cases, measured + (f"; it is not for {', '.join(lost)}" if lost else ""), min(gains))


def little_overhead(result: WorkPrecisionResult) -> Finding:
    """The time of a step of the highest order over that of the lowest, the median over the steps."""
    ratios = {}
    for high, low in (("DMV8", "RATTLE"), ("IMR6", "IMR2")):
        x = [result.one(high, body).time / result.one(low, body).time for body in ("asymmetric", "water")]
        ratios[high, low] = float(np.nanmedian(np.concatenate(x)))
    measured = ", ".join(
        f"{a} takes {x:.2f} times as long as {b.replace('RATTLE', 'DMV')}" for (a, b), x in ratios.items()
    )
    return judged({a: x < 1.5 for (a, _), x in ratios.items()}, measured, ratios["DMV8", "RATTLE"])


def fifty_per_cent(times: dict[Any, Any]) -> Finding:
    """One step of DMV8 over one of DMV; "only about 50 %" stands for 65 at most."""
    ratios = [times["DMV8", h] / times["DMV", h] for h in (0.2, 0.1, 0.05, 0.025)]
    measured = f"a step of DMV8 takes {min(ratios) - 1:.0%} to {max(ratios) - 1:.0%} more time than one of DMV"
    middle = float(np.median(ratios))
    return judged({"only about 50%": middle < 1.65}, measured, middle - 1)


def ten_for_four(times: dict[Any, Any]) -> Finding:
    """Ten steps of DMV8 with one preprocessing, over one step; "about 4" stands for 3 to 5."""
    ratios = [times["10 steps of DMV8", h] / times["DMV8", h] for h in (0.2, 0.1, 0.05, 0.025)]
    measured = f"ten steps with one preprocessing take {min(ratios):.1f} to {max(ratios):.1f} times as long as one step"
    middle = float(np.median(ratios))
    return judged({"about 4": 3 < middle < 5}, measured, middle)


def exact_splitting(errors: dict[Any, Any]) -> Finding:
    """The error of SR2 on symmetric bodies."""
    measured = ", ".join(f"{body}: {x:.0e}" for body, x in errors.items())
    cases = {body: x < 1e-13 for body, x in errors.items() if len(set(body.strip("()").split(", "))) < 3}
    return judged(
        cases, f"error of SR2 at t = 10 with h = 0.2 for the moments {measured}", max(errors[b] for b in cases)
    )


def another_bracket(table: TableResult) -> Finding:
    """C(y) is kept, so the map is Poisson for a multiple of the bracket; for this one it is not."""
    casimirs = {m: table.cell(m, "C") for m in ("IMR2", "IMR4", "IMR6")}
    cases = {m: c.measured == "yes" and table.cell(m, "Poisson").measured == "no" for m, c in casimirs.items()}
    measured = (
        f"not Poisson for the standard bracket ({table.cell('IMR2', 'Poisson').value:.0e}), while C(y) is kept to "
        f"{max(x.value for x in casimirs.values()):.0e}; then A hat(y0) A^T = det(A) hat(y1), a multiple, for every "
        "method"
    )
    return judged(cases, measured, max(c.value for c in casimirs.values()))
