"""Does the energy drift? A verdict on a slope, with its uncertainty.

A method that is symplectic, or conjugate to one, keeps the energy within a bound for exponentially long times.
A steady drift therefore proves that it is neither. A slope fitted to one run proves little: the energy also
oscillates, at several time scales, and some methods leave the regime in which the drift is a constant rate. So

- every method starts from an ensemble: the problem's own start, and starts whose momentum differs by 1e-3 of it
  (neighbouring motions) and by 1e-9 (the same motion, unless it is chaotic);
- the slope is the mean of least-squares slopes, its error is made of block errors and of the ensemble's spread;
- the span is cut in quarters. Where their slopes disagree, no line is fitted, and the verdict says so;
- "drifts" needs five standard errors at two step sizes, with the exponent of h fitted over the steps given.
"""

import itertools
import time
from dataclasses import dataclass, field

import numpy as np

from polhode.certify.slopes import line, pooled, power
from polhode.certify.study import ORTOLAN_SACCON
from polhode.errors import InputError
from polhode.inputs import check_bytes, checked_call, flag, interval, items, number, step_sizes, whole
from polhode.model import Method
from polhode.rotation import Rotation
from polhode.solve import given_method, given_problem, solve
from polhode.solve import method as found
from polhode.text import one

SAMPLES = 10_000  # energies kept per run, about; memory and time do not grow with the span
FEWEST = 200  # steps below which a slope in four quarters means nothing
BLOCKS = 20
QUARTER_BLOCKS = 5
EIGHTHS = 8  # blocks whose means must lie on the line: long, so that slow oscillations average out
SIGMAS = 5.0  # standard errors that a drift must exceed
OFF = 1 / 20  # part of the whole drift by which block means may be off the line, and still be called linear
BEND = 2.0  # factor between the slopes of two quarters from which on the drift is not called linear
MOST_PROBLEMS = 10_000  # drawn at random: more take days
NEARBY = (1e-3, 1e-9)  # relative changes of the initial momentum, in turn


@checked_call
def stress(
    methods=None,
    h=ORTOLAN_SACCON.h,
    t_end=ORTOLAN_SACCON.t_end,
    ensemble=8,
    problem="stress",
    random=None,
    progress=False,
):
    """Measure the energy drift of methods and return a StressResult.

    methods   names, Methods or plain step functions; those of Ortolan & Saccon (2012) if not given
    h         step sizes: with two or more a verdict is confirmed and the exponent of h is fitted
    t_end     end of the interval, a whole number of steps of every size
    ensemble  number of starts; the first is the problem's own
    problem   a shipped problem's name or a Problem; it must have a potential
    random    so many stress problems drawn at random instead, always the same; returns a FamilyResult
    progress  show a progress bar
    """
    ensemble, progress = whole("ensemble", ensemble), flag("progress", progress)
    check_bytes(f"ensemble = {ensemble}", 16.0 * SAMPLES * ensemble, "Take fewer starts: 8 are enough for most.")
    if random is not None:
        from polhode.certify.family import stress_family

        random = whole("random", random, most=MOST_PROBLEMS)
        return stress_family(random, methods, h, t_end, ensemble, progress)
    problem, t_end = given_problem(problem, None), number("t_end", t_end)
    if not problem.has_potential:
        raise InputError(f"The problem {problem.name!r} has no potential, so it has no energy that could drift.")
    methods = _methods(methods, problem)
    h, counts = _step_sizes(problem, h, t_end)
    starts = Starts(problem, ensemble)
    clock = time.perf_counter()
    rows = []
    with _bar(progress, len(methods) * ensemble * sum(counts)) as tick:
        for m in methods:
            rows.append(_row(m, [_measured(m, starts, size, n, tick) for size, n in zip(h, counts)]))
    return StressResult(
        problem=problem,
        h=h,
        t_end=t_end,
        ensemble=ensemble,
        rows=tuple(rows),
        wall_time=time.perf_counter() - clock,
    )


