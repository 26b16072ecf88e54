"""Measurements that several statements share: of drifts, of accuracies, of entries of a table."""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.testbench.drift.evidence import Row
from polhode.testbench.papers.convergence import ConvergenceResult, Series
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.statements.record import Finding, judged
from polhode.testbench.papers.table import TableResult
from polhode.testbench.papers.work_precision import WorkPrecisionResult

FACTOR_OF_A_TIE = 1.1
"""Errors within this factor count as equal."""

USABLE = (1e-11, 0.2)
"""Errors between round-off and saturation: only these compare methods."""


# ---- drift -------------------------------------------------------------------------------------------


def drift(signs: dict[str, str]) -> Callable[[DriftResult], Finding]:
    """That methods gain ("+") or lose ("-") energy, or show no drift ("none")."""

    def check(result: DriftResult) -> Finding:
        rows = {m: result.row(m) for m in signs}
        measured = ", ".join(f"{m} {row.words} ({_rate(row)})" for m, row in rows.items())
        return judged(
            {m: row.sign == signs[m] for m, row in rows.items()}, measured, rows[next(iter(signs))].evidence[0].rate
        )

    return check


def _rate(row: Row) -> str:
    e = row.evidence[0]
    return f"slope {e.rate:+.1e}" if row.sign in "+-" else f"slope below {e.bound:.0e}"


def linear_in_time(*methods: str) -> Callable[[DriftResult], Finding]:
    """That the drift has one rate all along the span, for each method and step."""

    def check(result: DriftResult) -> Finding:
        cases, parts = {}, []
        for m in methods:
            for e in result.row(m).evidence:
                cases[f"{m} with h = {e.h:g}"] = e.linear
                if not e.linear:
                    parts.append(
                        f"{m} with h = {e.h:g} has slopes from {min(e.quarters):+.1e} to {max(e.quarters):+.1e}"
                    )
        text = "; ".join(parts) or "the slopes of the four quarters of the span agree"
        return judged(cases, text, float(np.mean(list(cases.values()))))

    return check


def quadratic_in_h(*methods: str) -> Callable[[DriftResult], Finding]:
    """That the rates go like h^2; a method without a rate has none that could be quadratic."""

    def check(result: DriftResult) -> Finding:
        exponents = {m: result.row(m).exponent for m in methods}
        measured = ", ".join(f"{m} {'no constant rate' if x is None else f'h^{x:.2f}'}" for m, x in exponents.items())
        rates = [x for x in exponents.values() if x is not None]
        return judged(
            {m: x is not None and abs(x - 2) < 0.2 for m, x in exponents.items()},
            measured,
            float(np.mean(rates)) if rates else np.nan,
        )

    return check


# ---- accuracy ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Factor:
    """The errors of one method over those of another: least, geometric mean and greatest over the usable steps."""

    least: float
    mean: float
    greatest: float
    steps: int

    def __str__(self) -> str:
        if self.greatest / self.least < FACTOR_OF_A_TIE:
            return f"{self.mean:.3g}"
        return f"{self.least:.2g} to {self.greatest:.2g}"


def factor(a: Series, b: Series, what: str) -> Factor:
    """The errors of a over those of b, at all steps at which both are neither round-off nor of order one."""
    x, y = a.error(what), b.error(what)
    usable = [np.isfinite(e) & (e > USABLE[0]) & (e < USABLE[1]) for e in (x, y)]
    ratios = (x / y)[usable[0] & usable[1]]
    if not len(ratios):
        raise ValueError(f"No step compares {a.method} and {b.method} in {what}.")
    return Factor(float(ratios.min()), float(np.exp(np.log(ratios).mean())), float(ratios.max()), len(ratios))


def order_of(series: Series, what: str) -> float:
    """The order that a series shows; not a number where it shows none."""
    order = series.order_Q if what == "Q" else series.order_Omega
    return float("nan") if order is None else order


