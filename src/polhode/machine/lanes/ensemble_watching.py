"""The loop over blocks of bodies that looks out for events, and the close look at steps in which one may be.

The loop (``ensemble_loop.py``) takes all bodies of a block ahead in lanes and writes down every step in which a watched
function of a body may change sign: the body, the step, and its states before and after. What happened in those steps is
found afterwards, for all of them at once (``runs/between_steps/crossings.py``), by `inside`.
"""

import functools
import math

from numba import types

from polhode.inputs import functions
from polhode.kernels import watching
from polhode.kernels.rotations import matrix
from polhode.kernels.vectors import mul
from polhode.machine import compile
from polhode.machine.by_type import F8
from polhode.machine.compile import NUMBERS, TORQUE
from polhode.machine.kept_code import machine_code
from polhode.machine.lanes import WIDTH
from polhode.machine.lanes.block_memory import address, number_of, viewer
from polhode.machine.lanes.ensemble_loop import GIVEN, blocks_of
from polhode.machine.lanes.lane_by_lane import numbers_of, with_lane
from polhode.machine.pointers import pointer, taken
from polhode.machine.watching import EVENT

NOTE = 19
"""Numbers of a note: body, step, function, its values before and after, (q, Pi) before and after."""

I8, TABLE, CUBE = types.int64, types.Array(F8, 2, "C"), types.Array(F8, 3, "C")
ADDRESSES = types.Array(I8, 1, "C")
WATCHING = I8(*GIVEN, types.Tuple((I8, ADDRESSES, CUBE, CUBE, ADDRESSES, TABLE, ADDRESSES)))
INSIDE = types.void(I8, TABLE, TABLE, TABLE, F8, ADDRESSES, ADDRESSES, NUMBERS, NUMBERS, TABLE, NUMBERS, TABLE)


def loop(step, start, memory, coefficients, torque, width=WIDTH, kind=TORQUE, parameters=functions.PARAMETERS):
    """As ``ensemble_loop.loop``; at the end come how many bodies there are, the addresses of the functions, the axes of
    bodies, the values (functions, 1, bodies), which bodies have failed, a table of notes and their number."""
    name = f"watching-blocks{width}-{step.__name__}-{memory}-{coefficients}" + (
        f"-{parameters}{'-velocity' * compile.takes_velocity(kind)}" if torque else f"-{compile.label(kind)}"
    )
    make = functools.partial(blocks_of, memory, coefficients, width, kind, parameters, _watchfully(width))
    return machine_code(make, WATCHING, name, (step, start), (torque,) if torque else ())


@functools.cache
def _watchfully(width):
    """Steps that watch: see ``kernels.watching.advance_all_watched``."""
    advance, view, value, note = watching.advance_all_watched, viewer(width), _valued(width), _noted(width)

    def watchfully(method, body, span, state, out, rows, block, more):
        bodies, addresses, axes, values, failed, notes, count = more
        about = (addresses, axes, min(block, len(axes) - 1), block, bodies, failed, notes, count)
        look = (value, note, about)
        return advance(method, body, span, state, out, rows, (look, view(values, block)))

    return watchfully


def _valued(width):
    """value(k, t, Q, Omega, about): function k, of one body after the other."""
    event_at = pointer(EVENT)

    def value_of_one(k, t, Q, Omega, about):
        addresses, axes, p = about[0], about[1], about[2]
        return event_at(addresses[k])(t, Q, Omega, address(axes, p, 0))

    def value(k, t, Q, Omega, about):
        addresses, axes, p = about[0], about[1], about[2]
        values = 0 * Q[0]
        for lane in range(width):
            one = event_at(addresses[k])(t, numbers_of(Q, lane), numbers_of(Omega, lane), address(axes, p, lane))
            values = with_lane(values, lane, one)
        return values

    return value_of_one if width == 1 else value


def _noted(width):
    """note(k, i, doubt, before, after, states, about): write down step i of the bodies that are in doubt."""

    def note(k, i, doubt, before, after, states, about):
        block, bodies, failed, notes, count = about[3], about[4], about[5], about[6], about[7]
        for lane in range(width):
            body = block * width + lane
            if number_of(doubt, lane) < 0 or body >= bodies or failed[body] >= 0:
                continue
            m = count[0]
            notes[m, 0], notes[m, 1], notes[m, 2] = body, i, k
            notes[m, 3], notes[m, 4] = number_of(before, lane), number_of(after, lane)
            q, Pi, q1, Pi1 = numbers_of(states, lane)
            for j in range(4):
                notes[m, 5 + j] = q[j]
                notes[m, 12 + j] = q1[j]
            for j in range(3):
                notes[m, 9 + j] = Pi[j]
                notes[m, 16 + j] = Pi1[j]
            count[0] = m + 1

    return note


def inside(step, start, coefficients, kind=TORQUE):
    """Machine code: look(torque, constants, parameters, axes, h, body, function, t, theta, rows, values, found).

    For each row, the state of a body at time t: (q, Pi) after a step of theta h from there, and the value of the
    function at that address; for theta = 0, at the row itself. A step that fails leaves NaN.
    """

    def make(step, start, matrix, mul):
        body_of, q_of, Pi_of = compile.body_of(coefficients, kind), taken(4, 0), taken(3, 4)
        event_at, place_of = pointer(EVENT), compile.place_of

        def look(torque, constants, parameters, axes, h, body, function, t, theta, rows, values, states):
            for j in range(len(rows)):
                i = body[j]
                one = body_of(constants[min(i, len(constants) - 1)], torque, parameters[min(i, len(parameters) - 1)])
                q, Pi = q_of(rows[j]), Pi_of(rows[j])
                if theta[j] > 0:
                    length = theta[j] * h
                    after, report = step(length, t[j], start(length, t[j], q, Pi, one), one)
                    q, Pi = after[0], after[1]
                    if report[1] != 0:
                        q = (math.nan, math.nan, math.nan, math.nan)
                for k in range(4):
                    states[j, k] = q[k]
                for k in range(3):
                    states[j, 4 + k] = Pi[k]
                about = place_of(axes[min(i, len(axes) - 1)])
                values[j] = event_at(function[j])(t[j] + theta[j] * h, matrix(q), mul(one[1], Pi), about)

        return look

    name = f"inside-{step.__name__}-{coefficients}-{compile.label(kind)}"
    return machine_code(make, INSIDE, name, kernels=(step, start, matrix, mul))
