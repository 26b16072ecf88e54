"""Taylor's method as a run takes it, and its runner."""

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from polhode.errors import InputError
from polhode.inputs import checked_call, positive
from polhode.integrators.method import BlackBox
from polhode.integrators.taylor import steps
from polhode.physics.problem import Problem
from polhode.runs.results.users_axes import in_users_axes
from polhode.runs.runners.taylor_series import NAME, series_of
from polhode.runs.runners.whole_runs import from_start

FINEST_TOLERANCE = 1e-17
"""The smallest tolerance: the terms left out are then smaller than the rounding of those kept."""


NO_CARRY = (0.0,) * (steps.NUMBERS - steps.STATE - 7)
"""The end of a place where a run begins: rounding has left nothing out yet."""


@dataclass(frozen=True)
class Taylor(BlackBox):
    """Taylor's method: the power series of the motion, summed as far as the tolerance asks; it chooses its own steps.

    Idea. The torque is traced: called with symbols, it says what it computes. Products, roots and sines of power series
    are power series again, whose coefficients follow one after the other from those before; so do those of the motion,

        q' = q Omega/2,    J Omega' = J Omega x Omega + tau(t, Q, Omega)

    A step sums the series of q and Omega to order N; it is as long as the last two terms stay below the tolerance
    (attitude in radians, velocity relative to its size). N is even, about 6 - log(tolerance)/2: of all orders the
    cheapest, since a term costs N operations and lengthens the step by 1/N (Jorba & Zou 2005, who find
    -log(tolerance)/2; here the sums over products are vectors, and terms cost less). States between two steps are
    values of the same series, as accurate as its end and nearly free.

    What it keeps. Nothing exactly: it is neither symplectic nor symmetric, and energy drifts by about the tolerance in
    each step. With the smallest tolerance all of that is below the rounding of a float, which is compensated: the
    error of 10^6 steps is about that of a few. It is the fastest way here to most accuracies over moderate times; for
    long runs to modest accuracy the symplectic methods stay the choice.

    Pitfalls. Torque or potential must be a formula: arithmetic, powers, np.sqrt, sin, cos, tan, exp, log of their
    arguments, with no decision by values. Where it is singular, or hardly smooth, the steps become short. It is called
    while it is traced, not during the run: there are no torque evaluations to count. A series cannot see ahead: of a
    torque that depends on the time, a pulse may come that is zero, to all digits, where the series is made. Unless it
    is a polynomial of low degree in t and in sines and cosines of k t, each step is therefore compared with the
    equation of motion at sixteen places, at most h apart, and ends before the first at which they disagree. A pulse
    shorter than their spacing can still be stepped over: take h as short as the pulse.

    Certificate. `certify` takes it as something that can only be called. Orders stay undecided, since its steps are its
    own; so do symmetry, symplecticity and what is conserved: all of them hold to round-off, but because of the
    tolerance, not of the method, and with a larger one none does.
    """

    sources: ClassVar[tuple[str, ...]] = ("jorba-zou-2005",)
    tolerance: float = FINEST_TOLERANCE

    def torques_of_run(self, steps: int, iterations: int) -> None:
        """The torque is not evaluated."""


@checked_call
def taylor(tolerance: float = FINEST_TOLERANCE) -> Taylor:
    """Taylor's method with steps to this tolerance, for anything that takes a method.

    Parameters
    ----------
    tolerance : float
        The error of a step: of the attitude in radians, of the velocity relative to its size.

    Returns
    -------
    Taylor
        For anything that takes a method.
    """
    tolerance = max(positive("tolerance", tolerance), FINEST_TOLERANCE)
    if tolerance > 0.1:
        raise InputError(f"tolerance is {tolerance:g}; it must be at most 0.1, an error of the attitude in radians.")
    name = NAME if tolerance == FINEST_TOLERANCE else f"{NAME}({tolerance:.3g})"
    return Taylor(name, _Advanced(tolerance), "Taylor series of the motion, steps by tolerance", tolerance)


