"""Krysl & Endres (2005), Explicit Newmark/Verlet algorithm for time integration of rotational dynamics."""

from typing import Any

from polhode.testbench.papers.convergence import Convergence
from polhode.testbench.papers.history import History, Panel, Run

SOURCE = "krysl-endres-2005"

FOUR = ("AKW", "SW", "NMB", "HSTAGM")
"""The methods of Figures 10, 11 and 13, in the order of the captions."""

MARKERS = ("o-", "x-", "*-", "s-")
"""Of the four steps of Figures 1 to 3, as printed."""


def _free(h: float, style: str, method: str = "NMB", label: str = "") -> Run:
    return Run("free-body", method, h, 100.0, style, label=label)


def _toss(method: str) -> tuple[Run, ...]:
    """The two runs of a panel: dt = h, since the nudge lasts one step."""
    return tuple(Run("book-toss", method, h, 5.0, style, (("dt", h),)) for h, style in ((0.05, "o-"), (0.001, "x-")))


def _top(method: str, style: str, label: str) -> Run:
    return Run("lagrange-top", method, 0.05, 100.0, style, label=label)


def _three(problem: str, h: float, t_end: float) -> tuple[Run, ...]:
    """The three methods of Figure 12."""
    styles = {"SW": "--", "NMB": "o-", "HSTAGM": "s-"}
    return tuple(Run(problem, m, h, t_end, style, label=m) for m, style in styles.items())


XYZ = (r"$\Omega_1$", r"$\Omega_2$", r"$\Omega_3$")
SPACE = (r"$\pi_1$", r"$\pi_2$", r"$\pi_3$")

FREE_RUNS = tuple(_free(h, style) for h, style in zip((4.0, 2.0, 1.0, 0.5), MARKERS))
SPAN = "The span is not printed; [0, 100], that of Figure 4, was taken."
TOSS = (
    "Not printed: the time t_d of the nudge, here 2; the end, here 5; the torque at the instants of its jumps, here "
    "the mean of both sides, so that every method gives the body the same impulse."
)
NORM = (
    "The paper measures attitudes in the 2-norm of the difference of matrices, and so does this figure; the Frobenius "
    "norm used for the other papers is sqrt 2 times as large."
)

