"""Calls of a function of C from machine code, by its address, with the numbers on the stack."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

F8 = types.float64
DOUBLE, BYTES, I64 = ir.DoubleType(), ir.IntType(8).as_pointer(), ir.IntType(64)
PLACE = DOUBLE.as_pointer()
TORQUE = ir.FunctionType(ir.VoidType(), [DOUBLE, PLACE, PLACE, PLACE, BYTES])
"""void (double t, const double Q[9], const double Omega[3], double out[3], void *data)"""


def called_in_c(address: int, data: int) -> Callable[..., Any]:
    """call(t, Q, Omega, par): the three numbers that the function at an address makes, with data at another."""

    @intrinsic
    def call(typing_context: Any, t: Any, Q: Any, Omega: Any, par: Any) -> Any:
        if {*Q, *Omega} != {F8}:
            raise TypingError("Cannot call a function of C with anything but doubles.")

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            places = [
                _stored(builder, [builder.extract_value(x, i) for i in range(n)])
                for x, n in ((arguments[1], 9), (arguments[2], 3))
            ]
            out = _stored(builder, [ir.Constant(DOUBLE, float("nan"))] * 3)
            at = context.add_dynamic_addr(builder, address, info="a function of C")  # not to be kept on disk
            function = builder.bitcast(at, TORQUE.as_pointer())
            time = context.cast(builder, arguments[0], signature.args[0], F8)
            more = builder.inttoptr(ir.Constant(I64, data), BYTES)
            builder.call(function, [time, *places, out, more])
            parts = [builder.load(builder.gep(out, [ir.Constant(I64, k)])) for k in range(3)]
            return context.make_tuple(builder, signature.return_type, parts)

        return types.UniTuple(F8, 3)(t, Q, Omega, par), build

    return call


def _stored(builder: Any, values: list[Any]) -> Any:
    """Where numbers are on the stack."""
    place = cgutils.alloca_once(builder, DOUBLE, size=len(values))
    for k, value in enumerate(values):
        builder.store(value, builder.gep(place, [ir.Constant(I64, k)]))
    return place
