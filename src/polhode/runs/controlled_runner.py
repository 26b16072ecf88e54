"""Runs a method's kernel under a controller: from one of its looks to the next, with the torque that it holds."""

import array
import functools
from typing import Any

import numpy as np

from polhode.errors import InputError, RunError
from polhode.inputs import steps_to
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.physics.wheels import spun
from polhode.runs.collocated_motors import coefficients, nodes_for
from polhode.runs.kernel_runner import KernelRunner
from polhode.runs.reductions import Survey


class ControlledRunner(KernelRunner):
    """A KernelRunner whose problem has a controller, which looks once a period, counted from the start of the problem.

    `held` is (k, t, u1, u2, u3): before step k of the problem, at t, the controller looked last, and it holds u since,
    in the user's axes. Of one that drives wheels it is (k, t, torques of the motors, momenta of the wheels then), of
    motors whose torques are functions it has the coefficients of ``collocated_motors.py`` in place of torques, and
    `looks` has all of them, without k. A look is a jump of the torque, so the method is started anew there: what it
    carries, be it torques of the past or a guess, belongs to the torque before. A run is so, for every method, that of
    its pieces.
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
        self.held, self.looks = held, array.array("d")
        if held:
            self._hold()

    def first_look(self) -> None:
        """Let the controller look at the start, before there is a run: what the law raises is for the user."""
        self._look_before(0)

    def check_look(self) -> None:
        """Raise InputError unless the controller looks here: a single step does not know what it held before."""
        t, t0, period = self.t0, self.problem.t0, self._control.period
        if self._control.wheels and t != t0:
            raise InputError(
                f"How fast the wheels of {self.problem.name!r} turn at t = {t:g} is not known, but at its start, "
                f"t = {t0:g}. Take a step from there, or make an Integrator."
            )
        n, is_whole = steps_to(t0, self.h, t)
        if not is_whole or n % self._period:
            raise InputError(
                f"What the controller of {self.problem.name!r} holds at t = {t:g} is not known: it looks at {t0:g} + k "
                f"{period:g}. Take a step from there, or make an Integrator."
            )

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """Take steps; see ``Runner.advance``."""
        done, iterations, error = 0, 0, 0.0
        while done < n:
            i = first + done
            try:
                self._look_before(i)
            except Exception as raised:
                self.raised = raised
                return done, row, left, iterations, 0.0, self.state
            size = min(self._period - self._number(i) % self._period, n - done)
            took, row, left, its, error, _ = super().advance(i, size, every, left, out, row)
            done, iterations = done + took, iterations + its
            if took < size:
                break
        return done, row, left, iterations, error, self.state

    def again(self, problem: Problem, h: float) -> bool:
        """What the controller holds is not known there: made anew."""
        return False

    def part(self, h: float, t: float) -> tuple[float, ...] | None:
        """See ``Runner.part``; what is held after a look at t counts."""
        self._look_before(round((t - self.t0) / self.h))
        return super().part(h, t)

    def torques(self, steps: int, iterations: int) -> int | None:
        """How often the torque has been evaluated."""
        counted = super().torques(steps, iterations)
        if self.problem.forces.curved:
            return None
        return None if counted is None else counted + self._looks * self.method.torques_at_start

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
        self.held = (k, t, *self._says(t, Q, Omega))
        self._hold()
        self._looks += 1
        self.state = self.method.start(self.h, t, *self.state[:2], self.body)

    def _says(self, t: float, Q: np.ndarray, Omega: np.ndarray) -> list[float]:
        """What the law says, and the momenta of the wheels where it drives them."""
        wheels = self.problem.internal.wheels
        if not self._control.wheels or wheels is None:
            return self._control.torque(t, Q, Omega).tolist()
        curve = wheels.clipped(self._control.torque(t, Q, Omega, len(wheels.each)))[None]
        p = wheels.momenta if not self.held else self._spins(t)
        if wheels.curved:
            before = self._course()[0] if self.held else curve[:0]
            motors = functools.partial(self._motors, t, p)
            curve = coefficients(motors, curve[0], before, nodes_for(self.method), self.h)
        return [*curve.ravel().tolist(), *p.tolist()]

    def _motors(self, t: float, p: np.ndarray, x: float, curve: np.ndarray) -> np.ndarray:
        """The torques of motors at a part x of the step from t, while the momenta of the wheels change as given."""
        wheels = self.problem.internal.wheels
        assert wheels is not None
        self.give(self.problem.driving(t, curve, p))
        row = super().part(x * self.h, t)
        if row is None:
            raise RunError(f"{self.name} did not reach t = {t + x * self.h:g} for the torques of the motors: reduce h")
        (Q,), (Omega,) = self.in_users_axes(np.array([row]))
        return wheels.clipped(self._control.torque(t + x * self.h, Q, Omega, len(wheels.each)))

    def _course(self) -> tuple[np.ndarray, np.ndarray]:
        """How the momenta of the wheels change since the last look, and what they were."""
        assert self.problem.internal.wheels is not None
        numbers = np.array(self.held[2:]).reshape(-1, len(self.problem.internal.wheels.each))
        return numbers[:-1], numbers[-1]

    def _spins(self, t: float) -> np.ndarray:
        """The momenta of the wheels at t, after the last look."""
        curve, p = self._course()
        return spun(p, curve, t - self.held[1])

    def _hold(self) -> None:
        if not self._control.wheels:
            self.give(self.problem.holding(np.array(self.held[2:])).parameters)
            return
        self.looks.extend(self.held[1:])
        self.give(self.problem.driving(self.held[1], *self._course()))

    def as_driven(self, last: bool = False) -> Problem:
        """The problem, which knows what its motors did since the runner was made; see ``Runner.as_driven``."""
        looks = np.array(self.looks[1 - len(self.held) :] if last else self.looks)
        return self.problem.driven(looks.reshape(-1, len(self.held) - 1)) if self.looks else self.problem

    def recall(self, held: np.ndarray, looks: np.ndarray) -> None:
        """Go on from what was held, after looks before: of a checkpoint."""
        self.held = (int(held[0]), *held[1:].tolist())
        self._hold()
        self.looks = array.array("d", looks.tolist())
        self._looks = int(held[0]) // self._period + 1
