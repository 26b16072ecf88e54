"""States as the user sees them: attitudes and velocities in the user's axes, from rows in principal axes."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np


def in_users_axes(problem: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and velocities in the user's axes, from rows of (q, Pi) in principal axes."""
    return attitudes(problem, rows), velocities(problem, rows)


def attitudes(problem: Any, rows: np.ndarray) -> np.ndarray:
    """Attitudes in the user's axes."""
    if len(rows) <= FEW_ROWS:
        return few_attitudes(problem.axes.tolist(), rows.tolist())
    Q = np.empty((len(rows), 3, 3))
    for k in range(0, len(rows), STATES_AT_ONCE):
        _fill(Q[k : k + STATES_AT_ONCE], rows[k : k + STATES_AT_ONCE], problem.axes)
    return Q


def _fill(Q: np.ndarray, rows: np.ndarray, axes: np.ndarray) -> None:
    """Write the attitudes of rows into Q."""
    w, x, y, z = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    xx, yy, zz, xy, xz, yz, wx, wy, wz = x * x, y * y, z * z, x * y, x * z, y * z, w * x, w * y, w * z
    s = 2 / (w * w + xx + yy + zz)
    Q[:, 0, 0], Q[:, 0, 1], Q[:, 0, 2] = 1 - s * (yy + zz), s * (xy - wz), s * (xz + wy)
    Q[:, 1, 0], Q[:, 1, 1], Q[:, 1, 2] = s * (xy + wz), 1 - s * (xx + zz), s * (yz - wx)
    Q[:, 2, 0], Q[:, 2, 1], Q[:, 2, 2] = s * (xz - wy), s * (yz + wx), 1 - s * (xx + yy)
    if axes.tolist() != IDENTITY:
        for i in range(3):
            Q[:, i] = applied(axes, Q[:, i])


def velocities(problem: Any, rows: np.ndarray) -> np.ndarray:
    """Velocities in the user's axes."""
    axes = problem.axes.tolist()
    if len(rows) <= FEW_ROWS and problem.moments.ndim == 1:
        return few_velocities(axes, problem.moments.tolist(), rows.tolist())
    Omega = rows[:, 4:] / problem.moments
    return Omega if axes == IDENTITY else applied(problem.axes, Omega)


STATES_AT_ONCE = 1024
"""States that are made together: all that is made of them on the way stays in the cache."""

FEW_ROWS = 3
"""States below which plain floats are faster than arrays; the bits are the same."""

ROW = 7
"""How many numbers q and Pi have together."""

Rows: TypeAlias = Iterable[Sequence[float]]
Matrix: TypeAlias = list[list[float]]


def few_attitudes(axes: Matrix, rows: Rows, start: Sequence[float] = ()) -> np.ndarray:
    """Attitudes of a few rows, after that of a start, if its nine numbers are given."""
    Q = [*start]
    principal = axes == IDENTITY
    for w, x, y, z, _, _, _ in rows:
        xx, yy, zz = x * x, y * y, z * z
        square = w * w + xx + yy + zz
        s = 2 / square if square else math.inf  # a quaternion of zeros: NaN, as of arrays
        xy, xz, yz, wx, wy, wz = x * y, x * z, y * z, w * x, w * y, w * z
        own = (
            1 - s * (yy + zz),
            s * (xy - wz),
            s * (xz + wy),
            s * (xy + wz),
            1 - s * (xx + zz),
            s * (yz - wx),
            s * (xz - wy),
            s * (yz + wx),
            1 - s * (xx + yy),
        )
        Q += own if principal else [n for k in (0, 3, 6) for n in _turned(axes, own[k : k + 3])]
    return np.array(Q).reshape(-1, 3, 3)


def few_velocities(axes: Matrix, moments: Sequence[float], rows: Rows, start: Sequence[float] = ()) -> np.ndarray:
    """Velocities of a few rows, after that of a start, if there is one."""
    I, J, K = moments
    Omega = [*start]
    for _, _, _, _, a, b, c in rows:
        v = a / I, b / J, c / K
        Omega += v if axes == IDENTITY else _turned(axes, v)
    return np.array(Omega).reshape(-1, 3)


def _turned(P: Matrix, v: Sequence[float]) -> list[float]:
    return [a * v[0] + b * v[1] + c * v[2] for a, b, c in P]


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def applied(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x for stacks, term by term: unlike those of a matrix product, the bits of one state depend on no other."""
    return A[..., 0] * x[:, 0, None] + A[..., 1] * x[:, 1, None] + A[..., 2] * x[:, 2, None]
