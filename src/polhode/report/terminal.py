"""Tables for the terminal, drawn by rich."""

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from polhode.text import fixed, one, plain

COLOUR = {"-": "blue", "+": "dark_orange3", "none": "green", "unstable": "red"}


def stress_table(result):
    """Slopes with uncertainty by step size, exponent of h, verdict."""
    span = f"[{result.problem.t0:g}, {result.t_end:g}]"
    runs = "one run" if result.ensemble == 1 else f"{result.ensemble} starts"
    table = _table(f"Energy drift on {result.problem.name} over {span}, {runs} each")
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


def stress_slope(e):
    """The slope of one cell, or why there is none."""
    return "unstable" if not e.stable else plain(e.slope, e.error) if e.linear else "not linear"


def stress_exponent(row):
    """The exponent of h with its uncertainty, where one could be fitted."""
    return "-" if row.exponent is None else fixed(row.exponent, row.exponent_error, most=2)


def stress_notes(result):
    """Sentences below the table."""
    notes = [f"{row.method} {note}." for row in result.rows for note in row.notes]
    for row in result.rows:
        if row.bounds:
            bounds = ", ".join(f"{one(bound)} at h = {h:g}" for h, bound in row.bounds.items())
            notes.append(f"{row.method}: |slope| is below {bounds} (two standard errors).")
    return notes


def method_table(methods):
    """The catalogue of methods with what is claimed of each."""
    table = _table("Methods", caption=METHOD_KEY)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("what it is")
    for head in ("order", "sym", "sympl", "Poisson", "momentum", "energy", "torques", "drift"):
        table.add_column(head, justify="center", no_wrap=True)
    family = None
    for m in methods:
        if family is not None and m.family != family:
            table.add_section()
        family = m.family
        table.add_row(
            m.name,
            m.title,
            _orders(m),
            _yes(m.symmetric),
            _yes(m.symplectic_free) + " " + _yes(m.symplectic),
            _yes(m.poisson_free),
            _yes(m.momentum_free) + " " + _yes(m.momentum_top),
            _yes(m.energy_free) + " " + _yes(m.energy_top),
            "implicit" if m.torques_per_step is None else str(m.torques_per_step),
            m.drift or "?",
        )
    return table


METHOD_KEY = (
    "order: of Q and Omega, free body and with a torque, one number where all agree; sym: symmetric;\n"
    "sympl: symplectic without and with a potential; Poisson: of the free body's momentum;\n"
    "momentum, energy: conserved for a free body, and for a heavy top; torques: evaluations a step;\n"
    "drift: of the energy on the stress test. y: yes, -: no, ?: not claimed."
)


def problem_table(problems):
    """The catalogue of problems; `problems` is a list of plain data."""
    table = _table("Problems")
    table.add_column("name", style="bold", no_wrap=True)
    for head in ("what it is", "inertia", "h", "t_end", "parameters"):
        table.add_column(head)
    for p in problems:
        inertia = ", ".join(f"{x:g}" for x in p["inertia"])
        table.add_row(p["name"], p["title"], inertia, _maybe(p["h"]), _maybe(p["t_end"]), ", ".join(p["parameters"]))
    return table


def _table(title, **options):
    """A table without vertical rules, so that the stress test's fits into 80 columns."""
    return Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        **options,
    )


def _yes(claim):
    return "?" if claim is None else "y" if claim else "-"


def _maybe(x):
    return "" if x is None else f"{x:g}"


def _orders(m):
    values = (*m.orders.free, *m.orders.torque)
    known = {"?" if x != x else f"{x:g}" for x in values}
    if len(known) == 1:
        return known.pop()
    return "/".join(f"{x:g}" for x in m.orders.free) + " " + "/".join(f"{x:g}" for x in m.orders.torque)
