"""What can be reproduced: one list. To add a figure or a table, add it here, under its name by paper."""

from dataclasses import dataclass, replace

from polhode.errors import InputError, unknown
from polhode.testbench.drift.study import ORTOLAN_SACCON, Study
from polhode.testbench.papers import hairer_vilmart, ortolan_saccon
from polhode.testbench.papers.convergence import Convergence
from polhode.testbench.papers.drift import Drift
from polhode.testbench.papers.said import best, drift, least_drift, orders, quadratic, ratio


@dataclass(frozen=True)
class Table:
    """A published table with the function that measures it."""

    name: str
    title: str
    source: str
    run: object


HALVINGS = tuple(5 * 2**k for k in range(10))
"""h = 1, 1/2, ..., 2^-9 on [0, 5]."""

BOU_RABEE = Study(
    title="Figure 1: energy error of Lie-Newmark and velocity Lie-Verlet",
    source="bou-rabee-ortolan-saccon-2010",
    problem="stress",
    methods=("ELN", "VLV"),
    h=(0.125, 0.25),
    t_end=15_000.0,
)

KRYSL = ("NMB", "SW", "AKW", "HSTAGM")

REPRODUCTIONS = (
    Table(ortolan_saccon.NAME, ortolan_saccon.TITLE, "ortolan-saccon-2012", ortolan_saccon.table_1),
    Drift(
        "ortolan-saccon-2012-figure-1",
        replace(ORTOLAN_SACCON, title="Figure 1: energy error of seven methods on the stress test"),
        statements=(
            (
                "Positive (MCG, NEW3, LIEMID[EA]) and negative energy drifts (ELN, TLN, PRK) are observed",
                drift({"MCG": "+", "NEW3": "+", "LIEMID[EA]": "+", "ELN": "-", "TLN": "-", "PRK": "-"}),
            ),
            ("a systematic drift for all the methods but the VLV", drift({"VLV": "none"})),
            ("the drift is quadratic in the timestep h", quadratic("ELN", "TLN", "PRK", "MCG", "NEW3", "LIEMID[EA]")),
            ("LIEMID[EA] exhibits the smallest slope constant", least_drift("LIEMID[EA]")),
        ),
    ),
    Convergence(
        "ortolan-saccon-2012-figure-2",
        title="Figure 2: global error of seven methods on the stress test",
        source="ortolan-saccon-2012",
        problems={"stress": {}},
        methods=ORTOLAN_SACCON.methods,
        steps=HALVINGS,
        t_end=5.0,
        statements=(
            ("all the methods are second-order accurate", orders({2: ()})),
            (
                "PRK, MCG and LIEMID[EA] show a better accuracy than those of other methods",
                best("PRK", "MCG", "LIEMID[EA]"),
            ),
            ("TLN shows the same accuracy than that of ELN in this numerical test", ratio("TLN", "ELN", 0.8, 1.25)),
        ),
    ),
    Drift(
        "bou-rabee-ortolan-saccon-2010-figure-1",
        BOU_RABEE,
        statements=(
            ("NMB exhibits a systematic energy drift", drift({"ELN": "-"})),
            ("the energy error of VLV method remains bounded", drift({"VLV": "none"})),
            ("linear in the time span T and quadratic in the time-stepsize h", quadratic("ELN")),
        ),
    ),
    Convergence(
        "bou-rabee-ortolan-saccon-2010-figure-3",
        title="Figure 3: global error of Lie-Newmark and velocity Lie-Verlet",
        source="bou-rabee-ortolan-saccon-2010",
        problems={"stress": {}},
        methods=("ELN", "VLV"),
        steps=HALVINGS,
        t_end=5.0,
        statements=(("both integrators are second-order accurate", orders({2: ()})),),
    ),
    Drift(
        "bou-rabee-ortolan-saccon-2010-figure-4",
        replace(
            BOU_RABEE,
            title="Figure 4: energy error of the explicit Lie-midpoint method and velocity Lie-Verlet",
            methods=("LIEMID[EA]", "VLV"),
        ),
        statements=(
            ("LIEMID[EA] exhibits a systematic energy drift", drift({"LIEMID[EA]": "+"})),
            ("linear in the time span T and quadratic in the time-stepsize h", quadratic("LIEMID[EA]")),
        ),
    ),
    Convergence(
        "bou-rabee-ortolan-saccon-2010-figure-5",
        title="Figure 5: global error of the explicit Lie-midpoint method, Lie-Newmark and velocity Lie-Verlet",
        source="bou-rabee-ortolan-saccon-2010",
        problems={"stress": {}},
        methods=("LIEMID[EA]", "ELN", "VLV"),
        steps=HALVINGS,
        t_end=5.0,
        statements=(("all the integrators are second-order accurate", orders({2: ()})),),
    ),
    Convergence(
        "krysl-endres-2005-figure-4",
        title="Figures 4 and 5: convergence for the freely spinning rigid body",
        source="krysl-endres-2005",
        problems={"free-body": {}},
        methods=("NMB", "SW", "LS", "LP2", "AKW", "RATTLE", "DMV-TT4", "DMV-TT6"),
        steps=(25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600),
        t_end=100.0,
        second="Pi",
        statements=(
            ("our algorithm outperforms the AKW by two orders of magnitude", ratio("NMB", "AKW", 0, 0.03, "Q")),
        ),
        notes=(
            "The step sizes 4 to 1/256 are printed, and 8, which does not divide the interval. IMR of the figure is "
            "AKW, DMV is RATTLE, and its DMV4 and DMV6 are those of McLachlan and Zanna, DMV-TT4 and DMV-TT6.",
        ),
    ),
    Convergence(
        "krysl-endres-2005-figure-10",
        title="Figure 10: convergence for the fast Lagrangian top",
        source="krysl-endres-2005",
        problems={"fast-top": {}},
        methods=KRYSL,
        steps=tuple(250 * 2**k for k in range(9)),
        t_end=10.0,
        second="Pi",
        statements=(("SW and HSTAGM yield essentially identical answers", ratio("SW", "HSTAGM", 0.8, 1.25)),),
        notes=("The step sizes are not printed; h = 0.04 to 0.00016 were chosen.",),
    ),
    Convergence(
        "krysl-endres-2005-figure-11",
        title="Figure 11: convergence for the slow Lagrangian top",
        source="krysl-endres-2005",
        problems={"slow-top": {}},
        methods=KRYSL,
        steps=tuple(50 * 2**k for k in range(9)),
        t_end=10.0,
        second="Pi",
        statements=(("accuracy that improves on that of the implicit midpoint rule", ratio("NMB", "AKW", 0, 1)),),
        notes=("The step sizes are not printed; h = 0.2 to 0.0008 were chosen.",),
    ),
    Convergence(
        "krysl-endres-2005-figure-13",
        title="Figure 13: convergence for the body in a Coulombic potential with a soft wall",
        source="krysl-endres-2005",
        problems={"soft-wall, printed sign": {"printed_sign": True}, "soft-wall": {}},
        methods=KRYSL,
        steps=tuple(100 * 2**k for k in range(9)),
        t_end=10.0,
        second="Pi",
        statements=(("The Newmark algorithm clearly outperforms all the others", best("NMB")),),
        notes=(
            "Interval and step sizes are not printed; [0, 10] and h = 0.1 to 0.0004 were chosen. As printed, the "
            "torque repels from afar and pulls into the wall, the opposite of the text. With that sign the statement "
            "holds, and with the problem as described it does not: it seems that the printed sign was used.",
        ),
    ),
    Table(hairer_vilmart.NAME, hairer_vilmart.TITLE, "hairer-vilmart-2006", hairer_vilmart.table_2),
    Convergence(
        "hairer-vilmart-2006-figure-1",
        title="Figure 1: precision of twelve integrators of the free rigid body",
        source="hairer-vilmart-2006",
        problems={"asymmetric": {}, "water": {}},
        methods=(
            *("RATTLE", "DMV4", "DMV6", "DMV8"),
            *("IMR2", "IMR4", "IMR6"),
            *("JEM2", "JEM4"),
            *("SR2", "SR4", "SR6"),
        ),
        steps=tuple(25 * 2**k for k in range(8)),
        t_end=10.0,
        second="Pi",
        statements=(
            (
                "all methods show the correct order (lines of slope 2, 4, 6, and 8)",
                orders(
                    {2: ("RATTLE", "IMR2", "SR2"), 4: ("DMV4", "IMR4", "SR4"), 6: ("DMV6", "IMR6", "SR6"), 8: ("DMV8",)}
                ),
            ),
        ),
        notes=(
            "The figure has the time on a work station of its day on the horizontal axis; here it is the step. DMV of "
            "the figure is RATTLE without a torque. The momentum of JEM is exact, so it shows round-off only.",
        ),
    ),
)


def reproduction(name):
    """A figure or table by its name."""
    known = {r.name: r for r in REPRODUCTIONS}
    if name is None:
        raise InputError(f"Give the name of a figure or table: {', '.join(known)}.")
    try:
        return known[str(name).lower()]
    except KeyError:
        raise unknown("figure or table", name, list(known)) from None
