"""Kin instead of guesses: one step of an integrator beside one step of every method of the catalogue.

Free and with a torque, at two step sizes, attitude and velocity apart. "This is RATTLE to the last bit" is worth more
than any pattern of failures; so is "Omega is that of VLV, Q is not". Where nothing is shared to round-off, the nearest
is told with the size of the difference and its power of h, if that is far below the error of the step itself: any two
methods of one order are near to each other. The methods of the catalogue run as they are written, in Python, so nothing
need be compiled.
"""

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.integrators.catalogue import methods
from polhode.integrators.method import Method
from polhode.integrators.properties import BY_KEY, claims_of
from polhode.kernels.rotations import matrix
from polhode.physics.problem import Problem
from polhode.runs.runners.kernel_runner import body_of
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.states.cases import Run, forced, free, placed

STEPS = ((0.8, 0.4), (0.2, 0.1))
"""Two steps, large ones first: with small ones all methods of high order are one."""
SMALL_STEPS = (0.04, 0.02)
"""Two steps by which the power of h of a difference is had: with large ones the next powers are of a size with it."""
SAME_DIFFERENCE = 2e-13
"""By so much two ways to write one method may differ, through rounding alone."""
LOOK_AT_THE_TORQUE = "look at the torque"
WORSE_TIMES = 10
"""A method is not what was meant if its Q, or its Omega, is so many times further off the motion."""
FAINT_ROUND_OFFS = 10
"""Times round-off, up to which a difference tells no power of h."""
NEAR_PART = 0.005
"""A difference between two methods tells something if it is below this part of the error of a step."""
ANOTHER_POWER = 2.5
"""Where Q is shared, an Omega that differs by a higher power of h is that of another method of order 2; by a power that
is lower by more than one, that of another motion."""
TELLING_ERROR = 100 * SAME_DIFFERENCE
"""Agreement tells something only if the error of a step is larger than this: methods of order 16 nearly all agree."""


