"""Steps of a kernel, by machine code or by plain Python: where machine code raises, Python has the last word."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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


@dataclass(slots=True)
class Stretch:
    """Steps that are to be taken one after the other, and where their rows go: see ``Runner.advance``."""

    h: float
    t0: float
    first: int
    n: int
    every: int
    left: int
    state: State
    out: np.ndarray
    row: int


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

    def _advance(self, asked: Stretch) -> tuple[Any, ...]:
        return self._like_python(asked) if self.is_compiled else self._plain(asked)

    def _like_python(self, asked: Stretch) -> tuple[Any, ...]:
        """Steps by machine code. Where it raises, the steps before that one are taken again, and that one by Python.

        Machine code that raised has changed nothing but rows, which are written again, and the tally of a survey.
        """
        end, raises, iterations = asked.first + asked.n, 0, 0  # it raises in a step before number `raises`, if ahead
        now = asked
        while now.first < end:
            tally = self._survey.tally.copy() if self._survey else None
            try:
                took, row, left, its, error, state = self._machine(now)
            except Exception as raised:
                if self._survey:
                    self._survey.tally[:] = tally
                if now.n > 1:
                    raises, now = now.first + now.n, replace(now, n=now.n // 2)
                    continue
                took, row, left, its, error, state = self._plain(now)
                if took:
                    self._disagreed(now.first, raised)
            iterations, first = iterations + its, now.first + took
            if took < now.n:
                return first - asked.first, row, left, iterations, error, state
            size = max(1, (raises - first) // 2) if raises > first else end - first
            now = replace(now, first=first, n=size, left=left, state=state, row=row)
            if not self.is_compiled:
                took, row, left, its, error, state = self._plain(replace(now, n=end - first))
                return first + took - asked.first, row, left, iterations + its, error, state
        return asked.n, now.row, now.left, iterations, 0.0, now.state

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

    def _machine(self, asked: Stretch) -> tuple[Any, ...]:
        """`advance` by machine code."""
        assert self._code is not None
        a, code, numbers = asked, self._code, np.array(numbers_of(asked.state))
        done = code.loop(*code.head, a.h, a.t0, a.first, a.n, a.every, a.left, numbers, a.out, a.row, *code.look)
        return *done, state_of(numbers.tolist())

    def _plain(self, asked: Stretch) -> tuple[Any, ...]:
        """The loop as plain Python, a step at a time: when a user's function raises, nothing before it is lost."""
        h, t0, first, n, every, out = asked.h, asked.t0, asked.first, asked.n, asked.every, asked.out
        state, row, left, iterations = asked.state, asked.row, asked.left, 0
        look = ((self._survey.potential, *self._look),) if self._survey else ()
        loop = loops.survey if look else loops.advance
        for i in range(first, first + n):
            try:
                took, row, left, its, error, state = loop(
                    self.method.step, self.body, (h, t0, i, 1), state, out, (row, every, left), *look
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


def numbers_of(state: State) -> tuple[float, ...]:
    """Likewise back."""
    q, Pi, tau, memory = state
    return (*q, *Pi, *tau, *memory)
