"""Runs what can only be called: a user's step in NumPy, or an integrator behind a BlackBox."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.returned import state_returned
from polhode.integrators.lookup import name_of
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem


class PlainRunner:
    """Runs a user's function step(problem, Q, Omega, h, t) -> (Q1, Omega1), or a BlackBox."""

    is_compiled = False
    width = 12  # numbers in a row: Q, Omega
    ended = ""
    held: tuple[float, ...] = ()  # no controller
    law = ""

    def __init__(self, problem: Problem, function: Any, h: float) -> None:
        if problem.control is not None:
            raise InputError(
                f"{problem.name!r} has a controller, which goes with a method of the catalogue or a Method alone."
            )
        self.problem, self.function, self.h = problem, function, h
        self.name = name_of(function)
        self.t0 = problem.t0
        self.raised: Exception | None = None
        self.Q, self.Omega = problem.Q0.copy(), problem.Omega0.copy()

    def as_driven(self, last: bool = False) -> Problem:
        """The problem: nothing but itself drives its wheels."""
        return self.problem

    def again(self, problem: Problem, h: float) -> bool:
        """Never: a user's function may have changed. See ``Runner.again``."""
        return False

    def one(self, Q: np.ndarray, Omega: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """One step, checked."""
        try:
            return self.some(Q, Omega, t, 1)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{self.name} raised {type(error).__name__} at t = {t:g}: {error}.") from error

    def some(self, Q: np.ndarray, Omega: np.ndarray, t: float, n: int) -> tuple[np.ndarray, np.ndarray]:
        """n steps at once by a BlackBox, or one by a function; checked."""
        if isinstance(self.function, BlackBox):
            result = self.function.advance(self.problem, Q, Omega, self.h, n, t)
        else:
            result = self.function(self.problem, Q, Omega, self.h, t)
        try:
            Q1, Omega1 = state_returned(result, float)
        except (TypeError, ValueError):
            raise InputError(
                f"{self.name} returned {one_line(result)}; it must return (Q1, Omega1), real numbers."
            ) from None
        if Q1.shape != (3, 3) or Omega1.shape != (3,):
            raise InputError(
                f"{self.name} returned shapes {Q1.shape} and {Omega1.shape}; it must return Q1 (3, 3) and Omega1 (3,)."
            )
        return Q1, Omega1

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """As ``Runner.advance``; rows hold Q and Omega (12 numbers): Q need not be a rotation."""
        i, end = first, first + n
        while i < end:
            took = min(left, end - i) if isinstance(self.function, BlackBox) else 1
            try:
                Q, Omega = self.some(self.Q, self.Omega, self.t0 + i * self.h, took)
            except Exception as raised:
                if isinstance(raised, InputError) and i == 0:  # misuse; later, what was computed is worth keeping
                    raise
                self.raised = raised
                return i - first, row, left, 0, 0.0, None
            if not (np.isfinite(Q).all() and np.isfinite(Omega).all()):
                return i - first, row, left, 0, math.inf, None
            self.Q, self.Omega = Q, Omega
            i += took
            left -= took
            if left == 0:
                out[row] = np.concatenate([Q.ravel(), Omega])
                row += 1
                left = every
        return n, row, left, 0, 0.0, None

    def row(self) -> np.ndarray:
        """The state as a row."""
        return np.concatenate([self.Q.ravel(), self.Omega])

    def in_users_axes(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and velocities of rows."""
        return rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]

    def row_of(self, Q: np.ndarray, Omega: np.ndarray) -> tuple[float, ...]:
        """The row of an attitude and a velocity."""
        return (*np.asarray(Q).ravel().tolist(), *np.asarray(Omega).tolist())

    def place(self, row: Sequence[float], t: float, h: float) -> None:
        """Begin anew from a row at time t, with steps of h."""
        self.restore(row)
        self.h, self.t0 = h, t

    def part(self, h: float, t: float) -> tuple[float, ...] | None:
        """The row after one step of another length h from here, at time t, without going there; None if it fails."""
        own, self.h = self.h, h
        try:
            Q, Omega = self.some(self.Q, self.Omega, t, 1)
        finally:
            self.h = own
        row = self.row_of(Q, Omega)
        return row if all(map(math.isfinite, row)) else None

    def numbers(self) -> np.ndarray:
        """The whole state as numbers; `restore` takes them back."""
        return self.row()

    def restore(self, numbers: Sequence[float] | np.ndarray) -> None:
        """Go on from the state that `numbers` gave."""
        self.Q, self.Omega = np.array(numbers[:9]).reshape(3, 3), np.array(numbers[9:])

    def made_of(self) -> tuple[Any, ...]:
        """What the method is: the function."""
        return (self.function,)

    def torques(self, steps: int, iterations: int) -> None:
        return None

    def failure(self, k: int, t: float, error: float) -> str:
        where = f"at step {k} (t = {t:g}) of {self.problem.name}"
        if self.raised is not None:
            what = f"{type(self.raised).__name__} {where}: {str(self.raised).rstrip('.')}."
            return f"{self.name} raised {what} What was computed until then is here."
        return f"{self.name} returned a value that is not finite {where}."
