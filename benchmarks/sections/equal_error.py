"""Time to reach an error: the comparison that counts between methods of different order.

On [0, 5] the error is the largest of Q and Omega at the end, against a reference to all digits. On [0, 10000] the
motion forgets its start, and the error is the largest energy error at a hundred times. For each error the coarsest
setting that reaches it is looked for (tolerances a quarter of a decade apart, numbers of steps 2^(1/4) apart) and
timed; on the short interval in a run fifty times as long, so that the cost of a call counts for nobody.
"""

import importlib
import math

import numpy as np
import ours
import peers
from measure import CLOCK, duration
from peers.stress import stress
from table import Table, span, times

import polhode as ph
from polhode.exact.reference import reference
from polhode.rotation import Rotation

TITLE = "Equal error"
SHORT, LONG, SAMPLES = 5.0, 10_000.0, 100
SHORT_TARGETS = (1e-6, 1e-10, 1e-13)
LONG_TARGETS = (1e-6, 1e-10, 1e-12)  # after VLV's own
COMPOSED = ("VLV/KL8", "SR2/KL6", "SR2/KL8", "SR2/SS10")
"""Tried beside VLV and every method of order four or more in the catalogue; the fastest is shown."""

MOST_SECONDS = 2.0
"""Once a run takes longer, nothing finer is tried."""

OURS, BEST = "ours: VLV", "ours: the fastest"


def measure(quick):
    """Times of ours and of every adaptive solver that can be imported, for every error."""
    problem, equations = ph.problem("stress"), stress()
    own = ph.solve(problem, "VLV", h=0.125, t_end=LONG, save_every=int(LONG / SAMPLES / 0.125))
    target = 1.001 * float(np.abs(own.energy_error).max())
    found, left_out = {}, {}
    for name in peers.ADAPTIVE:
        try:
            found |= importlib.import_module(f"peers.{name}").solvers(equations)
        except ImportError as reason:
            left_out[name] = str(reason)
    intervals = {
        "short": _Short(problem, equations, SHORT_TARGETS),
        "long": _Long(problem, equations, (target, *LONG_TARGETS[: 1 if quick else None])),
    }
    results = {"own": target, "left out": left_out, "call": duration(ours.call(problem, "VLV", 0.125, 1))}
    for label, interval in intervals.items():
        results[label] = {"targets": interval.targets, "rows": _rows(interval, found)}
    return results


def _rows(interval, found):
    """Seconds per target: VLV, the fastest of ours, and each peer."""
    high = [m.name for m in ph.methods().values() if not m.free_only and min(m.orders.torque) >= 4]
    mine = {name: interval.ours(name) for name in ("VLV", *high, *COMPOSED)}
    rows = {OURS: [_entry(s, None) for s in mine["VLV"]]}
    best = []
    for column in range(len(interval.targets)):
        times = {name: entries[column] for name, entries in mine.items() if entries[column] is not None}
        name = min(times, key=times.get, default=None)
        best.append(_entry(times.get(name), name))
    rows[BEST] = best
    tolerances = {}
    for name, prepare in found.items():
        twin = name.replace("NumPy", "Numba")
        if isinstance(interval, _Long) and twin != name:
            rows[name] = interval.scaled(prepare, tolerances[twin])
        else:
            rows[name], tolerances[name] = interval.peer(prepare)
    return rows


def _entry(seconds, remark):
    return {"seconds": seconds, "remark": remark}


class _Interval:
    """An interval, the errors to reach on it, and how to measure them; subclasses say what the error is."""

    def __init__(self, problem, equations, targets):
        self.problem, self.equations, self.targets = problem, equations, list(targets)

    def ours(self, name):
        """Seconds of the compiled loop per target."""
        method = ph.method(name)
        steps = lambda k: self.pieces * math.ceil(self.fewest * 2 ** (k / 4))
        found = _coarsest(steps, lambda n: self.error_of_ours(method, n), self.targets, start=16, finest=80)
        return [None if n is None else self._loop_seconds(method, n) for n in found]

    def _loop_seconds(self, method, n):
        return duration(ours.loop(self.problem, method, self.end / n, self.again * n)) / self.again

    def peer(self, prepare):
        """Entries and tolerances per target."""
        solve, longer = prepare(self.times), prepare([self.again * t for t in self.times])
        tolerance = lambda k: 10 ** (-1 - k / 4)
        found = _coarsest(tolerance, lambda x: self.error_of_states(solve(x)), self.targets, start=24, finest=59)
        timed = lambda x: duration(lambda: longer(x)) / self.again
        return [_entry(None if x is None else timed(x), None) for x in found], found


