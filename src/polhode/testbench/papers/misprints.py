"""Misprints found in the papers, each with what shows it: a computation where there is one to make."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.catalogue import problem
from polhode.runs.solve import solve
from polhode.testbench.papers.matrix_newmark import hat


@dataclass(frozen=True)
class Misprint:
    """Where something is misprinted, what is printed, what should be, and how one knows."""

    source: str  # a key of references.bib, or words
    where: str
    printed: str
    meant: str
    evidence: Callable[[], str]


X = np.array([0.3, -0.2, 0.48])  # |X| = 0.6
J = np.diag([1.6, 2.3, 3.1])
W = np.array([0.7, -0.4, 1.1])
H = 0.25


def exp(x: np.ndarray) -> np.ndarray:
    """The rotation of a rotation vector."""
    return Rotation().from_rotvec(x).as_matrix()


def derivative(f: Callable[..., Any], x: np.ndarray, d: float = 1e-6) -> np.ndarray:
    """The Jacobian of f by central differences."""
    return np.array([(f(x + d * e) - f(x - d * e)) / (2 * d) for e in np.eye(3)]).T


def cayley() -> str:
    """Orthogonality of the printed map and of the corrected one."""
    defects = []
    for size in (np.linalg.norm(X), X @ X):
        Q = np.eye(3) + 4 / (4 + size) * hat(X) + 2 / (4 + size) * hat(X) @ hat(X)
        defects.append(np.abs(Q.T @ Q - np.eye(3)).max())
    return (
        f"at |x| = 0.6 the printed map misses orthogonality by {defects[0]:.1e}, the corrected one by {defects[1]:.0e}"
    )


def midpoint_index() -> str:
    """The spatial momentum of a free step, with the angle of the first half step in place of the second's."""

    def half(Pi: np.ndarray) -> np.ndarray:
        Theta = np.zeros(3)
        for _ in range(200):
            Theta = H / 2 * np.linalg.solve(J, exp(-Theta / 2) @ Pi)
        return Theta

    Pi = J @ W
    first = half(Pi)
    middle = exp(-first) @ Pi
    second = half(middle)
    Q = exp(first) @ exp(second)
    printed, meant = (np.abs(Q @ exp(-angle) @ middle - Pi).max() for angle in (first, second))
    return (
        f"Theta_k is not defined there; read as the angle of the half step before, it changes the momentum of a "
        "free body "
        f"by {printed:.0e} in a step of h = 1/4, where the corrected one keeps it to {meant:.0e}"
    )


def newton_tangent() -> str:
    """The residual's derivative by differences, as printed, and as in the appendix."""
    A = np.array([0.2, 0.5, -0.3])

    def residual(A: np.ndarray) -> np.ndarray:
        w = W + H / 2 * A
        return J @ A + np.cross(w, J @ w)

    true = derivative(residual, A)
    printed = J + H / 2 * (hat(W) @ J - J @ hat(W)) + H**2 / 2 * (hat(A) @ J - J @ hat(A))
    meant = J + H / 2 * (hat(W) @ J - hat(J @ W)) + H**2 / 4 * (hat(A) @ J - hat(J @ A))
    return (
        f"by differences of the residual the printed matrix is off by {np.abs(printed - true).max():.2f}, that of the "
        f"paper's Appendix B by {np.abs(meant - true).max():.0e}"
    )


def tangent_map() -> str:
    """S of (31)-(32) by differences."""
    n = np.linalg.norm(X)
    b, c = (1 - np.cos(n)) / n**2, (1 - np.sin(n) / n) / n**2

    def moved(y: np.ndarray) -> np.ndarray:
        return Rotation().from_matrix(exp(X).T @ exp(X + y)).as_rotvec()

    true = derivative(moved, np.zeros(3))
    off = [np.abs(np.eye(3) + s * b * hat(X) + c * hat(X) @ hat(X) - true).max() for s in (1, -1)]
    return (
        f"by differences of (31) the printed S is off by {off[0]:.2f}, with a minus by {off[1]:.0e}; harmless "
        f"for gamma = 1/2"
    )


