"""The functions of ``quadrature_nodes.py`` in machine code: nodes are the lanes of one SIMD vector."""

import functools

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polhode.kernels import quadrature_nodes
from polhode.kernels.rotations import matrix
from polhode.kernels.step import moment_at, torque_at
from polhode.machine import compile
from polhode.machine.compile import PAR
from polhode.machine.kept_code import CannotCompile
from polhode.machine.lanes import I32, Lanes
from polhode.machine.lanes.lane_by_lane import numbers_of, with_lane
from polhode.machine.overloads import F8, by_type
from polhode.machine.pointers import Pointer, leaves

FORCED = {"error_model": "numpy", "forceinline": True}


def torque_for(kernel, otherwise, kind, s):
    """(machine code, its type) of a torque for a method that wants it at s nodes at once.

    A torque that cannot run in lanes, since it branches on a number, is called for one node after the other:
    `otherwise` is its machine code of the type `kind`, or None if it cannot be compiled at all.
    """
    at_nodes = _torque_at(s, compile.takes_velocity(kind))
    try:
        return compile.torque(kernel, at_nodes), at_nodes
    except CannotCompile:
        return otherwise(), kind


@functools.cache
def _torque_at(s, takes_velocity):
    """The type of a torque at s nodes at once."""
    lanes = Lanes(s)
    velocity = (types.UniTuple(lanes, 3),) if takes_velocity else ()
    return types.UniTuple(lanes, 3)(lanes, types.UniTuple(lanes, 9), *velocity, PAR)


def first_node(tau):
    """The torque at the first node."""
    return numbers_of(tau, 0)


def _vector(builder, numbers):
    """A vector of these numbers."""
    value = ir.Constant(ir.VectorType(ir.DoubleType(), len(numbers)), ir.Undefined)
    for k, x in enumerate(numbers):
        value = builder.insert_element(value, x, ir.Constant(I32, k))
    return value


def _vectors(builder, value, kind, s):
    """The numbers of a tuple, as vectors of s."""
    numbers = [x for x, _ in leaves(builder, value, kind)]
    return [_vector(builder, numbers[i : i + s]) for i in range(0, len(numbers), s)]


@intrinsic
def _collocation(typing_context, numbers):
    s = quadrature_nodes.stages_of(len(numbers))
    lanes = Lanes(s)
    matrix = types.UniTuple(lanes, s)
    result = types.Tuple((matrix, matrix, lanes, lanes))

    def build(context, builder, signature, args):
        rows = _vectors(builder, args[0], numbers, s)
        pack = lambda kind, parts: context.make_tuple(builder, kind, parts)
        return pack(result, [pack(matrix, rows[:s]), pack(matrix, rows[s : 2 * s]), rows[-2], rows[-1]])

    return result(numbers), build


