"""Numbers: the few functions whose code depends on the arithmetic.

A kernel is an ordinary function on tuples of numbers, built from ``+ - * /``, the functions of this
module and other kernels. The same source then runs with Python floats, with complex numbers (exact
derivatives by the complex step), with mpmath and gmpy2 (any precision, real or complex), and compiled. Whatever
has to know which arithmetic it is in is here; what branches on a value is here, in ``implicit.py``, or `alone`.

The removable singularities of the rotation group, c0 ... c5 and a3, are in ``stumpff.py``, arithmetic by arithmetic.
"""

import cmath
import math
from collections.abc import Callable
from typing import Any, TypeVar

from polhode.errors import InputError, checked_call, one_line
from polhode.kernels.many_digits import functions, is_fast, spacing
from polhode.kernels.numbers import Condition, Kernel, Number
from polhode.kernels.stumpff import (
    a3_complex,
    a3_mp,
    a3_real,
    c0_complex,
    c0_mp,
    c0_real,
    c1_complex,
    c1_mp,
    c1_real,
    c3_complex,
    c3_mp,
    c3_real,
    c5_complex,
    c5_mp,
    c5_real,
    mp,
)

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

STEP = 2.0**-100
"""The complex step. Its square (6e-61) is negligible against 1 even at 50 digits."""


@checked_call
def kernel(function: F) -> F:
    """Say that a function is a kernel: it stays ordinary Python, and compiled callers may call it.

    It says so to the reader and is kept nowhere: what is compiled is found from the function that a run begins with,
    by what each function names.

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
    return function


ONE_BODY = "one_body"
"""The attribute of a kernel that decides by the value of a number: what each body does by itself, in lanes."""


def alone(function: Kernel, one: Kernel | None = None) -> None:
    """Say of a kernel, which must return floats, that in lanes it is called for one body after the other.

    Or another kernel, `one`, in its place.
    """
    setattr(function, ONE_BODY, one or function)


def done_alone(function: Kernel) -> Kernel | None:
    """What is called for one body after the other in place of a kernel, in lanes; None if all go together."""
    one: Kernel | None = getattr(function, ONE_BODY, None)
    return one


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
    return c0_real(s) if _is_real(s) else c0_complex(s) if isinstance(s, complex) else c0_mp(s)


def c1(s: Number) -> Number:
    """sin(x)/x of s = x^2; float error below 2 ulp for x <= 2, then that of the sine."""
    return c1_real(s) if _is_real(s) else c1_complex(s) if isinstance(s, complex) else c1_mp(s)


def c3(s: Number) -> Number:
    """(x - sin x)/x^3 of s = x^2; float error below 4 ulp."""
    return c3_real(s) if _is_real(s) else c3_complex(s) if isinstance(s, complex) else c3_mp(s)


def c5(s: Number) -> Number:
    """(sin x - x + x^3/6)/x^5 of s = x^2, for derivatives of c3; relative float error below 1e-13."""
    return c5_real(s) if _is_real(s) else c5_complex(s) if isinstance(s, complex) else c5_mp(s)


def a3(s: Number) -> Number:
    """(x - atan x)/x^3 of s = x^2; in atan(x)/x = 1 - s a3(s) the float error, relative to 1, is below 2 ulp."""
    return a3_real(s) if _is_real(s) else a3_complex(s) if isinstance(s, complex) else a3_mp(s)


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
    return 2.0**-52 if isinstance(x, (float, int, complex)) else spacing() if is_fast(x) else mp().eps


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


def _home(x: Number) -> Any:
    """Where the functions of x are: with its own type if that brings some (power series do), in gmpy2, or in mpmath."""
    return getattr(x, "functions", None) or (functions() if is_fast(x) else mp())
