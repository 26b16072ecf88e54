"""Attitudes as unit quaternions, scalar first: what a run starts from.

The bits of a run begin here, as in ``principal.py``: one matrix and a stack of them give the same.
"""

import math
from collections.abc import Sequence

import numpy as np


def quaternion(Q: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4), scalar first, of matrices (..., 3, 3): the longest row of 4 q q^T, normalised."""
    x, y, z = (Q[..., i, i] for i in range(3))
    a, b, c = Q[..., 2, 1] - Q[..., 1, 2], Q[..., 0, 2] - Q[..., 2, 0], Q[..., 1, 0] - Q[..., 0, 1]
    d, e, f = Q[..., 1, 0] + Q[..., 0, 1], Q[..., 0, 2] + Q[..., 2, 0], Q[..., 2, 1] + Q[..., 1, 2]
    rows = ((1 + x + y + z, a, b, c), (a, 1 + x - y - z, d, e), (b, d, 1 - x + y - z, f), (c, e, f, 1 - x - y + z))
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    longest = np.argmax(np.stack([rows[i][i] for i in range(4)], axis=-1), axis=-1)
    q = np.take_along_axis(table, longest[..., None, None], axis=-2)[..., 0, :]
    length = np.sqrt(q[..., 0] ** 2 + q[..., 1] ** 2 + q[..., 2] ** 2 + q[..., 3] ** 2)
    return q / length[..., None]


def quaternion_of_one(Q: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """`quaternion` of one matrix, given as three lists of floats: the same bits, without arrays."""
    (x, xy, xz), (yx, y, yz), (zx, zy, z) = Q
    a, b, c, d, e, f = zy - yz, xz - zx, yx - xy, yx + xy, xz + zx, zy + yz
    rows = ((1 + x + y + z, a, b, c), (a, 1 + x - y - z, d, e), (b, d, 1 - x + y - z, f), (c, e, f, 1 - x - y + z))
    w, x, y, z = max(enumerate(rows), key=lambda row: row[1][row[0]])[1]
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length)
