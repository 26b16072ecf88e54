"""The syntax tree of a function, from the file that it is written in."""

import ast
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from polhode.errors import InputError


class CannotPrint(InputError):
    """A kernel uses what has no translation."""


@functools.cache
def _module(file: str) -> ast.Module:
    with open(file, encoding="utf-8") as source:
        return ast.parse(source.read())


def tree_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The syntax tree of a function: found by its line, a lambda among others by the columns of its code."""
    code = function.__code__
    file = inspect.getsourcefile(function)
    if file is None:
        raise CannotPrint(f"The source of {function.__name__} is not at hand.")
    for node in ast.walk(_module(file)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and _within(code, node):
            return node
    raise CannotPrint(f"{function.__name__} is not found in {file}.")


def _within(code: types.CodeType, node: ast.Lambda) -> bool:
    """Whether the code is that of the body of this lambda."""
    body = node.body
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    places = [p for p in code.co_positions() if None not in p and p[3] != p[2]]
    return bool(places) and all((p[0], p[2]) >= begin and (p[1], p[3]) <= end for p in places)