@dataclass(frozen=True)
class Evidence:
    """One method at one step size: slopes over the whole span and over its quarters, with standard errors."""

    h: float
    n_steps: int
    runs: int
    slope: float
    error: float
    spread: float  # standard deviation of the slopes over the ensemble
    block_error: float  # rms over the ensemble
    round_off: float  # the slope that one rounding a step, always the same way, could make
    amplitude: float  # rms of the oscillation about the drift
    change: float  # E at the end minus E at the start, from the problem's own start
    largest: float  # the largest |E(t) - E(0)| of all runs
    quarters: tuple[float, ...]
    quarter_errors: tuple[float, ...]
    linear: bool
    message: str  # why it counts as unstable; empty if it does not
    t: np.ndarray = field(repr=False, compare=False)
    energy_error: np.ndarray = field(repr=False, compare=False)  # (runs, samples); one run until unstable, if it is

    @property
    def stable(self):
        """Whether every run reached the end with an energy of the right size."""
        return not self.message

    @property
    def rate(self):
        """The slope that counts: of the whole span, or of its first quarter where the drift is not linear."""
        return self.slope if self.linear else self.quarters[0]

    @property
    def seen(self):
        """Whether the rate is beyond five standard errors and beyond round-off."""
        error = self.error if self.linear else self.quarter_errors[0]
        return self.stable and abs(self.rate) > max(SIGMAS * error, self.round_off)

    @property
    def bound(self):
        """What |slope| does not exceed, at two standard errors."""
        return abs(self.slope) + 2 * self.error

    def to_dict(self):
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
    def words(self):
        """The verdict in two or three words."""
        return {"-": "loses energy", "+": "gains energy"}.get(self.sign, self.verdict)

    @property
    def neither(self):
        """Whether it is proven neither symplectic nor conjugate to a symplectic method: one drift at two steps."""
        seen = [e for e in self.evidence if e.seen]
        return self.verdict == "drifts" and len(seen) > 1 and len({np.sign(e.rate) for e in seen}) == 1

    @property
    def bounds(self):
        """What |slope| does not exceed, by step size, where no drift was seen."""
        return {e.h: e.bound for e in self.evidence if self.sign == "none" and e.stable and e.linear and not e.seen}

    def to_dict(self):
        """Plain data."""
        evidence = [e.to_dict() for e in self.evidence]
        return vars(self) | {"evidence": evidence, "words": self.words, "neither": self.neither}


@dataclass(frozen=True)
class StressResult:
    """Drift verdicts: `rows` by method, each with its evidence by step size."""

    problem: object
    h: tuple[float, ...]
    t_end: float
    ensemble: int
    rows: tuple[Row, ...]
    wall_time: float

    def __getitem__(self, method):
        """The row of a method, by name or alias."""
        for row in self.rows:
            if row.method == str(method):
                return row
        name = found(method).name
        for row in self.rows:
            if row.method == name:
                return row
        raise InputError(f"{name} was not in this test; it was of {', '.join(r.method for r in self.rows)}.")

    def __repr__(self):
        verdicts = ", ".join(f"{row.method} {row.words}" for row in self.rows)
        return f"<StressResult on {self.problem.name}, t = {self.problem.t0:g} to {self.t_end:g}: {verdicts}>"

    def _repr_html_(self):
        from polhode.report.stress import verdict_table

        return verdict_table(self)

    def to_dict(self):
        """Plain data for JSON."""
        return {
            "problem": self.problem.name,
            "t0": self.problem.t0,
            "t_end": self.t_end,
            "h": list(self.h),
            "ensemble": self.ensemble,
            "wall_time": self.wall_time,
            "methods": [row.to_dict() for row in self.rows],
        }

    def table(self):
        """A rich table: slopes with uncertainty, exponent of h, verdict."""
        from polhode.report.terminal import stress_table

        return stress_table(self)

    def figure(self):
        """A Matplotlib figure: a row per method, a column per step size."""
        from polhode.figures.stress import stress_figure

        return stress_figure(self)

    def save(self, folder):
        """Write stress.png, stress.svg, stress.html and stress.json into a folder; returns their paths."""
        from polhode.report.stress import save

        return save(self, folder)


