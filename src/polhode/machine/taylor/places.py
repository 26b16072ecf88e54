"""Where the numbers of a Taylor series lie: lanes of vectors, and the types and constants of the code."""

from llvmlite import ir

from polhode.integrators.taylor.formula import TIME
from polhode.integrators.taylor.recurrences import Lane, Recurrences

F8, I32, I64 = ir.DoubleType(), ir.IntType(32), ir.IntType(64)
W = 8  # numbers in a vector
V = ir.VectorType(F8, W)
MOST_ORDER = 62
"""The highest order that there is a reciprocal for."""

PEELED = 4  # orders that are written one by one: the sums of later ones have terms between those at their ends

Values = dict[int, ir.Value]
Factors = dict[tuple[int, int], ir.Value]


class Places:
    """Which lane is where: the sixteen of free motion, products of the state, and all others.

    A matrix of attitude needs nine products of the state, one more than a vector has. Such a rest goes where the others
    leave room: a vector less in the sums is a fifth of an expansion.
    """

    def __init__(self, r: Recurrences) -> None:
        flat = [(i, k, lane) for i, lanes in r.lanes.items() for k, lane in enumerate(lanes)]
        simple = [x for x in flat if x[2].a < TIME and x[2].b < TIME]
        other = [x for x in flat if not (x[2].a < TIME and x[2].b < TIME)]
        rest = len(simple) % W
        if rest and rest + len(other) <= _filled(len(other)):
            simple, other = simple[:-rest], other + simple[-rest:]
        self.simple = range(2 * W, _filled(2 * W + len(simple)))
        self.other = range(self.simple.stop, _filled(self.simple.stop + len(other)))
        self.lanes: list[Lane | None] = [None] * self.other.stop
        self.of: dict[tuple[int, int], int] = {}
        for first, group in ((self.simple.start, simple), (self.other.start, other)):
            for place, (i, k, lane) in enumerate(group, first):
                self.lanes[place], self.of[i, k] = lane, place


def _filled(n: int) -> int:
    return -(-n // W) * W


def width(r: Recurrences) -> int:
    """How many lanes there are; `work` must have room for twice as many numbers an order, and one order more."""
    return len(Places(r).lanes)


def whole(n: int) -> ir.Constant:
    """A whole number in the code."""
    return ir.Constant(I64, n)


def number(x: float) -> ir.Constant:
    """A number in the code."""
    return ir.Constant(F8, x)
