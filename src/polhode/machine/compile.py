"""Kernels to machine code, through a cache on disk; imported when something is first compiled.

One loop is compiled per method and serves every torque: the torque comes as an argument of a declared
function type. So methods + torques are compiled, never methods x torques. Both go to a disk cache of our
own (Numba's does not notice edits in other files): its key is the text of the kernel sources, the code of
the step or torque with all it calls and refers to, and the version of Numba. POLHODE_CACHE moves it.
"""

import functools
import hashlib
import pathlib
import pickle
import re
import sys
import warnings

import numba
import numpy as np
from numba import types
from numba.core import caching, serialize
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError, NumbaWarning
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from polhode.kernels import loop as loops
from polhode.kernels import scalar
from polhode.kernels.fingerprint import IN_C, fingerprint, is_static, reachable
from polhode.kernels.rotations import matrix
from polhode.kernels.unchanged import fingerprint_now
from polhode.machine.cache import cache_base, folder
from polhode.machine.frozen import frozen, is_compiled_where_called
from polhode.machine.link_only import LINK_ONLY
from polhode.machine.overloads import F8, jitable, make_callable
from polhode.machine.pointers import address_of, pointer, put, taken
from polhode.machine.user_functions import LIKE_PYTHON, UsersOwnCompiler, is_users
from polhode.machine.variants import VARIANTS

V3, V4, M9 = (types.UniTuple(F8, n) for n in (3, 4, 9))
PAR = types.CPointer(F8)  # in memory: sixteen numbers by value would cost a tenth of a step
NUMBERS = types.Array(F8, 1, "C")
TORQUE = V3(F8, M9, PAR)
MOMENT = V3(F8, M9, V3, PAR)  # a torque that depends on the velocity
POTENTIAL = F8(M9, PAR)
OPTIONS = {"error_model": "numpy", "nogil": True}  # no fastmath: the last bits are what we study

COMPILED: list[tuple[str, bool]] = []
"""(name, whether it came from the disk cache) of everything compiled in this process."""


class CannotCompile(Exception):
    """Numba could not compile a function; `reason` is what it said, without the pages around it."""

    @property
    def _no_function(self):
        """What the user gave, where it is no function; `user` is our name for it, in inputs/functions.py."""
        found = re.search(r"Untyped global name 'user': Cannot determine Numba type of <class '([^']*)'>", str(self))
        return found and {"method": "a method of an object"}.get(found[1], f"an object of class {found[1]}")

    @property
    def advice(self):
        """What to do."""
        if self._no_function:
            return "Give a function, and its numbers as parameters={...} or args=(...)."
        return "Write it with indices, arithmetic and NumPy functions that Numba knows."

    @property
    def reason(self):
        told = [line.strip() for line in str(self).splitlines()]
        if self._no_function:
            return f"it compiles functions, and this is {self._no_function}."
        why = [
            line
            for line in told
            if re.match("Untyped|Unknown|Unsupported|Cannot|No implementation|.*not supported", line)
        ]
        return (why or told or ["nothing."])[-1 if why else 0][:200].rstrip(":") + "."


def torque(function, kind=TORQUE):
    """Machine code of a torque kernel (t, Q, parameters) -> three numbers, or of another type."""
    return machine_code(itself, kind, function.__name__, functions=(function,))


def potential(function):
    """Machine code of a potential kernel (Q, parameters) -> number."""
    return machine_code(itself, POTENTIAL, function.__name__, functions=(function,))


def itself(x):
    """What is given."""
    return x


def loop(step, memory, coefficients, kind=TORQUE):
    """Machine code of the loop for one step; `memory` and `coefficients` are how many numbers it carries.

    `kind` is the type of the torque, which a method may want at several attitudes at once
    (``quadrature_lanes.py``). The constants of the body (J, 1/J, coefficients) and the state come as arrays, and the
    state is left in its array.
    """

    def make(step):
        advance, make_body, make_state = loops.advance, body_of(coefficients, kind), state_of(memory)

        def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row):
            done, row, left, iterations, error, last = advance(
                step, make_body(constants, torque, par), h, t0, first, n, every, left, make_state(state), out, row
            )
            put(state, last)
            return done, row, left, iterations, error

        return steps

    name = f"loop-{step.__name__}-{memory}-{coefficients}-{label(kind)}"
    return machine_code(make, LOOP, name, kernels=(step,))


