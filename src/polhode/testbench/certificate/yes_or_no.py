"""Yes or no from outside: a defect at every state of the battery, for steps from small to large.

A property that holds leaves round-off at every state and for every step; one defect that is a method's own is a "no",
wherever it is found. A large step whose equations were not solved ends the range, and is no verdict on the method.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from polhode.integrators.properties import Row
from polhode.testbench.certificate.battery import RADIANS, SEED, State
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.defects import BY_DERIVATIVES, DIRECT, momentum_scale
from polhode.testbench.certificate.elsewhere import off
from polhode.testbench.certificate.guard import Refused
from polhode.testbench.certificate.look import SINGLE, Look

OF_THE_STATE = (
    "symmetry",
    "symplecticity",
    "conformality",
    "Poisson map",
)  # measures without meaning where Q and Omega are not the whole state
SHARE = 1.2  # seconds of computing, after which a measurement looks at a state briefly
MOST_SECONDS = 3 * SHARE  # seconds of computing, after which it visits no more states
BRIEFLY = RADIANS[
    1:3
]  # radians a step of a brief look: a slow machine must see all states where an integrator goes wrong
FEWEST_STATES = 7  # states that it visits in any case: on a slow machine, too, those where most goes wrong
FINER = 1e-3  # the finer difference by which a doubtful derivative is computed again
ABOVE = 30  # a defect beyond so many times round-off is the method's own
WRONG = (
    1e-5  # a larger defect, at a state other than the generic one alone, is a mistake; high orders have smaller ones
)
STEEP = 4  # powers of h above the order: a defect that grows still faster is a step that failed, not the method
HIGH_ORDER = 20  # stands for the order of what looks exact with small steps
LARGE_RADIANS = 1.0  # radians a step, from which on such a failure may be that of a solver at its limit
ENOUGH = 0.9  # radians a step, up to which a property must be seen to hold
SLOW, PLAIN = 0.5, 1e-3  # radians a step from which on a solver may be slow, and the defect above which it is not that
LOOSE = 1e-5  # defect at any step, up to which it may be that of a tolerance, ...
BY_TOLERANCE = 2.5  # ... if it grows with no more than this power of h: the last iteration gains a factor like h
FAINT = 1e-9  # defect up to which it may be round-off, magnified
HARDLY, SMOOTH = 1e-4, 0.02  # if a step changes by so little, a defect that is no round-off changes by at most so much
LOST = 0.2  # a failed step is off by this part of its rotation


def direct(look: Look, row: Row) -> tuple[list[Property], str]:
    """A defect that a few steps show."""
    defect, floor, more = DIRECT[row.measure]
    floor *= min(look.character.floor, 1e8)
    if row.measure == "symmetry" and look.character.forward_only:
        how = f"{row.how_outside or row.how}: a step of -h does not go back"
        return [Property(None, floor, "undecided", how)], ""

    def at(state: State, radians: float, n: int) -> float:
        run = look.run if n == 1 else lambda p, Q, Omega, h, k, t: look.run(p, Q, Omega, h, n * k, t)
        return defect(run, state.problem, state.step(radians))

    return over_states(look, row, at, floor, f"{row.how_outside or row.how}{more}")


def by_derivatives(look: Look, row: Row) -> tuple[list[Property], str]:
    """A defect of the Jacobian of a step."""
    _, floor, way = look.derivatives
    if look.character.jump and not look.character.single:
        how = f"{row.how_outside or row.how}: it moves in jumps of {look.character.jump:.0e}, and has no derivative"
        return [Property(None, floor, "undecided", how)], "jumps"
    if look.character.floor > 1:  # differences magnify noise
        floor = max(floor, look.character.floor * 1e-13 / 2e-3)

    def at(state: State, radians: float, n: int) -> float:
        p, h = state.problem, state.step(radians)
        before, after = p.internal.momentum(np.array([p.t0, p.t0 + n * h]))
        Pi0 = p.tensor @ p.Omega0 + before

        def by(**options: float) -> float:
            D, Pi1 = look.jacobian(state, radians, n, **options)
            return BY_DERIVATIVES[row.measure](D, Pi0, Pi1 + after, momentum_scale(p, h), n * h)

        found = by()
        in_doubt = "differences" in way and floor < found <= ABOVE * floor
        return (
            min(found, by(d=FINER)) if in_doubt else found
        )  # a defect that finer differences do not show is one of the differences

    return over_states(look, row, at, floor, f"{row.how_outside or row.how}, {way}")


@dataclass
class Visits:
    """What the states visited so far have shown, as long as no defect is the method's own."""

    states: int = 0
    brief: int = 0  # of these states, for want of time
    worst: float = 0.0  # the largest defect
    farthest: float = 0.0  # the largest step, in radians
    doubts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    @property
    def coverage(self) -> str:
        """In words."""
        words = f"{self.states} states, up to {self.farthest:g} rad a step, random ones by seed {SEED}"
        if self.brief:
            words += f"; {self.brief} of them at {BRIEFLY[0]:g} and {BRIEFLY[1]:g} rad alone, for want of time"
        return words + (f"; {self.refusals[0]}" if self.refusals else "")


