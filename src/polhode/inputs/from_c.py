"""A torque from C, by its address, as a function that Python calls and that compiled loops call without Python."""

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.errors import InputError, checked_call, one_line
from polhode.inputs.functions import vector3

PLACE = ctypes.c_void_p
ANY_FUNCTION: Any = ctypes.CFUNCTYPE(None).__base__
"""The class that all functions of ctypes derive from."""
SIGNATURE = "void (double t, const double Q[9], const double Omega[3], double out[3], void *data)"


@checked_call
def c_function(function: Any, data: Any = None) -> Callable[..., Any]:
    """A torque(t, Q, Omega) from a function of C: an address, a function of ctypes, or a cfunc of Numba.

        void torque(double t, const double Q[9], const double Omega[3], double out[3], void *data)

    Q comes by rows, and the torque goes to `out`; both are in body axes for torque=, in space axes (with the velocity
    in space axes) for torque_space=. `data` is an address, a pointer or an array of ctypes, or nothing; function and
    data are kept as long as the torque. What is at an address cannot be looked at: it must have this signature and
    raise nothing, and be ready to be called by several threads at once in an ensemble. Nothing that is compiled for
    it is kept for a later run.

    Parameters
    ----------
    function : int, ctypes function or cfunc
        The function.
    data : int, pointer or array of ctypes, optional
        What it is handed as `data`.

    Returns
    -------
    callable
        For torque=, torque_space= or nonconservative=.
    """
    address, place = _address(function), _place(data)
    call = ctypes.CFUNCTYPE(None, ctypes.c_double, PLACE, PLACE, PLACE, PLACE)(address)

    def torque(t, Q, Omega):  # type: ignore[no-untyped-def]
        floats_alone(Q)
        floats_alone(Omega)
        out = vector3((math.nan, math.nan, math.nan))
        call(t, Q.ctypes, Omega.ctypes, out.ctypes, place)
        return out[0], out[1], out[2]

    torque.kept = (function, data)  # type: ignore[attr-defined]
    torque.in_c = (address, place)  # type: ignore[attr-defined]
    return torque


def floats_alone(x: np.ndarray) -> None:
    """Raise TypeError where an array is not floats one after the other, as C reads it; in machine code by its type."""
    if x.dtype != np.float64 or not x.flags.c_contiguous:
        raise TypeError("a function of C takes floats alone")


def is_from_c(value: object) -> bool:
    """Whether a value is a function of ctypes, or a cfunc of Numba."""
    return isinstance(value, ANY_FUNCTION) or (hasattr(value, "native_name") and hasattr(value, "address"))


def _address(function: Any) -> int:
    if hasattr(function, "py_func"):
        raise InputError(
            "c_function is for functions of C; one that is compiled by Numba's njit goes to torque= itself."
        )
    if isinstance(function, ANY_FUNCTION):
        place = ctypes.cast(function, PLACE).value
    elif is_from_c(function):
        place = function.address
    else:
        place = function
    if not isinstance(place, int) or isinstance(place, bool) or place <= 0:
        raise InputError(
            f"c_function got {one_line(function)}; give the address of a function {SIGNATURE}, a function of ctypes, "
            "or a cfunc of Numba."
        )
    return place


def _place(data: Any) -> int:
    """The address of the data; 0 for none."""
    if data is None:
        return 0
    if isinstance(data, int) and not isinstance(data, bool) and data >= 0:
        return data
    if isinstance(data, ctypes.Structure):
        return ctypes.addressof(data)
    if isinstance(data, (ctypes.Array, ctypes._Pointer, PLACE)):
        return ctypes.cast(data, PLACE).value or 0
    raise InputError(
        f"data of c_function is {one_line(data)}; give an address, or a pointer, array or structure of ctypes."
    )
