"""How the cost of a run grows with its steps, with what is kept, with the number of bodies and with threads."""

import statistics
import tracemalloc

import numpy as np
import ours
from measure import duration, interleaved, thread_counts
from table import Table, span

import polhode as ph

TITLE = "Growth"
H = 0.125
KEPT_MOST = 1_000_000
"""States kept at most: 96 bytes each for attitude and velocity."""

BODY_STEPS = 100
"""Steps of each body of an ensemble."""


def measure(quick):
    """The public calls for VLV on the stress test: steps, bodies, threads."""
    problem = ph.problem("stress")
    return {
        "steps": [_steps(problem, 10**k) for k in range(1, 6 if quick else 8)],
        "bodies": [_bodies(problem, 10**k, repeats=3 if quick else 7) for k in range(6 if quick else 7)],
    }


def _steps(problem, n):
    """Seconds of one run of n steps, keeping the last state, and keeping every state."""
    kept = duration(lambda: ph.solve(problem, "VLV", h=H, n_steps=n), most=20) if n <= KEPT_MOST else None
    return {"steps": n, "last": duration(ours.call(problem, "VLV", H, n), most=50), "all": kept}


def _bodies(problem, N, repeats):
    """Seconds of an ensemble of N bodies by the number of threads, and the bytes it takes at most."""
    Omega0 = (0, 0, 0.625) + 0.01 * np.random.default_rng(0).normal(size=(N, 3))

    def call(threads):
        ph.solve_ensemble(
            problem, "VLV", Omega0=Omega0, h=H, n_steps=BODY_STEPS, save_every=BODY_STEPS, threads=threads
        )

    counts = thread_counts()
    seconds = interleaved({k: lambda k=k: lambda: call(k) for k in counts}, repeats, wall=[k for k in counts if k > 1])
    tracemalloc.start()
    call(1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"bodies": N, "bytes": peak, "seconds": {str(k): statistics.median(v) for k, v in seconds.items()}}


def tables(data):
    """Growth with steps; with bodies and threads."""
    rows = [
        (
            f"{r['steps']:,}",
            span(r["last"]),
            span(r["last"] / r["steps"]),
            span(r["all"]),
            span(r["all"] / r["steps"]) if r["all"] else "-",
        )
        for r in data["steps"]
    ]
    columns = ("steps", "last state kept", "a step", "every state kept", "a step")
    note = (
        "`solve` of the stress test by VLV, everything included. A call costs a fixed part; then the cost is that of "
        "the steps. Keeping states costs memory in proportion, and time to turn them into matrices."
    )
    return [Table("How cost grows with steps", columns, rows, note), _by_bodies(data["bodies"])]


def _by_bodies(data):
    """Time of a body-step by bodies and threads, and memory."""
    counts = data[0]["seconds"]
    rows = [
        (
            f"{r['bodies']:,}",
            span(r["seconds"]["1"]),
            *(span(s / (r["bodies"] * BODY_STEPS)) for s in r["seconds"].values()),
            f"{r['bytes'] / r['bodies']:,.0f}",
        )
        for r in data
    ]
    threads = [f"a body-step, {k} thread{'s' * (k != '1')}" for k in counts]
    note = (
        f"`solve_ensemble` of the stress test by VLV, {BODY_STEPS} steps, the last state kept, everything included. A "
        "call costs a fixed part, and bodies come in vectors, so few bodies cost as much as a vector of them. One "
        "thread by the processor's time, several by the clock on the wall. Memory is what the call takes at most, as "
        "Python sees it."
    )
    columns = ("bodies", "1 thread", *threads, "bytes a body")
    return Table("How cost grows with bodies and threads", columns, rows, note)