@dataclass(frozen=True)
class Kin:
    """A method of the catalogue, and how far one step is from it: of Q and Omega, free and with a torque, by h."""

    name: str
    free: np.ndarray  # (steps, 2)
    torque: np.ndarray
    h: float = STEPS[0][1]  # the smaller of the two steps
    free_when_small: np.ndarray | None = None  # the same by SMALL_STEPS, where they were run
    torque_when_small: np.ndarray | None = None
    first_step_alone: bool = False  # the second is another's: one of the two has memory
    near: bool = False  # nothing is shared to round-off, but the difference is far below the error of a step

    @property
    def claims(self) -> dict[str, Any]:
        """What that method claims."""
        return claims_of(methods()[self.name])

    @property
    def shares_all(self) -> bool:
        """Whether one step of it is one of that method."""
        return bool(max(self.free.max(), self.torque.max()) <= SAME_DIFFERENCE)

    @property
    def is_same(self) -> bool:
        """Whether it is that method."""
        return self.shares_all and not self.first_step_alone

    @property
    def words(self) -> str:
        """What they have in common, or nothing."""
        if self.shares_all:
            exact = "to the last bit" if max(self.free.max(), self.torque.max()) == 0 else "to round-off"
            alone = ", in its first step" if self.first_step_alone else ""
            return f"This is {self.name}, {exact}{alone}."
        if self.free.max() <= SAME_DIFFERENCE:
            size = self._size(self.torque, self.torque_when_small)
            head = f"This is {self.name} for a free body, not with a torque, where one step differs by {size}"
            return (
                f"{head}."
                if self._takes_torque_otherwise()
                else f"{head}: if it was meant to be, {LOOK_AT_THE_TORQUE}."
            )
        if self.free[:, 1].max() <= SAME_DIFFERENCE:
            size = self._size(self.free[:, :1], _columns(self.free_when_small, 0))
            head = f"For a free body Omega is that of {self.name} to round-off, Q is not ({size})"
            if not self.claims.get("symplectic_free"):
                return f"{head}."
            return (
                f"{head}: if it was meant to be, the map and its derivative do not belong together (exp with the "
                "correction term of cay, or the reverse)."
            )
        if self.free[:, 0].max() <= SAME_DIFFERENCE:
            size = self._size(self.free[:, 1:], _columns(self.free_when_small, 1))
            head = f"For a free body Q is that of {self.name} to round-off, Omega is not ({size})"
            power = self._power_of_Omega()
            if not self.claims.get("symmetric") or power > ANOTHER_POWER:
                return f"{head}."
            added = ", or something of its own is added, as a damping does" if power < ANOTHER_POWER - 1 else ""
            return (
                f"{head}: if it was meant to be, look at the end of the step, where a term stands on one side only, so "
                f"that it is not its own adjoint{added}."
            )
        if not self.near:
            return ""
        both, small = np.maximum(self.free, self.torque), None
        if self.free_when_small is not None and self.torque_when_small is not None:
            small = np.maximum(self.free_when_small, self.torque_when_small)
        return f"This is {self.name}, but for {self._size(both, small, ', which falls')}."

    def is_worse(self, off: Sequence[float]) -> bool:
        """Whether one of Q and Omega of a free body is shared, and the other is an error of that method: a step that
        is itself far less off, by `off`, was not meant to be one of a method of lower order."""
        shared = self.free.max(axis=0) <= SAME_DIFFERENCE
        if shared.all() or not shared.any():
            return False
        other = int(shared.argmin())
        return bool(self.free[1, other] > WORSE_TIMES * off[other])

    def was_meant(self, lost: Sequence[str]) -> bool:
        """Whether the properties that are lost say that it was meant to be that method, and is not.

        Of a free body many methods of order 2 turn by h Omega + h^2/2 dOmega/dt: an Omega that is then off by h^3 is
        another method's, not a mistake. So is a torque whose effect differs by h^3, and a kick on one side, which costs
        the symmetry and nothing else.
        """
        if self.free.max() <= SAME_DIFFERENCE:
            return not self._takes_torque_otherwise() and any(BY_KEY[key].measure != "symmetry" for key in lost)
        only_Q = self.free[:, 0].max() <= SAME_DIFFERENCE
        return bool(lost) and not (only_Q and self._power_of_Omega() > ANOTHER_POWER)

    def _takes_torque_otherwise(self) -> bool:
        """Whether a torque is felt as by another method of order 2, where a free body is moved alike."""
        return _power(self.torque, self.torque_when_small) > ANOTHER_POWER

    def _power_of_Omega(self) -> float:
        """The power of h by which the difference of a free velocity falls."""
        return _power(self.free[:, 1:], _columns(self.free_when_small, 1))

    def _size(self, apart: np.ndarray, small: np.ndarray | None, falls: str = ",") -> str:
        """The difference at the smaller step, with the power of h by which it falls; or at the larger one alone."""
        if apart[1].max() <= SAME_DIFFERENCE:
            return f"{apart[0].max():.0e} at h = {2 * self.h:g} alone"
        power = _power(apart, small)
        law = f"{falls} like h^{power:.0f}" if power > 0.5 else ""
        return f"{apart[1].max():.0e} at h = {self.h:g}{law}"

    @property
    def rank(self) -> tuple[Any, ...]:
        """How near: those that share most first, then by the difference."""
        parts = (self.free[:, 0].max(), self.free[:, 1].max(), self.torque.max())
        apart = float(f"{self.free.max() + self.torque.max():.5e}")
        return (
            -sum(x <= SAME_DIFFERENCE for x in parts),
            max(apart, SAME_DIFFERENCE) if apart else 0.0,
        )  # how it rounds decides nothing


def _columns(apart: np.ndarray | None, which: int) -> np.ndarray | None:
    """The differences of Q alone, or of Omega alone."""
    return None if apart is None else apart[:, which : which + 1]


def _power(apart: np.ndarray, small: np.ndarray | None) -> float:
    """The power of h by which a difference falls from the larger step to the smaller one: of small steps, where their
    differences are no round-off."""
    if small is not None and small[1].max() > FAINT_ROUND_OFFS * SAME_DIFFERENCE:
        apart = small
    coarse, fine = apart[0].max(), apart[1].max()
    return float(np.log2(coarse / fine)) if min(coarse, fine) > 0 else 0.0


