"""Principal axes: those of an inertia tensor, and vectors and attitudes in them.

The bits of a run begin here, so sums of three products are written out: BLAS and LAPACK add in an order that differs
from machine to machine, and from one matrix to a stack. Everything but `eigen` takes stacks, and the bits of one body
do not depend on the others. P is the rotation from principal to body axes; + 0.0 makes a zero positive.
"""

import math

import numpy as np

PAIRS = ((0, 1), (0, 2), (1, 2))
MOST_SWEEPS = 50
"""Five are enough; more are seen only by numbers that overflow."""


def eigen(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments, ascending, and P, of a symmetric tensor: Jacobi's rotations until nothing is left to turn."""
    a, P = [[float(x) for x in row] for row in J], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for _ in range(MOST_SWEEPS):
        if not any([_turned(a, P, p, q) for p, q in PAIRS]):  # a list: whole sweeps
            break
    order = sorted(range(3), key=lambda i: a[i][i])
    axes = np.array([[row[i] for i in order] for row in P])
    if sum(order[i] > order[j] for i, j in PAIRS) % 2:
        axes = -axes  # an odd permutation of the columns of a rotation
    return np.array([a[i][i] for i in order]), axes + 0.0


def _turned(a: list[list[float]], P: list[list[float]], p: int, q: int) -> bool:
    """Turn axes p and q so that a[p][q] vanishes; False if it is below the round-off of both moments already."""
    off, gap = a[p][q], a[q][q] - a[p][p]
    if a[p][p] + off == a[p][p] and a[q][q] + off == a[q][q]:
        a[p][q] = a[q][p] = 0.0
        return False
    slope = gap / (2 * off)
    t = math.copysign(1 / (abs(slope) + math.hypot(slope, 1.0)), slope)
    c = 1 / math.sqrt(t * t + 1)
    s = t * c
    a[p][p], a[q][q], a[p][q], a[q][p] = a[p][p] - t * off, a[q][q] + t * off, 0.0, 0.0
    r = 3 - p - q
    x, y = a[r][p], a[r][q]
    a[r][p] = a[p][r] = c * x - s * y
    a[r][q] = a[q][r] = s * x + c * y
    for row in P:
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    return True


def in_body(P: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P v: a vector of principal axes in body axes."""
    return P[..., 0] * v[..., 0, None] + P[..., 1] * v[..., 1, None] + P[..., 2] * v[..., 2, None] + 0.0


def in_principal(P: np.ndarray, v: np.ndarray) -> np.ndarray:
    """P^T v: a vector of body axes in principal axes."""
    return P[..., 0, :] * v[..., 0, None] + P[..., 1, :] * v[..., 1, None] + P[..., 2, :] * v[..., 2, None] + 0.0


def attitude(Q: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Q P: the attitude of the principal axes."""
    x, y, z = (Q[..., :, i, None] * P[..., None, i, :] for i in range(3))
    return x + y + z + 0.0


def velocity(moments: np.ndarray, P: np.ndarray, Pi: np.ndarray) -> np.ndarray:
    """J^-1 Pi in body axes."""
    return in_body(P, in_principal(P, Pi) / moments)
