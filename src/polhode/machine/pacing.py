"""The loop whose steps have lengths of their own (``kernels.pacing``) as machine code."""

from numba import types

from polhode.kernels import adapting, pacing
from polhode.machine import compile
from polhode.machine.by_type import F8
from polhode.machine.compile import NUMBERS, TORQUE
from polhode.machine.kept_code import machine_code
from polhode.machine.pointers import pointer, put, taken
from polhode.machine.watching import ADDRESSES, EVENT

I8, ROWS = types.int64, types.Array(F8, 2, "C")
PACED = types.Tuple((I8, I8, I8, F8, types.boolean))(
    *(NUMBERS, I8, NUMBERS, F8, I8, NUMBERS, NUMBERS, ROWS, NUMBERS, ROWS, I8, ADDRESSES, NUMBERS, I8, NUMBERS)
)


def reversible(step, start, torque, memory, coefficients, kind=TORQUE, by_function=False, events=False):
    """Machine code of the loop for one symmetric method; `torque` is the kernel that gives the torque at a state.

    Its last arguments are the address of the density, 0 for steps of equal angles; and an array: the parameters of the
    density, or for equal angles the density that counts as one, and behind them h.
    """
    here = adapting.by_function_here if by_function else adapting.by_turning_here
    elsewhere = adapting.by_function if by_function else adapting.by_turning

    def make(step, start, torque_of, here, elsewhere):
        go, inside = adapting.next_reversible, adapting.inside_reversible
        event_at, place_of, one = pointer(EVENT), compile.place_of, taken(1, 0)

        def about_function(address, numbers):
            density = (torque_of, here, elsewhere, (event_at(address), place_of(numbers)))
            return step, start, density, numbers[9]

        def about_turning(address, numbers):
            return step, start, (torque_of, here, elsewhere, one(numbers)), numbers[1]

        about = about_function if by_function else about_turning
        return _loop(go, inside, about, 3, memory, coefficients, kind, events)

    name = f"reversible-{step.__name__}-{elsewhere.__name__}-{memory}-{coefficients}-{compile.label(kind)}-{events}"
    return machine_code(make, PACED, name, kernels=(step, start, torque, here, elsewhere))


def controlled(go, inside, coefficients, kind=TORQUE, events=False):
    """Machine code of the loop with a controller of three numbers, which are its last argument; its clock has four."""

    def make(go, inside):
        numbers_of = taken(3, 0)

        def about(address, numbers):
            return numbers_of(numbers)

        return _loop(go, inside, about, 4, 0, coefficients, kind, events)

    name = f"controlled-{go.__name__}-{coefficients}-{compile.label(kind)}-{events}"
    return machine_code(make, PACED, name, kernels=(go, inside))


def _loop(go, inside, about, clock_numbers, memory, coefficients, kind, events):
    """The loop around go and inside, which set the pace; about(address, numbers) is what they are given.

    State and clock are left in their arrays.
    """
    advance, watch = pacing.advance_paced, pacing.watched if events else pacing.unwatched
    body_of, state_of, clock_of = compile.body_of(coefficients, kind), compile.state_of(memory), taken(clock_numbers, 0)
    event_at, place_of = pointer(EVENT), compile.place_of

    def value(k, t, Q, Omega, seen):
        addresses, axes = seen
        return event_at(addresses[k])(t, Q, Omega, place_of(axes))

    def steps(
        constants, torque, par, t_end, n, state, clock, out, times, samples, at, addresses, axes, address, numbers
    ):
        done, at, iterations, error, last, time, stop = advance(
            *((go, inside, about(address, numbers)), (watch, (value, (addresses, axes)), len(addresses))),
            *(body_of(constants, torque, par), (t_end, n), state_of(state), clock_of(clock)),
            (out, times, samples, at),
        )
        put(state, last)
        put(clock, time)
        return done, at, iterations, error, stop

    return steps