def survey(step, memory, coefficients, kind=TORQUE):
    """Machine code of the loop that also tallies energy and momentum; compiled only when asked for."""

    def make(step):
        inner, make_body, make_state = loops.survey, body_of(coefficients, kind), state_of(memory)
        potential_at = pointer(POTENTIAL)

        def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row, U, origin, each, looks, tally):
            done, row, left, iterations, error, last = inner(
                *(step, make_body(constants, torque, par), h, t0, first, n, every, left, make_state(state), out, row),
                *(potential_at(U), origin, each, looks, tally),
            )
            put(state, last)
            return done, row, left, iterations, error

        return steps

    name = f"survey-{step.__name__}-{memory}-{coefficients}-{label(kind)}"
    return machine_code(make, SURVEY, name, kernels=(step,))


def takes_velocity(kind):
    """Whether a torque of this type is a function of the velocity, too."""
    return len(kind.args) == 4


def label(kind):
    """The type of a torque in the name of a loop."""
    return f"{kind.args[0]}{'-velocity' if takes_velocity(kind) else ''}"


def body_of(coefficients, kind):
    """body(constants, torque, par): the body that a step is given."""
    J, iJ, numbers, torque_at = taken(3, 0), taken(3, 3), taken(coefficients, 6), pointer(kind)
    if takes_velocity(kind):

        def moving(constants, torque, par):
            return J(constants), iJ(constants), numbers(constants), (torque_at(torque), place_of(par), ())

        return moving

    def body(constants, torque, par):
        return J(constants), iJ(constants), numbers(constants), (torque_at(torque), place_of(par))

    return body


def state_of(memory):
    """state(numbers): the state that a step is given."""
    q, Pi, tau, rest = taken(4, 0), taken(3, 4), taken(3, 7), taken(memory, 10)

    def state(numbers):
        return q(numbers), Pi(numbers), tau(numbers), rest(numbers)

    return state


def _loop_signature(*more):
    i8, rows = types.int64, types.Array(F8, 2, "C")
    given = (NUMBERS, i8, NUMBERS, F8, F8, i8, i8, i8, i8, NUMBERS, rows, i8)
    return types.Tuple((i8, i8, i8, i8, F8))(*given, *more)


LOOP = _loop_signature()
SURVEY = _loop_signature(types.int64, V4, types.int64, types.int64, types.Array(F8, 3, "C"))


def energies():
    """Machine code that evaluates a potential at every row of quaternions."""

    def make(matrix):
        function_at = pointer(POTENTIAL)

        def evaluate(address, par, rows, out):
            potential = function_at(address)
            for i in range(len(rows)):
                out[i] = potential(matrix((rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])), place_of(par))

        return evaluate

    return machine_code(make, ENERGIES, "energies", kernels=(matrix,))


ENERGIES = types.void(types.int64, NUMBERS, types.Array(F8, 2, "C"), NUMBERS)
PROBE = types.void(types.int64, NUMBERS, F8, NUMBERS, NUMBERS)


def probe(kind, one=itself):
    """Machine code that evaluates a torque or potential of some type once: look(address, par, t, Q, out).

    `one` is a kernel that takes the torque of one body from what comes back (``quadrature_lanes.py``). Behind Q come
    the three numbers of Omega, for a torque that takes them.
    """

    def make(one):
        at, nine, three = pointer(kind), taken(9, 0), taken(3, 9)

        def look_at_moment(address, par, t, Q, out):
            out[0], out[1], out[2] = one(at(address)(t, nine(Q), three(Q), place_of(par)))

        def look_at_torque(address, par, t, Q, out):
            out[0], out[1], out[2] = one(at(address)(t, nine(Q), place_of(par)))

        def look_at_potential(address, par, t, Q, out):
            out[0] = at(address)(nine(Q), place_of(par))

        if takes_velocity(kind):
            return look_at_moment
        return look_at_potential if kind is POTENTIAL else look_at_torque

    return machine_code(make, PROBE, f"probe-{label(kind)}", kernels=(one,))


