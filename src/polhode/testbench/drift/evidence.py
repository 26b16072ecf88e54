"""From the energies of runs to a verdict: slopes with their uncertainty, and whether the rate of drift is constant.

The slope is the mean of least-squares slopes over the ensemble, after what a modified energy explains has been fitted
away (``drift.modified``); its error is made of block errors and of the ensemble's spread. The span is cut in quarters:
where their slopes disagree, no line is fitted, and the verdict says so. "Drifts" needs five standard errors at two step
sizes, with the exponent of h fitted over the steps given. An energy that has gone far is a drift, whatever the shape.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.integrators.lookup import Integrator, name_of
from polhode.integrators.method import Method
from polhode.testbench.drift.modified import cleaned
from polhode.testbench.drift.slopes import line, pooled, power
from polhode.testbench.numbers import one

if TYPE_CHECKING:
    from polhode.testbench.drift.starts import Starts

BLOCKS = 20
QUARTER_BLOCKS = 5
EIGHTHS = 8  # blocks whose means must lie on the line: long, so that slow oscillations average out
SIGMAS = 5.0  # standard errors that a drift must exceed
OFF_THE_LINE = 1 / 20  # part of the whole drift by which block means may be off the line, and still be called linear
FAR_IN_ENERGIES = 0.02  # an energy has gone far when it has changed by this part of the energies of the problem
TIMES_ITS_OSCILLATION = 10  # and by this many times its oscillation
BEND = 2.0  # factor between the slopes of two quarters from which on the drift is not called linear


@dataclass(frozen=True)
class Evidence:
    """One method at one step size: slopes over the whole span and over its quarters, with standard errors."""

    h: float
    n_steps: int
    runs: int
    slope: float
    error: float
    spread: float  # standard deviation of the slopes over the ensemble
    round_off: float  # the slope that one rounding a step, always the same way, could make
    amplitude: float  # rms of the oscillation about the drift
    largest: float  # the largest |E(t) - E(0)| of all runs
    quarters: tuple[float, ...]
    quarter_errors: tuple[float, ...]
    linear: bool
    residual: float  # rms of what neither the drift nor a modified energy explains
    modified: str  # what the fitted modified energy explains, in words; empty where none was fitted
    gone: bool  # whether the energy has gone far, beyond its oscillation, in whatever shape
    message: str  # why it counts as unstable; empty if it does not
    left_at: float | None  # when the energy error exceeded the energies themselves; None if a run only stopped
    t: np.ndarray = field(repr=False, compare=False)
    energy_error: np.ndarray = field(repr=False, compare=False)  # (runs, samples); one run until unstable, if it is

    @property
    def stable(self) -> bool:
        """Whether every run reached the end with an energy of the right size."""
        return not self.message

    @property
    def rate(self) -> float:
        """The slope that counts: of the whole span, or of its first quarter where the drift is not linear."""
        return self.slope if self.linear or self.gone else self.quarters[0]

    @property
    def seen(self) -> bool:
        """Whether the rate is beyond five standard errors and beyond round-off, or the energy has gone far."""
        if self.gone:
            return self.stable
        error = self.error if self.linear else self.quarter_errors[0]
        return self.stable and abs(self.rate) > max(SIGMAS * error, self.round_off)

    @property
    def bound(self) -> float:
        """The bound on |slope|, at two standard errors."""
        return abs(self.slope) + 2 * self.error

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the samples."""
        numbers = {k: v for k, v in vars(self).items() if k not in ("t", "energy_error")}
        return numbers | {"seen": self.seen, "bound": self.bound}


@dataclass(frozen=True)
class Row:
    """The verdict on one method."""

    method: str
    title: str
    evidence: tuple[Evidence, ...]
    verdict: str  # "drifts", "no drift seen" or "unstable"
    sign: str  # "-" loses energy, "+" gains, "none", or "unstable"
    exponent: float | None
    exponent_error: float | None
    marks: tuple[str, ...]  # what makes the verdict weaker than it could be
    notes: tuple[str, ...]

    @property
    def words(self) -> str:
        """The verdict in two or three words."""
        return {"-": "loses energy", "+": "gains energy"}.get(self.sign, self.verdict)

    @property
    def neither(self) -> bool:
        """Whether it is proven neither symplectic nor conjugate to a symplectic method: one drift at two steps."""
        drifting = [e for e in self.evidence if e.seen]
        return self.verdict == "drifts" and len(drifting) > 1 and len({np.sign(e.rate) for e in drifting}) == 1

    @property
    def bounds(self) -> dict[float, float]:
        """The bound on |slope| by step size, where no drift was seen."""
        return {e.h: e.bound for e in self.evidence if self.sign == "none" and e.stable and e.linear and not e.seen}

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        evidence = [e.to_dict() for e in self.evidence]
        return vars(self) | {"evidence": evidence, "words": self.words, "neither": self.neither}


