"""The loop over blocks of bodies, as machine code.

A block is `width` bodies in lanes, or one body on plain doubles (width 1). The numbers of the bodies of a block lie
side by side in memory: arrays are (blocks, numbers, width). Each block is taken through its steps by itself; a body
that fails is noted, and the others of its block go on.
"""

import functools

from numba import types
from numba.extending import intrinsic

from polhode.inputs import functions
from polhode.kernels import loop as loops
from polhode.kernels import scalar
from polhode.kernels.fingerprint import is_static
from polhode.machine import compile
from polhode.machine.by_type import F8
from polhode.machine.frozen import inner, options_of
from polhode.machine.kept_code import machine_code
from polhode.machine.lanes import HALF as HALF  # how wide blocks are, for those who make them
from polhode.machine.lanes import WIDTH, Lanes
from polhode.machine.lanes.block_memory import address, number_of, reader, viewer, writer
from polhode.machine.lanes.half_blocks import joined, lower, upper
from polhode.machine.lanes.lane_by_lane import numbers_of, with_lane
from polhode.machine.pointers import pointer


def loop(
    step,
    start,
    memory,
    coefficients,
    torque=None,
    width=WIDTH,
    kind=compile.TORQUE,
    parameters=functions.PARAMETERS,
):
    """Machine code that advances blocks of bodies; `memory` and `coefficients` are how many numbers a method carries.

    With a `torque`, a kernel, it is compiled into the loop: one loop for each method and torque. A torque by
    address would cost a third of the speed, as all vectors must leave their registers for it. Without one, the loop
    is given the torque's address, a function of the type `kind`, and calls it for each body: one loop for each method.
    `parameters` is how many the torque has.
    """
    name = f"blocks{width}-{step.__name__}-{memory}-{coefficients}" + (
        f"-{parameters}{'-velocity' * compile.takes_velocity(kind)}" if torque else f"-{compile.label(kind)}"
    )
    make = functools.partial(blocks_of, memory, coefficients, width, kind, parameters, plainly)
    return machine_code(make, SIGNATURE, name, (step, start), (torque,) if torque else ())


I8, ARRAYS = types.int64, types.Array(F8, 3, "C")
GIVEN = (I8, F8, F8, *[I8] * 8, *[ARRAYS] * 4, types.Array(I8, 1, "C"), types.Array(F8, 1, "C"))
SIGNATURE = I8(*GIVEN, types.Tuple(()))


def blocks_of(memory, coefficients, width, kind, count, advance, step, start, torque=None):
    """The loop, to be compiled, around advance(method, body, span, state, out, rows, block, more), say `plainly`."""
    everybody, write, view = scalar.everybody, writer(width), viewer(width)
    load = _loader(coefficients, torque, width, kind, count)
    resume, read_start = _resumer(memory, width), reader(7, 0, width)
    by_rows = torque is None and width > 1

    def blocks(
        given,
        h,
        t0,
        first,
        n,
        every,
        left,
        row,
        bodies,
        begin,
        end,
        constants,
        parameters,
        states,
        out,
        failed,
        errors,
        more,
    ):
        iterations = 0
        for b in range(begin, end):
            if not alive(failed, b, width):
                continue
            if first == 0:
                s = read_start(states, b)
                write(states, b, start(h, t0, s[:4], s[4:], load(given, constants, parameters, b)))
            done, r, l = 0, row, left
            while done < n:
                body, state = load(given, constants, parameters, b), resume(states, b)
                took, r, l, its, error, state = advance(
                    *((step, start), body, (h, t0, first + done, n - done), state, view(out, b), (r, every, l)),
                    *(b, more),
                )
                write(states, b, state)
                iterations += its * min(width, bodies - b * width)
                done += took
                if not everybody(error == 0):
                    healthy = survivor(error, width)
                    note(error, first + done - 1, b, failed, errors, width)
                    if healthy < 0:
                        break
                    follow(error, healthy, b, states, False, width)
                    if len(constants) == len(states):
                        follow(error, healthy, b, constants, False, width)
                    if len(parameters) == len(states):
                        follow(error, healthy, b, parameters, by_rows, width)
        return iterations

    return blocks


def plainly(method, body, span, state, out, rows, block, more):
    """Steps, and nothing else."""
    return loops.advance_all(method[0], body, span, state, out, rows)


def _loader(coefficients, torque, width, kind, count):
    """load(given, constants, parameters, b): the body that a step is given, for block b.

    Constants are J, 1/J and the coefficients of the method; arrays of one block hold for all.
    """
    read_J, read_iJ, read_numbers = reader(3, 0, width), reader(3, 3, width), reader(coefficients, 6, width)
    force = _compiled_in(torque, width, count, kind) if torque else _called(width, kind)

    def load(given, constants, parameters, b):
        c, p = min(b, len(constants) - 1), min(b, len(parameters) - 1)
        return (read_J(constants, c), read_iJ(constants, c), read_numbers(constants, c), force(given, parameters, p))

    return load


