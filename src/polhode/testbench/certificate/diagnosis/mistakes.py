"""What a pattern of failures points to: the usual mistakes, each by the trace it leaves.

Only what is wrong by any measure is named: Q that is no rotation, a motion that is not the body's, a torque that lowers
the order, an equation that is not solved. That a method is not symmetric or not symplectic is no mistake.
"""

from collections.abc import Mapping, Sequence

from polhode.integrators.properties import measured_by, title_of
from polhode.testbench.certificate.certificate import Property

MOST_NAMED = 3  # properties that a sentence names
SMALL_DEFECT = 1e-4  # a larger one is no matter of a tolerance


def diagnosis(properties: Mapping[str, Property], notes: Mapping[str, str]) -> tuple[str, ...]:
    """Sentences that name the likely mistakes; `notes` says of each defect whether it scales with h or stays."""
    sentences = []
    (group,) = measured_by("orthogonality", "potential")
    verdict = {key: p.verdict for key, p in properties.items()}
    free, potential, forced = (
        [
            properties[key].value if verdict.get(key, "undecided") != "undecided" else None
            for key in measured_by("order", case)
        ]
        for case in ("free", "potential", "forced")
    )
    loose = [title_of(k) for k, note in notes.items() if _is_loose(properties.get(k), note) and k != group]
    if verdict.get(group) == "no":
        sentences.append(
            "Q becomes a multiple of a rotation: a quaternion is not normalised."
            if notes.get("stretch") == "even"
            else "Q leaves the rotation group: the map from rotation vectors to rotations is not one (a wrong factor "
            "in the Cayley map, a truncated exponential), or the entries of Q are integrated as if they were free."
        )
    read = [READINGS[notes[clue]] for clue in ("turn", "rate") if notes.get(clue) in READINGS]
    if read:
        sentences += read
    elif not notes.get("memory"):  # else it is what it remembers
        sentences += _of_orders(properties, free, potential, forced)
    if loose and not any(_low(orders) for orders in (free, potential, forced)):
        sentences.append(
            f"A small defect hardly depends on h ({_few(loose)}): an implicit equation is solved too loosely "
            "(iterate to round-off, not to a tolerance), a constant has too few digits, or each step adds something of "
            "its own, as a damping does."
        )
    return tuple(sentences)


def _of_orders(
    properties: Mapping[str, Property],
    free: Sequence[float | None],
    potential: Sequence[float | None],
    forced: Sequence[float | None],
) -> list[str]:
    """What the orders of a free body, in a potential and under a torque in time point to: at most one sentence."""
    if _low(free):
        least = min(v for v in free if v is not None)
        return [
            f"Even the free body converges with order {least:.1f}: the kinematics or Euler's equations are "
            "inconsistent (a wrong factor in the rotation map, a wrong term)."
        ]
    if _low(potential) and _is_known(free):
        torque = "The free body converges and the body under a torque does not: look at where the torque enters."
        return [torque] if _converges(properties) else []
    if _low(forced) and _is_known(potential):
        return [
            "A torque that depends on time is not followed: the time at which it is evaluated is not that of the step."
        ]
    if _behind(forced, potential):
        return [
            "A torque in time lowers the order: it is evaluated at a wrong stage time (t for t + h, or for t + h/2)."
        ]
    return []


def taught(failure: str) -> str:
    """What to do about a first step that raised this, in a sentence, where that is known."""
    if failure.startswith("TypeError") and "argument" in failure:
        return (
            " A step is called as step(problem, Q, Omega, h, t), the advance of a BlackBox as advance(problem, Q, "
            "Omega, h, n, t)."
        )
    if failure.startswith("AttributeError") and "'Problem' object" in failure:
        return (
            " A step may use problem.tensor, problem.inertia, problem.torque(t, Q) and, if there is one, "
            "problem.potential(Q)."
        )
    return ""


READINGS = {
    "half": "In one step the momentum changes by half of what it should: the velocity of a half step is returned.",
    "torque in space axes": "The torque acts in the wrong frame: as Q tau, where tau in body axes is needed.",
    "torque as if in space axes": "The torque acts in the wrong frame: as Q^T tau, as if it were given in space axes.",
    "torque of the other sign": "The torque acts with the wrong sign.",
    "half the torque": "Only half of the torque acts: one of two half kicks is lost.",
    "twice the torque": "The torque acts twice: a half kick is a whole one.",
    "no torque": "In a step the torque adds nothing to the momentum: it does not act, or its half kicks cancel.",
    "Omega x J Omega of the other sign": "The term J Omega x Omega of Euler's equations has the wrong sign.",
    "no Omega x J Omega": "The term J Omega x Omega of Euler's equations is missing.",
    "Omega in space axes": "The attitude is turned on the wrong side: by Omega as if it were in space axes.",
    "Omega of the other sign": "The attitude is turned the wrong way round.",
    "half of Omega": "The attitude is turned by half of what it should be.",
    "twice Omega": "The attitude is turned by twice what it should be.",
    "no Omega": "The attitude is not turned.",
    "Q transposed": "The attitude is returned as its transpose: Q must map body to space.",
    "velocity in space axes": "The velocity is returned in space axes, as Q Omega; it must be in body axes.",
}
"""By what the kinematics or Euler's equations seem to read, the mistake."""


def _few(titles: Sequence[str]) -> str:
    """The first titles, and how many more there are."""
    more = len(titles) - MOST_NAMED
    return "; ".join(titles[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")


def _is_loose(defect: Property | None, note: str) -> bool:
    """Whether a defect, or an error, stays where h falls, and is small."""
    return note == "stalls" or (note == "stays" and not (defect and defect.value and defect.value > SMALL_DEFECT))


def _low(orders: Sequence[float | None]) -> bool:
    return any(v is not None and v <= 0.5 for v in orders)


def _converges(properties: Mapping[str, Property]) -> bool:
    """Whether nothing of the error of a free body stays."""
    return not any(properties[key].down_to is not None for key in measured_by("order", "free") if key in properties)


def _is_known(orders: Sequence[float | None]) -> bool:
    return any(v is not None for v in orders)


def _behind(orders: Sequence[float | None], others: Sequence[float | None]) -> bool:
    return any(a is not None and b is not None and a < b - 0.5 for a, b in zip(orders, others))
