"""Single trajectories against hand-written C."""

import statistics

import c_code
import numpy as np
import ours
from measure import fastest, interleaved, ratio
from table import Table, power, times

import polhode as ph

TITLE = "Against C"
RUNS = (("VLV", "stress", 0.125), ("ELN", "stress", 0.125), ("RATTLE", "stress", 0.125), ("DMV8", "water", 0.1))
STEPS = 80_000
CHECKED = 1000
"""Steps after which the trajectories are compared: round-off grows, a wrong formula shows at once."""


def measure(quick):
    """Time each method in C (the fastest of four forms, with the torque inlined and called) and ours, in turn."""
    try:
        return {"compiler": c_code.version(), "rows": [_row(*run, repeats=5 if quick else 21) for run in RUNS]}
    except c_code.NoCompiler as reason:
        return {"compiler": None, "reason": str(reason), "rows": []}


def _row(name, problem_name, h, repeats):
    problem = ph.problem(problem_name)
    inlined = c_code.variants(name.lower())
    called = c_code.variants(name.lower(), called=True) if problem.has_torque else {}
    forms = {f"C, {k}": f for k, f in inlined.items()} | {f"called, {k}": f for k, f in called.items()}
    expected, _ = ours.loop(problem, name, h, CHECKED)()
    off = {k: float(np.abs(f(problem, h, CHECKED)()[0] - expected).max()) for k, f in forms.items()}
    if max(off.values()) > 1e-11:
        raise RuntimeError(f"{name} in C and ours differ after {CHECKED} steps: {off}")
    runs = {k: lambda f=f: f(problem, h, STEPS) for k, f in forms.items()}
    runs["loop"] = lambda: ours.loop(problem, name, h, STEPS)
    runs["solve"] = lambda: ours.call(problem, name, h, STEPS)
    seconds = interleaved(runs, repeats)
    best = fastest(seconds, [k for k in forms if k.startswith("C")])
    best_called = fastest(seconds, [k for k in forms if k.startswith("called")]) if called else None
    return {
        "method": name,
        "problem": problem_name,
        "h": h,
        "steps": STEPS,
        "difference": max(off.values()),
        "best": best.removeprefix("C, "),
        "ns": {k: statistics.median(v) / STEPS * 1e9 for k, v in seconds.items()},
        "c_ns": statistics.median(seconds[best]) / STEPS * 1e9,
        "ours_ns": statistics.median(seconds["loop"]) / STEPS * 1e9,
        "loop": ratio(seconds, "loop", best),
        "called": ratio(seconds, "loop", best_called) if called else None,
        "solve": ratio(seconds, "solve", best),
        "iterations": [n[1] / STEPS for n in (forms[best](problem, h, STEPS)(), ours.loop(problem, name, h, STEPS)())],
    }


def tables(data):
    """One table."""
    columns = (
        "method",
        "fastest C",
        "C, ns/step",
        "ours, ns/step",
        "loop / C",
        "loop / C with the torque called",
        "solve / C",
        "iterations a step, C / ours",
        "difference",
    )
    rows = [
        (
            r["method"],
            r["best"],
            f"{r['c_ns']:.1f}",
            f"{r['ours_ns']:.1f}",
            times(r["loop"]),
            times(r["called"]),
            times(r["solve"]),
            "{:.2f} / {:.2f}".format(*r["iterations"]),
            power(r["difference"]),
        )
        for r in data["rows"]
    ]
    if not rows:
        return [Table("Single trajectories against C", columns, [], f"Left out: {data['reason']}.")]
    note = (
        f"{STEPS} steps; VLV, ELN, RATTLE on the stress test with h = 0.125, DMV8 on the free body `water`, h = 0.1. "
        f"C by {data['compiler']}, -O3 -march=native, the fastest of four forms (attitude as matrix or quaternion, "
        "products and sums fused or not). One loop of ours serves every torque, so the torque is called; the C has it "
        "inlined, or called in the column that says so. `solve` is the whole public call. The difference is that of "
        f"the momenta after {CHECKED} steps."
    )
    return [Table("Single trajectories against C", columns, rows, note, words=2)]
