"""The ancestor of the stress test, in a plane: a spring pendulum with exterior forces, as a control.

On the group the symmetric methods of Newmark drift. In a vector space they do not: Verlet's is symplectic and the rest
of the family is conjugate to a symplectic method (Kane, Marsden, Ortiz & West 2000), so that no drift can be blamed on
Newmark's formulas. And symmetry alone does not help there either: Lobatto IIIB of order four is symmetric, and drifts
(Faou, Hairer & Pham 2004), on

    H(q, p) = |p|^2/2 + (|q| - 1)^2 + q_2 - 1/|q - a|

a mass on a spring, its weight, and an attraction by a body at a that breaks the symmetry under which a reversible
method would be safe. The stress test is this on SO(3). Position of the body and start are choices: the paper's own
numbers were not at hand.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polhode.integrators.parts.tableaux import LOBATTO_IIIB, Tableau
from polhode.testbench.drift.slopes import line

Pair = tuple[float, float]
Step = Callable[[float, Pair, Pair], tuple[Pair, Pair]]

ATTRACTOR: Pair = (-3.0, -5.0)
START: tuple[Pair, Pair] = ((0.0, 1.0), (-1.0, -0.5))
BLOCKS = 32
SIGMAS = 5.0
TINY = 1e-15
MOST_SWEEPS = 100


def energy(q: Pair, p: Pair) -> float:
    """H(q, p)."""
    r, s = math.hypot(*q), math.hypot(q[0] - ATTRACTOR[0], q[1] - ATTRACTOR[1])
    return (p[0] ** 2 + p[1] ** 2) / 2 + (r - 1) ** 2 + q[1] - 1 / s


def force(q: Pair) -> Pair:
    """Minus the gradient of the potential."""
    x, y = q[0] - ATTRACTOR[0], q[1] - ATTRACTOR[1]
    spring, pull = 2 * (1 - 1 / math.hypot(*q)), 1 / math.hypot(x, y) ** 3
    return -spring * q[0] - pull * x, -spring * q[1] - 1 - pull * y


def newmark(beta: float, gamma: float = 0.5) -> Step:
    """Newmark's method in a vector space; beta = 0, gamma = 1/2 is Verlet's."""

    def step(h: float, q: Pair, p: Pair) -> tuple[Pair, Pair]:
        a = force(q)
        ahead = [x + h * v + h * h * (0.5 - beta) * f for x, v, f in zip(q, p, a)]
        new = (ahead[0] + h * h * beta * a[0], ahead[1] + h * h * beta * a[1])
        b = force(new)
        for _ in range(MOST_SWEEPS if beta else 0):
            last, new = new, (ahead[0] + h * h * beta * b[0], ahead[1] + h * h * beta * b[1])
            b = force(new)
            if abs(new[0] - last[0]) + abs(new[1] - last[1]) < TINY:
                break
        v = [x + h * ((1 - gamma) * f + gamma * g) for x, f, g in zip(p, a, b)]
        return new, (v[0], v[1])

    return step


def runge_kutta(tableau: Tableau) -> Step:
    """An implicit Runge-Kutta method for the whole system, its stages swept until they no longer change."""
    A = [[float(x) for x in row] for row in tableau.A]
    b = [float(x) for x in tableau.b]
    stages = range(len(b))

    def step(h: float, q: Pair, p: Pair) -> tuple[Pair, Pair]:
        f = force(q)
        slopes = [(p[0], p[1], f[0], f[1]) for _ in stages]
        for _ in range(MOST_SWEEPS):
            change = 0.0
            for i in stages:
                x = [h * sum(A[i][j] * slopes[j][k] for j in stages) for k in range(4)]
                g = force((q[0] + x[0], q[1] + x[1]))
                new = (p[0] + x[2], p[1] + x[3], g[0], g[1])
                change = max(change, *(abs(u - v) for u, v in zip(new, slopes[i])))
                slopes[i] = new
            if change < TINY:
                break
        y = [h * sum(b[j] * slopes[j][k] for j in stages) for k in range(4)]
        return (q[0] + y[0], q[1] + y[1]), (p[0] + y[2], p[1] + y[3])

    return step


CONTROLS: dict[str, Step] = {
    "Verlet": newmark(0.0),
    "Newmark, beta = 1/4": newmark(0.25),
    "Newmark, beta = 1/12": newmark(1 / 12),
    "Lobatto IIIB, order 4": runge_kutta(LOBATTO_IIIB[1]),
}
"""What is symplectic, what is conjugate to it, and what is only symmetric."""


@dataclass(frozen=True)
class Control:
    """The drift of the energy of one method at some steps: slopes with standard errors."""

    method: str
    h: tuple[float, ...]
    slopes: tuple[float, ...]
    uncertainties: tuple[float, ...]

    @property
    def drifts(self) -> bool:
        """Whether the slope is beyond five standard errors at every step, and of one sign."""
        beyond = all(abs(s) > SIGMAS * e for s, e in zip(self.slopes, self.uncertainties))
        return beyond and len({s > 0 for s in self.slopes}) == 1


def control(method: str, h: tuple[float, ...] = (0.2, 0.25), t_end: float = 2000.0, keep: int = 5) -> Control:
    """Measure one of CONTROLS; the states are looked at every `keep` steps."""
    fits = [_slope(CONTROLS[method], each, round(t_end / each), keep) for each in h]
    slopes, uncertainties = zip(*fits)
    return Control(method, tuple(h), slopes, uncertainties)


def _slope(step: Step, h: float, n: int, keep: int) -> tuple[float, float]:
    q, p = START
    first = energy(q, p)
    errors = [0.0]
    for k in range(1, n + 1):
        q, p = step(h, q, p)
        if k % keep == 0:
            errors.append(energy(q, p) - first)
    slopes, uncertainties, _, _ = line(h * keep * np.arange(len(errors)), np.array([errors]), BLOCKS)
    return float(slopes[0]), float(uncertainties[0])
