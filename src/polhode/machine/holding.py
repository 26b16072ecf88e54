"""The loop under a controller (``kernels.holding``) as machine code; the law comes by its address."""

import functools

from numba import types
from numba.extending import register_jitable

from polhode.inputs import functions, laws
from polhode.kernels import holding
from polhode.kernels.loop import sum_of
from polhode.machine import compile
from polhode.machine.by_type import F8, INSIDE, by_type
from polhode.machine.compile import M9, NUMBERS, PAR, TORQUE, V3
from polhode.machine.kept_code import machine_code
from polhode.machine.pointers import pointer, put, taken

I8 = types.int64


@functools.cache
def law_type(n):
    """The type of a law that says n numbers."""
    return types.UniTuple(F8, n)(F8, M9, V3, PAR)


def law(function, n):
    """Machine code of a law (t, Q, Omega, parameters) -> n numbers."""
    return machine_code(compile.itself, law_type(n), f"{function.__name__}-{n}", functions=(function,))


def ask(n):
    """Machine code that asks a law once: ask(address, par, t, Q and Omega, out)."""

    def make(itself):
        at, nine, three, place_of = pointer(law_type(n)), taken(9, 0), taken(3, 9), compile.place_of

        def ask_law(address, par, t, state, out):
            put(out, at(address)(t, nine(state), three(state), place_of(par)))

        return ask_law

    return machine_code(make, compile.PROBE, f"ask-law-{n}", kernels=(compile.itself,))


def loop(step, start, look, n, memory, coefficients, kind=TORQUE):
    """Machine code of the loop for one method and one way to look (of ``kernels.holding``) at a law of n numbers."""

    def make(step, start, look):
        advance, law_at, finite_sum = holding.advance_held, pointer(law_type(n)), sum_of
        body_of, state_of = compile.body_of(coefficients, kind), compile.state_of(memory)

        def part(h, t, state, body):
            after, report = step(h, t, start(h, t, state[0], state[1], body), body)
            total = finite_sum(after[0], after[1], after[2])
            return after[0], after[1], abs(report[1]) + (total - total)

        def steps(
            constants, torque, par, h, t0, first, n, every, left, state, out, row, law, about, sizes, clock, table
        ):
            done, row, left, iterations, error, last, at, looked, how = advance(
                *((step, start), body_of(constants, torque, par), (h, t0, first, n)),
                *(state_of(state), out, (row, every, left)),
                (look, (part, law_at(law), about, sizes), clock, table),
            )
            put(state, last)
            return done, row, left, iterations, error, at, looked, how

        return steps

    name = f"held-{step.__name__}-{look.__name__}-{n}-{memory}-{coefficients}-{compile.label(kind)}"
    return machine_code(make, HELD, name, kernels=(step, start, look))


HELD = types.Tuple((*compile.LOOP.return_type, I8, I8, I8))(
    *compile.LOOP.args, I8, NUMBERS, types.UniTuple(I8, 2), types.UniTuple(I8, 4), NUMBERS
)


# ---- what users' laws return ----------------------------------------------------------------------------


@by_type(laws.several, jit_options=INSIDE)
def _several(value, like):
    wanted = len(like)
    entries = _entries(wanted)
    if isinstance(value, types.BaseTuple):
        return (lambda value, like: entries(value)) if len(value) == wanted else None

    def of_any_length(value, like):
        if len(value) != wanted:
            raise ValueError("A law says as many numbers as it must.")
        return entries(value)

    return of_any_length


@functools.cache
def _entries(n):
    """entries(value): the first n numbers of a sequence, as a tuple."""
    number, last = functions.plain, n - 1
    if n == 1:
        return register_jitable(lambda value: (number(value[0]),))
    before = _entries(n - 1)
    return register_jitable(lambda value: before(value) + (number(value[last]),))


@by_type(laws.one)
def _one(value):
    number = functions.plain
    return lambda value: (number(value),)
