"""Taylor series of the motion, to any order and in any number of digits, from the torque as it is written.

A torque kernel is arithmetic. Given power series in time instead of numbers it returns power series: a product
is a Cauchy product, and square root, sine and the like have recurrences of their own. The equations of motion
then tie the coefficients of the state to themselves one order lower, and a coefficient is computed when it is
asked for. This also works for a user's function with NumPy, which hands arithmetic through to what is in the
array. The torque has to be analytic along the motion; the times at which it jumps are the problem's `breaks`.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

import mpmath
from mpmath import mp

from polhode.kernels.references import asking_for_kinds
from polhode.kernels.rotations import matrix


def motion(problem: Any, times: Any, digits: Any, q: Any = None, Pi: Any = None) -> Any:
    """(q, Pi) at each of these times, which lead away from problem.t0 in order, to about so many digits.

    q (w, x, y, z) and Pi are in principal axes and start as given, or as the problem says. Steps are such that the
    last terms of the series fall below the digits asked for; times inside a step are evaluated by its series.
    """
    if how := asking_for_kinds(problem.made_of):
        raise TypeError(how)
    with mpmath.workdps(digits + 8):
        start = problem.start()
        t, state = mp.mpf(problem.t0), [mp.mpf(x) for x in (*(q or start[0]), *(Pi or start[1]))]
        states = []
        for stop, wanted in _legs(problem, [mp.mpf(x) for x in times]):
            while True:
                series = _series(problem, t, stop, state)
                h = _step(problem, series, stop - t, int(1.3 * digits) + 8, digits)
                while wanted and abs(wanted[0] - t) <= abs(h):
                    states.append(_value(series, wanted.pop(0) - t))
                last = h == stop - t
                t, state = stop if last else t + h, _value(series, h)
                if last:
                    break
        return [(tuple(y[:4]), tuple(y[4:])) for y in states]


def _legs(problem: Any, times: Any) -> Iterator[Any]:
    """The interval cut at the jumps of the torque: the end of each part, and the times wanted in it."""
    t0, sign = problem.t0, 1 if times[-1] >= problem.t0 else -1
    jumps = [mp.mpf(x) for x in getattr(problem, "breaks", ()) if 0 < sign * (x - t0) < sign * (times[-1] - t0)]
    for end in [*sorted(jumps, key=lambda x: sign * x), times[-1]]:
        yield end, [x for x in times if sign * x <= sign * end]
        times = [x for x in times if sign * x > sign * end]


def _series(problem: Any, t: Any, stop: Any, state: Any) -> Any:
    """The solution through this state as seven power series, tied to their own rates of change."""
    J = [mp.mpf(x) for x in problem.moments.tolist()]
    rates: list[Any] = []
    y = [Series([x], lambda n, i=i: rates[i].term(n - 1) / n) for i, x in enumerate(state)]
    (w, x, y_, z), (k, l, m) = y[:4], y[4:]
    a, b, c = k / J[0], l / J[1], m / J[2]
    parameters = tuple(mp.mpf(value) for value in problem.parameters)
    time = Time(t, t + (stop - t) / 100)
    if problem.forces.any:
        tau = problem.moving_kernels["all"](time, matrix((w, x, y_, z)), (a, b, c), parameters)
    else:
        tau = problem.torque_kernel(time, matrix((w, x, y_, z)), parameters)
    tau = [value if isinstance(value, Series) else Series([mp.convert(value)], _zero) for value in tau]
    rates += [
        (x * a + y_ * b + z * c) / -2,
        (w * a + y_ * c - z * b) / 2,
        (w * b + z * a - x * c) / 2,
        (w * c + x * b - y_ * a) / 2,
        l * c - m * b + tau[0],
        m * a - k * c + tau[1],
        k * b - l * a + tau[2],
    ]
    return y


def _step(problem: Any, series: Any, left: Any, order: Any, digits: Any) -> Any:
    """The step, at most `left`, for which the last terms of the series are as small as the digits demand.

    Errors of the momentum are relative to its size or, from rest, to the size that the torque gives it in the time
    of a turn.
    """
    for n in range(order + 1):
        for x in series:
            x.term(n)
    value, rate = (max(abs(x.terms[n]) for x in series[4:]) for n in (0, 1))
    momentum = max(value, mp.sqrt(max(problem.moments.tolist()) * rate))
    sizes = [mp.one] * 4 + [momentum] * 3
    step = mp.inf
    for n in range(order - 3, order + 1):
        last = max(abs(x.terms[n]) / size for x, size in zip(series, sizes) if size)
        if last:
            step = min(step, mp.exp(-(mp.log(last) + (digits + 2) * mp.ln10) / n))
    if abs(left) <= step:
        return left
    if not step > abs(left) * mp.mpf(10) ** -9:
        raise ValueError("the series converges nowhere; the torque is singular there, or jumps")
    return left / 2 if abs(left) <= 2 * step else mp.sign(left) * step


def _value(series: Any, h: Any) -> Any:
    return [mp.polyval(x.terms[::-1], h) for x in series]


def _zero(n: Any) -> Any:
    return mp.zero


class Series:
    """A power series in time whose coefficients are computed when they are asked for."""

    __slots__ = ("rule", "terms")
    functions: ClassVar[type]  # where scalar.py finds the square root and the like: below

    def __init__(self, terms: Any, rule: Any) -> None:
        self.terms, self.rule = terms, rule

    def term(self, n: Any) -> Any:
        """The coefficient of the n-th power."""
        while len(self.terms) <= n:
            self.terms.append(self.rule(len(self.terms)))
        return self.terms[n]

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Series):
            return Series([], lambda n: self.term(n) + other.term(n))
        return Series([self.term(0) + mp.convert(other)], self.term)

    def __neg__(self) -> Any:
        return Series([], lambda n: -self.term(n))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Series):
            return Series([], lambda n: _sum(self, other, n, 0, n))
        factor = mp.convert(other)
        return Series([], lambda n: self.term(n) * factor)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Series):
            return self * (1 / mp.convert(other))
        ratio: Series = Series([], lambda n: (self.term(n) - _sum(ratio, other, n, 0, n - 1)) / other.term(0))
        return ratio

    def __pow__(self, power: Any) -> Any:
        if power != int(power):
            return (self.log() * power).exp()
        if power < 0:
            return 1 / self ** (-power)
        result = Series([mp.one], _zero)
        for digit in bin(int(power))[2:]:
            result = result * result * (self if digit == "1" else 1)
        return result

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __rtruediv__(self, other: Any) -> Any:
        return Series([mp.convert(other)], _zero) / self

    def __gt__(self, other: Any) -> Any:
        return self.now > _now(other)

    def __lt__(self, other: Any) -> Any:
        return self.now < _now(other)

    def __ge__(self, other: Any) -> Any:
        return self.now >= _now(other)

    def __le__(self, other: Any) -> Any:
        return self.now <= _now(other)

    @property
    def now(self) -> Any:
        """The value that comparisons see."""
        return self.term(0)

    @property
    def real(self) -> Any:
        return Series([], lambda n: self.term(n).real)

    @property
    def imag(self) -> Any:
        return Series([], lambda n: self.term(n).imag)

    # NumPy calls methods of these names for the objects in an array.

    def sqrt(self) -> Any:
        a = self.term(0)
        root: Series = Series(
            [mp.sqrt(a)], lambda n: (self.term(n) - _sum(root, root, n, 1, n - 1)) / (2 * root.terms[0])
        )
        return root

    def exp(self) -> Any:
        slope = self._slope()
        e: Series = Series([mp.exp(self.term(0))], lambda n: _sum(slope, e, n, 1, n) / n)
        return e

    def log(self) -> Any:
        return _primitive(mp.log(self.term(0)), self._slope() / self)

    def arctan(self) -> Any:
        return _primitive(mp.atan(self.term(0)), self._slope() / (1 + self * self))

    def sin(self) -> Any:
        return self._sin_cos()[0]

    def cos(self) -> Any:
        return self._sin_cos()[1]

    def tan(self) -> Any:
        s, c = self._sin_cos()
        return s / c

    def _sin_cos(self) -> Any:
        slope = self._slope()
        s: Series = Series([mp.sin(self.term(0))], lambda n: _sum(slope, c, n, 1, n) / n)
        c: Series = Series([mp.cos(self.term(0))], lambda n: -_sum(slope, s, n, 1, n) / n)
        return s, c

    def _slope(self) -> Any:
        """Time times the derivative."""
        return Series([], lambda n: n * self.term(n))


Series.functions = Series


class Time(Series):
    """The time t + s as a series in s; comparisons see a moment `later`, inside the step, not at a jump."""

    __slots__ = ("later",)

    def __init__(self, t: Any, later: Any) -> None:
        super().__init__([t, mp.one], _zero)
        self.later = later

    @property
    def now(self) -> Any:
        return self.later


def _now(x: Any) -> Any:
    return x.now if isinstance(x, Series) else x


def _primitive(value: Any, slope: Any) -> Any:
    """The series with this value whose derivative times time is `slope`."""
    return Series([value], lambda n: slope.term(n) / n)


def _sum(a: Any, b: Any, n: Any, first: Any, last: Any) -> Any:
    """The sum of a_k b_(n-k) for k from first to last."""
    if last >= first:
        if len(a.terms) <= last:
            a.term(last)
        if len(b.terms) <= n - first:
            b.term(n - first)
    return mp.fdot(a.terms[first : last + 1], b.terms[n - last : n - first + 1][::-1])
