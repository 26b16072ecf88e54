"""Users' functions in machine code: the values that Python gives, or an exception, or no machine code.

Numba departs from Python in places. Here they are closed, in users' functions alone (a pass of their own compiler;
Numba itself is left as it is):

    powers of complex numbers   by products, where Numba's polar form loses the complex step
    whole numbers               raise OverflowError beyond 64 bits, where Numba's wrap around
    math.sqrt(-1), math.log(0)  raise ValueError, where Numba's return NaN and infinities
    indices, divisions          are checked and raise IndexError and ZeroDivisionError
    True + True                 is 2 in Python, True in NumPy: not compiled

An exception decides nothing: the runner takes that step in Python, whose answer counts
(``runs/runners/checked_steps.py``).
"""

import builtins
import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.core import cgutils, ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import ConstantInferenceError, TypingError
from numba.core.ir_utils import build_definitions, mk_unique_var
from numba.core.typed_passes import NopythonTypeInference
from numba.core.untyped_passes import GenericRewrites
from numba.extending import intrinsic, overload

from polhode.machine import like_python
from polhode.machine.link_only import LinkedCompiler

I8 = types.int64
WITH_COMPLEX_STEP = {
    operator.pow: like_python.power,
    operator.ipow: like_python.power_in_place,
    builtins.pow: like_python.power,
    **{getattr(np, name): like_python.power for name in ("power", "float_power", "pow") if hasattr(np, name)},
    **{getattr(np, name): like_python.acosh for name in ("arccosh", "acosh") if hasattr(np, name)},
    np.expm1: like_python.expm1,
}
"""What stands for Numba's functions where numbers are complex."""


@register_pass(mutates_CFG=False, analysis_only=False)
class Replaced(FunctionPass):
    """Before types are known: replaces functions that Numba computes otherwise than Python."""

    _name = "polhode_replaced"

    def __init__(self):
        super().__init__()

    def run_pass(self, state):
        """Replace calls and operators; whether it did."""
        table = {**like_python.MATH, **(WITH_COMPLEX_STEP if any(map(_is_complex, state.args)) else {})}
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for inst in block.body:
                expression = inst.value if isinstance(inst, ir.Assign) else None
                other = self._replacement(state.func_ir, expression, table)
                if other is not None:
                    function, arguments, keywords = other
                    changed, name = True, ir.Var(block.scope, mk_unique_var("$function"), inst.loc)
                    body.append(ir.Assign(ir.Global(function.__name__, function, inst.loc), name, inst.loc))
                    inst.value = ir.Expr.call(name, arguments, keywords, inst.loc)
                body.append(inst)
            block.body = body
        if changed:
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return changed

    def _replacement(self, func_ir, expression, table):
        """(function, arguments, keywords) to be called in place of an expression, or None."""
        if not isinstance(expression, ir.Expr):
            return None
        if expression.op in ("binop", "inplace_binop") and expression.fn in table:
            return table[expression.fn], [expression.lhs, expression.rhs], ()
        if expression.op != "call" or expression.vararg is not None:
            return None
        try:
            called = func_ir.infer_constant(expression.func)
        except ConstantInferenceError:
            return None
        replacement = table.get(called) if isinstance(called, (*_FUNCTIONS, type)) else None
        return None if replacement is None else (replacement, expression.args, expression.kws)


_FUNCTIONS = (type(math.sin), type(np.sin), type(like_python.power))


def _is_complex(kind):
    if isinstance(kind, types.BaseTuple):
        return any(map(_is_complex, kind))
    return isinstance(getattr(kind, "dtype", kind), types.Complex)


