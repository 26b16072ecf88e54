"""The explicit Newmark method on rotation matrices, after Appendix B of Krysl & Endres (2005).

The attitude is a matrix that is multiplied step by step, and optionally made orthogonal again after each step. The
methods of the catalogue carry a unit quaternion instead, so they cannot show what this repairs. Written from the
appendix, not from the catalogue: it is also an independent check of NMB.
"""

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.problem import Problem
from polhode.runs.results.trajectory import Trajectory

VARIANTS = {"NMB, matrix": False, "NMB, re-orthogonalised": True}
"""By the name used in a figure, whether the matrix is made orthogonal in each step."""

MOST_ITERATIONS, TOLERANCE = 12, 1e-14


def trajectory(p: Problem, variant: str, h: float, t_end: float) -> Trajectory:
    """The run of a variant, with all its states."""
    n = round((t_end - p.t0) / h)
    t = p.t0 + h * np.arange(n + 1)
    R, Omega = np.empty((n + 1, 3, 3)), np.empty((n + 1, 3))
    R[0], Omega[0] = p.Q0, p.Omega0
    A = acceleration(p, t[0], R[0], Omega[0])
    for i in range(n):
        R[i + 1] = R[i] @ Rotation().from_rotvec(h * Omega[i] + h**2 / 2 * A).as_matrix()
        if VARIANTS[variant]:
            R[i + 1] = nearest_rotation(R[i + 1])
        ahead = Omega[i] + h / 2 * A
        A = solved_acceleration(p.tensor, p.torque(t[i + 1], R[i + 1]), h, A, ahead)
        Omega[i + 1] = ahead + h / 2 * A
    return Trajectory(p, variant, h, t, R, Omega, problem_name=p.name)


def acceleration(p: Problem, t: float, R: np.ndarray, Omega: np.ndarray) -> np.ndarray:
    """A = J^-1 (tau - Omega x J Omega)."""
    return np.linalg.solve(p.tensor, p.torque(t, R) - np.cross(Omega, p.tensor @ Omega))


def solved_acceleration(J: np.ndarray, tau: np.ndarray, h: float, A: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """A with J A + W x J W = tau, W = ahead + h/2 A, by Newton's method from the last A."""
    for _ in range(MOST_ITERATIONS):
        W = ahead + h / 2 * A
        residual = J @ A - tau + np.cross(W, J @ W)
        if np.abs(residual).max() <= TOLERANCE * np.abs(J).max():
            break
        A = A - np.linalg.solve(J + h / 2 * (hat(W) @ J - hat(J @ W)), residual)
    return A


def nearest_rotation(R: np.ndarray) -> np.ndarray:
    """The orthogonal polar factor: the rotation nearest to a matrix that is almost one."""
    U, _, V = np.linalg.svd(R)
    return U @ V


def hat(a: np.ndarray) -> np.ndarray:
    """The matrix of a x."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
