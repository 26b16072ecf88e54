"""What users' functions are given and give back, in machine code: arrays and records on the stack, three numbers.

The functions are those of ``inputs/functions.py``, ``inputs/parameters.py`` and ``inputs/from_c.py``.
"""

import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from polhode.inputs import from_c, functions, parameters
from polhode.machine.by_type import F8, INSIDE, by_type


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