@dataclass(frozen=True)
class _Advanced:
    """What a BlackBox does when it is only called."""

    tolerance: float

    def __call__(self, problem: Problem, Q: Any, Omega: Any, h: float, n: int, t: float) -> tuple[Any, ...]:
        runner = TaylorRunner(problem, taylor(self.tolerance), h, Q, Omega, t)
        out = np.empty((1, 7))
        took, *_ = runner.advance(0, n, n, n, out, 0)
        if not took:
            raise InputError(runner.failure(0, t, 0.0))
        Q1, Omega1 = runner.in_users_axes(out)
        return Q1[0], Omega1[0]


@functools.lru_cache(maxsize=256)
def order_for(tolerance: float) -> int:
    """The even order that costs least."""
    return 2 * round((6 - np.log(tolerance) / 2) / 2)


FEW = 3
"""Calls without rows before the next is prepared: it is a loop of the user's."""

FIRST, OUT, NEVER = 10, 18, 2**62
"""Which arguments of the loop the first interval and the table are; intervals to a row that is not written."""

LINE_NUMBERS = 8  # numbers: 64 bytes


def in_lines(*sizes: int) -> list[np.ndarray]:
    """Arrays of zeros, each where a line of the processor's cache begins: vectors then never cross one."""
    ends = list(itertools.accumulate(-(-n // LINE_NUMBERS) * LINE_NUMBERS for n in sizes))
    room = np.zeros(ends[-1] + LINE_NUMBERS)
    first = -(room.__array_interface__["data"][0] // 8) % LINE_NUMBERS
    return [room[first + end - -(-n // LINE_NUMBERS) * LINE_NUMBERS :][:n] for n, end in zip(sizes, ends)]


class TaylorRunner:
    """Runs Taylor's method; see ``Runner``. Rows are (q, Pi)."""

    width, is_compiled = 7, True
    raised: Exception | None = None
    ended = ""  # by an event: see ``between_steps/watched.py``
    held: tuple[float, ...] = ()  # no controller
    law = ""
    _first: tuple[Any, ...] | None = None  # where it began again: the start, its row and its place
    _few = 0  # calls of `advance` that had no room for a row, with these h and t0
    _held_call: Callable[[int, int], tuple[int, ...]] | None = None  # for such calls: see `_hold`

    def __init__(
        self, problem: Problem, method: Taylor, h: float, Q: Any = None, Omega: Any = None, t: float | None = None
    ) -> None:
        from polhode.machine import series_loop

        self.problem, self.method, self.h, self.name = problem, method, h, method.name
        self.t0 = problem.t0 if t is None else t
        self.order = order_for(method.tolerance)
        self._series, self._parameters = series_of(problem), problem.parameters
        self._loop, self._hides = series_loop(), self._series.functions_of_time > self.order
        rows, width = self.order + 1, self._series.width
        self._table, self._looked, self._end, self._work, self._place = in_lines(
            *(8 * rows, 8 * steps.LOOKED, 8, 2 * width * rows, steps.NUMBERS + LINE_NUMBERS)
        )
        self._table, self._looked = self._table.reshape(-1, 8), self._looked.reshape(-1, 8)
        self._place = self._place[LINE_NUMBERS - steps.STATE :][: steps.NUMBERS]  # the state begins a line
        self._nowhere = np.empty((0, self.width))
        q, Pi = problem.start(Q, Omega)
        self.place(q + Pi, self.t0, h)

    def place(self, row: Sequence[float], t: float, h: float) -> None:
        """Begin anew from a row at time t, with rows at intervals of h."""
        self._count_from(t, h)
        w, x, y, z, a, b, c = row[:7]
        I, J, K = self._series.moments
        self._row: tuple[float, ...] | None = (w, x, y, z, a, b, c)
        self._place[:] = (t, 0.0, w, x, y, z, a / I, b / J, c / K, *NO_CARRY)

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """Go over n intervals of h; see ``Runner.advance``. Iterations are expansions."""
        if n < left and self._held_call is not None:  # no row is due
            done, _, _, expansions = self._held_call(first, n)
            left -= done
        else:
            done, row, left, expansions = self._loop(*self._arguments(first, n, every, left, out, row))
            if not len(out):
                self._hold()
        self._row = None
        return done, row, left, expansions, 0.0, None

    def _arguments(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """What the loop takes."""
        s = self._series
        # fmt: off
        return (
            *s.code, s.data, self.order, self.method.tolerance, self._hides, self.h, self.t0,
            first, n, every, left, self._place, self._work, self._table, self._looked, out, row, self._end, s.moments,
        )
        # fmt: on

    def _hold(self) -> None:
        """After a few calls without rows, hold all arguments but `first` and `n`: to take them apart takes long."""
        self._few += 1
        if self._few == FEW:
            from polhode.machine import held_but_for_two

            given = self._arguments(0, 1, NEVER, NEVER, self._nowhere, 0)
            self._held_call = held_but_for_two(self._loop, given, FIRST)

    def _count_from(self, t: float, h: float) -> None:
        """Intervals of h from t on; what is held for others goes."""
        if (t, h) != (self.t0, self.h):
            self._few, self._held_call = 0, None
        self.t0, self.h = t, h

    def row(self) -> tuple[float, ...]:
        """The state as a row."""
        if self._row is None:
            self._row = self._at_end()
        return self._row

    def _at_end(self) -> tuple[float, ...]:
        w, x, y, z, a, b, c, _ = self._end.tolist()
        I, J, K = self._series.moments
        return w, x, y, z, a * I, b * J, c * K

    def row_of(self, Q: Any, Omega: Any) -> tuple[float, ...]:
        """The row of an attitude and a velocity in the user's axes."""
        q, Pi = self.problem.start(Q, Omega)
        return q + Pi

    def in_users_axes(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and velocities of rows, in the user's axes."""
        return in_users_axes(self.problem, rows)

    def as_driven(self, last: bool = False) -> Problem:
        """The problem: nothing but itself drives its wheels."""
        return self.problem

    def again(self, problem: Problem, h: float) -> bool:
        """Begin anew; see ``Runner.again``."""
        if problem.parameters != self._parameters:
            return False
        if not self.lasts(problem):
            return False
        start = problem.start()
        self.problem = problem
        if self._first is None or self._first[0] != (start, problem.t0):
            q, Pi = start
            self.place(q + Pi, problem.t0, h)
            self._first = (start, problem.t0), self._row, self._place.copy()
        _, self._row, self._place[:] = self._first
        self._count_from(problem.t0, h)
        return True

    def from_start(self, n: int, every: int) -> Callable[[], tuple[Any, ...]]:
        """run(): all n intervals from the start once more; see ``whole_runs.py``."""
        assert self._first is not None
        self._place[:] = self._first[2]
        given = self._arguments(0, n, every, every, self._nowhere, 0)
        return from_start(self._loop, given[:OUT], given[OUT + 1 :], self._place, n, every, self._at_end)

    def lasts(self, problem: Problem) -> bool:
        """Whether the torque is proved to be what it was; see ``KernelRunner.lasts``."""
        return self.lasting or series_of(problem) is self._series

    @property
    def lasting(self) -> bool:
        """Whether the torque cannot change."""
        return self._series.lasts

    def part(self, h: float, t: float) -> tuple[float, ...] | None:
        """The row a time h from here, without going there; None if it fails."""
        other = TaylorRunner(self.problem, self.method, h)
        other.place(self.row(), t, h)
        took, *_ = other.advance(0, 1, 2, 2, np.empty((0, 7)), 0)
        return other.row() if took else None

    def numbers(self) -> tuple[float, ...]:
        """The row, and where the last expansion is; `restore` takes them back."""
        return (*self.row(), *self._place.tolist())

    def restore(self, numbers: Sequence[float] | np.ndarray) -> None:
        """Go on from the state that `numbers` gave."""
        self._row, self._place[:] = tuple(numbers[:7]), numbers[7:]

    def made_of(self) -> tuple[Any, ...]:
        """What decides what is computed."""
        return repr(self._series.recurrences.structure), self._series.data, self.method.tolerance, steps.advance

    def torques(self, steps: int, iterations: int) -> None:
        """The torque is not evaluated."""

    def failure(self, k: int, t: float, error: float) -> str:
        """The sentence for a run that stops before t."""
        at = float(self._place[steps.TIME])
        return (
            f"{self.name} found no step beyond t = {at:.6g} of {self.problem.name}: the series of the motion there "
            "converges nowhere, or is not finite. The torque may be singular near there."
        )
