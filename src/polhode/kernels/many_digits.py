"""Many digits, fast: the numbers of MPFR and MPC (gmpy2), an operation of which takes a tenth of what mpmath's takes.

Kernels run with them as with any other numbers; this file is what the rest has to know. Both parts of a complex number
are rounded by themselves, so that a derivative carried at size STEP has as many digits as the value.

`precision(digits)` sets the precision of both libraries, `real` and `carried` make numbers. What only mpmath has is
computed there: `in_mpmath` and `real` convert without an error beyond rounding. A division by zero and a root of a
negative number raise (mpmath's root is complex): a number that is none would be taken for a defect.

A kernel may use what mpmath has and gmpy2 has not (np.sqrt asks a number for its `sqrt`): inside `slowly()` the numbers
are mpmath's.
"""

import contextlib
import contextvars
import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from polhode.kernels.numbers import Number

T = TypeVar("T")

MOST_ANGLE = 100.0
"""The largest s for which the Stumpff functions are summed: cancellation costs e^sqrt(s), which is fifteen bits."""

_slowly: contextvars.ContextVar[bool] = contextvars.ContextVar("slowly", default=False)


@contextlib.contextmanager
def precision(digits: int) -> Iterator[None]:
    """So many decimal digits, in both libraries."""
    import gmpy2
    import mpmath

    with mpmath.workdps(digits):
        context = gmpy2.context(precision=mpmath.mp.prec, trap_divzero=True, trap_invalid=True)
        with context:
            yield


@contextlib.contextmanager
def slowly() -> Iterator[None]:
    """Let `real` and `carried` make numbers of mpmath's."""
    token = _slowly.set(True)
    try:
        yield
    finally:
        _slowly.reset(token)


def in_any_numbers(measure: Callable[[], T], final: tuple[type[Exception], ...] = ()) -> T:
    """measure() with the fast numbers, or with mpmath's where those do not do; what is `final` says the same of both.

    A kernel may raise with the fast numbers at some states only, so that each state is to be asked for by itself.
    """
    try:
        return measure()
    except final:
        raise
    except Exception:
        if _slowly.get():
            raise
    with slowly():
        return measure()


def real(x: Any) -> Number:
    """A real number from any other, or from one of mpmath's."""
    import mpmath

    return mpmath.mpf(x) if _slowly.get() else fast(x)


def carried(x: Any, derivative: Any) -> Number:
    """x + i derivative."""
    import gmpy2
    import mpmath

    return mpmath.mpc(x, derivative) if _slowly.get() else gmpy2.mpc(fast(x), fast(derivative))


def converted(x: Any) -> Any:
    """Nested tuples with numbers of mpmath's in them, with those of `real`; anything else stays."""
    import mpmath

    if isinstance(x, tuple):
        return tuple(map(converted, x))
    return real(x) if isinstance(x, mpmath.mpf) else x


def fast(x: Any) -> Number:
    """A real number of gmpy2's from any other, or from one of mpmath's.

    Outside `precision` it would have the digits of a float, whatever mpmath is set to.
    """
    import gmpy2
    import mpmath

    if not gmpy2.get_context().trap_invalid:
        raise RuntimeError("Numbers with many digits are made inside precision(digits): mpmath.workdps is not enough.")
    if is_fast(x) or not hasattr(x, "_mpf_"):
        return gmpy2.mpfr(x)
    x = +x  # of a constant, like pi, its number
    if not mpmath.isfinite(x):
        raise OverflowError(f"{x} has no digits.")
    size, exp = gmpy2.mpfr(x.man), x.exp
    size = gmpy2.mul_2exp(size, exp) if exp >= 0 else gmpy2.div_2exp(size, -exp)
    return -size if x < 0 else size


def in_mpmath(x: Number) -> Any:
    """The same number for mpmath."""
    import mpmath

    if not is_fast(x):
        return mpmath.mpmathify(x)
    if type(x).__name__ == "mpc":
        return mpmath.mpc(in_mpmath(x.real), in_mpmath(x.imag))
    man, exp = x.as_mantissa_exp()
    return mpmath.mpf((int(man), int(exp)))


def is_fast(x: Any) -> bool:
    """Whether a number is one of gmpy2's; until 2.2 its complex ones say that they are builtin."""
    kind = type(x)
    return kind.__name__ in ("mpfr", "mpc") and kind.__module__ in ("gmpy2", "builtins")


def spacing() -> Number:
    """The spacing of numbers at 1."""
    import gmpy2

    return gmpy2.exp2(1 - gmpy2.get_context().precision)


def stumpff(s: Number, k: int, otherwise: Callable[[Any], Any]) -> Number:
    """1/k! - s/(k + 2)! + s^2/(k + 4)! - ..., summed until the terms are below the last bit.

    Of a large s it is what `otherwise` says, in mpmath.
    """
    import gmpy2

    if abs(s) > MOST_ANGLE:
        return back(otherwise(in_mpmath(s)), s)
    with gmpy2.context(gmpy2.get_context(), precision=gmpy2.get_context().precision + 24):
        term = 1 / gmpy2.mpfr(math.factorial(k)) + 0 * s
        total, small, j = term, spacing(), k
        while abs(term) > small:
            term = term * -s / ((j + 1) * (j + 2))
            total += term
            j += 2
    return +total


def back(value: Any, like: Number) -> Number:
    """A number of mpmath's as one of gmpy2's, real or complex as `like` is."""
    import gmpy2

    return gmpy2.mpc(fast(value.real), fast(value.imag)) if type(like).__name__ == "mpc" else fast(value)


def functions() -> Any:
    """Where the functions of such numbers are."""
    import gmpy2

    return gmpy2
