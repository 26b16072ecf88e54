"""The fastest way to any accuracy: seven problems, two or three intervals, five errors of the attitude at the end.

heyoka has its right-hand sides by hand, in unit quaternions; an object of it is made beforehand, and a run sets its
state and time and propagates. Ours is timed twice, by the method of ours that is fastest there: the whole of `solve`,
from the problem to a Trajectory with the last state; and an Integrator that is made beforehand, reset, and taken to the
end, as heyoka's object is. For each error the coarsest setting that reaches it is looked for, of tolerances a quarter
of a decade and of steps 2^(1/4) apart; then both are timed in turn. Torque evaluations are counted for methods that are
explicit in the torque, against SciPy's LSODA and DOP853.
"""

import functools
import math
import statistics

import numpy as np
from equal import coarsest
from measure import CLOCK
from peers.by_hand import problems
from table import Table, power, span, times

import polhode as ph
from polhode.inputs.quaternions import quaternion
from polhode.runs.turns import on_purpose

TITLE = "Any accuracy"
TARGETS = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
SPANS = {"stress": (10.0, 100.0, 1000.0), "stress, no symmetry": (10.0, 100.0, 1000.0)}
OTHER_SPANS = (10.0, 100.0)
QUICK_SPANS = (10.0, 100.0)
METHODS = ("RKN6", "RKN8", "GAUSS8", "GAUSS16", "SR6", "VLV/KL8")
QUICK_METHODS = ("RKN6",)
"""Methods of ours with a fixed step that are tried beside Taylor's."""

SEARCH_SECONDS = 2.0
"""For the settings of one method in one interval: what takes longer is far from the fastest there."""

COUNTED = ("stress", "heavy-top")
COUNTED_SPAN, COUNTED_TARGETS = 100.0, TARGETS[:4]
PIECE = 2e-3
"""Seconds that are timed at once, in as many runs as they take."""

BEFORE = 3
"""Runs of each before it is timed: the second call of `solve` of its kind prepares the third."""


@on_purpose()
def measure(quick):
    """Times of both in every cell, and torque evaluations."""
    cells, counts = [], []
    try:
        import heyoka  # noqa: F401
    except ImportError:
        return {"cells": [], "counts": [], "left out": {"heyoka": "not installed"}}
    for name, given in problems().items():
        peer = Heyoka(given)
        for end in QUICK_SPANS if quick else SPANS.get(name, OTHER_SPANS):
            cells += _cells(given, peer, end, quick)
        if name in COUNTED:
            counts += _counts(given, peer)
    return {"cells": cells, "counts": counts}


# ---- time ----------------------------------------------------------------------------------------------------


def _cells(given, heyoka, end, quick):
    exact = heyoka.exact(end)
    error = lambda state: _angle(state, exact)
    tolerance = lambda k: 10 ** (-1 - k / 4)
    theirs = coarsest(tolerance, lambda x: error(heyoka.run(x, end)()), TARGETS, start=12, finest=59)
    runs = {"TAYLOR": _own(given, end, error, lambda k: ph.taylor(max(tolerance(k), 1e-17)), 12, 64, steps=None)}
    few = max(1.0, end * float(np.linalg.norm(given.problem.Omega0)) / 4)
    for name in QUICK_METHODS if quick else METHODS:
        runs[name] = _own(
            given, end, error, lambda k, name=name: ph.method(name), 8, 44, lambda k: math.ceil(few * 2 ** (k / 4))
        )
    found = []
    for i, target in enumerate(TARGETS):
        able = {name: settings[i] for name, settings in runs.items() if settings[i] is not None}
        peer = None if theirs[i] is None else heyoka.run(theirs[i], end)
        found.append({"problem": given.name, "end": end, "error": target, **_timed(able, peer, 3 if quick else 9)})
    return found


def _timed(able, peer, repeats):
    """Seconds of heyoka, and of the fastest of ours both ways; how many times longer heyoka takes."""
    cell = {"heyoka": None}
    for way, kind in (("solve", 0), ("held", 1)):
        runs = {name: both[kind] for name, both in able.items()}
        once = _in_turn(runs, 1)
        best = min(runs, key=lambda name: once[name][0], default=None)
        close = {name: run for name, run in runs.items() if once[name][0] < 1.5 * once[best][0]}
        seconds = _in_turn(close | ({} if peer is None else {"heyoka": peer}), repeats)
        best = min(close, key=lambda name: statistics.median(seconds[name]), default=None)
        cell[way] = {"method": best, "seconds": best and statistics.median(seconds[best]), "ratio": None}
        if peer is not None:
            cell["heyoka"] = statistics.median(seconds["heyoka"])
        if peer is not None and best is not None:
            cell[way]["ratio"] = statistics.median(b / a for a, b in zip(seconds[best], seconds["heyoka"]))
    return cell


