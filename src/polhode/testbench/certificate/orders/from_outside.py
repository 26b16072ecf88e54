"""Orders from outside: global errors against a reference, and the exponent with which they fall.

The exponent is that of the finest errors which are above the floor, with an error bar; a floor that is not round-off is
reported, and looked for with single steps where runs do not reach it. "Exact" is what is exact at the largest step.
Then one step is compared with the motion at every state of the battery: what does not converge there is of no order,
whatever it does elsewhere.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polhode.integrators.properties import Row
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import IN_FLOATS, LEFT_BY_A_TOLERANCE, Mark, Property
from polhode.testbench.certificate.orders.elsewhere import Elsewhere, elsewhere
from polhode.testbench.certificate.orders.exponents import (
    FLOOR_ROUND_OFFS,
    FLOORS_ABOVE,
    ROUND_OFF,
    WHOLE_WITHIN,
    Exponent,
    chooses,
    exponent,
)
from polhode.testbench.certificate.orders.floor import LADDER, hidden, orders_of_small_steps
from polhode.testbench.certificate.orders.near_a_state import OMEGA, Of
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.pace import would_decide
from polhode.testbench.certificate.running.questions import ASKED_STEP, jump_of
from polhode.testbench.certificate.states.battery import SEED
from polhode.testbench.certificate.states.cases import CASES, Run, placed

SPAN = 2.0
BOX_TIME = 1.7  # at which runs of a black box begin, whose own loop may take every time for zero
COUNTS = (1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90)  # numbers of steps for the span
EVEN_COUNTS = (*(n for n in COUNTS if n % 2 == 0), 128, 180, 256, 360, 512)
"""For what remembers: no single steps show what stays of its error."""
FINER_COUNTS = (180, 360, 720, 1440)  # where errors stay, though small steps are right
SETTLED_STEPS, SETTLED_FACTOR = (1e-3, 1e-4), 3.0  # by which the error of a small step, over the step, falls at least
SMALL_STEP = 1e-3  # in which what chooses its own steps, and what is not consistent, are told from each other
SHARE_OF_RUNS = 0.6  # part of the time that is for runs; the rest is for single steps
FEWEST_STEPS = 16  # of the finest run, without which there is no order
FEWEST_STATES = 7  # states without which an order is not known
JUMPED_ERROR = 1e-9  # from which on an error that jumps add up to is told
LEAST_ORDER = 0.5  # order below which there is none
LOWER_BY = 0.6  # by which single small steps must be of lower order to count
HIGH_ORDER = 2.5  # above which a lower power of h may be hidden by round-off: of order 2, one of 1e-10 would show
UNSEEN = "a lower power of h of less than about 1e-6 would not show in floats"
DOWN_TO = "down to an error of"
OWN_STEPS = "does not depend on the largest steps: it chooses its own"
LARGE_RADIANS = (5.0, 4.0, 3.0, 2.2)  # radians in one step, the first that runs: an exact method is exact there, too


def orders(look: Look, row: Row) -> tuple[list[Property], str]:
    """The orders of Q and of Omega, unless it chooses its own steps."""
    if look.tolerance is not None:
        how = f"it chooses its own steps, to a tolerance of {look.tolerance:.2g}"
        return [Property(None, None, "undecided", how)] * 2, ""
    round_off = ROUND_OFF * min(look.character.floor, 1e9)
    p = placed(CASES[row.case]())
    p = p.replaced(t0=BOX_TIME) if look.is_box and not look.is_kernel else p
    wanted = EVEN_COUNTS if look.character.memory else COUNTS  # two-step methods take two turns
    counts = [
        n for n, steps in zip(wanted, np.cumsum(wanted)) if look.pace.afford(steps, SHARE_OF_RUNS, are_small=True)
    ]
    fewest = max(FEWEST_STEPS, look.character.remembers_after if look.character.memory else 0)
    if not counts or counts[-1] < fewest:
        how = f"{row.how_outside or row.how}: {would_decide(look.pace.cost.single * sum(COUNTS))}"
        return [Property(None, None, "undecided", how)] * 2, ""
    words = row.how_outside or row.how
    results, note, picture = order(look.run, p, words, round_off, counts)
    if note != "own steps" and _is_open(look, p, results, note):
        affordable = look.pace.afford(sum(FINER_COUNTS), are_small=True)
        finer = order(look.run, p, words, round_off, FINER_COUNTS) if affordable else None
        results, note = finer[:2] if finer else (_untold(look, results, sum(FINER_COUNTS)), note)
    look.convergence[row.case] = dict(zip(("h", "errors"), (picture[0].tolist(), picture[1].tolist())))
    if look.character.memory:
        odd, *_ = order(look.run, p, f"{words}, odd numbers of steps,", round_off, [n + 1 for n in counts])
        results = [min(pair, key=_value) for pair in zip(results, odd)]
    values = [r.value for r in results if r.value is not None]
    if not values or note == "own steps":
        return results, note
    least = min(values)
    if look.character.memory or least < LEAST_ORDER:  # what does not converge at a generic state can do no worse
        return results, note
    other = elsewhere(look, row.case, least if np.isfinite(least) else 8.0)
    coverage = f"one step at {other.seen} states, random ones by seed {SEED}"
    if other.seen + len(other.refused) < len(states(row.case)):
        coverage += ", no more for want of time"
    if other.seen + len(other.refused) < FEWEST_STATES and not other.where:
        return [replace(r, coverage=coverage) for r in _untold(look, results, sum(COUNTS))], note
    if other.refused:
        coverage += f"; {other.refused[0]}"
    if other.where:
        lower = [lowered(r, other, WHOLE_WITHIN, coverage) for r in results]
        if row.case == "free" and results[1].value is not None:  # a free velocity knows no attitude
            Omega = results[1].value if np.isfinite(results[1].value) else 8.0
            again = elsewhere(look, row.case, Omega, OMEGA)
            if not again.where:
                right = _told(look, row, least, results, coverage, OMEGA)[1]
                why = "undecided" if again.seen < other.seen else right.verdict  # there was no time for all states
                lower[1] = replace(right, verdict=why)
        return lower, note
    return _told(look, row, least, results, coverage), note


def _untold(look: Look, results: Sequence[Property], steps: int) -> list[Property]:
    """Orders that so many more steps would decide."""
    missing = would_decide(look.pace.cost.single * steps)
    return [replace(r, verdict="undecided", how=f"{r.how}; {missing}", bound=None, qualifier="") for r in results]


def _is_open(look: Look, p: Problem, results: Sequence[Property], note: str) -> bool:
    """Whether runs stop converging where small steps are right: still smaller ones may be of another formula."""
    stays = note == "stalls" or any(r.value is not None and r.value < LEAST_ORDER for r in results)
    if not stays or look.character.memory or look.character.floor > 1:
        return False
    try:
        rate, next_ = (_off_in(look.run, p, h) / h for h in SETTLED_STEPS)
    except Refused:
        return False
    return next_ < rate / SETTLED_FACTOR


def _value(order: Property) -> float:
    """To choose the lower of two: what is not known is as low as can be, and of equal ones the first is taken."""
    return -1.0 if order.value is None else float(round(order.value)) if np.isfinite(order.value) else order.value


def lowered(order: Property, other: Elsewhere, threshold: float, coverage: str) -> Property:
    """An order that is lower at another state; undecided where it may be none there."""
    marks = order.marks | {Mark.LOWER_ELSEWHERE}
    if not other.is_known:
        open_ = f"but only 1 or none {other.where}, where a step is wrong, and it is not known how often"
        return Property(None, threshold, "undecided", f"{order.how}; {open_}", coverage=coverage, marks=marks)
    value = other.order if order.value is None else min(order.value, other.order)
    how = f"{order.how}; but only {other.order:.1f} {other.where}"
    is_whole = abs(value - round(value)) < 2 * WHOLE_WITHIN
    verdict = "no" if value < LEAST_ORDER else "yes" if is_whole else "undecided"
    return Property(value, threshold, verdict, how, bound=abs(value - round(value)), coverage=coverage, marks=marks)


def _told(
    look: Look, row: Row, order: float, results: Sequence[Property], coverage: str, of: Of = max
) -> list[Property]:
    """The orders with all that restricts them, or that of Q or Omega alone."""
    return [
        replace(r, coverage=coverage, qualifier=_qualified(look, row, r.qualifier))
        for r in down_to(look, row, order, results, of)
    ]


def _qualified(look: Look, row: Row, qualifier: str) -> str:
    """The qualifier, the precision, and where a small step is off by what only a tolerance explains."""
    where = next((words for case, words in look.loose if case == row.case), "")
    left = f"{LEFT_BY_A_TOLERANCE} {look.loose[row.case, where]:.0e} {where}" if where else ""
    return ", ".join(words for words in (look.character.precision, qualifier, left) if words)


def down_to(look: Look, row: Row, order: float, results: Sequence[Property], of: Of = max) -> list[Property]:
    """The orders that are known, with the error below which smaller steps do not lead, where single steps show one; and
    lower ones where single steps fall more slowly than runs with larger steps do."""
    small = orders_of_small_steps(look, row.case, order)
    lower = [r.value is not None and LEAST_ORDER < p < r.value - LOWER_BY for r, p in zip(results, small)]
    if any(lower):
        return [_lowered(r, p) if is_lower else r for r, p, is_lower in zip(results, small, lower)]
    plain = [r.verdict == "yes" and DOWN_TO not in r.qualifier for r in results]
    if not any(plain):
        return list(results)
    stays, jumps = hidden(look, row.case, order, SPAN, of), _by_jumps(look, row)
    floor = max(stays, jumps)
    shown = f"single steps of {LADDER[0]:g} to {LADDER[-1]:g} rad show what stays" if stays >= jumps else "jumps add up"
    return [_restricted(r, floor, shown) if is_plain and floor else r for is_plain, r in zip(plain, results)]


def _by_jumps(look: Look, row: Row) -> float:
    """The error that jumps in each step add up to, where it is to be told."""
    if not look.character.jump or look.character.single:
        return 0.0
    p = placed(CASES[row.case]())
    try:
        jump = look.character.jump if p.has_torque else jump_of(look, p)  # known from a body under a torque
    except Refused:
        return 0.0
    found = jump * SPAN / ASKED_STEP
    seen = np.nanmin(look.convergence[row.case]["errors"]) if row.case in look.convergence else np.inf
    return found if JUMPED_ERROR < found < seen else 0.0  # runs that came below it show that it is none


def _lowered(order: Property, p: float) -> Property:
    verdict = "yes" if abs(p - round(p)) < 2 * WHOLE_WITHIN else "undecided"
    how = f"{order.how}; single steps below those show the order {p:.2f}"
    return replace(order, value=p, verdict=verdict, how=how, bound=abs(p - round(p)), qualifier="")


def _restricted(order: Property, floor: float, shown: str) -> Property:
    qualifier = ", ".join(words for words in (order.qualifier, f"{DOWN_TO} {floor:.0e}") if words)
    return replace(order, qualifier=qualifier, how=f"{order.how}; {shown}")


def errors(run: Run, p: Problem, counts: Sequence[int] = COUNTS, span: float = SPAN) -> tuple[np.ndarray, np.ndarray]:
    """Steps, and the errors of Q and Omega at the end of the span, one row for each number of steps; NaN where there
    is no answer."""
    from polhode.reference.reference import reference

    exact = reference(p, p.t0 + span)
    size = float(np.linalg.norm(exact[1])) or 1.0
    found: list[list[Any]] = []
    for n in counts:
        try:
            with np.errstate(all="ignore"):
                Q, Omega = run(p, p.Q0, p.Omega0, span / n, n, p.t0)
            found.append([np.linalg.norm(Q - exact[0]), np.linalg.norm(Omega - exact[1]) / size])
        except Refused:
            found.append([np.nan, np.nan])
    return span / np.array(counts, dtype=float), np.array(found, dtype=float)


def _off_in_one(run: Run, p: Problem) -> tuple[float, float]:
    """The errors of Q and Omega in one step that is far larger: what is exact is so there, too."""
    from polhode.reference.reference import reference

    for radians in LARGE_RADIANS:
        h = radians / float(np.linalg.norm(p.Omega0))
        Q, Omega = reference(p, p.t0 + h)
        try:
            Q1, Omega1 = run(p, p.Q0, p.Omega0, h, 1, p.t0)
        except Refused:
            continue
        return float(np.abs(Q1 - Q).max()), float(np.abs(Omega1 - Omega).max())
    return float("inf"), float("inf")


def _is_inconsistent(run: Run, p: Problem, least: float) -> bool:
    """Whether a small step is off by as much of its turn as runs with large steps are, at least, of their own: what
    chooses its own steps is nearly right in a small one."""
    try:
        return _off_in(run, p, SMALL_STEP) * SPAN / SMALL_STEP > least / 3
    except Refused:
        return False


def _off_in(run: Run, p: Problem, h: float) -> float:
    """How far one step is from the motion, relative to the speed."""
    from polhode.reference.reference import reference

    Q, Omega = reference(p, p.t0 + h)
    Q1, Omega1 = run(p, p.Q0, p.Omega0, h, 1, p.t0)
    return max(float(np.abs(Q1 - Q).max()), float(np.abs(Omega1 - Omega).max() / np.linalg.norm(p.Omega0)))


def order(
    run: Run,
    p: Problem,
    words: str = "global error",
    round_off: float = ROUND_OFF,
    counts: Sequence[int] = COUNTS,
) -> tuple[list[Property], str, tuple[np.ndarray, np.ndarray]]:
    """The orders of Q and Omega as properties, and the notes "stalls" and "own steps"; steps and errors."""
    h, e = errors(run, p, counts)
    results, note = [], ""
    own = any(chooses(column, round_off) for column in e.T)
    if own and counts[0] > 1:  # a method of several steps begins with others, of which the errors must stay, too
        own = any(chooses(column, round_off) for column in errors(run, p, COUNTS[:4])[1].T)
    with_large_steps = e[:4][np.isfinite(e[:4])]
    is_inconsistent = len(with_large_steps) > 0 and _is_inconsistent(run, p, float(with_large_steps.min()))
    own = own and not is_inconsistent
    for which, column in enumerate(e.T):
        found = Exponent(None, words=OWN_STEPS) if own else exponent(h, column, round_off)
        large = _off_in_one(run, p)[which] if found.value == float("inf") else 0.0
        is_round_off = large > FLOOR_ROUND_OFFS * round_off
        if is_round_off:
            found = Exponent(None, floor=found.floor, words=f"round-off, but {large:.0e} in one step of some radians")
        how = f"{words} after a time of {SPAN:g}, h from {h[0]:.3g} to {h[-1]:.2g}, against an independent reference"
        if found.words:
            how += f"; {found.words}"
        if found.floor > FLOOR_ROUND_OFFS * round_off:
            alike = column[:4].max() < FLOORS_ABOVE * found.floor  # from the largest steps on
            is_own = found.value == 0 and found.floor < 1e-3 and alike and not is_inconsistent
            note = "own steps" if is_own else note or "stalls"
        verdict = "yes" if found.known else "undecided"
        if found.value is not None and found.value < 0.5 and found.error < 0.5 and not found.floor < 1e-3:
            verdict = "no"  # it does not converge
        bound = None if found.value is None or np.isinf(found.value) else found.error
        qualifiers = []
        if verdict == "yes" and bound is not None and found.value is not None and found.value > HIGH_ORDER:
            qualifiers, how = [IN_FLOATS], f"{how}; {UNSEEN}"
        if verdict == "yes" and found.floor > FLOOR_ROUND_OFFS * round_off:
            qualifiers.append(f"{DOWN_TO} {found.floor:.0e}")
        marks = frozenset({Mark.ROUND_OFF_ALONE} if is_round_off else ())
        qualifier = ", ".join(qualifiers)
        results.append(Property(found.value, WHOLE_WITHIN, verdict, how, bound=bound, qualifier=qualifier, marks=marks))
    return results, "own steps" if own else note, (h, e)
