"""Several bodies at once: a number of machine code that is a SIMD vector of doubles.

The fifth arithmetic of the kernels. `Lanes` is a type of Numba's whose value is an LLVM <n x double>, with the
operators and the functions of ``kernels/scalar.py``; the unchanged steps and torques then work on n bodies at once.
Every operation is the one that a single double would see (no fused multiply-add, nothing reassociated; what has no
vector instruction is called lane by lane), and solvers keep what belongs to a finished body: each lane holds the bits
that its body would get alone.

A comparison is a `Mask`, one bit a lane. It has no truth value: code that branches on a number does not compile in
lanes, so that it cannot be wrong there.

Type and operators are in ``operators.py``, the functions here. Others import from here alone: whoever has the type
then has its functions, and what compiles never depends on who was imported first.
"""

import math
import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.imputils import lower_builtin
from numba.extending import intrinsic

from polhode.inputs import functions
from polhode.kernels import scalar, stumpff
from polhode.machine.lanes.operators import HALF as HALF
from polhode.machine.lanes.operators import I32, Lanes, Mask, chosen, every, none_of, parts, wide
from polhode.machine.lanes.operators import I64 as I64
from polhode.machine.lanes.operators import WIDTH as WIDTH
from polhode.machine.lanes.operators import llvm as llvm
from polhode.machine.lanes.operators import mapped as mapped
from polhode.machine.overloads import F8, by_type


def in_each_lane(function, label):
    """What emits a function of doubles for one lane after the other, as a call: it is rare."""

    def build(context, builder, signature, args):
        lanes = signature.return_type
        name = f"polhode.{lanes}.{label}"
        module, count = builder.module, len(args)
        if name not in module.globals:
            one = F8(*[F8] * count)
            compiled = context.compile_subroutine(builder, function, one)
            outer = ir.Function(module, ir.FunctionType(lanes.llvm, [lanes.llvm] * count), name)
            outer.linkage = "internal"
            outer.attributes.add("noinline")
            outer.attributes.add("cold")
            inner = ir.IRBuilder(outer.append_basic_block())
            result = ir.Constant(lanes.llvm, ir.Undefined)
            for k in range(lanes.width):
                at = ir.Constant(I32, k)
                numbers = [inner.extract_element(x, at) for x in outer.args]
                _, value = context.call_internal_no_propagate(inner, compiled.fndesc, one, numbers)
                result = inner.insert_element(result, value, at)
            inner.ret(result)
        vectors = [wide(context, builder, x, kind, lanes) for x, kind in zip(args, signature.args)]
        return builder.call(module.globals[name], vectors)

    return build


def by_lane(function, label):
    """A function of one double, in each lane by itself."""
    build = in_each_lane(function, label)
    return intrinsic(lambda typing_context, x: (x(x), build))


for _pair in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
    lower_builtin(operator.pow, *_pair)(in_each_lane(lambda x, n: x**n, "power"))


def _in_lanes(function, implementation):
    @by_type(function, jit_options={"error_model": "numpy", "forceinline": True})
    def choose(x):
        return implementation if isinstance(x, Lanes) else None


def _lane_by_lane(function, scalar_function):
    slow = by_lane(scalar_function, f"{getattr(function, '__module__', 'numpy')}.{function.__name__}")
    _in_lanes(function, lambda x: slow(x))


def _scalar_version(f):
    return lambda x: f(x)


def _stumpff(function, small, real, most=0.25):
    """Polynomials where all angles are small enough; lane by lane where one is not."""
    far = by_lane(real, real.__name__)

    def value(s):
        if every(s <= most):
            return small(s)
        return far(s)

    @by_type(function, jit_options={"error_model": "numpy", "forceinline": True})
    def choose(s):
        return value if isinstance(s, Lanes) else None


def _none_of(x):
    return none_of(x)


_stumpff(scalar.c0, stumpff.c0_small, stumpff.c0_real)
_stumpff(scalar.c1, stumpff.c1_small, stumpff.c1_real)
_stumpff(scalar.c3, stumpff.c3_small, stumpff.c3_real)
_stumpff(scalar.c5, stumpff.c5_small, stumpff.c5_real)
_stumpff(scalar.a3, stumpff.a3_small, stumpff.a3_real, most=0.0625)

_in_lanes(scalar.sqrt, lambda x: math.sqrt(x))
_in_lanes(scalar.magnitude, lambda x: abs(x))
_in_lanes(scalar.epsilon, lambda x: 2.0**-52)
_in_lanes(scalar.nobody, _none_of)
_in_lanes(functions.plain, lambda x: x)
_in_lanes(np.sqrt, lambda x: math.sqrt(x))
_in_lanes(np.abs, lambda x: abs(x))
_lane_by_lane(scalar.sin, lambda x: math.sin(x))
_lane_by_lane(scalar.cos, lambda x: math.cos(x))
for _name in ("sin", "cos", "tan", "exp", "log", "sinh", "cosh", "tanh", "expm1", "log1p", "log2", "log10"):
    for _library in (math, np):
        _lane_by_lane(getattr(_library, _name), _scalar_version(getattr(_library, _name)))
_lane_by_lane(np.exp2, _scalar_version(np.exp2))
for _name in ("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh"):
    _lane_by_lane(getattr(np, _name), _scalar_version(getattr(np, _name)))
    _short = _name.replace("arc", "a")
    _lane_by_lane(getattr(math, _short), _scalar_version(getattr(math, _short)))


@by_type(scalar.overlap)
def _overlap(x, y):
    return (lambda x, y: x * y) if isinstance(x, Lanes) else None


@by_type(scalar.finished)
def _finished(before, now):
    return (lambda before, now: before | now) if isinstance(now, Mask) else None


@by_type(scalar.everybody)
def _everybody(condition):
    return (lambda condition: every(condition)) if isinstance(condition, Mask) else None


@by_type(scalar.either)
def _either(condition, x, y):
    return (lambda condition, x, y: chosen(condition, x, y)) if isinstance(condition, Mask) else None


@by_type(scalar.kept)
def _kept(done, old, new):
    return (lambda done, old, new: chosen(done, old, new)) if any(isinstance(x, Lanes) for x in parts(old)) else None
