"""Reproduced tables and figures: written into a folder, and what their pages share."""

import os
from html import escape
from pathlib import Path
from typing import Any

from polhode.testbench.papers.reproduced import Reproduced
from polhode.testbench.papers.statements.record import CONFIRMED, IN_PART, NOT_CONFIRMED
from polhode.views.files import as_json, folder_for_results, written
from polhode.views.page import references

VERDICT_CLASS = {CONFIRMED: "none", IN_PART: "loses", NOT_CONFIRMED: "gains"}


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


# ---- what pages share --------------------------------------------------------------------------------


def opening(title: str, lead: str) -> list[str]:
    """How a page begins."""
    return [
        '<p class="overline">polhode · reproduced</p>',
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(lead)}</p>',
    ]


def remarks(result: Reproduced) -> list[str]:
    """Our notes on a figure or table, if there are any."""
    return (
        ["<h2>Remarks</h2>", *(f"<p>{escape(note)}</p>" for note in result.study.notes)] if result.study.notes else []
    )


def foot(result: Reproduced) -> list[str]:
    """The command, the paper and the time it took."""
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
