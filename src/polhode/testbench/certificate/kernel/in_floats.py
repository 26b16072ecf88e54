"""A kernel in floats, beside what many digits show: larger steps, and the states of the survey.

Many digits take long, so they are for a generic state and some others, with steps up to 0.85 radians. Floats are fast:
there a kernel is looked at as any function is, with steps up to 1.9 radians and at many more states. What they show is
taken where it is no round-off and no solver at its limit; at a state of the survey many digits must confirm it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from polhode.integrators.method import Method
from polhode.integrators.properties import Row
from polhode.runs.solve import solve
from polhode.testbench.certificate.certificate import IN_FLOATS, Mark, Property
from polhode.testbench.certificate.orders.beside_the_motion import OMEGA
from polhode.testbench.certificate.orders.elsewhere import elsewhere
from polhode.testbench.certificate.orders.from_outside import orders
from polhode.testbench.certificate.orders.lower import lowered
from polhode.testbench.certificate.orders.restricted import down_to
from polhode.testbench.certificate.orders.runs import errors
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State
from polhode.testbench.certificate.states.cases import case_of, placed
from polhode.testbench.certificate.structure.visits import SURVEYED_RADIANS, edges

LONGEST_SECONDS = 60.0  # seconds of one measurement, after which it is ended; the first of them compile
ALL_SECONDS = 240.0  # seconds of all measurements together, compiling included, if no more are given
LEAST_SECONDS = 2.0  # seconds that a measurement has in any case
PLAIN_DEFECT = 1e-7  # a defect in floats that is neither round-off nor that of differences


def patience(look: Look) -> float:
    """The seconds after which a measurement of a kernel is ended."""
    left = ALL_SECONDS * look.pace.generosity - look.pace.own.seconds
    return max(LEAST_SECONDS, min(LONGEST_SECONDS, left))


def in_floats(
    look: Look,
    method: Method,
    row: Row,
    values: Sequence[Property],
    stays_at: Callable[[State, float], bool],
) -> Sequence[Property]:
    """The verdict, or what is seen in floats where larger steps than those with many digits are of another formula, or
    another state has a defect that stays with many digits.

    A method that solves nothing has no solver at its limit: if its defect is seen beyond some step only, the yes ends
    there, and a defect that is plain is its own. So is one over several steps of a method that remembers.
    """
    if values[0].verdict != "yes" or method.extended:  # one whose memory belongs to the state is more than Q and Omega
        return values
    look.pace.begin_alone()
    seen, why = guarded(lambda: outside.MEASURES[row.measure](look, row)[0], patience(look))
    if why or look.switches:
        return values if why else seen
    if seen[0].verdict == "no" and seen[0].value is not None and seen[0].value > PLAIN_DEFECT:
        there = (*look.states(row.case), *edges(look, row))
        surveyed = [s for s in there if s.is_surveyed and s.words == seen[0].seen_at]
        confirmed = any(stays_at(s, x) for s in surveyed for x in s.radians or SURVEYED_RADIANS[:1])
        if confirmed or (not surveyed and (look.character.memory or not _solves(look, method, row))):
            return seen
    if row.key not in look.ended or seen[0].verdict == "no" or _solves(look, method, row):
        return values
    if seen[0].verdict == "undecided" and not look.character.memory:  # no solver explains what is seen beyond
        return seen
    return [replace(values[0], qualifier=seen[0].qualifier, coverage=seen[0].coverage)]


def _solves(look: Look, method: Method, row: Row) -> bool:
    """Whether a step iterates, as one that gives no answer may."""
    p = case_of(row, method)
    assert p is not None  # the property was measured on it
    run, why = guarded(partial(solve, p, method, h=0.125, n_steps=1, on_failure="return"), patience(look))
    return bool(why or run.stats["n_iterations"])


def orders_in_floats(look: Look, method: Method, row: Row, values: Sequence[Property]) -> Sequence[Property]:
    """Orders, lower where one step at another state converges more slowly; in floats if 60 digits show none."""
    look.pace.begin_alone()
    if look.character.memory:  # single steps tell nothing of what it does after many
        values = [replace(p, verdict="undecided") if _is_by_single_steps(p) else p for p in values]
    is_from_outside = Mark.FROM_OUTSIDE in values[0].marks
    none = all(p.verdict == "undecided" or (p.value is not None and p.value < 0.5) for p in values)
    if none and not is_from_outside:
        seen, why = guarded(lambda: orders(look, row)[0], patience(look))
        if not why and all(p.value is not None and p.value > 0.5 for p in seen):
            stops = f"{IN_FLOATS} (at 60 digits the error stops falling)"
            words = [p.qualifier.removeprefix(IN_FLOATS).removeprefix(", ") for p in seen]
            qualifiers = [f"{stops}, {other}" if other else stops for other in words]
            return [replace(p, qualifier=words) for p, words in zip(seen, qualifiers)]
        if not why and any(p.verdict == "no" for p in seen):  # it does not converge at some state
            return seen
        return [replace(p, verdict="no" if p.verdict == "yes" else p.verdict) for p in values]
    if method.free_only or none or is_from_outside:
        return values
    p = case_of(row, method)
    assert p is not None  # the orders were measured on it
    picture, why = guarded(partial(errors, look.run, placed(p)), patience(look))
    if not why:
        look.convergence[row.case] = {"h": picture[0].tolist(), "errors": picture[1].tolist()}
    least = min((p.value for p in values if p.value is not None), default=0.0)
    other, why = guarded(lambda: elsewhere(look, row.case, min(least, 8.0)), patience(look))
    if why:
        return values
    coverage = f"a generic state at 60 digits, {other.looked_at} at {other.seen} states in floats" + (
        f"; {other.refused[0]}" if other.refused else ""
    )
    if other.where:
        lower = [lowered(p, other, 0.05, coverage) for p in values]
        if row.case == "free" and values[1].value is not None:  # a free velocity knows no attitude
            Omega = min(values[1].value, 8.0)
            again, why = guarded(lambda: elsewhere(look, row.case, Omega, OMEGA), patience(look))
            if not why and not again.where and again.seen >= other.seen:
                lower[1] = replace(values[1], coverage=coverage)
        return lower
    covered = [replace(p, coverage=coverage) for p in values]
    if look.character.memory:
        return covered
    floored, why = guarded(partial(down_to, look, row, least, covered), patience(look))
    return [replace(p, coverage=f"{p.coverage}; small steps in floats: it {why}") for p in covered] if why else floored


def _is_by_single_steps(order: Property) -> bool:
    return Mark.BY_SINGLE_STEPS in order.marks or order.down_to is not None
