"""An integrator whose own functions are rewritten in place, wherever they are: in a process that is only for that."""

import contextlib
import functools
import gc
import sys
import types
from collections.abc import Callable, Container
from typing import Any

from polhode.testbench.certificate.branches.belongings import Owner, uncompiled
from polhode.testbench.certificate.branches.rewriting import NAME
from polhode.testbench.certificate.branches.texts import Texts, Unreadable

CACHED = type(functools.lru_cache(len))  # of a function by functools.cache or lru_cache


class Functions:
    """All that there are in this process of the functions that are the user's own."""

    def __init__(self, owner: Owner, texts: Texts) -> None:
        gc.unfreeze()  # or what somebody has frozen would not be seen
        self.owner, self.texts = owner, texts
        everything = gc.get_objects()
        gc.freeze()  # nothing of it is to end here
        self.all = [x for x in everything if type(x) is types.FunctionType and owner.has(x)]
        self.caches = [x for x in everything if type(x) is CACHED]

    def interpret(self) -> None:
        """Put functions of Python in the place of those that Numba has compiled from them, where code names them."""
        for names in {id(function.__globals__): function.__globals__ for function in self.all}.values():
            for name, thing in list(names.items()):
                names[name] = uncompiled(thing) or thing
        for cell in (cell for function in self.all for cell in function.__closure__ or ()):
            with contextlib.suppress(ValueError):  # an empty one
                cell.cell_contents = uncompiled(cell.cell_contents) or cell.cell_contents

    def called_by(self, run: Callable[[], Any]) -> set[types.CodeType]:
        """The code of those that a run calls."""
        codes: set[types.CodeType] = set()
        sys.setprofile(lambda frame, event, argument: codes.add(frame.f_code))
        try:
            run()
        finally:
            sys.setprofile(None)
        return {code for code in codes if self.owner.has_file(code.co_filename)}

    def rewrite(self, files: Container[str]) -> set[types.CodeType]:
        """Rewrite those from some files, and return the code of those that cannot be; caches of functions are emptied,
        since what is known already is not computed."""
        left: set[types.CodeType] = set()
        for function in self.all:
            if function.__code__.co_filename not in files:
                continue
            try:
                function.__code__ = self.texts.rewritten(function.__code__)
            except Unreadable:
                left.add(function.__code__)
                continue
            function.__globals__[NAME] = self.texts.recorder
        for cached in self.caches:
            if self.owner.has_file(_file_of(cached)):
                cached.cache_clear()
        return left


def _file_of(cached: Any) -> str:
    return getattr(getattr(cached.__wrapped__, "__code__", None), "co_filename", "")
