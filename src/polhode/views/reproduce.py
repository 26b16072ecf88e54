"""Reproduced tables and figures, for the terminal and as pages."""

from html import escape
from typing import Any

from rich.text import Text

from polhode.views.files import as_json, folder_for_results, written
from polhode.views.page import inline, marked, page, references, table
from polhode.views.terminal import drawn

MARK = {"": "blank"}
COLOUR = {"confirmed": "green", "answered": "blue", "differs": "dark_orange3"}
CLASS = {"confirmed": "none", "answered": "loses", "differs": "gains"}


def save(result: Any, folder: Any) -> Any:
    """Write the page, the numbers and, where there is one, the figure; returns {kind: path}."""
    from polhode.views.figures.style import write

    folder = folder_for_results(folder)
    html, text, figure = result.page(), as_json(result.to_dict()) + "\n", result.figure()
    paths = {
        "page": written(folder / f"{result.name}.html", lambda p: p.write_text(html, encoding="utf-8")),
        "json": written(folder / f"{result.name}.json", lambda p: p.write_text(text, encoding="utf-8")),
    }
    if figure is not None:
        paths["png"] = written(folder / f"{result.name}.png", lambda p: write(figure, p, dpi=200))
        paths["svg"] = written(folder / f"{result.name}.svg", lambda p: write(figure, p))
    return paths


# ---- tables ------------------------------------------------------------------------------------------


def table_shown(result: Any) -> Any:
    """The table, then what differs, for the terminal."""
    shown = drawn(f"{result.title} (printed, measured, number)", caption=result.lead)
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
    return [shown, *differences, *result.notes]


def table_page(result: Any) -> Any:
    """The page of a table: entries, differences with their reasons, how it was measured."""
    import polhode

    before, rows = None, []
    for row in result.rows:
        name = "" if row.printed_name == before else escape(row.printed_name)
        before = row.printed_name
        rows.append([name, escape(row.method), *(_cell(c) for c in row.cells.values())])
    heads = ["Printed as", "Measured by", *(escape(h).replace(", ", ",<br>") for h in result.columns.values())]
    told = [f"<li><b>{escape(_told(d, result.columns))}</b> {escape(d.why)}</li>" for d in result.differences]
    how = {h: c.how.split(";")[0] for row in result.rows for h, c in zip(result.columns.values(), row.cells.values())}
    body = [
        '<p class="overline">polhode · reproduced</p>',
        f"<h1>{escape(result.title)}</h1>",
        f'<p class="lead">{escape(result.lead)}</p>',
        table(heads, rows),
        "<p>Each entry as measured, with the number behind it; where the print has another, that and an arrow before "
        "it. A blank in print means that something is not preserved. "
        + ", ".join(f'<span class="verdict {CLASS[s]}">{s}</span>' for s in CLASS)
        + ".</p>",
        *(["<h2>Differences</h2>", "<ul>", *told, "</ul>"] if told else []),
        "<h2>Remarks</h2>",
        *(f"<p>{escape(note)}</p>" for note in result.notes),
        "<h2>What was measured</h2>",
        table(["Column", "Quantity"], [[escape(k), escape(v)] for k, v in how.items()]),
        "<h2>Do it again</h2>",
        f"<pre>polhode reproduce {escape(result.name)}</pre>",
        *references([result.source]),
        f"<footer>Made with polhode {polhode.__version__} in {result.seconds:.1f} s. "
        "The numbers behind this page are in it, as JSON, in the element with the id <code>data</code>.</footer>",
    ]
    return page(result.title, body, result.to_dict())


def _cell(c: Any) -> Any:
    text = escape(_entry(c)).replace("no drift seen", "no<br>drift seen")
    return f'<span class="verdict {CLASS[c.status]}">{text}</span><span class="mark">{_number(c)}</span>'


def _entry(c: Any) -> Any:
    return c.measured if c.status == "confirmed" else f"{MARK.get(c.printed, c.printed)} → {c.measured}"


def _number(c: Any) -> Any:
    return "exact" if c.value == float("inf") else f"{c.value:.2f}" if c.printed.isdigit() else f"{c.value:.0e}"


def _told(d: Any, columns: Any) -> Any:
    printed = "left blank" if d.printed == "" else f"printed as {d.printed!r}"
    names = f"{', '.join(d.printed_names)} (measured by {', '.join(d.methods)})"
    return f"{columns[d.column].capitalize()}, {names}: {printed}, measured: {d.measured}."


