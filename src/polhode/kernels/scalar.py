"""Numbers: the few functions whose code depends on the arithmetic.

A kernel is an ordinary function on tuples of numbers, built from ``+ - * /``, the functions of this
module and other kernels. The same source then runs with Python floats, with complex numbers (exact
derivatives by the complex step), with mpmath (any precision, real or complex), and compiled. Whatever
has to know which arithmetic it is in is here; what branches on a value is here, in ``implicit.py``, or `alone`.

The removable singularities of the rotation group are Stumpff functions of s = |x|^2, all entire:

    c0(s) = cos(x)         c1(s) = sin(x)/x         c2(s) = (1 - cos x)/x^2         c3(s) = (x - sin x)/x^3

so no kernel needs a square root or a small-angle switch. In floats they are Taylor polynomials for
s <= 1/4 (the truncated tail is below 2^-58 of the value) and the library's sine and cosine beyond. The inverse of
the tangent gives one more, a3(s) = (x - atan x)/x^3.
"""

import cmath
import math
from collections.abc import Callable
from typing import Any, TypeVar

from polhode.errors import InputError, one_line
from polhode.kernels.numbers import Condition, Kernel, Number

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

KERNELS: list[Kernel] = []  # every kernel, in order of definition: what overloads.py makes callable from machine code

STEP = 2.0**-100
"""The complex step. Its square (6e-61) is negligible against 1 even at 50 digits."""


def kernel(function: F) -> F:
    """Mark a function as a kernel: it stays ordinary Python, and compiled callers may call it.

    Parameters
    ----------
    function : callable
        On tuples and numbers.

    Returns
    -------
    callable
        The same function.
    """
    if not callable(function):
        raise InputError(f"kernel is given {one_line(function)}; it marks a function.")
    KERNELS.append(function)
    return function


ALONE: dict[
    Kernel, Kernel
] = {}  # kernels that decide by the value of a number: in lanes, what each body does by itself


def alone(function: Kernel, one: Kernel | None = None) -> None:
    """Say of a kernel, which must return floats, that in lanes it is called for one body after the other.

    Or another kernel, `one`, in its place.
    """
    ALONE[function] = one or function


def _is_real(x: Number) -> bool:
    return isinstance(x, (float, int))


def sqrt(x: Number) -> Number:
    """The square root."""
    return math.sqrt(x) if _is_real(x) else cmath.sqrt(x) if isinstance(x, complex) else _home(x).sqrt(x)


def sin(x: Number) -> Number:
    """The sine."""
    return math.sin(x) if _is_real(x) else cmath.sin(x) if isinstance(x, complex) else _home(x).sin(x)


def cos(x: Number) -> Number:
    """The cosine."""
    return math.cos(x) if _is_real(x) else cmath.cos(x) if isinstance(x, complex) else _home(x).cos(x)


def c0(s: Number) -> Number:
    """cos(x) of s = x^2; relative to 1 the float error is below 2 ulp."""
    return c0_real(s) if _is_real(s) else c0_complex(s) if isinstance(s, complex) else _c0_mp(s)


def c1(s: Number) -> Number:
    """sin(x)/x of s = x^2; float error below 2 ulp for x <= 2, then that of the sine."""
    return c1_real(s) if _is_real(s) else c1_complex(s) if isinstance(s, complex) else _c1_mp(s)


def c3(s: Number) -> Number:
    """(x - sin x)/x^3 of s = x^2; float error below 4 ulp."""
    return c3_real(s) if _is_real(s) else c3_complex(s) if isinstance(s, complex) else _c3_mp(s)


def c5(s: Number) -> Number:
    """(sin x - x + x^3/6)/x^5 of s = x^2, for derivatives of c3; relative float error below 1e-13."""
    return c5_real(s) if _is_real(s) else c5_complex(s) if isinstance(s, complex) else _c5_mp(s)


def a3(s: Number) -> Number:
    """(x - atan x)/x^3 of s = x^2; in atan(x)/x = 1 - s a3(s) the float error, relative to 1, is below 2 ulp."""
    return a3_real(s) if _is_real(s) else a3_complex(s) if isinstance(s, complex) else _a3_mp(s)


@kernel
def c2(s: Number) -> Number:
    """(1 - cos x)/x^2 of s = x^2, written as half the square of sin(x/2)/(x/2): nothing cancels."""
    c = c1(s / 4)
    return c * c / 2


@kernel
def c4(s: Number) -> Number:
    """(cos x - 1 + x^2/2)/x^4 of s = x^2, from 1 - c1 = s c3 at half the angle: nothing cancels."""
    return c3(s / 4) * (1 + c1(s / 4)) / 8


def ready(x: T) -> T:
    """A tuple as it is; in machine code it is computed here, and not put off until it is needed."""
    return x


def magnitude(x: Number) -> Number:
    """How large a number is for a convergence test: a derivative carried along counts like the value.

    Complex numbers carry a derivative of size one as an imaginary part of size STEP, and an iteration has
    converged only when the derivative has, too.
    """
    return abs(x) if _is_real(x) or not hasattr(x, "imag") else abs(x.real) + abs(x.imag) / STEP


