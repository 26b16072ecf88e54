"""The free body over one step, as power series that depend on the body only through three numbers.

Let y(t) be the body momentum of a free body, A = J^-1, and look at a step of length h = 2 t from its middle:
from y(-t) to y(t). Split y(+-t) = m +- v into the mean m and half the difference v, and write the rotation
of the step as Q(-t)^T Q(t) = cay(2 e). Since Q y is constant, cay(2 e) maps y(t) to y(-t), that is v = m x e.
The energy is constant as well, so e lies in the plane of m and A m:

    e = (r A + D) m.

Everything about the step is in the two scalars r and D. Differentiating, with the invariants of the mean
momentum P = m.m, U = m.A m, G = A m.A m, and e1, e2, e3 the elementary symmetric functions of the diagonal
of A (A^3 = e1 A^2 - e2 A + e3 closes the system),

    r' = 1 + r^2 (e2 P - 2 e1 U + 3 G)              P' = -2 r (P G - U^2)
    D' = D^2 U + 2 r D G + r^2 (e2 U - 2 e3 P)      U' = -2 r (e2 P U - e1 U^2 - e3 P^2 + G U)
                                                    G' = 2 r (2 (U W - G^2) - e2 (P G - U^2)),  W = m.A^3 m

with r = D = 0, P = 2 C, U = 2 H at t = 0. These are equations for power series with rational coefficients,
symmetric in the three moments: solved once for each order, they hold for every body, the sphere included.
The series are in t^2, and a factor t^2 goes with each P, U, G; hence the degree counts powers of t^2.

What a method needs of them:

    e = (h/2) alpha (s A + d) m, alpha = 1 + |e|^2     discrete Moser-Veselov with moments 1/J~ = s/J + d
    e = (h/2) (s A + d) m                              the midpoint rule with modified moments, at the stage m
    f = (h~/2) alpha A m, alpha = 1 + |f|^2            Moser-Veselov over the time h~: right for y; for Q,
                                                       e = f + (D/r) J f

In the first and the third s, d, h~ and D/r turn out to be functions of H and C alone: G(0) drops out (a test
keeps it and looks). So G(0) = 0 is as good as any value and makes the computation short. The first is the
theorem of Hairer & Vilmart (2006), whose Table 1 the series reproduce.
"""

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from polhode.integrators.series.graded import Graded, degree


@functools.cache
def preprocessed(most: int, middle: int = 0) -> tuple[Graded, Graded]:
    """s and d of the preprocessed Moser-Veselov algorithm, in (h/2)^2 H and (h/2)^2 C up to degree `most`."""
    r, D, P, U, G = step_series(most, middle)
    alpha = 1 + r * r * G + 2 * r * D * U + D * D * P
    return r / alpha, D / alpha


@functools.cache
def time_transformed(most: int, middle: int = 0) -> tuple[Graded, Graded]:
    """h~/h and D/r of the time-transformed Moser-Veselov algorithm, in (h/2)^2 H and (h/2)^2 C."""
    r, D, _, _, G = step_series(most, middle)
    return r / (1 + r * r * G), D / r


@functools.cache
def midpoint(most: int) -> tuple[Graded, Graded]:
    """s and d of the modified midpoint rule, in (h/2)^2 times Y.Y, Y.A Y and A Y.A Y at the stage Y."""
    P, U, G, *e = Graded.variables(most)
    r, D = 1 + 0 * P, 0 * P
    for _ in range(most + 1):
        rate = rates(r, D, (P, U, G), e)
        moving = [sum((f.derivative(i) * rate[2 + i] for i in range(3)), 0 * P) for f in (r, D)]
        r, D = ((rate[i] - moving[i]).divided(lambda n: 2 * n + 1) for i in range(2))
    return r, D


@functools.cache
def step_series(most: int, middle: int) -> tuple[Graded, ...]:
    """r/t, D/t and t^2 (P, U, G) as series in t^2 H and t^2 C, and in t^2 G(0)/2 if `middle` is 1."""
    H, C, g, *e = Graded.variables(most)
    start = (2 * C, 2 * H, 2 * middle * g)
    r, D, (P, U, G) = 1 + 0 * H, 0 * H, start
    for _ in range(most + 1):  # each sweep makes one more degree exact
        rate = rates(r, D, (P, U, G), e)
        r, D = (rate[i].divided(lambda n: 2 * n + 1) for i in range(2))  # t (t r)' = (2 n + 1) (t r)
        P, U, G = (a + b.divided(lambda n: 2 * n - 2) for a, b in zip(start, rate[2:]))
    return r, D, P, U, G


def rates(r: Graded, D: Graded, scalars: Sequence[Graded], e: Sequence[Graded]) -> tuple[Graded, ...]:
    """The right-hand sides above, with the powers of t taken out; the scalars are P, U and G."""
    (P, U, G), (e1, e2, e3) = scalars, e
    cross = P * G - U * U
    return (
        1 + r * r * (e2 * P - 2 * e1 * U + 3 * G),
        D * D * U + 2 * r * D * G + r * r * (e2 * U - 2 * e3 * P),
        -2 * r * cross,
        -2 * r * (e2 * P * U - e1 * U * U - e3 * P * P + G * U),
        2 * r * (2 * (U * (e1 * G - e2 * U + e3 * P) - G * G) - e2 * cross),
    )


def numbers(series: Graded, J: Sequence[float | Fraction], variables: int = 2) -> tuple[Fraction, ...]:
    """The coefficients of a series for a body, as fractions, ordered for Horner's scheme.

    The order is by falling powers of the first variable, within them of the second, and so on; the variables
    are h^2 (H, C), or (h/2)^2 (P, U, G) if there are three.
    """
    a = [1 / exact(x) for x in J]
    e = (a[0] + a[1] + a[2], a[0] * a[1] + a[1] * a[2] + a[2] * a[0], a[0] * a[1] * a[2])
    unit = Fraction(1, 4) if variables == 2 else 1
    values = dict.fromkeys(exponents(series.most, variables), Fraction(0))
    for k, v in series.terms.items():
        values[k[:variables]] += v * unit ** degree(k) * e[0] ** k[3] * e[1] ** k[4] * e[2] ** k[5]
    return tuple(values.values())


def exponents(most: int, variables: int) -> Any:
    """All exponents up to a total degree, falling lexicographically."""
    if variables == 0:
        return [()]
    return [(i, *rest) for i in range(most, -1, -1) for rest in exponents(most - i, variables - 1)]


def exact(x: float | Fraction) -> Fraction:
    """A number of any precision as a fraction."""
    return Fraction(x) if isinstance(x, (int, float, Fraction)) else int(x.man) * Fraction(2) ** int(x.exp)