FREE_BODY = (
    History(
        "krysl-endres-2005-figure-1",
        title="Figure 1: kinetic energy of the freely spinning body",
        source=SOURCE,
        caption=(
            "Kinetic energy of the freely spinning body by the explicit Newmark method NMB with the steps 4, 2, 1 and "
            "1/2. The exact one is constant. The energy dips twice in a period of the tumbling motion, and comes "
            "back each time."
        ),
        panels=(Panel("kinetic energy", "kinetic energy", "$T$", FREE_RUNS),),
        notes=(SPAN,),
    ),
    History(
        "krysl-endres-2005-figure-2",
        title="Figure 2: incremental rotation of the freely spinning body, in degrees",
        source=SOURCE,
        caption=(
            "How far NMB turns the freely spinning body in a step: the length of the incremental rotation vector "
            "h Omega + h^2/2 A, in degrees, with the steps of Figure 1. With h = 4 it is more than half a turn."
        ),
        panels=(Panel("incremental rotation", "increment in degrees", "degrees a step", FREE_RUNS),),
        notes=(
            SPAN,
            "The increment is taken from the velocities, as the method makes it. From two successive attitudes it "
            "could not be told: the angle between them is at most 180 degrees, and folds there.",
        ),
    ),
    History(
        "krysl-endres-2005-figure-3",
        title="Figure 3: body-frame angular velocity of the freely spinning body",
        source=SOURCE,
        caption=(
            "The three components of the body-frame angular velocity of the freely spinning body by NMB with the steps "
            "5, 4, 2 and 1/8. The last is the exact motion to the eye. The large steps follow the same tumbling, "
            "with the phase running away from it."
        ),
        panels=tuple(
            Panel(
                f"component {i + 1}",
                f"Omega {i + 1}",
                XYZ[i],
                tuple(_free(h, style) for h, style in zip((5.0, 4.0, 2.0, 0.125), (*MARKERS[:3], "-"))),
            )
            for i in range(3)
        ),
        notes=(SPAN, "The smallest step is drawn as a line, without markers."),
    ),
    Convergence(
        "krysl-endres-2005-figure-4",
        title="Figure 4: convergence of the attitude for the freely spinning body",
        source=SOURCE,
        problems={"free-body": {}},
        methods=("NMB", "SW", "LS", "AKW"),
        steps=tuple(25 * 2**k for k in range(11)),
        t_end=100.0,
        second="Pi",
        panels=("Q",),
        norm="2-norm",
        caption=(
            "Error of the attitude at t = 100 in the 2-norm, for the steps 4 to 1/256. NMB, SW and LS are in the "
            "paper's figure; AKW is added, because the text compares NMB with it."
        ),
        notes=(
            NORM,
            "The step 8 is printed, too, and left out: it does not divide the interval. LS has no solution with the "
            "three largest steps. Text and caption disagree on the method: the text says that NMB outperforms "
            "AKW by two "
            "orders of magnitude, the caption names LS (the Lewis-Simo method), and no AKW is drawn.",
        ),
    ),
    Convergence(
        "krysl-endres-2005-figure-5",
        title="Figure 5: convergence of the body-frame momentum for the freely spinning body",
        source=SOURCE,
        problems={"free-body": {}},
        methods=("NMB", "SW", "LS", "LP2", "AKW", "RATTLE", "DMV-TT4", "DMV-TT6"),
        steps=tuple(25 * 2**k for k in range(11)),
        t_end=100.0,
        second="Pi",
        panels=("Pi",),
        norm="2-norm",
        caption=(
            "Error of the body-frame momentum at t = 100 for the steps 4 to 1/256. IMR of the paper is AKW here, its "
            "DMV is RATTLE (which it is without a torque), and its DMV4 and DMV6 are the time-transformed methods of "
            "McLachlan & Zanna, DMV-TT4 and DMV-TT6, not the DMV4 and DMV6 of Hairer & Vilmart."
        ),
        printed=(("AKW", "IMR"), ("RATTLE", "DMV"), ("DMV-TT4", "DMV4"), ("DMV-TT6", "DMV6")),
        notes=("The step 8 is printed, too, and left out: it does not divide the interval.",),
    ),
)

BOOK_TOSS = (
    History(
        "krysl-endres-2005-figure-6",
        title="Figure 6: angular velocities of the book toss",
        source=SOURCE,
        caption=(
            "Book toss: components of the body-frame angular velocity, by NMB on the left and by SW on the right, with "
            "the steps 0.05 (circles) and 0.001 (line). Spun up about its middle axis until t = 2, nudged, and let "
            "go, the book turns over again and again."
        ),
        panels=tuple(Panel(m, "Omega", "body angular velocity", _toss(m), XYZ) for m in ("NMB", "SW")),
        columns=2,
        notes=(TOSS,),
    ),
    History(
        "krysl-endres-2005-figure-7",
        title="Figure 7: spatial angular momenta of the book toss",
        source=SOURCE,
        caption=(
            "Book toss: components of the spatial angular momentum, by NMB on the left and by SW on the right, with "
            "the steps 0.05 (circles) and 0.001 (line). After the nudge it should be constant: SW keeps it exactly, "
            "NMB within oscillations."
        ),
        panels=tuple(Panel(m, "momentum", "spatial momentum", _toss(m), SPACE) for m in ("NMB", "SW")),
        columns=2,
        notes=(TOSS,),
    ),
)

