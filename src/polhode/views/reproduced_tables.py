"""Reproduced tables, for the terminal and as pages."""

from collections.abc import Mapping
from html import escape
from typing import Any

from rich.text import Text

from polhode.testbench.papers.scalar_functions import ScalarFunctionsResult
from polhode.testbench.papers.table import Cell, Difference, TableResult
from polhode.views.page import page, table
from polhode.views.reproduce import foot, opening, remarks, said_page, said_shown
from polhode.views.tables import drawn

MARK = {"": "blank"}
COLOUR = {"confirmed": "green", "answered": "blue", "differs": "dark_orange3"}
CLASS = {"confirmed": "none", "answered": "loses", "differs": "gains"}


def table_shown(result: TableResult) -> list[Any]:
    """The table, then what differs, for the terminal."""
    shown = drawn(f"{result.heading} (printed, measured, number)", caption=result.lead)
    shown.add_column("printed as", style="bold", no_wrap=True)
    shown.add_column("measured by", no_wrap=True)
    for head in result.columns.values():
        shown.add_column(head)
    before = None
    for row in result.rows:
        if before not in (None, row.printed_name):
            shown.add_section()
        cells = [Text(f"{_entry(c)}\n{_number(c)}", style=COLOUR[c.status]) for c in row.cells.values()]
        shown.add_row("" if row.printed_name == before else row.printed_name, row.method, *cells)
        before = row.printed_name
    differences = [f"{_difference(d, result.columns)} {d.why}" for d in result.differences]
    return [shown, *differences, *result.notes, *said_shown(result.said)]


def table_page(result: TableResult) -> str:
    """The page of a table: entries, differences with their reasons, how it was measured."""
    before, rows = None, []
    for row in result.rows:
        name = "" if row.printed_name == before else escape(row.printed_name)
        before = row.printed_name
        rows.append([name, escape(row.method), *(_cell(c) for c in row.cells.values())])
    heads = ["Printed as", "Measured by", *(escape(h).replace(", ", ",<br>") for h in result.columns.values())]
    sentences = [
        f"<li><b>{escape(_difference(d, result.columns))}</b> {escape(d.why)}</li>" for d in result.differences
    ]
    how = {h: c.how.split(";")[0] for row in result.rows for h, c in zip(result.columns.values(), row.cells.values())}
    body = [
        *opening(result.heading, result.lead),
        table(heads, rows),
        "<p>Each entry as measured, with the number behind it; where the print has another, that and an arrow before "
        "it. A blank in print means that something is not preserved. "
        + ", ".join(f'<span class="verdict {CLASS[s]}">{s}</span>' for s in CLASS)
        + ".</p>",
        *(["<h2>Differences</h2>", "<ul>", *sentences, "</ul>"] if sentences else []),
        *said_page(result.said),
        "<h2>Remarks</h2>",
        *(f"<p>{escape(note)}</p>" for note in result.notes),
        "<h2>What was measured</h2>",
        table(["Column", "Quantity"], [[escape(k), escape(v)] for k, v in how.items()]),
        *foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def _cell(c: Cell) -> str:
    text = escape(_entry(c)).replace("no drift seen", "no<br>drift seen")
    return f'<span class="verdict {CLASS[c.status]}">{text}</span><span class="mark">{_number(c)}</span>'


def _entry(c: Cell) -> str:
    return c.measured if c.status == "confirmed" else f"{MARK.get(c.printed, c.printed)} → {c.measured}"


def _number(c: Cell) -> str:
    return "exact" if c.value == float("inf") else f"{c.value:.2f}" if c.printed.isdigit() else f"{c.value:.0e}"


def _difference(d: Difference, columns: Mapping[str, str]) -> str:
    printed = "left blank" if d.printed == "" else f"printed as {d.printed!r}"
    names = f"{', '.join(d.printed_names)} (measured by {', '.join(d.methods)})"
    return f"{columns[d.column].capitalize()}, {names}: {printed}, measured: {d.measured}."


def functions_shown(result: ScalarFunctionsResult) -> list[Any]:
    """Table 1 of Hairer & Vilmart: printed formulas beside values of the series."""
    shown = drawn(result.heading, caption=result.lead)
    for head in ("function", "of", "printed", "value for (0.6, 0.8, 1)", "equal"):
        shown.add_column(head, no_wrap=head != "printed")
    for row in result.rows:
        shown.add_row(row.function, row.monomial, row.printed, str(row.example), "yes" if row.wrong == 0 else "no")
    return [shown, *result.study.notes, *said_shown(result.said)]


def functions_page(result: ScalarFunctionsResult) -> str:
    """The page of a table of scalar functions: printed and computed, side by side."""
    rows = [
        [
            escape(row.function),
            escape(row.monomial),
            f"<code>{escape(row.printed)}</code>",
            escape(str(row.example)),
            '<span class="verdict none">equal</span>'
            if row.wrong == 0
            else '<span class="verdict gains">differs</span>',
        ]
        for row in result.rows
    ]
    heads = ["Function", "Coefficient of", "As printed", "Our series, body (0.6, 0.8, 1)", "As formulas"]
    body = [
        *opening(result.heading, result.lead),
        table(heads, rows),
        f"<p>{escape(result.study.caption)}</p>",
        *said_page(result.said),
        *remarks(result),
        *foot(result),
    ]
    return page(result.heading, body, result.to_dict())
