"""Level surfaces of a function on a grid, by marching tetrahedra: a few lines, no library."""

import itertools

import numpy as np

CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))
TETRAHEDRA = [
    [0, *(int("".join(str(b) for b in steps), 2) for steps in path), 7]
    for path in (
        ((1, 0, 0), (1, 1, 0)),
        ((1, 0, 0), (1, 0, 1)),
        ((0, 1, 0), (1, 1, 0)),
        ((0, 1, 0), (0, 1, 1)),
        ((0, 0, 1), (1, 0, 1)),
        ((0, 0, 1), (0, 1, 1)),
    )
]
"""The six tetrahedra of a cube around its diagonal, one for each order of the three steps from corner 0 to 7."""


def level_surface(x: np.ndarray, y: np.ndarray, z: np.ndarray, values: np.ndarray, level: float) -> np.ndarray:
    """Triangles (n, 3, 3) on which the function, linear in each tetrahedron, has the level.

    x, y, z are the coordinates of the grid, values (len(x), len(y), len(z)); cells with a value that is not finite
    are left out.
    """
    places = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1)
    cells = [values[a : len(x) - 1 + a, b : len(y) - 1 + b, c : len(z) - 1 + c] for a, b, c in CORNERS]
    low, high = np.min(cells, axis=0), np.max(cells, axis=0)
    crossed = np.argwhere((low <= level) & (high > level) & np.isfinite(high - low))
    index = crossed[:, None, :] + CORNERS[None]
    p, f = places[tuple(np.moveaxis(index, -1, 0))], values[tuple(np.moveaxis(index, -1, 0))] - level
    triangles = [_cut(p[:, corners], f[:, corners]) for corners in TETRAHEDRA]
    return np.concatenate(triangles) if len(crossed) else np.empty((0, 3, 3))


def _cut(p: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Triangles where tetrahedra (n, 4, 3) with values f (n, 4) cross zero: one where a corner is alone, else two."""
    order = np.argsort(f, axis=1)  # from the lowest corner to the highest
    p, f = np.take_along_axis(p, order[..., None], axis=1), np.take_along_axis(f, order, axis=1)
    below = (f <= 0).sum(axis=1)

    def edge(keep: np.ndarray, i: int, j: int) -> np.ndarray:
        s = f[keep, i] / (f[keep, i] - f[keep, j])
        return p[keep, i] + s[:, None] * (p[keep, j] - p[keep, i])

    one, two, three = below == 1, below == 2, below == 3
    a, b, c, d = (edge(two, i, j) for i, j in ((0, 2), (0, 3), (1, 3), (1, 2)))
    return np.concatenate(
        [
            np.stack([edge(one, 0, 1), edge(one, 0, 2), edge(one, 0, 3)], axis=1),
            np.stack([edge(three, 0, 3), edge(three, 1, 3), edge(three, 2, 3)], axis=1),
            np.stack([a, b, c], axis=1),
            np.stack([a, c, d], axis=1),
        ]
    )
