"""Symbols: what a user's function is called with to find out what it computes, and derivatives of that.

A symbol stands for a number that is not known yet. Arithmetic and functions of it are written on a tape, one operation
a line, each once, in the order in which they are done: no operation is changed, and none is left out. What is no
arithmetic (a comparison, a conversion to a whole number) has no answer: NotStraight.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

MOST_LINES = 500
"""The most lines of a tape: a longer function would take seconds to compile, and is left as it is."""

MOST_FACTORS = 64
"""Whole powers up to here are products, as they are for literals in machine code."""


class NotStraight(TypeError):
    """The function decides by the value of a number, or does what no line of arithmetic does."""


class Tape:
    """Lines (name, operation, operands): operands are names of lines before, arguments, or numbers written out."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str, tuple[str, ...]]] = []
        self._names: dict[tuple[str, tuple[str, ...]], str] = {}

    def argument(self, text: str) -> "Symbol":
        """A symbol for an argument of the function, as it is written: ``Q[3]``."""
        return Symbol(self, text)

    def done(self, operation: str, *operands: Any) -> "Symbol":
        """A symbol for the result of an operation, a new line or that of its equal."""
        key = operation, tuple(operand(x) for x in operands)
        if key not in self._names:
            if len(self.lines) >= MOST_LINES:
                raise NotStraight(f"more than {MOST_LINES} operations")
            self._names[key] = name = f"v{len(self.lines)}"
            self.lines.append((name, *key))
        return Symbol(self, self._names[key])

    def text(self) -> list[str]:
        """The lines as Python."""
        return [f"{name} = {written(operation, operands)}" for name, operation, operands in self.lines]


def written(operation: str, operands: tuple[str, ...]) -> str:
    """An operation as Python."""
    if operation == "neg":
        return f"-{operands[0]}"
    if operation in INFIX:
        return f"{operands[0]} {operation} {operands[1]}"
    return f"{operation}({', '.join(operands)})"


INFIX = ("+", "-", "*", "/", "**")


def operand(x: Any) -> str:
    """A symbol or a number as Python; negative numbers in brackets."""
    if isinstance(x, Symbol):
        return x.name
    if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise NotStraight(f"{type(x).__name__} in place of a number")
    if isinstance(x, np.floating) and not isinstance(x, float):
        raise NotStraight(f"{type(x).__name__}, which is not computed with as a double is")
    value = float(x)
    if not math.isfinite(value) or value != x:
        raise NotStraight("a number that is not finite, or beyond 2^53")
    return f"({value!r})" if math.copysign(1.0, value) < 0 else repr(value)


def _infix(operation: str) -> tuple[Callable[..., Any], Callable]:
    def forwards(self: "Symbol", other: Any) -> Any:
        return self.tape.done(operation, self, other) if _is_number(other) else NotImplemented

    def backwards(self: "Symbol", other: Any) -> Any:
        return self.tape.done(operation, other, self) if _is_number(other) else NotImplemented

    return forwards, backwards


def _is_number(x: Any) -> bool:
    return not isinstance(x, np.ndarray)


class Symbol:
    """A number that is not known yet."""

    __slots__ = ("name", "tape")

    def __init__(self, tape: Tape, name: str) -> None:
        self.tape, self.name = tape, name

    __add__, __radd__ = _infix("+")
    __sub__, __rsub__ = _infix("-")
    __mul__, __rmul__ = _infix("*")
    __truediv__, __rtruediv__ = _infix("/")

    def __neg__(self) -> "Symbol":
        return self.tape.done("neg", self)

    def __pos__(self) -> "Symbol":
        return self

    def __abs__(self) -> "Symbol":
        return self.tape.done("abs", self)

    def __pow__(self, n: Any) -> Any:
        if not _is_number(n):
            return NotImplemented
        if isinstance(n, Symbol):
            return self.tape.done("**", self, n)
        operand(n)  # or NotStraight
        if n == 0.5:
            return self.tape.done("np.sqrt", self)
        if n == 1:
            return self
        if float(n).is_integer() and 0 < abs(n) <= MOST_FACTORS:
            power = self._to(int(abs(n)))
            return power if n > 0 else 1.0 / power
        return self.tape.done("**", self, n)

    def _to(self, n: int) -> "Symbol":
        """A power by products, squaring from the lowest bit."""
        square, result = self, None
        while n:
            if n & 1:
                result = square if result is None else result * square
            n >>= 1
            square = square * square if n else square
        assert result is not None
        return result

    def __rpow__(self, base: Any) -> Any:
        return self.tape.done("**", base, self) if _is_number(base) else NotImplemented

    def _no_number(self, *_: Any) -> Any:
        raise NotStraight("a decision by the value of a number")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = __round__ = __floor__ = __ceil__ = _no_number
    __str__ = __format__ = _no_number
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _no_number
    __hash__ = None  # type: ignore[assignment]


