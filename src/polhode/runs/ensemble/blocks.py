"""Bodies in blocks of lanes: which is where, and what all of them share."""

import numpy as np

from polhode.integrators.method import Method
from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.ensemble.way import Way


class Blocks:
    """Which bodies are in which lanes, and what all of them share: constants of the method and parameters.

    Made of N healthy bodies that share them, it serves any N such.
    """

    def __init__(self, bodies: Bodies, method: Method, way: Way) -> None:
        N, self.width = len(bodies), way.width
        self.count = -(-N // self.width)
        places = np.minimum(np.arange(self.count * self.width), N - 1)  # the last is filled up with the last body
        self.lame = None if bodies.finite.all() else ~bodies.finite[places]
        if self.lame is not None:
            good = np.flatnonzero(bodies.finite)
            places[self.lame] = good[0] if len(good) else 0  # a healthy stand-in, never looked at
        self.places = places
        constants = bodies.moments if len(bodies.moments) == 1 else bodies.moments[places]
        if self.lame is not None:
            constants = np.where(np.isfinite(constants), constants, 1.0)  # where nobody is healthy
        self.constants = np.ascontiguousarray(self.arranged(_constants(constants, method)))
        parameters = bodies.parameters if len(bodies.parameters) == 1 else bodies.parameters[places]
        parameters = self.arranged(parameters)
        self.parameters = np.ascontiguousarray(np.swapaxes(parameters, 1, 2) if way.by_rows else parameters)

    def arranged(self, numbers: np.ndarray) -> np.ndarray:
        """(blocks, k, width) of (bodies, k); one block if all bodies share them."""
        if len(numbers) == 1:
            numbers = np.repeat(numbers, self.width, axis=0)
        return np.swapaxes(numbers.reshape(-1, self.width, numbers.shape[1]), 1, 2)


def _constants(moments: np.ndarray, method: Method) -> np.ndarray:
    """J, 1/J and the coefficients of the method, for each body; computed once for bodies alike."""
    numbers = np.concatenate([moments, 1 / moments], axis=1)
    make = method.coefficients
    if make is None:
        return numbers
    coefficients = {J: make(J, float) for J in dict.fromkeys(tuple(J) for J in moments.tolist())}
    return np.concatenate([numbers, np.array([coefficients[tuple(J)] for J in moments.tolist()], dtype=float)], axis=1)
