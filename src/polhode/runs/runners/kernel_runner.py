"""Runs a method's kernel: as machine code, or as plain Python, bit for bit the same."""

import array
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.integrators.method import Method
from polhode.integrators.velocity import adapted
from polhode.kernels import loop as loops
from polhode.kernels.fingerprint import is_static
from polhode.kernels.numbers import State
from polhode.physics.problem import Problem
from polhode.runs.results.reductions import Survey
from polhode.runs.results.users_axes import ROW, in_users_axes
from polhode.runs.runners.checked_steps import CheckedSteps, Stretch, numbers_of, state_of
from polhode.runs.runners.code import Code, Kept, body_of, head_of, keep, known, machine_torque, never_changes
from polhode.runs.runners.guarding import compare, guard, guarded_at
from polhode.runs.runners.step_failures import failure_of
from polhode.runs.runners.whole_runs import from_start

Watch: TypeAlias = Callable[..., tuple[Any, ...]]
"""watch(first, n, every, left, out, row, values): see ``between_steps/machine_events.py``."""

Start: TypeAlias = tuple[Any, Any, float | None]
"""Attitude, velocity and time of a start; None stands for that of the problem."""


class KernelRunner(CheckedSteps):
    """Runs a kernel step, as machine code or as plain Python."""

    width = ROW
    ended = ""  # by an event: see ``between_steps/watched.py``
    held: tuple[float, ...] = ()  # by a controller: see ``controlled_runner.py``
    law = ""  # of a controller
    _state: State | None = None  # the state as tuples, or
    _numbers: np.ndarray | None = None  # as machine code has left it, or finds it
    _began: tuple[State, np.ndarray] | None = None  # the state of `_first`, and its numbers

    def __init__(
        self,
        problem: Problem,
        method: Method,
        h: float,
        compiled: bool | None,
        *,
        start: Start = (None, None, None),
        survey: Survey | None = None,
        own_loop: bool = True,
    ) -> None:
        if method.free_only and problem.has_torque:
            raise InputError(f"{method.name} is for a free body only, and {problem.name!r} has a torque.")
        self.problem, self.method, self.h = problem, adapted(method, problem.forces), h
        self.name = method.name
        Q, Omega, t = start
        self.t0 = problem.t0 if t is None else t
        q, Pi = problem.start(Q, Omega)
        self._survey, self._doubts, self._own_loop = survey, 0, own_loop  # False: another loop takes the steps
        self.raised: Exception | None = None
        self.is_compiled = False
        self._code: Code | None = None
        earlier: Kept | None = None
        if survey is None and compiled is not False:
            entry = known(problem, self.method)
            if entry is not None:
                self.body, earlier = entry
                self._code, self.is_compiled = earlier.code, True
        try:
            if self._code is None:
                self.body = body_of(problem, self.method)
            self._begin(q, Pi)
        except InputError:  # which has its sentence
            raise
        except (ArithmeticError, ValueError) as error:  # of math: a division by zero, a range, a domain
            raise InputError(
                f"{method.name} cannot start at t = {self.t0:g} of {problem.name}: {type(error).__name__}: {error}. "
                "The torque may be singular there, or h, inertia or velocity be too large: start elsewhere, or rescale."
            ) from error
        if earlier is None and compiled is not False:
            self._compile(required=bool(compiled))
        elif earlier is not None and guard(problem, self.method, earlier, self.body[3][0], self.t0, self.state):
            self._begin(q, Pi)

    def _begin(self, q: Sequence[float], Pi: Sequence[float]) -> None:
        self.state = self.method.start(self.h, self.t0, q, Pi, self.body)
        self._first = (self.h, self.t0, q, Pi), self.state
        self._look = self._survey.begin(self.problem, self.state, self.body) if self._survey else ()

    def _compile(self, required: bool) -> None:
        from polhode.machine import CannotCompile, potential_code, steps_loop, survey_loop

        torque, kind = machine_torque(self.problem, self.method)
        if torque is None:
            if required:
                raise InputError(f"compiled=True, but the torque of {self.problem.name!r} cannot be compiled.")
            return
        if compare(self.problem, self.method, torque, kind, self.t0, self.row()):
            self._begin(*self.state[:2])
        look, potential = self._look, None
        if self._survey is not None:
            wanted = self._survey.wants_energy
            potential = self.problem.machine_potential if wanted else potential_code(self._survey.potential)
            if potential is None:
                return  # with a warning
            look = (potential.address, *look)
        try:
            make = survey_loop if look else steps_loop
            sizes = len(self.state[3]), len(self.body[2])
            loop = make(self.method.step, *sizes, kind) if self._own_loop else None
        except CannotCompile as error:
            if required:
                raise InputError(f"compiled=True, but {self.name} cannot be compiled: {error.reason}") from error
            inputs.warn(f"{self.name} could not be compiled and runs interpreted: {error.reason}")
            return
        self._code, self.is_compiled = (
            Code(loop, head_of(self.body, torque.address), kind, look, (torque, potential)),
            True,
        )
        if self._survey is None and self._own_loop:
            place = guarded_at(self.t0, self.state, len(self.body[3]) > 2)
            keep(self.problem, self.method, self.body, self._code, place)

    def machine_arguments(self) -> tuple[tuple[Any, ...], Any]:
        """The first arguments of a loop of machine code (constants, torque, parameters), and the type of the torque."""
        assert self._code is not None  # asked of compiled runners only
        return self._code.head, self._code.kind

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """Take steps; see ``Runner.advance``."""
        code = self._code if self.is_compiled and self._survey is None else None
        if code is not None:
            numbers = self._numbers
            if numbers is None:
                numbers = np.array(self.numbers())
            try:
                done = code.loop(*code.head, self.h, self.t0, first, n, every, left, numbers, out, row)
            except Exception:  # it has changed nothing but rows: again, with care
                pass
            else:
                self._numbers, self._state = numbers, None
                return *done, None
        result = self._advance(Stretch(self.h, self.t0, first, n, every, left, self.state, out, row))
        self.state = result[5]
        return result

    @property
    def state(self) -> State:
        """The state of a step, as tuples; machine code leaves it as an array until somebody asks."""
        if self._state is None:
            assert self._numbers is not None
            self._state = state_of(self._numbers.tolist())
        return self._state

    @state.setter
    def state(self, state: State) -> None:
        self._state, self._numbers = state, None

    def share(self) -> "array.array[float]":
        """The parameters of the torque as memory of this runner, which machine code reads, too: may be written to."""
        J, iJ, numbers, (kernel, par, *rest) = self.body
        memory = array.array("d", par)
        self.body = (J, iJ, numbers, (kernel, memory, *rest))
        if self._code is not None:
            constants, address, _ = self._code.head
            self._code = self._code._replace(head=(constants, address, np.frombuffer(memory)))
        return memory

    def from_look_to_look(self, watch: Watch) -> Watch:
        """A loop that watches, as it is where no controller looks: see ``controlled_runner.py``."""
        return watch

    def as_driven(self, last: bool = False) -> Problem:
        """The problem, with what a controller did to its wheels; see ``controlled_runner.py``."""
        return self.problem

    def row(self) -> tuple[float, ...]:
        """The state as a row."""
        return self.state[0] + self.state[1]

    def in_users_axes(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and velocities of rows, in the user's axes."""
        return in_users_axes(self.problem, rows)

    def row_of(self, Q: np.ndarray, Omega: np.ndarray) -> tuple[float, ...]:
        """The row of an attitude and a velocity in the user's axes."""
        q, Pi = self.problem.start(Q, Omega)
        return q + Pi

    def place(self, row: Sequence[float], t: float, h: float) -> None:
        """Begin anew from a row at time t, with steps of h; a method that carries memory starts anew there."""
        self.state = self.method.start(h, t, tuple(row[:4]), tuple(row[4:7]), self.body)
        self.h, self.t0 = h, t

    def again(self, problem: Problem, h: float) -> bool:
        """Begin anew; see ``Runner.again``."""
        if not (self.is_compiled and problem.parameters == self.body[3][1]):
            return False
        first = (h, problem.t0, *problem.start())
        if self._first[0] != first:
            self._first = first, self.method.start(*first, self.body)
        if not self.lasts(problem):
            return False
        self.h, self.t0, self.state, self.problem, self.raised = h, problem.t0, self._first[1], problem, None
        self._numbers = self._first_numbers()
        return True

    def _first_numbers(self) -> np.ndarray:
        """The state in which it began, for machine code to go on from."""
        state, numbers = self._first[1], self._began
        if numbers is None or numbers[0] is not state:
            self._began = numbers = state, np.array(numbers_of(state))
        return numbers[1].copy()

    def from_start(self, n: int, every: int) -> Callable[[], tuple[Any, ...]]:
        """run(): all n steps from the start once more, as `advance` takes them; for a compiled run.

        Whether the start and what is run are what they were is asked before: see `lasts`.
        """
        assert self._code is not None
        numbers, code = self._first_numbers(), self._code
        head = (*code.head, self.h, self.t0, 0, n, every, every, numbers)
        return from_start(code.loop, head, (0,), numbers, n, every, lambda: numbers[:ROW])

    @functools.cached_property
    def lasting(self) -> bool:
        """Whether what it runs cannot change."""
        return is_static(self.body[3][0]) and never_changes(self.method)

    def lasts(self, problem: Problem) -> bool:
        """Whether the functions that it runs, of a problem that starts where it did, are proved to be what they were.

        Those that may change were then also compared with their machine code from this start.
        """
        if self.lasting:
            return True
        entry = known(problem, self.method)
        if entry is None or entry[1].code is not self._code:
            return False
        (_, t, *_), state = self._first
        return entry[1].compared == guarded_at(t, state, entry[1].moving)

    def part(self, h: float, t: float) -> tuple[float, ...] | None:
        """The row after one step of another length h from here, at time t, without going there; None if it fails."""
        state, out = self.method.start(h, t, *self.state[:2], self.body), np.empty((1, 7))
        if self._survey:  # nothing of this is tallied
            took, *_ = loops.advance(self.method.step, self.body, (h, t, 0, 1), state, out, (0, 1, 1))
        else:
            took, *_ = self._advance(Stretch(h, t, 0, 1, 1, 1, state, out, 0))
        return tuple(out[0].tolist()) if took else None

    def numbers(self) -> tuple[float, ...]:
        """The whole state as numbers; `restore` takes them back."""
        return numbers_of(self.state)

    def restore(self, numbers: Sequence[float] | np.ndarray) -> None:
        """Go on from the state that `numbers` gave."""
        self.state = state_of(numbers)

    def made_of(self) -> tuple[Any, ...]:
        """What the method is: its functions and coefficients."""
        return self.method.step, self.method.start, self.body[2]

    def torques(self, steps: int, iterations: int) -> int | None:
        """How often the torque has been evaluated."""
        return self.method.torques_of_run(steps, iterations)

    def failure(self, k: int, t: float, error: float) -> str:
        """The sentence for a step that failed: number k, at time t."""
        return failure_of(self, k, t, error)
