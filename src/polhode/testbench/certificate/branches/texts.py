"""The texts of functions, and their code compiled again so that it tells of its decisions. A function is rewritten only
if its file still is what it was compiled from."""

import ast
import linecache
import types
import warnings
from collections.abc import Iterator
from typing import Any, TypeAlias

from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.rewriting import Rewriter

Codes: TypeAlias = dict[tuple[Any, ...], list[types.CodeType]]
"""Functions by their place."""


class Unreadable(Exception):
    """A function whose text is not to be had, or is not the one that it was compiled from."""


class Texts:
    """The files that functions are from, each read and compiled once: as it is, and telling of its decisions."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.plain: dict[str, Codes] = {}
        self.telling: dict[str, Codes] = {}

    def is_there(self, file: str) -> bool:
        """Whether a file has a text."""
        linecache.checkcache(file)  # it may have changed since somebody has read it
        return bool(linecache.getlines(file))

    def rewritten(self, code: types.CodeType) -> types.CodeType:
        """The code of a function that tells the recorder of its decisions."""
        file = code.co_filename
        if file not in self.plain:
            text = "".join(linecache.getlines(file))
            self.plain[file], self.telling[file] = _compiled(text, file), self._telling(text, file)
        key = _place(code)
        plain = [one for one in self.plain[file].get(key, ()) if _does_what(one, code)]
        telling = self.telling[file].get(key, [])
        if not plain:
            raise Unreadable(f"{code.co_name} is not in {file} as it was compiled")
        if len(telling) != 1:  # lambdas of one line, which nothing tells apart
            raise Unreadable(f"{code.co_name} is more than once in {file}, line {code.co_firstlineno}")
        return telling[0]

    def _telling(self, text: str, file: str) -> Codes:
        tree = _parsed(text, file)
        Rewriter(self.recorder, file).visit(tree)
        return _compiled(ast.fix_missing_locations(tree), file)


def _parsed(text: str, file: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were told when the file was first compiled
            return ast.parse(text, file)
    except (SyntaxError, ValueError):
        raise Unreadable(f"{file} is no text of Python") from None


def _compiled(text: str | ast.Module, file: str) -> Codes:
    """All functions of a text."""
    tree = _parsed(text, file) if isinstance(text, str) else text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        raise Unreadable(f"{file} is not to be compiled again") from None
    found: Codes = {}
    for code in _codes(module):
        found.setdefault(_place(code), []).append(code)
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _place(code: types.CodeType) -> tuple[Any, ...]:
    """The name, place, arguments and cells of a function, by which it is known. Its place among the others tells
    nothing: the compiler drops what is behind `if 0:`, and keeps it where a test tells of itself."""
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    return code.co_firstlineno, code.co_qualname, counts, arguments, code.co_freevars, code.co_flags


def _does_what(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two functions are the same but for where they stand."""
    is_same = one.co_code == other.co_code and one.co_names == other.co_names
    return is_same and _value(one.co_consts) == _value(other.co_consts)


def _value(constant: Any) -> Any:
    """A constant by its type and value; sets have no order, which another process may write in another way."""
    if isinstance(constant, types.CodeType):
        return constant.co_code, constant.co_names, _value(constant.co_consts)
    if isinstance(constant, tuple):
        return tuple(_value(x) for x in constant)
    if isinstance(constant, frozenset):
        return frozenset(_value(x) for x in constant)
    return type(constant), repr(constant)
