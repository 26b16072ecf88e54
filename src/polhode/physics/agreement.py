"""Users' functions, tried where a problem starts; and a torque, compared with its potential."""

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


def _three_numbers(label: str, value: Any, t: float) -> None:
    try:
        v = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        v = None
    if v is None or v.shape != (3,):
        got = "nothing" if value is None else one_line(value) if v is None else f"an array of shape {v.shape}"
        raise InputError(f"{label}(t, Q) returned {got}; it must return three numbers (tuple, list or array).")
    if not np.isfinite(v).all():
        raise InputError(f"{label}(t, Q) is {v.tolist()} at the start, t = {t:g}; it must be finite there.")


def _compare_with_differences(problem: Quantities, potential: Callable[..., Any], derived: bool, t: float) -> None:
    """Compare the torque at a time with minus the gradient of the potential, at random attitudes."""
    rng = np.random.default_rng(20120417)
    attitudes = [problem.Q0, *(Rotation().random(6, rng=rng).as_matrix() @ problem.Q0)]
    for Q in attitudes:
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


def _gradient(potential: Callable[..., Any], Q: np.ndarray, d: float = 1e-5) -> np.ndarray:
    """dU(Q exp(e hat e_j))/de by central differences of fourth order."""

    def U(j: int, e: float) -> float:
        value = potential(Q @ Rotation().from_rotvec(e * np.eye(3)[j]).as_matrix())
        try:
            return float(np.real(np.asarray(value).item()))
        except OverflowError:  # a whole number that no float holds
            return np.inf

    with np.errstate(all="ignore"):
        return np.array([(8 * (U(j, d) - U(j, -d)) - (U(j, 2 * d) - U(j, -2 * d))) / (12 * d) for j in range(3)])
