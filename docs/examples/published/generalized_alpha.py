"""The generalized-alpha method on the group, by Bruls and Cardona (Journal of Computational and Nonlinear Dynamics 5,
2010, 031002).

Newmark's formulas with an acceleration-like a that lags behind the acceleration,

    (1 - am) a1 + am a = (1 - af) w1' + af w',
    Q1 = Q exp(h w + h^2 ((1/2 - beta) a + beta a1)),    w1 = w + h ((1 - gamma) a + gamma a1),

and Euler's equations at the end of the step. With the radius rho in [0, 1], am = (2 rho - 1)/(rho + 1), af =
rho/(rho + 1), gamma = 1/2 + af - am, beta = (gamma + 1/2)^2/4. It is said to be of second order, and to damp what is
fast: a feature, which an energy drift makes visible. Its state is more than Q and w: it remembers a.
"""

import numpy as np
from parts import acceleration, exp, iterated

RHO = 0.8
AM, AF = (2 * RHO - 1) / (RHO + 1), RHO / (RHO + 1)
GAMMA = 0.5 + AF - AM
BETA = (GAMMA + 0.5) ** 2 / 4


def advance(problem, Q, Omega, h, n, t):
    """n steps, the first with a as the acceleration."""
    rate = acceleration(problem, Omega, problem.torque(t, Q))
    a = rate
    for i in range(n):
        Q, Omega, rate, a = _step(problem, Q, Omega, rate, a, h, t + i * h)
    return Q, Omega


def _step(problem, Q, w, rate, a, h, t):
    def ends(rate1):
        a1 = ((1 - AF) * rate1 + AF * rate - AM * a) / (1 - AM)
        Q1 = Q @ exp(h * w + h * h * ((0.5 - BETA) * a + BETA * a1))
        return Q1, w + h * ((1 - GAMMA) * a + GAMMA * a1), a1

    def again(rate1):
        Q1, w1, _ = ends(rate1)
        return acceleration(problem, w1, problem.torque(t + h, Q1))

    rate1 = iterated(again, rate)
    Q1, w1, a1 = ends(rate1)
    return Q1, w1, np.array(rate1), a1
