"""The bodies of an ensemble: starts, inertias and parameters of N bodies, from what the user gives."""

import copy
import functools
from dataclasses import dataclass

import numpy as np

from polhode import adapt, inputs
from polhode.errors import InputError
from polhode.problem import Problem, quaternion


@dataclass(frozen=True)
class Bodies:
    """What N bodies under one torque have each for itself; what all share has a leading axis of length one.

    `kinds` are problems with the same torque, one or N; moments and axes are those of the principal axes.
    """

    kinds: list
    Q0: np.ndarray  # (N, 3, 3)
    Omega0: np.ndarray  # (N, 3)
    inertia: np.ndarray  # (1 or N, 3) or (1 or N, 3, 3), as given
    moments: np.ndarray  # (1 or N, 3)
    axes: np.ndarray  # (1 or N, 3, 3)
    parameters: np.ndarray  # (1 or N, PARAMETERS)

    def __len__(self):
        return len(self.Q0)

    @functools.cached_property
    def finite(self):
        """Which bodies can start: (N,), whether all their numbers are finite."""
        numbers = (_once(self.Q0), _once(self.Omega0), self.moments, self.parameters)
        finite = functools.reduce(np.logical_and, (np.isfinite(x).reshape(len(x), -1).all(axis=1) for x in numbers))
        return np.broadcast_to(finite, len(self))

    @property
    def in_principal_axes(self):
        """Whether the user's axes are the principal axes of every body."""
        return bool((self.axes == np.eye(3)).all())

    @property
    def tensors(self):
        """The inertia as tensors in the user's axes, (1 or N, 3, 3)."""
        return self.inertia if self.inertia.ndim == 3 else self.inertia[:, :, None] * np.eye(3)

    def problem(self, i):
        """The problem of one body alone."""
        alone = copy.copy(_of(self.kinds, i))
        alone.Q0, alone.Omega0 = self.Q0[i], self.Omega0[i]
        alone.inertia, alone.moments, alone.axes = _of(self.inertia, i), _of(self.moments, i), _of(self.axes, i)
        alone.parameters = tuple(_of(self.parameters, i).tolist())
        return alone

    def starts(self, which):
        """q (1 or n, 4) and Pi (n, 3) of some bodies in principal axes: the numbers that `Problem.start` gives."""
        axes = self.axes if len(self.axes) == 1 else self.axes[which]
        moments = self.moments if len(self.moments) == 1 else self.moments[which]
        Omega = self.Omega0[which] + 0.0
        if not self.in_principal_axes:  # body by body: a product of stacks may round in another order
            Omega = np.array([_of(axes, i).T @ x for i, x in enumerate(Omega)])
        shared = len(_once(self.Q0)) == 1 and len(axes) == 1
        return quaternion((self.Q0[:1] if shared else self.Q0[which]) @ axes), moments * Omega


def _once(numbers):
    """What is the same for all bodies, once."""
    return numbers[:1] if numbers.strides[0] == 0 else numbers


def _of(shared, i):
    return shared[i if len(shared) > 1 else 0]


def gathered(problem, Q0, Omega0, Pi0, inertia, parameters):
    """Bodies from a problem, or a sequence of them, and what replaces its data; each for every body or once for all."""
    kinds = _kinds(problem)
    first = kinds[0]
    moments, axes = np.array([p.moments for p in kinds]), np.array([p.axes for p in kinds])
    tensors = np.array([p.tensor for p in kinds])
    given = np.array([p.inertia for p in kinds]) if len({p.inertia.ndim for p in kinds}) == 1 else tensors
    numbers = np.array([p.parameters for p in kinds])
    if inertia is not None:
        given, moments, axes = _inertias(first, inertia)
        tensors = given if given.ndim == 3 else given[:, :, None] * np.eye(3)
        if first.functions is not None:
            numbers = np.concatenate([axes.reshape(-1, 9), np.zeros((len(axes), adapt.PARAMETERS - 9))], axis=1)
    if parameters is not None:
        numbers = _parameters(first, parameters)
    Q = np.array([p.Q0 for p in kinds]) if Q0 is None else inputs.attitudes(Q0)
    if Omega0 is not None and Pi0 is not None:
        raise InputError("Give Omega0 or Pi0, one of them; both were given.")
    if Pi0 is not None:
        Pi = inputs.vectors("Pi0", Pi0)
        Omega = np.linalg.solve(np.where(np.isfinite(tensors), tensors, np.eye(3)), Pi[:, :, None])[:, :, 0]
    else:
        Omega = np.array([p.Omega0 for p in kinds]) if Omega0 is None else inputs.vectors("Omega0", Omega0)
    lengths = {
        "the problems": len(kinds),
        "Q0": len(Q),
        "Omega0 or Pi0": len(Omega),
        "inertia": len(moments),
        "parameters": len(numbers),
    }
    N = max(lengths.values())
    if set(lengths.values()) - {1, N}:
        told = ", ".join(f"{name} {n}" for name, n in lengths.items() if n > 1)
        raise InputError(f"The bodies are not of one number: {told}. Give each for all bodies, or once for all.")
    Q, Omega = np.broadcast_to(Q, (N, 3, 3)), np.broadcast_to(Omega, (N, 3))
    return Bodies(kinds, Q, Omega, given, moments, axes, numbers)


def _kinds(problem):
    """One problem, or one for each body; they share the functions."""
    from polhode.problems.catalogue import problem as look_up

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


def _functions(problem):
    if problem.functions is not None:
        return tuple(problem.functions.values())
    return (problem.torque_kernel, problem.potential_kernel)


def _inertias(problem, inertia):
    """Inertia as given, principal moments and axes, for one or N bodies."""
    J = inputs.real_array("inertia", inertia, "moments (N, 3) or tensors (N, 3, 3)")
    if J.shape == (3,):
        J = J[None]
    if J.shape[1:] not in ((3,), (3, 3)) or not len(J):
        raise InputError(f"inertia has shape {J.shape}; give moments (3,) or (N, 3), or tensors (N, 3, 3).")
    if problem.functions is None and (J.ndim == 3 or not np.array_equal(problem.axes, np.eye(3))):
        raise InputError(
            f"The torque of {problem.name!r} is written in principal axes: give moments (N, 3) for a problem made with "
            "moments, or a sequence of problems."
        )
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
    for i in np.flatnonzero(np.isfinite(J).all(axis=(1, 2))):
        try:
            moments[i], axes[i] = inputs.principal_axes("inertia", J[i])
        except InputError as error:
            raise InputError(f"Body {i}: {error}") from None
    return J, moments, axes


def _parameters(problem, parameters):
    """Parameters of a torque that is a kernel, padded, for one or N bodies."""
    if problem.functions is not None:
        raise InputError(
            f"parameters are for problems made of kernels; the torque of {problem.name!r} is a function of (t, Q). "
            "Give a sequence of problems."
        )
    return inputs.parameter_rows(parameters, adapt.PARAMETERS)
