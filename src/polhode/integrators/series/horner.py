"""Polynomials in two or three variables inside kernels, by Horner's scheme.

The coefficients come in falling lexicographic order of the exponents, all up to a total degree. One kernel
is made per degree: its loops have constant bounds and are unrolled in machine code.
"""

import functools
from collections.abc import Callable
from typing import Any

from polhode.kernels.numbers import Number, Numbers, Vec3
from polhode.kernels.scalar import kernel


@functools.cache
def two(most: int) -> Callable[..., Any]:
    """value(c, first, x, y): the polynomial whose coefficients start at c[first]."""
    if most == 0:
        return constant
    lower, skip = two(most - 1), most * (most + 1) // 2  # its coefficients are a triangle; ours add a row

    @kernel
    def value(c: Numbers, first: int, x: Number, y: Number) -> Number:
        row = c[first + skip]
        for i in range(1, most + 1):
            row = row * y + c[first + skip + i]
        return lower(c, first, x, y) * x + row

    return value


@kernel
def constant(c: Numbers, first: int, x: Number, y: Number) -> Number:
    """The polynomial of degree zero."""
    return c[first]


@functools.cache
def three(most: int) -> Callable[..., Any]:
    """value(c, first, x, y, z): the polynomial and its three derivatives."""

    @kernel
    def value(c: Numbers, first: int, x: Number, y: Number, z: Number) -> tuple[Number, Vec3]:
        f, fx, fy, fz = 0 * x, 0 * x, 0 * x, 0 * x
        n = first
        for i in range(most + 1):
            g, gy, gz = 0 * x, 0 * x, 0 * x
            for j in range(i + 1):
                k, kz = c[n], 0 * x
                n += 1
                for _ in range(j):
                    kz = kz * z + k
                    k = k * z + c[n]
                    n += 1
                gy = gy * y + g
                g = g * y + k
                gz = gz * y + kz
            fx = fx * x + f
            f = f * x + g
            fy = fy * x + gy
            fz = fz * x + gz
        return f, (fx, fy, fz)

    return value
