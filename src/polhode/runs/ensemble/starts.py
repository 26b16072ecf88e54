"""The bodies of an ensemble: starts, inertias and parameters of N bodies, from what the user gives."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.inputs import functions
from polhode.inputs import parameters as named
from polhode.inputs.numbers import real_array
from polhode.inputs.principal import attitude, in_principal, velocity
from polhode.inputs.quaternions import quaternion
from polhode.physics.problem import Problem
from polhode.runs.results.users_axes import in_users_axes

IDENTITY = np.eye(3).tobytes()


@dataclass(frozen=True)
class Bodies:
    """What N bodies under one torque have each for itself; what all share has a leading axis of length one.

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
    def in_principal_axes(self) -> bool:
        """Whether the user's axes are the principal axes of every body."""
        return bool((self.axes == np.eye(3)).all())

    @property
    def tensors(self) -> np.ndarray:
        """The inertia as tensors in the user's axes, (1 or N, 3, 3)."""
        return self.inertia if self.inertia.ndim == 3 else self.inertia[:, :, None] * np.eye(3)

    def problem(self, i: int) -> Problem:
        """The problem of one body alone."""
        alone = _of(self.kinds, i).copied(Q0=self.Q0[i], Omega0=self.Omega0[i])
        data = (_of(x, i) for x in (self.inertia, self.moments, self.axes))
        return alone.with_inertia(*data, tuple(_of(self.parameters, i).tolist()))

    def some(self, which: np.ndarray) -> "Bodies":
        """Some of the bodies, by their numbers."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "kinds"}
        kinds = self.kinds if len(self.kinds) == 1 else [self.kinds[i] for i in which]
        return Bodies(kinds, **{k: x if len(x) == 1 < len(self) else x[which] for k, x in own.items()})

    def starts(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q (1 or n, 4) and Pi (n, 3) of some bodies in principal axes: the numbers that `Problem.start` gives."""
        axes = self.axes if len(self.axes) == 1 else self.axes[which]
        moments = self.moments if len(self.moments) == 1 else self.moments[which]
        Omega = self.Omega0[which]
        Pi = moments * (Omega + 0.0 if axes.tobytes() == IDENTITY else in_principal(axes, Omega))
        if len(_once(self.Q0)) == 1 and len(axes) == 1:  # one attitude: without arrays
            return np.array([self.kinds[0].start(self.Q0[0], self.Omega0[0])[0]]), Pi
        return quaternion(attitude(self.Q0[which], axes)), Pi

    def in_users_axes(self, which: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Attitudes and velocities of rows (q, Pi), in the user's axes; row k is of body which[k]."""
        if self.in_principal_axes:
            moments = np.broadcast_to(self.moments, (len(self), 3))[which]
            return in_users_axes(SimpleNamespace(moments=moments, axes=np.eye(3)), rows)
        Q, Omega = np.empty((len(rows), 3, 3)), np.empty((len(rows), 3))
        for i in np.unique(which).tolist():  # body by body: a product of stacks may round in another order
            own = which == i
            Q[own], Omega[own] = in_users_axes(self.problem(i), rows[own])
        return Q, Omega


def _for_all(numbers: np.ndarray, N: int) -> np.ndarray:
    """One row for each of N bodies, given one or N; `np.broadcast_to` takes ten times as long."""
    if len(numbers) == N:
        return numbers
    strides = (0, *numbers.strides[1:])
    shared: np.ndarray = np.ndarray((N, *numbers.shape[1:]), numbers.dtype, numbers, 0, strides)
    shared.flags.writeable = False
    return shared


def _once(numbers: np.ndarray) -> np.ndarray:
    """What is the same for all bodies, once."""
    return numbers[:1] if numbers.strides[0] == 0 else numbers


def _of(shared: Any, i: int) -> Any:
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


def gathered(
    problem: Any,
    Q0: Any,
    Omega0: Any,
    Pi0: Any,
    inertia: Any,
    parameters: Any,
    damping: Any = None,
    rotor: Any = None,
) -> Bodies:
    """Bodies from a problem, or a sequence of them, and what replaces its data; each for every body or once for all."""
    kinds = _kinds(problem)
    first = kinds[0]
    if first.internal.wheels is not None and Pi0 is not None:
        raise InputError("Pi0 does not say how much of it is in the wheels: give Omega0.")
    with_start = Omega0 if first.internal.wheels is not None else None  # speeds of wheels are relative to the body
    kinds = _varied(kinds, damping, rotor, with_start)
    moments, axes = np.array([p.moments for p in kinds]), np.array([p.axes for p in kinds])
    alike = len({p.inertia.ndim for p in kinds}) == 1
    tensors = np.array([p.inertia if alike else p.tensor for p in kinds])
    numbers = np.array([p.parameters for p in kinds])
    if inertia is not None:
        tensors, moments, axes = inertias(kinds, inertia)
        numbers = _following(kinds, moments, axes)
    if isinstance(parameters, Mapping):
        fields = named.check_names(first.fields, parameters, f"The problem {first.name!r}")
        own = np.array([p.row for p in kinds])
        rows = fields.rows(own if len({tuple(x) for x in own}) > 1 else own[:1], parameters)
        numbers = _with_rows(kinds, moments, axes, rows)
    elif parameters is not None:
        if inertia is not None and first.parameters_of is not None:
            raise InputError(
                f"The parameters of {first.name!r} follow from its inertia: give inertia or parameters, or a sequence "
                "of problems."
            )
        numbers = _parameters(first, parameters)
    return _started(kinds, Q0, Omega0, Pi0, tensors, moments, axes, numbers)


def of_one(problem: Problem, Q0: Any, Omega0: Any, Pi0: Any) -> Bodies:
    """Bodies that share a problem without wheels, and all but their starts."""
    inertia, moments, axes = (x[None].copy() for x in (problem.inertia, problem.moments, problem.axes))
    return _started([problem], Q0, Omega0, Pi0, inertia, moments, axes, np.array([problem.parameters]))


def _started(
    kinds: list[Problem],
    Q0: Any,
    Omega0: Any,
    Pi0: Any,
    inertia: np.ndarray,
    moments: np.ndarray,
    axes: np.ndarray,
    numbers: np.ndarray,
) -> Bodies:
    """Bodies where they start, as given or as their problems do."""
    Q = np.array([p.Q0 for p in kinds]) if Q0 is None else inputs.attitudes(Q0)
    if Omega0 is not None and Pi0 is not None:
        raise InputError("Give Omega0 or Pi0, one of them; both were given.")
    if Pi0 is not None:
        Omega = velocity(moments, axes, inputs.vectors("Pi0", Pi0))
    elif Omega0 is not None:
        Omega = inputs.vectors("Omega0", Omega0)
    else:
        Omega = _velocities(kinds, moments, axes)
    lengths = {
        "the problems": len(kinds),
        "Q0": len(Q),
        "Omega0 or Pi0": len(Omega),
        "inertia": len(moments),
        "parameters": len(numbers),
    }
    N = max(lengths.values())
    if set(lengths.values()) - {1, N}:
        counts = ", ".join(f"{name} {n}" for name, n in lengths.items() if n > 1)
        raise InputError(f"The bodies are not of one number: {counts}. Give each for all bodies, or once for all.")
    return Bodies(kinds, _for_all(Q, N), _for_all(Omega, N), inertia, moments, axes, numbers)


def _varied(kinds: list[Problem], damping: Any, rotor: Any, Omega0: Any) -> list[Problem]:
    """Problems of their own for bodies of other damping, rotors, or starts with wheels."""
    arguments = {
        "damping": None if damping is None else _for_each("damping", damping, (0, 1, 2)),
        "rotor": None if rotor is None else _for_each("rotor", rotor, (1,)),
        "Omega0": None if Omega0 is None else inputs.vectors("Omega0", Omega0),
    }
    varied = {what: values for what, values in arguments.items() if values is not None}
    if not varied:
        return kinds
    lengths = {"the problems": len(kinds), **{what: len(values) for what, values in varied.items()}}
    N = max(lengths.values())
    if set(lengths.values()) - {1, N}:
        counts = ", ".join(f"{name} {n}" for name, n in lengths.items() if n > 1)
        raise InputError(f"The bodies are not of one number: {counts}. Give each for all bodies, or once for all.")
    return [_of(kinds, i).replaced(**{what: _of(values, i) for what, values in varied.items()}) for i in range(N)]


def _for_each(label: str, value: Any, dimensions: tuple[int, ...]) -> np.ndarray:
    """Numbers for N bodies: each has one of these numbers of axes, all of length three."""
    shapes = " or ".join(str(("N", *(3,) * d)).replace("'", "") for d in dimensions)
    x = real_array(label, value, f"numbers of shape {shapes}, for N bodies")
    if not len(np.shape(x)) or x.ndim - 1 not in dimensions or set(x.shape[1:]) - {3} or not len(x):
        raise InputError(f"{label} has shape {np.shape(x)}; for N bodies give {shapes}.")
    return x


def _kinds(problem: Any) -> list[Problem]:
    """One problem, or one for each body; they share the functions."""
    from polhode.physics.catalogue import problem as look_up

    wanted = "a Problem, a name, or a sequence of Problems"
    kinds = [
        look_up(p)
        for p in ([problem] if isinstance(problem, (Problem, str)) else inputs.items("problem", problem, wanted))
    ]
    if not kinds:
        raise InputError("An ensemble needs at least one body; the sequence of problems is empty.")
    first = kinds[0]
    for i, p in enumerate(kinds):
        if _functions(p) != _functions(first) or p.t0 != first.t0:
            what = "t0" if p.t0 != first.t0 else "functions"
            raise InputError(
                f"The bodies of an ensemble share torque, potential and t0; problem {i} has other {what} than problem "
                "0. Make the problems from the same functions, or use one ensemble for each kind."
            )
    return kinds


def _functions(problem: Problem) -> tuple[Any, ...]:
    if problem.functions is not None:
        return (*problem.functions.items(), problem.forces, problem.control, _count(problem.internal.wheels))
    return (problem.torque_kernel, problem.potential_kernel)


def _count(wheels: Any) -> int:
    return 0 if wheels is None else len(wheels.each)


def _following(kinds: Sequence[Problem], moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The parameters of bodies that are given another inertia."""
    if len(kinds) == 1:
        return kinds[0].parameters_for(moments, axes)
    each = [p.parameters_for(_of(moments, i)[None], _of(axes, i)[None])[0] for i, p in enumerate(kinds)]
    return np.array(each)


def _with_rows(kinds: Sequence[Problem], moments: np.ndarray, axes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The parameters of bodies, with rows of what the user named."""
    if len(kinds) == 1 and (len(moments) == 1 or len(rows) in (1, len(moments))):
        return kinds[0].parameter_rows(moments, axes, rows)
    if len(rows) in (1, len(kinds)) and len(moments) in (1, len(kinds)):  # each has its own damping and rotor
        each = ((_of(x, i)[None] for x in (moments, axes, rows)) for i in range(len(kinds)))
        return np.array([p.parameter_rows(*own)[0] for p, own in zip(kinds, each)])
    raise InputError(
        f"The bodies are not of one number: inertia {len(moments)}, parameters {len(rows)}. Give each for all bodies, "
        "or once for all."
    )


def _velocities(kinds: Sequence[Problem], moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Omega0 of bodies that start as their problems do: those that were given Pi0 keep that, whatever the inertia."""
    velocities = np.array([p.Omega0 if p.given_Pi0 is None else p.given_Pi0 for p in kinds])
    is_Pi = np.array([p.given_Pi0 is not None for p in kinds])
    return np.where(is_Pi[:, None], velocity(moments, axes, velocities), velocities) if is_Pi.any() else velocities


def inertias(kinds: Sequence[Problem], inertia: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inertia as given, principal moments and axes, for one or N bodies."""
    J = inputs.real_array("inertia", inertia, "moments (N, 3) or tensors (N, 3, 3)")
    if J.shape == (3,):
        J = J[None]
    if J.shape[1:] not in ((3,), (3, 3)) or not len(J):
        raise InputError(f"inertia has shape {J.shape}; give moments (3,) or (N, 3), or tensors (N, 3, 3).")
    for problem in kinds:
        problem.check_inertia(is_tensor=J.ndim == 3)
    if J.ndim == 2:
        if (J <= 0).any():
            i = int(np.flatnonzero((J <= 0).any(axis=1))[0])
            raise InputError(f"The principal moments of body {i} are {J[i].tolist()}; all three must be positive.")
        high = J.max(axis=1)
        if (2 * high > J.sum(axis=1) * (1 + 1e-12)).any():
            i = int(np.flatnonzero(2 * high > J.sum(axis=1) * (1 + 1e-12))[0])
            inputs.warn(
                f"No body in space has principal moments {J[i].tolist()} (body {i}): the largest exceeds the sum of "
                "the others. The equations can be integrated all the same."
            )
        return J, J, np.eye(3)[None]
    moments, axes = np.full(J.shape[:2], np.nan), np.broadcast_to(np.eye(3), J.shape).copy()
    for i in np.flatnonzero(np.isfinite(J).all(axis=(1, 2))).tolist():
        try:
            moments[i], axes[i] = inputs.principal_axes("inertia", J[i])
        except InputError as error:
            raise InputError(f"Body {i}: {error}") from None
    return J, moments, axes


def _parameters(problem: Problem, parameters: Any) -> np.ndarray:
    """Parameters of a torque that is a kernel, padded, for one or N bodies."""
    if problem.functions is not None:
        raise InputError(
            f"parameters is {one_line(parameters)}; give a dictionary {{name: (N, ...)}} of parameters that the "
            "problem was made with, Problem(..., parameters={name: value})."
        )
    return inputs.parameter_rows(parameters, functions.PARAMETERS)
