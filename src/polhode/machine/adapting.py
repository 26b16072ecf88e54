"""The loop whose steps follow the motion (``kernels.adapting``) as machine code."""

from numba import types

from polhode.kernels import adapting
from polhode.machine import compile
from polhode.machine.compile import NUMBERS, TORQUE
from polhode.machine.overloads import F8
from polhode.machine.pointers import pointer, put, taken
from polhode.machine.watching import EVENT

I8 = types.int64
ADAPTING = types.Tuple((I8, I8, I8, I8, F8, types.boolean))(
    *(NUMBERS, I8, NUMBERS, F8, F8, I8, I8, I8, NUMBERS, NUMBERS, types.Array(F8, 2, "C"), I8, I8, NUMBERS)
)


def loop(step, torque, memory, coefficients, kind=TORQUE, by_function=False):
    """Machine code of the loop for one method; `torque` is the kernel that says it at a state.

    Behind the arguments of ``compile.loop``, without first step and times, come the address of the density with its
    parameters, or, of steps by equal angles, 0 with the value that is one. State and clock are left in their arrays.
    """

    def make(step, torque_of, here, elsewhere):
        advance, event_at, place_of = adapting.advance_adapting, pointer(EVENT), compile.place_of
        body_of, state_of = compile.body_of(coefficients, kind), compile.state_of(memory)
        clock_of, one = taken(3, 0), taken(1, 0)

        def about_function(address, par):
            return event_at(address), place_of(par)

        def about_turning(address, par):
            return one(par)

        about = about_function if by_function else about_turning

        def steps(constants, torque, par, eps, t_end, n, every, left, state, clock, out, row, address, density_par):
            done, row, left, iterations, error, last, time, arrived = advance(
                *(step, (torque_of, here, elsewhere, about(address, density_par))),
                *(
                    body_of(constants, torque, par),
                    eps,
                    t_end,
                    n,
                    every,
                    left,
                    state_of(state),
                    clock_of(clock),
                    out,
                    row,
                ),
            )
            put(state, last)
            put(clock, time)
            return done, row, left, iterations, error, arrived

        return steps

    here = adapting.by_function_here if by_function else adapting.by_turning_here
    elsewhere = adapting.by_function if by_function else adapting.by_turning
    name = f"adapting-{step.__name__}-{elsewhere.__name__}-{memory}-{coefficients}-{compile.label(kind)}"
    return compile.machine_code(make, ADAPTING, name, kernels=(step, torque, here, elsewhere))
