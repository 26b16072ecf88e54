"""Several bodies at once: a number of machine code that is a SIMD vector of doubles, and the loop over blocks of them.

The fifth arithmetic of the kernels. `Lanes` is a type of Numba's whose value is an LLVM <n x double>, with the
operators and the functions of ``scalar.py``; the unchanged steps and torques then work on n bodies at once. Every
operation is the one that a single double would see (no fused multiply-add, nothing reassociated; what has no vector
instruction is called lane by lane), and solvers keep what belongs to a finished body: each lane holds the bits that
its body would get alone.

A comparison is a `Mask`, one bit a lane. It has no truth value: code that branches on a number does not compile in
lanes, so that it cannot be wrong there.

A step is one long chain of operations that wait for each other, and a processor has time for a second one. So a
block is two vectors wide, and each kernel is done for its lower half first, then for its upper half (`halved`):
while one waits the other works, and only one of them needs registers. Kernels that hold a loop until everybody is
finished are not halved, they call those that are.
"""

import functools
import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

from polhode import adapt, compile, engine, scalar
from polhode.body import torque_at
from polhode.cache import reachable
from polhode.compile import F8, by_type

HALF = 8 if "+avx512f" in cpu_target.target_context.codegen().magic_tuple()[2] else 4
"""Doubles in a vector of this machine."""

WIDTH = 2 * HALF
"""Bodies in a block."""

I32, I64 = ir.IntType(32), ir.IntType(64)
NUMBER = (types.Float, types.Integer)


class Lanes(types.Type):
    """A number for each of `width` bodies."""

    def __init__(self, width):
        self.width = width
        self.llvm = ir.VectorType(ir.DoubleType(), width)
        super().__init__(name=f"lanes{width}")

    def can_convert_from(self, typing_context, other):
        return Conversion.promote if isinstance(other, NUMBER) else None

    def unify(self, typing_context, other):
        return self if isinstance(other, NUMBER) else None


class Mask(types.Type):
    """A condition for each of `width` bodies."""

    def __init__(self, width):
        self.width = width
        self.llvm = ir.VectorType(ir.IntType(1), width)
        super().__init__(name=f"mask{width}")

    def can_convert_from(self, typing_context, other):
        return Conversion.promote if isinstance(other, types.Boolean) else None

    def unify(self, typing_context, other):
        return self if isinstance(other, types.Boolean) else None


@register_model(Lanes)
@register_model(Mask)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.llvm)


# ---- operators ---------------------------------------------------------------------------------------


def _wide(context, builder, value, kind, wanted):
    """A value as lanes or mask: one number, or one condition, goes to all lanes."""
    if kind == wanted:
        return value
    value = context.cast(builder, value, kind, F8) if isinstance(wanted, Lanes) else value
    one = builder.insert_element(ir.Constant(wanted.llvm, ir.Undefined), value, ir.Constant(I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(I32, wanted.width), [0] * wanted.width))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
@lower_cast(types.Boolean, Mask)
def _cast(context, builder, given, wanted, value):
    return _wide(context, builder, value, given, wanted)


def _operator(symbols, build, operand=Lanes, beside=NUMBER, result=Lanes):
    """Teach Numba operators of two lanes (or masks), or of one and a number; build(builder, a, b) emits them."""
    for symbol in symbols:

        @infer_global(symbol)
        class Typing(AbstractTemplate):
            def generic(self, args, kws):
                mine = [x for x in args if isinstance(x, operand)]
                if len(args) == 2 and mine and all(isinstance(x, (operand, *beside)) for x in args):
                    return signature(result(mine[0].width), *args)
                return None

        def lower(context, builder, signature, args):
            wanted = operand(signature.return_type.width)
            return build(builder, *(_wide(context, builder, x, kind, wanted) for x, kind in zip(args, signature.args)))

        lower_builtin(symbol, operand, operand)(lower)
        for other in beside:
            lower_builtin(symbol, operand, other)(lower)
            lower_builtin(symbol, other, operand)(lower)


def _unary(function, operand, build):
    """Teach Numba a function of lanes to lanes, or of masks to masks."""

    @infer_global(function)
    class Typing(AbstractTemplate):
        def generic(self, args, kws):
            return signature(args[0], *args) if len(args) == 1 and isinstance(args[0], operand) else None

    lower_builtin(function, operand)(lambda context, builder, signature, args: build(builder, args[0]))


