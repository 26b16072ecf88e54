"""The parameters of kernels for bodies whose axes are not their principal axes.

Kernels work in principal axes. With P the rotation from principal to body axes, a vector v of the body has the
components P^T v there, and the attitude is Q P; what the user gives and sees stays in body axes. Parameters are
functions of the moments (n, 3) and P (n, 3, 3) of n bodies, so that they follow when the inertia changes.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.inputs.principal import in_principal


def parameters(*parts: Sequence[float] | np.ndarray | Callable[..., Any]) -> Callable[..., Any]:
    """Parameters joined from parts: numbers that are the same for every body, and functions (moments, P) -> (n, k)."""
    return functools.partial(_joined, parts)


def _joined(parts: Sequence[Any], moments: np.ndarray, P: np.ndarray) -> np.ndarray:
    columns = [part(moments, P) if callable(part) else np.array([part], dtype=float) for part in parts]
    return np.concatenate([np.broadcast_to(x, (len(moments), x.shape[1])) for x in columns], axis=1)


def body_vector(v: np.ndarray) -> Callable[..., Any]:
    """A vector fixed in the body, in principal axes."""
    return functools.partial(_turned, v)


def _turned(v: np.ndarray, moments: np.ndarray, P: np.ndarray) -> np.ndarray:
    return in_principal(P, v)


def principal_moments(moments: np.ndarray, P: np.ndarray) -> np.ndarray:
    """The moments of the body: parameters that follow from its inertia alone."""
    return moments
