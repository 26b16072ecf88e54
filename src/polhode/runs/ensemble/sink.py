"""Where the rows of a run of bodies go that does not keep all of them: the tallies, and those that are kept.

The loop writes to a buffer of a few rows; after each sweep they come here, and the buffer is free again.
"""

import math
from typing import Any

import numpy as np

from polhode.runs.ensemble.reductions import Tallies
from polhode.runs.ensemble.result import Ensemble

BUFFER_BYTES = 32_000_000
"""What a buffer of rows may take."""


class Sink:
    """Takes the rows of a run, one each `inner` steps; every `every` steps one is kept."""

    def __init__(self, bodies: Any, method: Any, h: float, n: int, every: int, tallies: Tallies) -> None:
        self.bodies, self.method, self.h, self.n, self.every = bodies, method, h, n, every
        self.tallies, self.inner = tallies, math.gcd(every, tallies.survey.each)
        self.kept = np.empty((n // every + (n % every > 0), 7, len(bodies)))
        self.at, self.steps = 0, 0  # rows kept, and steps whose rows were taken

    def capacity(self, bodies: int) -> int:
        """Rows of the buffer."""
        return max(1, min(self.n // self.inner, BUFFER_BYTES // (56 * bodies)))

    def take(self, buffer: np.ndarray, count: int, failed: np.ndarray) -> None:
        """Take the first rows of the buffer, which follow those taken before."""
        N = len(self.bodies)
        steps = self.steps + self.inner * np.arange(1, count + 1)
        self.steps += self.inner * count
        looked, kept = steps % self.tallies.survey.each == 0, steps % self.every == 0
        if looked.any():
            times = self.bodies.kinds[0].t0 + self.h * np.append(0, steps[looked])
            rows = buffer[:count, :, :N][looked]
            nothing = np.full(N, -1), np.full(N, np.nan)
            piece = Ensemble(self.method.name, self.h, times, self.bodies, rows, *nothing, {"interrupted": False})
            self.tallies.look(piece, steps[looked], failed[:N])
        m = int(kept.sum())
        self.kept[self.at : self.at + m] = buffer[:count, :, :N][kept]
        self.at += m
