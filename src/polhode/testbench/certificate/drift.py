"""The drift of the energy, for a certificate: the stress test over a span that takes seconds, longer where it must.

Yes: the energy drifts at two step sizes, or blows up, or is lost. No: the method is symplectic and converges, as
measured, so that a modified energy is conserved by theorem, and nothing was seen. Anything else is undecided, with the
bound on the rate and with what would decide.

Beside the rate stands what the fit says of conjugate symplecticity. Where a modified energy E + h^r F exists, F fits
the energy error, and what is left falls like h^(r+2): the residual over that power is constant. Where none exists, what
is left falls no faster than the error itself.
"""

import itertools
import math
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from polhode.integrators.lookup import Integrator
from polhode.integrators.properties import measured_by
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import MOST_PART_FOR_DRIFT, SECONDS_OF_ROOM
from polhode.testbench.certificate.running.pace import would_decide as would_decide_in
from polhode.testbench.certificate.running.timed import seconds_a_step
from polhode.testbench.certificate.states.cases import INERTIA
from polhode.testbench.drift.evidence import Evidence
from polhode.testbench.drift.evidence import Row as DriftRow
from polhode.testbench.drift.stress import stress

STEPS = (0.125, 0.25)
SPANS = {"kernel": (2000.0, 8000.0), "function": (500.0, 2000.0), "black box": (500.0, 2000.0)}
SHORTEST_SPAN = 125.0  # the span of a function whose steps take long
AFFORDED_SECONDS = 20.0  # seconds that the first span may take, if so many are left
ROUGHLY_TIMES = 1.2  # times what is left, which the shortest span may take
AMPLE_TIMES = 1.5  # times what it takes, which is surely enough
STARTS = {"kernel": 4}
WITHOUT_SYMMETRY = (2.0, 2.2, 3.9)
PATIENT_SECONDS = {"kernel": 3.0}  # seconds of computing up to which a longer span is tried
MOST_PATIENT_SECONDS = 5.0
LONGEST_SECONDS = 90.0  # seconds, after which a stress test is ended
LEAST_SECONDS = 2.0  # seconds that the stress test of a function has in any case
ROUND_OFF = 1e-10  # of an energy of about 1, after some thousand steps
LEAST_ORDER = 0.5  # a lower order counts as none
SMALL_ERROR = 1e-12  # an energy error below is nothing but round-off
POWER_IF_ENERGY = 1.5  # powers of h between the error and what is left of it; 2 where a modified energy exists, ...
POWER_IF_NONE = 0.7  # ... and 0 where there is none
STEADY_LOSS, STEADY_GROWTH = 0.02, 1.6  # part of the energies, and factor from one span to the next, twice as long
SMALLEST_PART = 5e-7  # what is left of an oscillation, of which more digits are not told
PICTURE_POINTS = 400  # points of the curve that goes to the page


def drift_of(
    method: Integrator, form: str, properties: Mapping[str, Property], look: Look
) -> tuple[Property, dict[str, Any]]:
    """The property, and the curves of its picture."""
    bodies = (problem("stress"), problem("stress", inertia=WITHOUT_SYMMETRY))
    starts = STARTS.get(form, 2)
    rows: list[tuple[DriftRow, Problem, float]] = []
    picture: dict[str, Any] = {}
    if look.character.memory and form == "black box":
        return _at_once(look)
    refusals: list[str] = []
    plan = plan_of(look, form, starts, symplectic(properties))
    if plan.missing:
        return Property(None, None, "undecided", f"{_where(bodies[0], plan.spans[0], starts)}: {plan.missing}"), picture
    clock = time.process_time()
    for t_end, p in itertools.product(plan.spans, bodies):
        if t_end > plan.spans[0] and p is bodies[0]:
            spent = time.process_time() - clock
            if refusals or symplectic(properties) or spent > plan.patience:
                break
        if (rows or refusals) and plan.seconds(t_end) > look.pace.left:
            plan.is_short = True
            break
        row, why = guarded(partial(stress_test, method, p, t_end, starts), plan.longest(look.pace.left))
        if why:
            refusals.append(why)
            continue
        if _did_not_run(row):
            refusals.append(f"did not run: {row.evidence[0].message.rstrip('.')}")
            continue
        rows.append((row, p, t_end))
        picture = picture or _picture(row)
        if _proven(row):
            return _yes(row, p, t_end, starts), _picture(row)
    if not rows:
        return Property(None, None, "undecided", f"energy on the stress test: it {refusals[0]}"), picture
    return _not_seen(rows, starts, properties, (refusals, plan.is_short, look.switches)), picture


