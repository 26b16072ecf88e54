"""The modified Hamiltonian of the discrete Moser-Veselov algorithm, to any order, in rational arithmetic.

Backward error analysis (Hairer & Vilmart 2006, section 4). The Moser-Veselov step of a free body with moments I is,
as a formal series in h^2, the exact motion of

    y' = y x grad H_h(y),     Q' = Q hat(grad H_h(y)),     H_h(y) = K(H(y), C(y)),
    K(H, C) = H + h^2 K_3(H, C) + h^4 K_5(H, C) + ...                                            (lemma 4.1)

with H = y.I^-1 y/2 and C = y.y/2; that is, of a body with the modified moments

    1/I'_j = K_H(H, C)/I_j + K_C(H, C)                                                           (lemma 4.2)

Here it is computed from the other side. The series s and d of `free_body.preprocessed` give the moments from which the
step makes the exact motion of a body: with a = 1/I' those of the modified body, 1/I = s a + d, where s and d are
functions of the modified body's own H' = y.I'^-1 y/2 and of the symmetric functions of a. Writing a = A/I + B,

    A = 1/s,     B = -d/s,     H' = A H + B C

is a fixed point in power series. That A = K_H and B = K_C for one function K, that is A_C = B_H, is the lemma, and
is not put in: `integrable` looks at it.
"""

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from polhode.integrators.series.free_body import exact, preprocessed
from polhode.integrators.series.graded import Graded, degree


@functools.cache
def modified(most: int) -> tuple[Graded, Graded]:
    """A and B, in (h/2)^2 H and (h/2)^2 C up to degree `most`, with the symmetric functions of 1/I as parameters."""
    H, C, _, e1, e2, e3 = Graded.variables(most)
    s, d = preprocessed(most)
    one = 1 + 0 * H
    A, B = one, 0 * H
    for _ in range(most + 1):  # each sweep makes one more degree exact
        of_modified = (
            *(A * H + B * C, C, 0 * H),
            A * e1 + 3 * B,
            A * A * e2 + 2 * A * B * e1 + 3 * B * B,
            A * A * A * e3 + A * A * B * e2 + A * B * B * e1 + B * B * B,
        )
        s_there, d_there = substituted(s, of_modified), substituted(d, of_modified)
        A, B = one / s_there, -d_there / s_there
    return A, B


def substituted(series: Graded, values: Sequence[Graded]) -> Graded:
    """A series with other series in the place of its variables."""
    one = 1 + 0 * values[0]
    powers = [[one] for _ in values]
    total = 0 * one
    for exponents, coefficient in series.terms.items():
        term = one * coefficient
        for powers_of, value, n in zip(powers, values, exponents):
            while len(powers_of) <= n:
                powers_of.append(powers_of[-1] * value)
            term = term * powers_of[n]
        total = total + term
    return total


def integrable(most: int) -> bool:
    """Whether A and B are the slopes of one function K, as lemma 4.1 says: A_C = B_H, term by term."""
    A, B = modified(most)
    return A.derivative(1).terms == B.derivative(0).terms


def hamiltonian(J: Sequence[Any], most: int) -> dict[tuple[int, int], Fraction]:
    """K of a body: the coefficient of h^(2n) H^i C^j by (i, j), i + j = n + 1, up to n = `most`.

    K is homogeneous of degree n + 1 at h^(2n), so that Euler's theorem gives it from its slopes.
    """
    A, B = modified(most)
    a = [1 / exact(x) for x in J]
    e = (a[0] + a[1] + a[2], a[0] * a[1] + a[1] * a[2] + a[2] * a[0], a[0] * a[1] * a[2])
    coefficients: dict[tuple[int, int], Fraction] = {}
    for slope, (up_H, up_C) in ((A, (1, 0)), (B, (0, 1))):
        for k, v in slope.terms.items():
            n = degree(k)
            value = v * e[0] ** k[3] * e[1] ** k[4] * e[2] ** k[5] * Fraction(1, 4) ** n / (n + 1)
            place = (k[0] + up_H, k[1] + up_C)
            coefficients[place] = coefficients.get(place, Fraction(0)) + value
    return coefficients
