"""N bodies under one torque: what each has for itself, and what all share."""

import functools
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.principal import attitude, in_principal
from polhode.inputs.quaternions import quaternion
from polhode.physics.problem import Problem
from polhode.runs.results.users_axes import in_users_axes

IDENTITY = np.eye(3).tobytes()


@dataclass(frozen=True)
class Bodies:
    """What each of N bodies under one torque has for itself; what all share has a leading axis of length one.

    `kinds` are problems with the same torque, one or N; moments and axes are those of the principal axes.
    """

    kinds: list[Any]
    Q0: np.ndarray  # (N, 3, 3)
    Omega0: np.ndarray  # (N, 3)
    inertia: np.ndarray  # (1 or N, 3) or (1 or N, 3, 3), as given
    moments: np.ndarray  # (1 or N, 3)
    axes: np.ndarray  # (1 or N, 3, 3)
    parameters: np.ndarray  # (1 or N, PARAMETERS)

    def __len__(self) -> int:
        return len(self.Q0)

    @functools.cached_property
    def finite(self) -> np.ndarray:
        """Which bodies can start: (N,), whether all their numbers are finite."""
        numbers = (_once(self.Q0), _once(self.Omega0), self.moments, self.parameters)
        if all(np.isfinite(x).all() for x in numbers):
            return np.ones(len(self), dtype=bool)
        finite = functools.reduce(np.logical_and, (np.isfinite(x).reshape(len(x), -1).all(axis=1) for x in numbers))
        return np.broadcast_to(finite, len(self))

    @property
    def has_the_same_axes(self) -> bool:
        """Whether the principal axes of every body are those of the first, to the last bit."""
        bits = self.axes.view(np.int64)
        return len(bits) == 1 or bool((bits == bits[0]).all())

    @property
    def tensors(self) -> np.ndarray:
        """The inertia as tensors in the user's axes, (1 or N, 3, 3)."""
        return self.inertia if self.inertia.ndim == 3 else self.inertia[:, :, None] * np.eye(3)

    def problem(self, i: int) -> Problem:
        """The problem of one body alone."""
        alone = of_body(self.kinds, i).copied(Q0=self.Q0[i], Omega0=self.Omega0[i])
        data = (of_body(x, i) for x in (self.inertia, self.moments, self.axes))
        return alone.with_inertia(*data, tuple(of_body(self.parameters, i).tolist()))

    def some(self, which: np.ndarray) -> "Bodies":
        """Some of the bodies, by their numbers."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "kinds"}
        kinds = self.kinds if len(self.kinds) == 1 else [self.kinds[i] for i in which]
        return Bodies(kinds, **{k: x if len(x) == 1 < len(self) else x[which] for k, x in own.items()})

    def starts(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q (1 or n, 4) and Pi (n, 3) of some bodies in principal axes: the numbers that `Problem.start` gives."""
        axes = self.axes if len(self.axes) == 1 else self.axes[which]
        moments = self.moments if len(self.moments) == 1 else self.moments[which]
        return self.quaternions(which), momenta(moments, axes, self.Omega0[which])

    def quaternions(self, which: np.ndarray) -> np.ndarray:
        """The attitudes of some bodies in principal axes, (1 or n, 4)."""
        axes = self.axes if len(self.axes) == 1 else self.axes[which]
        if len(_once(self.Q0)) == 1 and len(axes) == 1:  # one attitude: without arrays
            return np.array([self.kinds[0].start(self.Q0[0], self.Omega0[0])[0]])
        return quaternion(attitude(self.Q0[which], axes))

    def in_users_axes(self, which: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and velocities of rows (q, Pi), in the user's axes; row k is of body which[k]."""
        if self.has_the_same_axes:
            moments = np.broadcast_to(self.moments, (len(self), 3))[which]
            return in_users_axes(SimpleNamespace(moments=moments, axes=self.axes[0]), rows)
        Q, Omega = np.empty((len(rows), 3, 3)), np.empty((len(rows), 3))
        for i in np.unique(which).tolist():
            own = which == i
            Q[own], Omega[own] = in_users_axes(self.problem(i), rows[own])
        return Q, Omega


def momenta(moments: np.ndarray, axes: np.ndarray, Omega: np.ndarray) -> np.ndarray:
    """Pi (n, 3) of velocities, in principal axes."""
    return moments * (Omega + 0.0 if axes.tobytes() == IDENTITY else in_principal(axes, Omega))


def for_all(numbers: np.ndarray, N: int) -> np.ndarray:
    """One row for each of N bodies, from one row or N; `np.broadcast_to` takes ten times as long."""
    if len(numbers) == N:
        return numbers
    strides = (0, *numbers.strides[1:])
    shared: np.ndarray = np.ndarray((N, *numbers.shape[1:]), numbers.dtype, numbers, 0, strides)
    shared.flags.writeable = False
    return shared


def _once(numbers: np.ndarray) -> np.ndarray:
    """What is the same for all bodies, once."""
    return numbers[:1] if numbers.strides[0] == 0 else numbers


def of_body(shared: Any, i: int) -> Any:
    """What body i has of what one or N bodies have."""
    return shared[i if len(shared) > 1 else 0]


def chosen_numbers(chosen: Any, N: int) -> np.ndarray:
    """The numbers of bodies from a slice, a mask or a sequence of numbers; at least one."""
    if isinstance(chosen, slice):
        which = np.arange(N)[chosen]
    else:
        try:
            which = np.array(chosen)
        except ValueError:  # a list of lists of several lengths
            which = np.array(None)
        if which.dtype == bool and which.shape == (N,):
            which = np.flatnonzero(which)
        elif which.ndim != 1 or (which.size and which.dtype.kind not in "iu"):
            raise InputError(
                f"An ensemble of {N} bodies is indexed by a number, a slice, a list of numbers or a mask of {N}; "
                f"{one_line(chosen)} is none of them."
            )
        if which.size and not (-N <= which.min() and which.max() < N):
            raise IndexError(f"There are {N} bodies, and {one_line(chosen)} asks for others.")
    if not len(which):
        raise InputError(f"{one_line(chosen)} leaves none of the {N} bodies; an ensemble has at least one.")
    return which.astype(int) % N
