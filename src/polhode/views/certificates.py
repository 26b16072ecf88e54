"""Certificates of many integrators side by side: in the terminal, in a notebook, as a page, as a folder of pages."""

from html import escape
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from polhode.integrators.properties import PROPERTIES, Row
from polhode.views.certificate import (
    COLOUR,
    DATA_HERE,
    PLAIN,
    certificate_page,
    coloured,
    found_of,
    quality,
    saved,
    sheet,
    value,
    verdict,
)
from polhode.views.files import folder_for_results, written
from polhode.views.page import fragment, page, table
from polhode.views.tables import InWords, Spaced, drawn

METHODS_ABREAST = 8
"""Methods side by side in a terminal, at most."""
TITLE_CHARACTERS, METHOD_CHARACTERS = 32, 12
"""What titles and a column need."""
INDENT = (0, 0, 0, 4)
BLANK = "Blank: not measured of that one, for a reason that is told with its summary."
"""What an empty cell means."""
END = f'<p class="quiet notes">{DATA_HERE}</p>'


class SideBySide(InWords):
    """Tables for the terminal, a column for each method, as many side by side as there is room for; below them why
    others have none."""

    def __init__(self, several: Any) -> None:
        self.measured = [c for c in several if c.properties]
        self.others = [c for c in several if not c.properties]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Part by part."""
        room = (options.max_width - TITLE_CHARACTERS) // METHOD_CHARACTERS
        abreast, rows = min(max(room, 1), METHODS_ABREAST), _rows(self.measured)
        for k in range(0, len(self.measured), abreast):
            yield Spaced(_table(self.measured[k : k + abreast], rows))
        if _has_blanks(self.measured):
            yield Text(BLANK, style="dim")
        for c in self.others:
            yield Text(f"{c.method}: {c.summary}")


def certificates_table(several: Any) -> SideBySide:
    """Tables for the terminal."""
    return SideBySide(several)


def _table(several: Any, rows: list[Row]) -> Table:
    side_by_side = drawn("Certificates")
    side_by_side.add_column("property", style="bold")
    for c in several:
        side_by_side.add_column(c.method, overflow="fold")
    for row in rows:
        cells = (_cell(row.key, c) for c in several)
        side_by_side.add_row(row.title, *(Text(text, style=COLOUR[how_good]) for text, how_good in cells))
    return side_by_side


def together(several: Any) -> list[Any]:
    """What the command line shows of several: the tables, then what was found of each, named by its summary."""
    told: list[Any] = [certificates_table(several), ""]
    for c in several:
        if c.properties:
            told += [
                Text(c.summary, style="bold"),
                *(Padding(Text(note), INDENT, expand=False) for note in found_of(c)),
                "",
            ]
    return told


def certificates_card(several: Any) -> str:
    """The same for a notebook."""
    return fragment("\n".join([*_side_by_side(several), *map(_found, several)]))


def _side_by_side(several: Any) -> list[str]:
    """The table, a column for each method, why others have none, and what a blank means."""
    measured = [c for c in several if c.properties]
    rows = [
        (escape(row.title), *(coloured(*_cell(row.key, c)) if row.key in c.properties else "" for c in measured))
        for row in _rows(measured)
    ]
    reasons = [f"<p><b>{escape(c.method)}</b>: {escape(c.summary)}</p>" for c in several if not c.properties]
    heads = ("property", *(escape(c.method) for c in measured))
    blank = [f'<p class="quiet">{BLANK}</p>'] if _has_blanks(measured) else []
    return [*([table(heads, rows, shape="compared")] if measured else []), *blank, *reasons]


def _found(c: Any) -> str:
    """The summary of one, and what was found of it."""
    if not c.properties:
        return ""
    found = "".join(f"<li>{escape(note)}</li>" for note in found_of(c))
    return f"<p><b>{escape(c.summary)}</b></p>" + (f"<ul>{found}</ul>" if found else "")


def certificates_page(several: Any) -> str:
    """One page: side by side, and then each below the other."""
    names = ", ".join(c.method for c in several)
    body = ['<div class="sheet">', f"<h1>Certificates of {escape(names)}</h1>", *_side_by_side(several), "</div>"]
    for c in several:
        body += ["<hr>", *sheet(c, level=2)]
    return page(f"Certificates of {names}", [*body, END], several.to_dict())


def save(several: Any, path: Any) -> Path:
    """Write the page or the data, by the end of the name."""
    return saved(path, lambda: certificates_page(several), several.to_dict)


def save_folder(several: Any, path: Any) -> Path:
    """Write a folder: a page for each, and index.html, which shows them side by side."""
    folder = folder_for_results(path)
    names = {c.method: f"{file_name(c.method)}.html" for c in several}
    links = "".join(f'<li><a href="{escape(names[c.method])}">{escape(c.method)}</a></li>' for c in several)
    shown = _side_by_side(several)
    body = ['<div class="sheet">', "<h1>Certificates</h1>", f"<ul>{links}</ul>", *shown, "</div>"]
    pages = {"index.html": page("Certificates", [*body, END], several.to_dict())}
    for name, html in (pages | {names[c.method]: certificate_page(c) for c in several}).items():
        written(folder / name, lambda p, html=html: p.write_text(html, encoding="utf-8"))
    return folder


def file_name(method: str) -> str:
    """The name of a method as that of a file."""
    return "".join(c if c.isalnum() or c in "-_.[]" else "-" for c in method)


def _rows(several: Any) -> list[Row]:
    """The properties that were measured of at least one."""
    return [row for row in PROPERTIES if any(row.key in c.properties for c in several)]


def _has_blanks(several: Any) -> bool:
    """Whether something was measured of some, and not of others."""
    return any(row.key not in c.properties for row in _rows(several) for c in several)


def _cell(key: str, c: Any) -> tuple[str, str]:
    """The cell of a property, a number where one is measured and else the verdict, with what restricts it; and how
    good that is."""
    if key not in c.properties:
        return "", PLAIN
    p = c.properties[key]
    return verdict(key, p).replace("measured", value(key, p), 1), quality(key, c)