def over_states(look: Look, row: Row, at: Callable[..., float], floor: float, how: str) -> tuple[list[Property], str]:
    """The property, alone in a list, and the note "scales", "stays" or "" that says how its defect behaves.

    `at(state, radians, steps at once)` is the defect, relative to the size of what it is a defect of.
    """
    clock, visits = time.process_time(), Visits()
    for state in look.states(row.case):
        spent = time.process_time() - clock if visits.states >= FEWEST_STATES else 0.0
        if spent > MOST_SECONDS:
            break
        defects, radians = _measured(look, state, at, BRIEFLY if spent > SHARE else RADIANS, visits)
        whole = len(defects)
        defects, radians = _solved(look, state, defects, radians)
        if len(defects) < whole:
            look.ended.setdefault(row.key, f"beyond {radians[-1] if radians else 0:g} rad a step {state.words}")
        if not defects:
            continue
        if not visits.states and not visits.refusals and radians[-1] < ENOUGH:
            visits.doubts.append(f"it fails beyond {radians[-1]:g} rad a step")
        visits.states, visits.brief = visits.states + 1, visits.brief + (spent > SHARE)
        visits.farthest, largest = max(visits.farthest, radians[-1]), max(defects)
        if largest > ABOVE * floor and not (largest < FAINT and _is_erratic(at, state, radians, defects)):
            fall, note = _fall(radians, defects, floor)
            where = _largest(radians, defects)
            if visits.states > 1 and largest > WRONG:
                look.differs.setdefault(state.words, f"({row.title}: {largest:.0e}, {where})")
            words, coverage = f"{how}: {largest:.0e}, {fall}", f"first seen {state.words}, {where}"
            return [Property(float(largest), floor, "no", words, coverage=coverage)], note
        if largest > floor:
            visits.doubts.append(f"{largest:.0e} {state.words}, near round-off")
        visits.worst = float(max(visits.worst, largest))
    return [_without_defect(look, row, how, floor, visits)], ""


def _measured(
    look: Look, state: State, at: Callable[..., float], steps: Sequence[float], visits: Visits
) -> tuple[list[float], list[float]]:
    """The defects at a state, and the steps in radians, up to the first step that is refused."""
    counts = (1, 2, 5) if look.character.memory > 0 else (1,)
    defects: list[float] = []
    for x in steps:
        try:
            defects.append(_finite(at, state, x, counts))
        except Refused as error:
            visits.refusals.append(f"{state.words} it {error.words}")
            if visits.states and x == RADIANS[0]:
                look.fails.setdefault(state.words, error.words)
            break
    return defects, list(steps[: len(defects)])