@dataclass
class Plan:
    """The spans of the stress tests, and what is known of their time."""

    spans: tuple[float, ...]
    one: float = 0.0  # seconds a unit of time, on one body; nothing to speak of for a kernel
    patience: float = math.inf  # seconds of computing up to which a longer span is tried
    missing: str = ""  # what would decide, if there is no time for the shortest span
    is_short: bool = False  # whether a stress test was left out for want of time

    def seconds(self, t_end: float) -> float:
        """About what a stress test takes."""
        return self.one * t_end

    def longest(self, left: float) -> float:
        """Seconds after which a stress test is ended."""
        return min(LONGEST_SECONDS, max(LEAST_SECONDS, left + SECONDS_OF_ROOM)) if self.one else LONGEST_SECONDS


def plan_of(look: Look, form: str, starts: int, symplectic: bool) -> Plan:
    """How long the stress tests are. A function has shorter ones: half of the first span if it is symplectic, since
    then no drift is expected, and halves of that while there is no time for it on both bodies, or on one body for what
    may drift: to see that, one long span is better than two short ones."""
    pace, patience = look.pace, PATIENT_SECONDS.get(form, MOST_PATIENT_SECONDS)
    if form == "kernel":
        return Plan(SPANS[form], patience=patience)
    one = starts * sum(1 / h for h in STEPS) * (pace.cost.along or seconds_a_step(look))
    t_end = SPANS[form][0] / (2 if symplectic else 1)
    afforded = min(AFFORDED_SECONDS * pace.generosity, pace.left)
    while t_end > SHORTEST_SPAN and one * t_end * (2 if symplectic else 1) > afforded:
        t_end /= 2
    spans = SPANS[form] if t_end == SPANS[form][0] else (t_end,)
    missing = ""
    if one * t_end > ROUGHLY_TIMES * pace.left:
        missing = (
            f"{would_decide_in(one * t_end)}, as would seconds={AMPLE_TIMES * one * t_end / MOST_PART_FOR_DRIFT:.0f}"
        )
    return Plan(spans, one, patience * pace.generosity, missing)


def stress_test(method: Integrator, p: Problem, t_end: float, starts: int) -> DriftRow:
    return stress([method], h=STEPS, t_end=t_end, ensemble=starts, problem=p).rows[0]


def _did_not_run(row: DriftRow) -> bool:
    """Whether not even the first steps were taken: that is no instability."""
    return row.verdict == "unstable" and len(row.evidence[0].t) < 2


def _proven(row: DriftRow) -> bool:
    """One sign at two step sizes, or an energy that is gone at the smaller one."""
    return row.neither or row.verdict == "unstable" or (row.evidence[0].gone and row.verdict == "drifts")


def symplectic(properties: Mapping[str, Property]) -> bool:
    """Whether it is symplectic and converges: one that does not converge conserves something far from the energy."""
    orders = [properties[key].value for key in measured_by("order", "potential") if key in properties]
    if any(value is not None and value < LEAST_ORDER for value in orders):
        return False
    return any(
        properties[key].verdict == "yes" for key in measured_by("symplecticity", "potential") if key in properties
    )


def _where(p: Problem, t_end: float, starts: int) -> str:
    body = "" if tuple(p.moments) == (2.0, 2.0, 4.0) else f" with the moments {', '.join(f'{x:g}' for x in p.moments)}"
    return f"energy on the stress test{body} over [0, {t_end:g}], {starts} starts each, h = {STEPS[0]:g}, {STEPS[1]:g}"


