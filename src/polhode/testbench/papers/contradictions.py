"""Where papers contradict one another, or themselves; decided by the statements named."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Contradiction:
    """A question, what each side says, what the measurements say, and the statements that carry the numbers."""

    question: str
    sides: tuple[str, ...]
    found: str
    statements: tuple[str, ...]


CONTRADICTIONS = (
    Contradiction(
        "Is the explicit Lie-Newmark method symplectic?",
        (
            "Krysl & Endres (2005): it would appear so, the numerical evidence is very strong.",
            "Bou-Rabee, Ortolan & Saccon (2010), Ortolan & Saccon (2012): no, it drifts.",
        ),
        "It is not: with either map it has a symplectic defect that no number of digits removes, and it drifts.",
        ("ke-newmark-symplectic", "br-conjecture-false", "br-exponential-map"),
    ),
    Contradiction(
        "Does the explicit Lie-midpoint method LIEMID[EA] conserve a symplectic form?",
        (
            "Krysl (2005), as reported: claimed on the evidence of bounded energy errors.",
            "Bou-Rabee, Ortolan & Saccon (2010), Ortolan & Saccon (2012): no, it drifts.",
        ),
        "It does not. Its drift is the smallest of the six, which is why it was missed.",
        ("br-liemid-not-symplectic", "os-least-slope", "br-liemid-smaller-drift"),
    ),
    Contradiction(
        "Is the Lie-midpoint method more accurate than PRK and MCG, or less?",
        (
            "Krysl (2005), as reported: LIEMID[EA] outperforms Simo-Wong, Austin et al. and NMB.",
            "Nukala & Shelton (2007), as reported: PRK and MCG are superior to it.",
            "Ortolan & Saccon (2012): PRK, MCG and LIEMID[EA] are the best three.",
        ),
        "None holds everywhere: the ranking changes with the problem and between attitude and momentum.",
        ("os-krysl-outperforms", "os-nukala-shelton-superior", "os-better-accuracy"),
    ),
    Contradiction(
        "Does the choice of the exponential or the Cayley map matter?",
        (
            "Ortolan & Saccon (2012), section 5: no difference in the long-time behavior.",
            "Ortolan & Saccon (2012), section 6: a very similar drift.",
        ),
        "The sign is the same; the rate is not: with the exponential map it is about half (ELN) and two thirds (TLN).",
        ("os-exponential-map", "br-exponential-map"),
    ),
    Contradiction(
        "Does the Simo-Wong method drift?",
        (
            "Krysl & Endres (2005), discussion: it displays a drift in energy for all time steps.",
            "Krysl & Endres (2005), Figure 12: its energy comes back on the free body.",
        ),
        "On the free body, the tops and the wall no drift is seen at any step; on the stress test it loses energy.",
        ("ke-simo-wong-drifts",),
    ),
    Contradiction(
        "Which torque was used at the soft wall?",
        (
            "Krysl & Endres (2005): the Newmark algorithm clearly outperforms all others there.",
            "Krysl & Endres (2005): HSTAGM has stability problems there.",
            "The printed torque has the opposite sign of the one described.",
        ),
        "With the printed sign the first holds (for the attitude) and the second does not; with the sign described it "
        "is the other way round. No sign fits both sentences, so which was used cannot be told.",
        ("ke-wall", "ke-staggered-unstable"),
    ),
    Contradiction(
        "Does NEW3 drift?",
        (
            "Koziara & Bicanic (2010), as reported: no energy drift in their tests.",
            "Ortolan & Saccon (2012): a positive drift.",
        ),
        "Both: none on the free body, a steady gain on the stress test. A free body shows no drift of any "
        "symmetric method.",
        ("os-new3-no-drift", "os-symmetric-may-drift"),
    ),
    Contradiction(
        "How good are Moser-Veselov methods with large steps?",
        (
            "Krysl & Endres (2005): all discrete Moser-Veselov integrators fail with h = 5.",
            "Hairer & Vilmart (2006): higher orders improve the accuracy even for very large step sizes.",
        ),
        "Both: the equation has no solution near the identity beyond about a quarter turn a step, whatever the order; "
        "below that, higher order pays from the largest step on.",
        ("ke-on-par-at-five", "hv-higher-order-pays"),
    ),
    Contradiction(
        "Which methods do NMB, DMV4 and DMV6 name?",
        (
            "NMB: with the exponential map in Krysl & Endres (2005), with the Cayley map in Bou-Rabee et al. (2010).",
            "DMV4, DMV6: time-transformed in Krysl & Endres (2005), preprocessed in Hairer & Vilmart (2006).",
        ),
        "Here NMB is that of Krysl & Endres and ELN that of Bou-Rabee et al.; DMV4 and DMV6 are those of Hairer "
        "& Vilmart "
        "and DMV-TT4 and DMV-TT6 those of Krysl & Endres.",
        ("hv-inferior", "ke-printed-orders"),
    ),
)
