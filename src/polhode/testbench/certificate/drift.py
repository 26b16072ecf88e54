"""The drift of the energy, for a certificate: the stress test over a span that takes seconds, longer where it must.

Yes: the energy drifts at two step sizes, or blows up, or is lost. No: the method is symplectic and converges, as
measured, so that a modified energy is conserved by theorem, and nothing was seen. Anything else is undecided, with the
bound on the rate and with what would decide. A run that stops, or raises, is no drift.

Beside the rate stands what the fit says of conjugate symplecticity (``modified_energy``). What remembers has a test of
its own (``drift_of_memory``).
"""

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from polhode.integrators.lookup import Integrator
from polhode.integrators.properties import measured_by
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.drift_of_memory import drift_of_memory
from polhode.testbench.certificate.modified_energy import beyond_chance, least_order, seems_several, told
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import MOST_PART_FOR_DRIFT, SECONDS_OF_ROOM
from polhode.testbench.certificate.running.pace import would_decide as would_decide_in
from polhode.testbench.certificate.running.timed import seconds_a_step
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
FEWEST_SAMPLES = 2  # of a run, without which it did not run at all
KEPT = "What was computed until then is here"  # said of a run that stopped, and of no use in a certificate
PICTURE_POINTS = 400  # points of the curve that goes to the page


class StressTest(NamedTuple):
    """A stress test that ran: its row, the body, and the span."""

    row: DriftRow
    body: Problem
    t_end: float


@dataclass
class StressTests:
    """The stress tests of one integrator, in the order in which they ran."""

    done: list[StressTest] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)  # what it did in place of a test
    is_short: bool = False  # whether a test was left out for want of time

    @property
    def longest(self) -> list[StressTest]:
        """Of each body the one over the longest span, which counts: a slope that is chance in a short span, or that of
        a slow oscillation, is gone in a longer one."""
        return list({id(test.body): test for test in self.done}.values())


def drift_of(
    method: Integrator, form: str, properties: Mapping[str, Property], look: Look
) -> tuple[Property, dict[str, Any]]:
    """The property, and the curves of its picture."""
    if look.character.memory and form == "black box":
        return drift_of_memory(look), {}
    bodies = (problem("stress"), problem("stress", inertia=WITHOUT_SYMMETRY))
    starts, is_safe, tests = STARTS.get(form, 2), is_excluded(properties), StressTests()
    picture: dict[str, Any] = {}
    plan = plan_of(look, form, starts, is_safe)
    if plan.missing:
        return Property(None, None, "undecided", f"{_where(bodies[0], plan.spans[0], starts)}: {plan.missing}"), picture
    clock = time.process_time()
    for t_end, p in itertools.product(plan.spans, bodies):
        if t_end > plan.spans[0]:
            if p is bodies[0] and (tests.refusals or time.process_time() - clock > plan.patience):
                break
            if is_safe and not any(beyond_chance(test.row) for test in tests.longest if test.body is p):
                continue
        if (tests.done or tests.refusals) and plan.seconds(t_end) > look.pace.left:
            tests.is_short = True
            break
        row, why = guarded(partial(stress_test, method, p, t_end, starts), plan.longest(look.pace.left))
        why = why or _stopped(row)
        if why:
            tests.refusals.append(_plain(why))
            continue
        tests.done.append(StressTest(row, p, t_end))
        picture = picture or _picture(row)
        if _proven(row):
            return _yes(tests.done[-1], starts, properties), _picture(row)
    if not tests.done:
        return Property(None, None, "undecided", f"energy on the stress test: it {tests.refusals[0]}"), picture
    return _not_seen(tests, starts, properties, look.switches), picture


@dataclass
class Plan:
    """The spans of the stress tests, and what is known of their time."""

    spans: tuple[float, ...]
    one: float = 0.0  # seconds a unit of time, on one body; nothing to speak of for a kernel
    patience: float = math.inf  # seconds of computing up to which a longer span is tried
    missing: str = ""  # what would decide, if there is no time for the shortest span

    def seconds(self, t_end: float) -> float:
        """About what a stress test takes."""
        return self.one * t_end

    def longest(self, left: float) -> float:
        """Seconds after which a stress test is ended."""
        return min(LONGEST_SECONDS, max(LEAST_SECONDS, left + SECONDS_OF_ROOM)) if self.one else LONGEST_SECONDS