def _yes(row: DriftRow, p: Problem, t_end: float, starts: int) -> Property:
    evidence = row.evidence[0]
    how = f"{_where(p, t_end, starts)}: "
    if row.verdict == "unstable":
        return Property(None, None, "yes", f"{how}unstable, {evidence.message}", coverage="blows up at h = 1/8")
    law = "" if row.exponent is None else f", like h^{row.exponent:.1f}"
    how += f"{row.words}, {evidence.rate:+.1e} ± {evidence.error:.0e} a unit of time at h = {evidence.h:g}{law}"
    how += _modified(row)
    coverage = f"at h = {', '.join(f'{e.h:g}' for e in row.evidence)}, each from starts of its own"
    return Property(evidence.rate, 5 * evidence.error, "yes", how, bound=evidence.bound, coverage=coverage)


def _not_seen(
    rows: Any, starts: int, properties: Mapping[str, Property], notes: tuple[Sequence[str], bool, str]
) -> Property:
    """No for what is symplectic by measurement, undecided for all else; with the smallest bound. `notes` are what it
    did in place of a test, whether there was no time for all, and where it is another formula."""
    refusals, is_short, switches = notes
    row, p, t_end = min(rows, key=lambda r: r[0].evidence[0].bound if r[0].evidence[0].stable else np.inf)
    evidence = row.evidence[0]
    how = f"{_where(p, t_end, starts)}: {row.words}, |rate| < {evidence.bound:.0e} at h = {evidence.h:g}"
    how += _modified(row)
    if refusals:
        how += f"; on another body it {refusals[0]}"
    tests = "one stress test" if len(rows) == 1 else f"{len(rows)} stress tests"
    threshold, coverage = 5 * evidence.error, f"{tests}, up to t = {t_end:g}"
    coverage += ", no more for want of time" if is_short else ""
    drifts = any(row.verdict != "no drift seen" or any(e.seen for e in row.evidence) for row, _, _ in rows)
    found = Property(evidence.rate, threshold, "undecided", how, bound=evidence.bound, coverage=coverage)
    is_several = bool(switches) or any(_has_no_energy(row, properties) for row, _, _ in rows)
    if symplectic(properties) and not drifts and not is_several:
        return _excluded(found, Mark.IS_SYMPLECTIC)
    if _keeps_energy(rows, properties):
        return _excluded(found, Mark.KEEPS_ENERGY)
    what = would_decide([e for r, _, _ in rows for e in r.evidence])
    if symplectic(properties) and is_several:
        how += "; symplectic wherever it was looked at, but as if it were put together from several formulas"
    return replace(found, how=f"{how}; {what}")


def _excluded(found: Property, why: Mark) -> Property:
    """No drift, by a theorem."""
    return replace(found, verdict="no", how=f"{found.how}; {why.value}", marks=frozenset({why}))


def would_decide(evidence: Sequence[Evidence]) -> str:
    """What would decide about a drift that was not proven, in words."""
    for e in evidence:
        if e.seen:
            return f"h = {e.h:g} alone shows {e.rate:+.1e} ± {e.error:.0e}; another step size would decide"
    return "a longer span would decide"


def _keeps_energy(rows: Any, properties: Mapping[str, Property]) -> bool:
    """Whether the energy is kept to round-off, as measured on a top and in every run of the stress tests."""
    kept = all(properties[key].verdict == "yes" for key in measured_by("energy") if key in properties)
    return kept and all(e.stable and e.largest < ROUND_OFF for row, _, _ in rows for e in row.evidence)


def _has_no_energy(row: DriftRow, properties: Mapping[str, Property]) -> bool:
    """Whether the energy error is not that of a modified energy, though the map is symplectic wherever it was looked
    at: one that is put together from several symplectic maps, with the state, conserves none. The error then does not
    fall as the order says; or, of order two, what the fitted terms leave of it falls no faster than the error."""
    orders = [properties[key].value for key in measured_by("order", "potential") if key in properties]
    order = min((value for value in orders if value is not None), default=0.0)
    powers = _powers(row)
    if powers is None or not 1.5 < order < math.inf:
        return False
    error, left = powers
    return error < order - 1 or (order < 2.5 and left - error < POWER_IF_NONE)


