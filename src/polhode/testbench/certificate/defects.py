"""Defects of a step in floats, relative to the size of what they are defects of: zero, up to round-off, where a
property holds."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.kernels.scalar import STEP
from polhode.physics.problem import Problem
from polhode.testbench.certificate.cases import GAMMA, Run, placed, potential

ROUND_OFF = 2e-13  # of a few steps in floats, with room for a careful but not optimal solver
OFF_GROUP = 4e-13  # the same of Q^T Q - I after MANY_STEPS steps, each of some dozen products of matrices
ANOTHER_ANSWER = 1e-8  # part of a velocity, by which complex numbers have another answer than real ones
DIFFERENCES = 2e-10  # of a Jacobian by differences
MANY_STEPS = 24  # steps after which a Q that leaves the group is looked at


def momentum_scale(p: Problem, h: float) -> float:
    """The size of the momentum: its own, and what the torque makes of it in a step."""
    return float(np.linalg.norm(p.tensor @ p.Omega0) + abs(h) * np.linalg.norm(p.torque(p.t0, p.Q0, p.Omega0))) or 1.0


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
    off = np.abs(A @ _hat(Pi0) @ A.T - _hat(Pi1)).max() / scale / max(1.0, np.abs(A).max()) ** 2
    return max(off, np.abs(D[3:, :3]).max() / scale, abs(np.linalg.norm(Pi1) - np.linalg.norm(Pi0)) / scale)


def _hat(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def _form(Pi: np.ndarray) -> np.ndarray:
    return np.block([[-_hat(Pi), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])


# ---- derivatives -------------------------------------------------------------------------------------


def derivatives(run: Run, h: float) -> tuple[Callable[..., Any], float, str]:
    """A function for the Jacobian of a step, its round-off, and words for it: the complex step, where it agrees with
    differences at this h; else differences."""
    p = placed(potential())
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exact, _ = _complex_jacobian(run, p, h)
        agrees = np.allclose(exact, _difference_jacobian(run, p, h)[0], rtol=1e-6, atol=1e-7)
    except Exception:  # a function that cannot take complex numbers may fail in any way it likes
        agrees = False
    if agrees:
        return _complex_jacobian, 20 * ROUND_OFF, "derivatives by the complex step"
    return BY_DIFFERENCES


class NotAnalytic(Exception):
    """The derivative by the complex step is not that of the function."""


def _complex_jacobian(run: Run, p: Problem, h: float, n: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """By the complex step, where complex numbers are given the answer that real ones are given."""
    D = np.empty((6, 6))
    _, real = run(p, p.Q0, p.Omega0, h, n, p.t0)
    inverse = np.linalg.inv(p.tensor)
    for j in range(6):
        e = np.zeros(6, complex)
        e[j] = 1j * STEP
        Q1, Omega1 = run(p, p.Q0 @ (np.eye(3) + _hat(e[:3])), p.Omega0 + inverse @ e[3:], h, n, p.t0)
        S = Q1.real.T @ Q1.imag / STEP
        D[:, j] = [S[2, 1], S[0, 2], S[1, 0], *(p.tensor @ Omega1.imag / STEP)]
    if np.abs(Omega1.real - real).max() > ANOTHER_ANSWER * np.abs(real).max():
        raise NotAnalytic
    return D, p.tensor @ Omega1.real


def _difference_jacobian(run: Run, p: Problem, h: float, n: int = 1, d: float = 2e-3) -> tuple[np.ndarray, np.ndarray]:
    """Central differences of sixth order: truncation (2e-3)^6, round-off 1e-16/2e-3."""
    inverse = np.linalg.inv(p.tensor)
    unit = momentum_scale(p, h)
    Q1, Omega1 = run(p, p.Q0, p.Omega0, h, n, p.t0)
    D = np.empty((6, 6))
    for j in range(6):
        column = np.zeros(6)
        size = d if j < 3 else d * unit
        for k, weight in ((1, 45), (2, -9), (3, 1)):
            for sign in (1, -1):
                e = np.zeros(6)
                e[j] = sign * k * size
                turn = Rotation().from_rotvec(e[:3]).as_matrix()
                Q, Omega = run(p, p.Q0 @ turn, p.Omega0 + inverse @ e[3:], h, n, p.t0)
                F = Q1.T @ Q
                moved = [F[2, 1] - F[1, 2], F[0, 2] - F[2, 0], F[1, 0] - F[0, 1]]
                column += sign * weight * np.array([*(np.array(moved) / 2), *(p.tensor @ Omega)])
        D[:, j] = column / (60 * size)
    return D, p.tensor @ Omega1


BY_DIFFERENCES = (_difference_jacobian, DIFFERENCES, "derivatives by differences of sixth order")
"""The Jacobian that every function has: how, its round-off, and that in words."""

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
