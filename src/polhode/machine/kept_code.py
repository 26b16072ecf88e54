"""From functions to machine code, as they are at this moment: from memory, from the disk, or compiled.

The disk cache is our own, as Numba's does not notice edits in other files: its key is the text of the kernel sources,
the code of the step or torque with all it calls and refers to, and the version of Numba. POLHODE_CACHE moves it.
"""

import functools
import hashlib
import pathlib
import pickle
import re
import sys
import warnings
from typing import Any

import numba
import numpy as np
from numba.core import caching, serialize
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError, NumbaWarning
from numba.core.registry import cpu_target

from polhode.inputs.laws import RANDOM, does_more
from polhode.kernels.fingerprint import IN_C, fingerprint, is_static
from polhode.kernels.references import reachable
from polhode.kernels.scalar import done_alone
from polhode.kernels.unchanged import fingerprint_now
from polhode.machine.cache import cache_base, folder
from polhode.machine.frozen import frozen, is_compiled_where_called
from polhode.machine.link_only import LINK_ONLY
from polhode.machine.overloads import make_callable
from polhode.machine.pointers import address_of
from polhode.machine.user_functions import LIKE_PYTHON, UsersOwnCompiler, is_users
from polhode.machine.variants import VARIANTS

OPTIONS = {"error_model": "numpy", "nogil": True}  # no fastmath: the last bits are what we study


COMPILED: list[tuple[str, bool]] = []
"""(name, whether it came from the disk cache) of everything compiled in this process."""


class CannotCompile(Exception):
    """Numba could not compile a function; `reason` is what it said, without the pages around it."""

    @property
    def _no_function(self):
        """What the user gave, where it is no function; `user` is our name for it, in inputs/functions.py."""
        match = re.search(r"Untyped global name 'user': Cannot determine Numba type of <class '([^']*)'>", str(self))
        return match and {"method": "a method of an object"}.get(match[1], f"an object of class {match[1]}")

    @property
    def advice(self):
        """What to do."""
        if self._no_function:
            return "Give a function, and its numbers as parameters={...} or args=(...)."
        return "Write it with indices, arithmetic and NumPy functions that Numba knows."

    @property
    def reason(self):
        lines = [line.strip() for line in str(self).splitlines()]
        if self._no_function:
            return f"it compiles functions, and this is {self._no_function}."
        why = [
            line
            for line in lines
            if re.match("Untyped|Unknown|Unsupported|Cannot|No implementation|.*not supported", line)
        ]
        return (why or lines or ["nothing."])[-1 if why else 0][:200].rstrip(":") + "."

    @property
    def because(self):
        """The reason, and who says so."""
        return f"Numba says: {self.reason}"


class DrawsNumbers(CannotCompile):
    """A function that is not compiled, since machine code has random numbers of its own, which no seed reaches."""

    reason = "it draws random numbers, and those of machine code are not of the generator that was seeded."
    because = "It draws random numbers, and those of machine code are not of the generator that was seeded."
    advice = "For speed, draw an array of them before the run and give that as a parameter."


KEPT: dict[str, Any] = {}
"""Machine code in this process by what it was made from; CannotCompile where it could not be made."""

CHANGING: dict[str, Any] = {}
"""The keys of KEPT whose functions may change, in the order of their last use."""

MOST_KEPT = 64
"""How many of CHANGING are kept in memory."""


def machine_code(make, signature, name, kernels=(), functions=()):
    """Machine code of ``make(*kernels, *functions)`` for one signature, from memory, from the disk or compiled.

    It is found by the fingerprint of kernels and functions as they are now, and compiled from copies that hold the
    same values. Kernels may have other implementations in lanes (``variants.py``), functions, a user's torque or
    potential, have not. What the fingerprint cannot see through is compiled afresh each time and never kept; a torque
    from C is kept in memory, where its address stands for it. What draws random numbers is not compiled.
    """
    made_of = fingerprint_now((*kernels, *functions))
    key, hidden = (name, _text(signature), made_of.digest), set(made_of.unseen) - {IN_C}
    if not hidden and key in KEPT:
        code = KEPT[key]
        if key in CHANGING:
            CHANGING[key] = CHANGING.pop(key)
    elif any(does_more(f) == RANDOM for f in (*kernels, *functions)):
        raise DrawsNumbers
    else:
        copies = (*frozen(kernels, True), *frozen(functions, False))
        stamp = _stamp(name, signature, made_of, kernels)
        code = _from_disk_or_compiled(make(*copies), signature, name, stamp, made_of.unseen)
        if not hidden:
            _keep(key, code, all(map(is_static, (*kernels, *functions))))
    if isinstance(code, CannotCompile):
        raise code
    return code