@intrinsic
def _as_nodes(typing_context, numbers, like):
    result = types.UniTuple(like, len(numbers) // like.width)

    def build(context, builder, signature, args):
        return context.make_tuple(builder, result, _vectors(builder, args[0], numbers, like.width))

    return result(numbers, like), build


@intrinsic
def _as_numbers(typing_context, many):
    s = many.dtype.width
    result = types.UniTuple(F8, s * len(many))

    def build(context, builder, signature, args):
        vectors = [x for x, _ in leaves(builder, args[0], many)]
        numbers = [builder.extract_element(x, ir.Constant(I32, k)) for x in vectors for k in range(s)]
        return context.make_tuple(builder, result, numbers)

    return result(many), build


@intrinsic
def _mixed(typing_context, x, A, f):
    s = f.width

    def build(context, builder, signature, args):
        terms = []
        for k in range(s):
            every = ir.Constant(ir.VectorType(I32, s), [k] * s)
            one = builder.shuffle_vector(args[2], args[2], every)
            terms.append(builder.fmul(builder.extract_value(args[1], k), one))
        return builder.fadd(context.cast(builder, args[0], x, f), quadrature_nodes.in_pairs(terms, builder.fadd))

    return f(x, A, f), build


@intrinsic
def _total(typing_context, f):
    s = f.width

    def build(context, builder, signature, args):
        at = lambda k: builder.extract_element(args[0], ir.Constant(I32, k))
        result = at(s // 2) if s % 2 else builder.fmul(at(0), ir.Constant(ir.DoubleType(), 0.0))
        for k in range(s // 2):
            result = builder.fadd(result, builder.fadd(at(k), at(s - 1 - k)))
        return result

    return F8(f), build


@intrinsic
def _largest(typing_context, f):
    s = f.width

    def build(context, builder, signature, args):
        result = builder.extract_element(args[0], ir.Constant(I32, 0))
        for k in range(1, s):
            x = builder.extract_element(args[0], ir.Constant(I32, k))
            result = builder.select(builder.fcmp_ordered(">", x, result), x, result)
        return result

    return F8(f), build


@intrinsic
def _last_of(typing_context, f):
    last = ir.Constant(I32, f.width - 1)
    return F8(f), lambda context, builder, signature, args: builder.extract_element(args[0], last)


@by_type(quadrature_nodes.collocation, jit_options=FORCED)
def _(numbers):
    return lambda numbers: _collocation(numbers)


@by_type(quadrature_nodes.as_nodes, jit_options=FORCED)
def _(numbers, like):
    return lambda numbers, like: _as_nodes(numbers, like)


@by_type(quadrature_nodes.as_numbers, jit_options=FORCED)
def _(many):
    return lambda many: _as_numbers(many)


@by_type(quadrature_nodes.mixed, jit_options=FORCED)
def _(x, A, f):
    return lambda x, A, f: _mixed(x, A, f)


@by_type(quadrature_nodes.total, jit_options=FORCED)
def _(f):
    return lambda f: _total(f)


@by_type(quadrature_nodes.largest, jit_options=FORCED)
def _(f):
    return lambda f: _largest(f)


@by_type(quadrature_nodes.last_of, jit_options=FORCED)
def _(f):
    return lambda f: _last_of(f)


@by_type(quadrature_nodes.torques, jit_options=FORCED)
def _torques(t, Q, Omega, body):
    """A torque made for nodes takes all of them; one made for a single attitude is called for one after the other."""
    torque, s = body[3][0], t.width
    if len(body[3]) == 3:
        return _moments(torque, s)
    if _is_for_nodes(torque):
        return lambda t, Q, Omega, body: body[3][0](t, Q, body[3][1])

    def one_by_one(t, Q, Omega, body):
        function, parameters = body[3]
        x, y, z = 0 * t, 0 * t, 0 * t
        for k in range(s):
            a, b, c = function(_lane(t, k), numbers_of(Q, k), parameters)
            x, y, z = with_lane(x, k, a), with_lane(y, k, b), with_lane(z, k, c)
        return x, y, z

    return one_by_one


def _moments(torque, s):
    """The same for a torque that takes the velocity."""
    if _is_for_nodes(torque):
        return lambda t, Q, Omega, body: body[3][0](t, Q, Omega, body[3][1])

    def one_by_one(t, Q, Omega, body):
        function, parameters, _ = body[3]
        x, y, z = 0 * t, 0 * t, 0 * t
        for k in range(s):
            a, b, c = function(_lane(t, k), numbers_of(Q, k), numbers_of(Omega, k), parameters)
            x, y, z = with_lane(x, k, a), with_lane(y, k, b), with_lane(z, k, c)
        return x, y, z

    return one_by_one


def at_one(function, args):
    """The implementation of `moment_at` with a torque made for nodes: the same attitude at all of them."""
    if function not in (torque_at, moment_at) or not _is_for_nodes(args[-1][3][0]) or isinstance(args[0], Lanes):
        return None
    if function is torque_at:
        return lambda t, q, body: numbers_of(body[3][0](t, matrix(q), body[3][1]), 0)
    if len(args[-1][3]) == 2:
        return lambda t, q, Omega, body: numbers_of(body[3][0](t, matrix(q), body[3][1]), 0)
    return lambda t, q, Omega, body: numbers_of(body[3][0](t, matrix(q), Omega, body[3][1]), 0)


def _is_for_nodes(torque):
    return isinstance(torque, Pointer) and isinstance(torque.kind.args[0], Lanes)


@intrinsic
def _lane(typing_context, x, k):
    return F8(x, k), lambda context, builder, signature, args: builder.extract_element(args[0], args[1])