def frames() -> str:
    """How far the torques in the two frames differ at the start of the heavy top."""
    p = problem("heavy-top")
    body = p.torque(0.0, p.Q0)
    apart = np.abs(p.Q0 @ body - body).max()
    return (
        f"for the heavy top at its start the two differ by {apart:.2f}; the order is not harmed, as only the "
        f"start uses it"
    )


def gravity_sign() -> str:
    """The energy along a motion with the potential as printed, and with gamma pointing up."""
    top = problem("lagrange-top")
    s = solve(top, "RKN8", h=0.02, t_end=10.0)
    kinetic = np.einsum("ni,ij,nj->n", s.Omega, top.tensor, s.Omega) / 2
    up = s.energy - kinetic
    printed, meant = (np.ptp(kinetic + sign * up) for sign in (-1, 1))
    return f"along the motion of the top the printed H changes by {printed:.0f}, with gamma pointing up by {meant:.0e}"


def wall_sign() -> str:
    """U of the printed torque near the wall and afar."""
    p = problem("soft-wall", printed_sign=True)
    near = exp(np.array([np.arccos(0.15 - 1.1), 0.0, 0.0]))
    return (
        f"the printed torque belongs to a potential of {p.potential(near):.0e} at the distance 0.15 of the wall: "
        "a well, "
        "not a wall; the text describes attraction from afar and repulsion"
    )


def energy_of_modified() -> str:
    """H~ of DMV4 for the asymmetric body, by its definition and by both formulas."""
    I = np.array([0.6, 0.8, 1.0])
    y, h = np.array([1.8, 0.4, -0.9]), 0.5
    E, C, delta = (y**2 / I).sum() / 2, (y**2).sum() / 2, I.prod()
    s = 1 + h**2 * (-(1 / I).sum() / 3 * E + I.sum() / (6 * delta) * C)
    d = h**2 * (I.sum() / (6 * delta) * E - C / (3 * delta))
    true = ((s / I + d) * y**2).sum() / 2
    return (
        f"with h = 1/2 and the asymmetric body H~ is {true:.5f}; s H + d C gives {s * E + d * C:.5f}, the "
        f"print {s * E + (1 + d) * C:.5f}"
    )


def trapezoidal_tangent() -> str:
    """The inertia part of the Newton matrix of TLN by differences."""

    def residual(w: np.ndarray) -> np.ndarray:
        return -J @ w - H / 2 * np.cross(w, J @ w)

    true = derivative(residual, W)
    off = [np.abs(-J - H / 2 * (hat(W) @ J + s * hat(J @ W)) - true).max() for s in (1, -1)]
    return f"by differences the printed matrix is off by {off[0]:.2f}, with a minus by {off[1]:.0e}"


def row_sum() -> str:
    """Row sums of the tableau with either digit."""
    c5, row = 0.8768903263420429, (0.3552358559023322, 0.2390958372307326, 1.3918565724203246)
    off = [abs(sum(row) + a - c5) for a in (-1.1092979392113565, -1.1092979392113465)]
    return f"the row must sum to c5: it misses it by {off[0]:.0e} with the first, by {off[1]:.0e} with the second"


def as_words(text: str) -> Callable[[], str]:
    """Evidence that needs no computation."""
    return lambda: text


README = "notes on the integrators of sdof.rigid"

