"""Bodies from what the user gives: starts, inertias, parameters, damping and rotors of N bodies."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.inputs import functions
from polhode.inputs import parameters as named
from polhode.inputs.numbers import real_array
from polhode.inputs.principal import velocity
from polhode.physics.problem import Problem
from polhode.runs.ensemble.bodies import Bodies, for_all, of_body

DIFFERENT = "The arguments are for different numbers of bodies: {}. Give each for all bodies, or once for all."


def gathered(
    problem: Any,
    Q0: Any,
    Omega0: Any,
    Pi0: Any,
    inertia: Any,
    parameters: Any,
    *,
    damping: Any = None,
    rotor: Any = None,
) -> Bodies:
    """The bodies of a problem or of a sequence of them; arguments replace its data, for each body or once for all."""
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
    return _started(kinds, Q0, Omega0, Pi0, inertia=tensors, moments=moments, axes=axes, numbers=numbers)


def _started(
    kinds: list[Problem],
    Q0: Any,
    Omega0: Any,
    Pi0: Any,
    *,
    inertia: np.ndarray,
    moments: np.ndarray,
    axes: np.ndarray,
    numbers: np.ndarray,
) -> Bodies:
    """Bodies at the starts that are given, or at those of their problems."""
    if Q0 is None:
        for p in kinds:
            p.check_start()
    Q = np.array([p.Q0 for p in kinds]) if Q0 is None else inputs.attitudes(Q0)
    Omega = velocities_of(kinds, Omega0, Pi0, moments, axes)
    lengths = {
        "the problems": len(kinds),
        "Q0": len(Q),
        "Omega0 or Pi0": len(Omega),
        "inertia": len(moments),
        "parameters": len(numbers),
    }
    N = _number(lengths)
    return Bodies(kinds, for_all(Q, N), for_all(Omega, N), inertia, moments, axes, numbers)


def velocities_of(kinds: Sequence[Problem], Omega0: Any, Pi0: Any, moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The velocities (1 or N, 3) that are given, or those of the problems."""
    if Omega0 is not None and Pi0 is not None:
        raise InputError("Give Omega0 or Pi0, one of them; both were given.")
    if Pi0 is not None:
        return velocity(moments, axes, inputs.vectors("Pi0", Pi0))
    return inputs.vectors("Omega0", Omega0) if Omega0 is not None else _velocities(kinds, moments, axes)


def _number(lengths: Mapping[str, int]) -> int:
    """How many bodies there are, if every argument is for all of them or for one."""
    N = max(lengths.values())
    if set(lengths.values()) - {1, N}:
        counts = ", ".join(f"{name} {n}" for name, n in lengths.items() if n > 1)
        raise InputError(DIFFERENT.format(counts))
    return N


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
    N = _number(lengths)
    return [
        of_body(kinds, i).replaced(**{what: of_body(values, i) for what, values in varied.items()}) for i in range(N)
    ]


def _for_each(label: str, value: Any, dimensions: tuple[int, ...]) -> np.ndarray:
    """Numbers for N bodies: vectors or matrices as `dimensions` allow, every axis of length three."""
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
    each = [p.parameters_for(of_body(moments, i)[None], of_body(axes, i)[None])[0] for i, p in enumerate(kinds)]
    return np.array(each)


def _with_rows(kinds: Sequence[Problem], moments: np.ndarray, axes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The parameters of bodies, with rows of what the user named."""
    if len(kinds) == 1 and (len(moments) == 1 or len(rows) in (1, len(moments))):
        return kinds[0].parameter_rows(moments, axes, rows)
    if len(rows) in (1, len(kinds)) and len(moments) in (1, len(kinds)):  # each has its own damping and rotor
        each = ((of_body(x, i)[None] for x in (moments, axes, rows)) for i in range(len(kinds)))
        return np.array([p.parameter_rows(*own)[0] for p, own in zip(kinds, each)])
    raise InputError(DIFFERENT.format(f"inertia {len(moments)}, parameters {len(rows)}"))


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
