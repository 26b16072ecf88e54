"""Many bodies at once: `solve_ensemble` against hand-written C with SIMD lanes and against heyoka in batches.

The bodies are those of the stress test with nearby velocities. The C is compiled for AVX2 and, where the processor has
it, for AVX-512, each with one chain or two and with or without fused multiply-add; the fastest of each is the opponent.
Its arrays are made beforehand; ours is the whole public call.
"""

import math
import statistics

import c_code
import numpy as np
import peers
from equal import candidates, coarsest, most_seconds, table
from measure import fastest, interleaved, ratio, thread_counts
from peers.stress import stress
from table import Table, times

import polhode as ph

TITLE = "Ensembles"
H = 0.125
BODIES, STEPS = 10_000 - 10_000 % c_code.GROUP, 1000
END, SAMPLES, TARGET = 100.0, 20, 1e-10
"""For equal error: the interval, at how many times the energy is looked at, the error after VLV's own."""


def measure(quick):
    """Rates of ours and of the C, a step of every method, and the time to equal errors."""
    problem, repeats = ph.problem("stress"), 3 if quick else 11
    forms, left_out = {}, {}
    try:
        compiler = c_code.version()
        forms = {machine: _fastest_form(problem, machine) for machine in c_code.lane_machines()}
    except c_code.NoCompiler as reason:
        compiler, left_out["C"] = None, str(reason)
    everyone = [m.name for m in ph.methods().values() if not m.free_only]
    every, mine = (_compiled(problem, names, left_out) for names in (everyone, candidates()))
    return {
        "bodies": BODIES,
        "compiler": compiler,
        "left out": left_out,
        "rates": _rates(problem, {name: function for name, (_, function) in forms.items()}, repeats),
        "forms": {name: how for name, (how, _) in forms.items()},
        "methods": _steps(problem, every, repeats),
        "equal": _equal_errors(problem, mine, bodies=200 if quick else 1000, repeats=2 if quick else 5),
    }


def _compiled(problem, names, left_out):
    """Those of our methods that run as machine code, which all should; interpreted they would take hours."""
    reasons = {}
    for name in names:
        stats = ph.solve_ensemble(problem, name, Omega0=_velocities(1), h=H, n_steps=1).stats
        if not stats["compiled"]:
            reasons[f"our {name}"] = stats["reason"]
    left_out |= reasons
    return [name for name in names if f"our {name}" not in reasons]


def _velocities(bodies):
    """Nearby starts, the same in every run."""
    return (0, 0, 0.625) + 0.01 * np.random.default_rng(0).normal(size=(bodies, 3))


def _call(problem, method, Omega0, h, n, threads=1):
    """The public call for the last states; it returns Pi of the first body."""

    def run():
        done = ph.solve_ensemble(problem, method, Omega0=Omega0, h=h, n_steps=n, save_every=n, threads=threads)
        return done.rows[-1, 4:, 0]

    return run


# ---- C with lanes ------------------------------------------------------------------------------------


