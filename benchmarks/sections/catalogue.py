"""Every method of the catalogue: what a step costs, and why."""

import statistics

import ours
from measure import interleaved, ratio
from table import Table, times

import polhode as ph

TITLE = "Catalogue"
H = {"stress": 0.125, "water": 0.1}
STEPS = 20_000


def measure(quick):
    """Time a step of each method, each in turn with VLV; free-body methods on a free body."""
    return {"steps": STEPS, "rows": [_row(m, repeats=3 if quick else 9) for m in ph.methods().values()]}


def _row(method, repeats):
    name = "water" if method.free_only else "stress"
    problem, stress, h = ph.problem(name), ph.problem("stress"), H[name]
    done = ph.solve(problem, method, h=h, n_steps=STEPS, save_every=STEPS)
    n = done.stats["n_steps"]
    runs = {
        "method": lambda: ours.loop(problem, method, h, n),
        "VLV": lambda: ours.loop(stress, "VLV", H["stress"], STEPS),
    }
    seconds = interleaved(runs, repeats)
    return {
        "method": method.name,
        "problem": name,
        "n_steps": n,
        "ns": statistics.median(seconds["method"]) / n * 1e9,
        "torques": (done.stats["n_torque"] - 1) / n,
        "iterations": done.stats["n_iterations"] / n,
        "ratio": ratio(seconds, "method", "VLV") * STEPS / n,
        "message": done.message,
    }


def tables(data):
    """One table, the cheapest method first."""
    rows = [
        (
            r["method"] + (" (free body)" if r["problem"] == "water" else ""),
            f"{r['ns']:.0f}",
            times(r["ratio"]),
            f"{r['torques']:.2f}",
            f"{r['iterations']:.2f}",
        )
        for r in sorted(data["rows"], key=lambda r: r["ratio"])
    ]
    stopped = [f"{r['method']} at step {r['n_steps']}" for r in data["rows"] if r["message"]]
    note = (
        f"The compiled loop over {data['steps']} steps of the stress test with h = 0.125 (free-body methods: `water`, "
        "h = 0.1). Torques and iterations are per step."
    )
    if stopped:
        note += (
            f" Stopped before the end, as their equations had no solution or the motion blew up: {', '.join(stopped)}."
        )
    columns = ("method", "ns/step", "relative to VLV", "torques", "iterations")
    return [Table("Every method", columns, rows, note)]
