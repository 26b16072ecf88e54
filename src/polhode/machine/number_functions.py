"""The functions of ``kernels/scalar.py`` and ``kernels/step.py`` in machine code: for doubles and complex numbers.

``lanes/`` has them for vectors.
"""

import cmath
import math
import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from polhode.inputs import functions
from polhode.kernels import scalar, step, stumpff
from polhode.kernels.vectors import minus, mul
from polhode.machine.by_type import F8, INSIDE, by_type


def _by_type(function, real, complex_):
    """Inside machine code `function` is `real` for floats and integers, `complex_` for complex numbers."""

    @by_type(function, jit_options=INSIDE)
    def choose(x):
        if isinstance(x, (types.Float, types.Integer)):
            return real
        if isinstance(x, types.Complex):
            return complex_
        return None


_by_type(scalar.sqrt, lambda x: math.sqrt(x), lambda x: cmath.sqrt(x))
_by_type(scalar.sin, lambda x: math.sin(x), lambda x: cmath.sin(x))
_by_type(scalar.cos, lambda x: math.cos(x), lambda x: cmath.cos(x))
_by_type(functions.real_part, lambda x: x, lambda x: x.real)
_by_type(functions.imaginary_part, lambda x: 0.0, lambda x: x.imag)
_by_type(scalar.magnitude, lambda x: abs(x), lambda x: abs(x.real) + abs(x.imag) / scalar.STEP)
_by_type(scalar.epsilon, lambda x: 2.0**-52, lambda x: 2.0**-52)
_by_type(scalar.nobody, lambda x: False, lambda x: False)


REGISTER = {"x86_64": "x", "amd64": "x", "arm64": "w", "aarch64": "w"}.get(platform.machine().lower())
"""How inline assembly calls a register that holds a double."""


@by_type(scalar.ready, jit_options=INSIDE)
def _ready(x):
    return (lambda x: _computed(x)) if REGISTER and set(x) == {F8} else (lambda x: x)


@intrinsic
def _computed(typing_context, x):
    """Numbers that pass through an empty instruction, which the compiler does not move past a call."""

    def build(context, builder, signature, arguments):
        double = ir.DoubleType()
        here = ir.InlineAsm(ir.FunctionType(double, [double]), "", f"={REGISTER},0", side_effect=True)
        parts = [builder.call(here, [part]) for part in cgutils.unpack_tuple(builder, arguments[0], len(x))]
        return context.make_tuple(builder, x, parts)

    return x(x), build


@by_type(scalar.overlap, jit_options=INSIDE)
def _overlap(x, y):
    if isinstance(x, (types.Float, types.Integer)):
        return lambda x, y: x * y
    return lambda x, y: x.real * y.real + (x.imag / scalar.STEP) * (y.imag / scalar.STEP)


@by_type(scalar.finished)
def _finished(before, now):
    return (lambda before, now: now) if isinstance(now, types.Boolean) else None


@by_type(scalar.everybody)
def _everybody(condition):
    return (lambda condition: condition) if isinstance(condition, types.Boolean) else None


@by_type(scalar.kept)
def _kept(done, old, new):
    return (lambda done, old, new: new) if isinstance(done, types.Boolean) and _is_plain(old) else None


@by_type(scalar.either)
def _either(condition, x, y):
    return (lambda condition, x, y: x if condition else y) if isinstance(condition, types.Boolean) else None


def _is_plain(kind):
    """Whether a type is numbers, or tuples of them, that stand for one body."""
    return isinstance(kind, types.Number) or (isinstance(kind, types.BaseTuple) and all(map(_is_plain, kind)))


def _stumpff(function, real, complex_):
    @by_type(function, jit_options=INSIDE)
    def choose(s):
        if isinstance(s, (types.Float, types.Integer)):
            return lambda s: real(s)
        if isinstance(s, types.Complex):
            return lambda s: complex_(s)
        return None


_stumpff(scalar.c0, stumpff.c0_real, stumpff.c0_complex)
_stumpff(scalar.c1, stumpff.c1_real, stumpff.c1_complex)
_stumpff(scalar.c3, stumpff.c3_real, stumpff.c3_complex)
_stumpff(scalar.c5, stumpff.c5_real, stumpff.c5_complex)
_stumpff(scalar.a3, stumpff.a3_real, stumpff.a3_complex)


@by_type(step.pulled, jit_options={**INSIDE, "forceinline": True})
def _pulled(source, t, Q, Omega):
    if len(source) == 2:
        return lambda source, t, Q, Omega: source[0](t, Q, source[1])
    return lambda source, t, Q, Omega: source[0](t, Q, Omega, source[1])


@by_type(step.velocity_of, jit_options={**INSIDE, "forceinline": True})
def _velocity_of(Pi, body):
    if len(body) == 4:
        return lambda Pi, body: mul(body[1], Pi)
    return lambda Pi, body: mul(body[1], minus(Pi, body[4]))


@by_type(step.twice_spun, jit_options={**INSIDE, "forceinline": True})
def _twice_spun(Pi, body):
    if len(body) == 4:
        return lambda Pi, body: Pi
    return lambda Pi, body: minus(Pi, (2 * body[4][0], 2 * body[4][1], 2 * body[4][2]))
