"""A reference for any problem, by routes that share nothing.

    by_mpmath     Taylor series of about forty terms in mpmath, on (q, Pi) in principal axes; cached on disk
    by_dop853     SciPy's DOP853 with tolerance 1e-13, on the nine entries of Q and on Omega in the user's axes

`reference` is for everyday use: the closed form for a free body and the Taylor series for everything else. It is
accurate to the last digits of a float, with two exceptions: the reference for a motion that magnifies a change of
the start a millionfold has ten digits left of sixteen in the start itself, and a torque that cannot be evaluated
in power series (because it calls `math`, `abs` or a compiled library) is left to DOP853, with about eleven digits.
"""

import functools
import hashlib
import itertools
import json
import pathlib
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import warn
from polhode.kernels.fingerprint import fingerprint
from polhode.kernels.rotations import matrix
from polhode.machine import cache_base, folder
from polhode.reference.closed_form import FreeSolution

DIGITS = 25
"""Digits of the reference before it is rounded to floats."""

EDGE = 1e-4
"""The part of an interval between two jumps of the torque, at either end, where DOP853 is given its continuation."""


class NotAnalytic(InputError):
    """A torque that cannot be evaluated in power series."""


def reference(problem: Any, t: Any) -> Any:
    """(Q, Omega) at time t, or at an array of times, with the times as leading axis."""
    problem.check_uncontrolled("The reference")
    if not problem.has_torque:
        return FreeSolution(problem)(t)
    times = np.asarray(t, dtype=float)
    try:
        states = _taylor(problem, times.ravel().tolist(), DIGITS)
    except NotAnalytic as error:
        warn(f"{error} The reference is by DOP853, with about eleven digits.")
        pairs = [by_dop853(problem, x) for x in times.ravel().tolist()]
    else:
        pairs = [_in_users_axes(problem, q, Pi) for q, Pi in states]
    Q = np.array([Q for Q, _ in pairs]).reshape(*times.shape, 3, 3)
    return Q, np.array([Omega for _, Omega in pairs]).reshape(*times.shape, 3)


def by_mpmath(problem: Any, t: Any, digits: Any = DIGITS, q: Any = None, Pi: Any = None) -> Any:
    """(q, Pi) at time t to so many digits: the attitude as a quaternion (w, x, y, z), both in principal axes.

    The numbers of the problem are taken as exact. Another start may be given in the same form. The torque must be
    analytic along the motion but for jumps at the problem's `breaks`.
    """
    problem.check_uncontrolled("The reference")
    return _taylor(problem, [t], digits, q, Pi)[0]


def by_dop853(problem: Any, t: Any) -> Any:
    """(Q, Omega) at time t by SciPy's DOP853; error about 1e-12 for tens of radians, and growing with the time."""
    problem.check_uncontrolled("The reference")
    from scipy.integrate import solve_ivp

    J, inverse = problem.tensor, np.linalg.inv(problem.tensor)

    def right_hand_side(time: Any, y: Any, torque: Any) -> Any:
        Q, Omega = y[:9].reshape(3, 3), y[9:]
        (x, y_, z), (a, b, c) = Omega, J @ Omega
        hat = np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]])
        spin = np.array([b * z - c * y_, c * x - a * z, a * y_ - b * x])  # np.cross, to the bit, takes half of the time
        return np.concatenate([(Q @ hat).ravel(), inverse @ (spin + torque(time, Q, Omega))])

    y = np.concatenate([problem.Q0.ravel(), problem.Omega0])
    sign = 1 if t >= problem.t0 else -1
    inside = sorted((x for x in _breaks(problem) if sign * problem.t0 < sign * x < sign * t), key=lambda x: sign * x)
    ends = [problem.t0, *inside, t]
    for a, b in itertools.pairwise(ends):
        torque = _continued(problem.torque, a, b) if _breaks(problem) else problem.torque
        y = solve_ivp(right_hand_side, (a, b), y, method="DOP853", rtol=1e-13, atol=1e-14, args=(torque,)).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]