# ---- figures -----------------------------------------------------------------------------------------


def convergence_shown(result: Any) -> Any:
    """Orders and errors with the smallest step, then what the paper says."""
    shown = drawn(result.study.title)
    for head in ("problem", "method"):
        shown.add_column(head, style="bold", no_wrap=True)
    for head in _convergence_heads(result):
        shown.add_column(head, justify="right", no_wrap=True)
    before = None
    for s in result.series:
        shown.add_row("" if s.problem == before else s.problem, s.method, *_convergence_cells(s))
        before = s.problem
    return [shown, *_said_shown(result.said), *result.study.notes]


def convergence_page(result: Any) -> Any:
    """The page of a convergence diagram."""
    heads = ["Method", "Problem", *_convergence_heads(result)]
    rows = [[escape(s.method), escape(s.problem), *_convergence_cells(s)] for s in result.series]
    caption = (
        "Global errors at the end of the interval against the step, both logarithmic; thin lines: powers of <i>h</i>. "
        "The attitude by the Frobenius norm, velocity or momentum by the Euclidean one, against a reference in more "
        "digits than a float has. Steps with which a method does not solve its equations are left out."
    )
    body = [
        *_head(result.study.title, f"Errors at t = {result.study.t_end:g}, measured again."),
        *_figure(result, caption),
        *_said_page(result.said),
        "<h2>Orders, and errors with the smallest step</h2>",
        table(heads, rows, numbers=range(2, 6)),
        *(f"<p>{escape(note)}</p>" for note in result.study.notes),
        *_foot(result, result.study.source),
    ]
    return page(result.study.title, body, result.to_dict())


def drift_shown(result: Any) -> Any:
    """The verdicts, then what the paper says."""
    from polhode.views.terminal import stress_notes

    return [result.drift.table(), *stress_notes(result.drift), *_said_shown(result.said)]


def drift_page(result: Any) -> Any:
    """The page of a figure of energy errors; that of the stress test has more on how it is measured."""
    from polhode.views.stress import caption, verdict_table

    body = [
        *_head(result.reproduced.title, f"Energy errors on [0, {result.drift.t_end:g}], measured again."),
        *_figure(result, caption(result.drift)),
        *_said_page(result.said),
        "<h2>Verdicts</h2>",
        verdict_table(result.drift),
        *_foot(result, result.reproduced.source),
    ]
    return page(result.reproduced.title, [marked(x) for x in body], result.to_dict())


def _head(title: Any, lead: Any) -> Any:
    return [
        '<p class="overline">polhode · reproduced</p>',
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(lead)}</p>',
    ]


def _figure(result: Any, caption: Any) -> Any:
    return ["<figure>", inline(result.figure(), result.name), f"<figcaption>{caption}</figcaption>", "</figure>"]


def _foot(result: Any, source: Any) -> Any:
    import polhode

    return [
        "<h2>Do it again</h2>",
        f"<pre>polhode reproduce {escape(result.name)}</pre>",
        *references([source]),
        f"<footer>Made with polhode {polhode.__version__} in {result.seconds:.1f} s. "
        "The numbers behind this page are in it, as JSON, in the element with the id <code>data</code>.</footer>",
    ]


def _said_page(said: Any) -> Any:
    if not said:
        return []
    verdict = {True: '<span class="verdict none">confirmed', False: '<span class="verdict gains">not confirmed'}
    items = [f"<li>“{escape(s.says)}” {verdict[s.holds]}</span>: {escape(s.measured)}.</li>" for s in said]
    return ["<h2>What the paper says</h2>", "<ul>", *items, "</ul>"]


def _said_shown(said: Any) -> Any:
    return [f"“{s.says}”: {'confirmed' if s.holds else 'not confirmed'} ({s.measured})." for s in said]


def _convergence_heads(result: Any) -> Any:
    return [f"order of {result.second}", "order of Q", f"last error of {result.second}", "last error of Q"]


def _convergence_cells(s: Any) -> Any:
    orders = ["-" if x is None else f"{x:.2f}" for x in (s.order_Omega, s.order_Q)]
    return [*orders, f"{s.error_Omega[-1]:.1e}", f"{s.error_Q[-1]:.1e}"]
