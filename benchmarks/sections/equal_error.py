"""Time to reach an error: the comparison that counts between methods of different order.

On [0, 5] the error is the largest of Q and Omega at the end, against a reference to all digits. On [0, 10000] the
motion forgets its start, and the error is the largest energy error at a hundred times. For each error the coarsest
setting that reaches it is looked for (tolerances a quarter of a decade apart, numbers of steps 2^(1/4) apart); then all
are timed in turn, on the short interval in runs fifty times as long, so that the cost of a call counts for nobody.
"""

import importlib
import math
import statistics

import numpy as np
import ours
import peers
from measure import CLOCK, duration, interleaved
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
"""Tried beside VLV and every method of order four or more in the catalogue."""

MOST_SECONDS = 2.0
"""Once a run takes longer, nothing finer is tried."""


def measure(quick):
    """Times of ours and of every adaptive solver that can be imported, for every error."""
    problem, equations = ph.problem("stress"), stress()
    own = ph.solve(problem, "VLV", h=0.125, t_end=LONG, save_every=int(LONG / SAMPLES / 0.125))
    target = 1.001 * float(np.abs(own.energy_error).max())
    solvers, left_out = {}, {}
    for name in peers.ADAPTIVE:
        try:
            solvers |= importlib.import_module(f"peers.{name}").solvers(equations)
        except ImportError as reason:
            left_out[name] = str(reason)
    short = _Short(problem, equations, SHORT_TARGETS)
    long = _Long(problem, equations, (target, *LONG_TARGETS[: 1 if quick else None]))
    return {
        "own": target,
        "left out": left_out,
        "call": duration(ours.call(problem, "VLV", 0.125, 1)),
        "short": _timed(short, solvers, repeats=2 if quick else 5),
        "long": _timed(long, solvers, repeats=1 if quick else 3),
    }


def _timed(interval, solvers, repeats):
    """Find the settings, then time all in turn: seconds, one number per repeat, by name and target."""
    high = [m.name for m in ph.methods().values() if not m.free_only and min(m.orders.torque) >= 4]
    mine = ("VLV", *high, *COMPOSED)
    runs = {(name, i): run for name in mine for i, run in enumerate(interval.ours(ph.method(name))) if run}
    tolerances = {}
    for name, prepare in solvers.items():
        twin = name.replace("NumPy", "Numba")
        tolerances[name] = tolerances[twin] if twin in tolerances and interval.is_long else interval.tolerances(prepare)
        found = interval.peer(prepare, tolerances[name], hundredth=twin != name and interval.is_long)
        runs |= {(name, i): run for i, run in enumerate(found) if run}
    seconds = interleaved({key: prepare for key, (_, prepare) in runs.items()}, repeats)
    by_name = {name: [None] * len(interval.targets) for name in (*mine, *solvers)}
    for (name, i), values in seconds.items():
        by_name[name][i] = [runs[name, i][0] * value for value in values]
    return {"targets": interval.targets, "ours": mine, "seconds": by_name}


class _Interval:
    """An interval and the errors to reach on it. Runs come as (factor to the time of the interval, prepare)."""

    def __init__(self, problem, equations, targets):
        self.problem, self.equations, self.targets = problem, equations, list(targets)

    def ours(self, method):
        """A run per target, or None."""
        steps = lambda k: self.pieces * math.ceil(self.fewest * 2 ** (k / 4))
        found = _coarsest(steps, lambda n: self.error_of_ours(method, n), self.targets, start=16, finest=80)
        return [None if n is None else self._loop(method, n) for n in found]

    def _loop(self, method, n):
        return 1 / self.again, lambda: ours.loop(self.problem, method, self.end / n, self.again * n)

    def tolerances(self, prepare):
        """The tolerance per target, or None."""
        solve = prepare(self.times)
        tolerance = lambda k: 10 ** (-1 - k / 4)
        return _coarsest(tolerance, lambda x: self.error_of_states(solve(x)), self.targets, start=24, finest=59)

    def peer(self, prepare, tolerances, hundredth):
        """A run per target, or None; of the first hundredth of the interval only, if asked."""
        solve = prepare(self.times[:1] if hundredth else [self.again * t for t in self.times])
        factor = SAMPLES if hundredth else 1 / self.again
        return [None if x is None else (factor, lambda x=x: lambda: solve(x)) for x in tolerances]


