"""Inertia: three principal moments, or a symmetric tensor in the user's body axes."""

from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.numbers import real_array
from polhode.inputs.principal import eigen
from polhode.inputs.warning import warn

LEAST_MOMENT, GREATEST_MOMENT = 1e-90, 1e90
"""Moments beyond these leave no room for their cubes and inverses among floats; up to here scaling changes nothing."""


def principal_axes(label: str, value: Any) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and the rotation from principal to body axes; a warning if no body has such moments."""
    J = _array(label, value)
    if J.shape == (3,):
        moments, axes = J, np.eye(3)
    else:
        off = np.abs(J - J.T).max()
        if off > 1e-12 * np.abs(J).max():
            raise InputError(f"The {label} tensor is not symmetric: its halves differ by {off:.2g}. Use (J + J.T)/2.")
        moments, axes = eigen(J / 2 + J.T / 2)
    if not (np.isfinite(moments) & (moments > 0)).all():
        raise InputError(f"The principal moments are {moments.tolist()}; all three must be positive and finite.")
    if moments.min() < LEAST_MOMENT:
        raise InputError(f"The principal moments are {moments.tolist()}; below {LEAST_MOMENT:g} choose a smaller unit.")
    low, mid, high = np.sort(moments)
    if high > (low + mid) * (1 + 1e-12):
        warn(
            f"No body in space has principal moments {moments.tolist()}: the largest exceeds the sum of the others. "
            "The equations can be integrated all the same."
        )
    return moments, axes


def inertia_tensor(label: str, value: Any) -> np.ndarray:
    """The inertia as a 3x3 array, from three moments or a tensor."""
    J = _array(label, value)
    return np.diag(J) if J.ndim == 1 else J


def _array(label: str, value: Any) -> np.ndarray:
    wanted = "three principal moments or a symmetric 3x3 tensor"
    J = real_array(label, value, wanted)
    if J.shape not in ((3,), (3, 3)):
        raise InputError(f"{label} has shape {J.shape}; give {wanted}.")
    if not np.isfinite(J).all():
        raise InputError(f"{label} is {one_line(J.tolist())}; every entry must be finite.")
    if np.abs(J).max() > GREATEST_MOMENT:
        raise InputError(f"{label} is {one_line(J.tolist())}; beyond {GREATEST_MOMENT:g} choose a larger unit.")
    return J
