"""The certificate of an integrator seen from outside: a plain function, or a simulator that can only be run.

There is one precision, so a verdict comes from states and steps: a property that holds leaves a defect at round-off at
every state of the battery and for every step; one defect that is a method's own is a "no", wherever it is found. What
cannot be measured is undecided, and says why. Every measurement has its own guard and its own time.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.integrators.lookup import name_of
from polhode.integrators.method import BlackBox
from polhode.integrators.properties import BY_KEY, ORDER, YES_OR_NO, Row, groups
from polhode.physics.problem import Problem
from polhode.testbench.certificate import orders as by_order
from polhode.testbench.certificate.battery import RADIANS, SEED, State
from polhode.testbench.certificate.cases import CASES, Run, damped, placed, potential
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.clues import clues_of
from polhode.testbench.certificate.defects import BY_DERIVATIVES, DIRECT, momentum_scale
from polhode.testbench.certificate.diagnosis import diagnosis
from polhode.testbench.certificate.guard import Refused, guarded
from polhode.testbench.certificate.kin import Kin, kin_of
from polhode.testbench.certificate.look import SINGLE, Look, advance_of, box, character_of

__all__ = ["Look", "advance_of", "box", "check_first_step", "measured", "order"]

CHOOSES = "It chooses its own steps: what is measured here is its tolerance, not a property of the method."
WHATEVER_THE_STEPS = ("orthogonality", "torque evaluations")  # what a tolerance does not make true
GIVEN_STEPS = ("largest step",)  # what means nothing of one that chooses its own
OF_THE_STATE = (
    "symmetry",
    "symplecticity",
    "conformality",
    "Poisson map",
)  # what means nothing where Q and Omega are not all
PATIENCE = (20.0, 20.0, 5.0)  # seconds after which a measurement is ended: the first, the second, and all others
LONGEST = PATIENCE[0]
SHARE = 1.2  # seconds of computing, after which a measurement visits no more states
FEWEST = 7  # states that it visits in any case: on a slow machine, too, those where most goes wrong
FINER = 1e-3  # the difference with which a doubtful derivative is had again
ABOVE = 30  # times round-off, from which on a defect is the method's own
WRONG = 1e-5  # defect that is not seen at a generic state and is a mistake at another; of high orders there are smaller
STEEP = 4  # powers of h above the order; a defect that grows faster is a failure of the step and not of the method
HIGH = 20  # the order of what looks exact with small steps
LARGE = 1.0  # radians a step, from which on such a failure may be that of a solver at its limit
ENOUGH = 0.9  # radians a step, up to which a property must be seen to hold
SLOW, PLAIN = 0.5, 1e-3  # radians a step from which on a solver may be slow, and the defect above which it is not that
LOST = 0.2  # part of the rotation by which a step that has failed is off, at smaller ones


def measured(
    method: BlackBox | Callable[..., Any], tick: Callable[[str], None] = lambda key: None, look: Look | None = None
) -> tuple[dict[str, Property], tuple[str, ...]]:
    """Every property that can be measured from outside, and what the failures point to."""
    look = look or Look(method)
    check_first_step(look.advance, name_of(method))
    look.character = guarded(lambda: character_of(look), LONGEST)[0] or look.character
    takes_velocity = _takes_velocity(look)
    found: dict[str, Property] = {}
    notes: dict[str, str] = {}
    ended = 0
    for rows in groups():
        first = rows[0]
        if first.measure not in MEASURES or (look.tolerance is not None and first.measure in GIVEN_STEPS):
            continue
        if first.needs_velocity and not takes_velocity:
            continue
        name = first.group or first.key
        tick(name)
        seconds = PATIENCE[min(ended, 2)]
        values, why = guarded(partial(MEASURES[first.measure], look, first), seconds)
        if why:
            ended += "did not return" in why
            how = f"{first.how_outside or first.how or first.title}: it {why}"
            values = [Property(None, None, "undecided", how)] * len(rows), "fails"
        values, notes[name] = values
        found |= zip((row.key for row in rows), values)
        if first.kind == ORDER:
            look.orders += [p.value for p in values if p.value is not None]
    found = {key: _doubted(look, found, key, p) for key, p in found.items()}
    if "own steps" in notes.values() and look.tolerance is None:
        return {key: _of_a_tolerance(BY_KEY[key], p) for key, p in found.items()}, (CHOOSES,)
    if look.tolerance is not None:
        return {key: _of_a_tolerance(BY_KEY[key], p) for key, p in found.items()}, (CHOOSES,)
    if look.character.floor > 1:  # what does not fall with h is then its arithmetic
        notes = {name: "" if note in ("stays", "stalls") else note for name, note in notes.items()}
    clues, _ = guarded(lambda: clues_of(look.run), seconds)
    kin, _ = guarded(lambda: kin_of(look.run), seconds)
    return found, diagnosis_of(look, found, notes | (clues or {}), kin)


def diagnosis_of(look: Look, found: dict[str, Property], notes: dict[str, str], kin: Kin | None) -> tuple[str, ...]:
    """The diagnosis: what is odd about it, where it is wrong, what the failures point to, and where it has lost what
    its kin has."""
    if kin is None:
        return (*_oddities(look), *diagnosis(found, notes))
    look.kin = kin.words
    if kin.is_same and (look.differs or look.character.memory):
        where = "in its first step" if look.character.memory else "at a generic state"
        look.kin = f"{kin.words.rstrip('.')}, {where}."
    if kin.is_same:
        return tuple(_oddities(look))
    if kin.near:
        return (*_oddities(look), *diagnosis(found, notes))
    lost = [
        key for key, claimed in kin.claims.items() if claimed is True and key in found and found[key].verdict == "no"
    ]
    return (*_oddities(look), *diagnosis(found, notes), *([kin.words] if lost else []))


def _oddities(look: Look) -> list[str]:
    """What the character of the integrator and the states where it differs have to say."""
    told = look.character.sentences()
    if look.differs:
        first, *more = (f"{where} {what}" for where, what in look.differs.items())
        rest = f"; so too {', '.join(more)}" if more else ""
        told.append(f"Right at a generic state, wrong elsewhere: {first}{rest}.")
    if look.fails:
        first, *more = (f"{where} it {what}" for where, what in look.fails.items())
        told.append(f"It does not run everywhere: {'; '.join([first, *more])}.")
    return told


def check_first_step(run: Run, name: str) -> None:
    """A first step, so that an integrator that does not run gets a sentence."""
    p = placed(potential())

    def first() -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            return [np.asarray(x) for x in run(p, p.Q0.copy(), p.Omega0.copy(), 0.0625, 1, 0.0)]

    result, why = guarded(first, LONGEST)
    if why:
        raise InputError(f"{name} failed in its first step: {why.removeprefix('raised ')}.")
    Q, Omega = result
    if Q.shape != (3, 3) or Omega.shape != (3,):
        raise InputError(f"{name} returned shapes {Q.shape} and {Omega.shape}; it must return Q (3, 3) and Omega (3,).")


def _takes_velocity(look: Look) -> bool:
    """Whether it asks for the torque at a velocity: one that does not gets a sentence for an answer."""
    p = damped()

    def first() -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):
            return look.advance(p, p.Q0.copy(), p.Omega0.copy(), 0.0625, 1, 0.0)

    return "InputError" not in guarded(first, PATIENCE[-1])[1]


def _doubted(look: Look, found: dict[str, Property], key: str, p: Property) -> Property:
    """A yes of which large steps were left out, as those of a solver at its limit, is none where the integrator is
    known to be wrong elsewhere: they may be the reason."""
    high = any(by_order.ONE_LARGE in other.how for other in found.values())
    if p.verdict == "yes" and BY_KEY[key].kind == YES_OR_NO and BY_KEY[key].measure not in WHATEVER_THE_STEPS and high:
        return Property(**(vars(p) | {"verdict": "undecided", "how": f"{p.how}, as for any method of high order"}))
    if p.verdict != "yes" or key not in look.ended or not look.differs:
        return p
    why = f"{p.how}; but not {look.ended[key]}, and it is wrong elsewhere"
    return Property(**(vars(p) | {"verdict": "undecided", "how": why}))


def _of_a_tolerance(row: Row, p: Property) -> Property:
    """What a tolerance makes true to round-off is no property of the method."""
    if row.kind == ORDER and p.verdict != "undecided":
        return Property(None, p.threshold, "undecided", f"{p.how}: it chooses its own steps")
    if p.verdict == "yes" and row.measure not in WHATEVER_THE_STEPS:
        return Property(p.value, p.threshold, "undecided", f"{p.how}, but by its tolerance")
    return p


# ---- yes or no ----------------------------------------------------------------------------------------


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
    jacobian, floor, way = look.derivatives
    if look.character.jump and not look.character.single:
        how = f"{row.how_outside or row.how}: it moves in jumps of {look.character.jump:.0e}, and has no derivative"
        return [Property(None, floor, "undecided", how)], "jumps"
    if look.character.floor > 1:  # differences of noisy numbers
        floor = max(floor, look.character.floor * 1e-13 / 2e-3)

    def at(state: State, radians: float, n: int) -> float:
        p, h = state.problem, state.step(radians)
        before, after = p.internal.momentum(np.array([p.t0, p.t0 + n * h]))
        Pi0 = p.tensor @ p.Omega0 + before

        def by(**options: float) -> float:
            D, Pi1 = jacobian(look.run, p, h, n, **options)
            return BY_DERIVATIVES[row.measure](D, Pi0, Pi1 + after, momentum_scale(p, h), n * h)

        found = by()
        in_doubt = "differences" in way and floor < found <= ABOVE * floor
        return min(found, by(d=FINER)) if in_doubt else found  # what the finer ones do not show is theirs

    return over_states(look, row, at, floor, f"{row.how_outside or row.how}, {way}")


def over_states(look: Look, row: Row, at: Callable[..., float], floor: float, how: str) -> tuple[list[Property], str]:
    """The property, alone in a list, and the note "scales", "stays" or "" that says how its defect behaves.

    `at(state, radians, steps at once)` is the defect, relative to the size of what it is a defect of.
    """
    memory, clock = look.character.memory > 0, time.process_time()
    refused, doubts, worst, most, seen = [], [], 0.0, 0.0, 0
    for state in look.states(row.case):
        if seen >= FEWEST and time.process_time() - clock > SHARE:
            break
        found, radians = [], []
        for x in RADIANS:
            try:
                found.append(max(at(state, x, n) for n in ((1, 2, 5) if memory else (1,))))
                radians.append(x)
            except Refused as error:
                refused.append(f"{state.words} it {error.words}")
                if seen and x == RADIANS[0]:
                    look.fails.setdefault(state.words, error.words)
                break
        whole = len(found)
        found, radians = _solved(look, state, found, radians)
        if len(found) < whole:
            look.ended.setdefault(row.key, f"beyond {radians[-1] if radians else 0:g} rad a step {state.words}")
        if not found:
            continue
        if not seen and not refused and radians[-1] < ENOUGH:
            doubts.append(f"it fails beyond {radians[-1]:g} rad a step")
        seen, most = seen + 1, max(most, radians[-1])
        if max(found) > ABOVE * floor:
            fall, note = _fall(radians, found, floor)
            where = f"{state.words}, {_largest(radians, found)}"
            if seen > 1 and max(found) > WRONG:
                look.differs.setdefault(state.words, f"({row.title}: {max(found):.0e}, {_largest(radians, found)})")
            coverage = f"first seen {where}"
            return [
                Property(float(max(found)), floor, "no", f"{how}: {max(found):.0e}, {fall}", coverage=coverage)
            ], note
        if max(found) > floor:
            doubts.append(f"{max(found):.0e} {state.words}, near round-off")
        worst = float(max(worst, *found))
    return [_without_defect(look, row, how, floor, worst, most, seen, doubts, refused)], ""


def _without_defect(
    look: Look, row: Row, how: str, floor: float, worst: float, most: float, seen: Any, doubts: Any, refused: Any
) -> Property:
    """The property of which no defect was seen."""
    if not seen:
        return Property(None, floor, "undecided", f"{how}: {refused[0]}")
    coverage = f"{seen} states, up to {most:g} rad a step, random ones by seed {SEED}"
    if refused:
        coverage += f"; {refused[0]}"
    if look.character.memory and row.measure in OF_THE_STATE:
        why = f"{how}: round-off over 1, 2 and 5 steps, but its state is more than Q and Omega"
        return Property(worst, floor, "undecided", why, bound=worst, coverage=coverage)
    if doubts:
        why = f"{how}: not to be told ({doubts[0]})"
        return Property(worst, floor, "undecided", why, bound=worst, coverage=coverage)
    qualifier = f"in single precision ({SINGLE:.0e})" if look.character.single else ""
    return Property(
        worst, floor, "yes", f"{how}: round-off for all", bound=floor, coverage=coverage, qualifier=qualifier
    )


def _solved(look: Look, state: State, found: list[float], radians: list[float]) -> tuple[list[float], list[float]]:
    """The defects up to where the step fails: one that is far larger than any power of h explains is that of equations
    that were not solved, at a large step or one that is lost, and says nothing of the method."""
    highest = max(look.orders, default=2.0)
    steepest = (highest if np.isfinite(highest) else HIGH) + STEEP
    for k in range(1, len(found)):
        usual = max(found[k - 1], 1e-15 * look.character.floor)
        steep = found[k] > usual * (radians[k] / radians[k - 1]) ** steepest
        slow = radians[k] > SLOW and found[k] < PLAIN
        if steep and (slow or radians[k] > LARGE or _is_lost(look, state, radians[k])):
            return found[:k], radians[:k]
    return found, radians


def _is_lost(look: Look, state: State, radians: float) -> bool:
    try:
        return by_order.off(look, state, radians) > LOST * radians
    except Refused:
        return True


def _largest(radians: Sequence[float], found: Sequence[float]) -> str:
    """The step at which the defect is largest, in words."""
    return f"{radians[int(np.argmax(found))]:g} rad a step"


def _fall(radians: Sequence[float], found: Sequence[float], floor: float) -> tuple[str, str]:
    """How the defect behaves: in words, and as the note."""
    above = [(x, d) for x, d in zip(radians, found) if d > floor]
    if len(above) < 2:
        return f"only at {above[0][0]:g} rad a step", "scales"
    (a, c), (b, d) = above[:2]  # the smallest steps: at large ones a defect no longer grows
    power = np.log(d / c) / np.log(b / a)
    if power < 1:  # a method of order 1 has one that falls like h^2
        return "hardly falls with h", "stays"
    return f"falls like h^{power:.1f}", "scales"


# ---- order --------------------------------------------------------------------------------------------


def orders(look: Look, row: Row) -> tuple[list[Property], str]:
    """The orders of Q and of Omega, unless it chooses its own steps."""
    if look.tolerance is not None:
        how = f"it chooses its own steps, to a tolerance of {look.tolerance:.2g}"
        return [Property(None, None, "undecided", how)] * 2, ""
    round_off = by_order.ROUND_OFF * min(look.character.floor, 1e9)
    p = placed(CASES[row.case]())
    counts = by_order.EVEN if look.character.memory else by_order.COUNTS  # two-step methods take two turns
    results, note, picture = by_order.order(look.run, p, row.how_outside or row.how, round_off, counts)
    look.convergence[row.case] = dict(zip(("h", "errors"), (picture[0].tolist(), picture[1].tolist())))
    values = [r.value for r in results if r.value is not None]
    if not values or note == "own steps":
        return results, note
    if look.character.memory:
        return results, note
    least = min(values)
    lowest, where, refused, seen = by_order.elsewhere(look, row.case, least if np.isfinite(least) else 8.0)
    coverage = f"one step at {seen} states, random ones by seed {SEED}"
    if refused:
        coverage += f"; {refused[0]}"
    if where:
        worse = f"{where} only {lowest:.1f}"
        changed = [(min(r.value, lowest) if r.value is not None else lowest, f"{r.how}; {worse}") for r in results]
        return [Property(v, by_order.CLEAR, "no", how, coverage=coverage) for v, how in changed], note
    return [Property(**(vars(r) | {"coverage": coverage})) for r in results], note


def order(run: Run, p: Problem, words: str = "global error") -> tuple[list[Property], str]:
    """The orders of Q and Omega as properties, and the note "stalls" where an error stops falling."""
    return by_order.order(run, p, words=words)[:2]


# ---- cost --------------------------------------------------------------------------------------------


def torques(look: Look, row: Row) -> tuple[list[Property], str]:
    """Evaluations of the torque a step."""
    return [counted(look.run, placed(CASES[row.case]()))], ""


class Counted(Problem):
    """A problem that notes when its torque is asked for."""

    calls: list[float]

    def __init__(self, problem: Problem) -> None:
        vars(self).update(vars(problem), calls=[])

    def torque(self, t: float, Q: ArrayLike, Omega: ArrayLike | None = None) -> np.ndarray:
        """The torque, and a note of the time."""
        self.calls.append(t)
        return super().torque(t, Q, Omega)


def counted(run: Run, p: Problem, steps: int = 16) -> Property:
    """The evaluations of the torque a step, as a property."""
    p = Counted(p)
    run(p, p.Q0.copy(), p.Omega0.copy(), 0.125, steps, 0.0)
    if not p.calls:
        return Property(None, None, "undecided", "problem.torque was never called")
    return Property(len(p.calls) / steps, None, "yes", f"calls of problem.torque counted in {steps} steps")


def largest_step(look: Look, row: Row, steps: int = 50) -> tuple[list[Property], str]:
    """The largest h = 2^(k/2) up to 16 with which so many steps succeed, going up until one fails."""
    p, largest = placed(CASES[row.case]()), 0.0
    for k in range(-8, 9):
        h = 2.0 ** (k / 2)
        try:
            _, Omega = look.run(p, p.Q0, p.Omega0, h, steps, 0.0)
        except Refused:
            break
        if not np.abs(Omega).max() < 1e3:
            break
        largest = h
    how = f"{steps} steps, h growing by 2^(1/2) until one fails or Omega passes 1000"
    return [Property(largest, None, "yes", how)], ""


MEASURES = {
    "order": orders,
    **dict.fromkeys(DIRECT, direct),
    **dict.fromkeys(BY_DERIVATIVES, by_derivatives),
    "torque evaluations": torques,
    "largest step": largest_step,
}
"""By what a row of the table of properties measures, a function (look, row) that returns what each row of its group
gets, and the note that goes to the diagnosis."""
