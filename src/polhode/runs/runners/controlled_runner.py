"""Runs a method's kernel under a controller: from one of its looks to the next, with what it holds in between."""

import array
from typing import Any

import numpy as np

from polhode.errors import InputError, RunError
from polhode.inputs import steps_to
from polhode.integrators.method import Method
from polhode.kernels import holding
from polhode.kernels.numbers import Body, Mat3, State, Vec3
from polhode.physics.control import asked
from polhode.physics.problem import Problem
from polhode.runs.runners.collocated_motors import collocation, nodes_for
from polhode.runs.runners.kernel_runner import KernelRunner, Watch
from polhode.runs.runners.machine_law import MachineLaw, machine_law

FEW_LOOKS = 16
"""Looks below which a loop of its own is not worth compiling: the bits are the same without."""


class ControlledRunner(KernelRunner):
    """A KernelRunner whose problem has a controller, which looks once a period, counted from the start of the problem.

    `held` is (k, row): before step k of the problem the controller looked last, and since then it holds a row of
    ``kernels/holding.py``; of one that drives wheels `looks` has all rows. Where the law is machine code, so is the
    loop from look to look. A law that is called in Python is called once a period, between loops of machine code.
    """

    def __init__(
        self,
        problem: Problem,
        method: Method,
        h: float,
        compiled: bool | None,
        *,
        held: tuple[float, ...] = (),
        **more: Any,  # as of a KernelRunner
    ) -> None:
        assert problem.control is not None and problem.law is not None  # see ``runner_of``
        self._control, self._looks, self._kernel = problem.control, 0, problem.law
        self._period = problem.control.steps(h)
        super().__init__(problem, method, h, compiled, **more)
        self._memory = self.share()
        self._set_look()
        self._machine_law: MachineLaw | None = None
        self.law = "Python, as the steps"
        if self.is_compiled:
            self._machine_law, self.law = machine_law(self, self._kernel, self._size)
        self.held, self.looks = held, array.array("d")
        if held:
            self._hold(held)

    def _set_look(self) -> None:
        """How it looks, and the numbers of the wheels that this takes."""
        wheels = self.problem.internal.wheels
        if not self._control.wheels or wheels is None:
            self._look_at, self._hold_row = holding.look_at_torque, holding.hold_torque
            self._sizes, self._width, self._about = (3, 0), 4, array.array("d", [0.0])
            self._first_row, self._size = (0.0,) * 4, 3
            return
        k = self._size = len(wheels.each)
        s = nodes_for(self.method) if wheels.curved else 1
        self._look_at, self._hold_row = holding.look_at_wheels, holding.hold_wheels
        axes, beside = wheels.axes @ self.problem.axes, wheels.rotor @ self.problem.axes
        most = [np.inf if w.max_torque is None else w.max_torque for w in wheels.each]
        about = [*np.column_stack([axes, most]).ravel().tolist(), *beside.tolist()]
        if wheels.curved:
            self._look_at, self._hold_row = holding.look_at_motors, holding.hold_curve
            about += [*collocation(s), *(2 * s * k) * [0.0]]
        self._sizes, self._width, self._about = (k, s), 1 + (s + 1) * k, array.array("d", about)
        self._first_row = (wheels.since, *(s * k) * (0.0,), *wheels.momenta.tolist())

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

    # ---- steps --------------------------------------------------------------------------------------

    def prepare(self, n: int) -> None:
        """Compile, if need be, what n steps are taken by."""
        self._loop(n)

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """Take steps; see ``Runner.advance``."""
        done, iterations, error = 0, 0, 0.0
        loop = self._loop(n)
        while done < n:
            i = first + done
            if loop is not None:
                result = self._by_machine(loop, i, n - done, every, left, out, row)
                if result is None:
                    loop = None  # a function of the user's raised: from here on piece by piece, and Python says where
                    continue
                took, row, left, its, error, how = result
                done, iterations = done + took, iterations + its
                if done == n or how == holding.LOOKED:
                    break
                i = first + done
            try:
                self._look_before(i)
            except Exception as raised:
                self.raised = raised
                return done, row, left, iterations, 0.0, self.state
            size = self._until_look(i, n - done)
            took, row, left, its, error, _ = super().advance(i, size, every, left, out, row)
            done, iterations = done + took, iterations + its
            if took < size:
                break
        return done, row, left, iterations, error, self.state

    def _loop(self, n: int) -> Any:
        """The loop from look to look, where n steps are worth one and the law is machine code as it is now."""
        if self._machine_law is None or not self.is_compiled:
            return None
        if self._machine_law.is_outdated():
            self._machine_law, self.law = machine_law(self, self._kernel, self._size)
        if self._machine_law is None or self._survey is not None or n < FEW_LOOKS * self._period:
            return None
        sizes = len(self.state[3]), len(self.body[2])
        return self._machine_law.loop(self.method, self._look_at, sizes, self.machine_arguments()[1])

    def _by_machine(
        self, loop: Any, first: int, n: int, every: int, left: int, out: np.ndarray, row: int
    ) -> tuple[Any, ...] | None:
        """Steps by the loop from look to look, and how the last look went; None, and nothing done, where it raised."""
        assert self._machine_law is not None
        width, keeps = self._width, int(self._control.wheels)
        last = int(self.held[0]) if self.held else -1
        table = np.zeros(width * (2 + keeps * (n // self._period + 1)))
        table[:width] = self.held[1:] or self._first_row
        numbers, head = np.array(self.numbers()), self.machine_arguments()[0]
        clock = self._number(0), self._period, last, keeps
        try:
            took, row, left, its, error, at, looked, how = loop(
                *(*head, self.h, self.t0, first, n, every, left, numbers, out, row),
                *(self._machine_law.address, np.frombuffer(self._about), self._sizes, clock, table),
            )
        except Exception:
            self._hold(self.held)
            return None
        if looked != last:
            self._looks += looked // self._period - (last // self._period if last >= 0 else -1)
            at = at if keeps else 1
            self.held = (looked, *table[width * at : width * (at + 1)].tolist())
            self.looks.frombytes(table[width : width * (at + 1)].tobytes() if keeps else b"")
        if how != holding.LOOKED:
            self._hold(self.held)
        self._numbers, self._state = numbers, None
        return took, row, left, its, error, how

    def from_look_to_look(self, watch: Watch) -> Watch:
        """A loop that watches, with the looks of the controller in between."""

        def watch_and_look(
            first: int, n: int, every: int, left: int, out: np.ndarray, row: int, values: np.ndarray
        ) -> tuple[Any, ...]:
            done, iterations = 0, 0
            while done < n:
                i = first + done
                size = self._until_look(i, n - done)
                try:
                    self._look_before(i)
                    took, row, left, its, error, stop = watch(i, size, every, left, out, row, values)
                except Exception:  # of a function of the user's: a closer look at that step says of which
                    return done, row, left, iterations, 0.0, True
                done, iterations = done + took, iterations + its
                if took < size:
                    return done, row, left, iterations, error, stop
            return done, row, left, iterations, 0.0, False

        return watch_and_look

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

    # ---- looks --------------------------------------------------------------------------------------

    def _number(self, i: int) -> int:
        """The number of step i, counted from the start of the problem."""
        return round((self.t0 - self.problem.t0) / self.h) + i

    def _until_look(self, i: int, most: int) -> int:
        """How many steps from number i are left to the next look, at most `most`."""
        return min(self._period - self._number(i) % self._period, most)

    def _look_before(self, i: int) -> None:
        """Before step i: hold what the law says now, once, if a whole number of periods has gone by."""
        k = self._number(i)
        if k % self._period or (self.held and self.held[0] == k):
            return
        t, width = self.t0 + i * self.h, self._width
        table = array.array("d", (*(self.held[1:] or self._first_row), *width * (0.0,)))
        controller = self._part, self._ask, self._about, self._sizes
        try:
            how = self._look_at(controller, self.h, t, self.state, self.body, table, 0)
            if how == holding.NOT_REACHED:
                raise RunError(f"{self.name} did not reach the times at which the motors are looked at: reduce h")
            if how == holding.NOT_SETTLED:
                raise RunError("the torques of the motors, which are functions, did not settle within a step: reduce h")
        except Exception:
            self._hold(self.held)  # the look may have tried something else
            raise
        self.held = (k, *table[width:])
        self._note()
        self._looks += 1
        self.state = self.method.start(self.h, t, *self.state[:2], self.body)

    def _ask(self, t: float, Q: Mat3, Omega: Vec3, par: Any) -> tuple[float, ...]:
        """What the law says; by Python where machine code does not know, so that it says why."""
        said = self._machine_law and self._machine_law.said(t, Q, Omega, par)
        return said or asked(self._control, self._kernel, t, Q, Omega, par, self._size)

    def _part(self, h: float, t: float, state: State, body: Body) -> tuple[Any, Any, float]:
        """(q, Pi, error) after a part of a step from where it is; see ``kernels/holding.py``."""
        row = super().part(h, t)
        return (state[0], state[1], 1.0) if row is None else (row[:4], row[4:], 0.0)

    def _hold(self, held: tuple[float, ...]) -> None:
        """Hold a row, or nothing: what the problem begins with."""
        if not held:
            self._memory[:] = array.array("d", self.problem.parameters)
            return
        self._hold_row(self._about, self._sizes, self._memory, held[1:], 0)

    def _note(self) -> None:
        if self._control.wheels:
            self.looks.extend(self.held[1:])

    def as_driven(self, last: bool = False) -> Problem:
        """The problem, which knows what its motors did since the runner was made; see ``Runner.as_driven``."""
        looks = np.array(self.looks[1 - len(self.held) :] if last else self.looks)
        return self.problem.driven(looks.reshape(-1, len(self.held) - 1)) if self.looks else self.problem

    def recall(self, held: np.ndarray, looks: np.ndarray) -> None:
        """Go on from what was held, after looks before: of a checkpoint."""
        self.held = (int(held[0]), *held[1:].tolist())
        self._hold(self.held)
        self.looks = array.array("d", looks.tolist())
        self._looks = int(held[0]) // self._period + 1