def _llvm(name):
    """One of LLVM's own functions of a vector."""

    def build(builder, x):
        kind = ir.FunctionType(x.type, [x.type])
        return builder.call(
            cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{x.type.count}f64"), [x]
        )

    return build


def _comparison(text):
    return lambda builder, a, b: builder.fcmp_ordered(text, a, b)


_operator((operator.add, operator.iadd), ir.IRBuilder.fadd)
_operator((operator.sub, operator.isub), ir.IRBuilder.fsub)
_operator((operator.mul, operator.imul), ir.IRBuilder.fmul)
_operator((operator.truediv, operator.itruediv), ir.IRBuilder.fdiv)
_operator((operator.lt,), _comparison("<"), result=Mask)
_operator((operator.le,), _comparison("<="), result=Mask)
_operator((operator.gt,), _comparison(">"), result=Mask)
_operator((operator.ge,), _comparison(">="), result=Mask)
_operator((operator.eq,), _comparison("=="), result=Mask)
_operator((operator.ne,), lambda builder, a, b: builder.fcmp_unordered("!=", a, b), result=Mask)
_operator((operator.and_,), ir.IRBuilder.and_, operand=Mask, beside=(types.Boolean,), result=Mask)
_operator((operator.or_,), ir.IRBuilder.or_, operand=Mask, beside=(types.Boolean,), result=Mask)
_unary(operator.neg, Lanes, ir.IRBuilder.fneg)
_unary(operator.pos, Lanes, lambda builder, x: x)
_unary(operator.invert, Mask, ir.IRBuilder.not_)
_unary(abs, Lanes, _llvm("fabs"))
_unary(math.fabs, Lanes, _llvm("fabs"))
_unary(math.sqrt, Lanes, _llvm("sqrt"))


@intrinsic
def every(typing_context, mask):
    """Whether a condition holds in every lane."""

    def build(context, builder, signature, args):
        bits = ir.IntType(mask.width)
        return builder.icmp_unsigned("==", builder.bitcast(args[0], bits), ir.Constant(bits, -1))

    return types.boolean(mask), build


@intrinsic
def chosen(typing_context, mask, a, b):
    """a in the lanes where the condition holds, b in the others; numbers, or tuples alike."""
    width = next(x.width for x in (mask, *_parts(a), *_parts(b)) if isinstance(x, (Lanes, Mask)))
    lanes = Lanes(width)

    def build(context, builder, signature, args):
        bits = _wide(context, builder, args[0], mask, Mask(width))

        def choose(a, b, kind_a, kind_b):
            if isinstance(kind_a, types.BaseTuple):
                parts = [
                    choose(builder.extract_value(a, i), builder.extract_value(b, i), x, y)
                    for i, (x, y) in enumerate(zip(kind_a, kind_b))
                ]
                return context.make_tuple(builder, _mapped(kind_a, lambda x: lanes), parts)
            return builder.select(
                bits, _wide(context, builder, a, kind_a, lanes), _wide(context, builder, b, kind_b, lanes)
            )

        return choose(args[1], args[2], a, b)

    return _mapped(a, lambda x: lanes)(mask, a, b), build


def _parts(kind):
    """The types in nested tuples, one after the other."""
    if not isinstance(kind, types.BaseTuple):
        return [kind]
    return [part for x in kind for part in _parts(x)]


def _mapped(kind, change):
    """The same nested tuples with other parts."""
    if not isinstance(kind, types.BaseTuple):
        return change(kind)
    return types.Tuple([_mapped(x, change) for x in kind])


# ---- the functions of scalar.py ----------------------------------------------------------------------


def by_lane(function):
    """A function of doubles in each lane by itself: rare work, kept out of the way of the rest."""

    def build(context, builder, signature, args):
        lanes = signature.return_type
        name = f"polhode.{lanes}.{function.__module__}.{function.__qualname__}.{function.__code__.co_firstlineno}"
        module, count = builder.module, len(args)
        if name not in module.globals:
            one = F8(*[F8] * count)
            compiled = context.compile_subroutine(builder, function, one)
            outer = ir.Function(module, ir.FunctionType(lanes.llvm, [lanes.llvm] * count), name)
            outer.linkage = "internal"
            outer.attributes.add("noinline")
            outer.attributes.add("cold")
            inner = ir.IRBuilder(outer.append_basic_block())
            result = ir.Constant(lanes.llvm, ir.Undefined)
            for k in range(lanes.width):
                at = ir.Constant(I32, k)
                numbers = [inner.extract_element(x, at) for x in outer.args]
                _, value = context.call_internal_no_propagate(inner, compiled.fndesc, one, numbers)
                result = inner.insert_element(result, value, at)
            inner.ret(result)
        vectors = [_wide(context, builder, x, kind, lanes) for x, kind in zip(args, signature.args)]
        return builder.call(module.globals[name], vectors)

    return intrinsic(lambda typing_context, x: (x(x), build))


