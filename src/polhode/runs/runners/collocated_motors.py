"""Numbers of the collocation by which motors drive wheels whose torques are functions: see ``kernels/holding.py``."""

import functools

import numpy as np

from polhode.integrators.gauss import nodes_of
from polhode.integrators.method import Method
from polhode.integrators.parts.motors import DEGREE


def nodes_for(method: Method) -> int:
    """How many nodes keep the order of a method."""
    order = min(method.orders.torque)
    return max(1, min(DEGREE, -int(-order // 2))) if 1 <= order < 100 else 1


@functools.cache
def collocation(s: int) -> tuple[float, ...]:
    """Gauss's nodes x, and the matrix from slopes there to the coefficients d_j/j, row by row."""
    x = np.array([float(c) for c in nodes_of(s)])
    j = np.arange(s)
    inverse = np.linalg.inv(x[:, None] ** j) / (j + 1)[:, None]
    return *x.tolist(), *inverse.ravel().tolist()