def _compiled_in(torque, width, count, kind):
    """The torque as part of the loop, with its parameters in lanes."""
    read = reader(count, 0, width)
    if not is_static(torque):  # a copy, for this loop alone: a kernel would be remembered for ever
        torque = inner(torque, options_of(torque))
        torque = in_halves(torque, kind) if width == WIDTH else torque
    if compile.takes_velocity(kind):
        return lambda given, parameters, p: (torque, read(parameters, p), ())
    return lambda given, parameters, p: (torque, read(parameters, p))


def in_halves(torque, kind):
    """A torque that does a whole block by its lower half, then by its upper one, as kernels do (``half_blocks.py``)."""
    if compile.takes_velocity(kind):

        def moving_halves(t, Q, Omega, par):
            return joined(torque(*lower((t, Q, Omega, par))), torque(*upper((t, Q, Omega, par))))

        of_moving_block = inner(moving_halves)

        def of_moving_block_or_half(t, Q, Omega, par):
            return for_width_of(Q, of_moving_block, torque)(t, Q, Omega, par)

        return inner(of_moving_block_or_half)

    def halves(t, Q, par):
        return joined(torque(*lower((t, Q, par))), torque(*upper((t, Q, par))))

    of_block = inner(halves)

    def of_block_or_half(t, Q, par):
        return for_width_of(Q, of_block, torque)(t, Q, par)

    return inner(of_block_or_half)


@intrinsic
def for_width_of(typing_context, Q, of_block, of_half):
    """The one of two functions that takes attitudes as wide as Q."""
    chosen = of_block if Q.dtype == Lanes(WIDTH) else of_half
    return chosen(Q, of_block, of_half), lambda context, builder, signature, args: context.get_dummy_value()


def _called(width, kind):
    """The torque as machine code of its own, called for one body after the other, and where its parameters are."""
    at = pointer(kind)
    if compile.takes_velocity(kind):
        return _called_moving(width, at)
    if width == 1:
        return lambda given, parameters, p: (at(given), address(parameters, p, 0))

    def torque(t, Q, source):
        function, parameters, p = source
        tau = (0 * Q[0], 0 * Q[0], 0 * Q[0])
        for k in range(width):
            tau = with_lane(tau, k, function(t, numbers_of(Q, k), address(parameters, p, k)))
        return tau

    return lambda given, parameters, p: (torque, (at(given), parameters, p))


def _called_moving(width, at):
    """The same for a torque that takes the velocity."""
    if width == 1:
        return lambda given, parameters, p: (at(given), address(parameters, p, 0), ())

    def torque(t, Q, Omega, source):
        function, parameters, p = source
        tau = (0 * Q[0], 0 * Q[0], 0 * Q[0])
        for k in range(width):
            tau = with_lane(tau, k, function(t, numbers_of(Q, k), numbers_of(Omega, k), address(parameters, p, k)))
        return tau

    return lambda given, parameters, p: (torque, (at(given), parameters, p), ())


def _resumer(memory, width):
    """resume(states, b): the state of block b, as `write` left it."""
    q, Pi, tau, rest = (reader(*x, width) for x in ((4, 0), (3, 4), (3, 7), (memory, 10)))
    return lambda states, b: (q(states, b), Pi(states, b), tau(states, b), rest(states, b))


# ---- bodies that fail --------------------------------------------------------------------------------


def alive(failed, b, width):
    """Whether any body of a block is still on its way."""
    going = 0
    for k in range(width):
        going += failed[b * width + k] < 0
    return going > 0


def survivor(error, width):
    """A body of the block that did not fail, or -1."""
    lane = -1
    for k in range(width):
        if number_of(error, k) == 0:
            lane = k
    return lane


def note(error, i, b, failed, errors, width):
    """Note the bodies that fail in step i, the first time each does."""
    for k in range(width):
        if number_of(error, k) != 0 and failed[b * width + k] < 0:
            failed[b * width + k] = i
            errors[b * width + k] = number_of(error, k)


def follow(error, healthy, b, numbers, by_rows, width):
    """Give the failed bodies of a block the numbers of a healthy one: they cost nothing then, and fail no more."""
    for k in range(width):
        if number_of(error, k) != 0:
            if by_rows:
                for i in range(numbers.shape[2]):
                    numbers[b, k, i] = numbers[b, healthy, i]
            else:
                for i in range(numbers.shape[1]):
                    numbers[b, i, k] = numbers[b, i, healthy]
