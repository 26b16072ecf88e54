"""What a step should cost: its operations counted, what each kind takes measured.

A step is run as plain Python with a number that counts what is done with it. Step size, inertia, coefficients and
parameters of the torque are ordinary floats, so that what a compiler moves out of the loop is not counted. Square
roots, divisions, sines and cosines count as many sums as a chain of them takes time of a chain of sums; a torque counts
what a chain of torques takes. What a sum takes inside a step, where several run at once, is inferred from methods that
have been compared with C.
"""

import math
import statistics
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace

import numba
import numpy as np
import ours
from measure import duration

from polhode.integrators.method import Method
from polhode.kernels import scalar
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import matrix
from polhode.kernels.step import torque_at
from polhode.runs.runners.kernel_runner import KernelRunner, body_of

WARM, COUNTED = 200, 40
"""Steps before the counting, so that guesses are good and an iteration takes what it takes; steps counted."""

TORQUES = 8
"""Torques in a step of the chain of torques: enough for the loop around them to count for little."""

COUNTS = Counter()
"""What has been done with counting numbers: sums (and products), divisions, roots, sines, torques."""


class Counting(float):
    """A float that counts the operations done with it. A sign or a comparison costs nothing beside them."""

    __slots__ = ()

    def __neg__(self):
        return Counting(-float(self))

    def __abs__(self):
        return Counting(abs(float(self)))


def _counted(kind, operation):
    """An operator and its reflection; what is no number (a vector of stages) applies it to its parts by itself."""

    def applied(a, b):
        COUNTS[kind] += 1
        return Counting(operation(float(a), float(b)))

    def method(self, other):
        return applied(self, other) if isinstance(other, (float, int)) else NotImplemented

    def reflected(self, other):
        return applied(other, self) if isinstance(other, (float, int)) else NotImplemented

    return method, reflected


Counting.__add__, Counting.__radd__ = _counted("sums", lambda a, b: a + b)
Counting.__sub__, Counting.__rsub__ = _counted("sums", lambda a, b: a - b)
Counting.__mul__, Counting.__rmul__ = _counted("sums", lambda a, b: a * b)
Counting.__truediv__, Counting.__rtruediv__ = _counted("divisions", lambda a, b: a / b)


def _function(kind, function):
    """A function of `math` that counts when its argument counts."""

    def counting(x):
        if not isinstance(x, Counting):
            return function(x)
        COUNTS[kind] += 1
        return Counting(function(x))

    return counting


@contextmanager
def _counting_functions():
    """Let the kernels' square root, sine and cosine count."""
    scalar.math = SimpleNamespace(
        sqrt=_function("roots", math.sqrt), sin=_function("sines", math.sin), cos=_function("sines", math.cos)
    )
    try:
        yield
    finally:
        scalar.math = math


def counted(problem, method, h):
    """Operations of a step, by kind, the mean of some steps; None if the method does not get that far."""
    runner, out = KernelRunner(problem, method, h, True), np.empty((1, 7))
    if runner.advance(0, WARM, WARM, WARM, out, 0)[0] < WARM:
        return None
    number = lambda numbers: tuple(Counting(x) for x in numbers)

    def torque(t, Q, parameters):
        COUNTS["torques"] += 1
        return number(problem.torque_kernel(t, tuple(float(x) for x in Q), parameters))

    body, state = body_of(problem, method, torque=torque), tuple(number(part) for part in runner.state)
    COUNTS.clear()
    with _counting_functions():
        for i in range(WARM, WARM + COUNTED):
            state, _ = method.step(h, problem.t0 + i * h, state, body)
    counts = {kind: n / COUNTED for kind, n in COUNTS.items()}
    runner.advance(WARM, COUNTED, COUNTED, COUNTED, out, 0)
    if state != runner.state:
        raise RuntimeError(f"{method.name} went elsewhere while its operations were counted: {state}, {runner.state}.")
    return counts


# ---- what operations take ----------------------------------------------------------------------------


def _chain(operation):
    """Seconds of one operation in a chain of them, each waiting for the last."""

    @numba.njit(error_model="numpy")
    def chain(x, c, n):
        for _ in range(n):
            x = operation(x, c)
        return x

    n = 100_000
    return duration(lambda: chain(1.7, 0.3, n)) / n


def weights():
    """What divisions, roots and sines take in units of what a sum takes."""
    add = _chain(numba.njit(lambda x, c: x + c))
    divide = _chain(numba.njit(error_model="numpy")(lambda x, c: c / x))
    root = _chain(numba.njit(lambda x, c: math.sqrt(x + c))) - add
    sine = _chain(numba.njit(lambda x, c: math.sin(x + c))) - add
    return {"sums": 1.0, "divisions": divide / add, "roots": root / add, "sines": sine / add}


def torque_seconds(problem):
    """Seconds of one torque in a chain of them, called as every method calls it."""
    method, n = Method(name="torques only", step=_only_torques, start=_start_with_matrix), 10_000
    return duration(lambda: ours.loop(problem, method, 0.0, n)()) / (n * TORQUES)


def _only_torques(h, t, state, body):
    """No step, but torques at an attitude that waits for the last torque."""
    q, Pi, tau, Q = state
    function, parameters = body[3]
    for _ in range(TORQUES):
        o = 1e-300 * (tau[0] + tau[1] + tau[2])
        Q = (Q[0] + o, Q[1] + o, Q[2] + o, Q[3] + o, Q[4] + o, Q[5] + o, Q[6] + o, Q[7] + o, Q[8] + o)
        tau = function(t, Q, parameters)
    return (q, Pi, tau, Q), NO_SOLVE


def _start_with_matrix(h, t, q, Pi, body):
    """The first state, with the attitude as a matrix in the memory."""
    return (q, Pi, torque_at(t, q, body), matrix(q))


def weighted(counts, weights):
    """The operations of a step, torques aside, in sums."""
    return sum(weights[kind] * n for kind, n in counts.items() if kind != "torques")


def sum_seconds(known, weights, torque):
    """What a sum takes inside a step: the median of known (seconds, counts) of a step."""
    return statistics.median((s - counts["torques"] * torque) / weighted(counts, weights) for s, counts in known)


def predicted(counts, weights, a_sum, torque):
    """Seconds that a step should take."""
    return a_sum * weighted(counts, weights) + torque * counts.get("torques", 0)
