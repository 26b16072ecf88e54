"""What Hairer & Vilmart (2006) say. Their DMV is RATTLE here, which it is without a torque."""

import functools
import itertools
from typing import Any

import numpy as np

from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.testbench.papers.scalar_functions import ScalarFunctionsResult
from polhode.testbench.papers.statements.checks import entries, factor, orders
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED, Finding, Statement, judged
from polhode.testbench.papers.table import TableResult
from polhode.testbench.papers.work_precision import WorkPrecisionResult

TABLE_1, TABLE_2, FIGURE_1 = (f"hairer-vilmart-2006-{x}" for x in ("table-1", "table-2", "figure-1"))

said = functools.partial(Statement, source="hairer-vilmart-2006")

PREPROCESSED = ("DMV4", "DMV6", "DMV8")


def only_invariants(dependence: dict[Any, Any]) -> Finding:
    """The terms of s and d in the third invariant, summed."""
    told = "the terms of s and d up to h^8 in the third invariant |Omega|^2 are all zero, in exact rational numbers"
    return judged({letter: x == 0 for letter, x in dependence.items()}, told, max(dependence.values()))


def table_1(result: ScalarFunctionsResult) -> Finding:
    """Every coefficient as a rational function."""
    wrong = [f"{r.function} {r.monomial}" for r in result.rows if r.wrong]
    told = result.lead if not wrong else f"wrong: {', '.join(wrong)}"
    return judged({f"{r.function} {r.monomial}": r.wrong == 0 for r in result.rows}, told.rstrip("."), len(result.rows))


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
    """The defects of a free step."""
    found = {m: defects[m, "symplectic free"] for m in PREPROCESSED}
    told = ", ".join(f"{m} {f.high:.0e}" for m, f in found.items())
    return judged(
        {m: not f.holds for m, f in found.items()}, f"symplectic defects {told}, at 50 digits", found["DMV8"].high
    )


def gradient(found: dict[Any, Any]) -> Finding:
    """ds/dC = dd/dH at h^2, and not beyond."""
    beyond = [x for k, x in found.items() if not k.startswith("h^2")]
    told = (
        f"ds/dC - dd/dH is {found['h^2']} at h^2 and {found['h^4 H']} H {found['h^4 C']} C at h^4 (body (0.6, 0.8, 1))"
    )
    return judged({"after h^2": found["h^2"] == 0, "not in general": all(beyond)}, told, float(found["h^4 H"]))


def modified_hamiltonian(times: dict[Any, Any]) -> Finding:
    """y is the exact motion at the times c t, c = dK/dH constant, with c - 1 = O(h^2r): a Poisson flow of K(H, C)."""
    cases, told = {}, []
    for m, order in (("RATTLE", 2), ("DMV4", 4), ("DMV6", 6)):
        left = max(times[m, h]["momentum"] for h in (0.2, 0.1, 0.05))
        rate = float(np.log2(times[m, 0.1]["c - 1"] / times[m, 0.05]["c - 1"]))
        cases[m] = left < 1e-12 and abs(rate - order) < 0.1
        told.append(f"{m}: to {left:.0e}, c - 1 of order h^{rate:.2f}")
    return judged(cases, "the momentum is exact at the times c t; " + "; ".join(told), left)


def time_transformation(found: dict[Any, Any]) -> Finding:
    """s3 is that of Table 1, s5 and s7 are not."""
    told = ", ".join(f"{k} {'the same' if same else 'another'}" for k, same in found.items())
    return judged({"k = 3": found["s3"], "k > 3": not found["s5"] and not found["s7"]}, told, float(found["s3"]))


def inferior(result: ConvergenceResult) -> Finding:
    """The completed time transformation beside the preprocessed method of the same order, two bodies."""
    cases, told = {}, []
    for order in (4, 6):
        for body in ("asymmetric", "water"):
            f = factor(result.one(f"DMV-TT{order}+Q", body), result.one(f"DMV{order}", body), "Q")
            cases[f"order {order}, {body}"] = f.least > 1.1
            told.append(f"{f.least:.0f} to {f.greatest:.0f}")
    return judged(cases, f"its errors in Q are {', '.join(told)} times as large (orders 4, 6; two bodies)", f.mean)


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
    told = (
        f"at the largest step both can take, the next order is {min(gains):.1f} to {max(gains):.0f} times as accurate"
    )
    return judged(cases, told + (f"; it is not for {', '.join(lost)}" if lost else ""), min(gains))


