"""The recurrences of a traced formula: what has to be computed for each order of the series, and from what.

Written for coefficient n of every atom, with the coefficients below n known and A B meaning the Cauchy product:

    product        c_n = sum_j a_j b_(n-j)
    s^p            c_n = (p (sum_j c_j s_(n-j))  - (p + 1)/n sum_j j c_j s_(n-j)) / s_0,    j < n
    exp s          c_n = 1/n sum_j c_j (n - j) s_(n-j),    j < n;    sine and cosine likewise, each from the other
    log s          c_n = (s_n - 1/n sum_j j c_j s_(n-j)) / s_0,    0 < j < n
    sin, cos of k t + d:    s_n = k c_(n-1)/n,  c_n = -k s_(n-1)/n

Each sum over j is a lane: a pair of series, of which one may be weighted by its index. All lanes of one order are
summed together, eight at a time (``polhode.machine.taylor.code``).
"""

import math
from dataclasses import dataclass
from typing import Any

from polhode.integrators.taylor.formula import TIME, Atom, Formula, Tape


@dataclass(frozen=True)
class Lane:
    """sum_j A_j B_(n-j), with A_j or B_j multiplied by its index j if weighted."""

    a: int
    b: int
    weight_a: bool = False
    weight_b: bool = False


@dataclass(frozen=True)
class Sums:
    """Up to eight sums that can be computed together: sum k is number k + number k of each column times its atom.

    `atoms` are the sums themselves, `of` the atoms that are added up, one a column.
    """

    atoms: tuple[int, ...]
    of: tuple[int, ...]


@dataclass(frozen=True)
class Recurrences:
    """What is computed for each order, in order: atoms one by one, and sums together.

    `structure` is all that machine code depends on. `data` are the numbers it is given, in rows of eight: the factors
    of the gyroscopic torque, then for each of `Sums` the numbers and the columns; the last of them, the rates of the
    velocity that the torque makes, has its sums in places 4, 5, 6.
    """

    atoms: tuple[Atom, ...]
    plan: tuple[int | Sums, ...]
    lanes: dict[int, tuple[Lane, ...]]  # of those atoms that need sums over j
    turns: tuple[int, ...]  # sines and cosines of k t + d, which need none
    rates: Sums
    data: tuple[tuple[float, ...], ...]

    @property
    def structure(self) -> tuple[Any, ...]:
        """What the recurrences are, without the numbers that are given."""
        atoms = tuple((a.kind, a.of, a.number if a.kind == "pow" else 0.0) for a in self.atoms)
        return atoms, self.plan, self.turns, self.rates

    @property
    def functions_of_time(self) -> float:
        """Of how many fixed functions of the time the torque on a body at rest is a sum, at most.

        They are few if it is a polynomial of low degree in t and in sines and cosines of k t + d. The sum then fulfils
        one linear differential equation of that order: if as many coefficients of its series vanish, it is zero for
        ever. Of other functions of the time there is no end: they may change where no series sees it coming.
        """
        degrees = self._degrees()
        degree = max((degrees[i] for i in self.rates.of), default=0)
        variables = 1 + 2 * len({self.atoms[i].of for i in self.turns})  # t, and a sine and a cosine each
        return math.inf if degree == math.inf else math.comb(variables + int(degree), int(degree))

    def _degrees(self) -> list[float]:
        """The degree of each atom as a polynomial in t and in sines and cosines of k t + d; infinite if it is none."""
        degrees: list[float] = [*[0] * TIME, 1]
        for i, a in enumerate(self.atoms[TIME + 1 :], TIME + 1):
            of = [degrees[k] for k in a.of]
            if i in self.turns:
                degrees.append(1)
            elif a.kind == "mul":
                degrees.append(sum(of))
            else:
                degrees.append(max(of, default=0) if a.kind == "sum" or not any(of) else math.inf)
        return degrees