def _in_lanes(function, implementation):
    @by_type(function, jit_options={"error_model": "numpy", "forceinline": True})
    def choose(x):
        return implementation if isinstance(x, Lanes) else None


def _lane_by_lane(function, scalar_function):
    slow = by_lane(scalar_function)
    _in_lanes(function, lambda x: slow(x))


def _stumpff(function, small, real):
    """Polynomials where all angles are small enough; lane by lane where one is not."""
    far = by_lane(real)

    def value(s):
        if every(s <= 0.25):
            return small(s)
        return far(s)

    @by_type(function, jit_options={"error_model": "numpy", "forceinline": True})
    def choose(s):
        return value if isinstance(s, Lanes) else None


_stumpff(scalar.c0, scalar.c0_small, scalar.c0_real)
_stumpff(scalar.c1, scalar.c1_small, scalar.c1_real)
_stumpff(scalar.c3, scalar.c3_small, scalar.c3_real)
_stumpff(scalar.c5, scalar.c5_small, scalar.c5_real)

_in_lanes(scalar.sqrt, lambda x: math.sqrt(x))
_in_lanes(scalar.magnitude, lambda x: abs(x))
_in_lanes(scalar.epsilon, lambda x: 2.0**-52)
_in_lanes(scalar.nobody, lambda x: none_of(x))
_in_lanes(np.sqrt, lambda x: math.sqrt(x))
_in_lanes(np.abs, lambda x: abs(x))
_lane_by_lane(scalar.sin, lambda x: math.sin(x))
_lane_by_lane(scalar.cos, lambda x: math.cos(x))
_lane_by_lane(math.sin, lambda x: math.sin(x))
_lane_by_lane(math.cos, lambda x: math.cos(x))
_lane_by_lane(math.exp, lambda x: math.exp(x))
_lane_by_lane(np.sin, lambda x: np.sin(x))
_lane_by_lane(np.cos, lambda x: np.cos(x))
_lane_by_lane(np.exp, lambda x: np.exp(x))


@intrinsic
def none_of(typing_context, x):
    """The condition that holds in no lane."""
    mask = Mask(x.width)
    return mask(x), lambda context, builder, signature, args: ir.Constant(mask.llvm, None)


@by_type(scalar.overlap)
def _overlap(x, y):
    return (lambda x, y: x * y) if isinstance(x, Lanes) else None


@by_type(scalar.finished)
def _finished(before, now):
    return (lambda before, now: before | now) if isinstance(now, Mask) else None


@by_type(scalar.everybody)
def _everybody(condition):
    return (lambda condition: every(condition)) if isinstance(condition, Mask) else None


@by_type(scalar.kept)
def _kept(done, old, new):
    return (lambda done, old, new: chosen(done, old, new)) if any(isinstance(x, Lanes) for x in _parts(old)) else None


# ---- halves ------------------------------------------------------------------------------------------


def halved(function, args):
    """The implementation of a kernel for blocks of two vectors: the lower half, then the upper one."""
    if _is_whole(function) or not any(part == Lanes(WIDTH) for x in args for part in _parts(x)):
        return None
    f = function
    return {
        1: lambda a: joined(f(lower(a)), f(upper(a))),
        2: lambda a, b: joined(f(lower(a), lower(b)), f(upper(a), upper(b))),
        3: lambda a, b, c: joined(f(lower(a), lower(b), lower(c)), f(upper(a), upper(b), upper(c))),
        4: lambda a, b, c, d: joined(
            f(lower(a), lower(b), lower(c), lower(d)), f(upper(a), upper(b), upper(c), upper(d))
        ),
        5: lambda a, b, c, d, e: joined(
            f(lower(a), lower(b), lower(c), lower(d), lower(e)), f(upper(a), upper(b), upper(c), upper(d), upper(e))
        ),
    }.get(len(args))


