"""Blocks of two vectors: each kernel is done for the lower half, then for the upper one.

A step is one long chain of operations that wait for each other, and a processor has time for a second one. So a
block is two vectors wide, and each kernel is done for its lower half first, then for its upper half: while one waits
the other works, and only one of them needs registers. Kernels that hold a loop until everybody is finished are not
halved, they call those that are.
"""

import functools

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polhode.kernels import scalar
from polhode.kernels.implicit import repeated
from polhode.kernels.loop import counted, keep, sum_of
from polhode.kernels.references import reachable
from polhode.kernels.step import moment_at, torque_at
from polhode.machine.lanes import HALF, I32, WIDTH, Lanes, llvm, mapped, parts


def halved(function, args):
    """The implementation of a kernel for blocks of two vectors: the lower half, then the upper one."""
    if _is_whole(function) or not any(part == Lanes(WIDTH) for x in args for part in parts(x)):
        return None
    return lambda *args: joined(function(*lower(args)), function(*upper(args)))


@functools.cache
def _is_whole(function):
    """Whether a kernel is left as it is: it, or one that it calls, asks what holds for everybody, or mixes nodes."""
    called = reachable([function])
    return (
        function in WHOLE
        or function.__module__ in ("polhode.machine.lanes.ensemble_loop", "polhode.machine.lanes.ensemble_watching")
        or _arguments(function) in (STEP, START)
        or scalar.everybody in called
        or any(f.__module__ == "polhode.kernels.quadrature_nodes" for f in called)
    )


STEP, START = ("h", "t", "state", "body"), ("h", "t", "q", "Pi", "body")
"""The arguments of a step and of what starts one (``kernels/step.py``). Whether a kernel is one must be seen on the
kernel itself: the step of one method is a part of another that is composed of it."""


def _arguments(function):
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def _half(first):
    @intrinsic
    def half(typing_context, x):
        def change(kind):
            return Lanes(HALF) if kind == Lanes(WIDTH) else kind

        places = ir.Constant(ir.VectorType(I32, HALF), list(range(first, first + HALF)))

        def build(context, builder, signature, args):
            def take(value, kind):
                if isinstance(kind, types.BaseTuple):
                    parts = [take(builder.extract_value(value, i), k) for i, k in enumerate(kind)]
                    return context.make_tuple(builder, mapped(kind, change), parts)
                return builder.shuffle_vector(value, value, places) if kind == Lanes(WIDTH) else value

            return take(args[0], x)

        return mapped(x, change)(x), build

    return half


lower, upper = _half(0), _half(HALF)


@intrinsic
def joined(typing_context, low, high):
    """The two halves of a result as one; what is not lanes is the same in both."""

    fence = llvm("arithmetic.fence")  # or LLVM would join the last operations, too, and mix the halves again

    def change(kind):
        return Lanes(WIDTH) if kind == Lanes(HALF) else kind

    def build(context, builder, signature, args):
        def join(a, b, kind):
            if isinstance(kind, types.BaseTuple):
                parts = [join(builder.extract_value(a, i), builder.extract_value(b, i), k) for i, k in enumerate(kind)]
                return context.make_tuple(builder, mapped(kind, change), parts)
            if kind != Lanes(HALF):
                return a
            places = ir.Constant(ir.VectorType(I32, WIDTH), list(range(WIDTH)))
            return builder.shuffle_vector(fence(builder, a), fence(builder, b), places)

        return join(args[0], args[1], low)

    return mapped(low, change)(low, high), build


WHOLE = (torque_at, moment_at, repeated, counted, keep, sum_of)
"""Kernels that are not halved though nothing in them says so: one that is better halved in its two parts, the attitude
and the torque there; the iteration of a collocation method, whose sweep mixes nodes; and what the loop does between
steps with whole blocks."""
