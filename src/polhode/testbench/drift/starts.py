"""Where the runs of a stress test start: the problem's own start, and neighbours of states along its motion."""

from collections.abc import Iterator, Sequence

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.lookup import method as look_up
from polhode.physics.problem import Problem
from polhode.runs.solve import solve

NEARBY = 1e-3  # relative change of the momentum of a start
STEPS_TO_A_START = 4000  # the other starts are taken from this many steps of the smallest size


class Starts:
    """The starts of an ensemble: the problem's own, then states of its motion with a slightly changed momentum.

    Each step size has starts of its own. They are the same in every run of the program.
    """

    def __init__(self, problem: Problem, count: int, h: Sequence[float] = (0.125,)) -> None:
        self.problem, self.count, self.h = problem, count, tuple(h)
        rng = np.random.default_rng(2012)
        attitudes = Rotation().random(64, rng=rng).as_matrix()
        kinetic = problem.energy(problem.Q0, problem.Omega0) - problem.potential(problem.Q0)
        depths = np.abs([problem.potential(Q) - problem.potential(problem.Q0) for Q in attitudes])
        self.energy = float(kinetic + np.nanmedian(depths))
        self.along = self._motion() if count > 1 else []

    def _motion(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """States along the motion, by a symplectic method."""
        s = solve(
            self.problem, look_up("VLV"), h=min(self.h), n_steps=STEPS_TO_A_START, save_every=1, on_failure="return"
        )
        return list(zip(s.Q, s.Omega)) if s.success else [(self.problem.Q0, self.problem.Omega0)]

    def of(self, h: float) -> Iterator[Problem]:
        """The problem at each start, for this step size."""
        yield self.problem
        J = self.problem.tensor
        rng = np.random.default_rng([2012, self.h.index(h)])
        for _ in range(self.count - 1):
            Q, Omega = self.along[rng.integers(len(self.along))]
            Pi = J @ Omega
            at_this_energy = np.sqrt(self.problem.moments.mean() * self.energy)
            size = np.linalg.norm(Pi) or at_this_energy  # a body at rest has no momentum to be near to
            direction = rng.standard_normal(3)
            yield self.problem.replaced(Q0=Q, Pi0=Pi + NEARBY * size * direction / np.linalg.norm(direction))