@functools.cache
def _is_whole(function):
    """Whether a kernel is left as it is: it asks what holds for everybody, or calls one that does."""
    return function in WHOLE or scalar.everybody in reachable([function])


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
                    return context.make_tuple(builder, _mapped(kind, change), parts)
                return builder.shuffle_vector(value, value, places) if kind == Lanes(WIDTH) else value

            return take(args[0], x)

        return _mapped(x, change)(x), build

    return half


lower, upper = _half(0), _half(HALF)


@intrinsic
def joined(typing_context, low, high):
    """The two halves of a result as one; what is not lanes is the same in both."""

    fence = _llvm("arithmetic.fence")  # or LLVM would join the last operations, too, and mix the halves again

    def change(kind):
        return Lanes(WIDTH) if kind == Lanes(HALF) else kind

    def build(context, builder, signature, args):
        def join(a, b, kind):
            if isinstance(kind, types.BaseTuple):
                parts = [join(builder.extract_value(a, i), builder.extract_value(b, i), k) for i, k in enumerate(kind)]
                return context.make_tuple(builder, _mapped(kind, change), parts)
            if kind != Lanes(HALF):
                return a
            places = ir.Constant(ir.VectorType(I32, WIDTH), list(range(WIDTH)))
            return builder.shuffle_vector(fence(builder, a), fence(builder, b), places)

        return join(args[0], args[1], low)

    return _mapped(low, change)(low, high), build


WHOLE = {torque_at}
"""Kernels that are not halved though nothing in them says so: steps, those of the loop, and one that is better
halved in its two parts, the attitude and the torque there."""

compile.VARIANTS.append(halved)


# ---- memory ------------------------------------------------------------------------------------------
#
# Numbers of the bodies of a block lie side by side: arrays are (blocks, numbers, width). With a width of 1 the
# same loop runs one body at a time, on plain doubles.


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
            for i, (value, kind) in enumerate(_leaves(builder, args[2], values)):
                place = _place(context, builder, args[0], array, block, ir.Constant(I64, i))
                place = builder.bitcast(place, context.get_value_type(number).as_pointer())
                builder.store(context.cast(builder, value, kind, number), place, align=8)
            return context.get_dummy_value()

        return types.void(array, block, values), build

    return write


def _leaves(builder, value, kind):
    if not isinstance(kind, types.BaseTuple):
        yield value, kind
        return
    for i, part in enumerate(kind):
        yield from _leaves(builder, builder.extract_value(value, i), part)


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
def lane(typing_context, x, k):
    """The number of one lane; of one body, the number."""

    def build(context, builder, signature, args):
        return builder.extract_element(args[0], args[1]) if isinstance(x, Lanes) else args[0]

    return F8(x, k), build


@intrinsic
def lanes_of(typing_context, values, k):
    """The numbers of one lane of a tuple."""

    def build(context, builder, signature, args):
        parts = [builder.extract_element(x, args[1]) for x, _ in _leaves(builder, args[0], values)]
        return context.make_tuple(builder, signature.return_type, parts)

    return types.UniTuple(F8, len(values))(values, k), build


@intrinsic
def with_lane(typing_context, x, k, value):
    """The same lanes with one of them changed."""
    return x(x, k, value), lambda context, builder, signature, args: builder.insert_element(args[0], args[2], args[1])


@intrinsic
def address(typing_context, parameters, p, k):
    """Where the parameters of body k of block p begin; (blocks, width, numbers) here: those of a body together."""

    def build(context, builder, signature, args):
        view = context.make_array(parameters)(context, builder, args[0])
        p, k = (context.cast(builder, x, kind, types.intp) for x, kind in zip(args[1:], signature.args[1:]))
        width, count = (builder.extract_value(view.shape, i) for i in (1, 2))
        return builder.gep(view.data, [builder.mul(builder.add(builder.mul(p, width), k), count)])

    return compile.PAR(parameters, p, k), build


# ---- the loop over blocks ----------------------------------------------------------------------------


def loop(method, memory, coefficients, torque=None, width=WIDTH):
    """Machine code that advances blocks of bodies.

    With a `torque`, a kernel, it is compiled into the loop: one loop for each method and torque. A torque by
    address would cost a third of the speed, as all vectors must leave their registers for it. Without one, the loop
    takes the torque's machine code and calls it for each body: one loop for each method.
    """
    return _loop(method.step, method.start, memory, coefficients, torque, width)


