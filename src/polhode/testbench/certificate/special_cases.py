"""What is true in every potential is true without one, and at all times also for a torque that does not change.

A verdict on the general case that is better than that on its special case was had where a mistake does not show: it is
undecided then.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from polhode.integrators.properties import BY_KEY, ORDER, PROPERTIES
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.orders.lower import LEAST_ORDER

BETTER_BY = 0.6  # by which one order is higher than another

GENERAL = {"free": ("potential", "forced"), "potential": ("forced",)}
"""By a case, those of which it is a special case: no torque is one, and one that does not change is one in time."""


def _pairs() -> Iterator[tuple[str, str]]:
    """The keys of a special and of a general case of the same property."""
    for row in PROPERTIES:
        if row.kind == ORDER or row.measure == "symplecticity":
            general = [row.key.replace(row.case, case) for case in GENERAL.get(row.case, ())]
            moved = [key.replace("_Q", "_Omega") for key in general]  # a torque feels the attitude that it acts at
            yield from ((row.key, key) for key in dict.fromkeys((*general, *moved)) if key in BY_KEY)


def consistent(properties: Mapping[str, Property]) -> dict[str, Property]:
    """The properties, where the general case is undecided if it came out better than a special one."""
    found = dict(properties)
    for special, general in _pairs():
        if special in found and general in found and _is_better(found[general], found[special], BY_KEY[general].kind):
            why = f"{found[general].how}; but not so in its special case, {BY_KEY[special].title}"
            found[general] = replace(found[general], verdict="undecided", how=why)
    return found


def _is_better(general: Property, special: Property, kind: str) -> bool:
    if general.verdict != "yes":
        return False
    if special.verdict == "undecided" and kind != ORDER:  # the same steps are lost, and only seen here by chance
        return Mark.LOSES_STEPS in special.marks and bool(general.qualifier)
    if special.verdict == "undecided":  # of order 1 or none at some state, and it is not known which
        is_low = kind == ORDER and special.value is None and Mark.LOWER_ELSEWHERE in special.marks
        return is_low and general.value is not None and general.value > 1 + BETTER_BY
    if kind != ORDER:
        return special.verdict == "no"
    if general.value is None or special.value is None:
        return False
    if special.value < LEAST_ORDER and general.down_to is not None:
        return False  # neither converges
    return general.value > special.value + BETTER_BY
