"""Kin instead of guesses: one step of an integrator beside one step of every method of the catalogue.

Free and with a torque, at two step sizes, attitude and velocity apart. "This is RATTLE to the last bit" is worth more
than any pattern of failures; so is "Omega is that of VLV, Q is not". The methods of the catalogue run as they are
written, in Python, so nothing need be compiled.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.integrators.catalogue import methods
from polhode.integrators.properties import claims_of
from polhode.kernels.rotations import matrix
from polhode.physics.problem import Problem
from polhode.runs.kernel_runner import body_of
from polhode.testbench.certificate.cases import Run, forced, free, placed
from polhode.testbench.certificate.guard import Refused

STEPS = (0.2, 0.1)
SAME = 2e-13
"""Difference up to which two ways to write one method may round differently."""


@dataclass(frozen=True)
class Kin:
    """A method of the catalogue, and how far one step is from it: of Q and Omega, free and with a torque, by h."""

    name: str
    free: np.ndarray  # (steps, 2)
    torque: np.ndarray

    @property
    def claims(self) -> dict:
        """What that method claims."""
        return claims_of(methods()[self.name])

    @property
    def is_same(self) -> bool:
        """Whether it is that method."""
        return bool(max(self.free.max(), self.torque.max()) <= SAME)

    @property
    def words(self) -> str:
        """What they have in common, or nothing."""
        if self.is_same:
            exact = "to the last bit" if max(self.free.max(), self.torque.max()) == 0 else "to round-off"
            return f"This is {self.name}, {exact}."
        if self.free.max() <= SAME:
            return (
                f"{self.name} for a free body, not with a torque, where one step differs by {_size(self.torque)}: if "
                "it was meant to be, look at the torque."
            )
        if self.free[:, 1].max() <= SAME:
            return (
                f"For a free body Omega is that of {self.name} to round-off, Q is not ({_size(self.free[:, :1])}): if "
                "it was meant to be, the map and its derivative do not belong together (exp with the correction term "
                "of cay, or the reverse)."
            )
        if self.free[:, 0].max() <= SAME:
            return (
                f"For a free body Q is that of {self.name} to round-off, Omega is not ({_size(self.free[:, 1:])}): if "
                "it was meant to be, look at the end of the step, where a term stands on one side only, so that it is "
                "not its own adjoint."
            )
        return ""

    @property
    def rank(self) -> tuple:
        """How near: those that share most first, then by the difference."""
        parts = (self.free[:, 0].max(), self.free[:, 1].max(), self.torque.max())
        return (-sum(x <= SAME for x in parts), float(self.free.max() + self.torque.max()))


def kin_of(run: Run) -> Kin | None:
    """The method of the catalogue that an integrator shares most with, if it shares anything."""
    try:
        mine = {name: _taken(run, p) for name, p in _problems().items()}
    except Refused:
        return None
    found = []
    for name in methods():
        theirs = _steps_of(name)
        if theirs:
            apart = {
                k: np.array([[np.abs(a - b).max() for a, b in zip(*s)] for s in zip(mine[k], theirs[k])]) for k in mine
            }
            found.append(Kin(name, apart["free"], apart["torque"]))
    nearest = min(found, key=lambda k: k.rank, default=None)
    return nearest if nearest is not None and nearest.words else None


@functools.cache
def _problems() -> dict[str, Problem]:
    return {"free": placed(free()), "torque": placed(forced())}


def _taken(run: Run, p: Problem) -> list[tuple[np.ndarray, np.ndarray]]:
    return [run(p, p.Q0, p.Omega0, h, 1, p.t0) for h in STEPS]


@functools.cache
def _steps_of(name: str) -> dict[str, Any] | None:
    """One step of a method of the catalogue on each problem, in plain Python; none where it does not solve."""
    method = methods()[name]
    found: dict[str, Any] = {}
    for key, p in _problems().items():
        if method.free_only and key != "free":
            return None
        found[key] = []
        body = body_of(p, method)
        for h in STEPS:
            state, report = method.step(h, p.t0, method.start(h, p.t0, *p.start(), body), body)
            if report[1] != 0:
                return None
            found[key].append((np.array(matrix(state[0])).reshape(3, 3), np.array(state[1]) / p.moments))
    return found


def _size(apart: np.ndarray) -> str:
    """The difference at the smaller step, with the power of h by which it falls."""
    coarse, fine = apart[0].max(), apart[1].max()
    power = np.log2(coarse / fine) if fine > 0 else 0.0
    return f"{fine:.0e} at h = {STEPS[1]:g}, like h^{power:.0f}"
