"""Tables for the terminal, drawn by rich."""

from dataclasses import astuple
from typing import Any

from rich.text import Text

from polhode.integrators.lookup import OWN_STEPS
from polhode.integrators.properties import NUMBER, ORDER, YES_OR_NO, columns
from polhode.testbench.numbers import fixed, one, plain
from polhode.views.tables import Folded, drawn

START = ("inertia", "Q0", "Omega0", "Pi0")
"""Parameters that every problem has, the last two by choice."""
COLOUR = {"-": "blue", "+": "dark_orange3", "none": "green", "unstable": "red", "?": "dim"}


def stress_table(result: Any) -> Any:
    """Slopes with uncertainty by step size, exponent of h, verdict."""
    span = f"[{result.problem.t0:g}, {result.t_end:g}]"
    runs = "one run" if result.ensemble == 1 else f"{result.ensemble} starts"
    table = drawn(f"Energy drift on {result.problem.name} over {span}, {runs} each")
    table.add_column("method", style="bold", no_wrap=True)
    for h in result.h:
        table.add_column(f"slope at h = {h:g}", justify="right", no_wrap=True)
    table.add_column("exponent\nof h", justify="right", no_wrap=True)
    table.add_column("verdict", min_width=13)
    for row in result.rows:
        slopes = [stress_slope(e) for e in row.evidence]
        verdict = Text(row.words, style=COLOUR[row.sign])
        if row.marks:
            verdict.append(f" ({', '.join(row.marks)})", style="dim")
        table.add_row(Text(row.method), *slopes, stress_exponent(row), verdict)
    return table


def stress_slope(e: Any) -> Any:
    """The slope of one cell, or why there is none."""
    return "unstable" if not e.stable else plain(e.slope, e.error) if e.linear else "not linear"


def stress_exponent(row: Any) -> Any:
    """The exponent of h with its uncertainty, where one could be fitted."""
    return "-" if row.exponent is None else fixed(row.exponent, row.exponent_error, most=2)


def stress_notes(result: Any) -> Any:
    """Sentences below the table."""
    notes = [f"{row.method} {note}." for row in result.rows for note in row.notes]
    for row in result.rows:
        if row.bounds:
            bounds = ", ".join(f"{one(bound)} at h = {h:g}" for h, bound in row.bounds.items())
            notes.append(f"{row.method}: |slope| is below {bounds} (two standard errors).")
    return notes + proven([row.method for row in result.rows if row.neither])


def proven(names: Any) -> Any:
    """The sentence about methods whose drift proves something, if there are any."""
    if not names:
        return []
    return [
        f"Neither symplectic nor conjugate to a symplectic method, by five standard errors at two step sizes or more: "
        f"{', '.join(names)}."
    ]


def family_table(result: Any) -> Any:
    """On how many problems of a family each method drifts, with the range of its rates."""
    first = result.results[0]
    title = f"Energy drift on {len(result.results)} random stress problems over [{first.problem.t0:g}, {first.t_end:g}]"
    table = drawn(title)
    table.add_column("method", style="bold")
    for head in ("lowest rate", "highest rate"):
        table.add_column(f"{head} at h = {first.h[0]:g}", justify="right", no_wrap=True)
    table.add_column("verdict")
    for row in result.rows:
        rates = [f"{x:+.1e}" for x in (min(row.rates), max(row.rates))]
        table.add_row(Text(row.method), *rates, Text(row.words, style=COLOUR.get(row.sign, COLOUR["+"])))
    return table


def method_table(methods: Any) -> Folded:
    """The catalogue of methods with what is claimed of each."""
    those = list(methods)
    rows = [(Text(m.name), *(_cell(m, rows) for _, rows in columns()), m.title) for m in those]
    gaps = [k for k in range(1, len(those)) if those[k].family != those[k - 1].family]
    heads = [("name", "left"), *((column.short, "center") for column, _ in columns())]
    return Folded("Methods", heads, "what it is", rows, method_key(), gaps)


def method_key() -> str:
    """What the columns are; columns that share a legend share its entry. And who is not among the rows."""
    heads_of: dict[Any, Any] = {}
    for column, _ in columns():
        heads_of.setdefault(column.legend, []).append(column.short)
    parts = "; ".join(f"{', '.join(heads)}: {legend}" for legend, heads in heads_of.items())
    own = " and ".join(name.upper() for name in OWN_STEPS)
    return f"{parts}. y: yes, -: no, ?: not claimed. {own} choose their own steps, and claim nothing."


def _cell(m: Any, rows: Any) -> Any:
    """What a method claims of the properties of a column."""
    if rows[0].kind == ORDER:
        return _orders(m)
    claims = [getattr(m, row.claim) for row in rows]
    if rows[0].kind == YES_OR_NO:
        return " ".join(_yes(claim) for claim in claims)
    nothing = "implicit" if rows[0].kind == NUMBER else "?"
    return " ".join(nothing if claim is None else str(claim) for claim in claims)


def problem_table(problems: Any) -> Folded:
    """The catalogue of problems; `problems` is a list of plain data."""
    rows = []
    for p in problems:
        inertia = ", ".join(f"{x:g}" for x in p["inertia"])
        own = [name for name in p["parameters"] if name not in START]
        words = p["title"] + (f" ({', '.join(own)})" if own else "")
        rows.append((p["name"], inertia, _maybe(p["h"]), _maybe(p["t_end"]), words))
    heads = [("name", "left"), ("inertia", "left"), ("h", "right"), ("t_end", "right")]
    key = f"In brackets: the parameters of a problem. All take {', '.join(START[:-1])} or {START[-1]} besides."
    return Folded("Problems", heads, "what it is", rows, key)


def _yes(claim: Any) -> Any:
    return "?" if claim is None else "y" if claim else "-"


def _maybe(x: Any) -> Any:
    return "" if x is None else f"{x:g}"


def _orders(m: Any) -> Any:
    pairs = astuple(m.orders)
    orders = {"?" if x != x else f"{x:g}" for pair in pairs for x in pair}
    if len(orders) == 1:
        return orders.pop()
    return " ".join("/".join(f"{x:g}" for x in pair) for pair in pairs)
