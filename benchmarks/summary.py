"""One table with every opponent: ratios from what the sections have measured."""

import itertools

from equal import MOST_SECONDS, fastest_at, ratio_at
from sections.any_accuracy import overall
from table import Table, times


def rows(results):
    """Each ratio as data: against whom, what is compared, in which case, by which method of ours, ours : theirs."""
    return [
        {"against": against, "compared": compared, "case": case, "ours": ours, "ratio": ratio}
        for section, found in PARTS.items()
        if section in results
        for against, compared, case, ours, ratio in found(results[section])
    ]


def table(results):
    """The ratios, those of one opponent and one comparison in one row."""
    shown = []
    kind = lambda r: (r["against"], r["compared"])
    for (against, compared), group in itertools.groupby(rows(results), kind):
        group = list(group)
        methods = [r["ours"] or "-" for r in group]
        shown.append(
            (
                against,
                compared.format(", ".join(r["case"] for r in group)),
                methods[0] if len(set(methods)) == 1 else ", ".join(methods),
                ", ".join("not reached" if r["ratio"] is None else times(r["ratio"]) for r in group),
            )
        )
    note = (
        "Our time over theirs: below 1 ours is faster. Several numbers belong to the several cases named, in their "
        "order. A step is that of the same method, or of its nearest relative, with the same step size. At equal error "
        "everybody takes the coarsest setting that reaches it, and ours is the fastest method of ours; not reached: "
        f"they do not reach the error with runs of up to {MOST_SECONDS:.0f} s, or none of ours does where no method is "
        "named. C is hand-written for the one problem and compiled for this machine, ours serves every torque. Each "
        "ratio is the median of repeats in turn; how it was measured is said with the tables of each comparison."
    )
    left_out = {name: reason for data in results.values() if isinstance(data, dict) for name, reason in _absent(data)}
    note += "".join(f" Left out: {name} ({reason})." for name, reason in left_out.items())
    return Table("Summary", ("against", "compared", "ours", "time, ours : theirs"), shown, note, words=3)


def _absent(data):
    """Who was left out of a section, with the reason."""
    if data.get("reason"):
        yield "C", data["reason"]
    yield from data.get("left out", {}).items()
    yield from data.get("equal", {}).get("left out", {}).items()


def _single(data):
    for r in data["rows"]:
        yield "C", "a step of one trajectory: {}", r["method"], r["method"], r["loop"]


def _ensembles(data):
    for r in data["rates"]:
        if r["name"] != "ours":
            compared = f"a step of {data['bodies']:,} bodies, threads: {{}}"
            yield f"C, {r['name']} lanes", compared, str(r["threads"]), "VLV", r["ours to theirs"]
    equal = data["equal"]
    yield from _equal(equal, f"{equal['bodies']:,} bodies, energy error {{}} on [0, {equal['end']:g}]")


def _equal_error(data):
    short = _equal(data["short"], "state error {} on [0, 5]")
    uneven = _equal(data["uneven"], "the same, a body without symmetry: {}")
    long = _equal(data["long"], "energy error {} on [0, 10000]")
    order = {name: i for i, name in enumerate(data["short"]["seconds"])}
    yield from sorted([*short, *uneven, *long], key=lambda found: order[found[0]])  # those of a peer side by side


def _equal(data, compared):
    """For each peer and each error, the fastest method of ours and its time relative to the peer."""
    seconds, mine = data["seconds"], data["ours"]
    for peer in (name for name in seconds if name not in mine):
        for i, target in enumerate(data["targets"]):
            best = fastest_at(seconds, mine, i)
            yield peer, compared, f"{target:.2g}", best, ratio_at(seconds, best, peer, i)


def _per_step(data):
    for r in data["rows"]:
        if "ours" in r:
            yield r["name"], "a step of one trajectory: {}", r["ours"], r["ours"], r["ours to theirs"]


def _any_accuracy(data):
    for way, case in (("solve", "by `solve`"), ("held", "by an object that is held")):
        mean, _, count = overall(data["cells"], way)
        if count:
            compared = f"attitude error, seven problems, geometric mean of {count} cells: {{}}"
            yield "heyoka", compared, case, "the fastest", 1 / mean


PARTS = {
    "against_c": _single,
    "ensembles": _ensembles,
    "any_accuracy": _any_accuracy,
    "equal_error": _equal_error,
    "per_step": _per_step,
}
"""The ratios of a section, by its name."""
