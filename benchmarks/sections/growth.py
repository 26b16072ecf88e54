"""How the cost of a run grows with its steps and with what is kept."""

import ours
from measure import duration
from table import Table, span

import polhode as ph

TITLE = "Growth"
KEPT_MOST = 1_000_000
"""States kept at most: 96 bytes each for attitude and velocity."""


def measure(quick):
    """The public call for VLV on the stress test, keeping the last state, and keeping every state."""
    problem = ph.problem("stress")
    rows = []
    for n in (10**k for k in range(1, 6 if quick else 8)):
        kept = duration(lambda n=n: ph.solve(problem, "VLV", h=0.125, n_steps=n), most=20) if n <= KEPT_MOST else None
        last = duration(ours.call(problem, "VLV", 0.125, n), most=50)
        rows.append({"steps": n, "last": last, "all": kept})
    return rows


def tables(data):
    """One table."""
    rows = [
        (
            f"{r['steps']:,}",
            span(r["last"]),
            span(r["last"] / r["steps"]),
            span(r["all"]),
            span(r["all"] / r["steps"]) if r["all"] else "-",
        )
        for r in data
    ]
    columns = ("steps", "last state kept", "a step", "every state kept", "a step")
    note = (
        "`solve` of the stress test by VLV, everything included. A call costs a fixed part; then the cost is that of "
        "the steps. Keeping states costs memory in proportion, and time to turn them into matrices."
    )
    return [Table("How cost grows with steps", columns, rows, note)]