def _own(given, end, error, method, start, finest, steps):
    """For each target the run of `solve`, and that of an Integrator that is made beforehand; or None."""
    p, began = given.problem, CLOCK()

    def setting(k):
        return method(k), 1 if steps is None else steps(k)

    def reached(found):
        m, n = found
        if CLOCK() - began > SEARCH_SECONDS:
            return math.inf
        s = ph.solve(p, m, h=end / n, n_steps=n, save_every=n, on_failure="return")
        return error(_state(s)) if s.success else math.inf

    def runs(m, n):
        held = ph.Integrator(p, m, h=end / n)
        return (lambda: ph.solve(p, m, h=end / n, n_steps=n, save_every=n)), (lambda: held.reset().step(n))

    reached((method(start), 1))  # compiles, which must not count as a slow run
    began = CLOCK()
    found = coarsest(setting, reached, TARGETS, start, finest)
    return [None if x is None else runs(*x) for x in found]


def _in_turn(runs, repeats):
    """Seconds a run of each, as many runs at once as fill a piece; one number per repeat."""
    seconds, often = {name: [] for name in runs}, {}
    for name, run in runs.items():
        for _ in range(BEFORE):
            run()
        begin = CLOCK()
        run()
        often[name] = max(1, math.ceil(PIECE / max(CLOCK() - begin, 1e-6)))
    for _ in range(repeats):
        for name, run in runs.items():
            begin = CLOCK()
            for _ in range(often[name]):
                run()
            seconds[name].append((CLOCK() - begin) / often[name])
    return seconds


def _state(s):
    return s.quat(scalar_first=True)[-1]


def _angle(state, exact):
    """The angle between two attitudes given as quaternions, of any length and sign."""
    p, q = (x[:4] / np.linalg.norm(x[:4]) for x in (state, exact))
    return float(4 * math.asin(min(1.0, min(np.linalg.norm(p - q), np.linalg.norm(p + q)) / 2)))


class Heyoka:
    """heyoka on one problem."""

    def __init__(self, given):
        import heyoka

        self.package, self.given = heyoka, given
        names = heyoka.make_vars(*"wxyzabc")
        rates = given.rates(names, heyoka.sqrt, heyoka.sin, heyoka.cos, heyoka.time)
        self.system = list(zip(names, (r + 0.0 * names[0] if isinstance(r, float) else r for r in rates)))

    def run(self, tolerance, end):
        """A run to the end; it returns the state."""
        taylor, y0 = self._integrator(max(tolerance, 2.3e-16)), self.given.start

        def run():
            taylor.time = 0.0
            taylor.state[:] = y0
            taylor.propagate_until(end)
            return taylor.state.copy()

        return run

    @functools.cache  # noqa: B019 - it lives as long as the section
    def _integrator(self, tolerance):
        return self.package.taylor_adaptive(self.system, self.given.start, tol=tolerance, fast_math=True)

    def exact(self, end):
        """The state at the end with 19 digits where there are such numbers; our tests compare ours with mpmath."""
        if np.finfo(np.longdouble).eps > 1e-18:
            from polhode.reference.reference import reference

            return quaternion(reference(self.given.problem, end)[0])
        start = self.given.start.astype(np.longdouble)
        taylor = self.package.taylor_adaptive(self.system, start, tol=np.longdouble(1e-19), fp_type=np.longdouble)
        taylor.propagate_until(np.longdouble(end))
        return taylor.state.astype(float)


# ---- torque evaluations ----------------------------------------------------------------------------------------


def explicit():
    """The methods that are counted: explicit in the torque, from order four on."""
    return [m for m in ph.methods().values() if m.explicit_torque and not m.free_only and min(m.orders.torque) >= 4]


