"""A short run from its start to its end, made again and again: what its loop is given stays where it is."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.runs.results.users_axes import ROW

MOST_HELD_ROWS = 64
"""Rows that a run may have whose table is held: 4 kB."""

STEPS, NEXT_ROW, LEFT, ITERATIONS = range(4)
"""What a loop returns, first of all: steps done, the row that would come next, steps left to it, iterations."""


def from_start(
    loop: Any,
    head: tuple[Any, ...],
    tail: tuple[Any, ...],
    state: np.ndarray,
    n: int,
    every: int,
    last: Callable[[], Sequence[float] | np.ndarray],
) -> Callable[[], tuple[Any, ...]]:
    """run() -> (rows, what the loop returned) of a loop over n steps that begins in `state` as it is now.

    The loop takes `head`, the table for the rows, and `tail`, and leaves its state in `state`; `last` is the row of
    that, which is kept whatever `every` is. A few rows come as their bytes: an array would take longer to make.
    """
    from polhode.machine import entry_of, held_call

    shape = -(-n // every), ROW
    if shape[0] > MOST_HELD_ROWS:
        entry, begin = entry_of(loop), state.copy()

        def long_run() -> tuple[Any, ...]:
            table, state[:] = np.empty(shape), begin
            done = entry(*head, table, *tail)
            if done[LEFT] != every and done[STEPS] == n:
                table[done[NEXT_ROW]] = last()
            return table, done

        return long_run
    table = np.empty(shape)
    call, copied = held_call(loop, (*head, table, *tail), state), table.tobytes

    def run() -> tuple[Any, ...]:
        done = call()
        if done[LEFT] != every and done[STEPS] == n:
            table[done[NEXT_ROW]] = last()
        return copied(), done

    return run
