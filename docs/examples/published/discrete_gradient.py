"""A discrete gradient: the midpoint form of Gonzalez (Journal of Nonlinear Science 6, 1996, 449), on the group.

With w the mean of the velocities at the ends, Q1 = Q cay(h w), and

    J (Omega1 - Omega)/h = J w x w + tau,    tau = tau_m - w ((U1 - U)/h + tau_m . w)/(w . w),

tau_m the torque in the middle of the rotation. Multiplied by w this gives T1 - T = -(U1 - U): the energy is conserved,
whatever the potential and the step. It is of order 2 and symmetric. The carrying over to the group, by the Cayley map
and by the middle of the rotation, is our choice; Gonzalez writes it for vector spaces. For a free body it is the method
of Austin, Krishnaprasad and Wang. That it keeps the vertical momentum of a heavy top, too, was first seen in its
certificate: (Q + Q1)/2 shrinks what is across w by the cosine of half the angle, and where U is linear in Q the
correction shrinks what is along w by the same cosine, so that h (Q + Q1) tau/2 is a multiple of the torque in space.
"""

import numpy as np
from parts import cay, iterated


def middle(x):
    """The rotation by half the angle of cay(x)."""
    s = x @ x
    return cay(x / (1 + np.sqrt(1 + s / 4)))  # tan(a/4) from tan(a/2)


def step(problem, Q, Omega, h, t):
    """One step; without a potential it is the midpoint rule."""
    J = problem.tensor
    before = problem.potential(Q) if problem.has_potential else 0.0

    def again(w):
        tau = problem.torque(t + h / 2, Q @ middle(h * w))
        if problem.has_potential and abs(w @ w) > 0:
            gained = problem.potential(Q @ cay(h * w)) - before
            tau = tau - w * (gained / h + tau @ w) / (w @ w)
        return Omega + h / 2 * np.linalg.solve(J, np.cross(J @ w, w) + tau)

    w = iterated(again, Omega)
    return Q @ cay(h * w), 2 * w - Omega
