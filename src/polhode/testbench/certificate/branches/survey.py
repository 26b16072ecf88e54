"""The decisions of one integrator over the states of all problems, where it tells of them: which branches battery and
survey take, states that take the others, and states at the edges of all."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from polhode.testbench.certificate.branches.decisions import Decision, Passage, Recorder
from polhode.testbench.certificate.branches.edges import CROSSING_RADIANS, Edges
from polhode.testbench.certificate.branches.moves import Moved, unmoved
from polhode.testbench.certificate.branches.search import MOST_RADIANS, Search, Target
from polhode.testbench.certificate.branches.telling_steps import Run
from polhode.testbench.certificate.running.guard import OwnTime, TimeUp, at_most
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.states.battery import AT_REST, RADIANS, SEED, State, free_at_rest
from polhode.testbench.certificate.structure.visits import SMALLEST_RADIANS

SEARCHED = ("free", "potential", "top", "forced")  # problems on which branches are looked for, the others are tried ...
TRIED = ("stress", "damped", "rotor", "contracted", "wheels", "gyrostat")  # ... with what was found there
WALKED_RADIANS = (0.31,)  # steps from the states of the survey
TINY_RADIANS = (1e-3, 1e-4, 1e-5)  # steps of what orders are measured by
MOST_RUNS = 4000  # in all
MOST_PART = 0.1  # of the seconds of a certificate, after which no more branches are looked for
LONGEST_SECONDS = 0.5  # that a step may take, beyond which it is taken not to return
WITH_EDGES = ("free", "potential", "forced")  # problems on which symmetry is looked at
MOST_EDGES = 24  # states at the edges of branches, on each problem
MOST_SEEN = 6  # states that were seen to go a way, between which and the generic state an edge may be
MOST_FROM = 3  # states nearest to a branch, from which it is looked for
MOST_WITNESSES = 2  # states that take a branch, on each problem
MOST_OF_A_CASE = 14  # the same of all branches
FEWEST_TAKEN = 2  # states of the battery that take a branch, if it is to be known by them
STEPS_OF_A_RUN = 50  # from one state, at the end: some branches are taken now and then


@dataclass(frozen=True)
class Sought:
    """A state that was found, as it comes back: which state of the battery was moved, and where to."""

    case: str
    place: int
    x: np.ndarray
    words: str
    radians: tuple[float, ...]

    @property
    def state(self) -> State:
        """The same as a state."""
        state = Moved(states(self.case)[self.place], self.x).state
        assert state is not None  # it was run from there
        return replace(state, words=self.words, radians=self.radians)


@dataclass
class Branches:
    """What was found: states that take a branch, and those at the edge of one; in words, branches that no state was
    found to take, and why others were not looked for."""

    witnesses: list[Sought] = field(default_factory=list)
    edges: list[Sought] = field(default_factory=list)
    not_taken: list[str] = field(default_factory=list)
    left_alone: str = ""


@dataclass
class Survey:
    """The decisions of one integrator over the states of all problems."""

    look: Look
    recorder: Recorder
    run: Run
    taken: dict[tuple[str, int, bool], set[str]] = field(default_factory=dict)  # by case, decision, outcome: states
    passages: dict[str, list[tuple[Moved, dict[int, Passage]]]] = field(default_factory=dict)
    found: dict[str, list[tuple[Target, Moved]]] = field(default_factory=dict)
    runs: int = 0
    own: OwnTime = field(default_factory=OwnTime)

    def branches(self) -> Branches:
        """All that is found."""
        for case in SEARCHED:
            self._look_over(case)
        why = "" if self.has_time else "there was no time for all of them"
        for case in SEARCHED:
            self._search(case)
        for case in TRIED:
            self._try(case, [(target, at) for found in self.found.values() for target, at in found])
        for case in SEARCHED:
            self._run_on(case)
        witnesses = [one for case in self.found for one in self._named(case)]
        edges = [one for case in WITH_EDGES for one in itertools.islice(self._edges(case), MOST_EDGES)]
        return Branches(witnesses, edges, list(self._never_taken()), why)

    @property
    def has_time(self) -> bool:
        """Whether it may be run once more."""
        return self._has_time_until(MOST_RUNS * self.look.pace.generosity)

    def _has_time_until(self, runs: float) -> bool:
        return self.runs < runs and self.own.seconds < MOST_PART * self.look.pace.seconds

    def _passed(self, at: Moved, sign: int = 1, **count: int) -> dict[int, Passage]:
        state, returning = at.state, self.look.returning
        if state is None or not self.has_time:
            return {}
        self.runs += 1
        radians = sign * at.radians
        h = state.step(radians)
        if abs(h) >= returning.hung[h > 0]:
            return {}
        try:
            with at_most(LONGEST_SECONDS):
                return self.recorder.passed(lambda: self.run(state, radians, **count))
        except TimeUp:
            if abs(h) > returning.returned[h > 0]:  # larger ones will not return either
                returning.hung[h > 0] = abs(h)
            return {}

    def _run_on(self, case: str) -> None:
        """Many steps from the generic state, tiny ones, and one at rest: what these take was looked at, at least."""
        generic = states(case)[0]
        self._note_taken(case, self._passed(unmoved(generic, RADIANS[1]), count=STEPS_OF_A_RUN))
        for radians in TINY_RADIANS:
            self._note_taken(case, self._passed(unmoved(generic, radians)))
        if case == "free":
            self._note_taken(case, self._passed(unmoved(free_at_rest(), RADIANS[1])))

    # ---- what the battery takes

    def _look_over(self, case: str) -> None:
        """Run it from all states of the battery, and of the survey; backwards, too, from those of the battery."""
        seen = self.passages[case] = []
        for state in states(case):
            steps = WALKED_RADIANS if state.is_surveyed else (*SMALLEST_RADIANS, *RADIANS)
            for radians in steps:
                at = unmoved(state, radians)
                passages = self._passed(at)
                seen.append((at, passages))
                is_special = state.is_about_an_axis or state.words == AT_REST  # where much vanishes that is wrong
                self._note_taken(case, passages, "" if is_special else state.words)
                if not state.is_surveyed:
                    self._note_taken(case, self._passed(at, -1))

    def _note_taken(self, case: str, passages: Mapping[int, Passage], words: str = "") -> None:
        """Which ways a run has gone; without words where it is none that each property is measured with."""
        for number, passage in passages.items():
            for outcome in passage.outcomes:
                self.taken.setdefault((case, number, outcome), set()).add(words)

    def _is_known(self, case: str, number: int, outcome: bool) -> bool:
        """Whether a branch is taken from so many states that it is known by them."""
        return len(self.taken.get((case, number, outcome), set()) - {""}) >= FEWEST_TAKEN

    # ---- what it does not take

    def _targets(self, case: str) -> Iterator[Target]:
        """Outcomes that were not seen of decisions that were reached, or stand in a branch of one."""
        for decision in self.recorder.decisions.values():
            for outcome in (True, False):
                if outcome in decision.unsought or not self._is_to_be_looked_for(case, decision, outcome):
                    continue
                yield Target(decision, outcome)

    def _is_to_be_looked_for(self, case: str, decision: Decision, outcome: bool) -> bool:
        if self._is_known(case, decision.number, outcome):
            return False
        return self._varies(decision) and self._is_reached(case, decision)

    def _is_reached(self, case: str, decision: Decision) -> bool:
        """Whether it was evaluated, or stands inside one that was."""
        if any((case, decision.number, outcome) in self.taken for outcome in (True, False)):
            return True
        if decision.inside is None:
            return False
        before = self.recorder.decisions[decision.inside[0]]
        return self._varies(before) and self._is_reached(case, before)

    def _varies(self, decision: Decision) -> bool:
        """Whether it compares numbers, some of which depend on the state; not yet known of what was not reached."""
        values = [self.recorder.values.get(leaf) for leaf in decision.leaves]
        if any(value is not None for value in values):
            return any(value is not None and len(value) > 1 for value in values)
        return decision.inside is not None and not self._was_evaluated(decision)

    def _was_evaluated(self, decision: Decision) -> bool:
        return any(number == decision.number for _, number, _ in self.taken)

    def _search(self, case: str) -> None:
        """Look for states that take what is not taken, what was found on other problems first."""
        self.found.setdefault(case, [])
        self._try(case, [(target, at) for found in list(self.found.values()) for target, at in found])
        rng = np.random.default_rng(SEED)
        tried: set[tuple[int, bool]] = set()
        while self.has_time and len(self.found[case]) < MOST_OF_A_CASE:
            targets = [target for target in self._targets(case) if target.key not in tried]
            if not targets:
                return
            left = MOST_RUNS * self.look.pace.generosity - self.runs
            until = self.runs + max(left / (len(targets) * (len(SEARCHED) - SEARCHED.index(case))), 60)
            search = Search(self._passed, self.recorder.decisions, rng, partial(self._has_time_until, until))
            target = min(targets, key=lambda target: target.decision.number)
            target.nearest = self._nearest(search, case, target)
            tried.add(target.key)
            for at in search.of(target):
                self._note(case, target, at)
                if sum(other.key == target.key for other, _ in self.found[case]) >= MOST_WITNESSES:
                    break

    def _nearest(self, search: Search, case: str, target: Target) -> list[tuple[float, Moved]]:
        """The states that come nearest to a target."""
        some = [(at, passages) for at, passages in self.passages[case] if at.radians <= MOST_RADIANS]
        near = [(search.distance(passages, *target.key)[0], at) for at, passages in some]
        near = sorted((x for x in near if np.isfinite(x[0])), key=lambda x: x[0])
        chosen: list[tuple[float, Moved]] = []
        for distance, at in near:  # of one state with several steps the nearest
            if all(at.base is not other.base for _, other in chosen):
                chosen.append((distance, at))
            if len(chosen) == MOST_FROM:
                break
        return chosen

    def _note(self, case: str, target: Target, at: Moved) -> None:
        self.found[case].append((target, at))
        passages = self._passed(at)
        self.passages.setdefault(case, []).append((at, passages))
        self._note_taken(case, passages, f"{len(self.found[case])}")

    def _try(self, case: str, found: list[tuple[Target, Moved]]) -> None:
        """Witnesses of other problems, moved in the same way, as far as they take the branch on this one, too."""
        self.found.setdefault(case, [])
        search = Search(self._passed, self.recorder.decisions, np.random.default_rng(SEED), lambda: self.has_time)
        bases = {state.words: state for state in states(case)}
        for target, at in found:
            if self._is_known(case, *target.key) or len(self.found[case]) >= MOST_OF_A_CASE:
                continue
            moved = Moved(bases.get(at.base.words, states(case)[0]), at.x)
            if moved.state is not None and search.distance(self._passed(moved), *target.key)[0] == 0:
                self._note(case, target, moved)

    def _edges(self, case: str) -> Iterator[Sought]:
        """States at the edges of all branches that depend on the state."""
        edges, generic = Edges(self._passed, np.random.default_rng(SEED), lambda: self.has_time), states(case)[0]
        decisions = list(self.recorder.decisions.values())
        parts = {leaf for decision in decisions if decision.is_test for leaf in decision.leaves}
        known: set[bytes] = set()  # a choice among several numbers has the same edge many times
        for decision in decisions:
            is_part = not decision.is_test and decision.number in parts
            if is_part or not self._varies(decision) or not self._is_reached(case, decision):
                continue
            found = [at for target, at in self.found[case] if target.decision is decision]
            words = f"at the edge of where {decision.told(True)}"
            seen = self._the_rarer(case, decision.number)
            for at in edges.of(decision, unmoved(generic, RADIANS[1]), found, seen):
                if at.x.tobytes() in known:
                    continue
                known.add(at.x.tobytes())
                yield self._sought(case, at, words, tuple(sorted({at.radians, CROSSING_RADIANS})))

    def _sought(self, case: str, at: Moved, words: str, radians: tuple[float, ...]) -> Sought:
        return Sought(case, next(k for k, state in enumerate(states(case)) if state is at.base), at.x, words, radians)

    def _the_rarer(self, case: str, number: int) -> list[Moved]:
        """States from which a step goes the way that fewer go, of those that go one way."""
        ways: dict[bool, list[Moved]] = {True: [], False: []}
        for at, passages in self.passages[case]:
            outcomes = passages[number].outcomes if number in passages else set()
            if len(outcomes) == 1:
                ways[next(iter(outcomes))].append(at)
        return min(ways.values(), key=len)[:MOST_SEEN]

    # ---- in words

    def _named(self, case: str) -> Iterator[Sought]:
        counted: dict[str, int] = {}
        for target, at in self.found[case]:
            words = f"where {self._told(case, target, at)}"
            counted[words] = count = counted.get(words, 0) + 1
            yield self._sought(case, at, words if count == 1 else f"{words}, again", (at.radians,))

    def _told(self, case: str, target: Target, at: Moved) -> str:
        """The branch that a state takes, in words; where it was looked for by a part of a test, that of all of it."""
        passages = next(passages for other, passages in self.passages[case] if other is at)
        for test in self.recorder.decisions.values():
            ways = passages[test.number].outcomes if test.number in passages else set()
            if test.is_test and target.decision.number in test.leaves and len(ways) == 1:
                return test.told(*ways)
        return target.decision.told(target.outcome)

    def _never_taken(self) -> Iterator[str]:
        """Outcomes of decisions that were reached, which nothing took on any problem."""
        for decision in self.recorder.decisions.values():
            seen = {outcome for _, number, outcome in self.taken if number == decision.number}
            if decision.is_test and len(seen) == 1 and self._varies(decision):
                (outcome,) = {True, False} - seen
                if outcome not in decision.unsought:
                    yield decision.told(outcome)
