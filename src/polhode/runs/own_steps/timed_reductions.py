"""Least, greatest, mean and slope over the time of energy, momentum and invariants, where steps have their own lengths.

A value counts for the time around it, half a step to either side (the trapezoidal rule), and the slope is that of the
least-squares line with these weights. So a mean is over time, however many steps a run takes in one part of it.
"""

import math
from collections.abc import Sequence

import numpy as np

from polhode.errors import InputError
from polhode.physics.problem import Problem
from polhode.runs.results.energies import energies, momenta
from polhode.runs.results.invariants import invariant_values
from polhode.runs.results.reductions import BLOCKS, QUANTITIES, Reduction, meant, slope_error


class TimedSurvey:
    """The tally of such a run; its blocks have equal lengths in time."""

    def __init__(self, names: Sequence[str], problem: Problem, t_end: float) -> None:
        self.names = tuple(q for name in names for q in meant(name))
        if "energy" in self.names and not problem.has_energy:
            raise InputError(
                f'reduce="energy", but the problem {problem.name!r} has no potential, so it has no energy.'
            )
        if not math.isfinite(t_end):
            raise InputError("reduce needs t_end, not n_steps, where steps have lengths of their own.")
        self._problem, self._begin, self._length = problem, problem.t0, t_end - problem.t0
        t, Q, Omega = np.array([problem.t0]), problem.Q0[None], problem.Omega0[None]
        self._first = self._values(Q, Omega, t)[0]
        self._last = problem.t0, np.zeros(len(self.names))
        self._least, self._greatest, self._count = np.zeros(len(self.names)), np.zeros(len(self.names)), 0
        self._tally = np.zeros((BLOCKS, 3 + 2 * len(self.names)))  # of w, w x, w x^2, w y, w x y, x from 0 to 1

    def _values(self, Q: np.ndarray, Omega: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The quantities of each state (n, k)."""
        p = self._problem
        energy = energies(p, Q, Omega, t) if "energy" in self.names else np.zeros(len(t))
        table = dict(zip(QUANTITIES, [energy, *momenta(p, t, Q, Omega).T]))
        for name in set(self.names) - set(QUANTITIES):
            table[name] = invariant_values(name, p.invariants[name], t, Q, Omega, p.for_functions())
        return np.column_stack([table[name] for name in self.names])

    def note(self, Q: np.ndarray, Omega: np.ndarray, t: np.ndarray) -> None:
        """Add the states after consecutive steps."""
        y = self._values(Q, Omega, t) - self._first
        before = np.concatenate([[self._last[0]], t[:-1]]), np.vstack([self._last[1], y[:-1]])
        self._least, self._greatest = np.minimum(self._least, y.min(axis=0)), np.maximum(self._greatest, y.max(axis=0))
        self._last, self._count = (float(t[-1]), y[-1]), self._count + len(t)
        w = np.concatenate([t - before[0]] * 2) / self._length / 2
        x = (np.concatenate([before[0], t]) - self._begin) / self._length
        y = np.vstack([before[1], y])
        terms = np.column_stack([w, w * x, w * x * x, w[:, None] * y, (w * x)[:, None] * y])
        block = np.minimum((BLOCKS * x).astype(int), BLOCKS - 1)
        np.add.at(self._tally, block, terms)

    def results(self) -> dict[str, Reduction]:
        """The quantities asked for, by name."""
        return {name: self._result(name, k) for k, name in enumerate(self.names)}

    def _result(self, name: str, k: int) -> Reduction:
        blocks, first, m = self._tally[self._tally[:, 0] > 0], float(self._first[k]), len(self.names)
        if self._count < 2:
            nan = math.nan
            return Reduction(name, first, self._count, nan, nan, nan, nan, nan, np.empty(0), np.empty(0))
        w, wx, wxx, wy, wxy = (math.fsum(blocks[:, i]) for i in (0, 1, 2, 3 + k, 3 + m + k))
        slope = (wxy - wx * wy / w) / (wxx - wx * wx / w) / self._length
        t, means = self._begin + self._length * blocks[:, 1] / blocks[:, 0], blocks[:, 3 + k] / blocks[:, 0]
        return Reduction(
            name,
            first,
            self._count,
            first + float(self._least[k]),
            first + float(self._greatest[k]),
            first + wy / w,
            slope,
            slope_error(t, means, slope),
            t,
            means,
        )
