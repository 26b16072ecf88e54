"""Users' functions, tried where a problem starts; and a torque, compared with its potential."""

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs.forms import Form
from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.quantities import Quantities


def check_functions(
    problem: Quantities,
    torques: Mapping[str, tuple[Callable[..., Any], Form]],
    potential: Callable[..., Any] | None,
    timed: bool = False,
) -> None:
    """Try the user's functions at the start and at random attitudes; say what is wrong.

    `torques` are functions and their forms by label; `potential` is None, U(Q), or U(t, Q) if it is timed; all know
    their parameters already.
    """
    for label, (f, form) in torques.items():
        velocity = (problem.Q0 @ problem.Omega0 if label == "torque_space" else problem.Omega0.copy(),) * form.velocity
        value = _called_at_start(label, f, problem.t0, problem.Q0.copy(), *velocity)
        _three_numbers(label, value, problem.t0)
    if potential is None:
        return
    called = "t0, Q0" if timed else "Q0"
    value = _called_at_start("potential", potential, *(problem.t0,) * timed, problem.Q0.copy())
    try:
        value = complex(np.asarray(value).item())
    except (TypeError, ValueError, OverflowError):  # the last of a whole number that no float holds
        raise InputError(f"potential({called}) is {one_line(value)}; it must be one number.") from None
    if not math.isfinite(abs(value)):
        where = "the potential is singular at the start. Start elsewhere."
        raise InputError(f"potential({called}) is {value.real}: {where}")
    derived = not torques.keys() - {"nonconservative"}
    if not timed:
        _compare_with_differences(problem, potential, derived, problem.t0)
        return
    for t in {problem.t0, problem.t0 if problem.t_end is None else problem.t_end}:
        _compare_with_differences(problem, lambda Q, t=t: potential(t, Q), derived, t)


def _called_at_start(label: str, f: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return f(*arguments)
    except Exception as error:
        names = ("Q", "t, Q", "t, Q, Omega")[len(arguments) - 1]
        raise InputError(
            f"{label}({names}) failed at the start: {type(error).__name__}: {error}. It is called with "
            f"{'a time and ' if len(arguments) > 1 else ''}a 3x3 array Q{' and a velocity' * (len(arguments) > 2)}."
        ) from error


REAL = "biufO"
"""Kinds of arrays that hold real numbers, or objects that may be some: text is none, and complex ones lose a part."""


def _three_numbers(label: str, value: Any, t: float) -> None:
    try:
        v = np.array(value, dtype=float) if np.asarray(value).dtype.kind in REAL else None
    except (TypeError, ValueError, OverflowError):
        v = None
    if v is None or v.shape != (3,):
        got = "nothing" if value is None else one_line(value) if v is None else f"an array of shape {v.shape}"
        raise InputError(f"{label}(t, Q) returned {got}; it must return three numbers (tuple, list or array).")
    if not np.isfinite(v).all():
        raise InputError(f"{label}(t, Q) is {v.tolist()} at the start, t = {t:g}; it must be finite there.")


def _compare_with_differences(problem: Quantities, potential: Callable[..., Any], derived: bool, t: float) -> None:
    """Compare the torque at a time with minus the gradient of the potential, at random attitudes."""
    for Q in (problem.Q0, *(_turns() @ problem.Q0)):
        slope = -_gradient(potential, Q)
        if not np.isfinite(slope).all():
            continue
        try:
            tau = problem.conservative_torque(t, Q)
        except Exception as error:
            raise InputError(
                f"The torque could not be derived from the potential: {type(error).__name__}: {error}. The potential "
                "is called with a complex Q to be differentiated exactly: use NumPy functions (np.sqrt, not "
                "math.sqrt), or give torque= yourself."
            ) from error
        if not np.isfinite(tau).all():
            continue
        scale = np.abs(slope).max() + np.abs(tau).max() + 1e-3 * abs(float(np.real(potential(Q))))
        if np.abs(tau - slope).max() <= 1e-5 * scale + 1e-9:
            continue
        values = f"at Q = {np.round(Q, 6).tolist()} {{}} {tau.tolist()}, minus the gradient is {slope.tolist()}"
        if derived:
            raise InputError(
                "The potential cannot be differentiated by the complex step: "
                + values.format("it gives the torque")
                + ". abs, np.linalg.norm, np.conj, .real and comparisons are not analytic, and the functions of math "
                "are real: use np.sqrt, not math.sqrt, np.sqrt(x @ x) for the norm, np.sqrt(x*x) for abs; or "
                "give torque=."
            )
        raise InputError("The torque is not minus the gradient of the potential: " + values.format("the torque is"))


@functools.cache
def _turns() -> np.ndarray:
    """Six random rotations, the same each time."""
    return np.asarray(Rotation().random(6, rng=np.random.default_rng(20120417)).as_matrix())


SMALL = 1e-5
"""The angle of the differences, in radians."""


@functools.cache
def _small_turns() -> np.ndarray:
    """exp(e hat e_j) for j = 1, 2, 3 and e = 2, 1, -1, -2 small angles: (3, 4, 3, 3)."""
    return np.array([[Rotation().from_rotvec(k * SMALL * e).as_matrix() for k in (2, 1, -1, -2)] for e in np.eye(3)])


def _gradient(potential: Callable[..., Any], Q: np.ndarray) -> np.ndarray:
    """dU(Q exp(e hat e_j))/de by central differences of fourth order."""

    def U(turn: np.ndarray) -> float:
        value = potential(Q @ turn)
        try:
            return float(np.real(np.asarray(value).item()))
        except OverflowError:  # a whole number that no float holds
            return np.inf

    with np.errstate(all="ignore"):
        values = np.array([[U(turn) for turn in turns] for turns in _small_turns()])
        return np.asarray(values @ (-1, 8, -8, 1) / (12 * SMALL))
