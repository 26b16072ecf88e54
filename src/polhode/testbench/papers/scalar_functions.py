"""Hairer & Vilmart (2006), Table 1: the scalar functions of the preprocessed Moser-Veselov algorithm.

The printed coefficients are compared with the series of `integrators.series.free_body`, which come from another
derivation, in rational arithmetic. A printed coefficient times a power of delta is a polynomial of degree below
`VALUES` in each of the moments, and symmetric; two such polynomials that agree for all moments among so many
values are the same. So the comparison is a proof, not a sample.
"""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from polhode.integrators.series import free_body
from polhode.testbench.papers.reproduced import Reproduced, Tick, silent

VALUES = 9
"""Moments are compared at so many whole numbers, from 1 on; the degree in a moment is at most 8 (delta^6 s7)."""

EXAMPLE = (Fraction(3, 5), Fraction(4, 5), Fraction(1))
"""The asymmetric body of the paper, for which values are shown."""

PRINTED = {
    "s3": {"H": "-sigma(-1) / 3", "C": "sigma(1) / (6*delta)"},
    "d3": {"H": "sigma(1) / (6*delta)", "C": "-1 / (3*delta)"},
    "s5": {
        "H^2": "(3*sigma(1) + 2*delta*sigma(-2)) / (60*delta)",
        "C H": "(1 - tau(1,1)) / (30*delta)",
        "C^2": "(sigma(2) - delta*sigma(-1)) / (30*delta**2)",
    },
    "d5": {
        "H^2": "-(9 + tau(1,1)) / (60*delta)",
        "C H": "(6*delta*sigma(-1) - sigma(2)) / (60*delta**2)",
        "C^2": "-sigma(1) / (60*delta**2)",
    },
    "s7": {
        "H^3": "(15 - delta*sigma(-3) - 2*tau(1,1)) / (630*delta)",
        "C H^2": "(6*delta*tau(1,2) - 100*delta*sigma(-1) + 53*sigma(2)) / (2520*delta**2)",
        "C^2 H": "(9*sigma(1) + 10*delta*sigma(-2) - 6*tau(2,1)) / (420*delta**2)",
        "C^3": "(4*delta + 17*sigma(3) - 15*delta*tau(1,1)) / (2520*delta**3)",
    },
    "d7": {
        "H^3": "(9*delta*sigma(-1) + delta*tau(1,2) - 11*sigma(2)) / (1260*delta**2)",
        "C H^2": "(47*sigma(1) + 13*tau(2,1) - 38*delta*sigma(-2)) / (2520*delta**2)",
        "C^2 H": "(sigma(3) + 2*delta*tau(1,1) - 85*delta) / (1260*delta**3)",
        "C^3": "(34*delta*sigma(-1) - 19*sigma(2)) / (2520*delta**3)",
    },
}
"""As printed: delta = I1 I2 I3, sigma(a) = sum of I_j^a, tau(b,c) = sum of (I_k^b + I_l^b) / I_j^c."""


@dataclass(frozen=True)
class ScalarFunctions:
    """A table of scalar functions as printed, to be compared with those computed here."""

    name: str
    title: str
    source: str
    caption: str
    notes: tuple[str, ...] = ()
    values: int = VALUES

    def run(self, tick: Tick = silent) -> "ScalarFunctionsResult":
        """Compare every coefficient."""
        clock = time.perf_counter()
        tick("series")
        bodies = [*itertools.combinations_with_replacement(map(Fraction, range(1, self.values + 1)), 3), EXAMPLE]
        ours = {body: dict(series_coefficients(body)) for body in bodies}
        rows = []
        for function, terms in PRINTED.items():
            for monomial, formula in terms.items():
                tick(f"{function}, {monomial}")
                wrong = [b for b in bodies if printed_value(formula, b) != ours[b][function, monomial]]
                rows.append(Coefficient(function, monomial, formula, ours[EXAMPLE][function, monomial], len(wrong)))
        return ScalarFunctionsResult(self, tuple(rows), len(bodies), time.perf_counter() - clock)


@dataclass(frozen=True)
class Coefficient:
    """One coefficient: the printed formula, the exact value of the series for the example, bodies that differ."""

    function: str
    monomial: str
    printed: str
    example: Fraction
    wrong: int


@dataclass(frozen=True, repr=False)
class ScalarFunctionsResult(Reproduced):
    """Table 1, compared."""

    kind: ClassVar[str] = "functions"
    study: ScalarFunctions
    rows: tuple[Coefficient, ...]
    bodies: int
    seconds: float

    @property
    def lead(self) -> str:
        """One sentence."""
        right = sum(row.wrong == 0 for row in self.rows)
        return (
            f"{right} of {len(self.rows)} printed coefficients equal those of our exact series, compared in rational "
            f"arithmetic for {self.bodies} bodies, more than two different formulas of this degree can share."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        rows = [vars(r) | {"example": str(r.example)} for r in self.rows]
        return self.described() | {
            "caption": self.study.caption,
            "rows": rows,
            "bodies": self.bodies,
            "notes": list(self.study.notes),
            "seconds": self.seconds,
        }


def printed_value(formula: str, body: tuple[Fraction, ...]) -> Fraction:
    """A printed formula for a body, exactly."""
    a, b, c = body

    def sigma(n: int) -> Fraction:
        return a**n + b**n + c**n

    def tau(m: int, n: int) -> Fraction:
        return (b**m + c**m) / a**n + (c**m + a**m) / b**n + (a**m + b**m) / c**n

    names = {"delta": a * b * c, "sigma": sigma, "tau": tau, "__builtins__": {}}
    return Fraction(eval(formula, names))  # a formula of PRINTED, and nothing else


def series_coefficients(body: tuple[Fraction, ...], most: int = 3) -> Iterator[tuple[tuple[str, str], Fraction]]:
    """((function, monomial), coefficient) of the series s and d for a body."""
    places = free_body.exponents(most, 2)
    for letter, series in zip("sd", free_body.preprocessed(most)):
        for (i, j), value in zip(places, free_body.numbers(series, body)):
            if i + j:
                yield (f"{letter}{2 * (i + j) + 1}", monomial(i, j)), value


def monomial(i: int, j: int) -> str:
    """H^i C^j as the table writes it."""
    parts = [f"{x}^{n}" if n > 1 else x for x, n in (("C", j), ("H", i)) if n]
    return " ".join(parts)