@register_pass(mutates_CFG=False, analysis_only=False)
class Checked(FunctionPass):
    """When types are known: whole numbers raise when they leave 64 bits; conditions cannot be added."""

    _name = "polhode_checked"

    def __init__(self):
        super().__init__()

    def run_pass(self, state):
        """Replace operators of whole numbers; whether it did."""
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for inst in block.body:
                expression = inst.value if isinstance(inst, ir.Assign) else None
                function = self._function(state, expression)
                if function is not None:
                    changed, name = True, ir.Var(block.scope, mk_unique_var("$function"), inst.loc)
                    kind = state.typingctx.resolve_value_type(function)
                    state.typemap[name.name] = kind
                    body.append(ir.Assign(ir.Global(function.__name__, function, inst.loc), name, inst.loc))
                    inst.value = ir.Expr.call(name, [expression.lhs, expression.rhs], (), inst.loc)
                    state.calltypes[inst.value] = kind.get_call_type(state.typingctx, (I8, I8), {})
                body.append(inst)
            block.body = body
        return changed

    def _function(self, state, expression):
        """The checked function in place of an operator, or None."""
        if not isinstance(expression, ir.Expr) or expression.op not in ("binop", "inplace_binop", "unary"):
            return None
        operands = [expression.value] if expression.op == "unary" else [expression.lhs, expression.rhs]
        kinds = [types.unliteral(state.typemap[x.name]) for x in operands]
        symbol = expression.immutable_fn if expression.op == "inplace_binop" else expression.fn
        if all(isinstance(x, types.Boolean) for x in kinds) and symbol in AMBIGUOUS:
            raise TypingError(
                "Cannot compile conditions that are added, subtracted, negated or inverted: they are numbers in Python "
                "and conditions in NumPy."
            )
        signature = state.calltypes.get(expression)
        whole = all(isinstance(x, (types.Integer, types.Boolean)) for x in kinds)
        return WHOLE.get(symbol) if whole and signature is not None and signature.return_type == I8 else None


AMBIGUOUS = {operator.add, operator.sub, operator.neg, operator.pos, operator.invert}


def _within_64_bits(name):
    @intrinsic
    def checked(typing_context, a, b):
        """The operation on whole numbers; raises OverflowError."""

        def build(context, builder, signature, args):
            number = llvm.IntType(64)
            both = llvm.LiteralStructType([number, llvm.IntType(1)])
            function = cgutils.get_or_insert_function(
                builder.module, llvm.FunctionType(both, [number, number]), f"llvm.{name}.with.overflow.i64"
            )
            result = builder.call(function, args)
            with builder.if_then(builder.extract_value(result, 1), likely=False):
                context.call_conv.return_user_exc(builder, OverflowError, ("A whole number has more than 64 bits.",))
            return builder.extract_value(result, 0)

        return I8(I8, I8), build

    return checked


plus, minus, times = (_within_64_bits(name) for name in ("sadd", "ssub", "smul"))


def whole_power(a, n):
    """a ** n of whole numbers; raises where the result is not one of 64 bits."""


@overload(whole_power)
def _whole_power(a, n):
    def power(a, n):
        if n < 0:
            raise OverflowError("A whole number to a negative power is none.")
        if -1 <= a <= 1:
            return 1 if n % 2 == 0 and (a or not n) else a
        result = 1
        for _ in range(n):
            result = times(result, a)
        return result

    return power


def shifted(a, n):
    """a << n of whole numbers; raises where the result is not one of 64 bits."""


@overload(shifted)
def _shifted(a, n):
    return lambda a, n: times(a, whole_power(2, n))


WHOLE = {
    operator.add: plus,
    operator.sub: minus,
    operator.mul: times,
    operator.pow: whole_power,
    operator.lshift: shifted,
}


def _with_ours(passes):
    passes.add_pass_after(Replaced, GenericRewrites)
    passes.add_pass_after(Checked, NopythonTypeInference)
    passes.finalize()
    return [passes]


class UsersCompiler(LinkedCompiler):
    """Numba's passes for a function that is linked into others, and ours."""

    def define_pipelines(self):
        """The one pipeline."""
        return _with_ours(*super().define_pipelines())


class UsersOwnCompiler(CompilerBase):
    """Numba's passes, and ours: for a user's kernel that is called by its address."""

    def define_pipelines(self):
        """The one pipeline."""
        return _with_ours(DefaultPassBuilder.define_nopython_pipeline(self.state))


def is_users(function):
    """Whether a function is not one of ours."""
    return not (function.__module__ or "").startswith("polhode.")


LIKE_PYTHON: Any = {"boundscheck": True, "error_model": "python"}
"""Options for users' functions, besides a compiler of these."""
