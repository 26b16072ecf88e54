"""States as the user sees them: attitudes and velocities in the user's axes, from rows in principal axes."""

import contextlib
from typing import Any

import numpy as np


def in_users_axes(problem: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and velocities in the user's axes, from rows of (q, Pi) in principal axes."""
    return attitudes(problem, rows), velocities(problem, rows)


def attitudes(problem: Any, rows: np.ndarray) -> np.ndarray:
    """Attitudes in the user's axes."""
    if len(rows) <= FEW:
        with contextlib.suppress(ZeroDivisionError):  # a quaternion of zeros: arrays make NaN of it
            return _attitudes_one_by_one(problem, rows)
    w, x, y, z = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    s = 2 / (w * w + x * x + y * y + z * z)
    Q = np.empty((len(rows), 3, 3))
    Q[:, 0] = np.stack([1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)], axis=1)
    Q[:, 1] = np.stack([s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)], axis=1)
    Q[:, 2] = np.stack([s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)], axis=1)
    if not np.array_equal(problem.axes, np.eye(3)):
        Q = np.stack([applied(problem.axes, Q[:, i]) for i in range(3)], axis=1)
    return Q


def velocities(problem: Any, rows: np.ndarray) -> np.ndarray:
    """Velocities in the user's axes."""
    if len(rows) <= FEW and problem.moments.ndim == 1:
        return np.array(_velocities_one_by_one(problem, rows)).reshape(-1, 3)
    Omega = rows[:, 4:] / problem.moments
    return Omega if np.array_equal(problem.axes, np.eye(3)) else applied(problem.axes, Omega)


def velocities_since(problem: Any, Omega0: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The velocity of a start, and those of rows."""
    if len(rows) <= FEW:
        return np.array([Omega0.tolist(), *_velocities_one_by_one(problem, rows)])
    return np.concatenate([Omega0[None], velocities(problem, rows)])


FEW = 3
"""States below which plain floats are faster than arrays; the bits are the same."""

ROW = 7
"""How many numbers q and Pi have together."""


def _attitudes_one_by_one(problem: Any, rows: np.ndarray) -> np.ndarray:
    Q: list[Any] = []
    for w, x, y, z, *_ in rows.tolist():
        s = 2 / (w * w + x * x + y * y + z * z)
        Q.append(
            (
                (1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
                (s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)),
                (s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)),
            )
        )
    P = problem.axes.tolist()
    if P != IDENTITY:
        Q = [[_turned(P, row) for row in each] for each in Q]
    return np.array(Q).reshape(-1, 3, 3)


def _velocities_one_by_one(problem: Any, rows: np.ndarray) -> list[Any]:
    I, J, K = problem.moments.tolist()
    Omega: list[Any] = [(a / I, b / J, c / K) for _, _, _, _, a, b, c in rows.tolist()]
    P = problem.axes.tolist()
    return Omega if P == IDENTITY else [_turned(P, v) for v in Omega]


def _turned(P: Any, v: Any) -> list[float]:
    return [a * v[0] + b * v[1] + c * v[2] for a, b, c in P]


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def applied(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x for stacks, term by term: unlike those of a matrix product, the bits of one state depend on no other."""
    return A[..., 0] * x[:, 0, None] + A[..., 1] * x[:, 1, None] + A[..., 2] * x[:, 2, None]
