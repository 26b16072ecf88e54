"""The certificate of a kernel method: everything can be measured, in as many digits as it takes.

Three precisions tell three things apart. A defect that falls from 30 to 50 digits is round-off: yes. One that stays,
but is below the round-off of floats and does not grow with h, is that of constants with sixteen digits or of a
tolerance made for floats: yes in floats. Any other is the method's own: no. A kernel that does not run with many digits
(it calls `math`) is measured from outside.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.integrators.catalogue import methods
from polhode.integrators.method import Method
from polhode.integrators.properties import ORDER, Row, groups, measured_by
from polhode.integrators.velocity import adapted
from polhode.kernels.many_digits import in_any_numbers, precision, real
from polhode.kernels.rotations import matrix
from polhode.physics.problem import Problem
from polhode.testbench.certificate.branches.witnesses import note_branches
from polhode.testbench.certificate.certificate import IN_FLOATS, Mark, Property
from polhode.testbench.certificate.diagnosis.clues import clues_of
from polhode.testbench.certificate.diagnosis.kin import kin_of
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.kernel.in_floats import in_floats, orders_in_floats, patience
from polhode.testbench.certificate.kernel.orders import orders
from polhode.testbench.certificate.kernel.runs import iterations, largest_step, orthogonality, torques
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.outside.doubts import of_known_kind
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.look import Look, box, states
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.special_cases import consistent
from polhode.testbench.certificate.states.battery import State
from polhode.testbench.certificate.states.cases import case_of
from polhode.testbench.certificate.structure.at_a_state import LOOSE_DEFECT
from polhode.testbench.certificate.structure.defects import BY_DERIVATIVES

LENGTHENED = "The length of the kernel's quaternion changes from step to step: normalise it, by `unit`."
TWO_PRECISIONS = "the defect at {} and at {} digits: round-off falls with the precision, a defect of the method stays"
DERIVATIVES = ", derivatives by the complex step"
FLOATS_DEFECT = 1e-13  # floats do not show a smaller defect
THRESHOLD, LOW_THRESHOLD = (10.0 ** (8 - digits) for digits in reversed(theorems.DIGITS))
RADIANS_ELSEWHERE = (0.004, 0.31, 0.85)  # radians a step at the states of the battery
SMALL_STEP = 2.0**-10  # at the generic state, where another formula may be used
LARGE_RADIANS = 0.5  # radians a step, from which on a solver may be at its limit
PLAIN_DEFECT = 1e-3  # a defect of at least this part of the momentum is the method's own, even at such a step
LOST_RADIANS = 0.2  # radians by which a step that has failed is off
SHARE_SECONDS = 0.3  # seconds of computing, after which a measurement looks at a state with one step alone
MOST_SECONDS = 3 * SHARE_SECONDS  # seconds of computing, after which it visits no more states
BRIEF_RADIANS = (0.31,)  # radians a step of such a look
FEWEST_STATES = 5  # states beside the generic one that it visits in any case
FROM_OUTSIDE = "from outside, since the kernel {}"


def measured(
    method: Method, tick: Callable[[str], None] = lambda key: None, look: Look | None = None
) -> dict[str, Property]:
    """Every property of a kernel method but its drift."""
    properties: dict[str, Property] = {}
    look = look or Look(box(method))
    look.is_kernel = True
    if not method.free_only and methods().get(method.name) is not method:
        look.character = character_of(look, patience(look))
        note_branches(look, method, patience(look))
    for rows in groups():
        first = rows[0]
        p = case_of(first, method)
        if p is None or first.measure not in MEASURES:
            continue
        tick(first.group or first.key)
        values, why = guarded(partial(values_of, adapted(method, p.forces), p, first), patience(look))
        if why:
            values = _from_outside(look, first, len(rows), why)
        if first.kind == ORDER:
            values = orders_in_floats(look, method, first, values)
        elif first.measure in outside.MEASURES and first.measure in theorems.DEFECTS:
            values = in_floats(look, method, first, values, partial(stays_at, look, method, first))
        properties |= zip((row.key for row in rows), values)
    if look.switches:  # then what holds below the angle is not known to hold beyond
        properties |= {
            row.key: in_floats(look, method, row, (properties[row.key],), partial(stays_at, look, method, row))[0]
            for (row, *others) in groups()
            if not others and row.key in properties and row.measure in BY_DERIVATIVES
        }
    return consistent(of_known_kind(look, properties))


def diagnosed(method: Method, properties: dict[str, Property], look: Look) -> tuple[str, ...]:
    """Sentences about a user's kernel: see ``outside.diagnosis_of``."""
    if method.free_only:
        return ()
    clues, _ = guarded(lambda: clues_of(look.run), patience(look))
    kin, _ = guarded(lambda: kin_of(look.run), patience(look))
    notes = _loose(look, properties) | (clues or {})
    (group,) = measured_by("orthogonality", "potential")
    if properties[group].verdict != "no":
        return outside.diagnosis_of(look, properties, notes, kin)
    others = {key: p for key, p in properties.items() if key != group}  # Q is a rotation, whatever its map may be
    return (*outside.diagnosis_of(look, others, notes, kin), LENGTHENED)


