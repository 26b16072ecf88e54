"""The last pass of ``link_only.py``: code that is ready to be linked, without machine code of its own.

All of it is private to Numba; docs/machine.md says what is at risk, and POLHODE_LINK_ONLY=0 does without.
"""

from llvmlite import ir
from numba import _dynfunc, types  # type: ignore[attr-defined]  # a module in C
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class LinkedCode(JITCodeLibrary):
    """The code of a function, ready to be linked into others."""

    has_vectors = False

    def _optimize_final_module(self):
        self.has_vectors = self.has_vectors or any(getattr(x, "has_vectors", False) for x in self._linking_libraries)
        if self.has_vectors:
            super()._optimize_final_module()

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class LinkedLowering(NativeLowering):
    """Numba's last pass, but without machine code."""

    _name = "polhode_linked_lowering"

    def run_pass(self, state):
        """Lower, and tell callers where the code is; what Python would call is empty."""
        code = state.library = LinkedCode(state.targetctx.codegen(), state.func_id.func_qualname)
        code.has_vectors = any(map(_is_vector, state.args))
        state.flags.no_compile = True
        done = super().run_pass(state)
        state.flags.no_compile = False
        about = state.cr.fndesc
        entry = _dynfunc.make_function(about.lookup_module(), about.qualname, "", 0, state.cr.env, (code,))
        state.targetctx.insert_user_function(entry, about, [code])
        state.reload_init.extend(code._reload_init)
        state.cr = state.cr._replace(cfunc=entry)
        return done


def _is_vector(kind):
    """Whether a type is a vector, or a tuple with one in it."""
    if isinstance(kind, types.BaseTuple):
        return any(map(_is_vector, kind))
    return isinstance(getattr(kind, "llvm", None), ir.VectorType)
