"""The loop that watches (``kernels.watching``) as machine code; watched functions come by their addresses."""

from numba import types

from polhode.kernels import watching
from polhode.machine import compile
from polhode.machine.by_type import F8
from polhode.machine.compile import M9, NUMBERS, PAR, TORQUE, V3
from polhode.machine.kept_code import machine_code
from polhode.machine.pointers import pointer, put, taken

EVENT = F8(F8, M9, V3, PAR)
ADDRESSES = types.Array(types.int64, 1, "C")
LOOK = types.void(types.int64, NUMBERS, F8, NUMBERS, NUMBERS, NUMBERS)


def event(function):
    """Machine code of a watched function (t, Q, Omega, axes) -> number."""
    return machine_code(compile.itself, EVENT, function.__name__, functions=(function,))


def look():
    """Machine code that evaluates a watched function once: look(address, axes, t, Q, Omega, out)."""

    def make(itself):
        at, nine, three, place_of = pointer(EVENT), taken(9, 0), taken(3, 0), compile.place_of

        def look_at_event(address, axes, t, Q, Omega, out):
            out[0] = at(address)(t, nine(Q), three(Omega), place_of(axes))

        return look_at_event

    return machine_code(make, LOOK, "look-at-event", kernels=(compile.itself,))


def loop(step, start, memory, coefficients, kind=TORQUE):
    """Machine code of the loop for one method; compiled only when a run has events."""

    def make(step, start):
        advance, event_at, place_of = watching.advance_watched, pointer(EVENT), compile.place_of
        body_of, state_of = compile.body_of(coefficients, kind), compile.state_of(memory)

        def value(k, t, Q, Omega, about):
            addresses, axes = about
            return event_at(addresses[k])(t, Q, Omega, place_of(axes))

        def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row, addresses, axes, values):
            done, row, left, iterations, error, last, stop = advance(
                *((step, start), body_of(constants, torque, par), (h, t0, first, n)),
                *(state_of(state), out, (row, every, left), ((value, (addresses, axes)), values)),
            )
            put(state, last)
            return done, row, left, iterations, error, stop

        return steps

    name = f"watching-{step.__name__}-{memory}-{coefficients}-{compile.label(kind)}"
    return machine_code(make, WATCHING, name, kernels=(step, start))


WATCHING = types.Tuple((*compile.LOOP.return_type, types.boolean))(*compile.LOOP.args, ADDRESSES, NUMBERS, NUMBERS)
