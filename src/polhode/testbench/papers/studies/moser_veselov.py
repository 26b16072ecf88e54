"""What Hairer & Vilmart prove of Moser-Veselov methods, measured."""

from fractions import Fraction

import numpy as np

from polhode.integrators.method import Method
from polhode.integrators.series import free_body
from polhode.integrators.time_transformed import time_transformed
from polhode.physics.catalogue import problem
from polhode.reference.closed_form import FreeSolution
from polhode.runs.solve import solve
from polhode.testbench.papers.scalar_functions import EXAMPLE, series_coefficients

METHODS = ("RATTLE", "DMV4", "DMV6")
STEPS = (0.2, 0.1, 0.05)
SPAN = 10.0


def changed_time() -> dict[tuple[str, float], dict[str, float]]:
    """Whether a free run is the exact motion at a changed time c t, by (method, h): c - 1, and what is left over.

    c is fitted to the momentum at the end of [0, 10] by Newton's method on the component that moves fastest; left
    over are the largest differences of momentum and attitude to the exact motion at the times c t, all along.
    """
    p, comparisons = problem("asymmetric"), {}
    exact = FreeSolution(p)
    for name in METHODS:
        for h in STEPS:
            s = solve(p, name, h=h, t_end=SPAN)
            c = _fitted(exact, s.Omega[-1])
            Q, Omega = exact(c * s.t)
            comparisons[name, h] = {
                "c - 1": c - 1,
                "momentum": float(np.abs((Omega - s.Omega) @ p.tensor).max()),
                "attitude": float(np.abs(Q - s.Q).max()),
            }
    return comparisons


def _fitted(exact: FreeSolution, target: np.ndarray) -> float:
    c, d = 1.0, 1e-6
    for _ in range(20):
        here = exact(c * SPAN)[1] - target
        slope = (exact((c + d) * SPAN)[1] - exact((c - d) * SPAN)[1]) / (2 * d)
        step = float(slope @ here / (slope @ slope))
        c -= step
        if abs(step) < 1e-16:
            break
    return c


def gradients() -> dict[str, Fraction]:
    """ds/dC - dd/dH of the series, term by term in exact numbers for the asymmetric body.

    (s(H, C)/I_j + d(H, C)) y_j is the gradient of a function exactly where this vanishes.
    """
    differences: dict[str, Fraction] = {}
    coefficients = dict(series_coefficients(EXAMPLE))
    degree = {"": (0, 0), "H": (1, 0), "C": (0, 1), "H^2": (2, 0), "C H": (1, 1), "C^2": (0, 2)}
    for k, targets in ((3, ("",)), (5, ("H", "C")), (7, ("H^2", "C H", "C^2"))):
        for monomial in targets:
            i, j = degree[monomial]
            by_C = (j + 1) * coefficients[f"s{k}", _name(i, j + 1)]
            by_H = (i + 1) * coefficients[f"d{k}", _name(i + 1, j)]
            differences[f"h^{k - 1} {monomial}".strip()] = by_C - by_H
    return differences


def _name(i: int, j: int) -> str:
    from polhode.testbench.papers.scalar_functions import monomial

    return monomial(i, j)


def time_transformation_series() -> dict[str, bool]:
    """Whether the functions of the time transformation are those of Table 1, by index."""
    preprocessed, transformed = free_body.preprocessed(3)[0], free_body.time_transformed(3)[0]
    places = free_body.exponents(3, 2)
    a, b = (dict(zip(places, free_body.numbers(x, EXAMPLE))) for x in (preprocessed, transformed))
    return {f"s{2 * n + 1}": all(a[k] == b[k] for k in places if sum(k) == n) for n in (1, 2, 3)}


def only_energy_and_momentum() -> dict[str, float]:
    """How much s and d change with the third invariant of the momentum that the series could depend on: nothing."""
    terms = {}
    for letter, series in zip("sd", free_body.preprocessed(4, middle=1)):
        terms[letter] = float(sum(abs(v) for k, v in series.terms.items() if k[2]))
    return terms


def completed(order: int) -> Method:
    """The time transformation of Remark 2.4, completed for Q."""
    return time_transformed(order, complete=True)


def symmetric_splitting() -> dict[str, float]:
    """The error of SR2 at t = 10, h = 0.2, for bodies with two equal moments and for one without."""
    differences = {}
    for name, J in {
        "(1, 1, 1.5)": (1.0, 1.0, 1.5),
        "(0.6, 0.6, 1)": (0.6, 0.6, 1.0),
        "(0.6, 0.8, 1)": (0.6, 0.8, 1.0),
    }.items():
        p = problem("asymmetric", inertia=J)
        s = solve(p, "SR2", h=0.2, t_end=10.0)
        Q, _ = FreeSolution(p)(10.0)
        differences[name] = float(np.abs(s.Q[-1] - Q).max())
    return differences
