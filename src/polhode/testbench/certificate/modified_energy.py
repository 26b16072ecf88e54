"""What a stress test tells of a modified energy, which what is symplectic, or conjugate to it, conserves.

Where a modified energy E + h^r F + ... exists, the energy error falls like h^r. The stress test fits it with terms of
which F is made for most methods of order 2 (``drift.modified``). If what they leave falls faster than the error, F is
made of them, and a modified energy exists, as far as is seen: that holds of any order. If what they leave falls no
faster, F is not made of them, and no more is known. Of order 2 that is told: none of this kind exists. Of other orders
F has other terms in any case (of order 1 products of three velocities, of order 4 products of five factors and more),
so it tells nothing; nor does it of a symplectic method of order 2, as of a splitting with kicks between its turns.

There the slopes must tell. A map that is put together from several symplectic ones with the state is symplectic
wherever it is looked at, almost, and conserves none of their modified energies: each switch shifts the energy, which
then drifts, or wanders.
"""

import math
import re
from collections.abc import Mapping

import numpy as np

from polhode.integrators.properties import measured_by
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.drift.evidence import Evidence, Row

SMALL_ERROR = 1e-12  # an energy error below is nothing but round-off
POWER_IF_ENERGY = 1.5  # powers of h between the error and what is left of it; 2 where a modified energy exists, ...
POWER_IF_NONE = 0.7  # ... and 0 where there is none of the terms fitted
FITTED_ORDERS = (1.5, 2.5)  # between which F is made of the terms fitted, for most methods
MISSING_POWERS = 1.0  # by which the energy error falls more slowly than the order says, if there is no modified energy
CHANCE_SIGMAS = 3.0  # standard errors up to which a slope is chance
SMALLEST_PART = 5e-7  # what is left of an oscillation, of which more digits are not told


def least_order(properties: Mapping[str, Property]) -> float:
    """The order in a potential, of Q and Omega the lower; NaN where none was measured."""
    orders = [properties[key].value for key in measured_by("order", "potential") if key in properties]
    return min((value for value in orders if value is not None), default=math.nan)


def powers(row: Row) -> tuple[float, float] | None:
    """The powers of h with which the energy error falls, and what the fitted terms leave of it; None where these are
    round-off."""
    with_terms = [x for x in row.evidence if x.stable and x.modified and x.residual > SMALL_ERROR]
    if len(with_terms) < 2:
        return None
    x, y = with_terms[:2]
    error, left = (
        float(np.log(b / a) / np.log(y.h / x.h)) for a, b in ((x.amplitude, y.amplitude), (x.residual, y.residual))
    )
    return error, left


def beyond_chance(row: Row) -> Evidence | None:
    """The first step size at which the energy drifts by more than chance and round-off do, or at no constant rate."""
    for e in row.evidence:
        if e.stable and e.largest > SMALL_ERROR:
            moved = abs(e.slope) if e.linear else max(map(abs, e.quarters))
            if moved > max(CHANCE_SIGMAS * e.error if e.linear else 0.0, e.round_off):
                return e
    return None


def seems_several(row: Row, order: float) -> bool:
    """Whether the energy error of a map that is symplectic wherever it was looked at is not that of a modified energy:
    it does not fall as the order says; or, where the terms fitted do not explain it, it drifts by more than chance."""
    found = powers(row)
    if found is not None:
        error, left = found
        if FITTED_ORDERS[0] < order < math.inf and error < order - MISSING_POWERS:
            return True
        if left - error > POWER_IF_NONE:
            return False
    return beyond_chance(row) is not None


def told(row: Row, order: float, is_symplectic: bool) -> str:
    """What the fitted modified energy explains, and whether one exists, in words."""
    e = row.evidence[0]
    if not e.modified:
        return ""
    words = f"; a modified energy explains {shortly(e.modified)}"
    found = powers(row)
    if found is None:
        return words
    error, left = found
    words += f"; the error falls like h^{error:.1f} and what is left of it like h^{left:.1f}, "
    if left - error > POWER_IF_ENERGY:
        return words + "so a modified energy exists, as far as is seen: symplectic, or conjugate to it"
    are_fitted = all(FITTED_ORDERS[0] < power < FITTED_ORDERS[1] for power in (order, error))
    if left - error < POWER_IF_NONE and are_fitted and not is_symplectic:
        return words + "so none of this kind exists"
    return words + "which does not tell whether one exists"


def shortly(explained: str) -> str:
    """What a modified energy explains, with as few digits as tell, and with powers: "99.9998% of the oscillation, most
    like Omega1 Omega1" becomes "all but 2e-06 of the oscillation, most like Omega1^2"."""
    factors = re.sub(r"\b(\w+)((?: \1)+)(?![\w/])", lambda m: f"{m[1]}^{1 + m[2].count(m[1])}", explained)
    return re.sub(r"^([\d.]+)%", lambda m: _part(float(m[1]) / 100), factors)


def _part(part: float) -> str:
    left = 1 - part
    return f"{part:.0%}" if left > 0.01 else f"all but {left:.0e}" if left > SMALLEST_PART else "all"
