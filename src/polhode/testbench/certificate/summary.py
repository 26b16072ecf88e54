"""One sentence: what an integrator is good for, from what was measured."""

import math
from collections.abc import Mapping, Sequence

from polhode.integrators.properties import (
    BY_KEY,
    CONSERVED,
    NUMBER,
    ORDER,
    OUTLOOKS,
    PROPERTIES,
    STRUCTURE,
    measured_by,
)
from polhode.testbench.certificate.certificate import Property

LEAST_ORDER = 0.5  # a lower one is none


def summary(name: str, properties: Mapping[str, Property]) -> str:
    """What the method is good for; then what restricts that, and what of its main properties is undecided."""
    words = [f"{name} is {_order(properties)}{_and_stays(properties)}; {_conserved(properties)}"]
    for outlook in OUTLOOKS:
        if outlook.needs_order and not _converges(properties):
            continue
        if _says(properties, outlook.key, outlook.verdict) and outlook.unless not in properties:
            words.append(outlook.words)
            break
    words.append(".")
    if restricted := _restricted(properties):
        words.append(f" Restrictions: {'; '.join(restricted)}.")
    if undecided := _undecided(properties):
        words.append(f" Undecided: {', '.join(undecided)}.")
    return "".join(words)


def _conserved(properties: Mapping[str, Property]) -> str:
    """What is kept, or that nothing is, with what is known not to be."""
    if kept := _kept(properties):
        return f"it {_joined(kept)}"
    lost = [word for word in CONSERVED if _is_lost(properties, word)]
    if len(lost) > 1:
        return f"it conserves neither {' nor '.join(lost)}"
    verdicts = [p.verdict for k, p in properties.items() if BY_KEY[k].kind != ORDER]
    if verdicts.count("no") >= verdicts.count("undecided"):
        return f"it does not conserve {lost[0]}" if lost else "nothing is known to be conserved"
    return "what it keeps is undecided"


def _is_lost(properties: Mapping[str, Property], word: str) -> bool:
    """Whether all that the word means was measured, and is not kept."""
    verdicts = [properties[row.key].verdict for row in PROPERTIES if row.keep == word and row.key in properties]
    return bool(verdicts) and set(verdicts) == {"no"}


def _and_stays(properties: Mapping[str, Property]) -> str:
    """That it stays on SO(3), where nothing else is kept that would be worth more."""
    (key,) = measured_by("orthogonality", "potential")
    if _kept(properties) or not _says(properties, key, "yes"):
        return ""
    return f"{', and' if ' and ' in _order(properties) else ' and'} {BY_KEY[key].title}"


def _undecided(properties: Mapping[str, Property]) -> list[str]:
    """The main properties that are undecided, unless all are: orders, symmetry, symplecticity, in short words."""
    main = [row for row in PROPERTIES if row.key in properties and (row.kind == ORDER or row.keep in STRUCTURE)]
    open_ = [row for row in main if _says(properties, row.key, "undecided")]
    if len(open_) == len(main):
        return []
    cases: dict[str, list[str]] = {}
    for row in open_:
        what, _, case = row.title.partition(", ")
        what = row.measure if row.kind == ORDER else what
        if case not in cases.setdefault(what, []):
            cases[what].append(case)
    return [f"{what} ({', '.join(told)})" if any(told) else what for what, told in cases.items()]


def _converges(properties: Mapping[str, Property]) -> bool:
    """Whether no order is known to be none."""
    return all(p.value is None or p.value > LEAST_ORDER for k, p in properties.items() if BY_KEY[k].kind == ORDER)


def _restricted(properties: Mapping[str, Property]) -> list[str]:
    """What restricts verdicts, each with the first property that it restricts and how many more."""
    keys = [key for key, p in properties.items() if p.qualifier and BY_KEY[key].kind != NUMBER]
    told = []
    for qualifier in dict.fromkeys(properties[key].qualifier for key in keys):
        first, *more = (BY_KEY[key].title for key in keys if properties[key].qualifier == qualifier)
        told.append(f"{qualifier} ({first}" + (f", and {len(more)} more)" if more else ")"))
    return told


def _order(properties: Mapping[str, Property]) -> str:
    all_of_them = {k: p for k, p in properties.items() if BY_KEY[k].kind == ORDER}
    orders = {k: p.value for k, p in all_of_them.items() if p.value is not None and p.verdict != "undecided"}
    values = list(orders.values())
    if not values:
        return "of unknown order"
    if all(math.isinf(v) for v in values):
        return "exact"
    low = min(values)
    if low < LEAST_ORDER:
        return f"not convergent (measured order {low:.2f})"
    free = [value for key, value in orders.items() if BY_KEY[key].case == "free"]
    where_known = " where that is known" if len(orders) < len(all_of_them) / 2 else ""
    text = f"of order {round(low)}{where_known}"
    if free and min(free) > low + 0.5:
        best = min(free)
        text += " (exact for a free body)" if math.isinf(best) else f" ({round(best)} for a free body)"
    adjectives = [row.adjective for row in PROPERTIES if row.adjective and _says(properties, row.key, "yes")]
    return _joined([text, *adjectives])


def _kept(properties: Mapping[str, Property]) -> list[str]:
    """What the table of properties has to say of the verdicts, without what others cover."""
    covered = {key for row in PROPERTIES if _says(properties, row.key, "yes") for key in row.covers}
    kept = []
    for row in PROPERTIES:
        if row.if_yes and _says(properties, row.key, "yes") and row.key not in covered:
            kept.append(row.if_yes)
        if row.if_no and _says(properties, row.key, "no"):
            kept.append(row.if_no)
    return kept


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _says(properties: Mapping[str, Property], key: str, verdict: str) -> bool:
    return key in properties and properties[key].verdict == verdict