MISPRINTS = (
    Misprint(
        "ortolan-saccon-2012",
        "(5), and Bou-Rabee, Ortolan & Saccon (4)",
        "cay(x) with 4 + |x| in the denominators",
        "4 + |x|^2",
        cayley,
    ),
    Misprint(
        "ortolan-saccon-2012",
        "section 4",
        "S is a sphere of radius one in exponential coordinates",
        "of radius 2 asin(1/(2 sqrt 2))",
        lambda: f"dist(exp(v), I) = 2 sqrt 2 sin(|v|/2) is one at |v| = {2 * np.arcsin(8**-0.5):.4f}",
    ),
    Misprint(
        "bou-rabee-ortolan-saccon-2010",
        "(8f)",
        "exp(-Theta_k)",
        "exp(-Theta_{k+1}), as in (7f) of Ortolan & Saccon",
        midpoint_index,
    ),
    Misprint(
        "bou-rabee-ortolan-saccon-2010",
        "sections 2 and 3, appendix",
        "(Q_k, W_k) in R^3 x SO(3)",
        "in SO(3) x R^3",
        as_words("Q is the attitude and W the velocity everywhere else"),
    ),
    Misprint(
        "krysl-endres-2005",
        "(43)",
        "I + h/2 (w^ I - I w^) + h^2/2 (a^ I - I a^)",
        "I + h/2 (w^ I - (I w)^) + h^2/4 (a^ I - (I a)^)",
        newton_tangent,
    ),
    Misprint(
        "krysl-endres-2005",
        "(33)",
        "S(Psi) = 1 + b Psi^ + c Psi^^2",
        "1 - b Psi^ + c Psi^^2 for (31) and (32)",
        tangent_map,
    ),
    Misprint(
        "krysl-endres-2005",
        "Appendix A, HSTAGM",
        "A_0 = I^-1 (t_0 - Omega_0 x I Omega_0), t_0 in space axes",
        "R_0^T t_0",
        frames,
    ),
    Misprint(
        "krysl-endres-2005",
        "section 1.3, and the boxes of NMB and SW",
        "T is the torque in the body frame in the text, in space axes in the boxes",
        "R^T T in the boxes is the T of the text",
        as_words("the boxes multiply T by R^T, or add it to the momentum in space axes"),
    ),
    Misprint(
        "krysl-endres-2005",
        "section 3.3",
        "gamma is the unit vector in the direction of gravity, H = ... + Mlg gamma . chi",
        "gamma points up",
        gravity_sign,
    ),
    Misprint(
        "krysl-endres-2005",
        "section 3.3 (perhaps of the scan)",
        "pi = pi . omega; ||R gamma||",
        "pi = i . omega; ||R^T gamma||",
        as_words("i is the tensor of inertia in space axes; gravity in the body frame is R^T gamma"),
    ),
    Misprint(
        "krysl-endres-2005",
        "section 3.1, Figure 4",
        "the text compares NMB with AKW, the caption and the figure with LS",
        "one of them",
        as_words("the ratio is about a hundred for either, see the statement on Figure 4"),
    ),
    Misprint(
        "krysl-endres-2005",
        "section 3.6",
        "t = (-x^-2 + 0.01 x^-11) [-R23; R13; 0], x = 1.1 + R33",
        "the opposite sign, for the problem that the text describes",
        wall_sign,
    ),
    Misprint(
        "hairer-vilmart-2006",
        "proof of Proposition 2.3",
        "H~ = (1 + h^2 s3 + ...) H + (1 + h^2 d3 + ...) C",
        "(1 + h^2 s3 + ...) H + (h^2 d3 + ...) C",
        energy_of_modified,
    ),
    Misprint(
        README,
        "VLV, the residual f",
        "f(w) = -w + w_{k+1/2} + h/2 [...]",
        "-w + w_k + h/2 J^-1 [...]",
        as_words("as printed, the old velocity does not enter at all, and torques are added to velocities"),
    ),
    Misprint(
        README,
        "TLN, the Newton matrix",
        "-J - h/2 [(J w)^ + w^ J]",
        "-J - h/2 [w^ J - (J w)^]",
        trapezoidal_tangent,
    ),
    Misprint(
        README,
        "box of the Munthe-Kaas method, after Krysl (2008)",
        "a stage sums exp[Psi_(j)] T_(k)",
        "exp[Psi_(j)] T_(j)",
        as_words(
            "k is the stage that is being computed: its torque is not known yet, and would not belong in the sum over j"
        ),
    ),
    Misprint(
        README,
        "TRAP",
        "two rotation vectors, and not how they combine",
        "Q1 = Q0 exp(h/2 Omega0) exp(h/2 Omega1)",
        as_words("the box of the method in the same notes has it"),
    ),
    Misprint(
        "public codes of the Crouch-Grossman method of order 4",
        "a54",
        "-1.1092979392113565",
        "-1.1092979392113465",
        row_sum,
    ),
)
"""Paper by paper; Table 1, K3 and K5 of Hairer & Vilmart were compared exactly and have none."""