class _Short(_Interval):
    end, pieces, fewest, again = SHORT, 1, 3, 50
    times = (SHORT,)

    def error_of_ours(self, method, n):
        done = ph.solve(self.problem, method, h=self.end / n, n_steps=n, save_every=n)
        return self._error(done.Q[-1], done.Omega[-1]) if done.success else math.inf

    def error_of_states(self, states):
        Q = Rotation().from_quat(states[-1, :4], scalar_first=True).as_matrix()
        return self._error(Q, states[-1, 4:])

    def _error(self, Q, Omega):
        exact = reference(self.problem, SHORT)
        return max(np.abs(Q - exact[0]).max(), np.abs(Omega - exact[1]).max())


class _Long(_Interval):
    end, pieces, fewest, again = LONG, SAMPLES, 50, 1
    times = tuple(LONG / SAMPLES * (1 + i) for i in range(SAMPLES))

    def error_of_ours(self, method, n):
        done = ph.solve(self.problem, method, h=self.end / n, n_steps=n, save_every=n // SAMPLES)
        return np.abs(done.energy_error).max() if done.success else math.inf

    def error_of_states(self, states):
        if len(states) < SAMPLES or not np.isfinite(states).all():
            return math.inf
        return np.abs(self.equations.energies(states) - self.equations.energies(self.equations.y0)).max()

    def scaled(self, prepare, tolerances):
        """For a slow right-hand side: the tolerances of its compiled twin, the first hundredth, times a hundred."""
        solve = prepare(self.times[:1])
        timed = lambda x: SAMPLES * duration(lambda: solve(x), at_least=0, fewest=1)
        return [_entry(None if x is None else timed(x), "from the first hundredth") for x in tolerances]


def _coarsest(setting, error, targets, start, finest):
    """For each target, in falling order, the coarsest setting(k), 0 <= k <= finest, that reaches it, or None.

    The search begins at `start`, where every solver is sane, and goes in strides of four, then back one by one; it
    ends when a run takes too long.
    """
    known, seconds = {}, {}

    def reached(k, target):
        if k not in known:
            begin = CLOCK()
            known[k] = error(setting(k))
            seconds[k] = CLOCK() - begin
        return known[k] <= target

    found = []
    k = start
    for target in targets:
        while k <= finest and not reached(k, target):
            k = k + 4 if seconds[k] < MOST_SECONDS else finest + 1
        while 4 <= k <= finest and reached(k - 4, target):
            k -= 4
        tried = range(max(k - 3, 0), k + 1) if k <= finest else ()
        found.append(next((setting(j) for j in tried if reached(j, target)), None))
    return found


def tables(data):
    """One table per interval, relative to the fastest of the others."""
    named = {
        "short": ("Time to an error of the state on [0, 5]", "state"),
        "long": ("Time to an energy error on [0, 10000]", "energy"),
    }
    made = []
    for label, (title, what) in named.items():
        targets, rows = data[label]["targets"], data[label]["rows"]
        fastest = [
            min(
                (r[i]["seconds"] for name, r in rows.items() if name not in (OURS, BEST) and r[i]["seconds"]),
                default=None,
            )
            for i in range(len(targets))
        ]
        body = []
        for name, row in rows.items():
            cells = [
                "not reached"
                if e["seconds"] is None
                else f"{span(e['seconds'])} ({times(e['seconds'] / best) if best else '-'})"
                + (f" {e['remark']}" if name == BEST else "")
                for e, best in zip(row, fastest)
            ]
            body.append((name, *cells))
        headings = tuple(f"{what} error {x:.2g}" for x in targets)
        note = (
            "In brackets: relative to the fastest peer. Settings as coarse as the error allows; not reached: not by runs "
            f"of up to {MOST_SECONDS:.0f} s."
        )
        if label == "short":
            note += (
                " Timed in runs fifty times as long and divided by fifty: what calling a solver costs is left out, "
                f"ours ({span(data['call'])} for `solve`) and theirs."
            )
        else:
            note += (
                f" {data['own']:.2g} is what VLV leaves with h = 0.125. The right-hand sides with NumPy are timed on "
                "the first hundredth of the interval with the tolerances of their compiled twins."
            )
        for name, reason in data["left out"].items():
            note += f" Left out: {name} ({reason})."
        made.append(Table(title, ("", *headings), body, note))
    return made