def _fastest_form(problem, machine):
    """The fastest form of the C for a kind of lanes: how it is made, and its function."""
    forms = c_code.lanes(machine)
    Omega0 = _velocities(BODIES // 10 - BODIES // 10 % c_code.GROUP)
    seconds = interleaved({how: lambda f=f: f(problem, Omega0, H, STEPS, 1) for how, f in forms.items()}, 5)
    best = fastest(seconds, forms)
    return best, forms[best]


def _rates(problem, functions, repeats):
    """Body-steps a second of everybody with every number of threads, and ours relative to it; all in turn."""
    Omega0, counts = _velocities(BODIES), thread_counts()
    runs = {("ours", k): lambda k=k: _call(problem, "VLV", Omega0, H, STEPS, k) for k in counts}
    for name, f in functions.items():
        runs |= {(name, k): lambda f=f, k=k: f(problem, Omega0, H, STEPS, k) for k in counts}
    expected = runs["ours", 1]()()
    for (name, _), prepare in runs.items():
        off = np.abs(prepare()() - expected).max()
        if off > 1e-8:
            raise RuntimeError(f"{name} and ours differ by {off:.1e} after {STEPS} steps of the first body.")
    seconds = interleaved(runs, repeats, wall=[key for key in runs if key[1] > 1])
    on_the_wall = interleaved(runs, repeats, wall=runs)
    return [
        {
            "name": name,
            "threads": k,
            "rate": BODIES * STEPS / statistics.median(seconds[name, k]),
            "ours to theirs": ratio(seconds, ("ours", k), (name, k)) if name != "ours" else None,
            "speed-up": ratio(on_the_wall, (name, 1), (name, k)),
        }
        for name, k in runs
    ]


def _steps(problem, names, repeats):
    """The time of a step of each method, relative to VLV's; torques a step; how many bodies are in the lanes."""
    bodies, n = BODIES // 10, STEPS // 4
    Omega0, found = _velocities(bodies), {}
    for name in names:
        runs = {x: lambda x=x: _call(problem, x, Omega0, H, n) for x in dict.fromkeys(("VLV", name))}
        seconds = interleaved(runs, repeats)
        stats = ph.solve_ensemble(problem, name, Omega0=Omega0[:16], h=H, n_steps=n, save_every=n).stats
        found[name] = {
            "ratio": ratio(seconds, name, "VLV"),
            "ns": statistics.median(seconds[name]) / (bodies * n) * 1e9,
            "torques": stats["n_torque"] / (16 * n),
            "lanes": stats["lanes"],
        }
    return dict(sorted(found.items(), key=lambda item: item[1]["ratio"]))


# ---- equal error -------------------------------------------------------------------------------------


def _equal_errors(problem, mine, bodies, repeats):
    """Seconds a body to VLV's own energy error and to a small one, on one thread: ours and every peer with batches."""
    equations, Omega0 = stress(problem), _velocities(bodies)
    starts = np.hstack([np.tile(equations.y0[:4], (bodies, 1)), Omega0])
    modules, left_out = peers.imported(peers.ENSEMBLES)
    solvers = {name: f for module in modules.values() for name, f in module.ensembles(equations).items()}

    def error_of_ours(method, n):
        done = ph.solve_ensemble(
            problem, method, Omega0=Omega0, h=END / n, n_steps=n, save_every=n // SAMPLES, threads=1
        )
        return np.abs(done.energy_error).max() if done.success.all() else math.inf

    def error_of_states(states):
        off = [equations.energies(at_once) - equations.energies(starts) for at_once in states]
        return np.abs(off).max() if np.isfinite(states).all() else math.inf

    targets = [1.001 * float(error_of_ours("VLV", round(END / H))), TARGET]
    steps = lambda k: SAMPLES * math.ceil(3 * 2 ** (k / 4))
    runs = {}
    for name in mine:
        most = most_seconds(name)
        found = coarsest(steps, lambda n: error_of_ours(name, n), targets, 16, 80, most)  # noqa: B023
        for i, n in enumerate(found):
            runs[name, i] = n and (lambda name=name, n=n: _call(problem, name, Omega0, END / n, n))
    times_seen = [END / SAMPLES * (1 + i) for i in range(SAMPLES)]
    for name, prepare in solvers.items():
        solve, last = prepare(starts, times_seen), prepare(starts, [END])
        tolerance = lambda k: 10 ** (-1 - k / 4)
        found = coarsest(tolerance, lambda x: error_of_states(solve(x)), targets, start=24, finest=59)  # noqa: B023
        for i, x in enumerate(found):
            runs[name, i] = x and (lambda last=last, x=x: lambda: last(x))
    seconds = interleaved({key: prepare for key, prepare in runs.items() if prepare}, repeats)
    names = dict.fromkeys(name for name, _ in runs)
    a_body = lambda key: [x / bodies for x in seconds[key]] if key in seconds else None
    return {
        "bodies": bodies,
        "end": END,
        "left out": left_out,
        "targets": targets,
        "ours": mine,
        "seconds": {name: [a_body((name, i)) for i in range(len(targets))] for name in names},
    }


def tables(data):
    """The rates, the other methods, equal error."""
    rows = [
        (
            "ours" if r["name"] == "ours" else f"C, {r['name']}",
            str(r["threads"]),
            f"{r['rate'] / 1e6:.1f}",
            times(r["ours to theirs"]),
            times(r["speed-up"]),
        )
        for r in data["rates"]
    ]
    forms = "; ".join(f"{name}: {how}" for name, how in data["forms"].items())
    note = f"VLV on the stress test, {BODIES} bodies, {STEPS} steps of h = {H}, the last state kept. " + (
        f"C by {data['compiler']}, -O3, the fastest form of four ({forms}), its arrays made beforehand; ours is the "
        "whole public call. "
        if data["forms"]
        else ""
    )
    note += "One thread by the processor's time, several by the clock on the wall, and so both for the speed-up."
    for name, reason in data["left out"].items():
        note += f" Left out: {name} ({reason})."
    columns = ("", "threads", "million body-steps a second", "time, ours : theirs", "speed-up by threads")
    names = ("method", "ns a body-step", "relative to VLV", "torques a step", "relative to VLV, a torque")
    methods = [
        (name, f"{r['ns']:.1f}", times(r["ratio"]), f"{r['torques']:.1f}", times(r["ratio"] / max(1, r["torques"])))
        for name, r in data["methods"].items()
    ]
    told = lambda found: ", ".join(found) or "none"
    dear = [f"{k} ({times(r['ratio'])})" for k, r in data["methods"].items() if r["torques"] < 1.5 and r["ratio"] > 2]
    alone = [name for name, r in data["methods"].items() if r["lanes"] == 1]
    remark = (
        f"{BODIES // 10} bodies, {STEPS // 4} steps, one thread. More than twice VLV with one torque a step: "
        f"{told(dear)}. One body at a time, as stages fill the lanes: {told(alone)}."
    )
    equal = data["equal"]
    about = (
        f" {equal['bodies']} bodies, one thread; the error is the largest of all bodies at {SAMPLES} times. "
        f"{equal['targets'][0]:.2g} is what VLV leaves with h = {H}. Seconds are for one body; our call is timed whole."
    )
    about += "".join(f" Left out: {name} ({reason})." for name, reason in equal["left out"].items())
    return [
        Table("Ensembles against C", columns, rows, note),
        Table("Every method in ensembles", names, methods, remark),
        table(f"Ensembles: time of a body to an energy error on [0, {END:.0f}]", equal, about),
    ]
