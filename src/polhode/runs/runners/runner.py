"""What a run asks of a runner. There are three: a method's kernel, Taylor's method, and what can only be called."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from polhode.errors import InputError
from polhode.integrators.lookup import Integrator
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.results.reductions import Survey
from polhode.runs.runners.controlled_runner import ControlledRunner
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.runners.plain_runner import PlainRunner
from polhode.runs.runners.taylor import Taylor, TaylorRunner


class Runner(Protocol):
    """Takes steps of one problem and knows its state; ``drive.Run`` decides how many at once and keeps the rows."""

    problem: Problem
    name: str  # of the method
    h: float
    t0: float
    width: int  # numbers in a row
    ended: str  # the event that has ended the run, if one has
    held: tuple[float, ...]  # what a controller holds, if there is one and it has looked
    law: str  # how that is called: by machine code, or why by Python; "" where there is none
    raised: Exception | None  # what a user's function raised, which ended the run

    @property
    def is_compiled(self) -> bool:
        """Whether machine code takes the steps; it may change during a run."""

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """Take steps `first` to `first + n - 1` from where it is, and write every `every`-th state to `out`.

        `left` steps remain until the next row, which goes to out[row]. The result is (steps taken, the next row, left,
        iterations, the error of an equation that was not solved, None or the state); fewer steps mean a failure.
        """

    def as_driven(self, last: bool = False) -> Problem:
        """The problem, with its wheels as a controller has driven them so far, or since its `last` look."""

    def row(self) -> Sequence[float] | np.ndarray:
        """The state as a row: what `advance` writes."""

    def in_users_axes(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes (n, 3, 3) and velocities (n, 3) of rows, in the user's axes."""

    def row_of(self, Q: np.ndarray, Omega: np.ndarray) -> tuple[float, ...]:
        """The row of an attitude and a velocity in the user's axes."""

    def place(self, row: Sequence[float], t: float, h: float) -> None:
        """Begin anew from a row at time t, with steps of h."""

    def again(self, problem: Problem, h: float) -> bool:
        """Begin anew from the start of this problem, which differs from the runner's in nothing else.

        False if a new runner must be made, because functions that it runs may have changed since.
        """

    def part(self, h: float, t: float) -> tuple[float, ...] | None:
        """The row after one step of length h from where it is, at time t, without going there; None if it fails."""

    def numbers(self) -> Sequence[float] | np.ndarray:
        """The whole state as numbers, for a checkpoint."""

    def restore(self, numbers: Sequence[float] | np.ndarray) -> None:
        """Go on from the state that `numbers` gave."""

    def made_of(self) -> tuple[Any, ...]:
        """What decides what is computed, for the fingerprint of a checkpoint."""

    def torques(self, steps: int, iterations: int) -> int | None:
        """How often the torque has been evaluated, if that is known."""

    def failure(self, k: int, t: float, error: float) -> str:
        """The sentence for step k, at time t, which failed."""


def runner_of(
    problem: Problem,
    method: Integrator,
    h: float,
    compiled: bool | None = None,
    survey: Survey | None = None,
    held: tuple[float, ...] = (),
) -> Runner:
    """The runner that a method needs; `held` is taken over from the controller of another runner."""
    if isinstance(method, Method):
        if problem.control is not None:
            return ControlledRunner(problem, method, h, compiled, survey=survey, held=held)
        return KernelRunner(problem, method, h, compiled, survey=survey)
    if isinstance(method, Taylor) and survey is None:
        if compiled is False:
            raise InputError(f"{method.name} is machine code: compiled=False is for kernels.")
        return TaylorRunner(problem, method, h)
    if survey is not None:
        raise InputError("reduce works with a method of the catalogue or a Method, not with a plain function.")
    return PlainRunner(problem, method, h)