def plan_of(look: Look, form: str, starts: int, is_safe: bool) -> Plan:
    """How long the stress tests are. A function has shorter ones: half of the first span where no drift is expected,
    and halves of that while there is no time for it on both bodies, or on one body for what may drift: to see that, one
    long span is better than two short ones."""
    pace, patience = look.pace, PATIENT_SECONDS.get(form, MOST_PATIENT_SECONDS)
    if form == "kernel":
        return Plan(SPANS[form], patience=patience)
    one = starts * sum(1 / h for h in STEPS) * (pace.cost.along or seconds_a_step(look))
    t_end = usual = SPANS[form][0] / (2 if is_safe else 1)
    afforded = min(AFFORDED_SECONDS * pace.generosity, pace.left)
    while t_end > SHORTEST_SPAN and one * t_end * (2 if is_safe else 1) > afforded:
        t_end /= 2
    spans = (t_end, *(SPANS[form][1:] if t_end == usual else ()))
    missing = ""
    if one * t_end > ROUGHLY_TIMES * pace.left:
        missing = f"{would_decide_in(one * t_end)}: give seconds={AMPLE_TIMES * one * t_end / MOST_PART_FOR_DRIFT:.0f}"
    return Plan(spans, one, patience * pace.generosity, missing)


def stress_test(method: Integrator, p: Problem, t_end: float, starts: int) -> DriftRow:
    return stress([method], h=STEPS, t_end=t_end, ensemble=starts, problem=p).rows[0]


def _stopped(row: DriftRow | None, k: int = 0) -> str:
    """What a run did that ended before its time, at the smallest step or at another, though its energy had not gone:
    that is no instability. Nothing where it came to its end, or blew up."""
    if row is None or row.evidence[k].stable or row.evidence[k].left_at is not None:
        return ""
    what = _plain(row.evidence[k].message)
    if len(row.evidence[k].t) < FEWEST_SAMPLES:
        return f"did not run: {what}"
    own = f"{row.method} "
    return what.removeprefix(own) if what.startswith(own) else f"stopped: {what}"


def _plain(message: str) -> str:
    """What is said of a run that stopped, without its last sentence."""
    return message.rstrip(".").removesuffix(KEPT).strip().rstrip(".")


def _proven(row: DriftRow) -> bool:
    """One sign at two step sizes, or an energy that is gone at the smaller one."""
    is_lost = row.verdict == "unstable" or (row.evidence[0].gone and row.verdict == "drifts")
    return row.neither or is_lost


def is_excluded(properties: Mapping[str, Property]) -> bool:
    """Whether a theorem excludes a drift: it is symplectic and known to converge. One that does not converge conserves
    something far from the energy."""
    return is_symplectic(properties) and converges(properties)


def is_symplectic(properties: Mapping[str, Property]) -> bool:
    """Whether it was measured to be symplectic in a potential."""
    found = [properties[key] for key in measured_by("symplecticity", "potential") if key in properties]
    return any(p.verdict == "yes" for p in found)


def converges(properties: Mapping[str, Property]) -> bool:
    """Whether it is known to converge in a potential: its orders are known, or there is no error but round-off."""
    orders = [properties[key] for key in measured_by("order", "potential") if key in properties]
    return bool(orders) and all(map(_is_an_order, orders))


def _is_an_order(p: Property) -> bool:
    if Mark.ROUND_OFF_ALONE in p.marks:
        return True
    return p.value is not None and p.value > LEAST_ORDER and (p.verdict == "yes" or math.isinf(p.value))


def _where(p: Problem, t_end: float, starts: int) -> str:
    body = "" if tuple(p.moments) == (2.0, 2.0, 4.0) else f" with the moments {', '.join(f'{x:g}' for x in p.moments)}"
    return f"energy on the stress test{body} over [0, {t_end:g}], {starts} starts each, h = {STEPS[0]:g}, {STEPS[1]:g}"


