"""Conditions of order, one for each forest: what the solution and what a tableau make of it must be the same.

A forest is a tuple of trees, a tree the forest above its root.
"""

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any


def forests(n: int) -> Any:
    """The ordered forests of n nodes."""
    return [(tree, *rest) for k in range(n) for tree in forests(k) for rest in forests(n - 1 - k)] if n else [()]


def nodes(forest: tuple[Any, ...]) -> int:
    """The number of nodes of a forest."""
    return sum(1 + nodes(tree) for tree in forest)


def exact(forest: tuple[Any, ...], on_group: bool) -> Fraction:
    """What a forest contributes to the solution: an integral for each tree; on a group, of rising upper limits."""
    value, reached = Fraction(1), 0
    for tree in forest:
        reached = (reached if on_group else 0) + 1 + nodes(tree)
        value *= exact(tree, on_group) / reached
    return value


def increments(forest: tuple[Any, ...], A: tuple[Any, ...], rows: tuple[Any, ...], on_group: bool) -> list[Any]:
    """What a forest contributes to an increment with the weights of each row.

    In a vector space increments add up, sum_j w_j K_j, and a forest counts as the product of its trees. On a
    group they are exp(w_1 K_1) exp(w_2 K_2) ..., and trees must take stages in this order; of a stage taken m
    times the exponential has 1/m! of the power.
    """
    values = [increments(tree, A, A, on_group) for tree in forest]
    if not on_group:
        return [math.prod(sum(w * x for w, x in zip(row, value)) for value in values) for row in rows]
    choices = list(itertools.combinations_with_replacement(range(len(A)), len(forest)))
    repeats = [math.prod(math.factorial(choice.count(i)) for i in set(choice)) for choice in choices]
    one = 1 + 0 * A[0][0]  # as a decimal or a fraction
    terms = [math.prod((v[i] for i, v in zip(c, values)), start=one) / m for c, m in zip(choices, repeats)]
    return [sum(math.prod((row[i] for i in c), start=x) for c, x in zip(choices, terms) if x) for row in rows]


def coloured(forest: Any, colours: list[int], tables: Any, rows: bool = False) -> Any:
    """What a tree contributes, or what the trees of a forest contribute to each stage; takes its colours as it goes."""
    s = len(tables[0][1])
    values = [Decimal(1)] * s
    for tree in forest:
        A, b = tables[colours.pop(0)]
        inner = coloured(tree, colours, tables, rows=True)
        if not rows:
            return sum(w * x for w, x in zip(b, inner))
        values = [v * sum(a * x for a, x in zip(row, inner)) for v, row in zip(values, A)]
    return values
