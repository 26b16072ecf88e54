"""The attitudes of the survey: where a component of the quaternion, or of the matrix, is the largest, the only one, or
none at all; turns about each axis all the way round; and as many as are asked for, spread evenly.

A branch by the attitude has a place in SO(3), and it need not be small to be missed: a band of a hundredth of all
attitudes is met by a user whose body turns about one axis, and by one in a hundred drawn at random.
"""

import itertools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation

AXES = ("first", "second", "third")
IDENTITY = "the identity"
ATTITUDES: dict[str, Any] = {
    IDENTITY: np.eye(3),
    "half a turn about the first axis": np.diag((1.0, -1.0, -1.0)),
    "half a turn about the second axis": np.diag((-1.0, 1.0, -1.0)),
    "half a turn about the third axis": np.diag((-1.0, -1.0, 1.0)),
    "nearly half a turn about the first axis": (2.9, 0.2, -0.3),
    "nearly half a turn about the second axis": (-0.3, 2.9, 0.2),
    "nearly half a turn about the third axis": (0.2, -0.3, 2.9),
    "within 0.003 of half a turn": tuple(3.1386 / np.linalg.norm((1.0, -2.0, 1.5)) * np.array((1.0, -2.0, 1.5))),
    "a quarter turn": (0.0, np.pi / 2, 0.0),
}
"""After the first, in each of six another component of the quaternion is the largest, or the only one."""

TURNS = (90, -90, 45, -45, 135, -135)  # degrees about each axis; 180 is above
HALF_TURNS = ((1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1))  # about these axes
THIRD_TURNS = tuple((1, y, z, way) for y, z, way in itertools.product((1, -1), repeat=3))  # 120 degrees, either way
WINDINGS = (2**0.5, 1.533751168755204288118041)
"""Of the two angles along a spiral on which attitudes are spread evenly: the second is the root of x^4 = x + 4."""


def turned() -> dict[str, np.ndarray]:
    """Turns about the axes, and those that take axes to axes: all components of the matrix are 0, 1 or -1."""
    e = np.eye(3)
    by = {
        f"a turn of {x} degrees about the {axis} axis": np.radians(x) * e[k]
        for k, axis in enumerate(AXES)
        for x in TURNS
        if (x, k) != (90, 1)  # it has its own words
    }
    by |= {f"half a turn about {x}": np.pi * np.array(x) / 2**0.5 for x in HALF_TURNS}
    by |= {
        f"a turn of {120 * way} degrees about {(x, y, z)}": way * 2 * np.pi / 3 * np.array((x, y, z)) / 3**0.5
        for x, y, z, way in THIRD_TURNS
    }
    return {words: Rotation().from_rotvec(x).as_matrix() for words, x in by.items()}


def spread(count: int) -> list[np.ndarray]:
    """So many attitudes, spread evenly: the super-Fibonacci spiral of Alexa (CVPR 2022)."""
    s = np.arange(count) + 0.5
    r, R = np.sqrt(s / count), np.sqrt(1 - s / count)
    a, b = (2 * np.pi * s / winding for winding in WINDINGS)
    return list(
        Rotation().from_quat(np.array([r * np.sin(a), r * np.cos(a), R * np.sin(b), R * np.cos(b)]).T).as_matrix()
    )
