"""Doubts: what is known of an integrator as a whole, and takes a verdict on one property back.

Each property is measured alone. A yes that was measured well is none where the integrator has changed meanwhile, where
it is wrong at a state like any other, where large steps were left out and may be the reason, or where derivatives are
too coarse for the defects that others show. The doubts are a list: the first that applies is told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polhode.integrators.properties import BY_KEY, ORDER, YES_OR_NO, Row
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import AT_RANDOM
from polhode.testbench.certificate.structure.tiny_steps import WITH_TINY_STEPS

WHATEVER_THE_STEPS = ("orthogonality", "torque evaluations")  # measures that no tolerance makes true
WHATEVER_IT_IS = ("torque evaluations", "iterations", "largest step")  # measures that no noise or memory makes another
STAYS = 1e-5  # error that neither a tolerance nor a constant with few digits leaves


@dataclass(frozen=True)
class Known:
    """What is known beside a yes."""

    look: Look
    row: Row
    p: Property
    is_of_high_order: bool  # with runs that show round-off alone
    has_small_defects: bool  # that hardly fall with h, in other properties

    @property
    def is_of_steps(self) -> bool:
        """Whether it is a yes or no that other steps might make another."""
        return self.row.kind == YES_OR_NO and self.row.measure not in WHATEVER_THE_STEPS

    @property
    def wrong_places(self) -> list[str]:
        """Words of the states where it is known to be wrong, of a problem that this property has to do with."""
        return [words for case, words in self.look.differs if case == "free" or self.row.case != "free"]


def _has_changed(known: Known) -> str:
    look = known.look
    if look.changed:
        return "; but it has changed while it was measured"
    return f"; but at the end it {look.stopped}" if look.stopped else ""


def _is_of_an_unknown_kind(known: Known) -> str:
    missing = known.look.character.missing
    return f"; but {missing}" if missing and known.row.measure not in WHATEVER_IT_IS else ""


def _is_so_for_any_of_high_order(known: Known) -> str:
    return ", as for any method of high order" if known.is_of_steps and known.is_of_high_order else ""


def _is_wrong_at_random(known: Known) -> str:
    where = next((words for words in known.wrong_places if words.startswith(AT_RANDOM)), "")
    return f"; but it is wrong {where}, and where else is not known" if where and known.row.kind == YES_OR_NO else ""


def _is_too_coarse(known: Known) -> str:
    has_others = known.has_small_defects or WITH_TINY_STEPS in known.look.odd_words
    is_coarse = Mark.BY_DIFFERENCES in known.p.marks and has_others
    return "; but other properties have small defects, which differences do not show" if is_coarse else ""


def _is_another_formula(known: Known) -> str:
    switches = known.look.switches
    return f"; but it is another formula {switches}" if switches and known.is_of_steps else ""


def _has_lost_steps(known: Known) -> str:
    ended = known.look.ended.get(known.row.key)
    return f"; but it was not seen {ended}, and it is wrong elsewhere" if ended and known.wrong_places else ""


DOUBTS: tuple[Callable[[Known], str], ...] = (
    _has_changed,
    _is_of_an_unknown_kind,
    _is_so_for_any_of_high_order,
    _is_wrong_at_random,
    _is_too_coarse,
    _is_another_formula,
    _has_lost_steps,
)
"""Of a yes, each in words that follow how a property was measured, or none."""

DOUBTS_OF_A_NO = (_is_of_an_unknown_kind,)
"""The same of a no."""


def doubted(look: Look, found: Mapping[str, Property], notes: Mapping[str, str]) -> dict[str, Property]:
    """The properties, of which those are undecided that are in doubt."""
    is_double = look.character.floor == 1
    stays = is_double and any(notes.get(key) == "stays" and p.verdict == "no" for key, p in found.items())
    high = any(Mark.ROUND_OFF_ALONE in p.marks for p in found.values())
    return {key: _doubted(Known(look, BY_KEY[key], p, high, stays)) for key, p in found.items()}


def _doubted(known: Known) -> Property:
    return _taken_back(known, DOUBTS if known.p.verdict == "yes" else DOUBTS_OF_A_NO)


def _taken_back(known: Known, doubts: Sequence[Callable[[Known], str]]) -> Property:
    """The property, undecided if one of these applies."""
    if known.p.verdict == "undecided":
        return known.p
    why = next(filter(None, (doubt(known) for doubt in doubts)), "")
    return replace(known.p, verdict="undecided", how=f"{known.p.how}{why}") if why else known.p


def of_known_kind(look: Look, properties: Mapping[str, Property]) -> dict[str, Property]:
    """The properties, undecided where it is not known what kind of integrator they are of: with noise, memory or single
    precision the same numbers say something else."""
    known = {key: Known(look, BY_KEY[key], p, False, False) for key, p in properties.items()}
    return {key: _taken_back(one, DOUBTS_OF_A_NO) for key, one in known.items()}


def falls(row: Row, p: Property) -> bool:
    """Whether it is an error that falls with h as that of fixed steps does."""
    return row.kind == ORDER and p.verdict == "yes" and p.value is not None and bool(np.isfinite(p.value))


def does_not_converge(look: Look, row: Row, p: Property) -> Property:
    """An order of which the error stays, by far more than a tolerance or a constant with few digits would leave, where
    it is not that of steps of its own."""
    if row.kind != ORDER or p.verdict != "undecided" or p.value != 0.0:
        return p
    stays = np.nanmin(look.convergence[row.case]["errors"]) > STAYS
    return replace(p, verdict="no") if stays else p


def of_a_tolerance(row: Row, p: Property) -> Property:
    """What a tolerance makes true to round-off is no property of the method."""
    if row.kind == ORDER and p.verdict != "undecided":
        return Property(None, p.threshold, "undecided", f"{p.how}: it chooses its own steps")
    if p.verdict == "yes" and row.measure not in WHATEVER_THE_STEPS:
        return Property(p.value, p.threshold, "undecided", f"{p.how}, but by its tolerance")
    return p
