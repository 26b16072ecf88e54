"""What Ortolan & Saccon (2012) say of methods of others, and of their kinship: sections 2 and 5, with the table."""

from polhode.testbench.papers.statements.checks import ahead_of, entries
from polhode.testbench.papers.statements.measures import ortolan_saccon as measures
from polhode.testbench.papers.statements.ortolan_saccon import FIGURE_1, statement
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED

TABLE = "ortolan-saccon-2012-table-1"

STATEMENTS = (
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
