"""Decisions of a program: which way each has gone in a run, and how near it was to going the other way.

A test that is made of comparisons is as near to its other outcome as these are: all of them for `and`, the nearest one
for `or`.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from polhode.testbench.certificate.branches.comparisons import CHOICES, MOST_NUMBERS, OPERATORS, UNKNOWN, Leaf, leaf_of
from polhode.testbench.certificate.running.guard import TimeUp

NOT_REACHED = 1e3  # for each decision on the way that goes the wrong way, so that the next was not evaluated

Tree: TypeAlias = tuple[Any, ...]
"""A test: ("and", trees), ("or", trees), ("not", tree) or ("leaf", the number of a comparison)."""


@dataclass(frozen=True)
class Decision:
    """A place where a program goes one of two ways."""

    number: int
    line: int
    words: str  # as it is written
    file: str
    tree: Tree
    inside: tuple[int, bool] | None  # the decision, and its outcome, without which it is not reached
    unsought: frozenset[bool] = frozenset()  # outcomes that lead to an exception, or nowhere
    is_test: bool = True  # of an if, a while or an if-expression; otherwise a comparison, or a choice by max, clip, ...

    @property
    def leaves(self) -> tuple[int, ...]:
        """The numbers of its comparisons."""
        return tuple(_leaves(self.tree))

    def told(self, outcome: bool) -> str:
        """An outcome in words."""
        return f"`{self.words}` in line {self.line} is {'true' if outcome else 'false'}"


@dataclass
class Passage:
    """What a run has shown of one decision: which ways it went, and the nearest that it came to each."""

    outcomes: set[bool] = field(default_factory=set)
    nearest: dict[bool, tuple[float, tuple[Leaf, ...]]] = field(default_factory=dict)

    def note(self, outcome: bool, distance: float, leaves: tuple[Leaf, ...]) -> None:
        """The nearest evaluation so far."""
        if distance < self.nearest.get(outcome, (math.inf, ()))[0]:
            self.nearest[outcome] = distance, leaves


class Recorder:
    """What rewritten functions tell of the decisions that they make; they call it by the name of its methods."""

    def __init__(self) -> None:
        self.decisions: dict[int, Decision] = {}
        self.passages: dict[int, Passage] = {}
        self.leaves: dict[int, Leaf] = {}
        self.values: dict[int, set[float]] = {}  # of a comparison, some values of its difference
        self.count = 0

    def new(self) -> int:
        """The number of a decision or of a comparison."""
        self.count += 1
        return self.count

    def passed(self, run: Callable[[], Any]) -> dict[int, Passage]:
        """What a run shows, up to its end or to what it raises."""
        self.passages = {}
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                run()
        except (TimeUp, KeyboardInterrupt):  # not what it does, but what is done to it
            raise
        except BaseException:  # the integrator's own, which is told where it is measured
            pass
        return self.passages

    # ---- called by rewritten functions

    def begin(self, number: int, leaves: Sequence[int]) -> int:
        """A test is about to be evaluated."""
        for leaf in leaves:
            self.leaves.pop(leaf, None)
        return number

    def decide(self, number: int, value: Any) -> Any:
        """A test was evaluated."""
        try:
            outcome = bool(value)
        except Exception:  # an array of several numbers, which raises where it is used as well
            return value
        passage = self.passages.setdefault(number, Passage())
        passage.outcomes.add(outcome)
        tree = self.decisions[number].tree
        for wanted in (True, False):
            if wanted == outcome:
                passage.note(wanted, 0.0, ())
            else:
                passage.note(wanted, *self._distance(tree, wanted))
        return value

    def compare(self, number: int, operators: Sequence[str], *operands: Any) -> Any:
        """A comparison, or a chain of them, evaluated as Python does."""
        value: Any = True
        pairs = list(zip(operators, operands, operands[1:]))
        for sign, a, b in pairs:
            value = OPERATORS[sign](a, b)
            if len(pairs) > 1 and not value:
                break
        self._note_leaf(number, pairs)
        return value

    def truth(self, number: int, value: Any) -> Any:
        """What is no comparison, in a test."""
        try:
            outcome = bool(value)
        except Exception:
            return value
        self.leaves[number] = Leaf(0.0 if outcome else UNKNOWN, UNKNOWN if outcome else 0.0, math.nan, math.nan)
        return value

    def choose(self, number: int, name: str, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Any:
        """A function that goes one way or the other by the size of its arguments."""
        try:
            pairs = CHOICES[name](*arguments, **keywords)
        except Exception:  # another function of that name, or arguments that are no numbers
            pairs = []
        for k, (a, b) in enumerate(pairs[:MOST_NUMBERS]):
            self._note_leaf(number + k, [("<", a, b)])
        return function(*arguments, **keywords)

    # ----

    def _note_leaf(self, number: int, pairs: Sequence[tuple[str, Any, Any]]) -> None:
        found = [leaf_of(sign, a, b) for sign, a, b in pairs]
        if None in found:
            return
        leaves = [leaf for leaf in found if leaf is not None]
        worst = max(leaves, key=lambda leaf: leaf.to_true)
        leaf = Leaf(sum(x.to_true for x in leaves), min(x.to_false for x in leaves), worst.difference, worst.ratio)
        self.leaves[number] = leaf
        seen = self.values.setdefault(number, set())
        if len(seen) < 3:
            seen.add(leaf.difference)
        if number in self.decisions:  # one that is looked at by itself
            passage = self.passages.setdefault(number, Passage())
            for wanted in (True, False):
                passage.note(wanted, leaf.to(wanted), (leaf,))
                if leaf.to(wanted) == 0:
                    passage.outcomes.add(wanted)

    def _distance(self, tree: Tree, wanted: bool) -> tuple[float, tuple[Leaf, ...]]:
        """How far a test is from an outcome, and the comparisons that must change or stay."""
        kind, what = tree
        if kind == "not":
            return self._distance(what, not wanted)
        if kind == "leaf":
            leaf = self.leaves.get(what)
            return (UNKNOWN, ()) if leaf is None else (leaf.to(wanted), (leaf,))
        parts = [self._distance(part, wanted) for part in what]
        if (kind == "and") == wanted:
            return sum(distance for distance, _ in parts), tuple(leaf for _, leaves in parts for leaf in leaves)
        return min(parts, key=lambda part: part[0])


def _leaves(tree: Tree) -> Iterator[int]:
    kind, what = tree
    if kind == "leaf":
        yield what
    elif kind == "not":
        yield from _leaves(what)
    else:
        for part in what:
            yield from _leaves(part)