# ---- measuring ---------------------------------------------------------------------------------------


def evidence_of(
    t: np.ndarray,
    energies: Sequence[np.ndarray],
    h: float,
    n: int,
    stopped: str,
    starts: "Starts",
    terms: Sequence[np.ndarray] | None = None,
) -> Evidence:
    """The evidence of one method at one step size, from the energy errors of its runs at the times t, why the last run
    stopped if it did, and the terms of a modified energy of each run, at some of these times, evenly spaced."""
    round_off = float(np.finfo(float).eps * starts.energy / h)
    with np.errstate(all="ignore"):
        largest = max(float(np.abs(e).max()) for e in energies)
    message = stopped or out_of_bounds(t, energies[-1], starts.energy)
    left_at = next((float(x) for x, e in zip(t, np.abs(energies[-1])) if e > starts.energy), None)
    if message:
        good = int(np.append(~(np.abs(energies[-1]) <= starts.energy), True).argmax())
        t, e = t[:good], energies[-1][None, :good]
        nan = float("nan")
        fit: dict[str, Any] = dict(slope=nan, error=nan, spread=nan, amplitude=nan, linear=False, residual=nan)
        fit.update(modified="", gone=False)
        fit.update(quarters=(nan,) * 4, quarter_errors=(nan,) * 4)
    else:
        e = np.array(energies)
        fit = fitted(t, e, starts.count, round_off, terms)
        slowly, at_once = _has_gone(e, fit["amplitude"], starts.energy)
        fit.update(gone=slowly or at_once, linear=fit["linear"] and not at_once)
    return Evidence(
        h=h,
        n_steps=n,
        runs=len(energies),
        round_off=round_off,
        largest=largest,
        message=message,
        left_at=left_at,
        t=t,
        energy_error=e,
        **fit,
    )


def out_of_bounds(t: np.ndarray, e: np.ndarray, energy: float) -> str:
    """The sentence for an energy error as large as the energies of the problem, or one that is no number; else ""."""
    bad = ~(np.abs(e) <= energy)
    if not bad.any():
        return ""
    k = bad.argmax()
    if np.isnan(e[k]):
        return f"its energy is not a number at t = {t[k]:g}"
    return f"its energy error exceeds {energy:.2g}, the size of the energies themselves, at t = {t[k]:g}"


