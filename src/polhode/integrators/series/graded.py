"""Polynomials with rational coefficients, truncated by degree: the arithmetic of power series.

A polynomial is a map from exponents to coefficients. The first three variables carry the degree by which
it is truncated; the others are parameters and appear with any exponent.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import add
from typing import Any

VARIABLES = 6
GRADED = 3


class Graded:
    """A polynomial without the terms above the degree `most`."""

    def __init__(self, terms: dict[Any, Any] | dict[tuple[int, ...], Fraction], most: int) -> None:
        self.terms = {k: v for k, v in terms.items() if v and degree(k) <= most}
        self.most = most

    @classmethod
    def variables(cls, most: int) -> list[Graded]:
        """Each variable as a polynomial, to compute others from."""
        return [cls({tuple(int(j == i) for j in range(VARIABLES)): Fraction(1)}, most) for i in range(VARIABLES)]

    def __add__(self, other: Graded | int | Fraction) -> Graded:
        terms = dict(self.terms)
        for k, v in self._lifted(other).terms.items():
            terms[k] = terms.get(k, 0) + v
        return Graded(terms, self.most)

    def __mul__(self, other: Graded | int | Fraction) -> Graded:
        terms: dict[tuple[int, ...], Fraction] = {}
        right = [(b, degree(b), w) for b, w in self._lifted(other).terms.items()]
        for a, v in self.terms.items():
            room = self.most - degree(a)
            for b, n, w in right:
                if n <= room:
                    k = tuple(map(add, a, b))
                    terms[k] = terms.get(k, 0) + v * w
        return Graded(terms, self.most)

    def __neg__(self) -> Graded:
        return -1 * self

    def __sub__(self, other: Graded | int | Fraction) -> Graded:
        return self + -self._lifted(other)

    def __rsub__(self, other: int) -> Graded:
        return self._lifted(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: Graded) -> Graded:
        """self / other for a polynomial that starts with 1: the geometric series."""
        rest, quotient = 1 - other, self
        for _ in range(self.most):
            quotient = self + rest * quotient
        return quotient

    def divided(self, by: Callable[..., Any]) -> Graded:
        """Every term divided by a number that depends on its degree."""
        return Graded({k: v / by(degree(k)) for k, v in self.terms.items()}, self.most)

    def derivative(self, i: int) -> Graded:
        """The derivative with respect to variable i."""
        lowered = {k: (*k[:i], k[i] - 1, *k[i + 1 :]) for k in self.terms if k[i]}
        return Graded({lowered[k]: k[i] * self.terms[k] for k in lowered}, self.most)

    def _lifted(self, other: Graded | int | Fraction) -> Graded:
        return other if isinstance(other, Graded) else Graded({(0,) * VARIABLES: Fraction(other)}, self.most)


def degree(exponents: tuple[int, ...]) -> int:
    """The degree in the first GRADED variables, by which terms are cut off."""
    return sum(exponents[:GRADED])