def recurrences(tape: Tape, torque: list[Formula], gyroscopic: tuple[float, float, float]) -> Recurrences:
    """The recurrences for these formulas of the torque, each divided by its moment."""
    atoms, at = _needed(tape, torque)
    turns = tuple(i for i, a in enumerate(atoms) if a.kind in ("sin", "cos") and _is_linear(atoms, a.of[0]))
    lanes = {i: _lanes(atoms, i) for i in range(TIME + 1, len(atoms)) if i not in turns and atoms[i].kind != "sum"}
    data: list[tuple[float, ...]] = [(-0.5, -0.5, -0.5, -0.5, *gyroscopic, 0.0)]
    plan: list[int | Sums] = []
    levels = _levels(atoms)
    for level in range(1, max(levels) + 1):
        here = [i for i in range(TIME + 1, len(atoms)) if levels[i] == level]
        sums = [i for i in here if atoms[i].kind == "sum"]
        for k in range(0, len(sums), 8):
            some = sums[k : k + 8]
            rows = [(atoms[i].number, dict(zip(atoms[i].of, atoms[i].factors))) for i in some]
            plan.append(_together(some, rows, data))
        plan += [i for i in here if atoms[i].kind != "sum"]
    rows = [(0.0, {})] * 4 + [(f.number, {at[k]: x for k, x in f.terms.items()}) for f in torque]
    rates = _together((), rows, data)
    return Recurrences(tuple(atoms), tuple(plan), lanes, turns, rates, tuple(data))


def _needed(tape: Tape, torque: list[Formula]) -> tuple[list[Atom], dict[int, int]]:
    """The atoms that the torque needs, beside the state and the time, and their new numbers."""
    needed, todo = set(), [k for f in torque for k in f.terms]
    while todo:
        k = todo.pop()
        if k in needed:
            continue
        needed.add(k)
        atom = tape.atoms[k]
        todo += atom.of if k > TIME else ()
        if atom.kind in ("sin", "cos"):
            todo.append(tape.places[Atom("cos" if atom.kind == "sin" else "sin", atom.of)])
    kept = [*range(TIME + 1), *sorted(k for k in needed if k > TIME)]
    at = {k: i for i, k in enumerate(kept)}
    atoms = []
    for k in kept:
        a = tape.atoms[k]
        atoms.append(a if k <= TIME else Atom(a.kind, tuple(at[i] for i in a.of), a.number, a.factors))
    return atoms, at


def _levels(atoms: list[Atom]) -> list[int]:
    """How many atoms, one made of the other, lead to each: what is on one level can be computed at once."""
    levels = [0] * (TIME + 1)
    for a in atoms[TIME + 1 :]:
        levels.append(1 + max(levels[k] for k in a.of))
    return levels


def _together(atoms: list[int] | tuple[Any, ...], rows: list[tuple[float, dict[int, float]]], data: list[Any]) -> Sums:
    """Sums that are computed together; their numbers are added to the data."""
    of = tuple(sorted({k for _, terms in rows for k in terms}))
    eight = lambda numbers: tuple([*numbers, *[0.0] * 8][:8])
    data.append(eight([number for number, _ in rows]))
    data.extend(eight([terms.get(k, 0.0) for _, terms in rows]) for k in of)
    return Sums(tuple(atoms), of)


def _is_linear(atoms: list[Atom], i: int) -> bool:
    """Whether an atom is the time, or a number times it plus another."""
    return i == TIME or (atoms[i].kind == "sum" and atoms[i].of == (TIME,))


def _lanes(atoms: list[Atom], i: int) -> tuple[Lane, ...]:
    a = atoms[i]
    s = a.of[0]
    match a.kind:
        case "mul":
            return (Lane(s, a.of[1]),)
        case "pow":
            return Lane(i, s), Lane(i, s, weight_a=True)
        case "exp":
            return (Lane(i, s, weight_b=True),)
        case "log":
            return (Lane(i, s, weight_a=True),)
        case _:  # sine and cosine: the other one
            (other,) = (k for k, x in enumerate(atoms) if k != i and x.kind in ("sin", "cos") and x.of == a.of)
            return (Lane(other, s, weight_b=True),)