def _powers(row: DriftRow) -> tuple[float, float] | None:
    """The powers of h with which the energy error falls, and what the fitted terms leave of it; None where these are
    round-off."""
    with_terms = [x for x in row.evidence if x.stable and x.modified and x.residual > SMALL_ERROR]
    if len(with_terms) < 2:
        return None
    x, y = with_terms[:2]
    error, left = (
        float(np.log(b / a) / np.log(y.h / x.h)) for a, b in ((x.amplitude, y.amplitude), (x.residual, y.residual))
    )
    return error, left


def _modified(row: DriftRow) -> str:
    """What the fitted modified energy explains, and whether one exists, in words."""
    e = row.evidence[0]
    if not e.modified:
        return ""
    words = f"; a modified energy explains {shortly(e.modified)}"
    powers = _powers(row)
    if powers is None:
        return words
    error, left = powers
    words += f"; the error falls like h^{error:.1f} and what is left of it like h^{left:.1f}, "
    if left - error > POWER_IF_ENERGY:
        return words + "so a modified energy exists, as far as is seen: symplectic, or conjugate to it"
    if left - error < POWER_IF_NONE:
        return words + "so none of this kind exists"
    return words + "which does not tell whether one exists"


def shortly(explained: str) -> str:
    """What a modified energy explains, with as few digits as tell, and with powers: "99.9998% of the oscillation, most
    like Omega1 Omega1" becomes "all but 2e-06 of the oscillation, most like Omega1^2"."""
    factors = re.sub(r"\b(\w+)((?: \1)+)(?![\w/])", lambda m: f"{m[1]}^{1 + m[2].count(m[1])}", explained)
    return re.sub(r"^([\d.]+)%", lambda m: _part(float(m[1]) / 100), factors)


def _part(part: float) -> str:
    left = 1 - part
    return f"{part:.0%}" if left > 0.01 else f"all but {left:.0e}" if left > SMALLEST_PART else "all"


def _at_once(look: Look, spans: Sequence[int] = (10, 20, 40, 80, 160, 320)) -> tuple[Property, dict[str, Any]]:
    """The energy of an integrator with memory, after longer and longer runs, each in one go: to sample one run would
    restart it at every sample."""
    seconds = [look.pace.cost.of(int(t / STEPS[0]), False) for t in spans]
    if seconds[0] > look.pace.left:
        how = f"energy after {spans[0]}, in one run: {would_decide_in(sum(seconds))}"
        return Property(None, None, "undecided", how), {}
    spans = [t for t, whole in zip(spans, itertools.accumulate(seconds)) if whole <= max(look.pace.left, seconds[0])]
    p = problem("stress", inertia=INERTIA)
    scale = abs(float(p.energy(p.Q0, p.Omega0))) + 1.0
    errors = []
    for t in spans:
        state, why = guarded(partial(look.run, p, p.Q0, p.Omega0, STEPS[0], int(t / STEPS[0]), 0.0), LONGEST_SECONDS)
        if why:
            errors.append(np.inf)
            break
        errors.append(abs(float(p.energy(*state) - p.energy(p.Q0, p.Omega0))))
    times = ", ".join(str(t) for t in spans[: len(errors)])
    how = f"energy after {times}, each in one run, h = {STEPS[0]:g}: it has memory"
    if not errors[-1] < 0.1 * scale:
        return Property(None, None, "yes", f"{how}; it blows up", coverage="one body"), {}
    rate = errors[-1] / spans[-1]
    grows = [b / a for a, b in itertools.pairwise(errors[-4:]) if a > 0]
    if errors[-1] > STEADY_LOSS * scale and len(grows) == 3 and min(grows) > STEADY_GROWTH:
        return Property(rate, None, "yes", f"{how}; it gains or loses steadily", bound=rate, coverage="one body"), {}
    return Property(
        rate, None, "undecided", f"{how}; |E - E(0)| = {errors[-1]:.0e}", bound=rate, coverage="one body"
    ), {}


def _picture(row: DriftRow) -> dict[str, Any]:
    """Curves for the page: at each step size, the first run and its line."""
    curves = []
    for e in row.evidence:
        some = slice(None, None, max(1, len(e.t) // PICTURE_POINTS))
        curves.append({"h": e.h, "t": e.t[some].tolist(), "error": e.energy_error[0][some].tolist(), "slope": e.slope})
    return {"verdict": row.words, "curves": curves}
