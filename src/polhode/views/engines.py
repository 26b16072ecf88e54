"""Engines side by side, for the terminal and as a page."""

import importlib.metadata
from html import escape
from typing import Any

from rich.table import Table
from rich.text import Text

from polhode.testbench.numbers import plain
from polhode.testbench.peers import ENGINES, install_name, title
from polhode.testbench.peers.across import Absent, Measured
from polhode.views.page import marked, page
from polhode.views.page import table as html_table
from polhode.views.tables import Folded, Side, drawn
from polhode.views.terminal import COLOUR

KEY = (
    "free, potential: the order of a free body and in a potential, the lower of those of Q and Omega; '-' if it "
    "chooses its own steps. energy, momentum: the largest errors with h = 0.125, free body on [0, 100]. slope, torques "
    "and time a step: on the stress test, the slope being that of the energy. The torque is Python for other engines, "
    "and counts in their time; it is compiled for ours."
)
SIGN = {"loses energy": "-", "gains energy": "+", "no drift seen": "none", "unstable": "unstable", "undecided": "?"}


def engines_table(rows: Any) -> Folded:
    """One row per integrator; in a narrow terminal its verdict stands below it."""
    heads = ("free", "potential", "energy", "momentum", "slope, h = 0.125", "torques", "us/step")
    columns: list[tuple[str, Side]] = [("integrator", "left"), *((head, "right") for head in heads)]
    head = "Integrators of rigid bodies, side by side"
    return Folded(head, columns, "stress test", [_line(r) for r in rows if not is_missing(r)], KEY)


def is_missing(r: Any) -> bool:
    """Whether it is an engine that is not installed."""
    return isinstance(r, Absent) and r.name in ENGINES


def _line(r: Any) -> tuple[Any, ...]:
    if not isinstance(r, Measured):
        return r.name, *[""] * 7, Text("fails", style="dim")
    slope = "-" if r.drift == "unstable" else plain(r.slope, r.slope_error)
    errors = f"{r.energy_free:.0e}", f"{r.momentum_free:.0e}"
    verdict = Text(r.drift, style=COLOUR[SIGN[r.drift]])
    return r.name, *_orders(r), *errors, slope, _short(r.torques), _short(r.microseconds), verdict


HEADS = (
    *("integrator", "stress test", "slope, <br>h = 0.125", "order, <br>free", "order, <br>potential"),
    *("energy", "momentum", "torques", "&micro;s a step"),
)
NO_MODULE = "No module named"
PIP = "pip install "
MISSING = ("engine", "what it is", "how it is installed")
CLASS = {"-": "loses", "+": "gains", "none": "none", "unstable": "gains", "?": "quiet"}


def engines_page(rows: Any, t_end: float, version: str, date: str) -> Any:
    """The page: one file, opens without a network; every row has an anchor to link to."""
    measured = [r for r in rows if isinstance(r, Measured)]
    packages = dict.fromkeys(r.name.partition(":")[0] for r in measured if ":" in r.name)
    versions = ", ".join(f"{name} {_version(name)}".strip() for name in packages)
    body = [
        '<p class="overline">Engines</p>',
        "<h1>Integrators of rigid bodies, side by side</h1>",
        '<p class="lead">The same free body, potential and stress test for everybody\'s integrators.</p>',
        html_table(HEADS, [_cells(r) for r in measured], numbers=range(2, len(HEADS))),
        f'<p class="quiet">{escape(KEY)} The stress test goes to t = {t_end:g}.</p>',
    ]
    notes = engines_notes(rows)
    if notes:
        body += ["<h2>Not measured</h2>", "<ul>", *(f"<li>{escape(note)}</li>" for note in notes), "</ul>"]
    if missing := _missing(rows):
        cells = [(escape(name), escape(what), f"<code>{escape(how)}</code>") for name, what, how in missing]
        body += ["<h2>Not installed</h2>", html_table(MISSING, cells)]
    origin = f"By polhode {version}, {date}" + (f"; {versions}" if versions else "")
    body.append(f'<p class="quiet">{escape(origin)}. The numbers are in this page as JSON.</p>')
    data = {"integrators": [vars(r) for r in measured], "absent": [vars(r) for r in rows if isinstance(r, Absent)]}
    return page("Integrators of rigid bodies, side by side", body, data | {"h": 0.125, "t_end": t_end})


def _cells(r: Any) -> Any:
    slope = "-" if r.drift == "unstable" else plain(r.slope, r.slope_error)
    anchor = escape(r.name.replace(":", "-"))
    name = f'<a id="{anchor}" href="#{anchor}">{escape(r.name)}</a>'
    numbers = (
        slope,
        *_orders(r),
        f"{r.energy_free:.0e}",
        f"{r.momentum_free:.0e}",
        _short(r.torques),
        _short(r.microseconds),
    )
    verdict = f'<span class="verdict {CLASS[SIGN[r.drift]]}">{escape(r.drift)}</span>'
    return (name, verdict, *(marked(escape(x)) for x in numbers))


def _version(package: str) -> str:
    """The version of an engine's package, as far as it says so."""
    try:
        return importlib.metadata.version(install_name(package))
    except importlib.metadata.PackageNotFoundError:
        return ""


def engines_notes(rows: Any) -> Any:
    """Why some could not be measured that are installed."""
    return [f"{r.name}: {r.why}" for r in rows if isinstance(r, Absent) and not is_missing(r)]


def missing_table(rows: Any) -> list[Table]:
    """The engines that are not installed, if there are any: what they are, and how they are installed."""
    missing = _missing(rows)
    table = drawn("Not installed")
    widest = max((len(how) for _, _, how in missing if how.startswith(PIP)), default=0)  # a command in one line
    for head in MISSING:
        least = widest if head == MISSING[-1] else None
        table.add_column(head, style="bold" if head == MISSING[0] else "", min_width=least)
    for row in missing:
        table.add_row(*row)
    return [table] if missing else []


def _missing(rows: Any) -> list[tuple[str, str, str]]:
    """Name, title, and the words for pip; or why, where a package is there but cannot be imported."""
    how = lambda r: f"{PIP}{install_name(r.name)}" if NO_MODULE in r.why else r.why
    return [(r.name, title(r.name), how(r)) for r in rows if is_missing(r)]


def list_table(there: Any) -> Any:
    """The integrators of every engine."""
    table = drawn("Engines")
    table.add_column("engine", style="bold", no_wrap=True)
    table.add_column("integrators")
    for package, names in there.items():
        how = Text(f"not installed: pip install {install_name(package)}", style="dim")
        table.add_row(package, how if isinstance(names, str) else ", ".join(names))
    return table


def _orders(r: Any) -> list[str]:
    """Of a free body, and in a potential."""
    orders = (r.order_free, r.order_potential)
    return ["-" if x is None else "exact" if x == float("inf") else f"{x:.1f}" for x in orders]


def _short(x: Any) -> Any:
    return "-" if x is None else f"{x:.3g}"