# ---- from functions to machine code, at this moment --------------------------------------------------

KEPT: dict = {}
"""Machine code in this process by what it was made from; CannotCompile where it could not be made."""

CHANGING: dict = {}
"""The keys of it that belong to functions that may change, the one used last at the end."""

MOST_KEPT = 64
"""How many of those are kept in memory."""


def machine_code(make, signature, name, kernels=(), functions=()):
    """Machine code of ``make(*kernels, *functions)`` for one signature, from memory, from the disk or compiled.

    It is found by the fingerprint of kernels and functions as they are now, and compiled from copies that hold the
    same values. Kernels may have other implementations in lanes (``variants.py``), functions, a user's torque or
    potential, have not. What the fingerprint cannot see through is compiled afresh each time and never kept; a torque
    from C is kept in memory, where its address stands for it.
    """
    made_of = fingerprint_now((*kernels, *functions))
    key, hidden = (name, _text(signature), made_of.digest), set(made_of.unseen) - {IN_C}
    if not hidden and key in KEPT:
        found = KEPT[key]
        if key in CHANGING:
            CHANGING[key] = CHANGING.pop(key)
    else:
        copies = (*frozen(kernels, True), *frozen(functions, False))
        stamp = _stamp(name, signature, made_of, kernels)
        found = _from_disk_or_compiled(make(*copies), signature, name, stamp, made_of.unseen)
        if not hidden:
            _keep(key, found, all(map(is_static, (*kernels, *functions))))
    if isinstance(found, CannotCompile):
        raise found
    return found


_TEXTS: dict = {}


def _text(signature):
    """A signature as text; looked up by identity, as the hash of a signature takes longer than a short run."""
    known = _TEXTS.get(id(signature))
    if known is None or known[0] is not signature:
        known = _TEXTS[id(signature)] = signature, str(signature)
    return known[1]


def _keep(key, found, for_ever):
    """Keep machine code in memory; of functions that may change, the last few."""
    KEPT[key] = found
    if not for_ever:
        CHANGING[key] = None
        for old in list(CHANGING)[: max(0, len(CHANGING) - MOST_KEPT)]:
            del CHANGING[old], KEPT[old]


def _from_disk_or_compiled(function, signature, name, stamp, unseen):
    """A dispatcher with machine code for one signature, or a CannotCompile."""
    disk = DiskCache(None if unseen else f"{name}-{stamp[:32]}")
    if (reason := disk.refusal()) is not None:
        return CannotCompile(reason)
    make_callable()
    for f in reachable([function]):
        if f is not function and not is_compiled_where_called(f):
            jitable(f)
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
    for file in sorted((*here.glob("*.py"), *(here.parent / "kernels").glob("*.py"))):
        text.update(file.read_bytes())
    return text.hexdigest()


def _stamp(name, signature, made_of, kernels):
    """A hash of all that machine code depends on: sources, processor, signature, and the functions it is made of."""
    one_by_one = [scalar.ALONE[f] for f in reachable(kernels) if f in scalar.ALONE]
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
        """Keep that this does not compile: to find out again would take as long."""
        if self._entry:
            _folder().write(self._entry, b"none" + reason.encode())

    def enable(self):
        """Nothing to do: it is used while it is there."""

    def disable(self):
        """Nothing to do."""

    def flush(self):
        """Nothing to do."""


@intrinsic
def place_of(typing_context, array):
    """Where the numbers of an array are; the caller keeps the array alive."""

    def build(context, builder, signature, arguments):
        return context.make_array(array)(context, builder, arguments[0]).data

    return PAR(array), build
