"""Orders from outside: those of runs, what single steps at other states show of them, and what restricts them.

The exponent of the errors of runs is looked at first; a floor that is not round-off is looked for with single steps
where runs do not reach it. Then one step is compared with the motion at every state of the battery: what does not
converge there is of no order, whatever it does elsewhere.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polhode.integrators.properties import Row
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.orders.beside_the_motion import ATTITUDE, OMEGA, Of
from polhode.testbench.certificate.orders.elsewhere import elsewhere
from polhode.testbench.certificate.orders.exponents import ROUND_OFF, WHOLE_WITHIN
from polhode.testbench.certificate.orders.lower import FEWEST_STATES, LEAST_ORDER, Elsewhere, lowered
from polhode.testbench.certificate.orders.restricted import restricted, with_what_would_not_show
from polhode.testbench.certificate.orders.runs import COUNTS, off_in, order
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.pace import would_decide
from polhode.testbench.certificate.states.cases import CASES, placed

BOX_TIME = 1.7  # at which runs of a black box begin, whose own loop may take every time for zero
EVEN_COUNTS = (*(n for n in COUNTS if n % 2 == 0), 128, 180, 256, 360, 512)
"""For what remembers: no single steps show what stays of its error."""
FINER_COUNTS = (180, 360, 720, 1440)  # where errors stay, though small steps are right
SETTLED_STEPS, SETTLED_FACTOR = (1e-3, 1e-4), 3.0  # by which the error of a small step, over the step, falls at least
SHARE_OF_RUNS = 0.6  # part of the time that is for runs; the rest is for single steps
FEWEST_STEPS = 16  # of the finest run, without which there is no order
HIGHEST_ORDER = 8.0  # that single steps are asked for, which stands for an exact method, too


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
        results, note = finer[:2] if finer else (_still_open(look, results), note)
    look.convergence[row.case] = dict(zip(("h", "errors"), (picture[0].tolist(), picture[1].tolist())))
    if look.character.memory:
        odd, *_ = order(look.run, p, f"{words}, odd numbers of steps,", round_off, [n + 1 for n in counts])
        results = [min(pair, key=_value) for pair in zip(results, odd)]
    if note != "own steps":
        results = with_what_would_not_show(look, row, _at_all_states(look, row, results))
    return results, note


def _at_all_states(look: Look, row: Row, results: Sequence[Property]) -> list[Property]:
    """The orders of Q and of Omega at all states. What does not converge at a generic state can do no worse at others,
    but of Q and Omega one may converge there while the other does not."""
    known = [which for which, r in enumerate(results) if r.value is not None]
    right = [which for which in known if _number(results[which]) >= LEAST_ORDER]
    if right and len(right) < len(known):
        (which,) = right
        told = _elsewhere(look, row, results, (ATTITUDE, OMEGA)[which], _number(results[which]))
        return [told[k] if k == which else r for k, r in enumerate(results)]
    if not right:
        return list(results)
    return _elsewhere(look, row, results, max, min(_number(results[which]) for which in right))


def _elsewhere(look: Look, row: Row, results: Sequence[Property], of: Of, least: float) -> list[Property]:
    """The orders as other states show them, with all that restricts them; those of Q and Omega together, or that of
    which is asked."""
    other = elsewhere(look, row.case, min(least, HIGHEST_ORDER), of)
    coverage = other.coverage(len(states(row.case)))
    if other.is_seen_too_little:
        return [replace(r, coverage=coverage) for r in _seen_too_little(look, results, other)]
    if not other.where:
        return restricted(look, row, least, results, coverage, of)
    lower = [lowered(r, other, WHOLE_WITHIN, coverage) for r in results]
    if of is max and row.case == "free" and results[1].value is not None:  # a free velocity knows no attitude
        again = elsewhere(look, row.case, min(_number(results[1]), HIGHEST_ORDER), OMEGA)
        if not again.where:
            right = restricted(look, row, least, results, coverage, OMEGA)[1]
            why = "undecided" if again.seen < other.seen else right.verdict  # there was no time for all states
            lower[1] = replace(right, verdict=why)
    return lower


def _seen_too_little(look: Look, results: Sequence[Property], other: Elsewhere) -> list[Property]:
    """Orders that are undecided, since too few states were seen: for want of time, or since others were refused."""
    if other.seen + len(other.refused) < FEWEST_STATES:
        return _untold(look, results, sum(COUNTS))
    why = f"seen at {other.seen} states alone: {other.refused[0]}"
    return [_undecided(r, why) for r in results]


def _number(order: Property) -> float:
    assert order.value is not None  # it is one that is known
    return order.value


def _untold(look: Look, results: Sequence[Property], steps: int) -> list[Property]:
    """Orders that so many more steps would decide."""
    missing = would_decide(look.pace.cost.single * steps)
    return [_undecided(r, missing) for r in results]


def _still_open(look: Look, results: Sequence[Property]) -> list[Property]:
    """Orders that finer runs would decide; of errors that stay so far, none is known."""
    untold = _untold(look, results, sum(FINER_COUNTS))
    return [replace(r, value=None) if r.value is not None and r.value < LEAST_ORDER else r for r in untold]


def _undecided(order: Property, why: str) -> Property:
    return replace(order, verdict="undecided", how=f"{order.how}; {why}", bound=None, qualifier="", down_to=None)


def _is_open(look: Look, p: Problem, results: Sequence[Property], note: str) -> bool:
    """Whether runs stop converging where small steps are right: still smaller ones may be of another formula."""
    stays = note == "stalls" or any(r.value is not None and r.value < LEAST_ORDER for r in results)
    if not stays or look.character.memory or look.character.floor > 1:
        return False
    try:
        rate, next_ = (off_in(look.run, p, h) / h for h in SETTLED_STEPS)
    except Refused:
        return False
    return next_ < rate / SETTLED_FACTOR


def _value(order: Property) -> float:
    """To choose the lower of two: what is not known is as low as can be, and of equal ones the first is taken."""
    return -1.0 if order.value is None else float(round(order.value)) if np.isfinite(order.value) else order.value
