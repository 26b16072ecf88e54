"""The time of a certificate: some seconds for all of it, of which each measurement has its part, counted in steps.

What a step takes is measured first, and rounded to a power of the root of two; within a measurement steps are counted,
not timed, and after it their number is compared with the time that has passed. A fast integrator never comes near its
budget. One whose step takes a millisecond is looked at, at some states, with fewer steps, which its coverage tells;
what is not seen well enough is undecided, with the seconds that would decide it.
"""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from polhode.integrators.properties import Row
from polhode.testbench.certificate.running.guard import OwnTime

SECONDS = 30.0  # for a certificate, unless more are given
SECONDS_BESIDE_STEPS = 1.5  # of these, for what are no steps: references, the comparison with the catalogue
SECONDS_OF_ROOM = 2.5  # of these, for steps that take longer than is thought
SECONDS_BEYOND = 0.5  # that a measurement has which begins when all of these are spent
COUNTED_FROM_SECONDS = 5e-4  # seconds a step, from which on steps are counted, if a certificate has so many SECONDS
SLOW_SECONDS = 5e-3  # seconds a step, from which on a reader is told that there was not time for all
LARGE_RADIANS = 0.6  # radians a step, from which on an iteration may take longer
TIMES_IF_COMPLEX = 2.0  # about how much longer a step of complex numbers takes
FEWEST_STEPS_OF_DRIFT = 3300  # steps kept for the drift: 125 units of time on one body take 3000
MOST_PART_FOR_DRIFT = 0.6  # part of the seconds up to which they are kept
SPARED_PART = 0.25  # part of what all measurements to come have, that one of them may take to be decided
STEPS_OF_DRIFT = 12000  # steps kept for the drift of one whose steps are not counted: 250 units of time on two bodies
SURVEY_SECONDS, SURVEY_PART = (
    1.2,
    0.85,
)  # seconds that a survey has in any case; part of those allotted that it may take
ALONE_SECONDS = 3.0  # that a look at a kernel has, beside its many digits
LONGEST_SURVEY_SECONDS = 10.0  # after which it is ended, before the measurement is
PATIENT_TIMES = 3.0  # times its part of the budget, after which a measurement is ended by the clock
LEAST_SECONDS = 2.0  # seconds that a measurement has in any case
USUAL_PART = 1.2
PARTS = {"order": 3.0, "symplecticity": 6.0, "conformality": 6.0, "orthogonality": 2.0, "Poisson map": 1.5}
PARTS |= {"largest step": 1.5, "torque evaluations": 0.3}
"""By measure, its part of the budget, beside that of one that takes a few steps at each state."""
BY_DIFFERENCES = {"symplecticity": 9.0, "conformality": 9.0}
"""The same of an integrator whose derivatives are differences, of many steps."""
STEPS_NEEDED = {"order": 380, "symplecticity": 520, "conformality": 520, "Poisson map": 520, "torque evaluations": 16}
FEWEST_STEPS_NEEDED = 84
"""By measure, and for all others: about how many steps a measurement needs."""


@dataclass(frozen=True)
class Cost:
    """Seconds of a call of n steps: call + n step; of a step that is large, and of one of the stress test."""

    step: float = 0.0
    large: float = 0.0
    call: float = 0.0
    along: float = 0.0

    def rounded(self) -> "Cost":
        """To powers of the root of two; but not a step of the stress test, whose time is kept, not counted."""
        return Cost(rounded(self.step), rounded(self.large), rounded(self.call), self.along)

    def of(self, steps: int, is_large: bool) -> float:
        """Seconds of one call."""
        return self.call + steps * (self.large if is_large else self.step)

    @property
    def single(self) -> float:
        """Seconds of a single small step."""
        return self.call + self.step

    @property
    def usual(self) -> float:
        """Seconds of a single step, where small and large ones are taken."""
        return self.call + (self.step + max(self.large, self.step)) / 2


def rounded(x: float) -> float:
    """To a power of the root of two, so that equal things measured twice are mostly equal."""
    return 2 ** (round(2 * math.log2(x)) / 2) if x > 0 else 0.0


