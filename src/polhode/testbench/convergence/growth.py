"""The global error along a trajectory, and the law by which it grows."""

import itertools
from dataclasses import dataclass

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call
from polhode.reference.reference import reference as computed_reference
from polhode.runs.results.trajectory import Trajectory, given_trajectory
from polhode.testbench.convergence.errors import PANELS, Errors, errors

LAST = 30
"""The law is fitted from t_end / LAST on: earlier, errors have not settled."""

BLOCKS = 10
"""Stretches of time, of equal ratio, in which the largest error is taken: an error that oscillates has an envelope."""

FEWEST_STRETCHES = 5
"""Stretches with an error above round-off that a law needs."""

NEAR_A_WORD = 0.25
"""An exponent this near to 0, 1 or 2, its standard error included, is given as a word."""

FLOOR = 1e-13
"""Errors of an angle below this are round-off, relative to what they are errors of."""


@dataclass(frozen=True)
class Law:
    """How an error grows: like t^exponent, with a standard error; `words` says it."""

    exponent: float
    uncertainty: float
    words: str

    def __str__(self) -> str:
        return f"{self.words} (t^{self.exponent:.2f} +- {self.uncertainty:.2f})"


@dataclass(frozen=True)
class GlobalError:
    """The errors of a trajectory against a reference at the same times."""

    t: np.ndarray
    errors: Errors

    def __repr__(self) -> str:
        most = ", ".join(f"{key} {value:.2g}" for key, value in self.errors.largest().items())
        return f"<GlobalError, t = {self.t[0]:g} to {self.t[-1]:g}, at most: {most}>"

    def __getattr__(self, name: str) -> np.ndarray:
        if name in PANELS:
            return getattr(self.errors, name)
        raise AttributeError(name)

    def law(self, of: str = "attitude") -> Law:
        """The power of time by which an error grows: of "attitude", "momentum", "energy" or "phase".

        A line is fitted to log(envelope) against log(t); the envelope is the largest error in each of several stretches
        of time of equal ratio. Errors at round-off, and those of order one, where an angle cannot grow, are left out.
        """
        values = getattr(self.errors, of, None) if of in PANELS else None
        if values is None:
            raise InputError(f"of is {one_line(of)}; there are {', '.join(self.errors.largest())}.")
        if len(self.t) < 2:
            return _fitted(self.t[:0], self.t[:0])
        elapsed = np.abs(self.t - self.t[0])[1:]
        edges = np.geomspace(max(elapsed[0] * 0.999, elapsed[-1] / LAST), elapsed[-1] * 1.001, BLOCKS + 1)
        points = []
        for low, high in itertools.pairwise(edges):
            inside = (elapsed >= low) & (elapsed < high)
            if inside.any():
                worst = np.argmax(np.where(inside, np.abs(values[1:]), -1.0))
                points.append((elapsed[worst], abs(values[1:][worst])))
        times, sizes = np.array(points).reshape(-1, 2).T
        within = (sizes > FLOOR) & (sizes < 1.0 if of in ("attitude", "phase") else np.isfinite(sizes))
        return _fitted(times[within], sizes[within])


def _fitted(times: np.ndarray, sizes: np.ndarray) -> Law:
    if len(times) < FEWEST_STRETCHES:
        return Law(
            np.nan,
            np.nan,
            f"undecided: {len(times)} stretches of time have a usable error, {FEWEST_STRETCHES} are needed",
        )
    x, y = np.log(times), np.log(sizes)
    (slope, _), covariance = np.polyfit(x, y, 1, cov=True)
    uncertainty = float(np.sqrt(covariance[0, 0]))
    near = {0: "bounded", 1: "linear", 2: "quadratic"}
    words = [word for n, word in near.items() if abs(slope - n) + uncertainty <= NEAR_A_WORD]
    return Law(float(slope), uncertainty, words[0] if words else "no power with a name")


@checked_call
def global_error(trajectory: Trajectory, reference: object = None) -> GlobalError:
    """The global error of a trajectory: attitude, momentum, energy and phase at each time, and its law of growth.

    `ph.global_error(s).attitude` is the error in radians; `.law()` says "linear", "quadratic", "bounded" or neither.

    Parameters
    ----------
    trajectory : Trajectory
        the trajectory whose error is wanted
    reference : Trajectory, optional
        a Trajectory with the same times (of a better method, say), or None: the closed form for a free body and a
        Taylor series of 25 digits for everything else

    Returns
    -------
    GlobalError
        Arrays over the times kept, and the law.

    Examples
    --------
    >>> import polhode as ph
    >>> s = ph.solve("free-body", "VLV", h=0.05, t_end=5, save_every=10)
    >>> bool(ph.global_error(s).attitude.max() < 0.02)
    True
    """
    s = given_trajectory(trajectory)
    if s.problem is None:
        raise InputError("This trajectory was read from a file, which holds no functions: solve it again.")
    if isinstance(reference, Trajectory):
        if reference.t.shape != s.t.shape or not np.allclose(reference.t, s.t, rtol=1e-9, atol=0):
            raise InputError(
                "The reference has other times than the trajectory: solve it with states at the same times."
            )
        Q, Omega = reference.Q, reference.Omega
    elif reference is None:
        Q, Omega = computed_reference(s.problem, s.t)
    else:
        raise InputError(f"reference is {one_line(reference)}; give a Trajectory, or leave it out.")
    return GlobalError(s.t, errors(s.problem, s.Q, s.Omega, Q, Omega))
