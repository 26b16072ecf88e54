"""Calls of machine code that are made again with the same arguments, which are read from memory.

To take apart two dozen arguments, arrays among them, takes longer than a microsecond, as long as a short run. So they
are laid down once, word by word, and machine code is called with the one address where they begin. Of an array that is
its place: the numbers in it are those of the moment of the call.
"""

import functools
import hashlib
import itertools

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from polhode.machine.kept_code import machine_code
from polhode.machine.pointers import F8, I64, entry_of, pointer

WORD = 8  # bytes


def held_call(dispatcher, arguments, state):
    """call(): the function with these arguments, which must be of the types that it was compiled for.

    `state` is one of them, an array that each call finds as it is now. The address is the one from when the function
    was made or loaded: code that comes from the disk may have the name of other code, and cannot be looked up by it.
    """
    kind, words = _laid_down(dispatcher, arguments)
    begin = state.copy()
    places = (dispatcher.address, _place(words), _place(state), _place(begin), len(state))
    call = functools.partial(entry_of(_caller(kind)), *places)
    call.holds = dispatcher, arguments, words, state, begin  # as long as their addresses are used
    return call


def held_but_for_two(dispatcher, arguments, at):
    """call(i, k): the function with these arguments, but for two whole numbers from place `at` on, which are i and k.

    Nothing is brought back to where it was: arrays are found as they are.
    """
    kind, words = _laid_down(dispatcher, arguments)
    first = sum(len(_words(x, of)) for x, of in zip(arguments[:at], kind.args))
    numbers, second = memoryview(words), first + 1
    held = functools.partial(entry_of(_caller(kind)), dispatcher.address, _place(words), 0, 0, 0)

    def call(i, k):
        numbers[first], numbers[second] = i, k
        return held()

    held.holds = dispatcher, arguments, words
    return call


def _laid_down(dispatcher, arguments):
    """The type of a function, and its arguments word by word."""
    (compiled,) = dispatcher.overloads.values()
    kind = compiled.signature
    words = [w for x, of in zip(arguments, kind.args, strict=True) for w in _words(x, of)]
    return kind, np.array(words, dtype=np.int64)


def _words(value, kind):
    """An argument in memory: a number as it is, a tuple one by one, an array as its place and its shape."""
    if isinstance(kind, types.Array):
        return (_place(value), *value.shape)
    if isinstance(kind, types.BaseTuple):
        return [w for x, of in zip(value, kind, strict=True) for w in _words(x, of)]
    return (int(np.float64(value).view(np.int64)) if kind == F8 else int(value),)


def _place(array):
    return array.__array_interface__["data"][0]


@functools.cache
def _caller(kind):
    """Machine code that calls a function of a type, by its address, with the arguments that lie at another."""

    def make():
        function_at, read = pointer(kind), _reader(kind.args)

        def call(function, place, state, begin, count):
            now, then = numbers_at(state), numbers_at(begin)
            for k in range(count):
                now[k] = then[k]
            return function_at(function)(*read(place))

        return call

    name = f"held-{hashlib.sha256(str(kind).encode()).hexdigest()[:16]}"
    return machine_code(make, kind.return_type(*[types.int64] * 5), name)


@intrinsic
def numbers_at(typing_context, address):
    """The numbers at an address."""
    kind = types.CPointer(F8)
    return kind(address), lambda context, builder, signature, args: builder.inttoptr(
        args[0], context.get_value_type(kind)
    )


def _reader(kinds):
    """read(place): values of these types, as `_words` has laid them down."""
    result = types.Tuple(kinds)

    @intrinsic
    def read(typing_context, place):
        def build(context, builder, signature, args):
            words = _loaded(builder, args[0])
            return context.make_tuple(builder, result, [_value(context, builder, words, x) for x in kinds])

        return result(place), build

    return read


def _loaded(builder, place):
    """The words at an address, one after the other."""
    first = builder.inttoptr(place, I64.as_pointer())
    for at in itertools.count():
        yield builder.load(builder.gep(first, [ir.Constant(I64, at)]))


def _value(context, builder, words, kind):
    """A value of a type from the next words."""
    if isinstance(kind, types.Array):
        return _array(context, builder, words, kind)
    if isinstance(kind, types.BaseTuple):
        return context.make_tuple(builder, kind, [_value(context, builder, words, x) for x in kind])
    word = next(words)
    if kind == F8:
        return builder.bitcast(word, ir.DoubleType())
    return context.cast(builder, word, types.int64, kind)


def _array(context, builder, words, kind):
    """An array of numbers side by side; whoever made the call holds its memory."""
    size = ir.Constant(I64, WORD)
    data, *shape = (next(words) for _ in range(1 + kind.ndim))
    strides = [size]
    for n in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], n))
    array = context.make_array(kind)(context, builder)
    place = builder.inttoptr(data, context.get_data_type(kind.dtype).as_pointer())
    context.populate_array(array, data=place, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()
