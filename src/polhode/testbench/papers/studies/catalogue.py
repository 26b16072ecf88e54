"""The studies behind statements: one list, by names that statements use."""

from polhode.testbench.drift.study import Study as Experiment
from polhode.testbench.papers.convergence import Convergence
from polhode.testbench.papers.drift import Drift
from polhode.testbench.papers.studies import costs, defects, energy, moser_veselov
from polhode.testbench.papers.studies.study import Study

OTHERS = ("SW", "AKW", "NMB", "ELN", "LS", "RATTLE", "LIEMID[EA]", "TRAPM", "IMIDM", "PRK", "MCG")
"""The methods that Ortolan & Saccon report to have been compared by others."""

STUDIES = (
    Drift(
        "exponential-for-cayley",
        Experiment(
            title="Drift with the exponential map in place of the Cayley map",
            source="ortolan-saccon-2012",
            problem="stress",
            methods=("NMB", "TLN-EXP"),
            h=(0.125, 0.25),
            t_end=10_000.0,
        ),
    ),
    Convergence(
        "accuracy-of-others",
        title="Accuracy of eleven methods on five problems of the literature",
        source="ortolan-saccon-2012",
        problems={"free-body": {}, "heavy-top": {}, "fast-top": {}, "slow-top": {}, "soft-wall": {}},
        methods=OTHERS,
        steps=tuple(1000 * 2**k for k in range(6)),
        t_end=10.0,
        second="Pi",
        norm="2-norm",
    ),
    Convergence(
        "crouch-grossman-convergence",
        title="NMB and CG-RK4 on the Lagrangian top",
        source="krysl-endres-2005",
        problems={"lagrange-top": {}},
        methods=("NMB", "CG-RK4"),
        steps=tuple(100 * 2**k for k in range(7)),
        t_end=5.0,
        second="Pi",
        norm="2-norm",
    ),
    Convergence(
        "time-transformed-convergence",
        title="Preprocessed and time-transformed Moser-Veselov",
        source="hairer-vilmart-2006",
        problems={"asymmetric": {}, "water": {}},
        methods=("DMV4", "DMV6", moser_veselov.completed(4), moser_veselov.completed(6)),
        steps=tuple(50 * 2**k for k in range(5)),
        t_end=10.0,
        second="Pi",
        norm="quaternion",
    ),
    Study("defects", defects.defects),
    Study("identities", defects.identities),
    Study("torque-calls", defects.torque_calls),
    Study("orthogonality", defects.orthogonality),
    Study("simo-wong-energy", energy.simo_wong_energy),
    Study("staggered-stability", energy.staggered_stability),
    Study("error-growth", energy.error_growth),
    Study("large-steps", energy.large_steps),
    Study("book-toss", energy.book_toss),
    Study("re-orthogonalised", energy.reorthogonalised),
    Study("four-integrals", energy.four_integrals),
    Study("crouch-grossman-invariants", energy.crouch_grossman_invariants),
    Study("changed-time", moser_veselov.changed_time),
    Study("gradients", moser_veselov.gradients),
    Study("time-transformation-series", moser_veselov.time_transformation_series),
    Study("only-energy-and-momentum", moser_veselov.only_energy_and_momentum),
    Study("symmetric-splitting", moser_veselov.symmetric_splitting),
    Study("stress-costs", costs.stress_costs, timed=True),
    Study("moser-veselov-costs", costs.moser_veselov_costs, timed=True),
)
