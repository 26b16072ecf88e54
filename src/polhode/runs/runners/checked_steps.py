"""Steps of a kernel, by machine code or by plain Python: where machine code raises, Python has the last word."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode import inputs
from polhode.integrators.method import Method
from polhode.kernels import loop as loops
from polhode.kernels.numbers import Body, State
from polhode.runs.results.reductions import Survey
from polhode.runs.runners.code import Code

MOST_DOUBTS = 16
"""In how many steps machine code may raise where Python does not, before Python takes all of them."""


class CheckedSteps:
    """The loops of a runner, for the class that has the method, the body and their machine code."""

    if TYPE_CHECKING:
        method: Method
        body: Body
        is_compiled: bool
        raised: Exception | None
        _code: Code | None
        _survey: Survey | None
        _look: tuple[Any, ...]
        _doubts: int

    def _advance(self, *arguments: Any) -> tuple[Any, ...]:
        return self._like_python(*arguments) if self.is_compiled else self._plain(*arguments)

    def _like_python(
        self, h: float, t0: float, first: int, n: int, every: int, left: int, state: State, out: np.ndarray, row: int
    ) -> tuple[Any, ...]:
        """Steps by machine code. Where it raises, the steps before that one are taken again, and that one by Python.

        Machine code that raised has changed nothing but rows, which are written again, and the tally of a survey.
        """
        end, size, raises, iterations = first + n, n, 0, 0  # it raises in a step before number `raises`, if ahead
        while first < end:
            tally = self._survey.tally.copy() if self._survey else None
            try:
                took, row, left, its, error, state = self._machine(h, t0, first, size, every, left, state, out, row)
            except Exception as raised:
                if self._survey:
                    self._survey.tally[:] = tally
                if size > 1:
                    raises, size = first + size, size // 2
                    continue
                took, row, left, its, error, state = self._plain(h, t0, first, 1, every, left, state, out, row)
                if took:
                    self._disagreed(first, raised)
            iterations, first = iterations + its, first + took
            if took < size:
                return first - end + n, row, left, iterations, error, state
            if not self.is_compiled:
                took, row, left, its, error, state = self._plain(
                    h, t0, first, end - first, every, left, state, out, row
                )
                return first + took - end + n, row, left, iterations + its, error, state
            size = max(1, (raises - first) // 2) if raises > first else end - first
        return n, row, left, iterations, 0.0, state

    def _disagreed(self, i: int, raised: Exception) -> None:
        """Machine code raised in step i, and Python did not: warn once, and after a few times trust it no more."""
        self._doubts += 1
        if self._doubts == 1:
            inputs.warn(
                f"Step {i} runs interpreted: machine code raised {type(raised).__name__} there ({raised}), and Python "
                f"does not. After {MOST_DOUBTS} such steps all run interpreted, about a thousand times slower.",
            )
        if self._doubts >= MOST_DOUBTS:
            self.is_compiled = False

    def _machine(
        self,
        h: float,
        t0: float,
        first: int,
        n: int,
        every: int,
        left: int,
        state: State,
        out: np.ndarray,
        row: int,
    ) -> tuple[Any, ...]:
        """`advance` by machine code."""
        assert self._code is not None
        q, Pi, tau, memory = state
        numbers, code = np.array((*q, *Pi, *tau, *memory)), self._code
        done = code.loop(*code.head, h, t0, first, n, every, left, numbers, out, row, *code.look)
        return *done, state_of(numbers.tolist())

    def _plain(
        self, h: float, t0: float, first: int, n: int, every: int, left: int, state: State, out: np.ndarray, row: int
    ) -> tuple[Any, ...]:
        """The loop as plain Python, a step at a time: when a user's function raises, nothing before it is lost."""
        iterations = 0
        look = (self._survey.potential, *self._look) if self._survey else ()
        loop = loops.survey if look else loops.advance
        for i in range(first, first + n):
            try:
                took, row, left, its, error, state = loop(
                    self.method.step, self.body, h, t0, i, 1, every, left, state, out, row, *look
                )
            except Exception as raised:
                self.raised = raised
                return i - first, row, left, iterations, 0.0, state
            iterations += its
            if not took:
                return i - first, row, left, iterations, error, state
        return n, row, left, iterations, 0.0, state


def state_of(numbers: Sequence[float] | np.ndarray) -> State:
    """The state of a step from its numbers."""
    x = tuple(numbers)
    return x[:4], x[4:7], x[7:10], x[10:]
