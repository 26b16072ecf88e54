"""What Ortolan & Saccon (2012) say of their own test; of methods of others, in ``ortolan_saccon_on_others.py``."""

import functools

from polhode.testbench.papers.statements.checks import ahead_of, as_accurate, drift, linear_in_time, orders
from polhode.testbench.papers.statements.checks import quadratic_in_h as quadratic
from polhode.testbench.papers.statements.measures import ortolan_saccon as measures
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED, Statement

FIGURE_1, FIGURE_2 = (f"ortolan-saccon-2012-{x}" for x in ("figure-1", "figure-2"))
BALL = "bou-rabee-ortolan-saccon-2010-figure-2"
DRIFTING = measures.DRIFTING

statement = functools.partial(Statement, source="ortolan-saccon-2012")


STATEMENTS = (
    statement(
        key="os-drift-all-but-vlv",
        where="section 6, Figure 1",
        says="A systematic drift for all the methods but the VLV can be observed",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"ELN": "-", "TLN": "-", "PRK": "-", "MCG": "+", "NEW3": "+", "LIEMID[EA]": "+", "VLV": "none"}),
        figure=FIGURE_1,
    ),
    statement(
        key="os-drift-signs",
        where="section 6, Figure 1",
        says="Positive (MCG, NEW3, LIEMID[EA]) and negative energy drifts (ELN, TLN, PRK) of different slope are "
        "observed",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"MCG": "+", "NEW3": "+", "LIEMID[EA]": "+", "ELN": "-", "TLN": "-", "PRK": "-"}),
        figure=FIGURE_1,
    ),
    statement(
        key="os-vlv-bounded",
        where="caption of Figure 1",
        says="the energy error of VLV method remains bounded as predicted by the theory",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=drift({"VLV": "none"}),
        figure=FIGURE_1,
    ),
    statement(
        key="os-linear-in-time",
        where="section 6",
        says="the drift is linear with respect to time",
        verdict=IN_PART,
        needs=(FIGURE_1,),
        measure=linear_in_time(*DRIFTING),
        figure=FIGURE_1,
    ),
    statement(
        key="os-quadratic-in-h",
        where="section 6",
        says="A finer analysis also shows that the drift is quadratic in the timestep h",
        verdict=IN_PART,
        needs=(FIGURE_1,),
        measure=quadratic(*DRIFTING),
        figure=FIGURE_1,
    ),
    statement(
        key="os-least-slope",
        where="section 6",
        says="LIEMID[EA] exhibits the smallest slope constant (in absolute value)",
        verdict=CONFIRMED,
        needs=(FIGURE_1,),
        measure=measures.least_slope,
        figure=FIGURE_1,
    ),
    statement(
        key="os-exponential-map",
        where="section 6",
        says="tests ... using the exponential map in place of the Cayley map in the reconstruction equation of ELN and "
        "TLN also show a very similar drift in the energy",
        verdict=IN_PART,
        needs=(FIGURE_1, "exponential-for-cayley"),
        measure=measures.exponential_map,
        figure=FIGURE_1,
    ),
    statement(
        key="os-second-order",
        where="section 6, Figure 2",
        says="all the methods are second-order accurate",
        verdict=CONFIRMED,
        needs=(FIGURE_2,),
        measure=orders({2: ()}),
        figure=FIGURE_2,
    ),
    statement(
        key="os-better-accuracy",
        where="caption of Figure 2",
        says="PRK, MCG and LIEMID[EA] show a better accuracy than those of other methods",
        verdict=IN_PART,
        needs=(FIGURE_2,),
        measure=ahead_of(("PRK", "MCG", "LIEMID[EA]"), ("ELN", "TLN", "NEW3", "VLV")),
        figure=FIGURE_2,
    ),
    statement(
        key="os-tln-as-eln",
        where="section 6",
        says="despite its implicitness, TLN shows the same accuracy than that of ELN in this numerical test",
        verdict=NOT_CONFIRMED,
        needs=(FIGURE_2,),
        measure=as_accurate("TLN", "ELN"),
        figure=FIGURE_2,
    ),
    statement(
        key="os-running-times",
        where="section 6",
        says="LIEMID[EA] and TLN, respectively, require about two and six (!) times the running time of the remaining "
        "algorithms",
        verdict=IN_PART,
        needs=("stress-costs",),
        measure=measures.running_times,
        figure=FIGURE_1,
        timed=True,
    ),
    statement(
        key="os-on-the-group",
        where="section 6",
        says="the SO(3) constraint ... is satisfied for all methods up to machine precision",
        verdict=IN_PART,
        needs=("orthogonality",),
        measure=measures.on_the_group,
    ),
    statement(
        key="os-drift-disproves",
        where="section 4",
        says="if an integrator exhibits a systematic drift in total energy, one can conclude that it is neither a "
        "symplectic nor a conjugate-symplectic integrator",
        verdict=CONFIRMED,
        needs=(FIGURE_1, "defects"),
        measure=measures.drift_and_structure,
    ),
    statement(
        key="os-symmetric-may-drift",
        where="section 1",
        says="a counterexample ... to the belief that symmetric methods applied to reversible Hamiltonian "
        "systems nearly "
        "preserve the energy over long times",
        verdict=CONFIRMED,
        needs=(FIGURE_1, "defects"),
        measure=measures.symmetric_and_drifting,
    ),
    statement(
        key="os-sphere-of-radius-one",
        where="section 4",
        says="it can be pictured as a sphere of radius one when employing the exponential coordinates",
        verdict=NOT_CONFIRMED,
        needs=(BALL,),
        measure=measures.sphere,
    ),
    statement(
        key="os-confined",
        where="section 4",
        says="the true solution is confined to a simply connected neighborhood of the set S_alpha x {0}",
        verdict=CONFIRMED,
        needs=(BALL,),
        measure=measures.confined,
    ),
    statement(
        key="os-start-near-one",
        where="section 6",
        says="The initial attitude ... has been selected so that dist(Q0, I) is nearly one",
        verdict=CONFIRMED,
        needs=(BALL,),
        measure=measures.nearly_one,
    ),
)
