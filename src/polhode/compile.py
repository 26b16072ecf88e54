"""Kernels to machine code, through a cache on disk; imported when something is first compiled.

One loop is compiled per method and serves every torque: the torque comes as an argument of a declared
function type. So methods + torques are compiled, never methods x torques. Both go to a disk cache of our
own (Numba's does not notice edits in other files): its key is the text of the kernel sources, the code of
the step or torque with all it calls and refers to, and the version of Numba. POLHODE_CACHE moves it.
"""

import functools
import hashlib
import os
import pathlib
import re
import sys
import warnings

import numba
from numba import types
from numba.core import caching
from numba.core.errors import NumbaError, NumbaWarning
from numba.extending import intrinsic

from polhode import engine, scalar
from polhode.cache import cache_base, fingerprint, reachable
from polhode.inside import F8, jitable, make_callable
from polhode.pointers import address_of, pointer, put, taken

V3, V4, M9 = (types.UniTuple(F8, n) for n in (3, 4, 9))
PAR = types.CPointer(F8)  # in memory: sixteen numbers by value would cost a tenth of a step
NUMBERS = types.Array(F8, 1, "C")
TORQUE = V3(F8, M9, PAR)
POTENTIAL = F8(M9, PAR)
OPTIONS = {"error_model": "numpy", "nogil": True}  # no fastmath: the last bits are what we study

COMPILED: list[tuple[str, bool]] = []
"""(name, whether it came from the disk cache) of everything compiled in this process."""


class CannotCompile(Exception):
    """Numba could not compile a function; `reason` is what it said, without the pages around it."""

    @property
    def reason(self):
        told = [line.strip() for line in str(self).splitlines()]
        why = [
            line
            for line in told
            if re.match("Untyped|Unknown|Unsupported|Cannot|No implementation|.*not supported", line)
        ]
        return (why or told or ["nothing."])[-1 if why else 0][:200].rstrip(":") + "."


def torque(function, kind=TORQUE):
    """Machine code of a torque kernel (t, Q, parameters) -> three numbers, or of another type."""
    return _compiled(function, kind)


def potential(function):
    """Machine code of a potential kernel (Q, parameters) -> number."""
    return _compiled(function, POTENTIAL)


@functools.cache
def loop(step, memory, coefficients, kind=TORQUE):
    """Machine code of the loop for one step; `memory` and `coefficients` are how many numbers it carries.

    `kind` is the type of the torque, which a method may want at several attitudes at once (``node_lanes.py``). The
    constants of the body (J, 1/J, coefficients) and the state come as arrays, and the state is left in its array.
    """
    advance, body_of, state_of = engine.advance, _body(coefficients, kind), _state(memory)

    def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row):
        done, row, left, iterations, error, last = advance(
            step, body_of(constants, torque, par), h, t0, first, n, every, left, state_of(state), out, row
        )
        put(state, last)
        return done, row, left, iterations, error

    name = f"loop-{step.__name__}-{memory}-{coefficients}-{kind.args[0]}"
    return machine_code(steps, _loop_signature(), (step, body_of, state_of), name)


@functools.cache
def survey(step, memory, coefficients, kind=TORQUE):
    """Machine code of the loop that also tallies energy and momentum; compiled only when asked for."""
    inner, body_of, state_of = engine.survey, _body(coefficients, kind), _state(memory)
    potential_at = pointer(POTENTIAL)

    def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row, U, origin, each, looks, tally):
        done, row, left, iterations, error, last = inner(
            *(step, body_of(constants, torque, par), h, t0, first, n, every, left, state_of(state), out, row),
            *(potential_at(U), origin, each, looks, tally),
        )
        put(state, last)
        return done, row, left, iterations, error

    signature = _loop_signature(types.int64, V4, types.int64, types.int64, types.Array(F8, 3, "C"))
    name = f"survey-{step.__name__}-{memory}-{coefficients}-{kind.args[0]}"
    return machine_code(steps, signature, (step, body_of, state_of), name)


def _body(coefficients, kind):
    """body(constants, torque, par): the body that a step is given."""
    J, iJ, numbers, torque_at = taken(3, 0), taken(3, 3), taken(coefficients, 6), pointer(kind)

    def body(constants, torque, par):
        return J(constants), iJ(constants), numbers(constants), (torque_at(torque), _address(par))

    return body


