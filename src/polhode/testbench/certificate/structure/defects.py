"""Defects of a step in floats, relative to the size of what they are defects of: zero, up to round-off, where a
property holds."""

from collections.abc import Callable

import numpy as np

from polhode.physics.problem import Problem
from polhode.testbench.certificate.running.jacobian import ROUND_OFF, hat, momentum_scale
from polhode.testbench.certificate.states.cases import GAMMA, Run

OFF_GROUP = 4e-13  # the same of Q^T Q - I after MANY_STEPS steps, each of some dozen products of matrices
MANY_STEPS = 24  # steps after which a Q that leaves the group is looked at


def _three(run: Run, p: Problem, h: float) -> tuple[np.ndarray, np.ndarray]:
    return run(p, p.Q0, p.Omega0, h, 3, p.t0)


def symmetry(run: Run, p: Problem, h: float, n: int = 1) -> float:
    """How far n steps of h and then as many of -h miss the start."""
    Q, Omega = run(p, p.Q0, p.Omega0, h, n, p.t0)
    Q, Omega = run(p, Q, Omega, -h, n, p.t0 + n * h)
    return max(np.abs(Q - p.Q0).max(), np.abs(p.tensor @ (Omega - p.Omega0)).max() / momentum_scale(p, h))


def spatial_momentum(run: Run, p: Problem, h: float) -> float:
    """Change of the spatial momentum in three steps, that of wheels included."""
    Q, Omega = _three(run, p, h)
    before, after = p.internal.momentum(np.array([p.t0, p.t0 + 3 * h]))
    change = Q @ (p.tensor @ Omega + after) - p.Q0 @ (p.tensor @ p.Omega0 + before)
    return np.abs(change).max() / (momentum_scale(p, h) + np.linalg.norm(before))


def vertical_momentum(run: Run, p: Problem, h: float) -> float:
    """Change of the vertical momentum in three steps."""
    Q, Omega = _three(run, p, h)
    return abs(Q[2] @ p.tensor @ Omega - p.Q0[2] @ p.tensor @ p.Omega0) / momentum_scale(p, h)


def energy(run: Run, p: Problem, h: float) -> float:
    """Change of the energy in three steps."""
    Q, Omega = _three(run, p, h)
    kinetic = (p.Omega0 @ p.tensor @ p.Omega0 + Omega @ p.tensor @ Omega) / 2
    size = float(kinetic + abs(p.potential(p.Q0)) + abs(p.potential(Q))) or 1.0
    return abs(float(p.energy(Q, Omega) - p.energy(p.Q0, p.Omega0))) / size


def energy_that_rises(run: Run, p: Problem, h: float) -> float:
    """The largest rise of the energy in one of three steps, forwards and with the velocity turned round."""
    worst = 0.0
    for sign in (1, -1):
        Q, Omega, t = p.Q0, sign * p.Omega0, p.t0
        for i in range(3):
            before = Omega @ p.tensor @ Omega
            Q, Omega = run(p, Q, Omega, h, 1, t + i * h)
            worst = max(worst, (Omega @ p.tensor @ Omega - before) / (before or 1.0))
    return worst


def orthogonality(run: Run, p: Problem, h: float, steps: int = MANY_STEPS) -> float:
    """How far from a rotation Q is after many steps."""
    Q, _ = run(p, p.Q0, p.Omega0, h, steps, p.t0)
    return np.abs(Q.T @ Q - np.eye(3)).max()


def symplecticity(
    D: np.ndarray, Pi0: np.ndarray, Pi1: np.ndarray, scale: float = 1.0, span: float = 0.0, gamma: float = 0.0
) -> float:
    """max |D^T W(Pi1) D - exp(-gamma span) W(Pi0)|, D the left-trivialised Jacobian of steps over the time `span`,
    momenta in units of `scale`."""
    units = np.diag([1, 1, 1, scale, scale, scale])
    D = np.linalg.inv(units) @ D @ units
    defect = D.T @ _form(Pi1 / scale) @ D - np.exp(-gamma * span) * _form(Pi0 / scale)
    return np.abs(defect).max() / max(1.0, np.abs(D).max()) ** 2


def conformality(D: np.ndarray, Pi0: np.ndarray, Pi1: np.ndarray, scale: float = 1.0, span: float = 0.0) -> float:
    """The same with the rate at which damping like the inertia contracts the form."""
    return symplecticity(D, Pi0, Pi1, scale, span, GAMMA)


def poisson(D: np.ndarray, Pi0: np.ndarray, Pi1: np.ndarray, scale: float = 1.0, span: float = 0.0) -> float:
    """max |A hat(Pi0) A^T - hat(Pi1)|, A the derivative of Pi1 by Pi0; dPi1/dQ, which must vanish; and the change of
    |Pi|, which a map that can be inverted keeps if it is one of Poisson (that to zero is one, too)."""
    A = D[3:, 3:]
    off = np.abs(A @ hat(Pi0) @ A.T - hat(Pi1)).max() / scale / max(1.0, np.abs(A).max()) ** 2
    return max(off, np.abs(D[3:, :3]).max() / scale, abs(np.linalg.norm(Pi1) - np.linalg.norm(Pi0)) / scale)


def _form(Pi: np.ndarray) -> np.ndarray:
    return np.block([[-hat(Pi), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])


DIRECT: dict[str, tuple[Callable[..., float], float, str]] = {
    "symmetry": (symmetry, ROUND_OFF, ""),
    "spatial momentum": (spatial_momentum, ROUND_OFF, ""),
    "vertical momentum": (vertical_momentum, ROUND_OFF, ""),
    "energy that rises": (energy_that_rises, ROUND_OFF, ""),
    "energy": (energy, ROUND_OFF, ""),
    "orthogonality": (orthogonality, OFF_GROUP, f" after {MANY_STEPS} steps"),
}
"""By the measure of a row of the table of properties: its defect (run, problem, h), the round-off, words to add."""

BY_DERIVATIVES = {"symplecticity": symplecticity, "conformality": conformality, "Poisson map": poisson}
"""The same for defects of a Jacobian: (D, Pi0, Pi1, the size of a momentum, the time)."""
