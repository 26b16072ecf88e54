"""Runge-Kutta tableaux: exact numbers that check themselves; what follows from them is computed, not claimed.

A tableau holds fractions. Irrational coefficients are decimals of 60 digits, as exact as anything here needs;
an arithmetic rounds them when a method is given to it (`rounded`).
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import checked_construction, items, text
from polhode.integrators.parts.order_conditions import coloured, exact, forests, increments
from polhode.pickling import recipe

ZERO = Fraction(1, 10**55)
"""A condition counts as met below this: rationals meet it exactly, decimals of 60 digits nearly."""

HIGHEST_ORDER = 8
"""The highest order that is looked for."""


MOST_STAGES = 64
"""Stages of a tableau: every one is code of its own."""


def fractions(label: str, value: Any) -> tuple[Fraction, ...]:
    """Exact numbers from fractions, whole numbers, floats or text."""
    numbers, exact = items(label, value, "a sequence of fractions, whole numbers, floats or text"), []
    for x in numbers:
        try:
            exact.append(Fraction(x.item() if hasattr(x, "item") else x))
        except Exception:  # text that is no number, 1/0, NaN, infinity, objects
            raise InputError(f"{label} has {one_line(x)}; give fractions, whole numbers, floats or text.") from None
        if abs(exact[-1]) > 10**6:
            raise InputError(f"{label} has {one_line(x)}; a coefficient is at most 10^6.")
    return tuple(exact)


MOST_DIGITS = 10**40
"""Of a numerator or denominator that stands in the name of a method."""


def exact_number(label: str, value: Any) -> Fraction:
    """A parameter as an exact number; a float is the decimal that it prints as, so that 0.6 is 3/5."""
    try:
        exact = Fraction(repr(float(value)) if isinstance(value, float) else value)
    except Exception:  # text that is no number, 1/0, NaN, infinity, objects
        raise InputError(
            f"{label} is {one_line(value)}; it must be a number, such as Fraction(1, 6), '1/6' or 0.3."
        ) from None
    if max(abs(exact.numerator), exact.denominator) > MOST_DIGITS:
        raise InputError(f"{label} is {one_line(value)}; numerator and denominator are at most 10^40.")
    return exact


def rounded(x: Fraction, number: type) -> float:
    """An exact number in the arithmetic of `number`: float, complex, mpmath.mpf ..."""
    x = Fraction(x)
    if isinstance(number(1), (float, complex)):
        return number(float(x))
    return number(x.numerator) / x.denominator


@recipe
@cache
def constants(exact: tuple[Fraction, ...]) -> Callable[..., Any]:
    """Coefficients that are the same for every body, as the function (J, number) -> numbers of a Method."""
    return lambda J, number: tuple(rounded(x, number) for x in exact)


@checked_construction
@dataclass(frozen=True)
class Tableau:
    """A and b of a Runge-Kutta method; c, where given, is checked against the row sums of A.

    Numbers are fractions, whole numbers or text: "1/6", "0.1370831520630755...". Floats are taken as exact.

    Parameters
    ----------
    name : str
        Of the scheme.
    A : rows of numbers
        Square.
    b : sequence of numbers
        The weights.
    c : sequence of numbers
        The nodes; the row sums of A if not given.

    Raises
    ------
    InputError
        Shapes or sums that do not fit.
    """

    name: str
    A: tuple[Any, ...]
    b: tuple[Any, ...]
    c: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        text("name", self.name)
        label = f"of the tableau {self.name!r}"
        A = tuple(fractions(f"a row of A {label}", row) for row in items(f"A {label}", self.A, "rows of numbers"))
        b = fractions(f"b {label}", self.b)
        c = tuple(sum(row, Fraction(0)) for row in A)
        nodes = fractions(f"c {label}", self.c) or c
        if len(b) > MOST_STAGES:
            raise InputError(f"The tableau {self.name!r} has {len(b)} stages; at most {MOST_STAGES} can be compiled.")
        if not b or {len(A), len(nodes), *map(len, A)} != {len(b)}:
            raise InputError(f"The tableau {self.name!r} has {len(b)} weights b; A must have as many rows and columns.")
        for i, (said, total) in enumerate(zip(nodes, c)):
            if abs(said - total) > ZERO:
                raise InputError(
                    f"Row {i + 1} of the tableau {self.name!r} adds up to {float(total)!r} and c says {float(said)!r}: "
                    "one of its numbers is wrong."
                )
        if abs(sum(b, Fraction(0)) - 1) > ZERO:
            raise InputError(f"The weights b of the tableau {self.name!r} add up to {float(sum(b))!r}, not to 1.")
        for field, value in (("A", A), ("b", b), ("c", c)):
            object.__setattr__(self, field, value)

    @property
    def stages(self) -> int:
        """The number of stages."""
        return len(self.b)

    @property
    def explicit(self) -> bool:
        """Whether every stage needs earlier ones only."""
        return not any(x for i, row in enumerate(self.A) for x in row[i:])

    @property
    def symmetric(self) -> Any:
        """Whether the method is its own adjoint in a vector space: a_ij + a_{s+1-i, s+1-j} = b_j = b_{s+1-j}."""
        A, b, s = self.A, self.b, range(self.stages)
        return all(abs(A[i][j] + A[-1 - i][-1 - j] - b[j]) + abs(b[j] - b[-1 - j]) <= ZERO for i in s for j in s)

    @property
    def symplectic(self) -> Any:
        """Whether it keeps quadratic invariants in a vector space: b_i a_ij + b_j a_ji = b_i b_j."""
        A, b, s = self.A, self.b, range(self.stages)
        return all(abs(b[i] * A[i][j] + b[j] * A[j][i] - b[i] * b[j]) <= ZERO for i in s for j in s)

    @cached_property
    def order(self) -> int:
        """The order in a vector space: Butcher's conditions, one for each tree."""
        return self._order(False)

    @cached_property
    def order_on_group(self) -> int:
        """The order of Crouch and Grossman's method: conditions of Owren and Marthinsen, for each ordered forest."""
        return self._order(True)

    def _order(self, on_group: bool) -> int:
        with localcontext(prec=75):  # decimals: ten times faster than fractions, which every import would wait for
            A, b = tuple(map(_decimals, self.A)), _decimals(self.b)
            for n in range(1, HIGHEST_ORDER + 1):
                for forest in forests(n) if on_group else [(tree,) for tree in forests(n - 1)]:
                    (increment,) = increments(forest, A, (b,), on_group)
                    if abs(increment - _decimals([exact(forest, on_group)])[0]) > ZERO:
                        return n - 1
        return HIGHEST_ORDER