def _counts(given, heyoka):
    """Torque evaluations to each error, of every method explicit in the torque and of SciPy's two."""
    from scipy.integrate import solve_ivp

    p, end = given.problem, COUNTED_SPAN
    exact = heyoka.exact(end)
    found = []
    tally = {}

    def of_scipy(solver, x):
        f = lambda t, y: given.rates(y, np.sqrt, np.sin, np.cos, t)
        s = solve_ivp(f, (0.0, end), given.start, method=solver, rtol=x, atol=x)
        tally[solver, x] = s.nfev
        return _angle(s.y[:, -1], exact)

    def of_ours(m, n):
        s = ph.solve(p, m, h=end / n, n_steps=n, save_every=n, on_failure="return")
        tally[m.name, n] = s.stats["n_torque"]
        return _angle(_state(s), exact) if s.success else math.inf

    rows = {}
    for solver in ("LSODA", "DOP853"):
        settings = coarsest(
            lambda k: 10 ** (-1 - k / 4), functools.partial(of_scipy, solver), COUNTED_TARGETS, start=12, finest=50
        )
        rows[solver] = [None if x is None else tally[solver, x] for x in settings]
    for m in explicit():
        of_ours(m, 1)  # compiles, which must not count as a slow run
        settings = coarsest(
            lambda k: math.ceil(8 * 2 ** (k / 4)), functools.partial(of_ours, m), COUNTED_TARGETS, start=12, finest=52
        )
        rows[m.name] = [None if n is None else tally[m.name, n] for n in settings]
    for i, target in enumerate(COUNTED_TARGETS):
        ours = {name: r[i] for name, r in rows.items() if r[i] is not None and name not in ("LSODA", "DOP853")}
        best = min(ours, key=ours.get, default=None)
        rival = min((rows[x][i] for x in ("LSODA", "DOP853") if rows[x][i] is not None), default=None)
        found.append(
            {
                "problem": given.name,
                "error": target,
                "LSODA": rows["LSODA"][i],
                "DOP853": rows["DOP853"][i],
                "ours": best,
                "torques": ours.get(best),
                "ratio": ours[best] / rival if best and rival else None,
                "all": {name: r[i] for name, r in rows.items()},
            }
        )
    return found


# ---- tables ----------------------------------------------------------------------------------------------------


def tables(data):
    """Every cell, the same for the loops alone, and the torque evaluations."""
    return [
        _times(
            data["cells"],
            "Time to an error of the attitude by `solve`, heyoka's over ours",
            "solve",
            "Above 1 ours is faster. Ours is the whole call, from a problem to a Trajectory; heyoka's an object made "
            "beforehand, its state set, its rates by hand. In brackets our time and method; -: one of the two does not "
            "reach the error.",
        ),
        _times(
            data["cells"],
            "The same by an object that is held",
            "held",
            "Ours is an Integrator made beforehand, reset and taken to the end, as heyoka's object is; to look at the "
            "state is in neither.",
        ),
        _torques(data["counts"]),
    ]


def _times(cells, title, way, note):
    rows = []
    for name, end in dict.fromkeys((c["problem"], c["end"]) for c in cells):
        row = [c for c in cells if (c["problem"], c["end"]) == (name, end)]
        shown = ["-" if x["ratio"] is None else _shown(x) for x in (c[way] for c in row)]
        rows.append((name, f"[0, {end:g}]", *shown))
    mean, behind, count = overall(cells, way)
    note += f" Geometric mean of {count} cells: {times(mean)}; in {behind} heyoka is faster."
    return Table(title, ("", "interval", *(power(x) for x in TARGETS)), rows, note, words=2)


def overall(cells, way):
    """The geometric mean of heyoka's time over ours, in how many cells heyoka is faster, and of how many."""
    ratios = [c[way]["ratio"] for c in cells if c[way]["ratio"] is not None]
    mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None
    return mean, sum(r < 1 for r in ratios), len(ratios)


def _shown(x):
    return f"{times(x['ratio'])} ({span(x['seconds'])}, {x['method']})"


def _torques(counts):
    rows = [
        (
            c["problem"],
            power(c["error"]),
            *("-" if c[x] is None else str(c[x]) for x in ("LSODA", "DOP853", "torques")),
            c["ours"] or "-",
            times(c["ratio"]),
        )
        for c in counts
    ]
    note = (
        f"Over [0, {COUNTED_SPAN:g}]. Ours is the method explicit in the torque that needs fewest; the ratio is to the "
        "better of SciPy's two, which evaluate the right-hand side as often as the torque. -: not reached with any "
        "tolerance down to 3e-14."
    )
    head = ("", "error", "LSODA", "DOP853", "ours", "method", "ours : theirs")
    return Table("Torque evaluations to an error of the attitude", head, rows, note)