def orders(
    expected: dict[float, Iterable[str]],
) -> Callable[[ConvergenceResult | WorkPrecisionResult], Finding]:
    """That methods converge with these orders, {order: methods}; () stands for all."""

    def check(result: ConvergenceResult | WorkPrecisionResult) -> Finding:
        cases, pairs = {}, []
        for p, methods in expected.items():
            for s in result.series:
                for what, x in (("Q", s.order_Q), ("Omega", s.order_Omega)):
                    if x is not None and (not methods or s.method in methods):
                        cases[f"{s.method}, {what}, {s.problem}"] = abs(x - p) < 0.03 * p
                        pairs.append((p, x))
        measured = "orders " + ", ".join(
            f"{min(x for _, x in g):.2f} to {max(x for _, x in g):.2f}"
            for g in (list(g) for _, g in itertools.groupby(pairs, key=lambda pair: pair[0]))
        )
        return judged(cases, measured, max(abs(x - p) for p, x in pairs))

    return check


def as_accurate(method: str, other: str, within: float = 1.25, only: str | None = None) -> Callable[..., Any]:
    """That two methods have the same errors, within a factor, at every usable step."""

    def check(result: ConvergenceResult) -> Finding:
        cases, parts, mean = {}, [], 1.0
        for what in ("Q", result.second) if only is None else (only,):
            f = factor(result.one(method), result.one(other), what)
            cases[what] = f.least > 1 / within and f.greatest < within
            parts.append(f"{f} times the error of {other} in {what}")
            mean = max(mean, f.mean, 1 / f.mean)
        return judged(cases, f"{method} has " + ", ".join(parts), mean)

    return check


def better(method: str, other: str, by: float = FACTOR_OF_A_TIE, only: str | None = None) -> Callable[..., Any]:
    """That the errors of a method are smaller than another's by a factor at every usable step."""

    def check(result: ConvergenceResult) -> Finding:
        cases, parts, mean = {}, [], np.nan
        for what in ("Q", result.second) if only is None else (only,):
            f = factor(result.one(method), result.one(other), what)
            cases[what] = f.greatest < 1 / by
            parts.append(f"{f} times the error of {other} in {what}")
            mean = f.mean if what == "Q" or np.isnan(mean) else mean
        return judged(cases, f"{method} has " + ", ".join(parts), mean)

    return check


def ahead_of(
    methods: Iterable[str], others: Iterable[str], problems: Iterable[str] | None = None, by: float = FACTOR_OF_A_TIE
) -> Callable[..., Any]:
    """That each of some methods beats each of the others on each problem, in Q and in what is compared beside it."""

    def check(result: ConvergenceResult) -> Finding:
        cases, parts = {}, []
        names = list(problems or dict.fromkeys(s.problem for s in result.series))
        for m in methods:
            lost = []
            for name, what in itertools.product(names, ("Q", result.second)):
                factors = {other: factor(result.one(m, name), result.one(other, name), what) for other in others}
                behind = {other: f for other, f in factors.items() if f.greatest >= 1 / by}
                where = f" on {name}" if len(names) > 1 else ""
                cases[f"{m} in {what}{where}"] = not behind
                lost += [(f.mean, f"{f} times the error of {o} in {what}{where}") for o, f in behind.items()]
            if lost:
                worst = [text for _, text in sorted(lost, reverse=True)]
                more = f", and {len(worst) - MOST_NAMED} more" if len(worst) > MOST_NAMED + 1 else ""
                parts.append(f"{m} has {', '.join(worst[: MOST_NAMED + (not more)])}{more}")
        text = "; ".join(parts) or f"ahead by a factor of {by:g} or more everywhere"
        return judged(cases, text, float(np.mean(list(cases.values()))))

    return check


MOST_NAMED = 3
"""Of the comparisons that a method loses, at most this many are named, the worst first."""


# ---- entries of a table ------------------------------------------------------------------------------


def entries(expected: dict[tuple[str, str], str]) -> Callable[[TableResult], Finding]:
    """That these are the measured entries of a table: {(method, column): entry}."""

    def check(table: TableResult) -> Finding:
        cells = {key: table.cell(*key) for key in expected}
        measured = ", ".join(f"{m} {table.columns[c]}: {x.measured} ({x.value:.0e})" for (m, c), x in cells.items())
        cases = {f"{m}, {table.columns[c]}": x.measured == expected[m, c] for (m, c), x in cells.items()}
        return judged(cases, measured, next(iter(cells.values())).value)

    return check