_TEXTS: dict[str, Any] = {}


def _text(signature):
    """A signature as text; looked up by identity, as the hash of a signature takes longer than a short run."""
    entry = _TEXTS.get(id(signature))
    if entry is None or entry[0] is not signature:
        entry = _TEXTS[id(signature)] = signature, str(signature)
    return entry[1]


def _keep(key, code, for_ever):
    """Keep machine code in memory; of functions that may change, the last few."""
    KEPT[key] = code
    if not for_ever:
        CHANGING[key] = None
        for old in list(CHANGING)[: max(0, len(CHANGING) - MOST_KEPT)]:
            del CHANGING[old], KEPT[old]


def _from_disk_or_compiled(function, signature, name, stamp, unseen):
    """A dispatcher with machine code for one signature, or a CannotCompile."""
    disk = DiskCache(None if unseen else f"{name}-{stamp[:32]}")
    if (reason := disk.refusal()) is not None:
        return CannotCompile(reason)
    make_callable(f for f in callees(function) if not is_compiled_where_called(f))
    own = {**LIKE_PYTHON, "pipeline_class": UsersOwnCompiler} if is_users(function) else {}
    dispatcher = numba.njit(**OPTIONS | own)(function)
    dispatcher._cache = disk
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaWarning)  # function types count as experimental; our tests pin them
        try:
            dispatcher.compile(signature)
        except NumbaError as error:
            disk.refuse(str(error))
            return CannotCompile(str(error))
        except Exception as error:  # the compiler itself stumbled over what it was given
            return CannotCompile(f"{type(error).__name__}: {error}")
    dispatcher.disable_compile()
    dispatcher.address = address_of(dispatcher)
    COMPILED.append((name, bool(dispatcher.stats.cache_hits)))
    return dispatcher


def callees(function):
    """Every Python function that machine code of this one may call: what it reaches, also for one body in lanes."""
    one_by_one = filter(None, map(done_alone, reachable([function])))
    return [f for f in reachable([function, *one_by_one]) if f is not function]


# ---- the cache ---------------------------------------------------------------------------------------


def cache_folder():
    """Where machine code is kept between processes; a folder per state of the sources."""
    return str(_folder().path)


def _folder():
    return folder(cache_base() / f"code-{_sources()[:16]}")


@functools.cache
def _sources():
    """A hash of the sources that every kernel stands on, and of the versions below them.

    The functions of methods and problems are hashed one by one (`_stamp`), so that an edit of one method
    does not cost the compilation of all.
    """
    here = pathlib.Path(__file__).parent
    text = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for file in sorted((*here.rglob("*.py"), *(here.parent / "kernels").rglob("*.py"))):
        text.update(file.read_bytes())
    return text.hexdigest()


def _stamp(name, signature, made_of, kernels):
    """A hash of all that machine code depends on: sources, processor, signature, and the functions it is made of."""
    one_by_one = list(filter(None, map(done_alone, reachable(kernels))))
    processor = cpu_target.target_context.codegen().magic_tuple()
    made_from = made_of.digest, fingerprint(one_by_one).digest
    text = repr((_sources(), processor, name, str(signature), *made_from, VARIANTS, LINK_ONLY))
    return hashlib.sha256(text.encode()).hexdigest()


class DiskCache(caching._Cache):
    """What a dispatcher asks of its cache: one entry of our folder, or none."""

    def __init__(self, entry):
        self._entry = entry

    @property
    def cache_path(self):
        return cache_folder()

    def load_overload(self, sig, target_context):
        """Machine code from disk, or None; what cannot be read back (its module is gone) is compiled again."""
        content = self._entry and _folder().read(self._entry)
        if not content or not content.startswith(b"code"):
            return None
        target_context.refresh()  # what the code calls must be there before the code is
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content[4:]))
        except (ImportError, AttributeError, EOFError, KeyError, pickle.UnpicklingError):
            _folder().remove(self._entry)
            return None

    def save_overload(self, sig, data):
        """Keep machine code, unless it holds an address of this process (a C function, a large array)."""
        if self._entry and not data.library.has_dynamic_globals and not data.lifted:
            _folder().write(self._entry, b"code" + serialize.dumps(data._reduce()))

    def refusal(self):
        """Why this was found not to compile in an earlier process, or None."""
        content = self._entry and _folder().read(self._entry)
        return content[4:].decode() if content and content.startswith(b"none") else None

    def refuse(self, reason):
        """Remember that this does not compile: finding that out takes as long as compiling."""
        if self._entry:
            _folder().write(self._entry, b"none" + reason.encode())

    def enable(self):
        """Nothing to do: it is used while it is there."""

    def disable(self):
        """Nothing to do."""

    def flush(self):
        """Nothing to do."""
