"""Kernels to machine code: the only module that knows Numba, imported when something is first compiled.

One loop is compiled per method and serves every torque: the torque comes as an argument of a declared
function type. So methods + torques are compiled, never methods x torques. Both go to a disk cache of our
own (Numba's does not notice edits in other files): its key is the text of the kernel sources, the code of
the step or torque with all it calls and refers to, and the version of Numba. POLHODE_CACHE moves it.
"""

import cmath
import functools
import hashlib
import math
import operator
import os
import pathlib
import platform
import re
import sys
import warnings
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import caching, cgutils
from numba.core.errors import NumbaError, NumbaWarning
from numba.extending import intrinsic, overload

from polhode import adapt, engine, scalar
from polhode.cache import cache_base, fingerprint, reachable
from polhode.linked import LinkedCompiler
from polhode.pointers import address_of, pointer, put, taken

F8 = types.float64
V3, V4, M9 = (types.UniTuple(F8, n) for n in (3, 4, 9))
PAR = types.CPointer(F8)  # in memory: sixteen numbers by value would cost a tenth of a step
NUMBERS = types.Array(F8, 1, "C")
TORQUE = V3(F8, M9, PAR)
POTENTIAL = F8(M9, PAR)
OPTIONS = {"error_model": "numpy", "nogil": True}  # no fastmath: the last bits are what we study
INSIDE: Any = {  # for functions that only machine code calls
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": LinkedCompiler,
}

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
    return _machine_code(steps, _loop_signature(), (step, body_of, state_of), name)


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
    return _machine_code(steps, signature, (step, body_of, state_of), name)


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

    return _machine_code(evaluate, signature, (), "energies")


def _rotations():
    from polhode.so3 import rotations

    return rotations


@functools.cache
def _compiled(function, signature):
    return _machine_code(function, signature, (function,), function.__name__)


def _machine_code(function, signature, depends_on, name):
    """Compile `function` eagerly for one signature, through the disk cache."""
    _make_callable()
    for f in reachable(depends_on):
        _jitable(f)
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
    *("lanes.py", "halves.py", "alone.py", "blocks.py", "nodes.py", "node_lanes.py"),
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
    return hashlib.sha256((_sources() + fingerprint(functions)).encode()).hexdigest()


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


# ---- kernels and the functions of scalar.py and adapt.py inside machine code -------------------------


VARIANTS: list = []
"""Functions (kernel, types of its arguments) -> another implementation of it, or None; see halves.py, alone.py."""


BY_TYPE: set = set()
"""Functions that are different code for each type of number, and never compiled from their own source."""


@functools.cache
def _jitable(function):
    """Make a kernel callable from machine code."""
    if function in BY_TYPE:
        return

    @overload(function, jit_options={**INSIDE, "forceinline": True}, strict=False)
    def implementation(*args):
        return next(filter(None, (variant(function, args) for variant in VARIANTS)), function)


def _make_callable():
    _array_functions()
    for f in scalar.KERNELS:
        _jitable(f)


@functools.cache
def _array_functions():
    """Import Numba's functions of arrays, but not SciPy's BLAS with them: a tenth of a warm start.

    They only look whether it can be imported; what needs it (a user's ``@``) imports it when it is compiled.
    """
    blas = "scipy.linalg.cython_blas"
    if blas in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules[blas] = None  # type: ignore[assignment]  # so that its import fails at once
    try:
        from numba.np import arraymath
    finally:
        del sys.modules[blas]
    arraymath._HAVE_BLAS = True


for _f in (
    scalar.c0_real,
    scalar.c0_small,
    scalar.c1_real,
    scalar.c1_small,
    scalar.c3_real,
    scalar.c3_small,
    scalar.c0_complex,
    scalar.c1_complex,
    scalar.c3_complex,
    scalar.c5_real,
    scalar.c5_small,
    scalar.c5_complex,
    scalar.a3_real,
    scalar.a3_small,
    scalar.a3_complex,
    scalar.series,
    adapt.axes,
    adapt.seen,
):
    _jitable(_f)


def by_type(function, **options):
    """Numba's overload, remembered in BY_TYPE."""
    BY_TYPE.add(function)
    return overload(function, **options)


def _by_type(function, real, complex_):
    """Inside machine code `function` is `real` for floats and integers, `complex_` for complex numbers."""

    @by_type(function, jit_options=INSIDE)
    def choose(x):
        if isinstance(x, (types.Float, types.Integer)):
            return real
        if isinstance(x, types.Complex):
            return complex_
        return None


_by_type(scalar.sqrt, lambda x: math.sqrt(x), lambda x: cmath.sqrt(x))
_by_type(scalar.sin, lambda x: math.sin(x), lambda x: cmath.sin(x))
_by_type(scalar.cos, lambda x: math.cos(x), lambda x: cmath.cos(x))
_by_type(adapt.real_part, lambda x: x, lambda x: x.real)
_by_type(adapt.imaginary_part, lambda x: 0.0, lambda x: x.imag)
_by_type(scalar.magnitude, lambda x: abs(x), lambda x: abs(x.real) + abs(x.imag) / scalar.STEP)
_by_type(scalar.epsilon, lambda x: 2.0**-52, lambda x: 2.0**-52)
_by_type(scalar.nobody, lambda x: False, lambda x: False)


