"""Steps that follow the motion and stay reversible: `solve(..., adapt=...)`; the idea is in ``kernels/adapting.py``.

The rows of such a run have times of their own, which the Trajectory shows. Measured on the soft wall with VLV: the
largest energy error is a sixth of that of as many fixed steps, and neither drifts; a plain controller, whose step is a
function of the state at its begin, loses energy all the time. A map with such steps is reversible, not symplectic: on
the stress test, which was built to tell the two apart, the energy drifts (``tests/runs/test_adaptive.py``). A step
costs about twice as much, a torque each more for equal angles.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import event_kernel
from polhode.integrators.lookup import Integrator, name_of
from polhode.integrators.method import Method
from polhode.integrators.velocity import adapted
from polhode.kernels import adapting
from polhode.physics.problem import Problem
from polhode.runs.drive import CHUNK_SECONDS, Interrupt
from polhode.runs.kernel_runner import KernelRunner
from polhode.runs.trajectory import Trajectory

MOST_STEPS = 2**62
"""As many as it takes to the end."""

CHUNK = 16_384
"""Steps between two looks at Ctrl-C and at the memory."""


def checked(problem: Problem, method: Integrator, adapt: Any) -> Callable | None:
    """The density that is asked for; None for that of equal angles."""
    if adapt is not True and not callable(adapt):
        raise InputError(
            f"adapt is {adapt!r}; give True, for steps that turn the body by equal angles, or a function "
            "adapt(t, Q, Omega) -> positive number: how many steps there are to be in a unit of time, times h."
        )
    if not isinstance(method, Method) or not method.symmetric or method.extended:
        raise InputError(
            f"adapt is for symmetric one-step methods, whose long-time behaviour it keeps, and {name_of(method)} is "
            "none by its claims: take VLV, RKN8, GAUSS8 or another that is, or give accuracy instead of h."
        )
    if problem.control is not None or problem.breaks:
        raise InputError(
            f"The torque of {problem.name!r} jumps at given times, which steps of their own lengths do not meet: give "
            "h without adapt."
        )
    return None if adapt is True else adapt


class AdaptiveRunner:
    """Takes steps of their own lengths; it knows where it is, and can turn back."""

    def __init__(
        self, problem: Problem, method: Method, h: float, density: Callable | None, compiled: bool | None = None
    ) -> None:
        self.one = KernelRunner(problem, adapted(method, problem.forces, one_size=False), h, compiled)
        self.problem, self.h, self.name = problem, h, method.name
        self._torque = adapting.carried if method.explicit_torque else adapting.anew
        self._here, self._elsewhere, self._about = self._kernels(density)
        self._loop = self._machine(density)
        first, rate = self._first(), self._growth(problem.t0)
        self.clock = (first - h / 2 * rate, problem.t0, 0.0)

    def _kernels(self, density: Callable | None) -> tuple[Callable, Callable, tuple]:
        """The density as kernels, and what it is about."""
        one = self.one
        if density is not None:
            about = event_kernel(density), tuple(self.problem.axes.ravel().tolist())
            return adapting.by_function_here, adapting.by_function, about
        start = adapting.turning(one.state[1], self._torque(one.t0, one.state, one.body), one.body)
        if not start > 0:
            raise InputError(
                f"{self.problem.name!r} starts at rest and without a torque: steps of equal angles have no length. "
                "Give adapt a function of your own."
            )
        return adapting.by_turning_here, adapting.by_turning, (start,)

    @property
    def _density(self) -> tuple:
        return self._torque, self._here, self._elsewhere, self._about

    def _first(self) -> float:
        try:
            value = float(self._elsewhere(self.one.t0, *self.one.state[:2], self.one.body, self._about))
        except Exception as error:
            raise InputError(
                f"adapt raised {type(error).__name__} at the start: {error}. It is called as adapt(t, Q, Omega) and "
                "must return one positive number."
            ) from error
        if not 0 < value < math.inf:
            raise InputError(f"adapt is {value} at the start; it must be a positive number.")
        return value

    def _growth(self, t: float) -> float:
        return adapting.growth(self._density, self.h, t, self.one.state, self.one.body)

    def _machine(self, density: Callable | None) -> Callable:
        """The loop, as machine code where torque and density can be; state and clock stay here."""
        if not self.one.is_compiled:
            return self._plain
        from polhode.machine import adapting as machine
        from polhode.machine import compile, watching

        code, address, par = None, 0, np.array(self._about[:1] if density is None else self._about[1])
        if density is not None:
            try:
                code = watching.event(self._about[0])
            except compile.CannotCompile as error:
                inputs.warn(f"adapt could not be compiled, and the run is interpreted: {error.reason}")
                return self._plain
            self.one.check_event(self._about[0], code, par)
            address = code.address
        head, kind = self.one.machine_arguments()
        state, method = self.one.state, self.one.method
        loop = machine.loop(method.step, self._torque, len(state[3]), len(self.one.body[2]), kind, density is not None)

        def advance(t_end: float, n: int, every: int, left: int, out: np.ndarray, row: int, held: Any = code) -> tuple:
            numbers, clock = np.array(self.one.numbers()), np.array(self.clock)
            done = loop(*head, self.h, t_end, n, every, left, numbers, clock, out, row, address, par)
            self.one.restore(numbers.tolist())
            self.clock = tuple(clock.tolist())
            return done

        return advance

    def _plain(self, t_end: float, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple:
        """The loop as plain Python, a step at a time: when a function of the user's raises, nothing before is lost."""
        one, iterations = self.one, 0
        for i in range(n):
            try:
                took, row, left, its, error, one.state, self.clock, arrived = adapting.advance_adapting(
                    *(one.method.step, self._density, one.body, self.h, t_end, 1, every, left),
                    *(one.state, self.clock, out, row),
                )
            except Exception as raised:
                one.raised = raised
                return i, row, left, iterations, 0.0, False
            iterations += its
            if not took:
                return i, row, left, iterations, error, arrived
        return n, row, left, iterations, 0.0, False

    @property
    def is_compiled(self) -> bool:
        """Whether machine code takes the steps."""
        return self._loop != self._plain

    @property
    def t(self) -> float:
        """The time it has come to."""
        return self.clock[1]

    def advance(self, t_end: float, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple:
        """Take steps: (taken, next row, left, iterations, error, whether the next would end behind t_end)."""
        try:
            return self._loop(t_end, n, every, left, out, row)
        except Exception:  # of machine code of a user's function: Python says which, and where
            self._loop = self._plain
            return self._loop(t_end, n, every, left, out, row)

    def turn_back(self) -> None:
        """From here on, the steps that were taken, backwards."""
        rho, t, lost = self.clock
        self.clock = (rho + self.h * self._growth(t), t, lost)
        self.h = -self.h
        self.one.place(self.one.row(), t, self.h / self.clock[0])

    def failure(self, k: int, error: float) -> str:
        """The sentence for step k, which failed."""
        if error == -1.0:
            return (
                f"The density of steps became zero or less at step {k} (t = {self.t:g}) of {self.problem.name} with "
                f"h = {self.h:g}: it changes by more than itself in a step. Reduce h, or give one that varies less."
            )
        return self.one.failure(k, self.t, error)


def adaptive(
    problem: Problem,
    method: Method,
    h: float,
    end: tuple[float, int],
    every: int,
    density: Callable | None,
    compiled: bool | None,
) -> Trajectory:
    """A run to a time, or over a number of steps (the other is then infinite)."""
    runner = AdaptiveRunner(problem, method, h, density, compiled)
    t_end, n = end
    begin, parts = time.perf_counter(), []
    done, left, iterations, message, arrived, chunk = 0, every, 0, "", False, CHUNK if runner.is_compiled else 16
    with Interrupt() as interrupt:
        while done < n and not arrived and not message:
            size = min(chunk, n - done)
            out, clock = np.empty((size // every + 1, 8)), time.perf_counter()
            took, row, left, its, error, arrived = runner.advance(t_end, size, every, left, out, 0)
            parts.append(out[:row])
            done, iterations = done + took, iterations + its
            inputs.check_memory(160, done, every)
            if took < size and not arrived:
                message = runner.failure(done, error)
            elif interrupt.seen:
                message = f"Interrupted at step {done} (t = {runner.t:g}); what was computed until then is here."
            seconds = max(time.perf_counter() - clock, 1e-9)
            chunk = max(1, min(CHUNK * every, 32 * chunk, int(chunk * CHUNK_SECONDS / seconds)))
    if arrived or (done == n and left != every):  # the last state is kept, and t_end is met by a shorter step
        rest = t_end - runner.t if arrived else 0.0
        last = runner.one.part(rest, runner.t) if rest else runner.one.row()
        if last is None:
            message = f"{runner.name} cannot take the last step to t = {t_end:g}. Reduce h."
        elif rest or left != every:
            parts.append(np.array([[*last, t_end if arrived else runner.t]]))
    return _trajectory(runner, np.concatenate([np.empty((0, 8)), *parts]), (done, iterations), every, message, begin)


def _trajectory(
    runner: AdaptiveRunner, rows: np.ndarray, counts: tuple[int, int], every: int, message: str, begin: float
) -> Trajectory:
    problem, one, (done, iterations) = runner.problem, runner.one, counts
    Q, Omega = one.in_users_axes(rows[:, :7])
    t = np.append(problem.t0, rows[:, 7])
    Q, Omega = np.concatenate([problem.Q0[None], Q]), np.concatenate([problem.Omega0[None], Omega])
    lengths = np.abs(np.diff(t))[: max(1, len(t) - 2)] / every
    stats = {
        "n_steps": done,
        "n_torque": one.torques(done, iterations),
        "n_iterations": iterations,
        "compiled": runner.is_compiled,
        "interrupted": message.startswith("Interrupted"),
        "wall_time": time.perf_counter() - begin,
        "adapted": every,
        "shortest_step": float(lengths.min()) if len(lengths) else math.nan,
        "longest_step": float(lengths.max()) if len(lengths) else math.nan,
        "largest_turn": float((lengths * np.linalg.norm(Omega[: len(lengths)], axis=1)).max()) if len(lengths) else 0.0,
    }
    return Trajectory(
        problem=problem,
        method=runner.name,
        h=runner.h,
        t=t,
        Q=Q,
        Omega=Omega,
        stats=stats,
        success=not message,
        message=message,
        problem_name=problem.name,
        exception=one.raised,
        integrator=one.method,
    )
