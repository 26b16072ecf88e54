"""What restricts an order that was measured: an error below which smaller steps do not lead, a lower power of h beside
it, and how much of one would not show."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polhode.integrators.properties import Row
from polhode.testbench.certificate.certificate import DOWN_TO, IN_FLOATS, LEFT_BY_A_TOLERANCE, Mark, Property
from polhode.testbench.certificate.orders.beside_the_motion import Of
from polhode.testbench.certificate.orders.exponents import WHOLE_WITHIN
from polhode.testbench.certificate.orders.falling import ROUND_OFF
from polhode.testbench.certificate.orders.floor import LADDER, hidden
from polhode.testbench.certificate.orders.lower import LEAST_ORDER
from polhode.testbench.certificate.orders.powers import orders_of_small_steps, tells_nothing, unseen
from polhode.testbench.certificate.orders.runs import HIGH_ORDER, SPAN
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.questions import ASKED_STEP, jump_of
from polhode.testbench.certificate.states.cases import CASES, placed

JUMPED_ERROR = 1e-9  # from which on an error that jumps add up to is told
LOWER_BY = 0.6  # by which single small steps must be of lower order to count
UNSEEN_IN_RUNS = "a lower power of h with an error below that of these runs may not show"


def restricted(
    look: Look, row: Row, order: float, results: Sequence[Property], coverage: str, of: Of = max
) -> list[Property]:
    """The orders with all that restricts them, or that of Q or Omega alone. Single steps tell nothing of what an
    integrator that remembers does after many."""
    told = results if look.character.memory else down_to(look, row, order, results, of)
    return [replace(r, coverage=coverage, qualifier=_qualified(look, row, r.qualifier)) for r in told]


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
    plain = [r.verdict == "yes" and r.down_to is None for r in results]
    if not any(plain):
        return list(results)
    stays, jumps = hidden(look, row.case, order, SPAN, of), _by_jumps(look, row)
    floor = min(max(stays, jumps), _least_error(look, row, of))  # the runs came down to there
    shown = f"single steps of {LADDER[0]:g} to {LADDER[-1]:g} rad show what stays" if stays >= jumps else "jumps add up"
    return [_restricted(r, floor, shown) if is_plain and floor else r for is_plain, r in zip(plain, results)]


def with_what_would_not_show(look: Look, row: Row, results: Sequence[Property]) -> list[Property]:
    """The orders that are known, with the size that a lower power of h may have beside each, in words."""
    return [
        replace(r, how=f"{r.how}; {_not_shown(look, row, r.value or 0.0, which)}") if _may_hide(r) else r
        for which, r in enumerate(results)
    ]


def _may_hide(order: Property) -> bool:
    """Whether a lower power of h may be there beside an order that is known by the runs."""
    is_finite = order.value is not None and 1 + LEAST_ORDER < order.value < np.inf
    is_of_runs = not order.marks & {Mark.LOWER_ELSEWHERE, Mark.BY_SINGLE_STEPS} and order.down_to is None
    return order.verdict == "yes" and is_finite and is_of_runs


def _not_shown(look: Look, row: Row, order: float, which: int) -> str:
    """How large the error of a run with a lower power of h may be without being seen beside that of the order."""
    picture = look.convergence.get(row.case)
    if picture is None or look.character.memory:
        return UNSEEN_IN_RUNS
    round_off = np.inf if tells_nothing(look, row.case) else ROUND_OFF
    found = unseen(np.array(picture["h"]), np.array(picture["errors"])[:, which], order, SPAN, round_off)
    if not found:
        return UNSEEN_IN_RUNS
    few = {q: found[q] for q in (min(found), max(found))}
    errors = " or ".join(f"{size:.0e} h{f'^{q}' if q > 1 else ''}" for q, size in few.items())
    return f"in floats an error of less than {errors} may not show beside it"


def _least_error(look: Look, row: Row, of: Of) -> float:
    """The smallest error of the runs, of Q and Omega the larger or the one that is asked for."""
    if row.case not in look.convergence:
        return np.inf
    errors = [of((Q, Omega)) for Q, Omega in look.convergence[row.case]["errors"]]
    return float(np.nanmin(errors))


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
    words = IN_FLOATS if verdict == "yes" and p > HIGH_ORDER else ""
    lower = replace(order, value=p, verdict=verdict, how=how, bound=abs(p - round(p)), qualifier=words, down_to=None)
    return replace(lower, marks=order.marks | {Mark.BY_SINGLE_STEPS})


def _restricted(order: Property, floor: float, shown: str) -> Property:
    qualifier = ", ".join(words for words in (order.qualifier, f"{DOWN_TO} {floor:.0e}") if words)
    return replace(order, qualifier=qualifier, down_to=floor, how=f"{order.how}; {shown}")