class Starts:
    """The ensemble: the problem's own start, then nearby ones, the same in every run of the program."""

    def __init__(self, problem, count):
        self.problem, self.count = problem, count
        rng = np.random.default_rng(2012)
        attitudes = Rotation().random(64, rng=rng).as_matrix()
        kinetic = problem.energy(problem.Q0, problem.Omega0) - problem.potential(problem.Q0)
        depths = np.abs([problem.potential(Q) - problem.potential(problem.Q0) for Q in attitudes])
        self.energy = float(kinetic + np.nanmedian(depths))
        Pi = problem.tensor @ problem.Omega0
        size = np.linalg.norm(Pi) or np.sqrt(problem.moments.mean() * self.energy)  # a body at rest: of that energy
        self.momenta = [Pi]
        for k in range(count - 1):
            direction = rng.standard_normal(3)
            self.momenta.append(Pi + NEARBY[k % 2] * size * direction / np.linalg.norm(direction))

    @property
    def independent(self):
        """How many count as independent: those changed by 1e-9 may all be copies of the first."""
        return 1 + self.count // 2

    def __iter__(self):
        for Pi in self.momenta:
            yield self.problem.replaced(Pi0=Pi) if Pi is not self.momenta[0] else self.problem


# ---- measuring ---------------------------------------------------------------------------------------


