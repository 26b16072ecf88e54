"""The Jacobian of a step, left-trivialised: by the complex step where a function takes complex numbers, else by
differences."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.kernels.scalar import STEP
from polhode.physics.problem import Problem
from polhode.testbench.certificate.states.cases import Run, placed, potential

ROUND_OFF = 2e-13  # of a few steps in floats, with room for a careful but not optimal solver
ANOTHER_ANSWER = 1e-8  # part of a velocity, by which complex numbers have another answer than real ones
DIFFERENCES = 2e-10  # of a Jacobian by differences
ALONG = np.array([0.5, -0.3, 0.4, 0.6, 0.2, -0.3])  # a direction in which the two are compared, by differences of ...
SMALL_MOVE, ANOTHER_DERIVATIVE = 1e-5, 1e-3  # ... this size, and the part of one by which they are not the same


class Derivatives(NamedTuple):
    """How the Jacobian of a step is computed: by which function, with which round-off, in words, and of which kind."""

    jacobian: Callable[..., Any]
    round_off: float
    words: str
    are_differences: bool


def derivatives(run: Run, h: float) -> Derivatives:
    """The complex step, where it agrees with differences at this h; else differences."""
    p = placed(potential())
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exact, _ = _complex_jacobian(run, p, h)
        agrees = np.allclose(exact, _difference_jacobian(run, p, h)[0], rtol=1e-6, atol=1e-7)
    except Exception:  # a function that cannot take complex numbers may fail in any way it likes
        agrees = False
    if agrees:
        return Derivatives(_complex_jacobian, 20 * ROUND_OFF, "derivatives by the complex step", are_differences=False)
    return BY_DIFFERENCES


class NotAnalytic(Exception):
    """The derivative by the complex step is not that of the function."""


def _complex_jacobian(run: Run, p: Problem, h: float, n: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """By the complex step, where complex numbers are given the answer that real ones are given, and its derivative."""
    D = np.empty((6, 6))
    _, real = run(p, p.Q0, p.Omega0, h, n, p.t0)
    inverse = np.linalg.inv(p.tensor)
    for j in range(6):
        e = np.zeros(6, complex)
        e[j] = 1j * STEP
        Q1, Omega1 = run(p, p.Q0 @ (np.eye(3) + hat(e[:3])), p.Omega0 + inverse @ e[3:], h, n, p.t0)
        S = Q1.real.T @ Q1.imag / STEP
        D[:, j] = [S[2, 1], S[0, 2], S[1, 0], *(p.tensor @ Omega1.imag / STEP)]
    if np.abs(Omega1.real - real).max() > ANOTHER_ANSWER * np.abs(real).max():
        raise NotAnalytic
    if not _is_so_along(run, p, h, n, D):
        raise NotAnalytic
    return D, p.tensor @ Omega1.real


def _is_so_along(run: Run, p: Problem, h: float, n: int, D: np.ndarray) -> bool:
    """Whether a Jacobian is that of differences, in one direction: a norm of complex numbers, as in a branch that cuts
    off strong torques, has no derivative by the complex step at the states where it is taken."""
    inverse, unit = np.linalg.inv(p.tensor), momentum_scale(p, h)
    e = SMALL_MOVE * ALONG * np.array([1, 1, 1, unit, unit, unit])
    ends = []
    for sign in (1, -1):
        turn = Rotation().from_rotvec(sign * e[:3]).as_matrix()
        Q, Omega = run(p, p.Q0 @ turn, p.Omega0 + sign * inverse @ e[3:], h, n, p.t0)
        ends.append((Q, p.tensor @ Omega))
    (Q2, Pi2), (Q1, Pi1) = ends
    F = Q1.T @ Q2
    moved = np.array([F[2, 1] - F[1, 2], F[0, 2] - F[2, 0], F[1, 0] - F[0, 1]]) / 2
    size = np.array([1, 1, 1, unit, unit, unit])
    by_differences, by_D = np.array([*moved, *(Pi2 - Pi1)]) / size, 2 * D @ e / size
    return bool(np.abs(by_differences - by_D).max() < ANOTHER_DERIVATIVE * np.abs(by_differences).max())


def _difference_jacobian(run: Run, p: Problem, h: float, n: int = 1, d: float = 2e-3) -> tuple[np.ndarray, np.ndarray]:
    """Central differences of sixth order: truncation (2e-3)^6, round-off 1e-16/2e-3."""
    inverse = np.linalg.inv(p.tensor)
    unit = momentum_scale(p, h)
    Q1, Omega1 = run(p, p.Q0, p.Omega0, h, n, p.t0)
    D = np.empty((6, 6))
    for j in range(6):
        column = np.zeros(6)
        size = d if j < 3 else d * unit
        for k, weight in ((1, 45), (2, -9), (3, 1)):
            for sign in (1, -1):
                e = np.zeros(6)
                e[j] = sign * k * size
                turn = Rotation().from_rotvec(e[:3]).as_matrix()
                Q, Omega = run(p, p.Q0 @ turn, p.Omega0 + inverse @ e[3:], h, n, p.t0)
                F = Q1.T @ Q
                moved = [F[2, 1] - F[1, 2], F[0, 2] - F[2, 0], F[1, 0] - F[0, 1]]
                column += sign * weight * np.array([*(np.array(moved) / 2), *(p.tensor @ Omega)])
        D[:, j] = column / (60 * size)
    return D, p.tensor @ Omega1


BY_DIFFERENCES = Derivatives(
    _difference_jacobian, DIFFERENCES, "derivatives by differences of sixth order", are_differences=True
)
"""The Jacobian that every function has."""


def momentum_scale(p: Problem, h: float) -> float:
    """The size of the momentum: its own, and what the torque makes of it in a step."""
    return float(np.linalg.norm(p.tensor @ p.Omega0) + abs(h) * np.linalg.norm(p.torque(p.t0, p.Q0, p.Omega0))) or 1.0


def hat(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
