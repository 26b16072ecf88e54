"""Bou-Rabee, Ortolan & Saccon (2010), A counterexample showing the semi-explicit Lie-Newmark is not variational."""

from polhode.testbench.drift.study import Study
from polhode.testbench.papers.ball import Ball
from polhode.testbench.papers.convergence import Convergence
from polhode.testbench.papers.drift import Drift
from polhode.testbench.papers.figures.ortolan_saccon import HALVINGS

SOURCE = "bou-rabee-ortolan-saccon-2010"

PRINTED = (("ELN", "NMB"),)
SAME_NAME = (
    "What this paper calls NMB updates the attitude by the Cayley map: it is ELN here. NMB is the name of Krysl & "
    "Endres for the method with the exponential map, and means that everywhere else in this package."
)


def _study(title: str, *methods: str) -> Study:
    return Study(title=title, source=SOURCE, problem="stress", methods=methods, h=(0.125, 0.25), t_end=15_000.0)


FIGURES = (
    Drift(
        "bou-rabee-ortolan-saccon-2010-figure-1",
        _study("Figure 1: energy error of Lie-Newmark and velocity Lie-Verlet", "ELN", "VLV"),
        caption=(
            "Energy error of Lie-Newmark (ELN, the NMB of this paper) and velocity Lie-Verlet (VLV) on the stress test "
            "up to T = 15 000: (a) h = 0.125, (b) h = 0.25. Bands: the range of the fast oscillation; lines: the mean. "
            "Lie-Newmark loses energy, four times as fast with twice the step; Lie-Verlet does not."
        ),
        together=True,
        printed=PRINTED,
        notes=(SAME_NAME,),
    ),
    Ball(
        "bou-rabee-ortolan-saccon-2010-figure-2",
        title="Figure 2: path of Lie-Newmark in the axis-angle ball",
        source=SOURCE,
        caption=(
            "The attitudes that Lie-Newmark (ELN, the NMB of this paper) passes through with h = 0.25, as rotation "
            "vectors in the ball of radius pi. Semi-transparent: level surfaces of the potential, darker where it is "
            "lower, the palest one at the energy of the start. The dot is the attraction point Qm."
        ),
        problem="stress",
        method="ELN",
        h=0.25,
        t_end=15_000.0,
        printed=PRINTED,
        notes=(SAME_NAME, "The span of this figure is not printed; that of Figure 1 was taken."),
    ),
    Convergence(
        "bou-rabee-ortolan-saccon-2010-figure-3",
        title="Figure 3: global error of Lie-Newmark and velocity Lie-Verlet",
        source=SOURCE,
        problems={"stress": {}},
        methods=("ELN", "VLV"),
        steps=HALVINGS,
        t_end=5.0,
        panels=("Q", "Omega"),
        caption=(
            "Global error of Lie-Newmark (ELN, the NMB of this paper) and velocity Lie-Verlet at T = 5: (a) of the "
            "configuration, (b) of the angular velocity."
        ),
        printed=PRINTED,
        notes=(SAME_NAME, "The step sizes are not printed; those of Ortolan & Saccon (2012) were taken."),
    ),
    Drift(
        "bou-rabee-ortolan-saccon-2010-figure-4",
        _study(
            "Figure 4: energy error of the explicit Lie-midpoint method and velocity Lie-Verlet", "LIEMID[EA]", "VLV"
        ),
        caption=(
            "Energy error of the explicit Lie-midpoint method LIEMID[EA] and velocity Lie-Verlet (VLV) on the stress "
            "test up to T = 15 000: (a) h = 0.125, (b) h = 0.25. LIEMID[EA] gains energy, an eighth as fast as "
            "Lie-Newmark loses it in Figure 1."
        ),
        together=True,
    ),
    Convergence(
        "bou-rabee-ortolan-saccon-2010-figure-5",
        title="Figure 5: global error of the explicit Lie-midpoint method, Lie-Newmark and velocity Lie-Verlet",
        source=SOURCE,
        problems={"stress": {}},
        methods=("LIEMID[EA]", "ELN", "VLV"),
        steps=HALVINGS,
        t_end=5.0,
        panels=("Q", "Omega"),
        caption=(
            "Global error of LIEMID[EA] beside the two methods of Figure 3 at T = 5: (a) of the configuration, (b) of "
            "the angular velocity. ELN is the NMB of this paper."
        ),
        printed=PRINTED,
        notes=(SAME_NAME, "The step sizes are not printed; those of Ortolan & Saccon (2012) were taken."),
    ),
)
