"""A published table of properties: every entry as printed, measured, and compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from polhode.testbench.papers.reproduced import Reproduced

BLANK, YES, NO, NEARLY, OPEN, SEEN = "", "yes", "no", "nearly", "?", "no drift seen"


@dataclass(frozen=True)
class Table:
    """A published table with the function that measures it."""

    name: str
    title: str
    source: str
    run: Callable[..., "TableResult"]


@dataclass(frozen=True)
class Cell:
    """An entry: what is printed, what was measured, and the number that decides."""

    printed: str
    measured: str
    value: float
    how: str

    @property
    def status(self) -> str:
        """confirmed, answered (printed as a question), or differs."""
        if self.printed == OPEN:
            return "answered"
        return "confirmed" if self.measured == (self.printed or NO) else "differs"


@dataclass(frozen=True)
class Row:
    """A row as printed, measured by one method of the catalogue."""

    printed_name: str
    method: str
    cells: dict[str, Cell]


@dataclass(frozen=True)
class Difference:
    """Where print and measurement differ: the column, its rows, and why."""

    column: str
    printed_names: tuple[str, ...]
    methods: tuple[str, ...]
    printed: str
    measured: str
    why: str


@dataclass(frozen=True, repr=False)
class TableResult(Reproduced):
    """A published table, measured."""

    kind: ClassVar[str] = "table"
    study: Table
    columns: dict[str, str]  # key: heading
    rows: tuple[Row, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]
    seconds: float

    def counts(self) -> dict[str, int]:
        """How many entries are confirmed, answered, different."""
        statuses = [cell.status for row in self.rows for cell in row.cells.values()]
        return {status: statuses.count(status) for status in ("confirmed", "answered", "differs")}

    @property
    def lead(self) -> str:
        """One sentence."""
        n = self.counts()
        return (
            f"{n['confirmed']} entries are confirmed, {n['answered']} open questions are answered, and {n['differs']} "
            "differ from the printed table."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return self.described() | {
            "columns": self.columns,
            "rows": [
                {
                    "printed_name": row.printed_name,
                    "method": row.method,
                    "cells": {k: vars(c) | {"status": c.status} for k, c in row.cells.items()},
                }
                for row in self.rows
            ],
            "differences": [vars(d) for d in self.differences],
            "notes": list(self.notes),
            "counts": self.counts(),
            "seconds": self.seconds,
        }

    def cell(self, method: str, column: str) -> Cell:
        """The entry of a method in a column."""
        return next(row.cells[column] for row in self.rows if row.method == method)


def differences(rows: Sequence[Row], columns: Iterable[str], explained: Mapping[Any, str]) -> tuple[Difference, ...]:
    """The entries that differ, those of a column with one explanation together."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for column in columns:
        for row in rows:
            cell = row.cells[column]
            if cell.status == "differs":
                why = explained.get((row.printed_name, column)) or explained.get(column, "")
                groups.setdefault((column, cell.printed, cell.measured, why), []).append(row)
    return tuple(
        Difference(
            column=column,
            printed_names=tuple(dict.fromkeys(row.printed_name for row in rows_alike)),
            methods=tuple(row.method for row in rows_alike),
            printed=printed,
            measured=measured,
            why=why,
        )
        for (column, printed, measured, why), rows_alike in groups.items()
    )
