"""Numbers of a block of bodies in memory: read as lanes or doubles, written back, and found for one body.

Arrays are (blocks, numbers, width): the numbers of the bodies of a block lie side by side, each as one vector.
"""

import functools

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polhode.machine import compile
from polhode.machine.by_type import F8
from polhode.machine.lanes import I64, Lanes
from polhode.machine.pointers import leaves


def _kind(width):
    return F8 if width == 1 else Lanes(width)


def _place(context, builder, array, kind, block, at):
    """The address of number `at` of a block, as one of vectors or doubles."""
    view = context.make_array(kind)(context, builder, array)
    shape = [builder.extract_value(view.shape, i) for i in (1, 2)]
    index = builder.mul(builder.add(builder.mul(block, shape[0]), at), shape[1])
    return builder.gep(view.data, [index])


@functools.cache
def reader(count, at, width):
    """read(array, block): `count` numbers of a block from place `at`, as a tuple."""
    number = _kind(width)

    @intrinsic
    def read(typing_context, array, block):
        def build(context, builder, signature, args):
            block = context.cast(builder, args[1], signature.args[1], types.intp)
            parts = []
            for i in range(count):
                place = _place(context, builder, args[0], array, block, ir.Constant(I64, at + i))
                place = builder.bitcast(place, context.get_value_type(number).as_pointer())
                parts.append(builder.load(place, align=8))
            return context.make_tuple(builder, signature.return_type, parts)

        return _tuple(number, count)(array, block), build

    return read


@functools.cache
def writer(width):
    """write(array, block, values): the numbers of nested tuples, one after the other."""
    number = _kind(width)

    @intrinsic
    def write(typing_context, array, block, values):
        def build(context, builder, signature, args):
            block = context.cast(builder, args[1], signature.args[1], types.intp)
            for i, (value, kind) in enumerate(leaves(builder, args[2], values)):
                place = _place(context, builder, args[0], array, block, ir.Constant(I64, i))
                place = builder.bitcast(place, context.get_value_type(number).as_pointer())
                builder.store(context.cast(builder, value, kind, number), place, align=8)
            return context.get_dummy_value()

        return types.void(array, block, values), build

    return write


def _tuple(number, count):
    return types.UniTuple(number, count) if count else types.Tuple(())


@functools.cache
def viewer(width):
    """view(out, block): the rows (samples, 7) of one block in an array (samples, 7, bodies)."""
    rows = types.Array(_kind(width), 2, "A", aligned=False)

    @intrinsic
    def view(typing_context, out, block):
        def build(context, builder, signature, args):
            whole = context.make_array(out)(context, builder, args[0])
            block = context.cast(builder, args[1], signature.args[1], types.intp)
            data = builder.gep(whole.data, [builder.mul(block, ir.Constant(I64, width))])
            result = context.make_array(rows)(context, builder)
            context.populate_array(
                result,
                data=builder.bitcast(data, context.get_data_type(rows.dtype).as_pointer()),
                shape=[builder.extract_value(whole.shape, i) for i in (0, 1)],
                strides=[builder.extract_value(whole.strides, i) for i in (0, 1)],
                itemsize=ir.Constant(I64, 8 * width),
                meminfo=None,
            )
            return result._getvalue()

        return rows(out, block), build

    return view


@intrinsic
def number_of(typing_context, x, k):
    """The number of one lane; of one body, the number."""

    def build(context, builder, signature, args):
        return builder.extract_element(args[0], args[1]) if isinstance(x, Lanes) else args[0]

    return F8(x, k), build


@intrinsic
def address(typing_context, parameters, p, k):
    """Where the parameters of body k of block p begin, in an array (blocks, width, numbers): a body's are together."""

    def build(context, builder, signature, args):
        view = context.make_array(parameters)(context, builder, args[0])
        p, k = (context.cast(builder, x, kind, types.intp) for x, kind in zip(args[1:], signature.args[1:]))
        width, count = (builder.extract_value(view.shape, i) for i in (1, 2))
        return builder.gep(view.data, [builder.mul(builder.add(builder.mul(p, width), k), count)])

    return compile.PAR(parameters, p, k), build
