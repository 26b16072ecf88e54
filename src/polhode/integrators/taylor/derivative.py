"""Formulas under the complex step: a torque that is derived from a potential is a formula, too.

The kernel of such a torque gives the potential attitudes with an imaginary part of size STEP, and takes the imaginary
part of what comes back (``polhode.inputs.functions``). A formula meets it as a pair, the value and its derivative:
value + i STEP slope, where STEP^2 counts for nothing.
"""

import operator
from collections.abc import Callable
from typing import Any

from polhode.integrators.taylor.formula import Formula, NotAFormula, Tape, number
from polhode.kernels.scalar import STEP


class Pair:
    """value + i STEP slope, both formulas; kernels and users' potentials compute with it as with a number."""

    __slots__ = ("slope", "value")
    __array_priority__ = 1001
    functions: Any  # where scalar.py finds the square root and the like: below

    def __init__(self, value: Formula, slope: Formula) -> None:
        self.value, self.slope = value, slope

    @property
    def real(self) -> Formula:
        """The value, as of a complex number that carries a derivative."""
        return self.value

    @property
    def imag(self) -> Formula:
        """What the complex step has added."""
        return self.slope * STEP

    def __add__(self, other: Any) -> "Pair":
        other = pair(self.value.tape, other)
        return Pair(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Any) -> "Pair":
        other = pair(self.value.tape, other)
        return Pair(self.value * other.value, self.value * other.slope + self.slope * other.value)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Pair":
        return Pair(-self.value, -self.slope)

    def __pos__(self) -> "Pair":
        return self

    def __sub__(self, other: Any) -> "Pair":
        return self + -pair(self.value.tape, other)

    def __rsub__(self, other: Any) -> "Pair":
        return -self + other

    def __truediv__(self, other: Any) -> "Pair":
        return self * pair(self.value.tape, other) ** -1.0

    def __rtruediv__(self, other: Any) -> "Pair":
        return self**-1.0 * other

    def __pow__(self, n: Any) -> "Pair":
        if isinstance(n, (Formula, Pair)):
            raise NotAFormula("a power that changes")
        n = number(n)
        return Pair(self.value**n, self.value ** (n - 1) * self.slope * n)

    def sqrt(self) -> "Pair":
        return self**0.5

    def exp(self) -> "Pair":
        e = self.value.exp()
        return Pair(e, e * self.slope)

    def log(self) -> "Pair":
        return Pair(self.value.log(), self.slope / self.value)

    def sin(self) -> "Pair":
        return Pair(self.value.sin(), self.value.cos() * self.slope)

    def cos(self) -> "Pair":
        return Pair(self.value.cos(), -self.value.sin() * self.slope)

    def tan(self) -> "Pair":
        return self.sin() / self.cos()

    def __bool__(self) -> bool:
        raise NotAFormula("a decision by a value that changes")

    def _compared(self, other: Any) -> bool:
        raise NotAFormula("a comparison of a value that changes")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __hash__ = None  # type: ignore[assignment]


Pair.functions = Pair


def pair(tape: Tape, x: Any) -> Pair:
    """A number, a complex number or a formula as a pair."""
    if isinstance(x, Pair):
        return x
    if isinstance(x, Formula):
        return Pair(x, Formula(tape, 0.0, {}))
    z = x if isinstance(x, complex) else complex(number(x))
    return Pair(Formula(tape, z.real, {}), Formula(tape, z.imag / STEP, {}))


class Stepped(Formula):
    """A formula that becomes a pair where it meets a complex number or a pair."""

    __slots__ = ()


def _met(operation: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    def compute(self: Formula, other: Any) -> Any:
        if isinstance(other, (Pair, complex)):
            return operation(pair(self.tape, self), other)
        return plain(self, other)

    return compute


for _name in ("add", "sub", "mul", "truediv"):
    setattr(Stepped, f"__{_name}__", _met(getattr(operator, _name), getattr(Formula, f"__{_name}__")))
for _name in ("add", "mul"):
    setattr(Stepped, f"__r{_name}__", getattr(Stepped, f"__{_name}__"))


def stepped(formulas: tuple[Formula, ...]) -> tuple[Stepped, ...]:
    """These formulas, ready for the complex step."""
    return tuple(Stepped(f.tape, f.number, f.terms) for f in formulas)
