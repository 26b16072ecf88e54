"""The torques of motors that are functions, over one step: collocation around the method's own step.

Motor torques u(t, Q, Omega) change the momenta p of the wheels, p' = u, and p moves the body. Over a step p is taken as
the polynomial whose slope is u at Gauss's nodes, and the states there are those that the method reaches, by a shorter
step, while the wheels follow the polynomial:

    p(t + x h) = p0 + h sum_j d_j x^(j + 1)/(j + 1),     sum_j d_j x_i^j = u(t + x_i h, Q_i, Omega_i)

This is solved by repeating it. For a flow that is exact it is collocation, of order 2 s with s nodes; a method of order
2 s keeps its order; between steps, where times of t_eval may be, the error of p is of order h^(s + 1). Whatever the
polynomial, the body loses what the wheels gain: methods that keep the momentum of body and rotor keep that of body and
wheels.
"""

import functools
import sys
from collections.abc import Callable

import numpy as np

from polhode.errors import RunError
from polhode.integrators.gauss import nodes_of
from polhode.integrators.method import Method
from polhode.integrators.parts.motors import DEGREE

MOST_SWEEPS = 50
"""Repetitions after which it is given up; a step gains about a factor of h times the rate of the feedback in each."""


def nodes_for(method: Method) -> int:
    """How many nodes keep the order of a method."""
    order = min(method.orders.torque)
    return max(1, min(DEGREE, -int(-order // 2))) if 1 <= order < 100 else 1


@functools.cache
def collocation(s: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's nodes x, and the matrix from values there to the coefficients d_j/(j + 1)."""
    x = np.array([float(c) for c in nodes_of(s)])
    j = np.arange(s)
    return x, np.linalg.inv(x[:, None] ** j) / (j + 1)[:, None]


def coefficients(
    torques: Callable[[float, np.ndarray], np.ndarray], first: np.ndarray, before: np.ndarray, s: int, h: float
) -> np.ndarray:
    """Those of the momenta, (s, wheels): p = p0 + sum_j (t - t0)^(j + 1) c_j.

    `torques` gives u (wheels,) at a part x of the step while the wheels follow such coefficients; `first` is u at its
    beginning, and `before`, (0 or s, wheels), are the coefficients of the step before, which goes on as a guess.
    """
    x, inverse = collocation(s)
    powers = h ** np.arange(s)[:, None]
    found, last = np.tile(first, (s, 1)), np.inf
    if len(before):
        found = np.sum([np.outer((j + 1) * (h * (1 + x)) ** j, c) for j, c in enumerate(before)], axis=0)
    for _ in range(MOST_SWEEPS):
        c = inverse @ found / powers
        now = np.array([torques(part, c) for part in x.tolist()])
        change, scale = np.abs(now - found).max(), np.abs(now).max()
        found = now
        if change <= 4 * sys.float_info.epsilon * scale or (change <= 1e-13 * scale and change >= last / 2):
            return inverse @ found / powers
        if not change < 1e6 * (1 + np.abs(first).max()):
            break
        last = change
    raise RunError("the torques of the motors, which are functions, did not settle within a step: reduce h")
