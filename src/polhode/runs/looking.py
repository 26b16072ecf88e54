"""Invariants of a long run without keeping it: the states of a piece are looked at, noted and forgotten.

An invariant is any function in Python. So the runner writes the states that are due to a short table, whatever takes
its steps, and the function is called there; its tally is that of ``runs/results/reductions.py``.
"""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.runs.results.invariants import invariant_values
from polhode.runs.results.reductions import Survey

if TYPE_CHECKING:
    from polhode.runs.runners.runner import Runner

STATES_AT_ONCE = 4096
"""States looked at together."""


class Looking:
    """Takes the steps of a runner, as its `advance` does, and notes the invariants of a survey on the way."""

    def __init__(self, runner: "Runner", survey: Survey) -> None:
        self._runner, self._survey, problem = runner, survey, runner.problem
        self._functions = {name: problem.invariants[name] for name in survey.invariants}
        self._parameters = problem.for_functions()
        start = np.array([problem.t0]), problem.Q0[None], problem.Omega0[None], self._parameters
        for name, f in self._functions.items():
            survey.first[name] = float(invariant_values(name, f, *start)[0])
        self.raised: Exception | None = None
        self.message = ""

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """As ``Runner.advance``. If an invariant raises, `message` says so; the steps until there are taken."""
        inner = math.gcd(every, self._survey.each)
        table = np.empty((min(STATES_AT_ONCE, n // inner + 1), self._runner.width))
        i, end, iterations, error = first, first + n, 0, 0.0
        while i < end and not self.message:
            size = min(len(table) * inner - i % inner, end - i)
            took, count, _, its, error, _ = self._runner.advance(i, size, inner, inner - i % inner, table, 0)
            steps = inner * (i // inner + np.arange(1, count + 1))
            is_kept = steps % every == 0
            out[row : row + is_kept.sum()] = table[:count][is_kept]
            row, iterations, i = row + int(is_kept.sum()), iterations + its, i + took
            is_looked_at = steps % self._survey.each == 0
            self._look(steps[is_looked_at], table[:count][is_looked_at])
            if took < size:
                break
        return i - first, row, every - i % every, iterations, error, None

    def _look(self, steps: np.ndarray, rows: np.ndarray) -> None:
        if not len(steps):
            return
        t, (Q, Omega) = self._runner.t0 + steps * self._runner.h, self._runner.in_users_axes(rows)
        for name, f in self._functions.items():
            try:
                values = invariant_values(name, f, t, Q, Omega, self._parameters)
            except Exception as raised:
                self.raised = raised
                self.message = (
                    f"{type(raised).__name__} in the invariant {name!r} between t = {t[0]:g} and t = {t[-1]:g}: "
                    f"{str(raised).rstrip('.')}. What was computed until then is here."
                )
                return
            self._survey.note(name, steps, values)