# ---- derivatives ---------------------------------------------------------------------------------------


def gradient(result: Symbol) -> dict[str, Any]:
    """The derivatives of a symbol by all that its tape mentions, by name: from the last line back to the first."""
    tape = result.tape
    slopes: dict[str, Any] = {result.name: 1.0}
    for name, operation, operands in reversed(tuple(tape.lines)):
        if name not in slopes:
            continue
        values = [_value(tape, text) for text in operands]
        for text, value, rule in zip(operands, values, RULES.get(operation, ())):
            if not isinstance(value, Symbol):
                continue
            if rule is None:
                raise NotStraight(f"the derivative of {operation} by an exponent that changes")
            more = rule(slopes[name], Symbol(tape, name), *values)
            slopes[text] = slopes[text] + more if text in slopes else more
        if operation not in RULES:
            raise NotStraight(f"the derivative of {operation}")
    return slopes


def _value(tape: Tape, text: str) -> Any:
    try:
        return float(text.strip("()"))
    except ValueError:
        return Symbol(tape, text)


def _called(name: str, x: Any) -> Any:
    return x.tape.done(f"np.{name}", x)


def _times(a: Any, b: Any) -> Any:
    """a b, where a factor of one is left out."""
    return b if isinstance(a, float) and a == 1 else a * b


RULES: dict[str, tuple[Callable[..., Any] | None, ...]] = {
    "+": (lambda a, y, u, v: a, lambda a, y, u, v: a),
    "-": (lambda a, y, u, v: a, lambda a, y, u, v: -a),
    "*": (lambda a, y, u, v: _times(a, v), lambda a, y, u, v: _times(a, u)),
    "/": (lambda a, y, u, v: a / v, lambda a, y, u, v: -(a / v * y)),
    "neg": (lambda a, y, u: -a,),
    "**": (
        lambda a, y, u, n: _times(a, n * u ** (n - 1)) if isinstance(n, float) else _no_rule(),
        lambda a, y, c, v: _times(a, math.log(c) * y) if isinstance(c, float) and c > 0 else _no_rule(),
    ),
    "np.sqrt": (lambda a, y, u: a / (y + y),),
    "np.square": (lambda a, y, u: _times(a, u + u),),
    "np.sin": (lambda a, y, u: _times(a, _called("cos", u)),),
    "np.cos": (lambda a, y, u: _times(-a, _called("sin", u)),),
    "np.tan": (lambda a, y, u: _times(a, 1 + y * y),),
    "np.exp": (lambda a, y, u: _times(a, y),),
    "np.exp2": (lambda a, y, u: _times(a, math.log(2) * y),),
    "np.expm1": (lambda a, y, u: _times(a, _called("exp", u)),),
    "np.log": (lambda a, y, u: a / u,),
    "np.log2": (lambda a, y, u: a / (math.log(2) * u),),
    "np.log10": (lambda a, y, u: a / (math.log(10) * u),),
    "np.log1p": (lambda a, y, u: a / (1 + u),),
    "np.sinh": (lambda a, y, u: _times(a, _called("cosh", u)),),
    "np.cosh": (lambda a, y, u: _times(a, _called("sinh", u)),),
    "np.tanh": (lambda a, y, u: _times(a, 1 - y * y),),
    "np.arcsin": (lambda a, y, u: a / _called("sqrt", (1 - u) * (1 + u)),),
    "np.arccos": (lambda a, y, u: -a / _called("sqrt", (1 - u) * (1 + u)),),
    "np.arctan": (lambda a, y, u: a / (1 + u * u),),
    "np.arcsinh": (lambda a, y, u: a / _called("sqrt", u * u + 1),),
    "np.arccosh": (lambda a, y, u: a / (_called("sqrt", u - 1) * _called("sqrt", u + 1)),),
    "np.arctanh": (lambda a, y, u: a / ((1 - u) * (1 + u)),),
}
"""Slopes by each operand: rule(slope by the result, result, operands)."""


def _no_rule() -> Any:
    raise NotStraight("a power of which base and exponent change")