def _has_gone(e: np.ndarray, oscillation: float, energy: float) -> tuple[bool, bool]:
    """Whether the energy errors (runs, samples) go far, by more than they oscillate: slowly, from the first to the last
    eighth of the span; and whether at once, so that its second half lies far from where the runs began."""
    n = e.shape[1]
    first, last, half = e[:, : -(-n // EIGHTHS)], e[:, -(n // EIGHTHS) :], e[:, n // 2 :]
    slowly = abs(last.mean() - first.mean()) > max(TIMES_ITS_OSCILLATION * oscillation, FAR_IN_ENERGIES * energy)
    at_once = abs(half.mean()) > max(TIMES_ITS_OSCILLATION * half.std(axis=1).mean(), FAR_IN_ENERGIES * energy)
    return bool(slowly), bool(at_once)


def fitted(
    t: np.ndarray, e: np.ndarray, independent: int, round_off: float, terms: Sequence[np.ndarray] | None = None
) -> dict[str, Any]:
    """Slopes of the span and of its quarters, and whether the rate of drift is constant."""
    oscillation = float(line(t, e, EIGHTHS)[3].mean())
    modified = ""
    if terms is not None:
        every = -(-len(t) // len(terms[0]))
        parts = [cleaned(t[::every], run[::every], X) for run, X in zip(e, terms)]
        if all(words for _, _, words in parts):
            t, e, modified = t[::every], np.array([clean for clean, _, _ in parts]), parts[0][2]
    slopes, errors, _, _ = line(t, e, BLOCKS)
    _, _, between, within = line(t, e, EIGHTHS)
    slope, error = pooled(slopes, errors, independent)
    cuts = np.linspace(0, len(t), 5).astype(int)
    lines = [line(t[a:b], e[:, a:b], QUARTER_BLOCKS) for a, b in itertools.pairwise(cuts)]
    quarters = [pooled(slopes, errors, independent) for slopes, errors, _, _ in lines]
    amplitude, span = float(within.mean()), t[-1] - t[0]
    whole = abs(slope) > SIGMAS * error
    moved = any(abs(q) > max(4 * oscillation / span, SIGMAS * d) for q, d in quarters)
    off = np.median(between) > max(OFF_THE_LINE * abs(slope) * span, oscillation / 3, round_off * span)
    bent = (moved and not whole) or ((moved or whole) and (off or _disagree(quarters, 4 * oscillation / span)))
    return dict(
        slope=slope,
        error=error,
        spread=float(slopes.std(ddof=1)) if len(slopes) > 1 else 0.0,
        amplitude=oscillation,
        residual=amplitude,
        modified=modified,
        quarters=tuple(q for q, _ in quarters),
        quarter_errors=tuple(d for _, d in quarters),
        linear=not bool(bent),
    )


def _disagree(quarters: Sequence[tuple[float, float]], floor: float) -> bool:
    """Whether two quarters drift at different rates, by more than chance and by more than `floor`."""
    return any(
        abs(p - q) > max((1 - 1 / BEND) * max(abs(p), abs(q)), floor, SIGMAS * np.hypot(c, d))
        for (p, c), (q, d) in itertools.combinations(quarters, 2)
    )


# ---- judging -----------------------------------------------------------------------------------------


def judged(method: Integrator, evidence: Sequence[Evidence]) -> Row:
    """The verdict that follows from the evidence."""
    stable = [e for e in evidence if e.stable]
    drifting = [e for e in stable if e.seen]
    fitted = [e for e in drifting if e.linear and np.sign(e.slope) == np.sign(drifting[0].rate)]
    marks, notes = [], [_bent(e) for e in stable if not e.linear]
    notes += [f"is unstable at h = {e.h:g}: {e.message.rstrip('.')}" for e in evidence if not e.stable]
    exponent = exponent_error = None
    if not evidence[0].stable:  # the smallest step
        verdict = sign = "unstable"
    elif len(drifting) >= min(2, len(stable)):
        verdict, sign = "drifts", "-" if drifting[0].rate < 0 else "+"
        if len({np.sign(e.rate) for e in drifting}) > 1:
            notes.append(f"drifts the other way at another h; the verdict is that of h = {drifting[0].h:g}")
        if len(fitted) > 1:
            exponent, exponent_error = power(*(np.array(x) for x in zip(*((e.h, e.slope, e.error) for e in fitted))))
        if not fitted:
            marks.append("at no constant rate")
    else:
        verdict, sign = "no drift seen", "none"
        notes += [
            f"shows a slope of {one(e.rate, '+')} at h = {e.h:g} alone, beyond {SIGMAS:g} standard errors: "
            "a longer span or another h would decide"
            for e in drifting
        ]
    if verdict != "unstable":
        marks += [f"unstable at h = {e.h:g}" for e in evidence if not e.stable]
    if len(stable) == 1:
        marks.append("one step size only")
    if all(e.runs == 1 for e in stable) and verdict != "unstable":
        marks.append("one run only")
    return Row(
        method=name_of(method),
        title=method.title if isinstance(method, Method) else "",
        evidence=tuple(evidence),
        verdict=verdict,
        sign=sign,
        exponent=exponent,
        exponent_error=exponent_error,
        marks=tuple(marks),
        notes=tuple(notes),
    )


def _bent(e: Evidence) -> str:
    slopes = ", ".join(one(q, "+") for q in e.quarters)
    return f"leaves the linear regime at h = {e.h:g}, so no line is fitted; slopes by quarters of the span: {slopes}"
