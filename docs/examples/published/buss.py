"""The augmented second-order method of Buss (Journal of Computational Physics 164, 2000, 377).

The momentum in space is known, so that only the attitude need be found: it turns, in space, by the mean velocity

    h omega + h^2/2 alpha + h^3/12 alpha x omega,

alpha the angular acceleration at the start. The last term is the part of third order that does not need the rate of
alpha; it costs a cross product and makes the energy of a free body much better. It is said to be of second order and to
conserve the momentum. The paper is about free bodies; here a torque kicks before and after, half each, which is our
choice.
"""

import numpy as np
from parts import acceleration, exp


def augmented(problem, Q, Omega, h, t):
    """One step."""
    J = problem.tensor
    Omega = Omega + np.linalg.solve(J, h / 2 * problem.torque(t, Q))
    alpha = acceleration(problem, Omega, np.zeros(3))
    Q1 = exp(Q @ (h * Omega + h**2 / 2 * alpha + h**3 / 12 * np.cross(alpha, Omega))) @ Q
    Pi = Q1.T @ (Q @ (J @ Omega)) + h / 2 * problem.torque(t + h, Q1)
    return Q1, np.linalg.solve(J, Pi)
