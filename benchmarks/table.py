"""Tables: made once from the measured numbers, shown in the terminal and written as Markdown."""

from dataclasses import dataclass

from rich.console import Console
from rich.table import Table as RichTable


@dataclass(frozen=True)
class Table:
    """Rows of text under columns, with a title and a remark below; the first `words` columns are not numbers."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    note: str = ""
    words: int = 1


def show(table):
    """Print a table in the terminal."""
    console = Console() if Console().is_terminal else Console(width=120)
    shown = RichTable(title=table.title, caption=table.note or None, title_justify="left", caption_justify="left")
    for i, column in enumerate(table.columns):
        shown.add_column(column, justify="right" if i >= table.words else "left")
    for row in table.rows:
        shown.add_row(*row)
    console.print(shown)


def markdown(table):
    """The table as Markdown."""
    rule = "|---" * table.words + "|---:" * (len(table.columns) - table.words) + "|"
    lines = ["| " + " | ".join(table.columns) + " |", rule]
    lines += ["| " + " | ".join(row) + " |" for row in table.rows]
    return "\n".join([f"## {table.title}", "", *lines, "", *([table.note, ""] if table.note else [])])


def times(value):
    """A ratio: three digits, two decimals at most, but never a zero."""
    if value is None:
        return "-"
    if value < 0.1:
        return f"{value:.2g}x"
    return f"{value:.0f}x" if value >= 100 else f"{value:.3g}x" if value >= 10 else f"{value:.2f}x"


def span(seconds):
    """A duration with three digits and a unit."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def power(value):
    """A small number."""
    return "-" if value is None else f"{value:.1e}"
