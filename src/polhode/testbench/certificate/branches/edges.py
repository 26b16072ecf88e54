"""States on either side of the edge of a branch, for symmetry alone.

A step that crosses an edge goes one way, and the step back from where it ends goes the other. What is symmetric on both
sides need not be across. An edge is found between two states of which one takes the branch and the other does not, by
halving what lies between them: attitude, spin, speed and time, which a step changes, and the step, by which small
angles are told from others; the body stays.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from polhode.testbench.certificate.branches.decisions import Decision, Passage
from polhode.testbench.certificate.branches.moves import STEP, TIME, Moved, at_random, towards, unmoved
from polhode.testbench.certificate.branches.search import MOST_RADIANS

CHANGED = slice(0, TIME + 1)  # numbers of a state that a step changes
MOVED = slice(0, STEP + 1)  # ... and the step
HALVINGS = 10
MOST_TRIES = 8  # moves from a state, by chance, one of which may take the other way
MOST_PAIRS = 3  # of each decision
CROSSING_RADIANS = 0.93  # a step from an edge, beside that with which it was found


@dataclass
class Edges:
    """Edges of the branches of an integrator on one problem."""

    passed: Callable[[Moved], dict[int, Passage]]
    rng: np.random.Generator
    has_time: Callable[[], bool]

    def of(self, decision: Decision, generic: Moved, found: Sequence[Moved], seen: Sequence[Moved]) -> Iterator[Moved]:
        """States on both sides of the edges between one that was found to take a branch and its base, or the generic
        state; else between that and those that were seen to go the other way, or others by chance."""
        pairs = [(_as_its_base(at), at) for at in found]
        pairs += [(generic, towards(generic, unmoved(at.state, at.radians))) for at in found if at.state]
        chance = (self._moved(generic) for _ in range(MOST_TRIES))
        pairs += [] if found else [(generic, at) for at in (*(towards(generic, at) for at in seen), *chance)]
        differ = ((one, other) for one, other in pairs if self._differ(decision, one, other))
        for one, other in itertools.islice(differ, MOST_PAIRS):
            yield from (at for at in self._halved(decision, one, other) if at.state)

    def _differ(self, decision: Decision, one: Moved, other: Moved) -> bool:
        """Whether steps from two states go one way each, and not the same."""
        ways = self._way(decision, one), self._way(decision, other)
        return None not in ways and ways[0] != ways[1]

    def _way(self, decision: Decision, at: Moved) -> bool | None:
        """The one way that a step from a state goes; none where it goes both, as in a loop, or is not asked."""
        passage = self.passed(at).get(decision.number) if self.has_time() else None
        if passage is None or len(passage.outcomes) != 1:
            return None
        (way,) = passage.outcomes
        return way

    def _moved(self, at: Moved) -> Moved:
        """A state nearby, with the same body."""
        x = at.x.copy()
        x[MOVED] = at_random(at, self.rng, 10 ** self.rng.uniform(-1, 0)).x[MOVED]
        x[STEP] = min(x[STEP], np.log(MOST_RADIANS))
        return at.by(x)

    def _halved(self, decision: Decision, one: Moved, other: Moved) -> tuple[Moved, Moved]:
        way = self._way(decision, one)
        for _ in range(HALVINGS):
            middle = one.by((one.x + other.x) / 2)
            there = self._way(decision, middle)
            if there is None:
                break
            one, other = (middle, other) if there is way else (one, middle)
        return one, other


def _as_its_base(at: Moved) -> Moved:
    """A state moved back to its base, but for body and step."""
    x = at.x.copy()
    x[CHANGED] = 0.0
    return at.by(x)