def kin_of(run: Run) -> Kin | None:
    """The method of the catalogue that an integrator shares most with, if it shares anything."""
    for steps in STEPS:
        try:
            mine = {name: _steps_by(run, p, steps) for name, p in _problems().items()}
        except Refused:
            continue
        kin = _nearest(mine, steps)
        if kin is None or not kin.shares_all:
            return kin and _with_small_steps(run, kin)
        return dataclasses.replace(kin, first_step_alone=not _goes_on(run, kin.name, steps[1]))
    return None


def _with_small_steps(run: Run, kin: Kin) -> Kin:
    """The same kin with the differences of small steps, where they run."""
    theirs = _steps_of(kin.name, SMALL_STEPS)
    if theirs is None:
        return kin
    try:
        apart = _apart({name: _steps_by(run, p, SMALL_STEPS) for name, p in _problems().items()}, theirs)
    except Refused:
        return kin
    return dataclasses.replace(kin, free_when_small=apart["free"], torque_when_small=apart["torque"])


def _apart(mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, np.ndarray]:
    """The differences of Q and of Omega on each problem, a row for each step."""
    return {k: np.array([[np.abs(a - b).max() for a, b in zip(*s)] for s in zip(mine[k], theirs[k])]) for k in mine}


def _goes_on(run: Run, name: str, h: float) -> bool:
    """Whether the second step is that of the method, too: a method may start as another does, and remember."""
    for p in _problems().values():
        try:
            mine = run(p, p.Q0, p.Omega0, h, 2, p.t0)
        except Refused:
            return False
        theirs = _steps_from(methods()[name], p, h, 2)
        if theirs is None or max(np.abs(a - b).max() for a, b in zip(mine, theirs)) > 2 * SAME_DIFFERENCE:
            return False
    return True


def _nearest(mine: dict[str, Any], steps: tuple[float, float]) -> Kin | None:
    candidates = []
    for name in methods():
        theirs = _steps_of(name, steps)
        if theirs:
            apart = _apart(mine, theirs)
            candidates.append(Kin(name, apart["free"], apart["torque"], steps[1]))
    parts = [_off(p, mine[key][-1], steps[1]) for key, p in _problems().items()]
    nearest = min((k for k in candidates if not k.is_worse(parts[0])), key=lambda k: k.rank, default=None)
    off = [max(part) for part in parts]
    if nearest is None or off[0] < TELLING_ERROR:
        return None
    if nearest.words:
        return nearest
    apart = max(nearest.free[-1].max(), nearest.torque[-1].max())
    return dataclasses.replace(nearest, near=True) if apart < NEAR_PART * max(off) else None


def _off(p: Problem, state: Any, h: float) -> list[float]:
    """The errors of Q and Omega in one step."""
    from polhode.reference.reference import by_dop853

    return [float(np.abs(a - b).max()) for a, b in zip(state, by_dop853(p, p.t0 + h))]


@functools.cache
def _problems() -> dict[str, Problem]:
    return {"free": placed(free()), "torque": placed(forced())}


def _steps_by(run: Run, p: Problem, steps: tuple[float, float]) -> list[tuple[np.ndarray, np.ndarray]]:
    return [run(p, p.Q0, p.Omega0, h, 1, p.t0) for h in steps]


@functools.cache
def _steps_of(name: str, steps: tuple[float, float]) -> dict[str, Any] | None:
    """One step of a method of the catalogue on each problem, in plain Python; none where it does not solve."""
    method = methods()[name]
    states: dict[str, Any] = {}
    for key, p in _problems().items():
        if method.free_only and key != "free":
            return None
        states[key] = [_steps_from(method, p, h, 1) for h in steps]
        if any(state is None for state in states[key]):
            return None
    return states


def _steps_from(method: Method, p: Problem, h: float, count: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Q and Omega after a few steps of a method of the catalogue, in plain Python; none where one is not solved."""
    body = body_of(p, method)
    state = method.start(h, p.t0, *p.start(), body)
    for i in range(count):
        state, report = method.step(h, p.t0 + i * h, state, body)
        if report[1] != 0:
            return None
    return np.array(matrix(state[0])).reshape(3, 3), np.array(state[1]) / p.moments
