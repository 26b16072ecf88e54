"""Numbers at the nodes of a quadrature: the stages of a collocation method, all at once.

The stages of a Gauss method do not wait for each other: in a sweep each does the same operations on its own
numbers. So a kernel writes them once, for `Nodes`, and in machine code they are the lanes of a SIMD vector
(``machine/lanes/quadrature.py``), as bodies are in ``machine/lanes/``. Interpreted, and with mpmath, they are what is
here; every operation and every sum is done in the same order, so that the bits are the same.
"""

from typing import Any

from polhode.kernels.numbers import Kernel, Mat3, Number, Numbers, Vec3
from polhode.kernels.scalar import magnitude


class Nodes:
    """A number at each node, with + - * / node by node; a plain number counts for all nodes."""

    __slots__ = ("values",)

    def __init__(self, values: Any) -> None:
        self.values = tuple(values)

    def _with(self, other: Number, operation: Kernel) -> Number:
        values = other.values if isinstance(other, Nodes) else (other,) * len(self.values)
        return Nodes(operation(x, y) for x, y in zip(self.values, values))

    def __add__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: x + y)

    def __sub__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: x - y)

    def __mul__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: x * y)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: x / y)

    def __radd__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: y + x)

    def __rsub__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: y - x)

    def __rmul__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: y * x)

    def __rtruediv__(self, other: Number) -> Number:
        return self._with(other, lambda x, y: y / x)

    def __neg__(self) -> Number:
        return Nodes(-x for x in self.values)

    def __abs__(self) -> Number:
        return Nodes(magnitude(x) for x in self.values)


def collocation(numbers: Numbers) -> Any:
    """(A, G, b, c) from 2 s^2 + 2 s numbers in this order, matrices by columns: tuples of s columns, and two Nodes."""
    s = stages_of(len(numbers))
    rows = [Nodes(numbers[i : i + s]) for i in range(0, len(numbers), s)]
    return tuple(rows[:s]), tuple(rows[s : 2 * s]), rows[-2], rows[-1]


def stages_of(count: int) -> int:
    """s, of 2 s^2 + 2 s numbers."""
    return next(s for s in range(1, count + 1) if 2 * s * s + 2 * s == count)


def as_nodes(numbers: Numbers, like: Number) -> Numbers:
    """Numbers as a tuple of Nodes, one after the other; each has as many values as `like`."""
    s = len(like.values)
    return tuple(Nodes(numbers[i : i + s]) for i in range(0, len(numbers), s))


def as_numbers(many: Numbers) -> Numbers:
    """The inverse of `as_nodes`."""
    return tuple(x for one in many for x in one.values)


def mixed(x: Number, A: Numbers, f: Number) -> Number:
    """x + A f at every node: A by columns, f at the nodes; summed in pairs, which wait less for each other."""
    return x + in_pairs([column * value for column, value in zip(A, f.values)], lambda a, b: a + b)


def in_pairs(terms: Any, add: Kernel) -> Number:
    """The sum of neighbours, and of those, until one is left."""
    while len(terms) > 1:
        terms = [add(*terms[i : i + 2]) if i + 1 < len(terms) else terms[i] for i in range(0, len(terms), 2)]
    return terms[0]


def total(f: Number) -> Number:
    """The sum over the nodes, of those that mirror each other first: backwards in time it has the same bits."""
    values, half = f.values, len(f.values) // 2
    result = values[half] if len(values) % 2 else 0 * values[0]
    for i in range(half):
        result = result + (values[i] + values[-1 - i])
    return result


def largest(f: Number) -> Number:
    """The largest of the values, which are not negative."""
    result = f.values[0]
    for x in f.values[1:]:
        result = x if x > result else result
    return result


def last_of(f: Number) -> Number:
    """The value at the last node."""
    return f.values[-1]


def torques(t: Number, Q: Mat3, Omega: Vec3, body: Any) -> Vec3:
    """The torque at every node: t, the nine numbers of Q and the three of Omega are Nodes."""
    source, times = body[3], t.values
    at = lambda vector, i: tuple(x.values[i] for x in vector)
    if len(source) == 2:
        by_node = [source[0](times[i], at(Q, i), source[1]) for i in range(len(times))]
    else:
        by_node = [source[0](times[i], at(Q, i), at(Omega, i), source[1]) for i in range(len(times))]
    x, y, z = (Nodes(values) for values in zip(*by_node))
    return x, y, z
