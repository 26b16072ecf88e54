"""What Krysl & Endres (2005) say."""

import functools

from polhode.testbench.papers.statements.checks import better
from polhode.testbench.papers.statements.measures import krysl_endres as measures
from polhode.testbench.papers.statements.measures import krysl_endres_tops as tops
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED, Statement

FIGURE = {k: f"krysl-endres-2005-figure-{k}" for k in range(1, 14)}

statement = functools.partial(Statement, source="krysl-endres-2005")


STATEMENTS = (
    statement(
        key="ke-unchanging-amplitude",
        where="section 3.1, Figure 1",
        says="Even though the kinetic energy is not conserved, it oscillates with unchanging amplitude and "
        "without drift",
        verdict=CONFIRMED,
        needs=(FIGURE[1], "simo-wong-energy"),
        measure=measures.unchanging_amplitude,
        figure=FIGURE[1],
    ),
    statement(
        key="ke-large-increments",
        where="section 3.1, Figure 2",
        says="the time steps are quite large, which can be clearly seen",
        verdict=CONFIRMED,
        needs=(FIGURE[2],),
        measure=measures.large_increments,
        figure=FIGURE[2],
    ),
    statement(
        key="ke-character",
        where="section 3.1, Figure 3",
        says="the qualitative character is very well preserved even for large time steps",
        verdict=CONFIRMED,
        needs=(FIGURE[3],),
        measure=measures.character,
        figure=FIGURE[3],
    ),
    statement(
        key="ke-on-par-at-five",
        where="section 3.1, Figure 3",
        says="for the largest timestep ... our algorithm performs on par with the implicit midpoint rule (IMR, "
        "our AKW) "
        "which is the only one that is able to capture the character of the solution, while all the discrete "
        "Moser-Veselov integrators fail",
        verdict=IN_PART,
        needs=("large-steps",),
        measure=measures.on_par_at_five,
        figure=FIGURE[3],
    ),
    statement(
        key="ke-two-orders",
        where="section 3.1, Figure 4",
        says="our algorithm outperforms the AKW by two orders of magnitude",
        verdict=CONFIRMED,
        needs=(FIGURE[4],),
        measure=measures.two_orders,
        figure=FIGURE[4],
    ),
    statement(
        key="ke-printed-orders",
        where="caption of Figure 5",
        says="LP2 is of second order, DMV4 of fourth and DMV6 of sixth, in the momentum; the others are of "
        "second order",
        quoted=False,
        verdict=CONFIRMED,
        needs=(FIGURE[5],),
        measure=measures.printed_orders,
        figure=FIGURE[5],
    ),
    statement(
        key="ke-simo-wong-unstable",
        where="section 3.2, Figure 6",
        says="The tendency of the SW algorithm to become unstable for larger time steps is quite clearly visible",
        verdict=CONFIRMED,
        needs=(FIGURE[6], "book-toss"),
        measure=measures.simo_wong_unstable,
        figure=FIGURE[6],
    ),
    statement(
        key="ke-newmark-stable",
        where="section 3.2, Figure 6",
        says="the Newmark algorithm does not seem to have any trouble maintaining stability, and even the "
        "accuracy of the "
        "angular velocities seems quite acceptable",
        verdict=CONFIRMED,
        needs=(FIGURE[6], "book-toss"),
        measure=measures.newmark_stable,
        figure=FIGURE[6],
    ),
    statement(
        key="ke-limited-momenta",
        where="section 3.2, Figure 7",
        says="the Newmark algorithm clearly does not conserve momenta exactly ... The oscillations of the momenta are "
        "limited, and seem to be more or less periodic in time",
        verdict=CONFIRMED,
        needs=("book-toss",),
        measure=measures.limited_momenta,
        figure=FIGURE[7],
    ),
    statement(
        key="ke-exact-momenta",
        where="section 3.2, Figure 7",
        says="the SW algorithm conserves momenta exactly, even in those cases where it is actually unstable",
        verdict=CONFIRMED,
        needs=(FIGURE[7], "book-toss"),
        measure=measures.exact_momenta,
        figure=FIGURE[7],
    ),
    statement(
        key="ke-four-integrals",
        where="section 3.3",
        says="the symmetric Lagrangian heavy top model possesses four conserved quantities",
        verdict=CONFIRMED,
        needs=("four-integrals",),
        measure=measures.integrals,
    ),
    statement(
        key="ke-half-a-percent",
        where="section 3.3, Figure 8",
        says="the error in the Hamiltonian does not drift and stays fairly small (less than half a percent of "
        "the exact "
        "Hamiltonian)",
        verdict=IN_PART,
        needs=(FIGURE[8],),
        measure=tops.half_a_percent,
        figure=FIGURE[8],
    ),
    statement(
        key="ke-like-crouch-grossman",
        where="section 3.3",
        says="The algorithm NMB (NMS) is about as accurate both in the preservation of the invariants and in the "
        "global "
        "error (convergence curve constant as well as slope) as the Crouch-Grossman method with the Runge-Kutta RK4 "
        "tableau",
        verdict=IN_PART,
        needs=("crouch-grossman-convergence", "crouch-grossman-invariants"),
        measure=tops.like_crouch_grossman,
        figure=FIGURE[8],
    ),
    statement(
        key="ke-machine-precision",
        where="section 3.3, Figure 9",
        says="the attitude matrix is re-orthogonalized in each timestep. Clearly, the error is then down to "
        "machine precision",
        verdict=CONFIRMED,
        needs=(FIGURE[9],),
        measure=tops.machine_precision,
        figure=FIGURE[9],
    ),
    statement(
        key="ke-hardly-any-effect",
        where="section 3.3, Figure 9",
        says="Hardly any effect may be seen for either simulation in the physical characteristics of the motion",
        verdict=CONFIRMED,
        needs=("re-orthogonalised",),
        measure=tops.hardly_any_effect,
        figure=FIGURE[9],
    ),
    statement(
        key="ke-sw-like-hstagm",
        where="section 3.4, Figure 10",
        says="The SW and HSTAGM algorithms yield essentially identical answers except for the largest time steps",
        verdict=CONFIRMED,
        needs=(FIGURE[10],),
        measure=tops.identical_but_largest,
        figure=FIGURE[10],
    ),
    statement(
        key="ke-better-than-midpoint",
        where="section 3.5, Figure 11",
        says="The Newmark algorithm is clearly a robust performer, delivering accuracy that improves on that of "
        "the implicit "
        "midpoint rule",
        verdict=CONFIRMED,
        needs=(FIGURE[11],),
        measure=better("NMB", "AKW"),
        figure=FIGURE[11],
    ),
    statement(
        key="ke-staggered-unstable",
        where="section 3.5",
        says="The staggered explicit integrator HSTAGM has stability problems for the slow top, and also for the next "
        "example",
        verdict=IN_PART,
        needs=("staggered-stability",),
        measure=tops.staggered_unstable,
        figure=FIGURE[13],
    ),
    statement(
        key="ke-staggered-like-newmark",
        where="section 3.5, Figure 12",
        says="For the free rigid body, the integrator HSTAGM produces a Hamiltonian that closely corresponds to "
        "the picture "
        "for the Newmark integrator",
        verdict=IN_PART,
        needs=(FIGURE[12],),
        measure=tops.staggered_like_newmark,
        figure=FIGURE[12],
    ),
    statement(
        key="ke-staggered-symplectic",
        where="section 3.5",
        says="which leads us to believe that HSTAGM is perhaps symplectic, or possibly related to a symplectic "
        "algorithm",
        verdict=NOT_CONFIRMED,
        needs=("defects",),
        measure=tops.staggered_symplectic,
        figure=FIGURE[12],
    ),
    statement(
        key="ke-blow-up",
        where="section 3.5, Figure 12",
        says="for the slow top we can clearly see instability developing early on, which leads to a blowup at "
        "the end of "
        "the simulation",
        verdict=CONFIRMED,
        needs=(FIGURE[12],),
        measure=tops.blow_up,
        figure=FIGURE[12],
    ),
    statement(
        key="ke-wall",
        where="section 3.6, Figure 13",
        says="The Newmark algorithm clearly outperforms all the others, including the canonical implicit "
        "midpoint method",
        verdict=IN_PART,
        needs=(FIGURE[13],),
        measure=tops.wall,
        figure=FIGURE[13],
    ),
    statement(
        key="ke-symmetric",
        where="discussion",
        says="The explicit Newmark algorithms discussed here, namely NMB, and NMS, and also the SW algorithm, are time "
        "symmetric",
        verdict=CONFIRMED,
        needs=("defects",),
        measure=measures.symmetric_methods,
    ),
    statement(
        key="ke-simo-wong-drifts",
        where="discussion",
        says="the Simo and Wong integrator displays a drift in energy for all time steps",
        verdict=IN_PART,
        needs=("simo-wong-energy",),
        measure=measures.simo_wong_drifts,
        figure=FIGURE[12],
    ),
    statement(
        key="ke-newmark-symplectic",
        where="discussion",
        says="It would appear that the present Newmark is a symplectic integrator",
        verdict=NOT_CONFIRMED,
        needs=("defects",),
        measure=measures.newmark_symplectic,
    ),
    statement(
        key="ke-simo-wong-not-symplectic",
        where="introduction",
        says="[the algorithm of Simo and Wong] does not display the same kind of behaviors ... (crucially, it is not "
        "symplectic)",
        verdict=CONFIRMED,
        needs=("defects",),
        measure=measures.simo_wong_symplectic,
    ),
    statement(
        key="ke-spatial-form",
        where="section 2.5",
        says="the spatial form of the above body-frame Newmark algorithm ... is completely equivalent to the "
        "body-frame "
        "version",
        verdict=CONFIRMED,
        needs=("identities",),
        measure=measures.same_map,
    ),
    statement(
        key="ke-idle-transport",
        where="section 2.3",
        says="for this choice of the coefficient gamma [1/2], the shift with S has no effect, and may be omitted",
        verdict=CONFIRMED,
        needs=("identities",),
        measure=measures.idle_transport,
    ),
    statement(
        key="ke-one-torque",
        where="introduction",
        says="explicit in the torque calculation, i.e. the torque is evaluated just once per time step",
        verdict=CONFIRMED,
        needs=("torque-calls",),
        measure=measures.one_torque,
    ),
)
