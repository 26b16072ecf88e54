"""Functions that only machine code calls: compiled as far as linking needs it.

Numba optimises every function and makes machine code of it, also of those that are only linked into others and inlined
there, where they are optimised again. A loop has some fifty of them; not doing it saves a fifth of the time to compile
one. Functions of vectors are optimised all the same: done all at once in the loop, they would take longer.
POLHODE_LINK_ONLY=0 leaves it to Numba: slower to compile, and free of Numba's private interface.
"""

import os

from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import NativeLowering

LINK_ONLY = os.environ.get("POLHODE_LINK_ONLY") != "0"
"""Whether it is done; part of the key of every piece of machine code."""


class LinkedCompiler(CompilerBase):
    """Numba's passes, the last replaced."""

    def define_pipelines(self):
        """The one pipeline."""
        usual = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not LINK_ONLY:
            return [usual]
        from polhode.machine.linked_lowering import LinkedLowering

        passes = PassManager("polhode_linked")
        for kind, text in usual.passes:
            passes.add_pass(LinkedLowering if kind is NativeLowering else kind, text)
        passes.finalize()
        return [passes]
