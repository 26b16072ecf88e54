"""What a user's step returns: an attitude and a velocity, in the forms in which people have them."""

from typing import Any

import numpy as np

NUMBERS = "biufc"  # kinds of arrays that hold numbers
COLUMN, ROW = (3, 1), (1, 3)


def state_returned(result: Any, dtype: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Copies of Q and Omega, since a wrapped library may return the same arrays each time: Q from a matrix or a
    Rotation, Omega also from a column or a row. TypeError or ValueError where the result is no pair of numbers."""
    Q, Omega = result
    Q, Omega = _array(Q.as_matrix() if hasattr(Q, "as_matrix") else Q, dtype), _array(Omega, dtype)
    return Q, Omega.reshape(3) if Omega.shape in (COLUMN, ROW) else Omega


def _array(x: Any, dtype: Any) -> np.ndarray:
    if dtype is float and np.iscomplexobj(x):
        raise TypeError("complex numbers")  # which would lose a part
    array = np.array(x, dtype=dtype)
    if array.dtype == object:  # fractions, or numbers of another library
        array = array.astype(float)
    if array.dtype.kind not in NUMBERS:
        raise TypeError(f"an array of {array.dtype}")
    return array
