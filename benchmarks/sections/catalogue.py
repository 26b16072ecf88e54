"""Every method of the catalogue: what a step costs, and why."""

import statistics

import operations
import ours
from measure import interleaved, ratio
from table import Table, times

import polhode as ph

TITLE = "Catalogue"
H = {"stress": 0.125, "water": 0.1}
STEPS = 20_000
KNOWN = ("VLV", "ELN", "RATTLE")
"""Methods that `against_c` compares with C: from their times follows what an operation takes inside a step."""

MOST = 2.0
"""A method that takes longer than so many times what its operations and torques predict is marked."""


def measure(quick):
    """Time a step of each method, each in turn with VLV, and predict it; free-body methods on a free body."""
    rows = [_row(m, repeats=3 if quick else 9) for m in ph.methods().values()]
    weights = operations.weights()
    torques = {name: operations.torque_seconds(ph.problem(name)) for name in H}
    known = [(r["ns"], r["operations"]) for r in rows if r["method"] in KNOWN]
    a_sum = operations.sum_seconds(known, weights, torques["stress"] * 1e9)
    for r in rows:
        r["predicted"] = None
        if r["operations"]:
            r["predicted"] = operations.predicted(r["operations"], weights, a_sum, torques[r["problem"]] * 1e9)
    return {"steps": STEPS, "weights": weights, "sum_ns": a_sum, "torque_ns": torques["stress"] * 1e9, "rows": rows}


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
        "operations": operations.counted(problem, method, h),
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
            *_against_prediction(r),
        )
        for r in sorted(data["rows"], key=lambda r: r["ratio"])
    ]
    weights = data["weights"]
    note = (
        f"The compiled loop over {data['steps']} steps of the stress test with h = 0.125 (free-body methods: `water`, "
        "h = 0.1). Torques and iterations are per step. The prediction: the operations of a step are counted by "
        "running it with numbers that count, solves and all (listed: sums and products / divisions / roots, sines and "
        f"cosines); beside a sum, a division counts {weights['divisions']:.1f}, a root {weights['roots']:.1f}, a sine "
        f"{weights['sines']:.1f}, as chains of them take in this run; a sum counts {data['sum_ns']:.2f} ns, the median "
        f"that explains {', '.join(KNOWN)}, which are compared with C; a torque {data['torque_ns']:.0f} ns, as a chain "
        "of them takes. Stages that run side by side in a vector count one by one: such a method should be well below. "
        f"{_marked(data['rows'])}"
    )
    stopped = [f"{r['method']} at step {r['n_steps']}" for r in data["rows"] if r["message"]]
    if stopped:
        note += (
            f" Stopped before the end, as their equations had no solution or the motion blew up: {', '.join(stopped)}."
        )
    columns = ("method", "ns/step", "relative to VLV", "torques", "iterations")
    return [Table("Every method", (*columns, "operations", "predicted, ns", "measured : predicted"), rows, note)]


def _against_prediction(row):
    """Operations, prediction, and the ratio to it, with a mark where it is large."""
    if row["predicted"] is None:
        return "-", "-", "-"
    n = row["operations"]
    kinds = (n.get("sums", 0), n.get("divisions", 0), n.get("roots", 0) + n.get("sines", 0))
    ratio = row["ns"] / row["predicted"]
    return " / ".join(f"{x:.0f}" for x in kinds), f"{row['predicted']:.0f}", times(ratio) + " (!)" * (ratio > MOST)


def _marked(rows):
    """A sentence on the methods above the prediction by more than MOST."""
    ratios = {r["method"]: r["ns"] / r["predicted"] for r in rows if r["predicted"]}
    above = [name for name, ratio in ratios.items() if ratio > MOST]
    if above:
        return f"More than {MOST:g} times what is predicted, marked (!): {', '.join(above)}."
    largest = max(ratios, key=ratios.get)
    return (
        f"No method takes more than {MOST:g} times what is predicted; the most is {times(ratios[largest])}, {largest}."
    )