@functools.cache
def _loop(step, start, memory, coefficients, torque, width):
    """See `loop`."""
    WHOLE.update((step, start, alive, bury))
    advance, everybody, write, view = engine.advance_all, scalar.everybody, writer(width), viewer(width)
    read_J, read_iJ, read_numbers = (reader(*x, width) for x in ((3, 0), (3, 3), (coefficients, 6)))
    read_q, read_Pi, read_tau, read_memory = (reader(*x, width) for x in ((4, 0), (3, 4), (3, 7), (memory, 10)))
    load = _torque_in_lanes(torque, width) if torque else _torque_by_body(width)

    def blocks(
        given, h, t0, first, n, every, left, row, begin, end, constants, parameters, states, out, failed, errors
    ):
        iterations = 0
        for b in range(begin, end):
            if not alive(failed, b, width):
                continue
            c, p = min(b, len(constants) - 1), min(b, len(parameters) - 1)
            if first == 0:
                body = (
                    read_J(constants, c),
                    read_iJ(constants, c),
                    read_numbers(constants, c),
                    load(given, parameters, p),
                )
                write(states, b, start(h, t0, read_q(states, b), read_Pi(states, b), body))
            done, r, l = 0, row, left
            while done < n:
                body = (
                    read_J(constants, c),
                    read_iJ(constants, c),
                    read_numbers(constants, c),
                    load(given, parameters, p),
                )
                state = (read_q(states, b), read_Pi(states, b), read_tau(states, b), read_memory(states, b))
                took, r, l, its, error, state = advance(
                    step, body, h, t0, first + done, n - done, every, l, state, view(out, b), r
                )
                write(states, b, state)
                iterations += its
                done += took
                if not everybody(error == 0):
                    if not bury(error, first + done - 1, b, failed, errors, states, constants, parameters, width):
                        break
        return iterations

    i8, numbers = types.int64, types.Array(F8, 3, "C")
    marks, values = types.Array(i8, 1, "C"), types.Array(F8, 1, "C")
    given = types.none if torque else types.FunctionType(compile.TORQUE)
    signature = i8(given, F8, F8, *[i8] * 7, *[numbers] * 4, marks, values)
    name = f"lanes{width}-{step.__name__}-{memory}-{coefficients}" + ("" if torque else "-any")
    return compile._machine_code(blocks, signature, (step, start, load, alive, bury), name)


def _torque_in_lanes(torque, width):
    """The torque of a body, compiled into the loop, with its parameters."""
    read = reader(adapt.PARAMETERS, 0, width)
    return lambda given, parameters, p: (torque, read(parameters, p))


def _torque_by_body(width):
    """The torque of a body, called for one body after the other, and where its parameters are."""
    if width == 1:
        return lambda given, parameters, p: (given, address(parameters, p, 0))

    def torque(t, Q, source):
        function, parameters, p = source
        x, y, z = 0 * Q[0], 0 * Q[0], 0 * Q[0]
        for k in range(width):
            a, b, c = function(t, lanes_of(Q, k), address(parameters, p, k))
            x, y, z = with_lane(x, k, a), with_lane(y, k, b), with_lane(z, k, c)
        return x, y, z

    compile._jitable(torque)
    return lambda given, parameters, p: (torque, (given, parameters, p))


@scalar.kernel
def alive(failed, b, width):
    """Whether any body of a block is still on its way."""
    for k in range(width):
        if failed[b * width + k] < 0:
            return True
    return False


@scalar.kernel
def bury(error, i, b, failed, errors, states, constants, parameters, width):
    """Note the bodies that fail in step i, and let each follow a healthy one of its block from here on.

    They cost nothing then, and cannot fail again by themselves. False if there is no healthy one.
    """
    healthy = -1
    for k in range(width):
        if lane(error, k) == 0:
            healthy = k
    for k in range(width):
        if not lane(error, k) == 0:
            if failed[b * width + k] < 0:
                failed[b * width + k] = i
                errors[b * width + k] = lane(error, k)
            if healthy >= 0:
                follow(states, b, k, healthy)
                if len(constants) == len(states):
                    follow(constants, b, k, healthy)
                if len(parameters) == len(states):
                    follow(parameters, b, k, healthy)
    return healthy >= 0


@scalar.kernel
def follow(numbers, b, k, healthy):
    """Give body k of a block the numbers of another."""
    for i in range(numbers.shape[1]):
        numbers[b, i, k] = numbers[b, i, healthy]
