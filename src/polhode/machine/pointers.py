"""Functions by their address, numbers by theirs: how machine code is given a torque and a state.

Numba has functions as arguments, too, but looks their address up through Python in every call of a loop (40 us), and
carries that lookup along in the code of every function that calls one.
"""

import functools

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import signature
from numba.extending import intrinsic, models, register_model

F8 = types.float64
I64 = ir.IntType(64)


class Pointer(types.Callable):
    """The address of a function of a declared type, which can be called."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__(name=f"{type(self).__name__} to {kind}")

    def get_call_type(self, context, args, kws):
        wanted = self.kind.args
        if kws or len(args) != len(wanted) or any(context.can_convert(x, y) is None for x, y in zip(args, wanted)):
            raise TypingError(f"A {self} cannot be called with {args}.")
        return signature(self.kind.return_type, *wanted, recvr=self)

    def get_call_signatures(self):
        return [self.kind], False

    def get_impl_key(self, sig):
        return type(self)


class OfNumbers(Pointer):
    """The address of a function that takes numbers, and of an array the place of its first number."""


@register_model(Pointer)
@register_model(OfNumbers)
class _PointerModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@lower_builtin(Pointer, Pointer, types.VarArg(types.Any))
def _call(context, builder, signature, args):
    result, (_, *kinds) = signature.return_type, signature.args
    function = builder.bitcast(args[0], context.call_conv.get_function_type(result, kinds).as_pointer())
    status, value = context.call_conv.call_function(builder, function, result, kinds, args[1:])
    with builder.if_then(status.is_error, likely=False):
        context.call_conv.return_status_propagate(builder, status)
    return value


@lower_builtin(OfNumbers, OfNumbers, types.VarArg(types.Any))
def _call_with_numbers(context, builder, signature, args):
    numbers = [
        context.make_array(kind)(context, builder, x).data if isinstance(kind, types.Array) else x
        for kind, x in zip(signature.args[1:], args[1:])
    ]
    nothing = signature.return_type == types.void
    result = ir.VoidType() if nothing else context.get_value_type(signature.return_type)
    kind = ir.FunctionType(result, [x.type for x in numbers])
    value = builder.call(builder.bitcast(args[0], kind.as_pointer()), numbers)
    return context.get_dummy_value() if nothing else value


@functools.cache
def pointer(kind, of=Pointer):
    """at(address): the function of this type at an address, called as `of` says."""
    result = of(kind)

    @intrinsic
    def at(typing_context, address):
        return result(address), lambda context, builder, signature, args: builder.inttoptr(
            args[0], context.get_value_type(result)
        )

    return at


def address_of(dispatcher):
    """Where the machine code of a function compiled for one signature begins; to be asked as soon as it is made.

    It is looked up by name, and of several functions with one name, from the disk, the last is found.
    """
    (compiled,) = dispatcher.overloads.values()
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def entry_of(dispatcher):
    """The same function without the look at the types of its arguments, which must be those it was compiled for."""
    (compiled,) = dispatcher.overloads.values()
    return compiled.entry_point


@functools.cache
def taken(count, at):
    """take(array): `count` numbers of a one-dimensional array from place `at`, as a tuple."""
    result = types.UniTuple(F8, count) if count else types.Tuple(())

    @intrinsic
    def take(typing_context, array):
        def build(context, builder, signature, args):
            data = context.make_array(array)(context, builder, args[0]).data
            parts = [builder.load(builder.gep(data, [ir.Constant(I64, at + i)])) for i in range(count)]
            return context.make_tuple(builder, result, parts)

        return result(array), build

    return take


@intrinsic
def put(typing_context, array, values):
    """Write the numbers of nested tuples into an array, one after the other."""

    def build(context, builder, signature, args):
        data = context.make_array(array)(context, builder, args[0]).data
        for i, (value, _) in enumerate(leaves(builder, args[1], values)):
            builder.store(value, builder.gep(data, [ir.Constant(I64, i)]))
        return context.get_dummy_value()

    return types.void(array, values), build


def leaves(builder, value, kind):
    """The parts of nested tuples, one after the other, each with its type."""
    if not isinstance(kind, types.BaseTuple):
        yield value, kind
        return
    for i, part in enumerate(kind):
        yield from leaves(builder, builder.extract_value(value, i), part)
