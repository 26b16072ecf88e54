"""Kernels that decide by the value of a number, in lanes: one body after the other.

Code that branches on a number does not compile in lanes, where the number is another one for each body. A kernel
of which `scalar.alone` says so is called for each body by itself instead, and the rest of its method stays in lanes.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polhode.kernels.scalar import done_alone
from polhode.machine.by_type import F8
from polhode.machine.lanes import Lanes, mapped, parts


def one_by_one(function, args):
    """The implementation of such a kernel for bodies in lanes."""
    width = next((part.width for x in args for part in parts(x) if isinstance(part, Lanes)), 0)
    one = done_alone(function)
    if one is None or not width:
        return None
    nothing = _nothing(one)

    def each(*args):
        results = nothing(args)
        for k in range(width):
            results = with_lane(results, k, one(*numbers_of(args, k)))
        return results

    return each


def _single(kind):
    """The type of one body's part of it."""
    return mapped(kind, lambda part: F8 if isinstance(part, Lanes) else part)


def _nothing(function):
    @intrinsic
    def nothing(typing_context, args):
        """What the kernel returns for bodies in lanes, not filled in yet."""
        width = next(part.width for part in parts(args) if isinstance(part, Lanes))
        one = typing_context.resolve_value_type(function).get_call_type(typing_context, tuple(_single(args)), {})
        results = mapped(one.return_type, lambda part: Lanes(width))

        def build(context, builder, signature, args):
            return ir.Constant(context.get_value_type(results), ir.Undefined)

        return results(args), build

    return nothing


@intrinsic
def numbers_of(typing_context, values, k):
    """The numbers of one lane of nested tuples; what is not in lanes is everybody's."""

    def build(context, builder, signature, args):
        def lane_of(value, kind):
            if isinstance(kind, types.BaseTuple):
                parts = [lane_of(builder.extract_value(value, i), part) for i, part in enumerate(kind)]
                return context.make_tuple(builder, _single(kind), parts)
            return builder.extract_element(value, args[1]) if isinstance(kind, Lanes) else value

        return lane_of(args[0], values)

    return _single(values)(values, k), build


@intrinsic
def with_lane(typing_context, values, k, numbers):
    """Nested tuples of lanes with one lane changed."""

    def build(context, builder, signature, args):
        def changed(value, number, kind):
            if isinstance(kind, Lanes):
                return builder.insert_element(value, number, args[1])
            for i, part in enumerate(kind):
                both = builder.extract_value(value, i), builder.extract_value(number, i)
                value = builder.insert_value(value, changed(*both, part), i)
            return value

        return changed(args[0], args[2], values)

    return values(values, k, numbers), build
