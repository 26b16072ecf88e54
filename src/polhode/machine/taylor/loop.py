"""The loop over Taylor's steps as machine code, which calls the series of a problem by their address."""

import functools

from numba import types

from polhode.integrators.taylor import steps
from polhode.machine.kept_code import machine_code
from polhode.machine.pointers import OfNumbers, pointer

F8, I8, B1 = types.float64, types.int64, types.boolean
ROW, TABLE = types.Array(F8, 1, "C"), types.Array(F8, 2, "C")
JET = types.void(ROW, F8, I8, ROW, ROW, TABLE)
VALUE = MOVE = types.void(TABLE, I8, F8, ROW)
REACH = F8(TABLE, I8, F8)


@functools.cache
def taylor_loop():
    """Machine code of ``steps.advance``; jet, value, reach and move come as addresses."""

    def make(advance):
        jet_at, value_at, reach_at, move_at = (pointer(kind, OfNumbers) for kind in (JET, VALUE, REACH, MOVE))

        # fmt: off
        def loop(
            jet, value, reach, move, data, order, tolerance, hides, h, t0, first, n, every, left,
            place, work, series, looked, out, row, end, moments,
        ):
            # fmt: on
            return advance(
                (jet_at(jet), value_at(value), reach_at(reach), move_at(move), data, moments),
                *((order, tolerance, hides), (h, t0, first, n), place, (work, series, looked, end)),
                *(out, (row, every, left)),
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
        jet_at = pointer(JET, OfNumbers)

        def expand(jet, y, t, order, data, work, series):
            jet_at(jet)(y, t, order, data, work, series)

        return expand

    return machine_code(make, types.void(I8, *JET.args), "taylor-once")
