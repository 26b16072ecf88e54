"""A search for states that take a branch: from the states that come nearest to it, by the slope of what it compares,
and by chance where that leads no farther."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from polhode.testbench.certificate.branches.comparisons import Leaf
from polhode.testbench.certificate.branches.decisions import NOT_REACHED, Decision, Passage
from polhode.testbench.certificate.branches.moves import Moved, all_at_random, at_random

MOST_RADIANS = 0.35  # of a step from a state that is looked for: right solvers may be at their limit beyond
SMALL_MOVE = 1e-6  # by which the slope of a comparison is taken
BEYOND = (0.1, 0.5, 0.02)  # part of the distance by which a move aims beyond where the outcome changes, ...
SHORTER = (1.0, 0.3, 0.05)  # ... and by which it is shortened where it leads no nearer
MOST_SLOPES = 8  # one after the other
MOST_AT_RANDOM = 60  # moves by chance, before the next slope is tried; after each that leads nearer it begins again
DEEPER = (0.1, 0.03, 0.01, 0.01, 3e-3, 1e-3)  # parts of their reach by which all numbers of a state are moved on
NEIGHBOURS = 3  # of a state, which must take the branch as well


@dataclass
class Target:
    """An outcome of a decision that was not seen, and the states that come nearest to it."""

    decision: Decision
    outcome: bool
    nearest: list[tuple[float, Moved]] = field(default_factory=list)

    @property
    def key(self) -> tuple[int, bool]:
        """By which it is known."""
        return self.decision.number, self.outcome


@dataclass
class Search:
    """All searches of an integrator: how a state is run, its decisions, the time there is."""

    passed: Callable[[Moved], dict[int, Passage]]
    decisions: dict[int, Decision]
    rng: np.random.Generator
    has_time: Callable[[], bool]

    def distance(self, passages: dict[int, Passage], number: int, outcome: bool) -> tuple[float, tuple[Leaf, ...]]:
        """How far a run was from an outcome, with the decisions on the way to it; and the comparisons that decide."""
        passage, decision = passages.get(number), self.decisions[number]
        if passage is not None and outcome in passage.nearest:
            return passage.nearest[outcome]
        if decision.inside is None:
            return math.inf, ()
        before, leaves = self.distance(passages, *decision.inside)
        return before + NOT_REACHED, leaves

    def of(self, target: Target) -> Iterator[Moved]:
        """States that take the branch, one from each of the nearest that leads there."""
        for distance, at in target.nearest:
            if not self.has_time():
                return
            found = self._from(target, at, distance)
            if found is not None:
                yield found

    def _from(self, target: Target, at: Moved, distance: float) -> Moved | None:
        for _ in range(MOST_SLOPES):
            before = distance
            at, distance = self._by_slope(target, at, distance)
            if distance == 0:
                return self._deeper(target, at)
            if distance > 0.7 * before:
                at, distance = self._by_chance(target, at, distance)
                if distance == 0:
                    return self._deeper(target, at)
            if distance > 0.999 * before or not self.has_time():
                return None
        return None

    def _seen(self, target: Target, at: Moved) -> tuple[float, tuple[Leaf, ...]]:
        """The distance at a state; infinite where there is none."""
        if at.state is None or at.radians > MOST_RADIANS:
            return math.inf, ()
        return self.distance(self.passed(at), *target.key)

    def _by_slope(self, target: Target, at: Moved, distance: float) -> tuple[Moved, float]:
        """A step by the slopes of the comparisons, each of which is to have the outcome: the shortest such."""
        _, leaves = self._seen(target, at)
        if not leaves or not self.has_time():
            return at, distance
        slopes = np.zeros((2, len(leaves), at.size))
        for k in range(at.size):
            x = at.x.copy()
            x[k] += SMALL_MOVE
            _, moved = self._seen(target, at.by(x))
            if len(moved) != len(leaves):
                continue
            for j, (leaf, other) in enumerate(zip(leaves, moved)):
                slopes[0, j, k] = (other.difference - leaf.difference) / SMALL_MOVE
                slopes[1, j, k] = (other.ratio - leaf.ratio) / SMALL_MOVE
        best, least = at, distance
        for kind in (0, 1):
            value = [leaf.ratio if kind else leaf.difference for leaf in leaves]
            is_open = [min(leaf.to_true, leaf.to_false) == 0 and _is_open(leaf, leaves, distance) for leaf in leaves]
            G = slopes[kind]
            if not np.isfinite(G).all() or not np.isfinite(value).all() or not np.abs(G).max() > 0:
                continue
            for beyond in BEYOND:
                wanted = np.array([-(1 + beyond) * v if o else 0.0 for v, o in zip(value, is_open)])
                move = np.linalg.lstsq(G, wanted, rcond=1e-10)[0]
                for part in SHORTER:
                    x = at.x.copy()
                    x[: at.size] += part * move
                    there = at.by(x)
                    near, _ = self._seen(target, there)
                    if near < least:
                        best, least = there, near
                    if least == 0:
                        return best, 0.0
        return best, least

    def _by_chance(self, target: Target, at: Moved, distance: float) -> tuple[Moved, float]:
        """Moves of one thing or two, small and large."""
        tried = 0
        while tried < MOST_AT_RANDOM and self.has_time():
            tried += 1
            there = at_random(at, self.rng, 10 ** self.rng.uniform(-2.5, 0))
            near, _ = self._seen(target, there)
            if near < distance:
                tried = 0 if near < 0.9 * distance else tried
                at, distance = there, near
            if distance == 0:
                return at, distance
        return at, distance

    def _deeper(self, target: Target, at: Moved) -> Moved:
        """The state moved on in every way at once, as far as it takes the branch still with other small moves: at the
        very edge one step alone takes it, and about an axis or at rest much vanishes that is wrong nearby."""
        for scale in DEEPER:
            there = all_at_random(at, self.rng, scale)
            near = (there, *(at_random(there, self.rng, scale / 4) for _ in range(NEIGHBOURS)))
            if all(self._seen(target, other)[0] == 0 for other in near):
                return there
        return at


def _is_open(leaf: Leaf, leaves: Sequence[Leaf], distance: float) -> bool:
    """Whether a comparison is one of those that must change."""
    return len(leaves) == 1 or max(leaf.to_true, leaf.to_false) <= distance + 1e-9
