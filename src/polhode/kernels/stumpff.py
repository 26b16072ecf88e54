"""Stumpff functions: the removable singularities of the rotation group, in floats, complex numbers and any precision.

They are functions of s = |x|^2, all entire:

    c0(s) = cos(x)         c1(s) = sin(x)/x         c2(s) = (1 - cos x)/x^2         c3(s) = (x - sin x)/x^3

so no kernel needs a square root or a small-angle switch. In floats they are Taylor polynomials for
s <= 1/4 (the truncated tail is below 2^-58 of the value) and the library's sine and cosine beyond. The inverse of
the tangent gives one more, a3(s) = (x - atan x)/x^3.
"""

import cmath
import math
from typing import Any

from polhode.kernels.many_digits import back, in_mpmath, is_fast, stumpff
from polhode.kernels.numbers import Kernel, Number, Numbers

# ---- floats, interpreted or compiled: the same code --------------------------------------------------


def c0_real(s: Number) -> Number:
    if s <= 0.25:
        return c0_small(s)
    return math.cos(math.sqrt(s))


def c0_small(s: Number) -> Number:
    return series(s, (1.0, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800, 1 / 479001600, -1 / 87178291200))


def c1_real(s: Number) -> Number:
    if s <= 0.25:
        return c1_small(s)
    x = math.sqrt(s)
    return math.sin(x) / x


def c1_small(s: Number) -> Number:
    return series(s, (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, 0.0))


def c3_real(s: Number) -> Number:
    if s <= 0.25:
        return c3_small(s)
    if s <= 4.0:  # c3(4s) = (c2(s) + c0(s) c3(s)) / 4, twice: x - sin(x) would cancel below x = 2
        a = s / 16
        c = c1_real(a / 4)
        once = (c * c / 2 + c0_real(a) * c3_small(a)) / 4
        c = c1_real(a)
        return (c * c / 2 + c0_real(4 * a) * once) / 4
    x = math.sqrt(s)
    return (x - math.sin(x)) / (s * x)


def c3_small(s: Number) -> Number:
    return series(s, (1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800, 1 / 1307674368000, 0.0))


def c5_real(s: Number) -> Number:
    if s <= 0.25:
        return c5_small(s)
    return (1 / 6 - c3_real(s)) / s


def c5_small(s: Number) -> Number:
    return series(s, (1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, -1 / 1307674368000, 0.0, 0.0))


def a3_real(s: Number) -> Number:
    if s <= 0.0625:
        return a3_small(s)
    x = math.sqrt(s)
    return (x - math.atan(x)) / (s * x)


def a3_small(s: Number) -> Number:
    """The polynomial through Chebyshev's points of [0, 1/16], within 4e-16; Taylor's would have four terms more."""
    coefficients = (
        0.33333333333333304,
        -0.19999999999938586,
        0.14285714265033303,
        -0.11111108452369065,
        0.09090740742952762,
        -0.07686491336172022,
        0.06554306272128751,
        -0.047262582468376946,
    )
    return series(s, coefficients)


def c0_complex(s: Number) -> Number:
    if abs(s) <= 0.25:
        return c0_small(s)
    return cmath.cos(cmath.sqrt(s))


def c1_complex(s: Number) -> Number:
    if abs(s) <= 0.25:
        return c1_small(s)
    x = cmath.sqrt(s)
    return cmath.sin(x) / x


def c3_complex(s: Number) -> Number:
    if abs(s) <= 0.25:
        return c3_small(s)
    if abs(s) <= 4.0:
        a = s / 16
        c = c1_complex(a / 4)
        once = (c * c / 2 + c0_complex(a) * c3_small(a)) / 4
        c = c1_complex(a)
        return (c * c / 2 + c0_complex(4 * a) * once) / 4
    x = cmath.sqrt(s)
    return (x - cmath.sin(x)) / (s * x)


def c5_complex(s: Number) -> Number:
    if abs(s) <= 0.25:
        return c5_small(s)
    return (1 / 6 - c3_complex(s)) / s


def a3_complex(s: Number) -> Number:
    """By Taylor's series where s is small: a polynomial through points has worse derivatives than values."""
    if abs(s) <= 0.0625:
        value = 0 * s
        for k in range(14, -1, -1):
            value = 1 / (2 * k + 3) - s * value
        return value
    x = cmath.sqrt(s)
    return (x - cmath.atan(x)) / (s * x)


def series(s: Number, a: Numbers) -> Number:
    """a0 + a1 s + ... + a7 s^7 by Estrin's scheme: half the latency of Horner's."""
    s2 = s * s
    low = (a[0] + a[1] * s) + (a[2] + a[3] * s) * s2
    high = (a[4] + a[5] * s) + (a[6] + a[7] * s) * s2
    return low + high * (s2 * s2)


# ---- any precision -----------------------------------------------------------------------------------


def mp() -> Any:
    """mpmath's context, imported when a number of its needs it."""
    import mpmath

    return mpmath.mp


def c0_mp(s: Number) -> Number:
    return stumpff(s, 0, c0_mp) if is_fast(s) else _carried(s, lambda s: mp().hyp0f1(0.5, -s / 4))


def c1_mp(s: Number) -> Number:
    return stumpff(s, 1, c1_mp) if is_fast(s) else _carried(s, lambda s: mp().hyp0f1(1.5, -s / 4))


def c3_mp(s: Number) -> Number:
    return stumpff(s, 3, c3_mp) if is_fast(s) else _carried(s, lambda s: mp().hyper([1], [2, 2.5], -s / 4) / 6)


def c5_mp(s: Number) -> Number:
    return stumpff(s, 5, c5_mp) if is_fast(s) else _carried(s, lambda s: mp().hyper([1], [3, 3.5], -s / 4) / 120)


def a3_mp(s: Number) -> Number:
    if is_fast(s):
        return back(a3_mp(in_mpmath(s)), s)
    return _carried(s, lambda s: mp().hyp2f1(1, 1.5, 2.5, -s) / 3)


def _carried(s: Number, function: Kernel) -> Number:
    """function(s) with as many digits in a derivative carried at size STEP as in the value.

    mpmath's series are accurate relative to the modulus, which an imaginary part of size STEP is far below.
    """
    with mp().extraprec(0 if isinstance(s, mp().mpf) else 110):
        value = function(s)
    return +value
