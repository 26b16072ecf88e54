"""Kernels printed as JavaScript: the sixth arithmetic.

A kernel is a function on tuples of numbers, and so is its translation: tuples become arrays, floats are the same
64 bits, every operation is done in the same order, and no engine of JavaScript fuses or reorders any. What a kernel
calls, and what its closure holds, is printed with it. Only floats go through, so a question for the arithmetic
(``isinstance(x, float)``) has its answer in print and the other branches are left out.

What has no translation (an array, an exception, a keyword) is refused with a sentence that names the line.
"""

import types
from collections.abc import Callable
from typing import Any

from polhode.views.lab.syntax_trees import CannotPrint, tree_of
from polhode.views.lab.translation import Translation

RUNTIME = """\
const add = (x, y) => typeof x === "number" ? x + y : x.concat(y);
const modulo = (x, n) => x - n * Math.floor(x / n);
const strided = (x, from, step) => x.filter((_, i) => i >= from && (i - from) % step === 0);
"""
"""What Python's operators do and JavaScript's do not: + joins tuples, % has the sign of the divisor."""


class Printer:
    """Collects functions, each printed once, in the order in which they can be defined."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self.lines: list[str] = []

    @property
    def text(self) -> str:
        """All that has been printed, without the runtime."""
        return "\n".join(self.lines) + "\n"

    def function(self, function: Callable[..., Any]) -> str:
        """The name of a function in JavaScript; it is printed, with what it needs, unless it has been."""
        key = _identity(function)
        if key not in self._names:
            tree = tree_of(function)
            self._names[key] = name = self._free_name(function)
            try:
                self.lines.extend(Translation(self.function, function, tree).lines(name))
            except BaseException:
                del self._names[key]
                raise
        return self._names[key]

    def _free_name(self, function: Callable[..., Any]) -> str:
        stem = function.__name__ if function.__name__.isidentifier() else "lambda"
        home = function.__module__.rpartition(".")[2]
        name = base = f"{home}_{stem}"
        count = 2
        while name in self._used:
            name, count = f"{base}_{count}", count + 1
        self._used.add(name)
        return name


def _identity(function: Any) -> Any:
    """What tells functions apart: those that one factory made from equal values count as one."""
    if not isinstance(function, types.FunctionType):
        raise CannotPrint(f"{function!r} is not a function written in Python.")
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return function.__code__, tuple(_identity(x) if isinstance(x, types.FunctionType) else x for x in cells)