REGISTER = {"x86_64": "x", "amd64": "x", "arm64": "w", "aarch64": "w"}.get(platform.machine().lower())
"""How inline assembly calls a register that holds a double."""


@by_type(scalar.ready, jit_options=INSIDE)
def _ready(x):
    return (lambda x: _computed(x)) if REGISTER and set(x) == {F8} else (lambda x: x)


@intrinsic
def _computed(typing_context, x):
    """Numbers that pass through an empty instruction, which the compiler does not move past a call."""

    def build(context, builder, signature, arguments):
        double = ir.DoubleType()
        here = ir.InlineAsm(ir.FunctionType(double, [double]), "", f"={REGISTER},0", side_effect=True)
        parts = [builder.call(here, [part]) for part in cgutils.unpack_tuple(builder, arguments[0], len(x))]
        return context.make_tuple(builder, x, parts)

    return x(x), build


@by_type(scalar.overlap, jit_options=INSIDE)
def _overlap(x, y):
    if isinstance(x, (types.Float, types.Integer)):
        return lambda x, y: x * y
    return lambda x, y: x.real * y.real + (x.imag / scalar.STEP) * (y.imag / scalar.STEP)


@by_type(scalar.finished)
def _finished(before, now):
    return (lambda before, now: now) if isinstance(now, types.Boolean) else None


@by_type(scalar.everybody)
def _everybody(condition):
    return (lambda condition: condition) if isinstance(condition, types.Boolean) else None


@by_type(scalar.kept)
def _kept(done, old, new):
    return (lambda done, old, new: new) if isinstance(done, types.Boolean) and _is_plain(old) else None


@by_type(scalar.either)
def _either(condition, x, y):
    return (lambda condition, x, y: x if condition else y) if isinstance(condition, types.Boolean) else None


def _is_plain(kind):
    """Whether a type is numbers, or tuples of them, that stand for one body."""
    return isinstance(kind, types.Number) or (isinstance(kind, types.BaseTuple) and all(map(_is_plain, kind)))


def _stumpff(function, real, complex_):
    @by_type(function, jit_options=INSIDE)
    def choose(s):
        if isinstance(s, (types.Float, types.Integer)):
            return lambda s: real(s)
        if isinstance(s, types.Complex):
            return lambda s: complex_(s)
        return None


_stumpff(scalar.c0, scalar.c0_real, scalar.c0_complex)
_stumpff(scalar.c1, scalar.c1_real, scalar.c1_complex)
_stumpff(scalar.c3, scalar.c3_real, scalar.c3_complex)
_stumpff(scalar.c5, scalar.c5_real, scalar.c5_complex)
_stumpff(scalar.a3, scalar.a3_real, scalar.a3_complex)


@intrinsic
def _address(typing_context, array):
    """Where the numbers of an array are; the caller keeps the array alive."""

    def build(context, builder, signature, arguments):
        return context.make_array(array)(context, builder, arguments[0]).data

    return PAR(array), build


@by_type(adapt.square, inline="always")  # inlined, so that the array lives in the frame of the caller
def _square(Q):
    return lambda Q: _array_on_stack(Q)


@intrinsic
def _array_on_stack(typing_context, Q):
    """A 3x3 array over nine numbers on the stack: no allocation, and gone with the caller's frame."""
    number = Q.dtype
    array = types.Array(number, 2, "C")

    def build(context, builder, signature, arguments):
        llvm = context.get_data_type(number)
        memory = cgutils.alloca_once(builder, llvm, size=9)
        for k, value in enumerate(cgutils.unpack_tuple(builder, arguments[0], 9)):
            builder.store(value, builder.gep(memory, [ir.Constant(ir.IntType(64), k)]))
        item = context.get_abi_sizeof(llvm)
        result = context.make_array(array)(context, builder)
        intp = context.get_value_type(types.intp)
        context.populate_array(
            result,
            data=memory,
            shape=[ir.Constant(intp, 3)] * 2,
            strides=[ir.Constant(intp, 3 * item), ir.Constant(intp, item)],
            itemsize=ir.Constant(intp, item),
            meminfo=None,
        )
        return result._getvalue()

    return array(Q), build


@overload(operator.matmul)
def _mixed_product(a, b):
    """A real array times a complex one, which Numba's @ refuses: a potential meets it under the complex step."""
    if not (isinstance(a, types.Array) and isinstance(b, types.Array)):
        return None
    if isinstance(a.dtype, types.Complex) and isinstance(b.dtype, types.Float):
        return lambda a, b: a @ b.astype(np.complex128)
    if isinstance(a.dtype, types.Float) and isinstance(b.dtype, types.Complex):
        return lambda a, b: a.astype(np.complex128) @ b
    return None


@by_type(adapt.triple, jit_options=INSIDE)
def _triple(value):
    if isinstance(value, types.BaseTuple) and len(value) != 3:
        return None
    number = adapt._plain
    return lambda value: (number(value[0]), number(value[1]), number(value[2]))


@by_type(adapt._plain)
def _plain(x):
    return (lambda x: float(x)) if isinstance(x, (types.Float, types.Integer, types.Boolean)) else None