def _loose(look: Look, properties: dict[str, Property]) -> dict[str, str]:
    """The small defects as floats see them, with the note of how each behaves, up to the first that hardly falls with
    h: so does what a tolerance leaves."""
    notes: dict[str, str] = {}
    for first, *others in groups():
        p = properties.get(first.key)
        is_small = p is not None and p.verdict == "no" and p.value is not None and 0.0 < p.value < LOOSE_DEFECT
        if "stays" in notes.values() or others or not is_small or first.measure not in outside.MEASURES:
            continue
        look.pace.begin_alone()
        measured, _ = guarded(partial(outside.MEASURES[first.measure], look, first), patience(look))
        notes[first.key] = measured[1] if measured else ""
    return notes


def values_of(method: Method, p: Problem, row: Row) -> list[Property]:
    """The properties of a row and those measured with it, with the fast numbers or, if they do not do, mpmath's."""
    return in_any_numbers(lambda: list(MEASURES[row.measure](method, p, row)))


def _from_outside(look: Look, row: Row, count: int, why: str) -> list[Property]:
    """The measurement that needs no other arithmetic, where there is one."""
    words = FROM_OUTSIDE.format(why)
    if row.measure not in outside.MEASURES:
        return [Property(None, None, "undecided", f"{row.how or row.title}: it {why}")] * count
    look.pace.begin_alone()
    values, again = guarded(lambda: outside.MEASURES[row.measure](look, row)[0], patience(look))
    if again:
        return [Property(None, None, "undecided", f"{row.how or row.title}: it {again}")] * count
    return [replace(p, how=f"{p.how}; {words}", marks=p.marks | {Mark.FROM_OUTSIDE}) for p in values]


# ---- what is measured, and how ------------------------------------------------------------------------


def by_theorem(method: Method, p: Problem, row: Row) -> Iterator[Property]:
    """A defect at two precisions, at a larger step where it is below the round-off of floats; and where it holds, at
    the other states of the battery."""
    defect = theorems.DEFECTS[row.measure]
    finding = theorems.finding(defect, method, p)
    if math.isnan(finding.high):
        raise ArithmeticError("its defect is no number")
    way = DERIVATIVES if row.measure in BY_DERIVATIVES else ""
    how = f"{row.how}{way}; {TWO_PRECISIONS.format(*theorems.DIGITS)}"
    digits = f"{theorems.DIGITS[0]} and {theorems.DIGITS[1]} digits"
    coverage, qualifier, threshold = f"a generic state without symmetry, h = 1/8, {digits}", "", THRESHOLD
    if not finding.holds:
        larger = np.inf
        if finding.high < FLOATS_DEFECT:
            with precision(theorems.DIGITS[0]):
                larger = float(defect(method, p, 4 * theorems.STEP_SIZE))
        if larger >= FLOATS_DEFECT:
            yield Property(finding.high, threshold, "no", how, coverage=coverage)
            return
        qualifier = f"{IN_FLOATS} ({max(finding.high, 1e-99):.0e})"
    other = _with_a_small_step(method, p, defect) if not qualifier else Elsewhere()
    if not other.where:
        other = elsewhere(method, row, defect, FLOATS_DEFECT if qualifier else None)
    if other.where:
        seen = f"first seen {other.where}; round-off at a generic state"
        yield Property(other.defect, threshold, "no", f"{how}; {other.defect:.0e} {other.where}", coverage=seen)
        return
    coverage += f"; {other.seen} other states in {theorems.DIGITS[0]} digits, steps of {_few(RADIANS_ELSEWHERE)} rad"
    if other.refused:
        coverage += f"; {other.refused[0]}"
    yield Property(finding.high, threshold, "yes", how, bound=threshold, coverage=coverage, qualifier=qualifier)


