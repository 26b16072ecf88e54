"""Energy, momentum and invariants of every body of a long run without keeping it: all at once, otherwise as in
``runs/results/reductions.py``.
"""

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.ensemble.invariants import invariant_of_bodies
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.results.reductions import Reduction, Survey
from polhode.runs.runners.kernel_runner import body_of


class Tallies:
    """What a run of N bodies tallies: a Survey, and the numbers (blocks, quantities, 7, N) of ``loop.note``."""

    def __init__(self, survey: Survey, bodies: Bodies, method: Any) -> None:
        alone = bodies.kinds[0]
        survey.begin(alone, alone.start(), body_of(alone, method))  # a sentence if it cannot be reduced
        self.survey, self.bodies = survey, bodies
        self.tally = np.repeat(survey.tally[:, :, :, None], len(bodies), axis=3)
        self.origin = np.full((len(survey.columns), len(bodies)), np.nan)
        start = np.array([alone.t0]), bodies.Q0[None], bodies.Omega0[None], bodies.finite[None]
        for name in survey.invariants:
            invariant_of_bodies(bodies, name, *start)  # a sentence if a body has none, or it gives no number

    def look(self, piece: Ensemble, steps: np.ndarray, failed: np.ndarray) -> None:
        """Add the states of a piece of the run, after these steps; those of bodies that had failed do not count."""
        alive = ((failed < 0) | (np.append(0, steps)[:, None] <= failed)) & self.bodies.finite
        values = self._values(piece, alive)
        self.origin = values[0]
        for step, y, there in zip(steps.tolist(), values[1:] - values[0], alive[1:]):
            self._note(step // self.survey.each - 1, y, there)

    def _values(self, piece: Ensemble, alive: np.ndarray) -> np.ndarray:
        """The columns of the survey at each state, (times, columns, N)."""
        columns: list[np.ndarray] = []
        if self.survey.in_loop is not None:
            energy = piece.energy if self.survey.wants_energy else np.zeros(piece.Omega.shape[:2])
            columns = [energy, *np.moveaxis(piece.momentum, 2, 0)]
        states = piece.t, piece.Q, piece.Omega, alive
        columns += [invariant_of_bodies(self.bodies, name, *states) for name in self.survey.invariants]
        return np.stack(columns, axis=1)

    def _note(self, look: int, y: np.ndarray, alive: np.ndarray) -> None:
        block, place = self.survey.place(look)
        at = self.tally[block]
        at[:, 0] = np.where(alive, np.minimum(at[:, 0], y), at[:, 0])
        at[:, 1] = np.where(alive, np.maximum(at[:, 1], y), at[:, 1])
        at[:, 2] += alive
        for j, term in ((3, y), (5, place * y)):  # Kahan's sums
            x = term - at[:, j + 1]
            new = at[:, j] + x
            lost = (new - at[:, j]) - x
            at[:, j] = np.where(alive, new, at[:, j])
            at[:, j + 1] = np.where(alive, lost, at[:, j + 1])

    def results(self, t0: float, h: float) -> dict[str, Reduction]:
        """A Reduction by name, whose numbers are arrays (N,), and whose block means are (blocks, N)."""
        return {name: self._result(name, self.survey.columns.index(name), t0, h) for name in self.survey.names}

    def _result(self, name: str, k: int, t0: float, h: float) -> Reduction:
        rows, looks, blocks = self.tally[:, k], self.survey.looks, len(self.tally)
        begin = -(-np.arange(blocks) * looks // blocks)[:, None]
        count, total = rows[:, 2], rows[:, 3] - rows[:, 4]
        n, unit, first = count.sum(axis=0), h * self.survey.each, self.origin[k]
        with np.errstate(divide="ignore", invalid="ignore"):
            moment = (begin * total + (rows[:, 5] - rows[:, 6])).sum(axis=0)
            mean, means = total.sum(axis=0) / n, total / count
            slope = 12 * (moment - (n - 1) / 2 * mean * n) / (n * (n * n - 1)) / unit
            t = t0 + unit * (1 + begin + (count - 1) / 2)
            error = _slope_error(np.where(count > 0, t, np.nan), means, slope)
        few = n < 2
        least, greatest = first + rows[:, 0].min(axis=0), first + rows[:, 1].max(axis=0)
        numbers = [np.where(few, np.nan, x) for x in (least, greatest, first + mean, slope, error)]
        values: tuple[Any, ...] = (first, n.astype(int), *numbers, t, means)  # arrays in place of numbers
        return Reduction(name, *values)


def side_by_side(each: Sequence[Reduction | None]) -> Reduction:
    """The Reductions of bodies that ran one by one, as those of `Tallies`; NaN of bodies that have none."""
    known = [x for x in each if x is not None]
    name, blocks = (known[0].name if known else ""), max((len(x.t) for x in known), default=0)
    scalars = [f.name for f in fields(Reduction) if f.name not in ("name", "t", "means")]
    numbers: dict[str, Any] = {k: np.array([math.nan if x is None else getattr(x, k) for x in each]) for k in scalars}
    numbers["count"] = np.nan_to_num(numbers["count"]).astype(int)
    t, means = np.full((2, blocks, len(each)), math.nan)
    for i, x in enumerate(each):
        if x is not None:
            t[: len(x.t), i], means[: len(x.t), i] = x.t, x.means
    return Reduction(name, **numbers, t=t, means=means)


def _slope_error(t: np.ndarray, means: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """The standard error of slopes from block means, over the blocks that a body reached."""
    reached = np.isfinite(t)
    count = reached.sum(axis=0)
    x = np.where(reached, t - np.where(reached, t, 0).sum(axis=0) / count, 0)
    rest = np.where(reached, means - np.where(reached, means, 0).sum(axis=0) / count - slope * x, 0)
    error = np.sqrt((rest * rest).sum(axis=0) / (count - 2) / (x * x).sum(axis=0))
    return np.where(count < 3, math.nan, error)
