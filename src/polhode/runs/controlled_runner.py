"""Runs a method's kernel under a controller: from one of its looks to the next, with the torque that it holds."""

import numpy as np

from polhode.errors import InputError
from polhode.inputs import steps_to
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.kernel_runner import KernelRunner
from polhode.runs.reductions import Survey


class ControlledRunner(KernelRunner):
    """A KernelRunner whose problem has a controller, which looks once a period, counted from the start of the problem.

    `held` is (k, u1, u2, u3): before step k of the problem the controller looked last, and it holds u since, in the
    user's axes. A look is a jump of the torque, so the method is started anew there: what it carries, be it torques of
    the past or a guess, belongs to the torque before. A run is so, for every method, that of its pieces.
    """

    def __init__(
        self,
        problem: Problem,
        method: Method,
        h: float,
        compiled: bool | None,
        Q: np.ndarray | None = None,
        Omega: np.ndarray | None = None,
        t: float | None = None,
        survey: Survey | None = None,
        held: tuple[float, ...] = (),
    ) -> None:
        assert problem.control is not None  # see ``runner_of``
        self._control, self._looks = problem.control, 0
        self._period = problem.control.steps(h)
        if survey is not None:
            raise InputError(
                f"reduce does not go with a controller, and {problem.name!r} has one: save states instead."
            )
        super().__init__(problem, method, h, compiled, Q, Omega, t)
        self.held = held
        if held:
            self._hold()

    def first_look(self) -> None:
        """Let the controller look at the start, before there is a run: what the law raises is for the user."""
        self._look_before(0)

    def check_look(self) -> None:
        """Raise InputError unless the controller looks here: a single step does not know what it held before."""
        t, t0, period = self.t0, self.problem.t0, self._control.period
        n, is_whole = steps_to(t0, self.h, t)
        if not is_whole or n % self._period:
            raise InputError(
                f"What the controller of {self.problem.name!r} holds at t = {t:g} is not known: it looks at {t0:g} + k "
                f"{period:g}. Take a step from there, or make an Integrator."
            )

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple:
        """Take steps; see ``Runner.advance``."""
        taken, iterations, error = 0, 0, 0.0
        while taken < n:
            i = first + taken
            try:
                self._look_before(i)
            except Exception as raised:
                self.raised = raised
                return taken, row, left, iterations, 0.0, self.state
            size = min(self._period - self._number(i) % self._period, n - taken)
            took, row, left, its, error, _ = super().advance(i, size, every, left, out, row)
            taken, iterations = taken + took, iterations + its
            if took < size:
                break
        return taken, row, left, iterations, error, self.state

    def again(self, problem: Problem, h: float) -> bool:
        """What the controller holds is not known there: made anew."""
        return False

    def part(self, h: float, t: float) -> tuple[float, ...] | None:
        """See ``Runner.part``; what is held after a look at t counts."""
        self._look_before(round((t - self.t0) / self.h))
        return super().part(h, t)

    def torques(self, steps: int, iterations: int) -> int | None:
        """How often the torque has been evaluated."""
        known = super().torques(steps, iterations)
        return None if known is None else known + self._looks * self.method.torques_at_start

    def _number(self, i: int) -> int:
        """The number of step i, counted from the start of the problem."""
        return round((self.t0 - self.problem.t0) / self.h) + i

    def _look_before(self, i: int) -> None:
        """Before step i: hold what the law says now, once, if a whole number of periods has gone by."""
        k = self._number(i)
        if k % self._period or (self.held and self.held[0] == k):
            return
        t = self.t0 + i * self.h
        (Q,), (Omega,) = self.in_users_axes(np.array([self.row()]))
        self.held = (k, *self._control.torque(t, Q, Omega).tolist())
        self._hold()
        self._looks += 1
        self.state = self.method.start(self.h, t, *self.state[:2], self.body)

    def _hold(self) -> None:
        self.give(self.problem.holding(np.array(self.held[1:])).parameters)
