"""Statements against results: on the page of a figure, and all of them."""

from collections.abc import Callable
from typing import Any

from polhode.testbench.papers import store
from polhode.testbench.papers.catalogue import REPRODUCTIONS
from polhode.testbench.papers.reproduced import Reproduced, Specification
from polhode.testbench.papers.statements import (
    bou_rabee,
    hairer_vilmart,
    krysl_endres,
    ortolan_saccon,
    ortolan_saccon_on_others,
)
from polhode.testbench.papers.statements.record import Checked, Statement
from polhode.testbench.papers.studies.catalogue import STUDIES

STATEMENTS: tuple[Statement, ...] = (
    *ortolan_saccon.STATEMENTS,
    *ortolan_saccon_on_others.STATEMENTS,
    *bou_rabee.STATEMENTS,
    *krysl_endres.STATEMENTS,
    *hairer_vilmart.STATEMENTS,
)
"""Every statement, paper by paper."""

SPECIFICATIONS: dict[str, Specification] = {s.name: s for s in (*REPRODUCTIONS, *STUDIES)}
"""What is measured, by name: figures, tables, and studies behind statements."""

Resolver = Callable[[str], Any]


def result_of(name: str) -> Any:
    """The result of a figure, table or study, kept or measured now."""
    return store.measured(SPECIFICATIONS[name])


def check(statement: Statement, resolve: Resolver = result_of) -> Checked:
    """Measure a statement."""
    return Checked(statement, statement.measure(*(resolve(name) for name in statement.needs)))


def about(result: Reproduced, resolve: Resolver = result_of) -> tuple[Checked, ...]:
    """The statements that stand on the page of a figure, measured on this result of it."""

    def resolve_here(name: str) -> Any:
        return result if name == result.name else resolve(name)

    return tuple(check(s, resolve_here) for s in STATEMENTS if s.figure == result.name)


def all_checked(resolve: Resolver = result_of) -> tuple[Checked, ...]:
    """Every statement, measured."""
    return tuple(check(s, resolve) for s in STATEMENTS)
