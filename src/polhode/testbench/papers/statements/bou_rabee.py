"""What Bou-Rabee, Ortolan & Saccon (2010) say. Their NMB is ELN here."""

import functools

from polhode.testbench.papers.statements.checks import drift, orders
from polhode.testbench.papers.statements.measures import bou_rabee as measures
from polhode.testbench.papers.statements.record import CONFIRMED, Statement

FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5 = (f"bou-rabee-ortolan-saccon-2010-figure-{k}" for k in range(1, 6))

statement = functools.partial(Statement, source="bou-rabee-ortolan-saccon-2010")


STATEMENTS = (
    statement(
        key="br-nmb-drifts",
        where="section 3, Figure 1",
        says="A systematic drift for the NMB scheme can be observed in both cases",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"ELN": "-"}),
        figure=FIGURE_1,
    ),
    statement(
        key="br-vlv-bounded",
        where="section 3, Figure 1",
        says="No energy drift is observed for the VLV scheme",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"VLV": "none"}),
        figure=FIGURE_1,
    ),
    statement(
        key="br-linear-quadratic",
        where="section 3, Figure 1",
        says="The drift appears linear in the time span T and quadratic in the time-stepsize h",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=measures.linear_and_quadratic("ELN"),
        figure=FIGURE_1,
    ),
    statement(
        key="br-exponential-map",
        where="section 3",
        says="We have also tested the Lie-Newmark method with the Cayley map ... replaced by the exponential map. "
        "Systematic energy drift is observed in that case too",
        verdict=CONFIRMED,
        needs=("exponential-for-cayley",),
        measure=drift({"NMB": "-"}),
        figure=FIGURE_1,
    ),
    statement(
        key="br-confined-path",
        where="Figure 2",
        says="The trajectory stays on a shell between level sets of the potential, and away from the attraction point",
        quoted=False,
        verdict=CONFIRMED,
        needs=(FIGURE_2,),
        measure=measures.picture,
        figure=FIGURE_2,
    ),
    statement(
        key="br-second-order",
        where="caption of Figure 3",
        says="Observe that both integrators are second-order accurate",
        verdict=CONFIRMED,
        needs=(FIGURE_3,),
        measure=orders({2: ()}),
        figure=FIGURE_3,
    ),
    statement(
        key="br-similar-methods",
        where="sections 1 and 4",
        says="Both methods are semi-explicit, second-order accurate and symmetric. ... the complexity and "
        "implementation of "
        "the two methods is quite similar",
        verdict=CONFIRMED,
        needs=("defects", "torque-calls", FIGURE_3, "stress-costs"),
        measure=measures.similar_cost,
        figure=FIGURE_3,
        timed=True,
    ),
    statement(
        key="br-conjecture-false",
        where="abstract",
        says="a counterexample to the conjecture that the semi-explicit Lie-Newmark algorithm is variational",
        verdict=CONFIRMED,
        needs=(FIGURE_1, "defects"),
        measure=measures.not_symplectic("ELN", "-"),
        figure=FIGURE_1,
    ),
    statement(
        key="br-linear-growth",
        where="section 1",
        says="variational integrators nearly preserve the true energy and exhibit linear growth in global error",
        verdict=CONFIRMED,
        needs=("error-growth",),
        measure=measures.linear_growth,
    ),
    statement(
        key="br-liemid-drifts",
        where="appendix, Figure 4",
        says="A systematic drift for the LIEMID[EA] scheme can be observed in both cases",
        verdict=CONFIRMED,
        needs=(FIGURE_4,),
        measure=drift({"LIEMID[EA]": "+"}),
        figure=FIGURE_4,
    ),
    statement(
        key="br-vlv-bounded-again",
        where="Figure 4",
        says="VLV, drawn beside it, does not drift",
        quoted=False,
        verdict=CONFIRMED,
        needs=(FIGURE_4,),
        measure=drift({"VLV": "none"}),
        figure=FIGURE_4,
    ),
    statement(
        key="br-liemid-linear-quadratic",
        where="appendix, Figure 4",
        says="The drift appears linear in the time span T and quadratic in the time-stepsize h",
        verdict=CONFIRMED,
        needs=(FIGURE_4,),
        measure=measures.linear_and_quadratic("LIEMID[EA]"),
        figure=FIGURE_4,
    ),
    statement(
        key="br-liemid-smaller-drift",
        where="appendix",
        says="the drift of LIEMID[EA] is smaller than the drift exhibited by NMB",
        verdict=CONFIRMED,
        needs=(FIGURE_1, FIGURE_4),
        measure=measures.smaller_drift,
        figure=FIGURE_4,
    ),
    statement(
        key="br-liemid-not-symplectic",
        where="appendix",
        says="the test reveals that the integrator is not conjugate symplectic",
        verdict=CONFIRMED,
        needs=(FIGURE_4, "defects"),
        measure=measures.not_symplectic("LIEMID[EA]", "+"),
        figure=FIGURE_4,
    ),
    statement(
        key="br-liemid-two-solves",
        where="appendix",
        says="the algorithm involves two nonlinear solves per step, unlike the Lie-Newmark and Lie-Verlet "
        "methods which "
        "involve one",
        verdict=CONFIRMED,
        needs=("stress-costs",),
        measure=measures.two_solves,
        figure=FIGURE_5,
        timed=True,
    ),
    statement(
        key="br-liemid-second-order",
        where="appendix, Figure 5",
        says="the method is symmetric and second-order accurate",
        verdict=CONFIRMED,
        needs=(FIGURE_5, "defects"),
        measure=measures.second_order_symmetric,
        figure=FIGURE_5,
    ),
)
