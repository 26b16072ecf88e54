"""A torque traced to a formula: given symbols instead of numbers, a kernel returns what it computes.

A formula is a number plus a sum of numbers times atoms. An atom is a component of the state, the time, a product of
two atoms, a power, sine, cosine, exponential or logarithm of an atom, or a sum that one of those is taken of; each is
kept once. Sums stay flat, because in a power series they cost nothing beside products: the nine entries of Q are then
sums of nine products, whatever is done with them. Powers are merged: s * sqrt(s) under a fraction is s^(-3/2), one
recurrence.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from polhode.kernels.references import asking_for_kinds

STATE = ("w", "x", "y", "z", "a", "b", "c")
"""The state: a unit quaternion and the velocity, in principal axes. Atoms 0 to 6; atom 7 is the time."""

TIME = 7


class NotAFormula(TypeError):
    """What a torque does with its arguments is not arithmetic: it compares, rounds or branches."""


@dataclass(frozen=True)
class Atom:
    """One power series: what it is made from. `of` are atoms; a sum is `number` + sum of factors times `of`."""

    kind: str  # "state", "time", "mul", "pow", "sin", "cos", "exp", "log", "sum"
    of: tuple[int, ...] = ()
    number: float = 0.0
    factors: tuple[float, ...] = ()


@dataclass
class Tape:
    """The atoms of a formula, each after those it is made from."""

    atoms: list[Atom] = field(default_factory=lambda: [*(Atom("state", (i,)) for i in range(7)), Atom("time")])
    places: dict[Atom, int] = field(default_factory=dict)

    def place(self, atom: Atom) -> int:
        """The number of an atom, a new one or that of its equal."""
        if atom not in self.places:
            self.places[atom] = len(self.atoms)
            self.atoms.append(atom)
        return self.places[atom]


class Formula:
    """A number plus a sum of numbers times atoms; kernels compute with it as with a number."""

    __slots__ = ("number", "tape", "terms")
    __array_priority__ = 1000
    functions: Any  # where scalar.py finds the square root and the like: below

    def __init__(self, tape: Tape, number: float, terms: dict[int, float]) -> None:
        self.tape, self.number = tape, number
        self.terms = {k: x for k, x in terms.items() if x != 0}

    # ---- linear: flat sums -----------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        if self.gives_way_to(other):
            return NotImplemented
        if not isinstance(other, Formula):
            return Formula(self.tape, self.number + number(other), self.terms)
        terms = dict(self.terms)
        for k, x in other.terms.items():
            terms[k] = terms.get(k, 0.0) + x
        return Formula(self.tape, self.number + other.number, terms)

    def gives_way_to(self, other: Any) -> bool:
        """Whether the other one knows how to compute with this: a formula with its derivative (``derivative.py``)."""
        return getattr(type(other), "__array_priority__", 0.0) > self.__array_priority__

    def scaled(self, s: float) -> "Formula":
        """s times this."""
        return Formula(self.tape, s * self.number, {k: s * x for k, x in self.terms.items()})

    def __neg__(self) -> "Formula":
        return self.scaled(-1.0)

    def __pos__(self) -> "Formula":
        return self

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    __radd__ = __add__

    # ---- products and powers: atoms ----------------------------------------------------------------------

    def __mul__(self, other: Any) -> Any:
        if self.gives_way_to(other):
            return NotImplemented
        if not isinstance(other, Formula):
            return self.scaled(number(other))
        for one, two in ((self, other), (other, self)):
            if one.number != 0 and one.is_a_base_of(two):
                return two.times(one.atom())
        for one, two in ((self, other), (other, self)):
            if len(one.terms) <= 1:  # (n + s a) two = n two + s (a two)
                result = two.scaled(one.number)
                for a, s in one.terms.items():
                    result = result + two.times(a).scaled(s)
                return result
        return self.times(other.atom())

    __rmul__ = __mul__

    def is_a_base_of(self, other: "Formula") -> bool:
        """Whether the other one is a power of this."""
        if other.number != 0 or len(other.terms) != 1:
            return False
        base = self.tape.atoms[self._power(next(iter(other.terms)))[0]]
        return base.kind == "sum" and base == self._as_sum()

    def times(self, a: int) -> "Formula":
        """This times one atom."""
        if len(self.terms) <= 1:
            result = Formula(self.tape, 0.0, {a: self.number})
            for b, s in self.terms.items():
                result = result + self._merged(a, b).scaled(s)
            return result
        return self._merged(a, self.atom())

    def _merged(self, a: int, b: int) -> "Formula":
        """The product of two atoms; of powers of one base, their power."""
        (s, m), (r, n) = self._power(a), self._power(b)
        if s == r and not (m == 1 and n == 1):
            return self._to(s, m + n)
        return self._one(Atom("mul", (min(a, b), max(a, b))))

    def _power(self, a: int) -> tuple[int, float]:
        atom = self.tape.atoms[a]
        return (atom.of[0], atom.number) if atom.kind == "pow" else (a, 1.0)

    def _to(self, base: int, n: float) -> "Formula":
        """A power of an atom: of whole, positive ones products, which also exist at zero."""
        if n == 0:
            return Formula(self.tape, 1.0, {})
        if n == 1:
            return Formula(self.tape, 0.0, {base: 1.0})
        if n > 0 and n == int(n):
            half = self._to(base, float(n // 2))
            square = half * half
            return square.times(base) if n % 2 else square
        return self._one(Atom("pow", (base,), n))

    def _one(self, atom: Atom) -> "Formula":
        return Formula(self.tape, 0.0, {self.tape.place(atom): 1.0})

    def atom(self) -> int:
        """The atom that this formula is, made if there is none."""
        if self.number == 0 and list(self.terms.values()) == [1.0]:
            return next(iter(self.terms))
        return self.tape.place(self._as_sum())

    def _as_sum(self) -> Atom:
        places = tuple(sorted(self.terms))
        return Atom("sum", places, self.number, tuple(self.terms[k] for k in places))

    def __truediv__(self, other: Any) -> Any:
        if self.gives_way_to(other):
            return NotImplemented
        return self * (other**-1.0 if isinstance(other, Formula) else 1 / number(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self**-1.0 * other

    def __pow__(self, n: Any) -> Any:
        if isinstance(n, Formula):
            raise NotAFormula("a power that changes")
        n = number(n)
        if not self.terms:
            return Formula(self.tape, self.number**n, {})
        if self.number == 0 and len(self.terms) == 1:
            ((a, s),) = self.terms.items()
            base, m = self._power(a)
            if m % 2 != 0 and (s > 0 or n == int(n)):  # sqrt(s^2) is |s|, and no power of s
                return self._to(base, m * n).scaled(s**n)
        return self._to(self.atom(), n)

    # ---- functions ---------------------------------------------------------------------------------------

    def _function(self, kind: str, value: Callable[[float], float]) -> "Formula":
        if not self.terms:
            return Formula(self.tape, value(self.number), {})
        return self._one(Atom(kind, (self.atom(),)))

    def sqrt(self) -> Any:
        return self**0.5

    def sin(self) -> "Formula":
        self._function("cos", math.cos)  # one needs the other
        return self._function("sin", math.sin)

    def cos(self) -> "Formula":
        self._function("sin", math.sin)
        return self._function("cos", math.cos)

    def tan(self) -> Any:
        return self.sin() / self.cos()

    def exp(self) -> "Formula":
        return self._function("exp", math.exp)

    def log(self) -> "Formula":
        return self._function("log", math.log)

    def __bool__(self) -> bool:
        raise NotAFormula("a decision by a value that changes")

    def _compared(self, other: Any) -> bool:
        raise NotAFormula("a comparison of a value that changes")

    def __format__(self, how: str) -> str:
        raise NotAFormula("the digits of a value that changes")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __hash__ = None  # type: ignore[assignment]


Formula.functions = Formula


def number(x: Any) -> float:
    """A plain number beside a formula."""
    if isinstance(x, complex) or not (isinstance(x, (int, float)) or hasattr(x, "dtype")):
        raise NotAFormula(f"{type(x).__name__} in place of a number")
    return float(x)


def traced(
    torque: Callable[..., Any],
    parameters: tuple[Any, ...],
    moments: tuple[Any, ...],
    given: Callable[..., Any] = tuple,
    moving: bool = False,
) -> tuple[Tape, list[Formula], tuple[Any, ...]]:
    """The atoms of a torque, and what it and the gyroscopic torque do to the velocity.

        q' = q Omega/2,    Omega' = (g_1 b c, g_2 c a, g_3 a b) + J^-1 tau

    Returned are the formulas of J^-1 tau and the factors g. q is a unit quaternion here, so that w^2 does not occur.
    `given` makes of the nine formulas of Q what the torque is called with; one that is `moving` takes the velocity.
    """
    if how := asking_for_kinds([torque]):
        raise NotAFormula(how)
    tape = Tape()
    w, x, y, z, a, b, c, t = (Formula(tape, 0.0, {i: 1.0}) for i in range(8))
    xx, yy, zz = x * x, y * y, z * z
    Q = (
        *(1 - 2 * (yy + zz), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (xx + zz), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (xx + yy)),
    )
    torque_of = torque(t, given(Q), (a, b, c), parameters) if moving else torque(t, given(Q), parameters)
    tau = [f if isinstance(f, Formula) else Formula(tape, number(f), {}) for f in torque_of]
    if len(tau) != 3:
        raise NotAFormula(f"a torque of {len(tau)} numbers")
    J = moments
    gyroscopic = (J[1] - J[2]) / J[0], (J[2] - J[0]) / J[1], (J[0] - J[1]) / J[2]
    return tape, [f / J[i] for i, f in enumerate(tau)], gyroscopic
