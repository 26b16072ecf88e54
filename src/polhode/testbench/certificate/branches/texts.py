"""The texts of functions, and their code compiled again so that it tells of its decisions. A function is rewritten only
if its file still is what it was compiled from."""

import ast
import linecache
import types
import warnings
from collections.abc import Iterator
from typing import Any

from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.rewriting import Rewriter


class Unreadable(Exception):
    """A function whose text is not to be had, or is not the one that it was compiled from."""


class Texts:
    """The files that functions are from, each read and compiled once: as it is, and telling of its decisions."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.plain: dict[str, list[types.CodeType]] = {}
        self.telling: dict[str, list[types.CodeType]] = {}

    def is_there(self, file: str) -> bool:
        """Whether a file has a text."""
        return bool(linecache.getlines(file))

    def rewritten(self, code: types.CodeType) -> types.CodeType:
        """The code of a function that tells the recorder of its decisions."""
        file = code.co_filename
        if file not in self.plain:
            text = "".join(linecache.getlines(file))
            self.plain[file], self.telling[file] = _compiled(text, file), self._telling(text, file)
        plain = [one for one in self.plain[file] if _stands_where(one, code) and _does_what(one, code)]
        telling = [one for one in self.telling[file] if _stands_where(one, code)]
        if not plain:
            raise Unreadable(f"{code.co_name} is not in {file} as it was compiled")
        if len(telling) != 1:  # lambdas of one line, which nothing tells apart
            raise Unreadable(f"{code.co_name} is more than once in {file}, line {code.co_firstlineno}")
        return telling[0]

    def _telling(self, text: str, file: str) -> list[types.CodeType]:
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


def _compiled(text: str | ast.Module, file: str) -> list[types.CodeType]:
    """All functions of a text."""
    tree = _parsed(text, file) if isinstance(text, str) else text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(_codes(compile(tree, file, "exec", dont_inherit=True)))


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _stands_where(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two functions have the same name, place, arguments and cells. Their place among the others tells nothing:
    the compiler drops what is behind `if 0:`, and keeps it where a test tells of itself."""
    count = other.co_argcount + other.co_kwonlyargcount
    return all(
        a == b
        for a, b in (
            (one.co_qualname, other.co_qualname),
            (one.co_firstlineno, other.co_firstlineno),
            (one.co_argcount, other.co_argcount),
            (one.co_posonlyargcount, other.co_posonlyargcount),
            (one.co_kwonlyargcount, other.co_kwonlyargcount),
            (one.co_varnames[:count], other.co_varnames[:count]),
            (one.co_freevars, other.co_freevars),
            (one.co_flags, other.co_flags),
        )
    )


def _does_what(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two functions are the same but for where they stand."""
    return one.co_code == other.co_code and _constants(one) == _constants(other)


def _constants(code: types.CodeType) -> list[Any]:
    """What a function has of numbers, texts and names, by type and value, and the same of those inside it."""
    inner = [x for x in code.co_consts if isinstance(x, types.CodeType)]
    own = [repr(x) for x in code.co_consts if not isinstance(x, types.CodeType)] + list(code.co_names)
    return [*own, *((x.co_code, *_constants(x)) for x in inner)]
