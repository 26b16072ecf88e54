"""Attitudes: rotation matrices from matrices, Rotations and rotation vectors."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError, one_line
from polhode.inputs.numbers import real_array
from polhode.inputs.warning import warn
from polhode.kernels.rotations import exp, matrix

ROTATION_TOLERANCE = 1e-8
"""How far Q0^T Q0 may be from the identity; what is left is removed."""

LONGEST_VECTOR = 1e8
"""Radians of a rotation vector: a longer one leaves no digit of the attitude that is worth having."""


class HasMatrix(Protocol):
    """A Rotation of SciPy's, known by what it can do."""

    def as_matrix(self) -> np.ndarray:
        """3x3"""


AttitudeLike: TypeAlias = ArrayLike | HasMatrix
"""What users may give as an attitude: a 3x3 matrix, a Rotation or a rotation vector."""


def rotation(label: str, value: Any) -> np.ndarray:
    """A rotation matrix, from one, a Rotation or a rotation vector; the identity if None is given."""
    if value is None:
        return np.eye(3)
    is_plain = value.__class__ is np.ndarray and value.shape == (3, 3) and value.dtype == float
    if is_plain and is_plainly_rotation(value.tolist()):
        return value.copy()
    wanted = "a 3x3 matrix, a Rotation or a rotation vector"
    if hasattr(value, "as_matrix"):  # a Rotation; SciPy is imported only by those who use it
        value = _matrix_of(label, value)
    Q = real_array(label, value, wanted)
    if Q.shape not in ((3,), (3, 3)):
        raise InputError(
            f"{label} has shape {Q.shape}; give {wanted} of three numbers "
            "(a quaternion goes through scipy.spatial.transform.Rotation.from_quat)."
        )
    if not np.isfinite(Q).all():
        raise InputError(f"{label} is {Q.tolist()}; every entry must be finite.")
    if Q.shape == (3,):
        if np.abs(Q).max() > LONGEST_VECTOR:
            raise InputError(f"{label} is {Q.tolist()}, a rotation vector; its length is in radians, at most 1e8.")
        ask_about_degrees(label, Q)
        return np.array(matrix(exp(tuple(Q.tolist())))).reshape(3, 3)
    with np.errstate(all="ignore"):  # entries that are too large are no rotation either
        off = np.abs(Q.T @ Q - np.eye(3)).max()
    if not off <= ROTATION_TOLERANCE or np.linalg.det(Q) < 0:
        what = (
            "its determinant is -1, a reflection"
            if off <= ROTATION_TOLERANCE
            else f"{label}^T {label} differs from the identity by {off:.2g}, more than {ROTATION_TOLERANCE:.0g}"
        )
        raise InputError(
            f"{label} is not a rotation: {what}. scipy.spatial.transform.Rotation.from_matrix gives the nearest."
        )
    return Q


def is_plainly_rotation(rows: Sequence[Sequence[float]]) -> bool:
    """Whether the rows are those of a rotation with room to spare; in plain floats, which are faster than arrays."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    off = max(
        *(abs(a * a + d * d + g * g - 1), abs(b * b + e * e + h * h - 1), abs(c * c + f * f + i * i - 1)),
        *(abs(a * b + d * e + g * h), abs(b * c + e * f + h * i), abs(c * a + f * d + i * g)),
    )
    return off < ROTATION_TOLERANCE / 2 and a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) > 0


def ask_about_degrees(label: str, vectors: np.ndarray) -> None:
    """Ask whether rotation vectors (..., 3) of more than a turn were meant in degrees."""
    length = float(np.sqrt((vectors**2).sum(axis=-1)).max())
    if length > 2 * np.pi:
        warn(
            f"{label} is a rotation vector of {length:.4g} radians, more than a turn. Were degrees meant? "
            "np.radians makes radians of them."
        )


def _matrix_of(label: str, value: Any) -> Any:
    """The matrix of one Rotation."""
    try:
        Q = np.asarray(value.as_matrix())
    except Exception:  # an object that only looks like a Rotation, or its class
        raise InputError(f"{label} is {one_line(value)}; its as_matrix() gives no matrix.") from None
    if Q.ndim == 3:
        raise InputError(
            f"{label} is a Rotation of {len(Q)}; one is needed: give {label}[0], or all of them to solve_ensemble."
        )
    return Q