class Pace:
    """How long an integrator takes, and how much time a measurement has."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds  # for the whole certificate
        self.own = OwnTime()
        self.cost = Cost()
        self.by_differences = False
        self.is_with_drift = True
        self.taken = 0.0  # seconds of all steps so far, by their number
        self.begun, self.since = 0.0, 0.0  # that, and the time, when the measurement under way began
        self.counted, self.passed = 0.0, 0.0  # the same of all measurements that came to their end
        self.pool = math.inf  # seconds for the measurement under way and all after it
        self.allotted = math.inf  # of these, for the one under way
        self.clock = time.process_time()

    @property
    def is_counted(self) -> bool:
        """Whether there may be no time for every step, so that they are counted."""
        return self.cost.single > COUNTED_FROM_SECONDS * self.seconds / SECONDS

    @property
    def is_slow(self) -> bool:
        """Whether there is far from enough time for every step."""
        return self.cost.single > SLOW_SECONDS * self.seconds / SECONDS

    @property
    def generosity(self) -> float:
        """How many times as long as usual a certificate may take."""
        return max(self.seconds / SECONDS, 1.0)

    @property
    def budget(self) -> float:
        """Seconds for all measurements but the drift, for which the fewest steps are kept if that leaves enough."""
        least = FEWEST_STEPS_OF_DRIFT * self.cost.along if self.is_counted else STEPS_OF_DRIFT * self.cost.single
        kept = least if least <= MOST_PART_FOR_DRIFT * self.seconds and self.is_with_drift else 0.0
        return max(self.seconds - SECONDS_BESIDE_STEPS - SECONDS_OF_ROOM - kept, 0.0)

    def took(self, steps: int, radians: float, is_complex: bool) -> None:
        """Note a call of so many steps, of so many radians each."""
        self.taken += self.cost.of(steps, radians > LARGE_RADIANS) * (TIMES_IF_COMPLEX if is_complex else 1)

    def end(self) -> None:
        """The measurement has come to its end: what it took is compared with what was counted."""
        self.passed += self.own.seconds - self.since
        self.counted += self.taken - self.begun

    @property
    def underrated(self) -> float:
        """By which factor steps have taken longer than was counted."""
        return (
            max(rounded(self.passed / self.counted), 1.0)
            if self.passed > SECONDS_BESIDE_STEPS and self.counted > 0
            else 1.0
        )

    def begin(self, row: Row, left: list[Row]) -> None:
        """A measurement begins; it and those in `left` share what is left of the budget."""
        self.begun, self.since, self.clock = self.taken, self.own.seconds, time.process_time()
        part, rest = self._part(row), sum(self._part(other) for other in left)
        self.pool = max(self.budget - self.own.seconds, 0.0) / (self.underrated if self.is_counted else 1.0)
        self.allotted = self.pool * part / (part + rest)

    def begin_alone(self) -> None:
        """A look at a kernel in floats begins, which shares with none: it has a few seconds beside its many digits."""
        self.begun, self.since, self.clock = self.taken, self.own.seconds, time.process_time()
        self.allotted = self.pool = ALONE_SECONDS

    def _part(self, row: Row) -> float:
        usual = PARTS.get(row.measure, USUAL_PART)
        return BY_DIFFERENCES.get(row.measure, usual) if self.by_differences else usual

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """What is computed inside is not the integrator's: a reference, which is the same for all and kept."""
        before = time.process_time()
        yield
        aside = time.process_time() - before
        self.clock, self.since = self.clock + aside, self.since + aside

    @property
    def spent(self) -> float:
        """Seconds since the measurement began: those of the steps counted, or of computing."""
        return self.taken - self.begun if self.is_counted else time.process_time() - self.clock

    def patience(self, seconds: float) -> float:
        """The seconds after which the measurement is ended: hardly later than the whole certificate."""
        left = self.seconds - self.own.seconds
        seconds = min(seconds * self.generosity, max(left, SECONDS_OF_ROOM) if left > 0 else SECONDS_BEYOND)
        if not self.is_counted:
            return seconds
        return min(seconds, max(LEAST_SECONDS, PATIENT_TIMES * self.allotted * self.underrated))

    def missing(self, row: Row, seconds: float) -> str:
        """What would decide a measurement that was ended after so many seconds, in words; nothing where these should
        have been enough, so that it is a step which does not return."""
        if seconds <= SECONDS_BEYOND:
            return f"; the {self.seconds:g} s of the certificate were spent, and more may be given"
        needed = self.cost.usual * STEPS_NEEDED.get(row.measure, FEWEST_STEPS_NEEDED)
        return f"; {would_decide(needed)}" if needed > seconds else ""

    def afford(self, steps: float, part: float = 1.0, are_small: bool = False) -> bool:
        """Whether so many single steps fit into a part of what the measurement has left."""
        one = self.cost.single if are_small else self.cost.usual
        return not self.is_counted or one * steps <= part * max(self.allotted - self.spent, 0.0)

    def spare(self, steps: float) -> bool:
        """Whether so many single steps, which would decide, are worth some of the time of the measurements to come."""
        return self.cost.usual * steps <= SPARED_PART * max(self.pool - self.spent, 0.0)

    @property
    def has_time_for_survey(self) -> bool:
        """Whether one more state of the survey may be visited: what is slow has no time for it, and others leave some
        of theirs to the measurements to come."""
        most = min(SURVEY_PART * self.allotted, LONGEST_SURVEY_SECONDS * self.generosity)
        if not self.is_counted:
            return self.spent < max(most, SURVEY_SECONDS * self.generosity)
        return not self.is_slow and self.spent < most

    @property
    def left(self) -> float:
        """Seconds that are left of the whole, by the clock of this thread, with room for steps that take longer."""
        return max(self.seconds - SECONDS_OF_ROOM - self.own.seconds, 0.0)


def would_decide(seconds: float) -> str:
    """What is missing, in words."""
    return f"there was no time for more; about {max(seconds, 1.0):.0f} s for this alone would decide it"
