"""What a Trajectory shows of the rows of a run: times, attitudes and velocities, made when they are first looked at.

Making them takes longer than a short run, and of many runs only one column is wanted.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.runs import turns
from polhode.runs.results.users_axes import FEW_ROWS, attitudes, velocities

if TYPE_CHECKING:
    from polhode.physics.problem import Problem


MADE_BY = "columns_of_run"
"""The attribute of a Trajectory that makes the others when they are wanted: a function, and what it takes after the
name of the one wanted."""


COLUMNS = ("t", "Q", "Omega")


class Columns:
    """The columns of a run of n steps of h, with a row (q, Pi) after every `every`-th; the start comes first."""

    __slots__ = ("_Omega0", "_Q0", "_problem", "_rows", "_times")

    def __init__(
        self,
        problem: "Problem",
        rows: np.ndarray,
        times: tuple[float, float, int, int],
        start: tuple[np.ndarray, ...] | None = None,
    ) -> None:
        """`times` are t0, h, every and n; `start` is a copy of Q0 and Omega0, if there is one."""
        self._problem, self._rows, self._times = problem, rows, times
        self._Q0, self._Omega0 = start or (problem.Q0.copy(), problem.Omega0.copy())  # as they are now

    def field(self, name: str) -> np.ndarray:
        """One of COLUMNS."""
        column: np.ndarray = getattr(self, name)()
        return column

    def t(self) -> np.ndarray:
        """The times."""
        return times_of(*self._times, 0, len(self._rows))

    def Q(self) -> np.ndarray:
        """The attitudes, in the user's axes."""
        return np.concatenate([self._Q0[None], attitudes(self._problem, self._rows)])

    def Omega(self) -> np.ndarray:
        """The velocities, in the user's axes."""
        return np.concatenate([self._Omega0[None], velocities(self._problem, self._rows)])

    def fastest(self) -> float:
        """The largest |Omega|, which is the same in all axes."""
        if len(self._rows) > FEW_ROWS:
            return max(turns.fastest(self._Omega0), turns.fastest(self._rows[:, 4:] / self._problem.moments))
        return fastest_of(self._problem.moments.tolist(), self._Omega0.tolist(), self._rows.tolist())


def fastest_of(moments: Sequence[float], Omega0: Sequence[float], rows: Iterable[Sequence[float]]) -> float:
    """The largest |Omega| of a start and a few rows, as plain floats; the bits are those of arrays."""
    I, J, K = moments
    x, y, z = Omega0
    most = x * x + y * y + z * z
    for _, _, _, _, a, b, c in rows:
        x, y, z = a / I, b / J, c / K
        square = x * x + y * y + z * z
        if most < square < math.inf:
            most = square
    return math.sqrt(most)


def times_of(t0: float, h: float, every: int, n: int, first: int, last: int) -> np.ndarray:
    """The times of rows `first` to `last` of a run of n steps, a row every so many."""
    if last - first < 4:  # plain floats are faster than arrays; the bits are the same
        return np.array([t0 + h * min(every * k, n) for k in range(first, last + 1)])
    return t0 + h * np.minimum(every * np.arange(first, last + 1), n)


class Made:
    """A field: the instance's own if it has one, else made when it is first looked at, by what is at MADE_BY.

    A descriptor without a setter: what is in the instance comes first.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, trajectory: Any, kind: type) -> Any:
        if trajectory is None:
            raise AttributeError(self._name)  # to a dataclass, a field without a default
        attributes = trajectory.__dict__
        field, *facts = attributes[MADE_BY]
        attributes[self._name] = value = field(self._name, *facts)
        return value