TOP = (
    "The inertia and the start of the top are not printed; they are those of the example of Engo & Marthinsen from "
    "which the problem is taken."
)
LAGRANGE_TOP = (
    History(
        "krysl-endres-2005-figure-8",
        title="Figure 8: error in the Hamiltonian of the Lagrangian top",
        source=SOURCE,
        caption=(
            "Lagrangian top: H(t) - H(0) by NMB with h = 0.05. The error is largest when the top falls through the "
            "bottom, and comes back each time."
        ),
        panels=(
            Panel("error in the Hamiltonian", "energy error", "$H(t) - H(0)$", (_top("NMB", "-", "NMB, h = 0.05"),)),
        ),
        notes=(TOP,),
    ),
    History(
        "krysl-endres-2005-figure-9",
        title="Figure 9: error in the momentum along the axis of the Lagrangian top",
        source=SOURCE,
        caption=(
            "Lagrangian top: error of the projection of the spatial momentum on the axis of the top, by NMB with "
            "h = 0.05. Once the attitude is a matrix, multiplied step by step (higher peaks), once it is made "
            "orthogonal "
            "again in each step. In exact arithmetic both errors are zero."
        ),
        panels=(
            Panel(
                "error of the projection",
                "axis momentum error",
                r"$|\pi\cdot\chi - \frac{1}{4}|$",
                (
                    _top("NMB, matrix", "-", "matrix multiplied"),
                    _top("NMB, re-orthogonalised", "-", "re-orthogonalised"),
                ),
                logarithmic=True,
            ),
        ),
        notes=(
            TOP,
            "NMB was written once more for this figure, on matrices and from the appendix of the paper: the methods of "
            "the catalogue carry a unit quaternion, which is orthogonal by construction. Values of exactly zero are "
            "not drawn.",
        ),
    ),
)


def _convergence(
    number: int, title: str, problems: dict[str, Any], first: int, caption: str, notes: tuple[Any, ...]
) -> Convergence:
    return Convergence(
        f"krysl-endres-2005-figure-{number}",
        title=f"Figure {number}: {title}",
        source=SOURCE,
        problems=problems,
        methods=FOUR,
        steps=tuple(first * 2**k for k in range(9)),
        t_end=10.0,
        second="Pi",
        panels=("Pi", "Q"),
        norm="2-norm",
        caption=caption,
        notes=(NORM, *notes),
    )


LATER = (
    _convergence(
        10,
        "convergence for the fast Lagrangian top",
        {"fast-top": {}},
        250,
        "Fast Lagrangian top: errors at t = 10, on the left of the body-frame momentum, on the right of the attitude. "
        "The curves of SW and HSTAGM lie on one another.",
        ("The step sizes are not printed; h = 0.04 to 0.00016 were chosen.",),
    ),
    _convergence(
        11,
        "convergence for the slow Lagrangian top",
        {"slow-top": {}},
        50,
        "Slow Lagrangian top: errors at t = 10, on the left of the body-frame momentum, on the right of the attitude.",
        ("The step sizes are not printed; h = 0.2 to 0.0008 were chosen.",),
    ),
    History(
        "krysl-endres-2005-figure-12",
        title="Figure 12: Hamiltonians of the free body and of the slow top",
        source=SOURCE,
        caption=(
            "On the left the kinetic energy of the freely spinning body with h = 1/2, on the right the Hamiltonian of "
            "the slow Lagrangian top with h = 0.05, by SW (dashed), NMB (circles) and HSTAGM (squares)."
        ),
        panels=(
            Panel("free body", "kinetic energy", "$T$", _three("free-body", 0.5, 100.0)),
            Panel("slow top", "energy", "$H$", _three("slow-top", 0.05, 20.0)),
        ),
        columns=2,
        notes=(
            "Steps and spans are not printed. The span of Figure 11, [0, 10], does not show the blow-up of HSTAGM on "
            "the slow top; [0, 20] does. The axis on the right is cut off where HSTAGM leaves it.",
        ),
    ),
    _convergence(
        13,
        "convergence for the body in a Coulombic potential with a soft wall",
        {"soft-wall, printed sign": {"printed_sign": True}, "soft-wall": {}},
        100,
        "Body in a Coulombic potential with a soft wall: errors at t = 10, on the left of the body-frame momentum, on "
        "the right of the attitude. Above with the torque as printed, below with the sign that the text describes.",
        (
            "Interval and step sizes are not printed; [0, 10] and h = 0.1 to 0.0004 were chosen. As printed, the "
            "torque repels from afar and pulls into the wall, the opposite of the text. Which sign was used cannot be "
            "told: that NMB clearly outperforms all others fits the printed sign better, that HSTAGM has stability "
            "problems here fits the sign described (see the statements).",
        ),
    ),
)

FIGURES = (*FREE_BODY, *BOOK_TOSS, *LAGRANGE_TOP, *LATER)
