"""How tables look in a terminal of any width."""

import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, cast

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

Side: TypeAlias = Literal["left", "center", "right"]

WIDE_CHARACTERS = 132
"""Characters of a line where no terminal says how many there are."""
FEWEST_CHARACTERS = 36
"""Characters below which a column of words is a ladder."""
NARROW_CHARACTERS = 60
"""Characters of a terminal below which words in several columns are ladders."""


class InWords:
    """What prints as text, too: `print(c.table())` shows the table, as wide as the terminal is."""

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__  # a session shows a result by this


class Drawn(InWords, Table):
    """A table that prints as text, too."""


def as_text(*things: Any) -> str:
    """What rich prints, without its colours."""
    console = Console(width=width(), file=io.StringIO(), color_system=None, highlight=False, markup=False)
    for thing in things:
        console.print(thing)
    lines = cast(io.StringIO, console.file).getvalue().splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def width() -> int | None:
    """The characters of a line: those of the terminal, which rich knows, or COLUMNS; where neither is, many."""
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDE_CHARACTERS


def drawn(title: str, **options: Any) -> Table:
    """A table without vertical rules, so that the stress test's fits into 80 columns."""
    look: dict[str, Any] = dict(title_justify="left", caption_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    look["padding"] = (0, 1, 0, 0)
    return Drawn(title=title, **(look | options))


class Spaced(InWords):
    """A table that becomes a list where there is no room for its columns: the first cell of a row, the others below."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As a table if it fits, or if the terminal is not narrow; words then wrap."""
        widest = console.measure(self.table, options=options.update(max_width=1000)).maximum
        if options.max_width >= min(widest, NARROW_CHARACTERS):
            yield self.table
            return
        yield Text(str(self.table.title), style="italic")
        for first, *others in zip(*(column.cells for column in self.table.columns)):
            yield Text(str(first), style="bold")
            told = [x if isinstance(x, Text) else Text(str(x)) for x in others]
            yield Padding(Text("  ").join(x for x in told if x.plain), (0, 0, 0, 4), expand=False)
        yield Text(str(self.table.caption or ""), style="dim italic")


class Folded(InWords):
    """A table whose last column is words. Where there is no room beside the others, each stands below its row.

    Parameters
    ----------
    title, caption : str
        Above and below the table.
    columns : sequence of (str, Side)
        Head and side ("left", "center", "right") of every column but the last.
    head : str
        Of the words.
    rows : sequence of rows
        Cells of the columns, then the words, each text or rich.Text.
    gaps : iterable of int
        The rows, by number, before which a gap is left.
    """

    def __init__(
        self,
        title: str,
        columns: Sequence[tuple[str, Side]],
        head: str,
        rows: Iterable[Sequence[Any]],
        caption: str = "",
        gaps: Iterable[int] = (),
    ) -> None:
        self.title, self.columns, self.head, self.caption = title, tuple(columns), head, caption
        self.rows, self.gaps = [tuple(row) for row in rows], frozenset(gaps)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Side by side, or folded."""
        alone = console.measure(self._numbers(padding=(0, 1, 0, 0)), options=options.update(max_width=1000)).maximum
        if alone + FEWEST_CHARACTERS <= options.max_width:
            yield self._whole()
        else:
            yield from self._below(console, options)

    def _whole(self) -> Table:
        table = self._columns(drawn(self.title, caption=self.caption or None))
        table.add_column(self.head)
        for number, row in enumerate(self.rows):
            if number in self.gaps:
                table.add_section()
            table.add_row(*row)
        return table

    def _below(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._numbers(padding=0), options, pad=False)
        first = len(lines) - len(self.rows)
        yield Text(self.title, style="italic")
        for number, line in enumerate(lines):
            if number - first in self.gaps:
                yield Segment.line()
            yield from line
            yield Segment.line()
            if number >= first:
                words = self.rows[number - first][-1]
                yield Padding(words if isinstance(words, Text) else Text(words, style="dim"), (0, 0, 0, 4))
        yield Text(self.caption, style="dim italic")

    def _numbers(self, padding: Any) -> Table:
        """The table without its words, one line a row."""
        table = self._columns(drawn("", show_edge=False, padding=padding))
        for row in self.rows:
            table.add_row(*row[:-1])
        return table

    def _columns(self, table: Table) -> Table:
        for number, (head, side) in enumerate(self.columns):
            table.add_column(head, justify=side, style="bold" if number == 0 else "", no_wrap=True)
        return table