def _yes(test: StressTest, starts: int, properties: Mapping[str, Property]) -> Property:
    row, evidence = test.row, test.row.evidence[0]
    how = f"{_where(test.body, test.t_end, starts)}: "
    if row.verdict == "unstable":
        how += f"unstable, its energy error exceeds the energies themselves from t = {evidence.left_at:g} on"
        return Property(None, None, "yes", how, coverage="blows up at h = 1/8")
    law = "" if row.exponent is None else f", like h^{row.exponent:.1f}"
    how += f"{row.words}, {evidence.rate:+.1e} ± {evidence.error:.0e} a unit of time at h = {evidence.h:g}{law}"
    how += told(row, least_order(properties), is_symplectic(properties))
    coverage = f"at h = {', '.join(f'{e.h:g}' for e in row.evidence)}, each from starts of its own"
    return Property(evidence.rate, 5 * evidence.error, "yes", how, bound=evidence.bound, coverage=coverage)


def _not_seen(tests: StressTests, starts: int, properties: Mapping[str, Property], switches: str) -> Property:
    """No for what is symplectic by measurement, undecided for all else; with the smallest bound. `switches` is where it
    is another formula, in words."""
    row, p, t_end = min(tests.done, key=lambda r: r.row.evidence[0].bound if r.row.evidence[0].stable else np.inf)
    evidence, order = row.evidence[0], least_order(properties)
    how = f"{_where(p, t_end, starts)}: {row.words}, |rate| < {evidence.bound:.0e} at h = {evidence.h:g}"
    how += told(row, order, is_symplectic(properties))
    how += "".join(f"; at h = {e.h:g} it {why}" for k, e in enumerate(row.evidence) if (why := _stopped(row, k)))
    how += f"; on another body it {tests.refusals[0]}" if tests.refusals else ""
    count = "one stress test" if len(tests.done) == 1 else f"{len(tests.done)} stress tests"
    coverage = f"{count}, up to t = {max(test.t_end for test in tests.done):g}"
    coverage += ", no more for want of time" if tests.is_short else ""
    found = Property(evidence.rate, 5 * evidence.error, "undecided", how, bound=evidence.bound, coverage=coverage)
    rows = [test.row for test in tests.longest]
    drifts = any(row.verdict != "no drift seen" or any(e.seen for e in row.evidence) for row in rows)
    is_several = bool(switches) or any(seems_several(row, order) for row in rows)
    if is_excluded(properties) and not drifts and not is_several:
        return _excluded(found, Mark.IS_SYMPLECTIC)
    if _keeps_energy(tests, properties):
        return _excluded(found, Mark.KEEPS_ENERGY)
    if is_symplectic(properties) and not converges(properties):
        how += "; symplectic, but it is not known to converge"
    elif is_symplectic(properties) and is_several:
        how += "; symplectic wherever it was looked at, but as if it were put together from several formulas"
    return replace(found, how=f"{how}; {would_decide([e for row in rows for e in row.evidence])}")


def _excluded(found: Property, why: Mark) -> Property:
    """No drift, by a theorem."""
    return replace(found, verdict="no", how=f"{found.how}; {why.value}", marks=frozenset({why}))


def would_decide(evidence: Sequence[Evidence]) -> str:
    """What would decide about a drift that was not proven, in words."""
    for e in evidence:
        if e.seen:
            return f"h = {e.h:g} alone shows {e.rate:+.1e} ± {e.error:.0e}; another step size would decide"
    return "a longer span would decide"


def _keeps_energy(tests: StressTests, properties: Mapping[str, Property]) -> bool:
    """Whether the energy is kept to round-off, as measured on a top and in every run of the stress tests."""
    kept = all(properties[key].verdict == "yes" for key in measured_by("energy") if key in properties)
    return kept and all(e.stable and e.largest < ROUND_OFF for test in tests.done for e in test.row.evidence)


def _picture(row: DriftRow) -> dict[str, Any]:
    """Curves for the page: at each step size, the first run and its line."""
    curves = []
    for e in row.evidence:
        some = slice(None, None, max(1, len(e.t) // PICTURE_POINTS))
        curves.append({"h": e.h, "t": e.t[some].tolist(), "error": e.energy_error[0][some].tolist(), "slope": e.slope})
    return {"verdict": row.words, "curves": curves}
