"""The visits of a measurement to the states of the battery: with which steps, and what they have shown."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from polhode.integrators.properties import Row
from polhode.testbench.certificate.certificate import LEFT_BY_A_TOLERANCE
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.pace import Pace
from polhode.testbench.certificate.states.battery import FAST, RADIANS, SEED, State
from polhode.testbench.certificate.structure.defects import BY_DERIVATIVES

BRIEF_FROM_PART = 0.25  # part of the seconds that a measurement has, after which it looks at a state briefly, ...
BATTERY_PART = 0.5  # ... and after which it visits no more states of the battery: the survey needs some, too
SMALLEST_RADIANS = (0.0031, 0.019)  # a step at the generic state, where a formula for small angles may take over
TINY_RADIANS = (8e-6, 9e-5)  # the same, where round-off over so small a step may be larger than usual
SURVEYED_RADIANS = (0.31,)  # a step at a state of the survey
SURVEYED_SMALL_RADIANS = (0.003,)  # the same before it, where a tolerance may be met before the first iteration
LOOSE_TOLERANCE = 1e-5  # part of a momentum that a tolerance may leave, from which on that is looked for
BRIEF_RADIANS = RADIANS[1:3]
"""Radians a step of a brief look: a slow machine must see all states where an integrator goes wrong."""
FEWEST_STATES = 7  # states that it visits in any case: on a slow machine, too, those where most goes wrong
FEW_STEPS = 6  # that a defect takes; after which a Q that leaves the group is looked at, other than at a generic state
OTHERS_TOO = {"symmetry": ("free", "potential"), "orthogonality": ("free",)}
"""By measure, other problems whose states are visited, too: a program may do otherwise where there is no torque, or a
potential that it can ask for."""
LOOKED_AT_FULLY = ("with a full tensor", FAST)  # beside the generic state: states of these problems seen with all steps
CALLS = {"symmetry": 2, "energy that rises": 6, "orthogonality": FEW_STEPS}  # steps for a defect, if not three
CALLS_BY_COMPLEX_STEP, CALLS_BY_DIFFERENCES = 12, 37  # steps for a Jacobian; those of complex numbers count twice
ON_OTHERS = {"free": "for a free body", "potential": "in a potential"}  # words before those of their states
COUNTS_WITH_MEMORY = (1, 2, 5)  # steps at once, of an integrator that remembers
COUNTS_AT_ONCE = (*COUNTS_WITH_MEMORY, 21)  # the same where that costs little


@dataclass(frozen=True)
class Doubt:
    """What keeps a property from being told, in words; whether it is what an iteration leaves, and whether it is that
    steps which are not large are lost."""

    words: str
    is_left_by_an_iteration: bool = False
    is_of_lost_steps: bool = False


@dataclass
class Visits:
    """What the states visited so far have shown, as long as no defect is the method's own."""

    states: int = 0  # of the battery
    surveyed: int = 0  # of the survey
    brief: int = 0  # of these states, for want of time
    worst: float = 0.0  # the largest defect
    farthest: float = 0.0  # the largest step, in radians
    least: float = RADIANS[-1]  # the largest step at the state where that is smallest: the verdict rests on no more
    repeated: int = 0  # states of the survey that were looked at with larger steps
    runs_everywhere: bool = True
    is_short: bool = False  # whether there was no time for the other states
    seconds_short: float = 0.0  # that it would take to visit the fewest states which a yes rests on
    missed: int = 0  # states of the survey that were not visited, for want of time
    left: dict[str, float] = field(default_factory=dict)  # by the words of a state, a defect that a tolerance explains
    iterated: dict[str, float] = field(default_factory=dict)  # the same of the survey, where an iteration explains it
    doubts: list[Doubt] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def note(self, state: State, radians: float, is_brief: bool) -> None:
        """A state that was seen up to so many radians a step. One of the survey restricts nothing."""
        if state.is_surveyed:
            self.surveyed += 1
            return
        self.states, self.brief = self.states + 1, self.brief + is_brief
        self.farthest, self.least = max(self.farthest, radians), min(self.least, radians)

    @property
    def coverage(self) -> str:
        """In words."""
        words = f"{self.states} states, up to {self.farthest:g} rad a step, random ones by seed {SEED}"
        if self.brief:
            words += (
                f"; {self.brief} of them at {BRIEF_RADIANS[0]:g} and {BRIEF_RADIANS[1]:g} rad alone, for want of time"
            )
        elif self.is_short:
            words += "; no more for want of time"
        if self.surveyed:
            words += f"; {self.surveyed} more at {SURVEYED_RADIANS[0]:g} rad"
        if self.missed:
            words += f"; {self.missed} {'others' if self.surveyed else 'of the survey'} not visited, for want of time"
        return words

    @property
    def up_to(self) -> str:
        """What restricts a yes, in words: the steps that all states were seen with, and that some were not seen."""
        bound = f"up to {self.least:g} rad a step" if self.least < RADIANS[-1] else ""
        return ", ".join(words for words in ("" if self.runs_everywhere else "where it runs", bound) if words)

    @property
    def states_alone(self) -> str:
        """What restricts a yes if there was no time for the survey, or for most of it, in words."""
        return f"at {self.states + self.surveyed} states alone" if self.missed > self.surveyed else ""

    @property
    def by_an_iteration(self) -> str:
        """What an iteration leaves at states of the survey, in words: it restricts nothing."""
        if not self.iterated:
            return ""
        where = max(self.iterated, key=self.iterated.__getitem__)
        return f", but for what an iteration leaves, {self.iterated[where]:.0e} {where}"

    @property
    def by_a_tolerance(self) -> str:
        """Where velocities or momenta are so small that a tolerance is no longer small, in words."""
        if not self.left:
            return ""
        where = max(self.left, key=self.left.__getitem__)
        return f"{LEFT_BY_A_TOLERANCE} {self.left[where]:.0e} {where}"