def partitioned_order(first: Tableau, second: Tableau) -> int:
    """The order of two tableaux together, each for its part of a system in a vector space.

    One condition for each tree whose nodes are of two colours: a node takes the tableau of its colour.
    """
    with localcontext(prec=75):
        tables = [(tuple(map(_decimals, t.A)), _decimals(t.b)) for t in (first, second)]
        for n in range(1, HIGHEST_TOGETHER + 1):
            for tree in forests(n - 1):
                wanted = _decimals([exact((tree,), False)])[0]
                for colours in itertools.product((0, 1), repeat=n):
                    if abs(coloured((tree,), list(colours), tables) - wanted) > ZERO:
                        return n - 1
    return HIGHEST_TOGETHER


HIGHEST_TOGETHER = 6
"""The highest order that is looked for in two tableaux: trees of two colours are many."""


def given_tableau(value: Any) -> Tableau:
    """A Tableau, and nothing else."""
    if not isinstance(value, Tableau):
        raise InputError(f"tableau is {one_line(value)}; give a Tableau(name, A, b).")
    return value


def _decimals(numbers: list[Fraction] | tuple[Fraction, ...]) -> tuple[Decimal, ...]:
    return tuple(Decimal(x.numerator) / x.denominator for x in numbers)


# ---- the tableaux ----------------------------------------------------------------------------------------

