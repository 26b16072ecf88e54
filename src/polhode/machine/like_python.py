"""Functions for users' machine code that Numba computes otherwise than Python (``user_functions.py``)."""

import cmath
import math

import numpy as np
from numba import types
from numba.extending import overload

NUMBER = (types.Float, types.Integer)
INLINE = {"error_model": "numpy", "forceinline": True}
LARGEST = 2.0**31
"""The largest exponent that is taken as a whole number."""


def power(x, n):
    """x ** n that keeps an imaginary part of any size: products for whole n."""


def power_in_place(x, n):
    """x **= n."""


def acosh(x):
    """arccosh of complex numbers."""


def expm1(x):
    """exp(x) - 1 of complex numbers, exact to round-off near zero."""


def products(x, n):
    """x ** n for a whole n, squaring from the lowest bit."""


@overload(products, jit_options={"error_model": "numpy"})
def _products(x, n):
    def value(x, n):
        k, square, result = abs(n), x, 1.0 + 0.0j
        while k:
            if k & 1:
                result = result * square
            k >>= 1
            if k:
                square = square * square
        return result if n >= 0 else 1.0 / result

    return value


@overload(power)
def _power(x, n):
    if not (_is_complex(x) or _is_complex(n)):
        return lambda x, n: x**n
    if isinstance(x, types.Array) or isinstance(n, types.Array):
        return _each_pair(power, x, n)
    if isinstance(n, types.Integer):
        return lambda x, n: products(complex(x), n)
    if isinstance(n, types.Float):

        def by_real(x, n):
            return products(x, int(n)) if abs(n) <= LARGEST and math.floor(n) == n else x**n

        return by_real

    def by_complex(x, n):
        whole = n.imag == 0 and abs(n.real) <= LARGEST and math.floor(n.real) == n.real
        return products(complex(x), int(n.real)) if whole else complex(x) ** n

    return by_complex


@overload(power_in_place)
def _power_in_place(x, n):
    if not isinstance(x, types.Array):
        return lambda x, n: power(x, n)

    def in_place(x, n):
        x[...] = power(x, n)
        return x

    return in_place


@overload(acosh)
def _acosh(x):
    if isinstance(x, types.Array):
        return _each(acosh, x)
    return (lambda x: cmath.acosh(x)) if isinstance(x, types.Complex) else (lambda x: np.arccosh(x))


@overload(expm1)
def _expm1(x):
    if isinstance(x, types.Array):
        return _each(expm1, x)
    if not isinstance(x, types.Complex):
        return lambda x: np.expm1(x)

    def of_complex(x):
        half = math.sin(x.imag / 2)
        return complex(math.expm1(x.real) * math.cos(x.imag) - 2 * half * half, math.exp(x.real) * math.sin(x.imag))

    return of_complex


def _is_complex(kind):
    return isinstance(getattr(kind, "dtype", kind), types.Complex)


def _each(function, x):
    """The function of every number of an array."""
    number = np.complex128 if _is_complex(x) else np.float64

    def each(x):
        result = np.empty(x.shape, number)
        for i in np.ndindex(x.shape):
            result[i] = function(x[i])
        return result

    return each


def _each_pair(function, x, n):
    if not isinstance(n, types.Array):

        def first(x, n):
            result = np.empty(x.shape, np.complex128)
            for i in np.ndindex(x.shape):
                result[i] = function(x[i], n)
            return result

        return first
    if not isinstance(x, types.Array):

        def second(x, n):
            result = np.empty(n.shape, np.complex128)
            for i in np.ndindex(n.shape):
                result[i] = function(x, n[i])
            return result

        return second

    def both(x, n):
        shape = np.broadcast_shapes(x.shape, n.shape)
        bases, exponents, result = np.broadcast_to(x, shape), np.broadcast_to(n, shape), np.empty(shape, np.complex128)
        for i in np.ndindex(shape):
            result[i] = function(bases[i], exponents[i])
        return result

    return both


# ---- the functions of math, which raise where they have no value --------------------------------------


OF_ONE = (
    *("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "sinh", "cosh"),
    *("acosh", "atanh", "gamma", "lgamma"),
)


def _raising(original):
    def checked(x):
        """The function; raises ValueError where it has no finite value."""

    @overload(checked, jit_options=INLINE)
    def choose(x):
        if not isinstance(x, (*NUMBER, types.Boolean)):
            return lambda x: original(x)

        def value(x):
            y = original(x)
            if y - y != 0 and (y != y or x - x == 0) and x == x:
                raise ValueError("math domain error")
            return y

        return value

    checked.__name__ = original.__name__
    return checked


def _raising_of_two(original):
    def checked(x, y):
        """The function; raises ValueError where it has no finite value."""

    @overload(checked, jit_options=INLINE)
    def choose(x, y):
        if not all(isinstance(z, (*NUMBER, types.Boolean)) for z in (x, y)):
            return lambda x, y: original(x, y)

        def value(x, y):
            z = original(x, y)
            if z - z != 0:
                raise ValueError("math domain error")
            return z

        return value

    checked.__name__ = original.__name__
    return checked


def _to_whole(original):
    def checked(x):
        """The whole number; raises OverflowError where it has more than 64 bits."""

    @overload(checked, jit_options=INLINE)
    def choose(x):
        if not isinstance(x, types.Float):
            return lambda x: original(x)

        def value(x):
            if not abs(x) < 9.2e18:
                raise OverflowError("A whole number has more than 64 bits.")
            return original(x)

        return value

    checked.__name__ = original.__name__
    return checked


MATH = {
    **{f: _raising(f) for f in (getattr(math, name) for name in OF_ONE)},
    **{f: _raising_of_two(f) for f in (math.pow, math.fmod)},
    **{f: _to_whole(f) for f in (int, round, math.floor, math.ceil, math.trunc)},
}
"""What stands for a function of Python's."""
