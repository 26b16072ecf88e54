"""Elliptic functions and integrals of the free body, as kernels on numbers.

Everything about a free body comes from one odd function S of time, with two companions,

    S' = C D,     C^2 = 1 - A S^2,     D^2 = 1 - B S^2,     S(0) = 0,   C(0) = D(0) = 1

which are Jacobi's sn, cn and dn with the scale of time left in: S = sn(sqrt(A) v | B/A) / sqrt(A). Written like
this they are analytic in A and B: nothing happens where A and B change places (the separatrix, S a hyperbolic
tangent) or where one of them vanishes (the symmetric body, S a sine) or both (the sphere, S = v).

Small arguments have a power series, and the duplication formulas lead from there to any argument. They are
rational, and in the form used here every sum is one of positive terms or has a true zero nearby.

These functions need loops that depend on the data, so this module and ``free_flow.py`` beside it are, with
``implicit.py`` and ``scalar.py``, where kernels may branch. They run in floats, in complex numbers (for
derivatives), in mpmath, and compiled.
"""

from polhode.kernels.numbers import Number, Numbers, Vec3
from polhode.kernels.scalar import c0, c1, epsilon, kernel, sqrt

MOST_DUPLICATIONS = 200
"""A loop ends after this many duplications (or halvings), whatever the data: that is 2^200 periods, or a NaN."""

TERMS = 9
"""How many terms of the series of the third integral are taken."""


@kernel
def jacobi(v: Number, orbit: Numbers) -> tuple[Vec3, Numbers]:
    """S, C, D at v, and the turn (cos x, sin(x)/L) by the angle x = c L eta T, times some positive number, where

        T = integral of S^2/(1 + eta S^2) from 0 to v,       orbit = (A, B, A - B, eta, c, L^2)

    A, B and eta are not negative, and c^2 L^2 eta = (A + eta)(B + eta), as it is for the free body. A - B comes from
    the caller, who can subtract before rounding.

    With S2 = S(2v) and E = C^2 + A S^2 D^2 = 1 - A B S^4 the duplication formulas are

        S2 = 2 S C D / E,      C(2v) = (C^2 D^2 - gap S^2) / E,      D(2v) = (C^2 D^2 + gap S^2) / E
        x(2v) = 2 x(v) + atan(c L eta S^2 S2 / (1 + eta (S^2 + S S2 C D)))

    the last from the addition theorem of the third integral, whose square root is a rational function here. A
    duplication keeps the relative error of the argument, so that the result is right to a few ulps of it.
    """
    A, B, gap, eta, c, L2 = orbit
    small = epsilon(v)
    bound = 2 * sqrt(sqrt(sqrt(small)))  # eight terms of the series leave less than small/5 of S
    small = small * small * (small * small)
    n = 0
    while n < MOST_DUPLICATIONS and abs((A + B) * (v * v)) > bound:
        v = v / 2
        n += 1
    S = sine(v, A * (v * v), B * (v * v))
    SS = S * S
    x = c * S * third(A * SS, B * SS, eta * SS)
    C, D = sqrt(1 - A * SS), sqrt(1 - B * SS)
    a, b = c0(L2 * (x * x)), x * c1(L2 * (x * x))
    for _ in range(n):
        SS, CD = S * S, C * D
        E = C * C + A * SS * (D * D)
        S2 = S
        if abs(E) > small * small:  # else on the separatrix, for ever: S has its limit, and C and D, which must not
            S2 = 2 * S * CD / E  # underflow because their ratio matters, are left as they are
            C, D = (CD * CD - gap * SS) / E, (CD * CD + gap * SS) / E
        k = 1 + eta * (SS + S * S2 * CD)
        w = c * eta * SS * S2
        s, d, m = a * a + L2 * (b * b), a * a - L2 * (b * b), 2 * a * b
        a, b = (d * k - L2 * (m * w)) / (s * k), (m * k + d * w) / (s * k)
        S = S2
    if n > 0 and gap.real >= 0:  # back to the curve, from which round-off has led away
        f = (3 - (C * C + A * (S * S))) / 2
        S, C = f * S, f * C
        D = sqrt((gap + B * (C * C)) / A)
    elif n > 0:
        f = (3 - (D * D + B * (S * S))) / 2
        S, D = f * S, f * D
        C = sqrt((A * (D * D) - gap) / B)
    return (S, C, D), (a, b)


@kernel
def sine(v: Number, a: Number, b: Number) -> Number:
    """The power series of S for small a = A v^2 and b = B v^2, to v^15."""
    p, r = a + b, a * b
    pp, rr = p * p, r * r
    s = p * (pp * pp * pp + 896796 * pp * pp * r + 111810672 * pp * rr + 490287168 * rr * r)
    s = (pp * pp * pp + 99636 * pp * pp * r + 4095792 * pp * rr + 4390848 * rr * r) - s / 210
    s = p * (pp * pp + 11064 * pp * r + 132624 * rr) - s / 156
    s = (pp * pp + 1224 * pp * r + 3024 * rr) - s / 110
    s = p * (pp + 132 * r) - s / 72
    s = (pp + 12 * r) - s / 42
    s = p - s / 20
    return v - v * s / 6


@kernel
def third(a: Number, b: Number, e: Number) -> Number:
    """eta T / S as a power series, for small a = A S^2, b = B S^2 and e = eta S^2.

    1/sqrt((1 - a x)(1 - b x)) has coefficients g with (n+1) g' = (n + 1/2)(a + b) g - n a b g_before, and the
    division by 1 + e x makes t = g - e t_before of them. T = S^3 (t_0/3 + t_1/5 + ...).
    """
    p, r = a + b, a * b
    before, g = 0 * p, 1 + 0 * p
    t, T = 0 * p, 0 * p
    for n in range(TERMS):
        t = g - e * t
        T += t / (2 * n + 3)
        before, g = g, ((2 * n + 1) * p * g / 2 - n * r * before) / (n + 1)
    return e * T