def little_overhead(result: WorkPrecisionResult) -> Finding:
    """The time of a step of the highest order over that of the lowest, the median over the steps."""
    ratios = {}
    for high, low in (("DMV8", "RATTLE"), ("IMR6", "IMR2")):
        x = [result.one(high, body).time / result.one(low, body).time for body in ("asymmetric", "water")]
        ratios[high, low] = float(np.nanmedian(np.concatenate(x)))
    told = ", ".join(f"{a} takes {x:.2f} times as long as {b.replace('RATTLE', 'DMV')}" for (a, b), x in ratios.items())
    return judged({a: x < 1.5 for (a, _), x in ratios.items()}, told, ratios["DMV8", "RATTLE"])


def fifty_per_cent(times: dict[Any, Any]) -> Finding:
    """One step of DMV8 over one of DMV; "only about 50 %" stands for 65 at most."""
    ratios = [times["DMV8", h] / times["DMV", h] for h in (0.2, 0.1, 0.05, 0.025)]
    told = f"a step of DMV8 takes {min(ratios) - 1:.0%} to {max(ratios) - 1:.0%} more time than one of DMV"
    middle = float(np.median(ratios))
    return judged({"only about 50%": middle < 1.65}, told, middle - 1)


def ten_for_four(times: dict[Any, Any]) -> Finding:
    """Ten steps of DMV8 with one preprocessing, over one step; "about 4" stands for 3 to 5."""
    ratios = [times["10 steps of DMV8", h] / times["DMV8", h] for h in (0.2, 0.1, 0.05, 0.025)]
    told = f"ten steps with one preprocessing take {min(ratios):.1f} to {max(ratios):.1f} times as long as one step"
    middle = float(np.median(ratios))
    return judged({"about 4": 3 < middle < 5}, told, middle)


def exact_splitting(errors: dict[Any, Any]) -> Finding:
    """SR2 on symmetric bodies."""
    told = ", ".join(f"{body}: {x:.0e}" for body, x in errors.items())
    cases = {body: x < 1e-13 for body, x in errors.items() if len(set(body.strip("()").split(", "))) < 3}
    return judged(cases, f"error of SR2 at t = 10 with h = 0.2 for the moments {told}", max(errors[b] for b in cases))


def another_bracket(table: TableResult) -> Finding:
    """C(y) is kept, so the map is Poisson for a multiple of the bracket; for this one it is not."""
    kept = {m: table.cell(m, "C") for m in ("IMR2", "IMR4", "IMR6")}
    cases = {m: c.measured == "yes" and table.cell(m, "Poisson").measured == "no" for m, c in kept.items()}
    told = (
        f"not Poisson for the standard bracket ({table.cell('IMR2', 'Poisson').value:.0e}), while C(y) is kept to "
        f"{max(c.value for c in kept.values()):.0e}; then A hat(y0) A^T = det(A) hat(y1), a multiple, for every method"
    )
    return judged(cases, told, max(c.value for c in kept.values()))


