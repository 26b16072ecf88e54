"""The same step size in other hands: what a step of VLV, or of something like it, costs there."""

import importlib
import statistics

import c_code
import ours
import peers
from measure import fastest, interleaved, ratio
from table import Table, power, times

import polhode as ph

TITLE = "Per step"
H = 0.125
FAST, INTERPRETED = 80_000, 400
"""Steps timed: of machine code, of our kernels as plain Python; peers say it themselves."""

SHOWN = 800
"""Steps after which the energy error is shown: t = 100."""


def measure(quick):
    """Time C, ours compiled and interpreted, and every stepper that can be imported, in turn."""
    problem = ph.problem("stress")
    runs = {"loop": (FAST, lambda: ours.loop(problem, "VLV", H, FAST))}
    rows = {"loop": {"name": "ours, compiled", "remark": "VLV"}}
    interpreted = lambda: ph.solve(problem, "VLV", h=H, n_steps=INTERPRETED, save_every=INTERPRETED, compiled=False)
    runs["plain"] = (INTERPRETED, lambda: interpreted)
    rows["plain"] = {"name": "ours, interpreted", "remark": "VLV, the same bits"}
    error = float(ph.solve(problem, "VLV", h=H, n_steps=SHOWN, save_every=SHOWN).energy_error[-1])
    rows["loop"]["error"] = rows["plain"]["error"] = error
    left_out = {}
    try:
        for form, function in c_code.variants("vlv").items():
            runs[f"C, {form}"] = (FAST, lambda f=function: f(problem, H, FAST))
    except c_code.NoCompiler as reason:
        left_out["C"] = str(reason)
    for name in peers.STEPPERS:
        try:
            module = importlib.import_module(f"peers.{name}")
        except ImportError as reason:
            left_out[name] = str(reason)
            continue
        run = module.stepper(problem, H)
        Q, Omega = run(SHOWN)
        rows[name] = {
            "name": module.NAME,
            "remark": module.REMARK,
            "error": float(problem.energy(Q, Omega) - problem.energy(problem.Q0, problem.Omega0)),
        }
        runs[name] = (module.STEPS, lambda run=run, n=module.STEPS: lambda: run(n))
    seconds = interleaved({k: prepare for k, (_, prepare) in runs.items()}, 3 if quick else 9)
    forms = [k for k in runs if k.startswith("C, ")]
    if forms:
        rows = {fastest(seconds, forms): {"name": "C", "remark": "VLV", "error": error}} | rows
    base = next(iter(rows))
    for k, row in rows.items():
        row["ns"] = statistics.median(seconds[k]) / runs[k][0] * 1e9
        row["ratio"] = ratio(seconds, k, base) * runs[base][0] / runs[k][0]
    return {"rows": list(rows.values()), "left out": left_out}


def tables(data):
    """One table."""
    rows = [(r["name"], r["remark"], f"{r['ns']:,.0f}", times(r["ratio"]), power(r["error"])) for r in data["rows"]]
    columns = ("", "method", "ns/step", f"relative to {data['rows'][0]['name']}", "energy error at t = 100")
    note = f"The stress test with h = {H}."
    for name, reason in data["left out"].items():
        note += f" Left out: {name} ({reason})."
    return [Table("The same step elsewhere", columns, rows, note)]
