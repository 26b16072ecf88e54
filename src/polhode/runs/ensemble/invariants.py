"""The invariants that a problem lists, of every body of an ensemble."""

import numpy as np

from polhode.errors import InputError
from polhode.runs.ensemble.bodies import Bodies, of_body
from polhode.runs.results.invariants import common_invariants, invariant_values


def invariant_of_bodies(
    bodies: Bodies, name: str, t: np.ndarray, Q: np.ndarray, Omega: np.ndarray, alive: np.ndarray
) -> np.ndarray:
    """An invariant of states (n, N), at times (n,); NaN where a body is not `alive` (n, N), and nothing is called."""
    known = common_invariants(bodies.kinds)
    if name not in known:
        raise InputError(f"The problem {bodies.kinds[0].name!r} lists no invariant {name!r}; it lists {known}.")
    values = np.full(alive.shape, np.nan)
    for i in np.flatnonzero(alive.any(axis=0)).tolist():
        kind, own = of_body(bodies.kinds, i), alive[:, i]
        functions = kind.invariants_for(of_body(bodies.inertia, i), kind.invariants)
        if name not in functions:  # such as one that only symmetric bodies have
            raise InputError(f"Body {i} of {kind.name!r} has no invariant {name!r} with its inertia: leave either out.")
        parameters = kind.for_functions(of_body(bodies.parameters, i).tolist())
        values[own, i] = invariant_values(name, functions[name], t[own], Q[own, i], Omega[own, i], parameters)
    return values


def given_to_all(bodies: Bodies) -> list[str]:
    """The names of the invariants that the user gave the problem of every body."""
    return [name for name in common_invariants(bodies.kinds) if all(name in p.given_invariants for p in bodies.kinds)]
