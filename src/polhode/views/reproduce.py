"""Reproduced tables and figures, for the terminal and as pages."""

import os
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.convergence import NORMS, ConvergenceResult, Series
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.history import HistoryResult
from polhode.testbench.papers.reproduced import Reproduced
from polhode.testbench.papers.scalar_functions import ScalarFunctionsResult
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED
from polhode.testbench.papers.table import Cell, Difference, TableResult
from polhode.views.files import as_json, folder_for_results, written
from polhode.views.page import inline, marked, page, references, table
from polhode.views.terminal import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MARK = {"": "blank"}
COLOUR = {"confirmed": "green", "answered": "blue", "differs": "dark_orange3"}
CLASS = {"confirmed": "none", "answered": "loses", "differs": "gains"}
VERDICT_CLASS = {CONFIRMED: "none", IN_PART: "loses", NOT_CONFIRMED: "gains"}
VERDICT_COLOUR = {CONFIRMED: "green", IN_PART: "blue", NOT_CONFIRMED: "dark_orange3"}


def save(result: Reproduced, folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Write the page, the numbers and, where there is one, the figure; returns {kind: path}."""
    from polhode.views.figures.style import write

    into = folder_for_results(folder)
    html, text, figure = result.page(), as_json(result.to_dict()) + "\n", result.figure()
    paths = {
        "page": written(into / f"{result.name}.html", lambda p: p.write_text(html, encoding="utf-8")),
        "json": written(into / f"{result.name}.json", lambda p: p.write_text(text, encoding="utf-8")),
    }
    if figure is not None:
        paths["png"] = written(into / f"{result.name}.png", lambda p: write(figure, p, dpi=200))
    if figure is not None and result.vector:
        paths["svg"] = written(into / f"{result.name}.svg", lambda p: write(figure, p))
    return paths


def nothing_to_draw(result: Reproduced) -> None:
    """A table has no figure."""
    return None


# ---- tables ------------------------------------------------------------------------------------------


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
    differences = [f"{_told(d, result.columns)} {d.why}" for d in result.differences]
    return [shown, *differences, *result.notes, *said_shown(result.said)]


def table_page(result: TableResult) -> str:
    """The page of a table: entries, differences with their reasons, how it was measured."""
    before, rows = None, []
    for row in result.rows:
        name = "" if row.printed_name == before else escape(row.printed_name)
        before = row.printed_name
        rows.append([name, escape(row.method), *(_cell(c) for c in row.cells.values())])
    heads = ["Printed as", "Measured by", *(escape(h).replace(", ", ",<br>") for h in result.columns.values())]
    told = [f"<li><b>{escape(_told(d, result.columns))}</b> {escape(d.why)}</li>" for d in result.differences]
    how = {h: c.how.split(";")[0] for row in result.rows for h, c in zip(result.columns.values(), row.cells.values())}
    body = [
        *_head(result.heading, result.lead),
        table(heads, rows),
        "<p>Each entry as measured, with the number behind it; where the print has another, that and an arrow before "
        "it. A blank in print means that something is not preserved. "
        + ", ".join(f'<span class="verdict {CLASS[s]}">{s}</span>' for s in CLASS)
        + ".</p>",
        *(["<h2>Differences</h2>", "<ul>", *told, "</ul>"] if told else []),
        *said_page(result.said),
        "<h2>Remarks</h2>",
        *(f"<p>{escape(note)}</p>" for note in result.notes),
        "<h2>What was measured</h2>",
        table(["Column", "Quantity"], [[escape(k), escape(v)] for k, v in how.items()]),
        *_foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def _cell(c: Cell) -> str:
    text = escape(_entry(c)).replace("no drift seen", "no<br>drift seen")
    return f'<span class="verdict {CLASS[c.status]}">{text}</span><span class="mark">{_number(c)}</span>'


def _entry(c: Cell) -> str:
    return c.measured if c.status == "confirmed" else f"{MARK.get(c.printed, c.printed)} → {c.measured}"


def _number(c: Cell) -> str:
    return "exact" if c.value == float("inf") else f"{c.value:.2f}" if c.printed.isdigit() else f"{c.value:.0e}"


def _told(d: Difference, columns: Mapping[str, str]) -> str:
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
    """Its page."""
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
        *_head(result.heading, result.lead),
        table(heads, rows),
        f"<p>{escape(result.study.caption)}</p>",
        *said_page(result.said),
        *_notes(result),
        *_foot(result),
    ]
    return page(result.heading, body, result.to_dict())


# ---- figures -----------------------------------------------------------------------------------------


def convergence_shown(result: ConvergenceResult) -> list[Any]:
    """Orders and errors with the smallest step, then what the paper says."""
    shown = drawn(result.heading)
    for head in ("problem", "method"):
        shown.add_column(head, style="bold", no_wrap=True)
    for head in _convergence_heads(result):
        shown.add_column(head, justify="right", no_wrap=True)
    before = None
    for s in result.series:
        shown.add_row("" if s.problem == before else s.problem, _called(s.method, result), *_convergence_cells(s))
        before = s.problem
    return [shown, *said_shown(result.said), *result.study.notes]


def convergence_page(result: ConvergenceResult) -> str:
    """The page of a convergence diagram, or of work against precision."""
    heads = ["Method", "Problem", *_convergence_heads(result)]
    rows = [[escape(_called(s.method, result)), escape(s.problem), *_convergence_cells(s)] for s in result.series]
    norm, of_angle = NORMS[result.study.norm]
    caption = (
        f"{escape(result.study.caption)} Both axes are logarithmic; the error of the attitude is {norm}, {of_angle}. "
        "Steps with which a method does not solve its equations are left out."
    )
    body = [
        *_head(result.heading, f"Errors at t = {result.study.t_end:g}, measured again."),
        *_figure(result, caption),
        *said_page(result.said),
        "<h2>Orders, and errors with the smallest step</h2>",
        table(heads, rows, numbers=range(2, 6)),
        *_notes(result),
        *_foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def drift_shown(result: DriftResult) -> list[Any]:
    """The verdicts, then what the paper says."""
    from polhode.views.terminal import stress_notes

    return [
        result.heading,
        result.drift.table(),
        *stress_notes(result.drift),
        *said_shown(result.said),
        *result.study.notes,
    ]


def drift_page(result: DriftResult) -> str:
    """The page of a figure of energy errors; that of the stress test has more on how it is measured."""
    from polhode.views.stress import verdict_table

    body = [
        *_head(result.heading, f"Energy errors on [0, {result.drift.t_end:g}], measured again."),
        *_figure(result, escape(result.study.caption)),
        *said_page(result.said),
        "<h2>Verdicts</h2>",
        verdict_table(result.drift),
        *_notes(result),
        *_foot(result),
    ]
    return page(result.heading, [marked(x) for x in body], result.to_dict())


def history_shown(result: HistoryResult) -> list[Any]:
    """Least and greatest values of each curve, then what the paper says."""
    shown = drawn(result.heading)
    for head in ("panel", "curve", "least", "greatest", "at the end"):
        shown.add_column(head, no_wrap=True)
    for c in result.curves:
        low, high, last = c.values.min(axis=0), c.values.max(axis=0), c.values[-1]
        shown.add_row(c.panel, f"{c.method}, {c.label}", *(_numbers(x) for x in (low, high, last)))
    return [shown, *said_shown(result.said), *result.study.notes]


def history_page(result: HistoryResult) -> str:
    """The page of curves against time."""
    rows = [
        [
            escape(c.panel),
            escape(f"{c.method}, {c.label}"),
            *(_numbers(x) for x in (c.values.min(axis=0), c.values.max(axis=0), c.values[-1])),
        ]
        for c in result.curves
    ]
    body = [
        *_head(result.heading, "Measured again."),
        *_figure(result, escape(result.study.caption)),
        *said_page(result.said),
        "<h2>Extremes</h2>",
        table(["Panel", "Curve", "Least", "Greatest", "At the end"], rows),
        *_notes(result),
        *_foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def ball_shown(result: BallResult) -> list[Any]:
    """Numbers on the path, then what the paper says."""
    shown = drawn(result.heading)
    for head in ("what", "value"):
        shown.add_column(head, no_wrap=True)
    for name, value in result.facts.items():
        shown.add_row(name, f"{value:.4g}")
    return [shown, *said_shown(result.said), *result.study.notes]


def ball_page(result: BallResult) -> str:
    """The page of the path in the ball; the picture is made of points here, thousands of shaded triangles."""
    rows = [[escape(name), f"{value:.4g}"] for name, value in result.facts.items()]
    body = [
        *_head(result.heading, "Measured again."),
        "<figure>",
        f'<img src="{embedded(result.figure(), 170)}" alt="{escape(result.heading)}">',
        f"<figcaption>{escape(result.study.caption)}</figcaption>",
        "</figure>",
        *said_page(result.said),
        "<h2>Where the path is, and where it can go</h2>",
        table(["What", "Value"], rows, numbers=(1,)),
        *_notes(result),
        *_foot(result),
    ]
    return page(result.heading, body, result.to_dict())


# ---- what pages share --------------------------------------------------------------------------------


def embedded(figure: "Figure", dpi: int) -> str:
    """A figure as PNG inside the page."""
    import base64
    import io

    from polhode.views.figures.style import write

    buffer = io.BytesIO()
    write(figure, buffer, format="png", dpi=dpi)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _head(title: str, lead: str) -> list[str]:
    return [
        '<p class="overline">polhode · reproduced</p>',
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(lead)}</p>',
    ]


def _figure(result: Reproduced, caption: str) -> list[str]:
    return ["<figure>", inline(result.figure(), result.name), f"<figcaption>{caption}</figcaption>", "</figure>"]


def _notes(result: Reproduced) -> list[str]:
    return (
        ["<h2>Remarks</h2>", *(f"<p>{escape(note)}</p>" for note in result.study.notes)] if result.study.notes else []
    )


def _foot(result: Reproduced) -> list[str]:
    import polhode

    return [
        "<h2>Do it again</h2>",
        f"<pre>polhode reproduce {escape(result.name)}</pre>",
        *references([result.source]),
        f"<footer>Made with polhode {polhode.__version__} in {result.seconds:.1f} s. "
        "The numbers behind this page are in it, as JSON, in the element with the id <code>data</code>.</footer>",
    ]


def verdict_html(verdict: str) -> str:
    """A verdict in its colour."""
    return f'<span class="verdict {VERDICT_CLASS[verdict]}">{escape(verdict)}</span>'


def said_page(said: Any) -> list[str]:
    """What the paper says, with verdicts and numbers."""
    if not said:
        return []
    items = [f"<li>{escape(s.says)} {verdict_html(s.verdict)}: {escape(s.measured)}.</li>" for s in said]
    return ["<h2>What the paper says</h2>", "<ul>", *items, "</ul>"]


def said_shown(said: Any) -> list[str]:
    """The same for the terminal."""
    return [f"{s.says}: {s.verdict} ({s.measured})." for s in said]


def _called(method: str, result: Any) -> str:
    names = dict(result.study.printed)
    return f"{method} ({names[method]})" if method in names else method


def _convergence_heads(result: ConvergenceResult) -> list[str]:
    second = getattr(result, "second", "Pi")
    return [f"order of {second}", "order of Q", f"last error of {second}", "last error of Q"]


def _convergence_cells(s: Series) -> list[str]:
    orders = ["-" if x is None else f"{x:.2f}" for x in (s.order_Omega, s.order_Q)]
    return [*orders, f"{s.error_Omega[-1]:.1e}", f"{s.error_Q[-1]:.1e}"]


def _numbers(x: Any) -> str:
    return ", ".join(f"{v:.4g}" for v in (x if getattr(x, "ndim", 0) else [x]))
