"""The equations of motion as a general solver of differential equations takes them."""

import numpy as np


def right_hand_side(problem):
    """f(t, y) of y = (the nine entries of Q by rows, Omega), for solvers that know nothing of rotations."""
    J, inverse = problem.tensor, np.linalg.inv(problem.tensor)

    def f(t, y):
        Q, (a, b, c) = y[:9].reshape(3, 3), y[9:]
        hat = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        return np.concatenate([(Q @ hat).ravel(), inverse @ (hat.T @ (J @ y[9:]) + problem.torque(t, Q, y[9:]))])

    return f
