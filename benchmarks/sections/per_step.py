"""The same step size in other hands: what a step of VLV, or of something like it, costs there."""

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
    steppers, left_out = peers.imported(peers.STEPPERS)
    try:
        forms = {f"C, {form}": function for form, function in c_code.variants("vlv").items()}
    except c_code.NoCompiler as reason:
        forms, left_out["C"] = {}, str(reason)
    runs = {name: (FAST, lambda f=f: f(problem, H, FAST)) for name, f in forms.items()}
    for name in ("VLV", *(module.OURS for module in steppers.values())):
        runs[name] = (FAST, lambda name=name: ours.loop(problem, name, H, FAST))
    interpreted = lambda: ph.solve(problem, "VLV", h=H, n_steps=INTERPRETED, save_every=INTERPRETED, compiled=False)
    runs["interpreted"] = (INTERPRETED, lambda: interpreted)
    error = float(ph.solve(problem, "VLV", h=H, n_steps=SHOWN, save_every=SHOWN).energy_error[-1])
    rows = {
        "VLV": {"name": "ours, compiled", "remark": "VLV", "error": error},
        "interpreted": {"name": "ours, interpreted", "remark": "VLV, the same bits", "error": error},
    }
    for name, module in steppers.items():
        run = module.stepper(problem, H)
        Q, Omega = run(SHOWN)
        off = float(problem.energy(Q, Omega) - problem.energy(problem.Q0, problem.Omega0))
        rows[name] = {"name": module.NAME, "remark": module.REMARK, "error": off, "ours": module.OURS}
        runs[name] = (module.STEPS, lambda run=run, n=module.STEPS: lambda: run(n))
    seconds = interleaved({k: prepare for k, (_, prepare) in runs.items()}, 3 if quick else 9)
    if forms:
        rows = {fastest(seconds, forms): {"name": "C", "remark": "VLV", "error": error}} | rows
    a_step = {k: [x / runs[k][0] for x in values] for k, values in seconds.items()}
    base = next(iter(rows))
    for k, row in rows.items():
        row["ns"] = statistics.median(a_step[k]) * 1e9
        row["ratio"] = ratio(a_step, k, base)
        row["ours to theirs"] = ratio(a_step, row["ours"], k) if "ours" in row else None
    return {"rows": list(rows.values()), "left out": left_out}


def tables(data):
    """One table."""
    rows = [
        (
            r["name"],
            r["remark"],
            f"{r['ns']:,.0f}",
            times(r["ratio"]),
            f"{r['ours']}: {times(r['ours to theirs'])}" if "ours" in r else "-",
            power(r["error"]),
        )
        for r in data["rows"]
    ]
    first = data["rows"][0]["name"]
    columns = ("", "method", "ns/step", f"relative to {first}", "ours : theirs", "energy error at t = 100")
    note = f"The stress test with h = {H}. Ours in the last ratio is the method of ours that does the same, or nearly."
    for name, reason in data["left out"].items():
        note += f" Left out: {name} ({reason})."
    return [Table("The same step elsewhere", columns, rows, note, words=2)]
