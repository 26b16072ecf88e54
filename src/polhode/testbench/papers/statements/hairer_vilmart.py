"""What Hairer & Vilmart (2006) say. Their DMV is RATTLE here, which it is without a torque."""

import functools

from polhode.testbench.papers.statements.checks import entries, orders
from polhode.testbench.papers.statements.measures import hairer_vilmart as measures
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED, Statement

TABLE_1, TABLE_2, FIGURE_1 = (f"hairer-vilmart-2006-{x}" for x in ("table-1", "table-2", "figure-1"))

statement = functools.partial(Statement, source="hairer-vilmart-2006")


STATEMENTS = (
    statement(
        key="hv-theorem-2-1",
        where="Theorem 2.1",
        says="There exist two formal series ... depending on y only via H(y) and C(y), such that the DMV algorithm ... "
        "yields the exact solution",
        verdict=CONFIRMED,
        needs=("only-energy-and-momentum",),
        measure=measures.only_invariants,
        figure=TABLE_1,
    ),
    statement(
        key="hv-table-1",
        where="Table 1",
        says="The first terms of these series are given in Table 1",
        verdict=CONFIRMED,
        needs=(TABLE_1,),
        measure=measures.table_1,
        figure=TABLE_1,
    ),
    statement(
        key="hv-truncated-hamiltonian",
        where="section 2",
        says="the Hamiltonian structure is inherited only if I(y)^-1 y is the gradient of a scalar function. "
        "This is the case "
        "when the series in (6) are truncated after the h^2 term, but not in general",
        verdict=CONFIRMED,
        needs=("gradients",),
        measure=measures.gradient,
        figure=TABLE_1,
    ),
    statement(
        key="hv-proposition-2-3",
        where="Proposition 2.3",
        says="it has order 2r; it exactly preserves Qy, C(y), and H(y); it is symmetric (time-reversible); "
        "restricted to the "
        "angular momentum y, it is a Poisson integrator",
        verdict=CONFIRMED,
        needs=(TABLE_2, "defects"),
        measure=measures.exact_quantities,
        figure=TABLE_2,
    ),
    statement(
        key="hv-not-symplectic",
        where="section 4.3",
        says="the preprocessed DMV Algorithm 2.2 is not symplectic for the complete system for r > 1",
        verdict=CONFIRMED,
        needs=("defects",),
        measure=measures.not_symplectic,
        figure=TABLE_2,
    ),
    statement(
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
    statement(
        key="hv-another-bracket",
        where="footnote to Table 2",
        says="It can be shown that IMR2r (r >= 1) is Poisson with respect to a different bracket",
        verdict=CONFIRMED,
        needs=(TABLE_2,),
        measure=measures.another_bracket,
        figure=TABLE_2,
    ),
    statement(
        key="hv-theorem-4-3",
        where="Lemma 4.1, Theorem 4.3",
        says="there exists a modified Hamiltonian ... = H(y) + h^2r ... such that the modified equation for the "
        "angular "
        "momentum y ... has the Poisson structure",
        verdict=CONFIRMED,
        needs=("changed-time",),
        measure=measures.modified_hamiltonian,
        figure=TABLE_2,
    ),
    statement(
        key="hv-same-s3",
        where="Remark 2.4",
        says="The scalar functions s_k(y), d_k(y) ... are the same as in Table 1 for k = 3 but not for k > 3",
        verdict=CONFIRMED,
        needs=("time-transformation-series",),
        measure=measures.time_transformation,
        figure=TABLE_1,
    ),
    statement(
        key="hv-inferior",
        where="Remark 2.4",
        says="Our numerical tests revealed that this modification of DMV is inferior to that of Algorithm 2.2",
        verdict=CONFIRMED,
        needs=("time-transformed-convergence",),
        measure=measures.inferior,
        figure=FIGURE_1,
    ),
    statement(
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
    statement(
        key="hv-higher-order-pays",
        where="section 3, Figure 1",
        says="IMR2r and DMV2r significantly improve the accuracy with increasing order, even if we use very "
        "large step sizes",
        verdict=IN_PART,
        needs=(FIGURE_1,),
        measure=measures.higher_order_pays,
        figure=FIGURE_1,
    ),
    statement(
        key="hv-little-overhead",
        where="section 3, Figure 1",
        says="the higher order versions have only very little overhead with respect to the basic methods",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=measures.little_overhead,
        figure=FIGURE_1,
        timed=True,
    ),
    statement(
        key="hv-fifty-per-cent",
        where="section 3",
        says="one step of DMV8 costs only about 50% more cpu time than DMV",
        verdict=CONFIRMED,
        needs=("moser-veselov-costs",),
        measure=measures.fifty_per_cent,
        figure=FIGURE_1,
        timed=True,
    ),
    statement(
        key="hv-ten-for-four",
        where="Remark 3.1",
        says="10 steps of DMV8 is only about 4 times more expensive than one step",
        verdict=NOT_CONFIRMED,
        needs=("moser-veselov-costs",),
        measure=measures.ten_for_four,
        figure=FIGURE_1,
        timed=True,
    ),
    statement(
        key="hv-symmetric-bodies",
        where="section 3",
        says="For symmetric bodies similar results are obtained with the exception that the splitting method "
        "used yields the "
        "exact solution",
        verdict=CONFIRMED,
        needs=("symmetric-splitting",),
        measure=measures.exact_splitting,
        figure=FIGURE_1,
    ),
)
