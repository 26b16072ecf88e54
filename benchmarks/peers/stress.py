"""The stress test for the peers: seven equations in (q, Omega), generic in the arithmetic.

With unit quaternions dist(Q, I)^2 = 8 |v|^2, v the vector part of q, and the skew part of Q is 4 w v; the same with
conj(qm) q in place of q for the distance from Qm. This is a third shorter than with matrices.
"""

from dataclasses import dataclass

import numpy as np

from polhode.inputs.scipy_rotation import Rotation


@dataclass(frozen=True)
class Stress:
    """The numbers of the stress test."""

    J: tuple[float, float, float]
    alpha: float
    qm: tuple[float, float, float, float]
    y0: tuple[float, ...]

    def energies(self, states):
        """The energy of each row (q, Omega)."""
        states = np.atleast_2d(states)
        w, Omega = states[:, 0] / np.linalg.norm(states[:, :4], axis=1), states[:, 4:]
        W = states[:, :4] @ np.array(self.qm) / np.linalg.norm(states[:, :4], axis=1)
        near, far = np.sqrt(8 * (1 - w**2)), np.sqrt(8 * (1 - W**2))
        return (Omega**2 @ np.array(self.J)) / 2 + (near - 1) ** 2 - self.alpha / far


def stress(problem):
    """The numbers of a stress test of ours."""
    Qm = np.array(problem.parameters[1:10]).reshape(3, 3)
    qm = Rotation().from_matrix(Qm).as_quat(scalar_first=True)
    q, _ = problem.start()
    J, Omega = problem.moments.tolist(), problem.Omega0.tolist()
    return Stress(tuple(J), problem.parameters[0], tuple(qm.tolist()), (*q, *Omega))


def rates(state, sqrt, J, alpha, qm):
    """The time derivative of (q, Omega), for anything that can be added and multiplied."""
    w, x, y, z, a, b, c = state
    W = qm[0] * w + qm[1] * x + qm[2] * y + qm[3] * z
    X = qm[0] * x - qm[1] * w - qm[2] * z + qm[3] * y
    Y = qm[0] * y - qm[2] * w - qm[3] * x + qm[1] * z
    Z = qm[0] * z - qm[3] * w - qm[1] * y + qm[2] * x
    S = 8 * (X * X + Y * Y + Z * Z)
    u = 4 * w * (2 / sqrt(8 * (x * x + y * y + z * z)) - 2)
    v = -4 * alpha * W / (S * sqrt(S))
    return (
        (-x * a - y * b - z * c) / 2,
        (w * a + y * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y * a) / 2,
        ((J[1] - J[2]) * b * c + u * x + v * X) / J[0],
        ((J[2] - J[0]) * c * a + u * y + v * Y) / J[1],
        ((J[0] - J[1]) * a * b + u * z + v * Z) / J[2],
    )
