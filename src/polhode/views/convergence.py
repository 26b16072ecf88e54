"""How studies of convergence, and of work and precision, look: a table, files, a page."""

import math
from html import escape
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from polhode.integrators.lookup import methods
from polhode.testbench.convergence.errors import PANELS, WORDS
from polhode.testbench.convergence.fit import Fit
from polhode.testbench.convergence.series import LOOKS
from polhode.testbench.convergence.study import Study
from polhode.testbench.numbers import fixed
from polhode.views.files import as_json, folder_for_results, written
from polhode.views.page import inline, marked, page, references, table

HEADINGS = {"converge": "How fast do errors fall?", "work-precision": "What does accuracy cost?"}


def study_table(study: Study) -> Table:
    """Orders with uncertainty by error; for work and precision the least cost of an error of 1e-6 as well."""
    table = Table(
        title=f"{study.problem.name}, t = {study.problem.t0:g} to {study.t_end:g}",
        box=SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
    )
    for k, head in enumerate(_heads(study)):
        table.add_column(head, justify="left" if k == 0 else "right", style="bold" if k == 0 else "", no_wrap=True)
    for row in _rows(study):
        table.add_row(*row)
    return table


def _heads(study: Study) -> list[str]:
    heads = ["order of:", *study.panels, "least error"]
    return heads if study.kind == "converge" else [*heads, "torques", "seconds"]


def _rows(study: Study) -> list[list[str]]:
    rows = []
    for s in study.series:
        orders = [order(s.fits.get(key)) for key in study.panels]
        row = [s.name, *orders, _number(min(_finite(s.errors["attitude"]), default=math.nan))]
        if study.kind != "converge":
            row += [_number(_cost(s.errors["attitude"], x)) for x in (s.torques, s.seconds)]
        rows.append(row)
    return rows


def order(fit: Fit | None) -> str:
    """An order with its uncertainty, or why there is none."""
    if fit is None:
        return "-"
    return (
        fixed(fit.order, fit.uncertainty, most=2)
        if fit.decided
        else fit.words.replace(" only", "").replace("fewer than 3 steps with an error above round-off", "undecided")
    )


def _cost(errors: Any, cost: Any, wanted: float = 1e-6) -> float:
    """The least cost of a run with at most this error."""
    enough = [c for e, c in zip(errors, cost) if e <= wanted and c == c]
    return min(enough, default=math.nan)


def _finite(values: Any) -> list[float]:
    return [x for x in values if x == x]


def _number(x: float) -> str:
    return "-" if x != x else f"{x:.0f}" if x >= 10 else f"{x:.2g}"


def notes(study: Study) -> list[str]:
    """Sentences below the table."""
    notes = [f"{s.name}: {note}" for s in study.series for note in s.notes]
    return [
        f"Errors are the largest at {LOOKS} times; the least error is that of the attitude, in radians. Orders are "
        "those of C h^p + floor."
        + ("" if study.kind == "converge" else " Torque evaluations and seconds are the least for an error of 1e-6."),
        *notes,
    ]


def save(study: Study, folder: Any) -> dict[str, Any]:
    """Write figure, page and data; returns {name: path}."""
    from polhode.views.figures.style import write

    folder = folder_for_results(folder)
    figure, name = study.figure(), study.kind
    html, data = study_page(study, figure), as_json(study.to_dict()) + "\n"
    return {
        "page": written(folder / f"{name}.html", lambda p: p.write_text(html, encoding="utf-8")),
        "png": written(folder / f"{name}.png", lambda p: write(figure, p, dpi=200)),
        "svg": written(folder / f"{name}.svg", lambda p: write(figure, p)),
        "json": written(folder / f"{name}.json", lambda p: p.write_text(data, encoding="utf-8")),
    }


def study_page(study: Study, figure: Any = None) -> str:
    """The page as one text."""
    import polhode

    names = ", ".join(s.name for s in study.series)
    body = [
        f'<p class="overline">polhode · {study.kind.replace("-", " and ")}</p>',
        f"<h1>{HEADINGS[study.kind]}</h1>",
        f'<p class="lead">{escape(names)} on the problem <i>{escape(study.problem.name)}</i>, '
        f"{study.problem.t0:g} ≤ <i>t</i> ≤ {study.t_end:g}.</p>",
        table([escape(x) for x in _heads(study)], [[escape(x) for x in row] for row in _rows(study)], range(1, 9)),
        "<figure>",
        inline(figure or study.figure(), f"Errors of {len(study.series)} integrators"),
        f"<figcaption>{_caption(study)}</figcaption>",
        "</figure>",
        "<h2>How it was measured</h2>",
        "<ul>",
        *(f"<li><b>{escape(PANELS[key])}</b>: {escape(WORDS[key])}.</li>" for key in study.panels),
        *(f"<li>{escape(note)}</li>" for note in notes(study)),
        "<li>The reference is the closed form for a free body and a Taylor series of 25 digits for everything else. "
        "Steps that are too large for the law are dropped from the fit one after the other; the uncertainty of an "
        "order holds what one step more or less changes.</li>",
        *_timing(study),
        "</ul>",
        *references(_sources(study)),
        f"<footer>Made with polhode {polhode.__version__} in {study.wall_time:.1f} s. "
        "The numbers behind this page are in it, as JSON, in the element with the id <code>data</code>.</footer>",
    ]
    return page(f"{HEADINGS[study.kind]} {names}", [marked(x) for x in body], study.to_dict())


def _caption(study: Study) -> str:
    what = {"converge": "the step", "work-precision": "torque evaluations and processor time"}[study.kind]
    text = (
        f"Errors against {what}, both logarithmic. Filled markers decide the order; hollow ones are at round-off, or "
    )
    text += "their steps are too large."
    return text + (" Dashed: solvers with steps of their own." if any(s.adaptive for s in study.series) else "")


def _timing(study: Study) -> list[str]:
    if study.kind == "converge":
        return []
    return [
        "<li>Time is processor time of the steps alone, the least of several runs, on the machine that made this page. "
        "SciPy&rsquo;s solvers call the torque from Python, and plain functions run there, too: their evaluations "
        "compare, their times do not.</li>"
    ]


def _sources(study: Study) -> list[str]:
    catalogue = methods()
    keys = list(getattr(study.problem, "sources", ()))
    for s in study.series:
        keys += catalogue[s.name].sources if s.name in catalogue else ()
    return keys