def _is_erratic(at: Callable[..., float], state: State, radians: Sequence[float], defects: Sequence[float]) -> bool:
    """Whether the largest defect is round-off that a long or unstable step has magnified: between steps that
    hardly differ it changes, while a defect of the method, or of a tolerance, stays the same."""
    x = radians[int(np.argmax(defects))]
    try:
        near = [_finite(at, state, x * (1 + k * HARDLY), (1,)) for k in range(-2, 3)]
    except Refused:
        return True  # a step at the limit of what runs
    changes = np.abs(np.diff(near)) / max(near)
    return bool(np.median(changes) > SMOOTH)


def _finite(at: Callable[..., float], state: State, radians: float, counts: Sequence[int]) -> float:
    """The largest defect over so many steps at once, for each count; one that is no number says that the step is lost,
    not that nothing is wrong."""
    with np.errstate(all="ignore"):
        defects = [at(state, radians, n) for n in counts]
    if not np.isfinite(defects).all():
        raise Refused(f"gave no finite derivatives at h = {state.step(radians):.3g}")
    return max(defects)


def _without_defect(look: Look, row: Row, how: str, floor: float, visits: Visits) -> Property:
    """The property, if no defect was seen."""
    worst, noise = visits.worst, look.character.noise
    if not visits.states:
        return Property(None, floor, "undecided", f"{how}: {visits.refusals[0]}")
    why = ""
    if look.character.memory and row.measure in OF_THE_STATE:
        why = "round-off over 1, 2 and 5 steps, but its state is more than Q and Omega"
    elif noise and worst > noise / 10:
        why = f"{worst:.0e}, which may be its noise of {noise:.0e}"
    elif visits.doubts:
        why = f"not to be told ({visits.doubts[0]})"
    if why:
        return Property(worst, floor, "undecided", f"{how}: {why}", bound=worst, coverage=visits.coverage)
    qualifier = f"in single precision ({SINGLE:.0e})" if look.character.single else ""
    return Property(
        worst, floor, "yes", f"{how}: round-off for all", bound=floor, coverage=visits.coverage, qualifier=qualifier
    )


def _solved(look: Look, state: State, defects: list[float], radians: list[float]) -> tuple[list[float], list[float]]:
    """The defects up to where a step fails. At a large step, or a lost one, a defect far larger than any power of h
    explains is that of equations that were not solved, and says nothing of the method."""
    highest = max(look.orders, default=2.0)
    steepest = (highest if np.isfinite(highest) else HIGH_ORDER) + STEEP
    for k in range(1, len(defects)):
        usual = max(defects[k - 1], 1e-15 * look.character.floor)
        steep = defects[k] > usual * (radians[k] / radians[k - 1]) ** steepest
        slow = radians[k] > SLOW and defects[k] < PLAIN
        if steep and (slow or radians[k] > LARGE_RADIANS or _is_lost(look, state, radians[k])):
            return defects[:k], radians[:k]
    return defects, radians


def _is_lost(look: Look, state: State, radians: float) -> bool:
    try:
        return off(look, state, radians) > LOST * radians
    except Refused:
        return True


def _largest(radians: Sequence[float], defects: Sequence[float]) -> str:
    """The step at which the defect is largest, in words."""
    return f"{radians[int(np.argmax(defects))]:g} rad a step"


def _fall(radians: Sequence[float], defects: Sequence[float], floor: float) -> tuple[str, str]:
    """How the defect behaves: in words, and as the note."""
    above = [(x, d) for x, d in zip(radians, defects) if d > floor]
    if len(above) < 2:
        return f"only at {above[0][0]:g} rad a step", "scales"
    (a, c), (b, d) = above[:2]  # the smallest steps: at large ones a defect no longer grows
    power = np.log(d / c) / np.log(b / a)
    x, y = np.log(np.array(above)).T
    overall = np.polyfit(x, y, 1)[0]
    if power < 1 or (
        max(defects) < LOOSE and overall < BY_TOLERANCE
    ):  # a method of order 1 has one that falls like h^2
        return "hardly falls with h", "stays"
    return f"falls like h^{power:.1f}", "scales"
