"""A few bodies over a few steps, again and again: the arrays that machine code is given stay where they are.

To make them takes ten times as long as to fill them. They serve one call at a time; what a call has of them is copied.
"""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode import inputs
from polhode.physics.problem import Problem
from polhode.runs.ensemble.bodies import Bodies, for_all, momenta
from polhode.runs.ensemble.schedule import Run
from polhode.runs.ensemble.starts import velocities_of

clock = time.perf_counter


class Start(NamedTuple):
    """Where the bodies of a call start: attitudes (1 or N, 3, 3) and velocities (1 or N, 3), never written to."""

    Q: np.ndarray
    Omega: np.ndarray
    speed: float  # none of them is faster


class Went(NamedTuple):
    """What a run was: its rows (q, Pi), iterations, seconds, and a speed that no body exceeded."""

    table: np.ndarray
    iterations: int
    seconds: float
    speed: float


class HeldBodies:
    """A run of N bodies that share all but their starts."""

    def __init__(self, run: Run) -> None:
        """Of a run that has ended, as it would be made again on one thread."""
        bodies, self.blocks, self.N = run.bodies, run.arranged, len(run.bodies)
        self.inertia, self.moments, self.axes = bodies.inertia.copy(), bodies.moments.copy(), bodies.axes.copy()
        self.parameters = bodies.parameters.copy()
        self._least, self._lanes = float(self.moments.min()), len(self.blocks.places)
        self._begin, self._states, self._shape = np.zeros_like(run.states), np.empty_like(run.states), run.out.shape
        self._Pi = np.swapaxes(self._begin[:, 4:7], 1, 2)  # (blocks, width, 3)
        self._failed, self._errors = np.full(self._lanes, -1), np.full(self._lanes, np.nan)
        self._nobody, self._last = self._failed.tobytes(), None
        if run.n % run.every:  # the last state is kept, too
            self._last = np.swapaxes(self._states[:, :7], 0, 1)
        self._Q, self._at = bodies.Q0, b""  # the attitudes that are laid down, and what was given for them
        self._advance = self._held(run)

    def _held(self, run: Run) -> Callable[[np.ndarray], int]:
        """advance(table): machine code over all steps, with all else that it is given."""
        from polhode.machine import entry_of

        assert run.way.loop is not None  # without one the bodies run through `solve`
        advance, t0 = entry_of(run.way.loop), run.bodies.kinds[0].t0
        head = (
            *(run.way.given, run.h, t0, 0, run.n, run.every, run.every, 0, self.N, 0, self.blocks.count),
            *(self.blocks.constants, self.blocks.parameters, self._states),
        )
        tail = self._failed, self._errors, ()
        return lambda table: advance(*head, table, *tail)

    def start(self, problem: Problem, Q0: Any, Omega0: Any, Pi0: Any) -> Start | None:
        """The start, laid down for the run; None if a number in it is not finite."""
        if Omega0 is not None and Pi0 is None:
            Omega = Omega0.reshape(-1, 3).copy()
        else:
            Omega = velocities_of([problem], Omega0, Pi0, self.moments, self.axes)
        speed = _bound(Omega.reshape(-1))
        if not speed < math.inf:
            return None
        at = (problem.Q0 if Q0 is None else Q0).tobytes()
        if at != self._at and not self._turned(problem, Q0, at):
            return None
        each = Omega if len(Omega) == self._lanes else for_all(Omega, self.N)[self.blocks.places]
        self._Pi[:] = momenta(self.moments, self.axes, each).reshape(self._Pi.shape)
        return Start(self._Q, Omega, speed)

    def _turned(self, problem: Problem, Q0: Any, at: bytes) -> bool:
        """Other attitudes, laid down; False if a number is not finite."""
        if Q0 is None:
            problem.check_start()
        self._at, self._Q = b"", problem.Q0[None].copy() if Q0 is None else inputs.attitudes(Q0)
        if not np.isfinite(self._Q).all():
            return False
        q = self.bodies(problem, Start(self._Q, problem.Omega0[None], 0.0)).quaternions(self.blocks.places)
        self._begin[:, :4] = q.T if len(q) == 1 else self.blocks.arranged(q)
        self._at = at
        return True

    def begins(self, moving: bool) -> bytes:
        """The start that is laid down, as far as a torque takes it: q of all bodies, and Pi for one of the velocity."""
        return self._begin[:, : 7 if moving else 4].tobytes()

    def bodies(self, problem: Problem, start: Start) -> Bodies:
        """The bodies at a start, with arrays of their own."""
        shared = (x.copy() for x in (self.inertia, self.moments, self.axes, self.parameters))
        return Bodies([problem], *(for_all(x.copy(), self.N) for x in start[:2]), *shared)

    def go(self) -> Went | None:
        """From the start to the end; None if a body did not reach it."""
        table, self._states[:] = np.empty(self._shape), self._begin
        begin = clock()
        try:
            iterations = self._advance(table)
        except Exception:  # of a function of the user's
            return None
        seconds = clock() - begin
        if self._failed.tobytes() != self._nobody:
            return None
        if self._last is not None:
            table[-1].reshape(self._last.shape)[:] = self._last
        return Went(table, iterations, seconds, _bound(table[:, 4:7].reshape(-1)) / self._least)


def _bound(numbers: np.ndarray) -> float:
    """The length of all vectors as one, which none of them exceeds; no number if one in them is none."""
    return math.sqrt(numbers.dot(numbers))