STATEMENTS = (
    said(
        key="hv-theorem-2-1",
        where="Theorem 2.1",
        says="There exist two formal series ... depending on y only via H(y) and C(y), such that the DMV algorithm ... "
        "yields the exact solution",
        verdict=CONFIRMED,
        needs=("only-energy-and-momentum",),
        measure=only_invariants,
        figure=TABLE_1,
    ),
    said(
        key="hv-table-1",
        where="Table 1",
        says="The first terms of these series are given in Table 1",
        verdict=CONFIRMED,
        needs=(TABLE_1,),
        measure=table_1,
        figure=TABLE_1,
    ),
    said(
        key="hv-truncated-hamiltonian",
        where="section 2",
        says="the Hamiltonian structure is inherited only if I(y)^-1 y is the gradient of a scalar function. "
        "This is the case "
        "when the series in (6) are truncated after the h^2 term, but not in general",
        verdict=CONFIRMED,
        needs=("gradients",),
        measure=gradient,
        figure=TABLE_1,
    ),
    said(
        key="hv-proposition-2-3",
        where="Proposition 2.3",
        says="it has order 2r; it exactly preserves Qy, C(y), and H(y); it is symmetric (time-reversible); "
        "restricted to the "
        "angular momentum y, it is a Poisson integrator",
        verdict=CONFIRMED,
        needs=(TABLE_2, "defects"),
        measure=exact_quantities,
        figure=TABLE_2,
    ),
    said(
        key="hv-not-symplectic",
        where="section 4.3",
        says="the preprocessed DMV Algorithm 2.2 is not symplectic for the complete system for r > 1",
        verdict=CONFIRMED,
        needs=("defects",),
        measure=not_symplectic,
        figure=TABLE_2,
    ),
    said(
        key="hv-dmv-excellent",
        where="section 1",
        says="It exactly conserves (up to round-off) the Hamiltonian H(y), the angular momentum Qy ... and ... "
        "the Casimir "
        "C(y). It is a symmetric (time-reversible) and symplectic discretisation",
        verdict=CONFIRMED,
        needs=(TABLE_2,),
        measure=entries({("RATTLE", c): "yes" for c in ("H", "Qy", "C", "Poisson", "symplectic")}),
        figure=TABLE_2,
    ),
    said(
        key="hv-another-bracket",
        where="footnote to Table 2",
        says="It can be shown that IMR2r (r >= 1) is Poisson with respect to a different bracket",
        verdict=CONFIRMED,
        needs=(TABLE_2,),
        measure=another_bracket,
        figure=TABLE_2,
    ),
    said(
        key="hv-theorem-4-3",
        where="Lemma 4.1, Theorem 4.3",
        says="there exists a modified Hamiltonian ... = H(y) + h^2r ... such that the modified equation for the "
        "angular "
        "momentum y ... has the Poisson structure",
        verdict=CONFIRMED,
        needs=("changed-time",),
        measure=modified_hamiltonian,
        figure=TABLE_2,
    ),
    said(
        key="hv-same-s3",
        where="Remark 2.4",
        says="The scalar functions s_k(y), d_k(y) ... are the same as in Table 1 for k = 3 but not for k > 3",
        verdict=CONFIRMED,
        needs=("time-transformation-series",),
        measure=time_transformation,
        figure=TABLE_1,
    ),
    said(
        key="hv-inferior",
        where="Remark 2.4",
        says="Our numerical tests revealed that this modification of DMV is inferior to that of Algorithm 2.2",
        verdict=CONFIRMED,
        needs=("time-transformed-convergence",),
        measure=inferior,
        figure=FIGURE_1,
    ),
    said(
        key="hv-correct-orders",
        where="section 3, Figure 1",
        says="all methods show the correct order (lines of slope 2, 4, 6, and 8)",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=orders(
            {
                2: ("RATTLE", "IMR2", "SR2", "JEM2"),
                4: ("DMV4", "IMR4", "SR4", "JEM4"),
                6: ("DMV6", "IMR6", "SR6"),
                8: ("DMV8",),
            }
        ),
        figure=FIGURE_1,
    ),
    said(
        key="hv-higher-order-pays",
        where="section 3, Figure 1",
        says="IMR2r and DMV2r significantly improve the accuracy with increasing order, even if we use very "
        "large step sizes",
        verdict=IN_PART,
        needs=(FIGURE_1,),
        measure=higher_order_pays,
        figure=FIGURE_1,
    ),
    said(
        key="hv-little-overhead",
        where="section 3, Figure 1",
        says="the higher order versions have only very little overhead with respect to the basic methods",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=little_overhead,
        figure=FIGURE_1,
        timed=True,
    ),
    said(
        key="hv-fifty-per-cent",
        where="section 3",
        says="one step of DMV8 costs only about 50% more cpu time than DMV",
        verdict=CONFIRMED,
        needs=("moser-veselov-costs",),
        measure=fifty_per_cent,
        figure=FIGURE_1,
        timed=True,
    ),
    said(
        key="hv-ten-for-four",
        where="Remark 3.1",
        says="10 steps of DMV8 is only about 4 times more expensive than one step",
        verdict=NOT_CONFIRMED,
        needs=("moser-veselov-costs",),
        measure=ten_for_four,
        figure=FIGURE_1,
        timed=True,
    ),
    said(
        key="hv-symmetric-bodies",
        where="section 3",
        says="For symmetric bodies similar results are obtained with the exception that the splitting method "
        "used yields the "
        "exact solution",
        verdict=CONFIRMED,
        needs=("symmetric-splitting",),
        measure=exact_splitting,
        figure=FIGURE_1,
    ),
)
