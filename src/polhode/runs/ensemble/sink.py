"""Where rows go in a run of bodies that does not keep all of them: to tallies, to a file, or among those kept.

The loop writes to a buffer of a few rows; after each sweep they come here, and the buffer is free again.
"""

import math
from typing import Any

import numpy as np

from polhode.integrators.method import Method
from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.ensemble.reductions import Tallies
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.ensemble.streamed import Stream

BUFFER_BYTES = 32_000_000
"""What a buffer of rows may take."""


class Sink:
    """Takes the rows of a run, one each `inner` steps; every `every` steps one is kept, here or in the file `out`."""

    def __init__(
        self, bodies: Bodies, method: Method, h: float, n: int, every: int, tallies: Tallies | None, out: Any
    ) -> None:
        self.bodies, self.method, self.h, self.n, self.every, self.tallies = bodies, method, h, n, every, tallies
        self.inner = every if tallies is None else math.gcd(every, tallies.survey.each)
        rows = n // every + (n % every > 0)
        self.kept = np.empty((rows if out is None else 1, 7, len(bodies)))
        self.at, self.steps = 0, 0  # rows kept, and steps whose rows were taken
        self.stream = None if out is None else Stream(out, self.piece(np.empty((0, 7, len(bodies))), np.empty(0)))

    def capacity(self, bodies: int) -> int:
        """Rows of the buffer."""
        return max(1, min(self.n // self.inner, BUFFER_BYTES // (56 * bodies)))

    def piece(self, rows: np.ndarray, steps: np.ndarray) -> Ensemble:
        """The start and some rows, as an Ensemble."""
        N, times = len(self.bodies), self.bodies.kinds[0].t0 + self.h * np.append(0, steps)
        nothing = np.full(N, -1), np.full(N, np.nan)
        return Ensemble(self.method.name, self.h, times, self.bodies, rows, *nothing, {"interrupted": False})

    def take(self, buffer: np.ndarray, count: int, failed: np.ndarray) -> None:
        """Take the first rows of the buffer, which follow those taken before."""
        steps = self.steps + self.inner * np.arange(1, count + 1)
        self.steps += self.inner * count
        rows, failed = buffer[:count, :, : len(self.bodies)], failed[: len(self.bodies)]
        if self.tallies is not None:
            is_looked_at = steps % self.tallies.survey.each == 0
            if is_looked_at.any():
                self.tallies.look(self.piece(rows[is_looked_at], steps[is_looked_at]), steps[is_looked_at], failed)
        is_kept = steps % self.every == 0
        if is_kept.any():
            self.keep(rows[is_kept], steps[is_kept], failed)

    def keep(self, rows: np.ndarray, steps: np.ndarray, failed: np.ndarray) -> None:
        """Keep rows, after these steps."""
        if self.stream is None:
            self.kept[self.at : self.at + len(rows)] = rows
        else:
            alive = ((failed < 0) | (steps[:, None] <= failed)) & self.bodies.finite
            self.stream.append(self.piece(rows, steps), alive)
        self.at += len(rows)
