"""The equations of motion as a general solver of differential equations takes them."""

from collections.abc import Callable

import numpy as np

from polhode.physics.problem import Problem


def right_hand_side(problem: Problem) -> Callable[[float, np.ndarray], np.ndarray]:
    """f(t, y) of y = (the nine entries of Q by rows, Omega), for solvers that know nothing of rotations."""
    J, inverse = problem.tensor, np.linalg.inv(problem.tensor)

    def f(t: float, y: np.ndarray) -> np.ndarray:
        Q, (a, b, c) = y[:9].reshape(3, 3), y[9:]
        hat = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        return np.concatenate([(Q @ hat).ravel(), inverse @ (hat.T @ (J @ y[9:]) + problem.torque(t, Q, y[9:]))])

    return f