@dataclass(frozen=True)
class Elsewhere:
    """What the states of the battery show: the first where a defect stays, its size, how many were seen, refusals."""

    where: str = ""
    defect: float = 0.0
    seen: int = 0
    refused: tuple[str, ...] = ()


def _with_a_small_step(method: Method, p: Problem, defect: Callable[..., Any]) -> Elsewhere:
    """The defect of a small step at the generic state, if it is a plain one: a formula for small steps has its own."""
    try:
        found = theorems.finding(defect, method, p, SMALL_STEP)
    except (InputError, ArithmeticError):  # it need not solve so small a step
        return Elsewhere()
    is_plain = not found.holds and found.high > FLOATS_DEFECT
    return Elsewhere(f"with a small step, h = {SMALL_STEP:.0e}", found.high) if is_plain else Elsewhere()


def elsewhere(method: Method, row: Row, defect: Callable[..., Any], floor: float | None = None) -> Elsewhere:
    """The defect at the states of the battery. One that more digits do not take away is the method's own; one below
    `floor`, relative to the momentum, is that of floats. A large step that is not solved, or not well, says nothing."""
    clock, seen, refused = time.thread_time(), 0, []
    battery = [state for state in states("free" if method.free_only else row.case) if not state.is_surveyed]
    for state in battery[1:]:
        spent = time.thread_time() - clock
        if spent > MOST_SECONDS and seen >= FEWEST_STATES:
            break
        p = state.problem
        start = theorems.Start(*p.start(), p.t0)
        size = max(abs(x) for x in start.Pi) or 1.0
        for radians in RADIANS_ELSEWHERE if spent < SHARE_SECONDS else BRIEF_RADIANS:
            h = state.step(radians)
            least = floor * max(size, 1 / size) if floor else None
            try:
                low = in_any_numbers(partial(_stays, method, p, defect, h, start, least), (InputError,))
                unsolved = (low > 0 and radians > LARGE_RADIANS) and (
                    low < PLAIN_DEFECT * size or in_any_numbers(partial(_is_lost, method, p, h, start), (InputError,))
                )
            except Exception:  # a kernel may fail in any way it likes
                unsolved = True
            if unsolved:
                refused.append(f"{state.words} it does not solve a step of {radians:g} rad")
                break
            if low:
                return Elsewhere(f"{state.words}, {radians:g} rad a step", low, seen)
        else:
            seen += 1
    return Elsewhere(seen=seen, refused=tuple(refused))


def stays_at(look: Look, method: Method, row: Row, state: State, radians: float) -> bool:
    """Whether the defect of a step at a state is one that more digits do not take away."""
    p = state.problem
    defect = partial(
        _stays, method, p, theorems.DEFECTS[row.measure], state.step(radians), theorems.Start(*p.start(), p.t0), None
    )
    found, why = guarded(lambda: in_any_numbers(defect, (InputError,)), patience(look))
    return not why and found > 0


def _stays(
    method: Method, p: Problem, defect: Callable[..., Any], h: Any, start: theorems.Start, floor: float | None
) -> float:
    """The defect, or zero where it is round-off or below the floor."""
    with precision(theorems.DIGITS[0]):
        low = float(defect(method, p, h, start))
    if math.isnan(low):
        raise ArithmeticError("a defect that is no number")
    if floor is not None:
        return low if low > floor else 0.0
    return low if low > LOW_THRESHOLD and not theorems.finding(defect, method, p, h, start).holds else 0.0


def _is_lost(method: Method, p: Problem, h: Any, start: theorems.Start) -> bool:
    """Whether one step misses the motion by a good part of the rotation."""
    from polhode.reference.reference import by_dop853

    with precision(theorems.DIGITS[0]):
        body, q, Pi, t = theorems.placed(p, method, start)
        q, _ = theorems.fresh(method, real(h), t, q, Pi, body)
    Q, _ = by_dop853(p, p.t0 + float(h))
    off = np.array(matrix(q), dtype=float).reshape(3, 3) @ p.axes.T - Q  # the kernel's axes are the principal ones
    return float(np.abs(off).max()) > LOST_RADIANS


def _few(numbers: Sequence[float]) -> str:
    return ", ".join(f"{x:g}" for x in numbers)


MEASURES = {
    "order": orders,
    **dict.fromkeys(theorems.DEFECTS, by_theorem),
    "orthogonality": orthogonality,
    "torque evaluations": torques,
    "iterations": iterations,
    "largest step": largest_step,
}
"""By the measure of a row of the table of properties: a generator (method, problem, row) of a Property for each row."""
