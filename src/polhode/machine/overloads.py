"""Kernels, and the functions of ``kernels/scalar.py`` and ``inputs/functions.py`` that they call, inside machine code.

A kernel is compiled from its own source for the types it is called with, or from another implementation
(``variants.py``: bodies in halves, bodies one by one, stages). What is other code for each type of number is declared
in ``number_functions.py`` for doubles and complex numbers, in ``users_arrays.py`` for what users' functions are given,
in ``lanes/`` for vectors.
"""

import functools
import threading

from numba.extending import overload

from polhode.inputs import functions
from polhode.kernels import stumpff
from polhode.kernels.rotations import matrix
from polhode.kernels.vectors import minus, mul
from polhode.machine import number_functions, users_arrays
from polhode.machine.by_type import BY_TYPE, INSIDE
from polhode.machine.by_type import F8 as F8
from polhode.machine.by_type import by_type as by_type
from polhode.machine.user_functions import LIKE_PYTHON, UsersCompiler, is_users
from polhode.machine.variants import chosen

IMPLEMENTATIONS = (number_functions, users_arrays)
"""Modules that tell Numba what a function is for each type of number. It asks them before those of ``lanes/``, which
import this module."""


@functools.cache
def jitable(function):
    """Make a kernel callable from machine code."""
    if function in BY_TYPE:
        return

    options = {**INSIDE, "forceinline": True}
    if is_users(function):
        options |= {**LIKE_PYTHON, "pipeline_class": UsersCompiler}

    @overload(function, jit_options=options, strict=False)
    def implementation(*args):
        return chosen(function, args)


def make_callable(called):
    """Make these functions callable from machine code, and with them what implementations call."""
    _array_functions()
    for f in (*CALLED_BY_IMPLEMENTATIONS, *called):
        jitable(f)


CALLED_BY_IMPLEMENTATIONS = (
    stumpff.c0_real,
    stumpff.c0_small,
    stumpff.c1_real,
    stumpff.c1_small,
    stumpff.c3_real,
    stumpff.c3_small,
    stumpff.c0_complex,
    stumpff.c1_complex,
    stumpff.c3_complex,
    stumpff.c5_real,
    stumpff.c5_small,
    stumpff.c5_complex,
    stumpff.a3_real,
    stumpff.a3_small,
    stumpff.a3_complex,
    stumpff.series,
    functions.axes,
    functions.users_attitude,
    minus,
    mul,
    matrix,
)
"""Kernels that the implementations in this package call: those who call the function implemented need not name them."""


@functools.cache
def _array_functions():
    """Import Numba's functions of arrays, but not SciPy's BLAS with them: a fifth of a warm start.

    They only ask whether it can be imported; what needs it (a user's ``@``) imports it when it is compiled.
    """
    from numba.np import linalg

    with IMPORTING:
        original = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            from numba.np import arraymath
        finally:
            linalg.ensure_blas = original
        arraymath.ensure_blas = original


IMPORTING = threading.Lock()
