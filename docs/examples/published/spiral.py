"""SPIRAL, by del Valle, Angelidakis, Roy, Munoz and Poeschel (Computer Physics Communications 297, 2024, 109077).

The rotation is the product of two, by the velocity and by the acceleration at the start of the step, and the velocity
is that of the third-order Runge-Kutta method of Shu and Osher with the torque held constant:

    Q1 = Q exp(h Omega) exp(h^2/2 dOmega/dt),    Omega1 = Omega + (k1 + k2 + 4 k3)/6.

Its authors call it a third-order algorithm with one force calculation a step. The product of the two exponentials
agrees with the motion up to h^2, so that Q is of order 2; and a torque that is held constant makes Omega of order 1.
The leapfrog form, as used with velocity Verlet, takes half of a step of the velocity before the rotation and half of it
after: it is of order 2 in everything.
"""

from parts import acceleration, exp


def shu_osher(problem, Omega, torque, h):
    """A step of the velocity under a constant torque."""
    k1 = h * acceleration(problem, Omega, torque)
    k2 = h * acceleration(problem, Omega + k1, torque)
    k3 = h * acceleration(problem, Omega + (k1 + k2) / 4, torque)
    return Omega + (k1 + k2 + 4 * k3) / 6


def spiral(problem, Q, Omega, h, t):
    """The synchronous form."""
    torque = problem.torque(t, Q)
    Q1 = Q @ exp(h * Omega) @ exp(h * h / 2 * acceleration(problem, Omega, torque))
    return Q1, shu_osher(problem, Omega, torque, h)


def spiral_leapfrog(problem, Q, Omega, h, t):
    """The leapfrog form, with the velocity brought to the ends of the step."""
    half = shu_osher(problem, Omega, problem.torque(t, Q), h / 2)
    Q1 = Q @ exp(h * half)
    return Q1, shu_osher(problem, half, problem.torque(t + h, Q1), h / 2)
