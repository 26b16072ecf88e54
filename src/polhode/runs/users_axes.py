"""States as the user sees them: attitudes and velocities in the user's axes, from rows in principal axes."""

import contextlib
from typing import Any

import numpy as np


def in_users_axes(problem: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and velocities in the user's axes, from rows of (q, Pi) in principal axes."""
    if len(rows) <= FEW and problem.moments.ndim == 1:
        with contextlib.suppress(ZeroDivisionError):  # a quaternion of zeros: arrays make NaN of it
            return _one_by_one(problem, rows)
    w, x, y, z = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    s = 2 / (w * w + x * x + y * y + z * z)
    Q = np.empty((len(rows), 3, 3))
    Q[:, 0] = np.stack([1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)], axis=1)
    Q[:, 1] = np.stack([s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)], axis=1)
    Q[:, 2] = np.stack([s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)], axis=1)
    Omega = rows[:, 4:] / problem.moments
    if not np.array_equal(problem.axes, np.eye(3)):
        Q = np.stack([applied(problem.axes, Q[:, i]) for i in range(3)], axis=1)
        Omega = applied(problem.axes, Omega)
    return Q, Omega


FEW = 3
"""States below which plain floats are faster than arrays; the bits are the same."""


def _one_by_one(problem: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    Q: list[Any] = []
    Omega: list[Any] = []
    J = problem.moments.tolist()
    for w, x, y, z, *Pi in rows.tolist():
        s = 2 / (w * w + x * x + y * y + z * z)
        Q.append(
            (
                (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
                (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
                (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
            )
        )
        Omega.append([a / b for a, b in zip(Pi, J)])
    P = problem.axes.tolist()
    if P != IDENTITY:
        turned = lambda v: [a * v[0] + b * v[1] + c * v[2] for a, b, c in P]
        Q, Omega = [[turned(row) for row in each] for each in Q], [turned(v) for v in Omega]
    return np.array(Q).reshape(-1, 3, 3), np.array(Omega).reshape(-1, 3)


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def applied(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x for stacks, term by term: unlike a matrix product, the bits of one state never depend on the others."""
    return A[..., 0] * x[:, 0, None] + A[..., 1] * x[:, 1, None] + A[..., 2] * x[:, 2, None]
