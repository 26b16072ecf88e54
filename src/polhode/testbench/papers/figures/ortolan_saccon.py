"""Ortolan & Saccon (2012), A numerical test of long-time stability for rigid body integrators."""

from dataclasses import replace

from polhode.testbench.drift.study import ORTOLAN_SACCON
from polhode.testbench.papers import ortolan_saccon
from polhode.testbench.papers.convergence import Convergence
from polhode.testbench.papers.drift import Drift
from polhode.testbench.papers.table import Table

SOURCE = "ortolan-saccon-2012"

HALVINGS = tuple(5 * 2**k for k in range(10))
"""h = 1, 1/2, ..., 2^-9 on [0, 5]."""

FIGURES = (
    Table(ortolan_saccon.NAME, ortolan_saccon.TITLE, SOURCE, ortolan_saccon.table_1),
    Drift(
        "ortolan-saccon-2012-figure-1",
        replace(ORTOLAN_SACCON, title="Figure 1: energy error of seven methods on the stress test"),
        caption=(
            "Energy error of seven methods on the stress test, on the left with h = 0.125, on the right with twice "
            "that. The axes of a row grow like h^2, so that a drift quadratic in h looks the same on both sides. Band: "
            "the range of the fast oscillation of one run; line: its mean; dashed: the drift fitted to eight runs from "
            "nearby starts. Where no line is fitted, the drift has no constant rate. Six methods drift, VLV does not."
        ),
    ),
    Convergence(
        "ortolan-saccon-2012-figure-2",
        title="Figure 2: global error of seven methods on the stress test",
        source=SOURCE,
        problems={"stress": {}},
        methods=ORTOLAN_SACCON.methods,
        steps=HALVINGS,
        t_end=5.0,
        panels=("Q", "Omega"),
        caption=(
            "Global error at T = 5 on the stress test with h = 1, 1/2, ..., 2^-9: (a) of the attitude, (b) of the body "
            "angular velocity. The reference is a Taylor series in 25 digits (the paper: ode45 with 1e-14)."
        ),
        notes=(
            "The norm of the attitude error is not printed; the Frobenius norm was taken, which the paper uses for its "
            "distance on the group.",
        ),
    ),
)
