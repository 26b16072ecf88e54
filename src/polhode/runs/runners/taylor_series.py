"""The series of a problem for Taylor's method: traced from its torque, compiled, and kept for the next run."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs.quaternions import quaternion
from polhode.integrators.taylor.derivative import stepped
from polhode.integrators.taylor.formula import traced
from polhode.integrators.taylor.recurrences import Recurrences, recurrences
from polhode.kernels.fingerprint import is_static
from polhode.kernels.unchanged import fingerprint_now
from polhode.machine import TURN, check, floats_or_none, nearby
from polhode.physics.problem import Problem

NAME = "TAYLOR"


@dataclass(frozen=True)
class Series:
    """The recurrences of a problem, their machine code, and its numbers."""

    recurrences: Recurrences
    code: tuple[int, ...]  # addresses: see ``machine/taylor/objects.py``
    data: np.ndarray
    moments: tuple[float, ...]
    width: int  # lanes
    functions_of_time: float
    lasts: bool  # whether it was made of what cannot change


MOST_KEPT = 64

_KEPT: dict[tuple[Any, ...], Series] = {}
"""The series of the last problems, by all they depend on."""


def series_of(problem: Problem) -> Series:
    """The series of a problem; InputError if its torque is no formula."""
    problem.check_uncontrolled(NAME)
    kernel, _ = _torque(problem)
    static = is_static(kernel)
    made_of = None if static else fingerprint_now((kernel,))
    numbers = np.array(problem.parameters).tobytes()  # 0 and -0 are equal, and not the same
    key = (kernel if made_of is None else made_of.digest, numbers, problem.moments.tobytes())
    seen_through = made_of is None or not made_of.unseen
    series = _KEPT.get(key) if seen_through else None
    if series is None:
        series = _made(problem)
        if seen_through:
            _KEPT[key] = series
            for old in list(_KEPT)[:-MOST_KEPT]:
                _KEPT.pop(old, None)
    return series


def _torque(problem: Problem) -> tuple[Any, bool]:
    """The torque of everything that acts, and whether it takes the velocity."""
    return (problem.moving_kernels["all"], True) if problem.forces.any else (problem.torque_kernel, False)


def _made(problem: Problem) -> Series:
    from polhode.machine import series_addresses, series_width

    moments, (kernel, moving) = tuple(problem.moments.tolist()), _torque(problem)
    try:
        series_of = recurrences(*traced(kernel, problem.parameters, moments, stepped, moving))
    except (TypeError, ValueError, AttributeError, ArithmeticError, IndexError) as error:
        raise InputError(
            f"{NAME} cannot take the torque of {problem.name!r} as a formula: {error}. Write it with arithmetic and "
            "np.sqrt, np.sin, np.cos, np.tan, np.exp or np.log (not those of math), without decisions; or take another "
            "method."
        ) from error
    lasts = is_static(kernel)
    data = np.array(series_of.data).ravel()
    series = Series(
        series_of,
        series_addresses(series_of),
        data,
        moments,
        series_width(series_of),
        series_of.functions_of_time,
        lasts,
    )
    if not lasts:
        _guard(problem, series)
    return series


def _guard(problem: Problem, series: Series) -> None:
    """Compare the formula with the user's torque, at the start."""
    from polhode.machine import series_once

    kernel, moving = _torque(problem)
    work, table = np.zeros(2 * series.width * 5), np.zeros((5, 8))
    J = problem.moments
    Omega = problem.Omega0 @ problem.axes if moving else np.zeros(3)
    gyroscopic = np.cross(J * Omega, Omega)
    velocity = (tuple(Omega.tolist()),) if moving else ()

    def of_formula(Q: np.ndarray) -> tuple[Any, ...]:
        y = np.array([*quaternion(Q.reshape(3, 3)).tolist(), *Omega.tolist(), 0.0])
        series_once()(series.code[0], y, problem.t0, 4, series.data, work, table)
        return tuple((table[1, 4:7] * J).tolist())

    def of_python(Q: np.ndarray) -> Any:
        torque = floats_or_none(lambda: kernel(problem.t0, tuple(Q.tolist()), *velocity, problem.parameters))
        return torque if torque is None else tuple((np.array(torque) + gyroscopic).tolist())

    start = problem.Q0 @ problem.axes
    places = [np.ascontiguousarray(x).ravel() for x in (start, start @ TURN)]
    check(f"torque of {problem.name!r}", kernel, places, of_formula, of_python, nearby)
