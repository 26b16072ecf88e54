"""Certificates of many integrators side by side."""

from html import escape
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from polhode.integrators.properties import PROPERTIES, Row
from polhode.views.certificate import CLASS, COLOUR, quality, value, verdict
from polhode.views.page import table
from polhode.views.tables import drawn

METHODS_ABREAST = 8
"""Methods side by side in a terminal."""


def certificates_table(several: Any) -> Group:
    """Tables for the terminal, a column for each method."""
    parts = [several[k : k + METHODS_ABREAST] for k in range(0, len(several), METHODS_ABREAST)]
    return Group(*(_table(part, _measured(several)) for part in parts))


def _table(several: Any, rows: list[Row]) -> Table:
    side_by_side = drawn("Certificates")
    side_by_side.add_column("property", style="bold")
    for c in several:
        side_by_side.add_column(c.method, overflow="fold")
    for row in rows:
        side_by_side.add_row(row.title, *(Text(*_cell(row.key, c, COLOUR)) for c in several))
    return side_by_side


def certificates_card(several: Any) -> str:
    """The same for a notebook."""
    rows = _measured(several)
    cells = []
    for c in several:
        verdict_cells = (_cell(row.key, c, CLASS) for row in rows)
        cells.append(
            (escape(c.method), *(f'<span class="verdict {kind}">{escape(text)}</span>' for text, kind in verdict_cells))
        )
    return table(("method", *(escape(row.title) for row in rows)), cells, numbers=())


def _measured(several: Any) -> list[Row]:
    """The properties that were measured of at least one."""
    return [row for row in PROPERTIES if any(row.key in c.properties for c in several)]


def _cell(key: str, c: Any, styles: dict[str, str]) -> tuple[str, str]:
    """The cell of a property, a number where one is measured and else the verdict, with what restricts it; and its
    style."""
    if key not in c.properties:
        return "", ""
    p = c.properties[key]
    words = verdict(key, p).replace("measured", value(key, p), 1)
    return words, styles[quality(key, p)]
