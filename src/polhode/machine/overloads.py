"""Kernels, and the functions of ``kernels/scalar.py`` and ``inputs/functions.py`` that they call, inside machine code.

A kernel is compiled from its own source for the types it is called with, or from another implementation
(``variants.py``: bodies in halves, bodies one by one, stages). What depends on the arithmetic is declared here for
doubles and complex numbers; ``lanes/`` and ``lanes/quadrature.py`` do so for vectors.
"""

import cmath
import functools
import math
import operator
import platform
import threading
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from polhode.inputs import from_c, functions, parameters
from polhode.kernels import scalar, step, stumpff
from polhode.kernels.rotations import matrix
from polhode.kernels.vectors import minus, mul
from polhode.machine.link_only import LinkedCompiler
from polhode.machine.user_functions import LIKE_PYTHON, UsersCompiler, is_users
from polhode.machine.variants import chosen

F8 = types.float64
INSIDE: Any = {  # for functions that only machine code calls
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": LinkedCompiler,
}

BY_TYPE: set[Any] = set()
"""Functions that are different code for each type of number, and never compiled from their own source."""


@functools.cache
def jitable(function):
    """Make a kernel callable from machine code."""
    if function in BY_TYPE:
        return

    options = {**INSIDE, "forceinline": True}
    if is_users(function):
        options |= {**LIKE_PYTHON, "pipeline_class": UsersCompiler}

    @overload(function, jit_options=options, strict=False)
    def implementation(*args):
        return chosen(function, args)


def make_callable(functions):
    """Make these functions callable from machine code, and with them what implementations call."""
    _array_functions()
    for f in (*CALLED_BY_IMPLEMENTATIONS, *functions):
        jitable(f)


CALLED_BY_IMPLEMENTATIONS = (
    stumpff.c0_real,
    stumpff.c0_small,
    stumpff.c1_real,
    stumpff.c1_small,
    stumpff.c3_real,
    stumpff.c3_small,
    stumpff.c0_complex,
    stumpff.c1_complex,
    stumpff.c3_complex,
    stumpff.c5_real,
    stumpff.c5_small,
    stumpff.c5_complex,
    stumpff.a3_real,
    stumpff.a3_small,
    stumpff.a3_complex,
    stumpff.series,
    functions.axes,
    functions.users_attitude,
    minus,
    mul,
    matrix,
)
"""Kernels that the implementations in this package call: those who call the function implemented need not name them."""


@functools.cache
def _array_functions():
    """Import Numba's functions of arrays, but not SciPy's BLAS with them: a fifth of a warm start.

    They only ask whether it can be imported; what needs it (a user's ``@``) imports it when it is compiled.
    """
    from numba.np import linalg

    with IMPORTING:
        original = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            from numba.np import arraymath
        finally:
            linalg.ensure_blas = original
        arraymath.ensure_blas = original


IMPORTING = threading.Lock()


def by_type(function, **options):
    """Numba's overload, remembered in BY_TYPE."""
    BY_TYPE.add(function)
    return overload(function, **options)


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


@by_type(functions.square, inline="always")  # inlined, so that the array lives in the frame of the caller
def _square(Q):
    return lambda Q: _array_on_stack(Q)


@intrinsic
def _array_on_stack(typing_context, Q):
    """A 3x3 array over nine numbers on the stack: no allocation, and gone with the caller's frame."""
    array = types.Array(Q.dtype, 2, "C")

    def build(context, builder, signature, arguments):
        return _on_stack(context, builder, array, (3, 3), cgutils.unpack_tuple(builder, arguments[0], 9))

    return array(Q), build


@by_type(functions.vector3, inline="always")
def _vector3(v):
    return lambda v: _vector_on_stack(v)


@intrinsic
def _vector_on_stack(typing_context, v):
    """An array of three numbers on the stack."""
    array = types.Array(v.dtype, 1, "C")

    def build(context, builder, signature, arguments):
        return _on_stack(context, builder, array, (3,), cgutils.unpack_tuple(builder, arguments[0], 3))

    return array(v), build


def _on_stack(context, builder, array, shape, values):
    """An array of some shape over numbers that are put on the stack."""
    number, intp = array.dtype, context.get_value_type(types.intp)
    llvm = context.get_data_type(number)
    memory = cgutils.alloca_once(builder, llvm, size=len(values))
    for k, value in enumerate(values):
        context.pack_value(builder, number, value, builder.gep(memory, [ir.Constant(ir.IntType(64), k)]))
    item = context.get_abi_sizeof(llvm)
    strides = [item * math.prod(shape[i + 1 :]) for i in range(len(shape))]
    result = context.make_array(array)(context, builder)
    context.populate_array(
        result,
        data=memory,
        shape=[ir.Constant(intp, n) for n in shape],
        strides=[ir.Constant(intp, n) for n in strides],
        itemsize=ir.Constant(intp, item),
        meminfo=None,
    )
    return result._getvalue()


@by_type(parameters.view, inline="always")
def _view(kind, par):
    return lambda kind, par: _record(kind, par)


@intrinsic
def _record(typing_context, kind, par):
    """p, a named tuple of numbers and arrays on the stack, from a row in memory or in a tuple."""
    shapes = kind.instance_class.shapes
    number = par.dtype
    kinds = [types.Array(number, len(shape), "C") if shape else number for shape in shapes]
    if kind.instance_class.spread:
        result = types.Tuple(kinds)
    elif len(set(kinds)) == 1:
        result = types.NamedUniTuple(kinds[0], len(kinds), kind.instance_class)
    else:
        result = types.NamedTuple(kinds, kind.instance_class)

    def build(context, builder, signature, arguments):
        def at(k):
            if isinstance(par, types.BaseTuple):
                return builder.extract_value(arguments[1], k)
            return builder.load(builder.gep(arguments[1], [ir.Constant(ir.IntType(64), k)]))

        parts, first = [], kind.instance_class.first
        for shape, part in zip(shapes, kinds):
            values = [at(first + k) for k in range(math.prod(shape))]
            parts.append(_on_stack(context, builder, part, shape, values) if shape else values[0])
            first += len(values)
        return context.make_tuple(builder, result, parts)

    return result(kind, par), build


@overload(operator.matmul)
def _mixed_product(a, b):
    """A real array times a complex one, which Numba's @ refuses: a potential meets it under the complex step."""
    if not (isinstance(a, types.Array) and isinstance(b, types.Array)):
        return None
    if isinstance(a.dtype, types.Complex) and isinstance(b.dtype, types.Float):
        return lambda a, b: a @ b.astype(np.complex128)
    if isinstance(a.dtype, types.Float) and isinstance(b.dtype, types.Complex):
        return lambda a, b: a.astype(np.complex128) @ b
    return None


@by_type(from_c.floats_alone)
def _floats_alone(x):
    return (lambda x: None) if isinstance(x, types.Array) and x.dtype == F8 and x.layout == "C" else None


@by_type(functions.triple, jit_options=INSIDE)
def _triple(value):
    number = functions.plain
    if isinstance(value, types.BaseTuple):
        return (lambda value: (number(value[0]), number(value[1]), number(value[2]))) if len(value) == 3 else None

    def of_any_length(value):
        if len(value) != 3:
            raise ValueError("A torque is three numbers.")
        return (number(value[0]), number(value[1]), number(value[2]))

    return of_any_length


@by_type(functions.plain)
def _plain(x):
    return (lambda x: float(x)) if isinstance(x, (types.Float, types.Integer, types.Boolean)) else None
