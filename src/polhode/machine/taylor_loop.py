"""The loop over Taylor's steps as machine code, which calls the series of a problem by their address."""

import functools

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import signature
from numba.extending import intrinsic, models, register_model

from polhode.integrators.taylor import steps
from polhode.machine.kept_code import machine_code

F8, I8, B1 = types.float64, types.int64, types.boolean
ROW, TABLE = types.Array(F8, 1, "C"), types.Array(F8, 2, "C")
JET = types.void(ROW, F8, I8, ROW, ROW, TABLE)
VALUE = MOVE = types.void(TABLE, I8, F8, ROW)
REACH = F8(TABLE, I8, F8)


@functools.cache
def taylor_loop():
    """Machine code of ``steps.advance``; jet, value, reach and move come as addresses."""

    def make(advance):
        jet_at, value_at, reach_at, move_at = map(at_address, (JET, VALUE, REACH, MOVE))

        # fmt: off
        def loop(
            jet, value, reach, move, data, order, tolerance, hides, h, t0, first, n, every, left,
            place, work, series, looked, out, row, end, moments,
        ):
            # fmt: on
            return advance(
                *(jet_at(jet), value_at(value), reach_at(reach), move_at(move), data, order, tolerance, hides),
                *(h, t0, first, n, every, left, place, work, series, looked, out, row, end, moments),
            )

        return loop

    given = (
        I8,
        I8,
        I8,
        I8,
        ROW,
        I8,
        F8,
        B1,
        F8,
        F8,
        I8,
        I8,
        I8,
        I8,
        ROW,
        ROW,
        TABLE,
        TABLE,
        TABLE,
        I8,
        ROW,
        types.UniTuple(F8, 3),
    )
    return machine_code(make, types.UniTuple(I8, 4)(*given), "taylor", kernels=(steps.advance,))


@functools.cache
def jet_once():
    """Machine code that expands a motion once: expand(address, y, t, order, data, work, series)."""

    def make():
        jet_at = at_address(JET)

        def expand(jet, y, t, order, data, work, series):
            jet_at(jet)(y, t, order, data, work, series)

        return expand

    return machine_code(make, types.void(I8, *JET.args), "taylor-once")


class OfNumbers(types.Callable):
    """The address of a function that takes numbers, and arrays as where their numbers are."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__(name=f"address of {kind}")

    def get_call_type(self, context, args, kws):
        wanted = self.kind.args
        if kws or len(args) != len(wanted) or any(context.can_convert(x, y) is None for x, y in zip(args, wanted)):
            raise TypingError(f"An {self} cannot be called with {args}.")
        return signature(self.kind.return_type, *wanted, recvr=self)

    def get_call_signatures(self):
        return [self.kind], False

    def get_impl_key(self, sig):
        return type(self)


@register_model(OfNumbers)
class _OfNumbersModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@lower_builtin(OfNumbers, OfNumbers, types.VarArg(types.Any))
def _call(context, builder, sig, args):
    numbers = [
        context.make_array(kind)(context, builder, x).data if isinstance(kind, types.Array) else x
        for kind, x in zip(sig.args[1:], args[1:])
    ]
    nothing = sig.return_type == types.void
    result = ir.VoidType() if nothing else context.get_value_type(sig.return_type)
    kind = ir.FunctionType(result, [x.type for x in numbers])
    found = builder.call(builder.bitcast(args[0], kind.as_pointer()), numbers)
    return context.get_dummy_value() if nothing else found


@functools.cache
def at_address(kind):
    """at(address): the function of this type at an address."""
    result = OfNumbers(kind)

    @intrinsic
    def at(typing_context, address):
        return result(address), lambda context, builder, sig, args: builder.inttoptr(
            args[0], context.get_value_type(result)
        )

    return at
