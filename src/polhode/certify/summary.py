"""One sentence: what an integrator is good for, from what was measured."""

import math


def summary(name, properties):
    """What the method is good for."""
    kept = _kept(properties)
    order = _order(properties)
    words = [f"{name} is {order}"]
    words.append(f"; it {_joined(kept)}" if kept else "; it keeps nothing exactly")
    drift = properties.get("drift")
    if _says(properties, "symplectic_potential", "yes"):
        words.append(": made for long runs, its energy error stays bounded")
    elif drift is not None and drift.verdict == "yes":
        words.append(": for short runs, its energy drifts on the stress test")
    elif _says(properties, "symplectic_free", "yes") and "symplectic_potential" not in properties:
        words.append(": made for long runs of a free body")
    elif drift is not None and drift.verdict == "no":
        words.append(": no drift was seen, but nothing guarantees that for longer runs")
    return "".join(words) + "."


def _order(properties):
    values = [p.value for k, p in properties.items() if k.startswith("order_") and p.value is not None]
    if not values:
        return "of unknown order"
    if all(math.isinf(v) for v in values):
        return "exact"
    low = min(values)
    if low < 0.5:
        return f"not convergent (measured order {low:.2f})"
    free = [properties[k].value for k in ("order_free_Q", "order_free_Omega") if k in properties]
    text = f"of order {round(low)}"
    if free and min(free) > low + 0.5:
        best = min(free)
        text += " (exact for a free body)" if math.isinf(best) else f" ({round(best)} for a free body)"
    if _says(properties, "symmetric", "yes"):
        text += " and symmetric"
    return text


def _kept(properties):
    kept = []
    if _says(properties, "symplectic_potential", "yes"):
        kept.append("is symplectic")
    elif _says(properties, "symplectic_free", "yes"):
        kept.append("is symplectic for a free body only")
    elif _says(properties, "poisson_free", "yes"):
        kept.append("is a Poisson map of a free body's momentum")
    if _says(properties, "momentum_free", "yes"):
        kept.append("keeps the spatial momentum")
    if _says(properties, "energy_top", "yes"):
        kept.append("keeps the energy of a free body and of a heavy top")
    elif _says(properties, "energy_free", "yes"):
        kept.append("keeps the energy of a free body")
    if _says(properties, "on_group", "no"):
        kept.append("leaves the rotation group")
    return kept


def _joined(parts):
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _says(properties, key, verdict):
    return key in properties and properties[key].verdict == verdict
