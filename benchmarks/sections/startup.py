"""Start-up: what a user waits for before and around the integration, in processes of their own."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from table import Table, span

TITLE = "Start-up"
RESULT = "import polhode as ph; ph.solve('stress', {method!r}, t_end=10.0).Q[-1]"
CLI = "import sys; from polhode.cli.main import main; sys.exit(main({arguments!r}))"
COLD = ("VLV", "ELN", "LIEMID[EA]", "TLN", "RKMK4")
"""Methods started in a process each with nothing compiled: explicit and implicit, cheap and costly."""

WHOLE_CATALOGUE = """
import json, time
import polhode as ph
from polhode.machine import compile
seconds = {}
for name, method in ph.methods().items():
    problem = ph.problem("free-body" if method.free_only else "stress")
    begin = time.perf_counter()
    ph.solve(problem, method, h=0.125, n_steps=1)
    seconds[name] = time.perf_counter() - begin
print(json.dumps(seconds))
"""


def measure(quick):
    """Wall-clock and processor time of whole processes, repeated in turn; cold ones with an empty cache."""
    repeats = 2 if quick else 7
    with tempfile.TemporaryDirectory() as warm:
        compiled = json.loads(_process(WHOLE_CATALOGUE, warm)[2]) if not quick else None
        short = {
            "python, nothing imported": "pass",
            "import polhode": "import polhode",
            "polhode --help": CLI.format(arguments=["--help"]),
            "first result, warm": RESULT.format(method="VLV"),
        }
        _process(short["first result, warm"], warm)
        rows = _repeated({name: (code, lambda: warm) for name, code in short.items()}, repeats)
        stress = CLI.format(arguments=["stress", "--out", os.path.join(warm, "stress")])
        _process(stress, warm)
        rows |= _repeated({"polhode stress, warm": (stress, lambda: warm)}, 1 if quick else 3)
    with tempfile.TemporaryDirectory() as cold:
        fresh = lambda: tempfile.mkdtemp(dir=cold)
        names = COLD[:1] if quick else COLD
        runs = {f"first result, cold: {m}": (RESULT.format(method=m), fresh) for m in names}
        rows |= _repeated(runs, 1 if quick else 3)
    return {"rows": rows, "compiled": compiled}


def _repeated(runs, repeats):
    """Run (code, cache folder) of every name in turn; the medians of wall-clock and processor time."""
    seconds = {name: [] for name in runs}
    for _ in range(repeats):
        for name, (code, cache) in runs.items():
            seconds[name].append(_process(code, cache())[:2])
    return {
        name: {"wall": statistics.median(w for w, _ in pairs), "cpu": statistics.median(c for _, c in pairs)}
        for name, pairs in seconds.items()
    }


def _process(code, cache):
    """(wall-clock seconds, processor seconds, output) of a Python process."""
    environment = os.environ | {"POLHODE_CACHE": cache}
    before, begin = os.times(), time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    wall, after = time.perf_counter() - begin, os.times()
    if done.returncode:
        raise RuntimeError(f"{code!r} failed: {done.stderr.strip()[-500:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, done.stdout


LIMITS = {"import polhode": 0.3, "polhode --help": 0.5, "first result, warm": 1, "polhode stress, warm": 10}


def tables(data):
    """Processes, and the compilation of the catalogue."""
    rows = [
        (
            name,
            span(r["wall"]),
            span(r["cpu"]),
            f"{LIMITS.get(name, 4)} s" if name in LIMITS or "cold" in name else "-",
        )
        for name, r in data["rows"].items()
    ]
    note = "Whole processes, Python's own start included. Cold: nothing compiled yet; warm: compiled by an earlier one."
    if data["compiled"]:
        seconds = data["compiled"]
        slowest = max(seconds, key=seconds.get)
        note += (
            f" Compiling all {len(seconds)} methods from nothing takes {sum(seconds.values()):.0f} s, once; "
            f"the median is {statistics.median(seconds.values()):.2g} s a method, the longest {seconds[slowest]:.2g} s "
            f"({slowest})."
        )
    return [Table("Start-up", ("process", "wall-clock", "processor", "wanted"), rows, note)]
