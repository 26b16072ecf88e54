"""An integrator whose own functions are rewritten in place, wherever they are: in a process that is only for that."""

import contextlib
import functools
import gc
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from polhode.testbench.certificate.branches.belongings import Owner, uncompiled
from polhode.testbench.certificate.branches.rewriting import NAME
from polhode.testbench.certificate.branches.texts import Texts, Unreadable

CACHED = type(functools.lru_cache(len))  # of a function by functools.cache or lru_cache


def interpret(owner: Owner) -> None:
    """Put the functions of Python in the place of those that Numba has compiled from them, where code names them."""
    for function in _functions(owner):
        names = function.__globals__
        for name, thing in list(names.items()):
            names[name] = uncompiled(thing) or thing
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # an empty one
                cell.cell_contents = uncompiled(cell.cell_contents) or cell.cell_contents


def files_of(run: Callable[[], Any], owner: Owner) -> set[str]:
    """The files of the functions that a run calls, as far as they are the user's own."""
    codes: set[types.CodeType] = set()

    def note(frame: types.FrameType, event: str, _: Any) -> None:
        codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return {code.co_filename for code in codes if owner.has_file(code.co_filename)}


def rewrite(files: Iterable[str], owner: Owner, texts: Texts) -> int:
    """Rewrite all functions from some files, and return how many could be; caches of functions are emptied, since what
    is known already is not computed."""
    done = 0
    for function in _functions(owner):
        if function.__code__.co_filename not in files:
            continue
        try:
            function.__code__ = texts.rewritten(function.__code__)
        except Unreadable:
            continue
        function.__globals__[NAME] = texts.recorder
        done += 1
    for thing in gc.get_objects():
        if type(thing) is CACHED and owner.has_file(_file_of(thing)):
            thing.cache_clear()
    return done


def _functions(owner: Owner) -> list[types.FunctionType]:
    return [x for x in gc.get_objects() if type(x) is types.FunctionType and owner.has(x)]


def _file_of(cached: Any) -> str:
    return getattr(getattr(cached.__wrapped__, "__code__", None), "co_filename", "")
