"""The motion of a free body as an object that can be evaluated at any time."""

from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.kernels.free_flow import free_flow
from polhode.kernels.rotations import compose, matrix, unit


class FreeSolution:
    """The exact motion of a free body: ``Q, Omega = FreeSolution(problem)(t)``.

    t is a time or an array of times, before or after problem.t0. The result is (3, 3) and (3,), or with the
    times as leading axes. Every time is computed from the start, in floats to about three ulps of the angle turned
    through; near the separatrix the instability of the motion multiplies this. With `digits` everything is computed
    with that many decimal digits, taking the numbers of the problem as exact, and the results are arrays of mpmath
    numbers.
    """

    def __init__(self, problem: Any, digits: Any = None) -> None:
        if problem.has_torque:
            raise InputError(
                f"{problem.name!r} is not a free body: it has a torque. polhode.reference.reference serves any problem."
            )
        self.problem, self.digits = problem, digits

    def __call__(self, t: Any) -> Any:
        times = np.asarray(t)
        states = [self._in_users_axes(x) for x in times.ravel().tolist()]
        Q = np.array([s[0] for s in states]).reshape(*times.shape, 3, 3)
        return Q, np.array([s[1] for s in states]).reshape(*times.shape, 3)

    def state(self, t: Any) -> Any:
        """(q, Pi) at time t as tuples: attitude quaternion (w, x, y, z) and momentum in principal axes."""
        number, precision = _arithmetic(self.digits)
        with precision:
            q, Pi = (tuple(number(x) for x in part) for part in self.problem.start())
            try:
                F, Pi = free_flow(number(t) - number(self.problem.t0), Pi, self._moments(number))
            except (ValueError, OverflowError):  # of the sine of an angle that is no finite number
                raise InputError(f"The closed form has no value at t = {float(t):g}: the angle is too large.") from None
            return unit(compose(q, F)), Pi

    def _in_users_axes(self, t: Any) -> Any:
        """Q and Omega in the user's axes."""
        number, precision = _arithmetic(self.digits)
        q, Pi = self.state(t)
        with precision:
            R = np.array([number(x) for x in self.problem.axes.ravel().tolist()]).reshape(3, 3)
            Q = np.array(matrix(q)).reshape(3, 3)
            return Q @ R.T, R @ (np.array(Pi) / np.array(self._moments(number)))

    def _moments(self, number: Any) -> Any:
        return tuple(number(x) for x in self.problem.moments.tolist())


def _arithmetic(digits: Any) -> Any:
    """How numbers are made, and a context in which they have their precision."""
    if digits is None:
        import contextlib

        return float, contextlib.nullcontext()
    import mpmath

    return mpmath.mpf, mpmath.workdps(digits)