def overlap(x: Number, y: Number) -> Number:
    """x y for an inner product; derivatives carried along overlap like values, so that none divides by another."""
    if _is_real(x) or not hasattr(x, "imag"):
        return x * y
    return x.real * y.real + (x.imag / STEP) * (y.imag / STEP)


def epsilon(x: Number) -> Number:
    """The spacing of numbers at 1 in the arithmetic of x."""
    return 2.0**-52 if isinstance(x, (float, int, complex)) else _mp().eps


# ---- decisions -----------------------------------------------------------------------------------------
#
# In lanes (lanes.py) a number stands for several bodies, and a condition may hold for some of them. A loop goes
# on until all are finished; what belongs to a finished one is kept, so that each gets what it would get alone.
# For one body a finished loop has been left: nothing is left to decide, and these functions cost nothing.


def nobody(x: Number) -> Condition:
    """The condition that holds for none of the bodies that x stands for."""
    return False


def finished(before: Condition, now: Condition) -> Condition:
    """Which bodies are finished: those that were, and those that are now."""
    return now


def everybody(condition: Condition) -> Condition:
    """Whether a condition holds for every body."""
    return condition


def kept(done: Condition, old: T, new: T) -> T:
    """The new numbers, or tuples of them; for bodies that are done, the old ones."""
    return new


def either(condition: Condition, x: Number, y: Number) -> Number:
    """x for the bodies for which a condition holds, y for the others."""
    return x if condition else y


# ---- floats, interpreted or compiled: the same code --------------------------------------------------


def c0_real(s: Number) -> Number:
    if s <= 0.25:
        return c0_small(s)
    return math.cos(math.sqrt(s))


def c0_small(s: Number) -> Number:
    return series(s, 1.0, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800, 1 / 479001600, -1 / 87178291200)


def c1_real(s: Number) -> Number:
    if s <= 0.25:
        return c1_small(s)
    x = math.sqrt(s)
    return math.sin(x) / x


def c1_small(s: Number) -> Number:
    return series(s, 1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, 0.0)


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
    return series(s, 1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800, -1 / 6227020800, 1 / 1307674368000, 0.0)


def c5_real(s: Number) -> Number:
    if s <= 0.25:
        return c5_small(s)
    return (1 / 6 - c3_real(s)) / s


def c5_small(s: Number) -> Number:
    return series(s, 1 / 120, -1 / 5040, 1 / 362880, -1 / 39916800, 1 / 6227020800, -1 / 1307674368000, 0.0, 0.0)


def a3_real(s: Number) -> Number:
    if s <= 0.0625:
        return a3_small(s)
    x = math.sqrt(s)
    return (x - math.atan(x)) / (s * x)


def a3_small(s: Number) -> Number:
    """The polynomial through Chebyshev's points of [0, 1/16], within 4e-16; Taylor's would have four terms more."""
    return series(
        s,
        0.33333333333333304,
        -0.19999999999938586,
        0.14285714265033303,
        -0.11111108452369065,
        0.09090740742952762,
        -0.07686491336172022,
        0.06554306272128751,
        -0.047262582468376946,
    )


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


def series(
    s: Number, a0: Number, a1: Number, a2: Number, a3: Number, a4: Number, a5: Number, a6: Number, a7: Number
) -> Number:
    """a0 + a1 s + ... + a7 s^7 by Estrin's scheme: half the latency of Horner's."""
    s2 = s * s
    low = (a0 + a1 * s) + (a2 + a3 * s) * s2
    high = (a4 + a5 * s) + (a6 + a7 * s) * s2
    return low + high * (s2 * s2)


# ---- any precision -----------------------------------------------------------------------------------


def _mp() -> Any:
    import mpmath

    return mpmath.mp


def _home(x: Number) -> Any:
    """Where the functions of x are: with its own type if that brings some (power series do), else in mpmath."""
    return getattr(x, "functions", None) or _mp()


def _c0_mp(s: Number) -> Number:
    return _carried(s, lambda s: _mp().hyp0f1(0.5, -s / 4))


def _c1_mp(s: Number) -> Number:
    return _carried(s, lambda s: _mp().hyp0f1(1.5, -s / 4))


def _c3_mp(s: Number) -> Number:
    return _carried(s, lambda s: _mp().hyper([1], [2, 2.5], -s / 4) / 6)


def _c5_mp(s: Number) -> Number:
    return _carried(s, lambda s: _mp().hyper([1], [3, 3.5], -s / 4) / 120)


def _a3_mp(s: Number) -> Number:
    return _carried(s, lambda s: _mp().hyp2f1(1, 1.5, 2.5, -s) / 3)


def _carried(s: Number, function: Kernel) -> Number:
    """function(s) with as many digits in a derivative carried at size STEP as in the value.

    mpmath's series are accurate relative to the modulus, which an imaginary part of size STEP is far below.
    """
    with _mp().extraprec(0 if isinstance(s, _mp().mpf) else 110):
        value = function(s)
    return +value
