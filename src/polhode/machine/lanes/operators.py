"""Lanes as a type of Numba's: a vector of doubles, its operators, and the choice between two values in each lane."""

import math
import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.registry import cpu_target
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

from polhode.machine.by_type import F8

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
    """A vector. In memory it is packed: the heap aligns arrays to 32 bytes at most, which is too little for vectors."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.llvm)
        self.packed = ir.LiteralStructType([kind.llvm], packed=True)

    def get_data_type(self):
        return self.packed

    def as_data(self, builder, value):
        return builder.insert_value(ir.Constant(self.packed, ir.Undefined), value, 0)

    def from_data(self, builder, value):
        return builder.extract_value(value, 0)


def wide(context, builder, value, kind, wanted):
    """A value as lanes or mask: one number, or one condition, goes to all lanes."""
    if kind == wanted:
        return value
    value = context.cast(builder, value, kind, F8) if isinstance(wanted, Lanes) else value
    one = builder.insert_element(ir.Constant(wanted.llvm, ir.Undefined), value, ir.Constant(I32, 0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(I32, wanted.width), [0] * wanted.width))


@lower_cast(types.Float, Lanes)
@lower_cast(types.Integer, Lanes)
@lower_cast(types.Boolean, Mask)
def _cast(context, builder, source, wanted, value):
    return wide(context, builder, value, source, wanted)


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
            return build(builder, *(wide(context, builder, x, kind, wanted) for x, kind in zip(args, signature.args)))

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


def llvm(name):
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
_unary(abs, Lanes, llvm("fabs"))
_unary(math.fabs, Lanes, llvm("fabs"))
_unary(math.sqrt, Lanes, llvm("sqrt"))


@infer_global(operator.mul)
class _Switched(AbstractTemplate):
    """A number times a condition: the number where it holds, else zero."""

    def generic(self, args, kws):
        mask = next((x for x in args if isinstance(x, Mask)), None)
        if mask and all(isinstance(x, (Mask, Lanes, *NUMBER)) for x in args):
            return signature(Lanes(mask.width), *args)
        return None


def _switched(context, builder, signature, args):
    lanes = signature.return_type
    factors = [
        builder.uitofp(x, lanes.llvm) if isinstance(kind, Mask) else wide(context, builder, x, kind, lanes)
        for x, kind in zip(args, signature.args)
    ]
    return builder.fmul(*factors)


for _other in (Lanes, *NUMBER):
    lower_builtin(operator.mul, Mask, _other)(_switched)
    lower_builtin(operator.mul, _other, Mask)(_switched)


@infer_global(operator.pow)
class _Power(AbstractTemplate):
    """x ** 3 and the like: the products that Numba makes of them for a double."""

    def generic(self, args, kws):
        x, n = args
        if isinstance(x, Lanes) and isinstance(n, types.IntegerLiteral) and 0 < n.literal_value <= 64:
            return signature(x, x, n)
        return None


@infer_global(operator.pow)
class _AnyPower(AbstractTemplate):
    """x ** 2.5 and the like, lane by lane."""

    def generic(self, args, kws):
        mine = [x for x in args if isinstance(x, Lanes)]
        return signature(mine[0], *args) if mine and all(isinstance(x, (Lanes, types.Float)) for x in args) else None


@lower_builtin(operator.pow, Lanes, types.IntegerLiteral)
def _power(context, builder, signature, args):
    n, square, result = signature.args[1].literal_value, args[0], None
    while n:
        if n & 1:
            result = square if result is None else builder.fmul(result, square)
        n >>= 1
        square = builder.fmul(square, square)
    return result


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
    width = next(x.width for x in (mask, *parts(a), *parts(b)) if isinstance(x, (Lanes, Mask)))
    lanes = Lanes(width)

    def build(context, builder, signature, args):
        bits = wide(context, builder, args[0], mask, Mask(width))

        def choose(a, b, kind_a, kind_b):
            if isinstance(kind_a, types.BaseTuple):
                parts = [
                    choose(builder.extract_value(a, i), builder.extract_value(b, i), x, y)
                    for i, (x, y) in enumerate(zip(kind_a, kind_b))
                ]
                return context.make_tuple(builder, mapped(kind_a, lambda x: lanes), parts)
            return builder.select(
                bits, wide(context, builder, a, kind_a, lanes), wide(context, builder, b, kind_b, lanes)
            )

        return choose(args[1], args[2], a, b)

    return mapped(a, lambda x: lanes)(mask, a, b), build


@intrinsic
def none_of(typing_context, x):
    """The condition that holds in no lane."""
    mask = Mask(x.width)
    return mask(x), lambda context, builder, signature, args: ir.Constant(mask.llvm, None)


def parts(kind):
    """The types in nested tuples, one after the other."""
    if not isinstance(kind, types.BaseTuple):
        return [kind]
    return [part for x in kind for part in parts(x)]


def mapped(kind, change):
    """The same nested tuples with other parts."""
    if not isinstance(kind, types.BaseTuple):
        return change(kind)
    return types.Tuple([mapped(x, change) for x in kind])
