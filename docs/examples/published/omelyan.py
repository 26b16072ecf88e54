"""The leapfrogs of Omelyan (Computers in Physics 12, 1998, 97; Physical Review E 58, 1998, 1169).

Velocities live at half steps, attitudes at whole ones. In the first, the products Omega_i Omega_j of Euler's equations
at a whole step are means of those at the half steps around it, and the attitude follows by the Cayley map:

    J (Omega+ - Omega-)/h = (f(Omega-) + f(Omega+))/2 + tau,    f(Omega) = J Omega x Omega,    Q1 = Q cay(h Omega+).

With the velocity brought to whole steps this is one map: an implicit half step, the rotation, an explicit half step.
The second keeps the momentum in space, which the torque alone changes, and takes the attitude at the middle of the step
for the mean of the two at its ends: m = Q^T pi is turned by half a step either way,

    J Omega+ = (Q + Q1)^T pi+ / 2,    Q1 = Q cay(h Omega+).

Both are said to be time-reversible, to preserve the rigid structure, and to conserve the energy well; "the symplectic
behaviour is only achieved in mean".
"""

import numpy as np
from parts import cay, iterated


def angular_velocity(problem, Q, Omega, h, t):
    """The leapfrog in the angular velocity."""
    J = problem.tensor
    start = J @ Omega + h / 2 * problem.torque(t, Q)
    half = iterated(lambda w: np.linalg.solve(J, start + h / 2 * np.cross(J @ w, w)), Omega)
    Q1 = Q @ cay(h * half)
    end = J @ half + h / 2 * np.cross(J @ half, half) + h / 2 * problem.torque(t + h, Q1)
    return Q1, np.linalg.solve(J, end)


def angular_momentum(problem, Q, Omega, h, t):
    """The revised leapfrog in the angular momentum."""
    J = problem.tensor
    pi = Q @ (J @ Omega + h / 2 * problem.torque(t, Q))
    half = iterated(lambda w: np.linalg.solve(J, (Q + Q @ cay(h * w)).T @ pi / 2), Omega)
    Q1 = Q @ cay(h * half)
    return Q1, np.linalg.solve(J, Q1.T @ pi + h / 2 * problem.torque(t + h, Q1))
