"""Orders of runs: global errors against a reference, and the exponent with which they fall.

The exponent is that of the finest errors which are above the floor, with an error bar; a floor that is not round-off is
reported. "Exact" is what is exact at the largest step.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import DOWN_TO, IN_FLOATS, Mark, Property
from polhode.testbench.certificate.orders.exponents import (
    FLOOR_ROUND_OFFS,
    FLOORS_ABOVE,
    ROUND_OFF,
    WHOLE_WITHIN,
    Exponent,
    chooses,
    exponent,
)
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.states.cases import Run

SPAN = 2.0
COUNTS = (1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90)  # numbers of steps for the span
SMALL_STEP = 1e-3  # in which what chooses its own steps, and what is not consistent, are told from each other
HIGH_ORDER = 2.5  # above which an order is told as one in floats: much of a lower power of h may be hidden
OWN_STEPS = "does not depend on the largest steps: it chooses its own"
LARGE_RADIANS = (5.0, 4.0, 3.0, 2.2)  # radians in one step, the first that runs: an exact method is exact there, too


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
        return off_in(run, p, SMALL_STEP) * SPAN / SMALL_STEP > least / 3
    except Refused:
        return False


def off_in(run: Run, p: Problem, h: float) -> float:
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
        is_high = bound is not None and found.value is not None and found.value > HIGH_ORDER
        stays = found.floor if verdict == "yes" and found.floor > FLOOR_ROUND_OFFS * round_off else None
        qualifiers = [IN_FLOATS] if verdict == "yes" and is_high else []
        qualifier = ", ".join(qualifiers if stays is None else [*qualifiers, f"{DOWN_TO} {stays:.0e}"])
        marks = frozenset({Mark.ROUND_OFF_ALONE} if is_round_off else ())
        told = Property(found.value, WHOLE_WITHIN, verdict, how, bound=bound, qualifier=qualifier, marks=marks)
        results.append(replace(told, down_to=stays))
    return results, "own steps" if own else note, (h, e)