def steps_for(pace: Pace, state: State, seen: int, calls: int) -> Sequence[float]:
    """The steps with which a state is looked at, in radians; a few, or none, for want of time.

    Where steps are counted, there must be time for a brief look at the fewest states that a yes rests on.
    """
    if state.radians:
        return state.radians
    if state.is_surveyed:
        small = () if state.left_by_a_tolerance < LOOSE_TOLERANCE else SURVEYED_SMALL_RADIANS
        return (*small, *SURVEYED_RADIANS) if pace.has_time_for_survey else ()
    all_of_them = RADIANS if seen else (*SMALLEST_RADIANS, *RADIANS)
    if not pace.is_counted:
        spent = pace.spent if seen >= FEWEST_STATES else 0.0
        if spent > BATTERY_PART * pace.allotted:
            return ()
        return BRIEF_RADIANS if spent > BRIEF_FROM_PART * pace.allotted else all_of_them
    if seen >= FEWEST_STATES and not pace.is_slow and pace.spent > BRIEF_FROM_PART * pace.allotted:
        return BRIEF_RADIANS if pace.afford(calls * len(BRIEF_RADIANS)) else ()
    kept = calls * len(BRIEF_RADIANS) * max(FEWEST_STATES - seen - 1, 0)
    if seen and not pace.afford(calls * len(BRIEF_RADIANS)):
        return BRIEF_RADIANS if seen < FEWEST_STATES and pace.spare(kept + calls * len(BRIEF_RADIANS)) else ()
    return all_of_them if pace.afford(calls * len(all_of_them) + kept) else BRIEF_RADIANS


def calls_of(look: Look, row: Row) -> int:
    """About how many steps a defect takes."""
    counts = sum(COUNTS_WITH_MEMORY) if look.character.memory else 1
    if row.measure not in BY_DERIVATIVES:
        return CALLS.get(row.measure, 3) * counts
    return (CALLS_BY_DIFFERENCES if look.derivatives.are_differences else CALLS_BY_COMPLEX_STEP) * counts


def visited(look: Look, row: Row) -> tuple[State, ...]:
    """The states that a measurement visits: those of the battery, those of other problems where a program may do
    otherwise, and then those of the survey."""
    known, first = look.states(row.case), look.odd_words
    if row.measure in BY_DERIVATIVES:  # about an axis an iteration ends before its derivative has converged
        known = tuple(state for state in known if not state.is_about_an_axis)
        if look.is_kernel and not look.switches:  # many digits have seen the others
            known = tuple(s for s in known if s is known[0] or s.is_surveyed or s.words in {FAST, *first})
    now = [state for state in known if not state.is_surveyed or state.words in first]
    cases = OTHERS_TOO.get(row.measure, ())
    others = [pair for case in cases for pair in of_another(case)]
    sought = [on_another(state) for case in cases for state in look.witnesses.get(case, ())]
    sought += edges(look, row)
    told = [other for state, other in others if not state.is_surveyed or state.place in look.differs]
    return (*now, *sought, *told, *(state for state in known if state not in now))


def edges(look: Look, row: Row) -> list[State]:
    """States at the edges of branches, over which a step and the one back may go two ways."""
    if row.measure != "symmetry":
        return []
    others = [on_another(state) for case in OTHERS_TOO[row.measure] for state in look.edges.get(case, ())]
    return [*look.edges.get(row.case, ()), *others]


@functools.cache
def of_another(case: str) -> tuple[tuple[State, State], ...]:
    """The states of another problem, each also with words that say so; these are seen with all steps where most goes
    wrong, and elsewhere as those of the survey are."""
    generic = states(case)[0]
    fully = lambda state: state is generic or state.words in LOOKED_AT_FULLY
    return tuple((state, replace(on_another(state), is_surveyed=not fully(state))) for state in states(case))


def on_another(state: State) -> State:
    """A state of another problem, with words that say so."""
    return replace(state, words=f"{ON_OTHERS[state.case]} {state.words}", name=state.words)