def _breaks(problem: Any) -> Any:
    return getattr(problem, "breaks", ())


def _continued(torque: Any, a: Any, b: Any) -> Any:
    """The torque between two jumps, continued to the ends by a parabola: at a jump itself it may be anything."""
    edge = EDGE * (b - a)

    def inside(t: Any, Q: Any, Omega: Any) -> Any:
        for end, d in ((a, edge), (b, -edge)):
            x = (t - end) / d
            if x < 1:
                f, g, h = (torque(end + n * d, Q, Omega) for n in (1, 2, 3))
                return (x - 2) * (x - 3) / 2 * f - (x - 1) * (x - 3) * g + (x - 1) * (x - 2) / 2 * h
        return torque(t, Q, Omega)

    return inside


def _in_users_axes(problem: Any, q: Any, Pi: Any) -> Any:
    """(Q, Omega) in the user's axes, in floats."""
    Q = np.array([float(x) for x in matrix(q)]).reshape(3, 3)
    Omega = np.array([float(x) for x in Pi]) / problem.moments
    return Q @ problem.axes.T, problem.axes @ Omega


# ---- the Taylor series, cached -----------------------------------------------------------------------


def _taylor(problem: Any, times: Any, digits: Any, q: Any = None, Pi: Any = None) -> Any:
    """(q, Pi) at these times in mpmath, from the disk if they have been computed before."""
    import mpmath

    with mpmath.workdps(digits + 8):
        start = problem.start()
        start_and_times = [
            mpmath.nstr(mpmath.mpf(x), digits + 8) for x in (*(q or start[0]), *(Pi or start[1]), *times)
        ]
        entry = _key(problem, digits, start_and_times)
        rows = _read(entry, len(times))
        if rows is None:
            states = _computed(problem, times, digits, q, Pi)
            rows = [[mpmath.nstr(x, digits + 4) for x in (*a, *b)] for a, b in states]
            if entry is not None:
                _kept().write(entry, json.dumps(rows).encode())
        return [(tuple(map(mpmath.mpf, row[:4])), tuple(map(mpmath.mpf, row[4:]))) for row in rows]


def _computed(problem: Any, times: Any, digits: Any, q: Any, Pi: Any) -> Any:
    """The states at these times, in any order, before and after the start."""
    from polhode.reference.taylor import motion

    computed: dict[Any, Any] = {}
    for part in (
        sorted(x for x in set(times) if x >= problem.t0),
        sorted((x for x in set(times) if x < problem.t0), reverse=True),
    ):
        try:
            computed.update(zip(part, motion(problem, part, digits, q, Pi) if part else ()))
        except (TypeError, ValueError, AttributeError, ArithmeticError, NotImplementedError) as error:
            raise NotAnalytic(
                f"The torque of {problem.name!r} cannot be evaluated in power series: {type(error).__name__}: {error}. "
                "Write it with arithmetic and np.sqrt, np.exp, np.log, np.sin, np.cos, np.tan or np.arctan."
            ) from error
    return [computed[x] for x in times]


def _key(problem: Any, digits: Any, start_and_times: Any) -> Any:
    """A hash of all that the result depends on, or None if the torque cannot be seen through: nothing is kept then."""
    data = [
        problem.moments.tolist(),
        list(problem.parameters),
        problem.t0,
        list(_breaks(problem)),
        digits,
        start_and_times,
    ]
    torque = fingerprint(problem.made_of[:-1] if problem.has_potential else problem.made_of)
    text = json.dumps(data) + torque.digest + _source()
    return None if torque.unseen else hashlib.sha256(text.encode()).hexdigest()[:32]


@functools.cache
def _source() -> Any:
    return hashlib.sha256(pathlib.Path(__file__).with_name("taylor.py").read_bytes()).hexdigest()


def _kept() -> Any:
    return folder(cache_base() / "references")


def _read(entry: Any, n: Any) -> Any:
    content = None if entry is None else _kept().read(entry)
    rows = None if content is None else json.loads(content)
    return rows if rows is not None and len(rows) == n else None