class _Short(_Interval):
    """The error is that of the state at the end."""

    is_long, end, pieces, fewest, again = False, SHORT, 1, 3, 50
    times = (SHORT,)

    def error_of_ours(self, method, n):
        done = ph.solve(self.problem, method, h=self.end / n, n_steps=n, save_every=n)
        return self._error(done.Q[-1], done.Omega[-1]) if done.success else math.inf

    def error_of_states(self, states):
        return self._error(Rotation().from_quat(states[-1, :4], scalar_first=True).as_matrix(), states[-1, 4:])

    def _error(self, Q, Omega):
        exact = reference(self.problem, SHORT)
        return max(np.abs(Q - exact[0]).max(), np.abs(Omega - exact[1]).max())


class _Long(_Interval):
    """The error is the largest of the energy."""

    is_long, end, pieces, fewest, again = True, LONG, SAMPLES, 50, 1
    times = tuple(LONG / SAMPLES * (1 + i) for i in range(SAMPLES))

    def error_of_ours(self, method, n):
        done = ph.solve(self.problem, method, h=self.end / n, n_steps=n, save_every=n // SAMPLES)
        return np.abs(done.energy_error).max() if done.success else math.inf

    def error_of_states(self, states):
        if len(states) < SAMPLES or not np.isfinite(states).all():
            return math.inf
        return np.abs(self.equations.energies(states) - self.equations.energies(self.equations.y0)).max()


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
    """One table per interval."""
    short = (
        " Timed in runs fifty times as long and divided by fifty: what calling a solver costs is left out, "
        f"ours ({span(data['call'])} for `solve`) and theirs."
    )
    long = (
        f" {data['own']:.2g} is what VLV leaves with h = 0.125. The right-hand sides with NumPy are timed on the first "
        "hundredth of the interval with the tolerances of their compiled twins."
    )
    absent = "".join(f" Left out: {name} ({reason})." for name, reason in data["left out"].items())
    return [
        _table("Time to an error of the state on [0, 5]", data["short"], short + absent),
        _table("Time to an energy error on [0, 10000]", data["long"], long + absent),
    ]


def _table(title, data, remark):
    """VLV, the fastest of ours, and the peers, relative to the fastest peer."""
    targets, mine, seconds = data["targets"], data["ours"], data["seconds"]
    columns = range(len(targets))
    peer_names = [name for name in seconds if name not in mine]
    best = [_fastest(seconds, mine, i) for i in columns]
    rival = [_fastest(seconds, peer_names, i) for i in columns]
    cell = lambda name, i: _cell(seconds, name, rival[i], i)
    rows = [("ours: VLV", *(cell("VLV", i) for i in columns))]
    rows.append(("ours: the fastest", *(f"{best[i]} {cell(best[i], i)}" if best[i] else "-" for i in columns)))
    rows += [(name, *(cell(name, i) for i in columns)) for name in peer_names]
    note = (
        "In brackets: relative to the fastest peer. Settings as coarse as the error allows; not reached: not by runs "
        f"of up to {MOST_SECONDS:.0f} s."
    )
    return Table(title, ("", *(f"error {x:.2g}" for x in targets)), rows, note + remark)


def _fastest(seconds, names, i):
    able = [name for name in names if seconds[name][i]]
    return min(able, key=lambda name: statistics.median(seconds[name][i]), default=None)


def _cell(seconds, name, rival, i):
    values = seconds[name][i]
    if not values:
        return "not reached"
    shown = span(statistics.median(values))
    if rival is None:
        return shown
    return f"{shown} ({times(statistics.median(a / b for a, b in zip(values, seconds[rival][i])))})"