def _measured(method, starts, h, n, tick):
    """Run the ensemble with one step size; the first unstable run ends it."""
    every = max(1, n // SAMPLES)
    energies = []
    for p in starts:
        s = solve(p, method, h=h, n_steps=n, save_every=every)
        if s.stats["interrupted"]:
            raise KeyboardInterrupt
        if s.message and s.stats["n_steps"] == 0 and not isinstance(method, Method):
            raise InputError(s.message)  # not an unstable method but one that does not run
        with np.errstate(all="ignore"):
            energies.append(s.energy_error)
        tick(n)
        message = s.message or _out_of_bounds(s.t, energies[-1], starts.energy)
        if message:
            tick(n * (starts.count - len(energies)))
            break
    return _evidence(s.t, energies, h, n, message, starts)


def _out_of_bounds(t, e, scale):
    """The sentence for an energy error as large as the energies of the problem."""
    if (np.abs(e) <= scale).all():
        return ""
    when = t[(~(np.abs(e) <= scale)).argmax()]
    return f"its energy error exceeds {scale:.2g}, the size of the energies themselves, at t = {when:g}"


def _evidence(t, energies, h, n, message, starts):
    round_off = float(np.finfo(float).eps * starts.energy / h)
    with np.errstate(all="ignore"):
        largest = max(float(np.abs(e).max()) for e in energies)
    if message:
        good = int(np.append(~(np.abs(energies[-1]) <= starts.energy), True).argmax())
        t, e = t[:good], energies[-1][None, :good]
        nan = float("nan")
        fit = dict(slope=nan, error=nan, spread=nan, block_error=nan, amplitude=nan, linear=False)
        fit.update(quarters=(nan,) * 4, quarter_errors=(nan,) * 4)
    else:
        e = np.array(energies)
        fit = _fitted(t, e, starts.independent, round_off)
    return Evidence(
        h=h,
        n_steps=n,
        runs=len(energies),
        round_off=round_off,
        change=float(energies[0][-1]),
        largest=largest,
        message=message,
        t=t,
        energy_error=e,
        **fit,
    )


def _fitted(t, e, independent, round_off):
    """Slopes of the span and of its quarters, and whether there is one rate of drift."""
    slopes, errors, _, _ = line(t, e, BLOCKS)
    _, _, between, within = line(t, e, EIGHTHS)
    slope, error = pooled(slopes, errors, independent)
    cuts = np.linspace(0, len(t), 5).astype(int)
    parts = [line(t[a:b], e[:, a:b], QUARTER_BLOCKS) for a, b in itertools.pairwise(cuts)]
    quarters = [pooled(part[0], part[1], independent) for part in parts]
    amplitude, span = float(within.mean()), t[-1] - t[0]
    whole = abs(slope) > SIGMAS * error
    moved = any(abs(q) > max(4 * amplitude / span, SIGMAS * d) for q, d in quarters)
    off = np.median(between) > max(OFF * abs(slope) * span, amplitude / 3, round_off * span)
    bent = (moved and not whole) or ((moved or whole) and (off or _disagree(quarters, 4 * amplitude / span)))
    return dict(
        slope=slope,
        error=error,
        spread=float(slopes.std(ddof=1)) if len(slopes) > 1 else 0.0,
        block_error=float(np.sqrt((errors**2).mean())),
        amplitude=amplitude,
        quarters=tuple(q for q, _ in quarters),
        quarter_errors=tuple(d for _, d in quarters),
        linear=not bool(bent),
    )


def _disagree(quarters, floor):
    """Whether two quarters drift at different rates, by more than chance and by more than `floor`."""
    return any(
        abs(p - q) > max((1 - 1 / BEND) * max(abs(p), abs(q)), floor, SIGMAS * np.hypot(c, d))
        for (p, c), (q, d) in itertools.combinations(quarters, 2)
    )


# ---- judging -----------------------------------------------------------------------------------------


def _row(method, evidence):
    """The verdict that follows from the evidence."""
    known = isinstance(method, Method)
    stable = [e for e in evidence if e.stable]
    seen = [e for e in stable if e.seen]
    fitted = [e for e in seen if e.linear and np.sign(e.slope) == np.sign(seen[0].rate)]
    marks, notes = [], [_bent(e) for e in stable if not e.linear]
    notes += [f"is unstable at h = {e.h:g}: {e.message.rstrip('.')}" for e in evidence if not e.stable]
    exponent = exponent_error = None
    if not evidence[0].stable:  # the smallest step
        verdict = sign = "unstable"
    elif len(seen) >= min(2, len(stable)):
        verdict, sign = "drifts", "-" if seen[0].rate < 0 else "+"
        if len({np.sign(e.rate) for e in seen}) > 1:
            notes.append(f"drifts the other way at another h; the verdict is that of h = {seen[0].h:g}")
        if len(fitted) > 1:
            exponent, exponent_error = power(*(np.array(x) for x in zip(*((e.h, e.slope, e.error) for e in fitted))))
        if not fitted:
            marks.append("at no constant rate")
    else:
        verdict, sign = "no drift seen", "none"
        notes += [
            f"shows a slope of {one(e.rate, '+')} at h = {e.h:g} alone, beyond {SIGMAS:g} standard errors: "
            "a longer span or another h would decide"
            for e in seen
        ]
    if verdict != "unstable":
        marks += [f"unstable at h = {e.h:g}" for e in evidence if not e.stable]
    if len(stable) == 1:
        marks.append("one step size only")
    if all(e.runs == 1 for e in stable) and verdict != "unstable":
        marks.append("one run only")
    return Row(
        method=method.name if known else getattr(method, "__name__", "your method"),
        title=method.title if known else "",
        evidence=tuple(evidence),
        verdict=verdict,
        sign=sign,
        exponent=exponent,
        exponent_error=exponent_error,
        marks=tuple(marks),
        notes=tuple(notes),
    )


def _bent(e):
    slopes = ", ".join(one(q, "+") for q in e.quarters)
    return f"leaves the linear regime at h = {e.h:g}, so no line is fitted; slopes by quarters of the span: {slopes}"


# ---- arguments ---------------------------------------------------------------------------------------


def _methods(given, problem):
    if given is None:
        given = ORTOLAN_SACCON.methods
    if isinstance(given, (str, Method)) or callable(given):
        given = [given]
    given = [given_method(m) for m in items("methods", given, "a method or a sequence of them")]
    if not given:
        raise InputError("No method was given; give at least one, or leave methods out for those of the paper.")
    for m in given:
        if isinstance(m, Method) and m.free_only and problem.has_torque:
            raise InputError(f"{m.name} is for a free body only, and {problem.name!r} has a torque. Leave it out.")
    return list(dict.fromkeys(given))


def _step_sizes(problem, h, t_end):
    """The step sizes in increasing order, and the number of steps of each."""
    sizes = step_sizes(h)
    counts = [interval(problem, x, t_end, None)[1] for x in sizes]
    if min(counts) < FEWEST:
        raise InputError(
            f"t_end = {t_end:g} is only {min(counts)} steps of h = {sizes[-1]:g}; a drift needs at least {FEWEST}. "
            "Lengthen the span or reduce h."
        )
    return sizes, counts


class _bar:
    """A progress bar, or none; gives a function to call with the steps just taken."""

    def __init__(self, wanted, total):
        self.bar, self.done = None, 0
        if wanted:
            from polhode.progress import Bar

            self.bar = Bar(total, "stress test")

    def __enter__(self):
        show = self.bar.__enter__() if self.bar else lambda done: None

        def tick(n):
            self.done += n
            show(self.done)

        return tick

    def __exit__(self, *exception):
        return self.bar.__exit__(*exception) if self.bar else False
