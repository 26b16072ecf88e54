"""What the published methods share: exp, cay and Euler's equations, for real and for complex numbers."""

import numpy as np


def hat(x):
    """The matrix of x cross."""
    return np.array([[0 * x[0], -x[2], x[1]], [x[2], 0 * x[0], -x[0]], [-x[1], x[0], 0 * x[0]]])


def exp(x):
    """The rotation by the vector x."""
    s = x @ x
    a = np.sqrt(s)
    if abs(a) < 1e-2:  # series with an error below 1e-17
        first, second = 1 - s / 6 * (1 - s / 20 * (1 - s / 42)), 0.5 - s / 24 * (1 - s / 30 * (1 - s / 56))
    else:
        first, second = np.sin(a) / a, 2 * (np.sin(a / 2) / a) ** 2
    return np.eye(3) + first * hat(x) + second * hat(x) @ hat(x)


def cay(x):
    """The Cayley map."""
    return np.linalg.solve(np.eye(3) - hat(x) / 2, np.eye(3) + hat(x) / 2)


def acceleration(problem, Omega, torque):
    """dOmega/dt by Euler's equations."""
    J = problem.tensor
    return np.linalg.solve(J, np.cross(J @ Omega, Omega) + torque)


def iterated(step, x, most=100):
    """The fixed point of `step`, until nothing changes: a tolerance would show in a certificate."""
    before = None
    for _ in range(most):
        last, x = x, step(x)
        if np.array_equal(x, last) or (before is not None and np.array_equal(x, before)):
            break
        before = last
    return x
