"""Equal error: the methods of ours to try, the coarsest setting that reaches an error, and the table of the times.

What is timed comes as {"targets": errors, "ours": names, "seconds": {name: one list of repeats per error, or None}}.
"""

import statistics

from measure import CLOCK
from table import Table, span, times

import polhode as ph

COMPOSED = ("VLV/KL8", "SR2/KL6", "SR2/KL8", "SR2/SS10")
"""Tried beside VLV and every method of order four or more in the catalogue."""

MOST_SECONDS = 4.0
"""Once a run takes longer, nothing finer is tried."""

OWN_SECONDS = 1.0
"""The same for methods of ours other than VLV, of which only the fastest is shown."""


def candidates():
    """Names of the methods of ours that are tried: VLV, the catalogue from order four on, compositions."""
    high = (m.name for m in ph.methods().values() if not m.free_only and min(m.orders.torque) >= 4)
    return ("VLV", *high, *COMPOSED)


def most_seconds(name):
    """How long a run of a method of ours may take while its settings are looked for."""
    return MOST_SECONDS if name == "VLV" else OWN_SECONDS


def coarsest(setting, error, targets, start, finest, most=MOST_SECONDS):
    """For each target, in falling order, the coarsest setting(k), 0 <= k <= finest, that reaches it, or None.

    The search begins at `start`, where every solver is sane, and goes in strides of four, then back one by one; it
    ends when a run takes too long.
    """
    known, seconds = {}, {}

    def reached(k, target):
        if k not in known:
            begin = CLOCK()
            known[k] = error(setting(k))
            seconds[k] = CLOCK() - begin
        return known[k] <= target

    found = []
    k = start
    for target in targets:
        while k <= finest and not reached(k, target):
            k = k + 4 if seconds[k] < most else finest + 1
        while 4 <= k <= finest and reached(k - 4, target):
            k -= 4
        tried = range(max(k - 3, 0), k + 1) if k <= finest else ()
        found.append(next((setting(j) for j in tried if reached(j, target)), None))
    return found


def table(title, data, remark):
    """VLV, the fastest of ours, and the peers, relative to the fastest peer."""
    targets, mine, seconds = data["targets"], data["ours"], data["seconds"]
    columns = range(len(targets))
    peers = [name for name in seconds if name not in mine]
    best = [fastest_at(seconds, mine, i) for i in columns]
    rival = [fastest_at(seconds, peers, i) for i in columns]
    cell = lambda name, i: _cell(seconds, name, rival[i], i)
    rows = [("ours: VLV", *(cell("VLV", i) for i in columns))]
    rows.append(("ours: the fastest", *(f"{best[i]} {cell(best[i], i)}" if best[i] else "-" for i in columns)))
    rows += [(name, *(cell(name, i) for i in columns)) for name in peers]
    note = (
        "In brackets: relative to the fastest peer. Settings as coarse as the error allows; not reached: not by runs "
        f"of up to {MOST_SECONDS:.0f} s."
    )
    return Table(title, ("", *(f"error {x:.2g}" for x in targets)), rows, note + remark)


def fastest_at(seconds, names, i):
    """The name with the smallest median for error number i, or None if none reaches it."""
    able = [name for name in names if seconds[name][i]]
    return min(able, key=lambda name: statistics.median(seconds[name][i]), default=None)


def ratio_at(seconds, one, other, i):
    """How many times longer `one` takes than `other` for error number i; None if one of them does not reach it."""
    if one is None or other is None or not seconds[one][i] or not seconds[other][i]:
        return None
    return statistics.median(a / b for a, b in zip(seconds[one][i], seconds[other][i]))


def _cell(seconds, name, rival, i):
    if not seconds[name][i]:
        return "not reached"
    shown = span(statistics.median(seconds[name][i]))
    return shown if rival is None else f"{shown} ({times(ratio_at(seconds, name, rival, i))})"