def _state(memory):
    """state(numbers): the state that a step is given."""
    q, Pi, tau, rest = taken(4, 0), taken(3, 4), taken(3, 7), taken(memory, 10)

    def state(numbers):
        return q(numbers), Pi(numbers), tau(numbers), rest(numbers)

    return state


def _loop_signature(*more):
    i8, rows = types.int64, types.Array(F8, 2, "C")
    given = (NUMBERS, i8, NUMBERS, F8, F8, i8, i8, i8, i8, NUMBERS, rows, i8)
    return types.Tuple((i8, i8, i8, i8, F8))(*given, *more)


@functools.cache
def energies():
    """Machine code that evaluates a potential at every row of quaternions."""
    matrix = _rotations().matrix
    signature = types.void(types.int64, NUMBERS, types.Array(F8, 2, "C"), NUMBERS)
    function_at = pointer(POTENTIAL)

    def evaluate(address, par, rows, out):
        potential = function_at(address)
        for i in range(len(rows)):
            out[i] = potential(matrix((rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])), _address(par))

    return machine_code(evaluate, signature, (), "energies")


def _rotations():
    from polhode.so3 import rotations

    return rotations


@functools.cache
def _compiled(function, signature):
    return machine_code(function, signature, (function,), function.__name__)


def machine_code(function, signature, depends_on, name):
    """Compile `function` eagerly for one signature, through the disk cache."""
    make_callable()
    for f in reachable(depends_on):
        jitable(f)
    stamp = _stamp(depends_on)
    dispatcher = numba.njit(**OPTIONS)(function)
    dispatcher._cache = DiskCache(cache_folder(), f"{name}-{stamp[:24]}", stamp)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaWarning)  # function types count as experimental; our tests pin them
        try:
            dispatcher.compile(signature)
        except (NumbaError, NotImplementedError, TypeError, AttributeError) as error:
            raise CannotCompile(str(error)) from error
    dispatcher.disable_compile()
    dispatcher.address = address_of(dispatcher)
    COMPILED.append((name, bool(dispatcher.stats.cache_hits)))
    return dispatcher


# ---- the cache ---------------------------------------------------------------------------------------


def cache_folder():
    """Where machine code is kept between processes; a folder per state of the sources."""
    return str(cache_base() / _sources()[:16])


SOURCES = (
    *("scalar.py", "solver.py", "body.py", "engine.py", "adapt.py", "compile.py", "pointers.py", "linked.py"),
    *("inside.py", "lanes.py", "halves.py", "alone.py", "blocks.py", "nodes.py", "node_lanes.py"),
)


@functools.cache
def _sources():
    """A hash of the sources that every kernel stands on, and of the versions below them.

    The functions of methods and problems are hashed one by one (`_stamp`), so that an edit of one method
    does not cost the compilation of all.
    """
    root = pathlib.Path(__file__).parent
    text = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for file in SOURCES:
        text.update((root / file).read_bytes())
    for file in sorted((root / "so3").glob("*.py")):
        text.update(file.read_bytes())
    return text.hexdigest()


def _stamp(functions):
    """A hash of the sources and of the code of these functions with all they call and refer to."""
    one_by_one = [scalar.ALONE[f] for f in reachable(functions) if f in scalar.ALONE]
    return hashlib.sha256((_sources() + fingerprint(functions) + fingerprint(one_by_one)).encode()).hexdigest()


class DiskCache(caching.Cache):
    """Numba's cache with our own folder and key."""

    def __init__(self, folder, name, stamp):
        self._name = name
        self._cache_path = folder
        self._impl = _CacheImpl(folder)
        self._cache_file = caching.IndexDataCacheFile(cache_path=folder, filename_base=name, source_stamp=stamp)
        self.enable()

    def _index_key(self, sig, codegen):
        return (sig, codegen.magic_tuple())

    def load_overload(self, sig, target_context):
        """Machine code from disk, or None; what cannot be read back (its module is gone) is compiled again."""
        try:
            return super().load_overload(sig, target_context)
        except (ImportError, AttributeError, EOFError):
            return None


class _CacheImpl(caching.CompileResultCacheImpl):
    def __init__(self, folder):
        self._folder = folder

    @property
    def locator(self):
        return self

    def ensure_cache_path(self):
        os.makedirs(self._folder, exist_ok=True)


@intrinsic
def _address(typing_context, array):
    """Where the numbers of an array are; the caller keeps the array alive."""

    def build(context, builder, signature, arguments):
        return context.make_array(array)(context, builder, arguments[0]).data

    return PAR(array), build
