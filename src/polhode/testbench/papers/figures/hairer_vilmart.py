"""Hairer & Vilmart (2006), Preprocessed discrete Moser-Veselov algorithm for the full dynamics of the rigid body."""

from polhode.testbench.papers import hairer_vilmart
from polhode.testbench.papers.scalar_functions import ScalarFunctions
from polhode.testbench.papers.table import Table
from polhode.testbench.papers.work_precision import WorkPrecision

SOURCE = "hairer-vilmart-2006"

FIGURES = (
    ScalarFunctions(
        "hairer-vilmart-2006-table-1",
        title="Table 1: scalar functions for the preprocessed Moser-Veselov algorithm",
        source=SOURCE,
        caption=(
            "Every coefficient as printed, in the paper's letters (delta = I1 I2 I3, sigma(a) the sum of the I_j^a, "
            "tau(b,c) the sum of (I_k^b + I_l^b)/I_j^c), beside the exact value of our series for the asymmetric body "
            "(0.6, 0.8, 1)."
        ),
        notes=(
            "The series come from another derivation (a step seen from its middle, `integrators.series.free_body`) "
            "and share nothing with the script of the paper's appendix.",
        ),
    ),
    Table(hairer_vilmart.NAME, hairer_vilmart.TITLE, SOURCE, hairer_vilmart.table_2),
    WorkPrecision(
        "hairer-vilmart-2006-figure-1",
        title="Figure 1: work-precision diagrams of twelve integrators of the free rigid body",
        source=SOURCE,
        caption=(
            "Global errors at t = 10 against the processor time of the run: on the left of the angular momentum, on "
            "the right of the quaternion of the rotation; above the asymmetric body, below the flat one (a water "
            "molecule). Families by line: DMV solid, IMR dotted, JEM dashed, SR dash-dotted."
        ),
        problems=("asymmetric", "water"),
        families=(
            ("-", ("RATTLE", "DMV4", "DMV6", "DMV8")),
            (":", ("IMR2", "IMR4", "IMR6")),
            ("--", ("JEM2", "JEM4")),
            ("-.", ("SR2", "SR4", "SR6")),
        ),
        steps=tuple(25 * 2**k for k in range(8)),
        t_end=10.0,
        printed=(("RATTLE", "DMV"),),
        notes=(
            "The error of the rotation is that of the quaternion, as in the paper; the Frobenius norm of the matrices "
            "used for other papers is 2 sqrt 2 times as large.",
            "DMV of the figure is RATTLE without a torque. As in the paper, the modified moments are computed in every "
            "step. The momentum of JEM is exact, so it shows round-off only.",
            "Times are those of the machine at hand; only their ratios mean something. The time of a run is the number "
            "of its steps times the time of a step, the median of 25 runs of 4000 steps (the paper: the average of "
            "1000 runs on a work station of its day). The largest steps are missing where a method has no solution.",
        ),
    ),
)
