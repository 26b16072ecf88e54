"""Stacks for ensembles: attitudes, vectors and parameters, one for each of N bodies or once for all."""

from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs.numbers import real_array
from polhode.inputs.rotations import ROTATION_TOLERANCE, ask_about_degrees
from polhode.inputs.scipy_rotation import Rotation


def attitudes(value: Any) -> np.ndarray:
    """Rotation matrices (1 or N, 3, 3) from matrices, rotation vectors or Rotations."""
    if isinstance(value, Rotation()):
        Q = value.as_matrix()
        value = Q[None] if Q.ndim == 2 else Q
    elif _holds_rotations(value):
        value = [x.as_matrix() for x in value]
    Q = real_array("Q0", value, "matrices (N, 3, 3), rotation vectors (N, 3) or Rotations")
    if Q.shape == (3,) or (Q.ndim == 2 and Q.shape[1] == 3 and Q.shape[0] not in (0, 3)):
        ask_about_degrees("Q0", Q)
        return Rotation().from_rotvec(np.atleast_2d(Q)).as_matrix()
    if Q.shape == (3, 3):
        Q = Q[None]
    if Q.ndim != 3 or Q.shape[1:] != (3, 3) or not len(Q):
        raise InputError(
            f"Q0 has shape {Q.shape}; give matrices (N, 3, 3), rotation vectors (N, 3) or Rotations, or one for all. "
            "(3, 3) is one matrix: three rotation vectors go through scipy.spatial.transform.Rotation.from_rotvec."
        )
    with np.errstate(all="ignore"):
        off = np.abs(np.swapaxes(Q, 1, 2) @ Q - np.eye(3)).max(axis=(1, 2))
        wrong = (off > ROTATION_TOLERANCE) | (np.linalg.det(Q) < 0)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        what = f"Q0^T Q0 differs from the identity by {off[i]:.2g}" if off[i] > ROTATION_TOLERANCE else "a reflection"
        raise InputError(
            f"Q0 of body {i} is not a rotation: {what}. scipy.spatial.transform.Rotation.from_matrix gives the "
            "nearest; three rotation vectors, of shape (3, 3), go through Rotation.from_rotvec."
        )
    return Q


def vectors(label: str, value: Any) -> np.ndarray:
    """A vector for each body, (N, 3), or one for all, (1, 3); a sentence where it is neither."""
    v = real_array(label, value, "three numbers for each body, (N, 3)")
    if v.shape == (3,):
        return v[None]
    if v.ndim != 2 or v.shape[1] != 3 or not len(v):
        raise InputError(f"{label} has shape {v.shape}; give (N, 3), or three numbers for all bodies.")
    return v


def parameter_rows(value: Any, room: int) -> np.ndarray:
    """Parameters of a torque (1 or N, room), filled up with zeros."""
    P = real_array("parameters", value, f"(N, k) numbers, k at most {room}")
    P = P[None] if P.ndim == 1 else P
    if P.ndim != 2 or P.shape[1] > room or not P.size:
        raise InputError(f"parameters has shape {P.shape}; give (N, k) with k at most {room}.")
    return np.concatenate([P, np.zeros((len(P), room - P.shape[1]))], axis=1)


def _holds_rotations(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(x, Rotation()) for x in value)
