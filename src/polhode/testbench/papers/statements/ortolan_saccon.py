"""What Ortolan & Saccon (2012) say."""

import functools

from polhode.testbench.papers.statements.checks import ahead_of, as_accurate, drift, entries, linear_in_time, orders
from polhode.testbench.papers.statements.checks import quadratic_in_h as quadratic
from polhode.testbench.papers.statements.measures import ortolan_saccon as measures
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED, Statement

TABLE, FIGURE_1, FIGURE_2 = (f"ortolan-saccon-2012-{x}" for x in ("table-1", "figure-1", "figure-2"))
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
    statement(
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
    statement(
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
    statement(
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
    statement(
        key="os-lewis-simo",
        where="section 2",
        says="a symplectic, energy and momentum-preserving integrator ..., which encompasses, as a particular "
        "case, the "
        "energy-momentum algorithms of Simo and Wong and the midpoint-rule integrator of Austin et al.",
        verdict=IN_PART,
        needs=(TABLE, "identities", "defects"),
        measure=measures.lewis_simo,
        figure=TABLE,
    ),
    statement(
        key="os-lewis-simo-heavy-top",
        where="section 2",
        says="it might be symplectic or energy preserving for some particular choice of the potential energy ... "
        "(e.g., "
        "in the case of a heavy top)",
        verdict=NOT_CONFIRMED,
        needs=("defects",),
        measure=measures.heavy_top,
        figure=TABLE,
    ),
    statement(
        key="os-krysl-explicit",
        where="section 2",
        says="LIEMID[EA] ... is explicit in the torque evaluation and momentum-preserving (only for the free "
        "rigid body)",
        verdict=IN_PART,
        needs=("torque-calls", TABLE),
        measure=measures.krysl_explicit,
        figure=TABLE,
    ),
    statement(
        key="os-krysl-outperforms",
        where="section 2, on Krysl (2005)",
        says="the accuracy of LIEMID[EA] method outperforms the algorithms by Simo and Wong, Austin et al., and "
        "Krysl and "
        "Endres (free rigid body, fast and slow Lagrangian tops, soft wall)",
        verdict=IN_PART,
        needs=("accuracy-of-others",),
        measure=ahead_of(("LIEMID[EA]",), ("SW", "AKW", "NMB"), ("free-body", "fast-top", "slow-top", "soft-wall")),
    ),
    statement(
        key="os-trapm-imidm-conjugate",
        where="section 2, on Krysl (2008)",
        says="[TRAPM and IMIDM] are mutually conjugate",
        verdict=CONFIRMED,
        needs=("identities",),
        measure=measures.conjugate,
    ),
    statement(
        key="os-trapm-imidm-accuracy",
        where="section 2, on Krysl (2008)",
        says="they exhibit ... a higher accuracy than the algorithms by Simo and Wong and Austin et al.",
        verdict=IN_PART,
        needs=("accuracy-of-others",),
        measure=ahead_of(("TRAPM", "IMIDM"), ("SW", "AKW")),
    ),
    statement(
        key="os-prk-almost-poisson",
        where="section 2, on Nukala & Shelton (2007)",
        says="In the free rigid body case, the algorithms exactly preserve the momentum, and PRK is almost Poisson",
        verdict=CONFIRMED,
        needs=("defects",),
        measure=measures.almost_poisson,
    ),
    statement(
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
    statement(
        key="os-new3-no-drift",
        where="section 5.6, on Koziara & Bicanic (2010)",
        says="In the numerical tests reported [by its authors], the algorithm performs well, showing no energy drift",
        verdict=IN_PART,
        needs=(TABLE, FIGURE_1),
        measure=measures.no_drift_of_new3,
    ),
    statement(
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
    statement(
        key="os-exact-up-to-time",
        where="section 2, on Ge & Marsden (1988)",
        says="the methods are symplectic, momentum preserving, and energy preserving: this implies that they are "
        "integrating "
        "exactly the Hamiltonian system up to a reparametrization of time",
        verdict=IN_PART,
        needs=("changed-time",),
        measure=measures.changed_time,
        figure=TABLE,
    ),
    statement(
        key="os-vlv-and-rattle",
        where="section 5.7",
        says="The method [VLV] is closely related to, but different, from the RATTLE method",
        verdict=CONFIRMED,
        needs=("identities", "defects"),
        measure=measures.related,
    ),
)
