"""A reference for any problem, by two routes that share nothing.

    by_mpmath     Taylor series of about forty terms in mpmath on (q, Pi) in principal axes, cached on disk
    by_dop853     SciPy's DOP853 with tolerance 1e-13 on the nine entries of Q and on Omega in the user's axes

`reference` is what the rest of the package uses: the closed form for a free body and the Taylor series for
everything else, rounded to floats. Its error is below 1e-14 (relative to 1 for Q, to the size of Omega)
times what the motion itself makes of a change in the last of 25 digits; in other words, round-off. A torque that
cannot be evaluated in power series (`math` functions, `abs`, compiled libraries) is left to DOP853: 1e-11.
"""

import functools
import hashlib
import json
import os
import pathlib
import warnings

import numpy as np

from polhode.cache import cache_base, fingerprint
from polhode.errors import InputError
from polhode.exact.free_body import FreeSolution

DIGITS = 25


def reference(problem, t):
    """(Q, Omega) of a problem at time t, or at an array of times: what an integrator should have found."""
    if not problem.has_torque:
        return FreeSolution(problem)(t)
    times = np.asarray(t, dtype=float)
    try:
        states = by_mpmath(problem, times.ravel().tolist(), DIGITS)
    except NotAnalytic as error:
        warnings.warn(f"{error} The reference is by DOP853 and has about 11 digits.", stacklevel=2)
        states = None
