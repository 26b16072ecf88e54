"""What the papers name and this package does not have, or does in another way, with the reason: one list."""

from dataclasses import dataclass


@dataclass(frozen=True)
class LeftOut:
    """What a paper (a key of references.bib) names, and where; why it is not here, and what is here instead."""

    what: str
    source: str
    where: str
    why: str
    instead: tuple[str, ...] = ()  # what is here instead: names of methods, or of what `polhode` has


OTHERWISE = (
    LeftOut(
        "The reference solution by a general solver with the tolerance 1e-14, or by the method itself in tiny steps",
        "ortolan-saccon-2012",
        "section 6; also Bou-Rabee et al. and Krysl & Endres",
        "the last digits of such a reference are those of the solver, or of the method that it judges. Here it is a "
        "closed form, Taylor series in more digits than a float has, or DOP853, and two of these agree.",
    ),
    LeftOut(
        "The attitude as a matrix, re-orthogonalised or not",
        "krysl-endres-2005",
        "sections 2.4 and 3.3, Figure 9; SO(3) in R^9 in Ortolan & Saccon, section 6",
        "the attitude of all methods is a unit quaternion, on the group to some 1e-16 after any number of steps. What "
        "re-orthogonalising does to matrices is measured for Figure 9 with a Newmark method on matrices.",
        ("NMB",),
    ),
    LeftOut(
        "Newton's method with the derivative of the torque, for TLN",
        "ortolan-saccon-2012",
        "section 5.2, and the notes on sdof.rigid",
        "users give a torque and not its derivative. The solver learns the matrix from step to step, and stops at "
        "round-off like Newton's.",
        ("TLN",),
    ),
    LeftOut(
        "The fixed-point iteration for the equation of Moser and Veselov",
        "hairer-vilmart-2006",
        "section 5",
        "the equation is solved by Newton's method, to round-off, like those of all other methods here.",
        ("RATTLE", "DMV8"),
    ),
    LeftOut(
        "The spring pendulum on which the symmetric method Lobatto IIIB of order four drifts",
        "ortolan-saccon-2012",
        "section 4; also Bou-Rabee et al., section 3",
        "it is no rotation, so it is no problem of the catalogue. It is measured as a control: "
        "`testbench/drift/vector_space.py`, with Verlet's and Newmark's methods, which do not drift.",
    ),
)
"""What is done in another way, on purpose."""

NAMED_ONLY = (
    LeftOut(
        "Partitioned Runge-Kutta methods on Lie groups of Engø (2003)",
        "ortolan-saccon-2012",
        "section 5.4",
        "named as what PRK does not follow; nothing in the papers is measured with it. Pairs of tableaux in the sense "
        "of PRK are here.",
        ("PRK", "PRK4", "munthe_kaas"),
    ),
    LeftOut(
        "The changing-chart symplectic algorithm of Benettin, Cherubini & Fassò (2001)",
        "ortolan-saccon-2012",
        "section 4",
        "cited for a remark on modified energies; no figure has it. It integrates in charts that change on the way; "
        "the symplectic methods here need none.",
        ("VLV", "RATTLE", "RKN8"),
    ),
    LeftOut(
        "Collocation for the Fer and Magnus expansions (Zanna 1999), iterated commutators (Zanna 1996)",
        "krysl-endres-2005",
        "list of references",
        "named without a word in the text, for linear equations on groups in the first place. Magnus series are here "
        "where a paper measures them: the attitude of a free body whose velocity is known.",
        ("JEM4", "jem"),
    ),
    LeftOut(
        "The self-adjoint Lie-group methods of Zanna, Engø & Munthe-Kaas (2001)",
        "krysl-endres-2005",
        "section 4",
        "cited for the good energy behaviour of symmetric methods, which the stress test refutes; many symmetric ones "
        "are here, and any method becomes one by composition with its adjoint.",
        ("GAUSS8", "compose"),
    ),
    LeftOut(
        "The symplectic-energy-momentum integrators of Kane, Marsden & Ortiz (1999)",
        "krysl-endres-2005",
        "section 1",
        "cited for what is known of Newmark's method. The step is an unknown of theirs; no figure has them.",
        ("VLV", "AKW"),
    ),
    LeftOut(
        "The explicit reversible variable steps of Holder, Leimkuhler & Reich (2001)",
        "krysl-endres-2005",
        "section 3.6",
        "named as the origin of the soft wall, which the paper itself integrates with fixed steps. Steps that follow "
        "the motion and stay reversible are here by another rule, that of Hairer & Söderlind (2005): solve(..., "
        "adapt=...).",
        ("solve",),
    ),
    LeftOut(
        "Rods and shells: many bodies coupled by elastic torques",
        "bou-rabee-ortolan-saccon-2010",
        "section 2; also Ortolan & Saccon, section 2",
        "named as where such integrators come from. A problem here is one body; an ensemble is many that do not meet.",
        ("solve_ensemble",),
    ),
    LeftOut(
        "The full body problem of orbital mechanics",
        "ortolan-saccon-2012",
        "section 2",
        "its bodies move as well as turn. The attitude of a satellite on a given orbit is here.",
        ("MLEOK", "build"),
    ),
    LeftOut(
        "Joints, contact and friction",
        "krysl-endres-2005",
        "section 1 (drill bits); constraints in Ortolan & Saccon, section 2, on Koziara & Bićanić (2010)",
        "the papers test none: their wall is a smooth potential. Torques may depend on the velocity and jump at given "
        "times, and a run ends at an event; a solver for contacts is another package.",
        ("Problem", "NEW3"),
    ),
    LeftOut(
        "The test on another Lie group than SO(3), and why it shows the drift",
        "ortolan-saccon-2012",
        "section 7",
        "left open by the paper as well. What is here is a family of such problems on SO(3), with the verdicts of "
        "each.",
        ("stress",),
    ),
)
"""What is named in the papers and not included."""

LEFT_OUT = (*OTHERWISE, *NAMED_ONLY)
