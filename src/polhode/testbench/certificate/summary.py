"""One sentence: what an integrator is good for, from what was measured."""

import math
from collections.abc import Mapping, Sequence

from polhode.integrators.properties import BY_KEY, NUMBER, ORDER, OUTLOOKS, PROPERTIES
from polhode.testbench.certificate.certificate import Property

LEAST_ORDER = 0.5  # a lower one is none


def summary(name: str, properties: Mapping[str, Property]) -> str:
    """What the method is good for."""
    kept = _kept(properties)
    order = _order(properties)
    words = [f"{name} is {order}"]
    verdicts = [p.verdict for k, p in properties.items() if BY_KEY[k].kind != ORDER]
    mostly_no = verdicts.count("no") >= verdicts.count("undecided")
    nothing = "it keeps nothing exactly" if mostly_no else "what it keeps is undecided"
    words.append(f"; it {_joined(kept)}" if kept else f"; {nothing}")
    for outlook in OUTLOOKS:
        if outlook.needs_order and not _converges(properties):
            continue
        if _says(properties, outlook.key, outlook.verdict) and outlook.unless not in properties:
            words.append(f": {outlook.words}")
            break
    restricted = _restricted(properties)
    words.append(f" ({'; '.join(restricted)})" if restricted else "")
    return "".join(words) + "."


def _converges(properties: Mapping[str, Property]) -> bool:
    """Whether no order is known to be none."""
    return all(p.value is None or p.value > LEAST_ORDER for k, p in properties.items() if BY_KEY[k].kind == ORDER)


def _restricted(properties: Mapping[str, Property]) -> list[str]:
    """What restricts verdicts, each with the first property that it restricts and how many more."""
    keys = [key for key, p in properties.items() if p.qualifier and BY_KEY[key].kind != NUMBER]
    told = []
    for qualifier in dict.fromkeys(properties[key].qualifier for key in keys):
        first, *more = (BY_KEY[key].title for key in keys if properties[key].qualifier == qualifier)
        told.append(f"{qualifier}: {first}" + (f", and {len(more)} more" if more else ""))
    return told


def _order(properties: Mapping[str, Property]) -> str:
    orders = {k: p.value for k, p in properties.items() if BY_KEY[k].kind == ORDER and p.value is not None}
    values = list(orders.values())
    if not values:
        return "of unknown order"
    if all(math.isinf(v) for v in values):
        return "exact"
    low = min(values)
    if low < LEAST_ORDER:
        return f"not convergent (measured order {low:.2f})"
    free = [value for key, value in orders.items() if BY_KEY[key].case == "free"]
    text = f"of order {round(low)}"
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