_SQRT3 = Fraction("1.732050807568877293527446341505872366942805253810380628055806979451933016908800")

EXPLICIT_MIDPOINT = Tableau("explicit midpoint", ((0, 0), ("1/2", 0)), (0, 1))
KUTTA = Tableau("Kutta", ((0, 0, 0), ("1/2", 0, 0), (-1, 2, 0)), ("1/6", "2/3", "1/6"))
CLASSICAL = Tableau(
    "classical Runge-Kutta",
    ((0, 0, 0, 0), ("1/2", 0, 0, 0), (0, "1/2", 0, 0), (0, 0, 1, 0)),
    ("1/6", "1/3", "1/3", "1/6"),
)
IMPLICIT_MIDPOINT = Tableau("implicit midpoint", (("1/2",),), (1,))
TRAPEZOIDAL = Tableau("trapezoidal", ((0, 0), ("1/2", "1/2")), ("1/2", "1/2"))
LOBATTO_IIIA = (
    TRAPEZOIDAL,
    Tableau("Lobatto IIIA", ((0, 0, 0), ("5/24", "1/3", "-1/24"), ("1/6", "2/3", "1/6")), ("1/6", "2/3", "1/6")),
)
LOBATTO_IIIB = (
    Tableau("Lobatto IIIB, two stages", (("1/2", 0), ("1/2", 0)), ("1/2", "1/2")),
    Tableau("Lobatto IIIB", (("1/6", "-1/6", 0), ("1/6", "1/3", 0), ("1/6", "5/6", 0)), ("1/6", "2/3", "1/6")),
)
"""With two and with three stages, of order 2 and 4; in a vector space the pair is symplectic."""
GAUSS = Tableau("Gauss", (("1/4", Fraction(1, 4) - _SQRT3 / 6), (Fraction(1, 4) + _SQRT3 / 6, "1/4")), ("1/2", "1/2"))

CROUCH_GROSSMAN = Tableau(
    "Crouch-Grossman",
    ((0, 0, 0), ("3/4", 0, 0), ("119/216", "17/108", 0)),
    ("13/51", "-2/3", "24/17"),
    (0, "3/4", "17/24"),
)
# Published with 16 digits; refined on the 13 conditions of order 4, the nearest solution of the family of two
# parameters that they leave. Misprint: a54 ends in ...3565 in several public codes; row 5 then misses c5.
JACKIEWICZ_MARTHINSEN_OWREN = Tableau(
    "Jackiewicz-Marthinsen-Owren",
    (
        (0, 0, 0, 0, 0),
        ("0.81772279881248518386438341584772319266074843669653389545443335", 0, 0, 0, 0),
        (
            "0.31998763754764268140960925832903477034408742509755524232484652",
            "0.065986426355602187354603228667333554271458195010592568880095088",
            *(0, 0, 0),
        ),
        (
            "0.92144171944649461260295561444796689455082288716688019494068409",
            "0.49978577767735729863058062244163890330738957993193362281450323",
            "-1.0969984448371582077182668184161094756406697342199188366362327",
            *(0, 0),
        ),
        (
            "0.35523585590233220105415681944712091648052074704682326912319949",
            "0.23909583723073256958529913069514242797477496705348674485085423",
            "1.391856572420324594286736990115349791859952692471505398325936",
            "-1.1092979392113465105841772499262163302471897737274488719332302",
            0,
        ),
    ),
    (
        "0.13708315206307553702959477356769353487833414457264715191852599",
        "-0.018369853156402019112610887745429207206190919500424911120083043",
        "0.73978139853707799892914361649066248430277041326345840532778498",
        "-0.19071425655058889669774657703342479752239557983947247973086215",
        "0.33221955910683737985161907472049798554748194150379183360463422",
    ),
)
