"""How far a few steps from a state are from the motion."""

import functools
import operator
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import State

MOST_MOTIONS = 2**14  # that are kept: a search for the step from which on something happens asks for ever new ones

Of: TypeAlias = Callable[[tuple[float, float]], float]
"""Which of two numbers, of Q and of Omega."""
ATTITUDE: Of = operator.itemgetter(0)
OMEGA: Of = operator.itemgetter(1)


def noise_of(look: Look, state: State) -> float:
    """What two equal steps from a state may differ by, or next to equal ones."""
    absolute = max(10 * look.character.noise, 2 * look.character.jump)
    return max(10 * look.character.floor * 1e-15, absolute * state.step(1.0))


def off(look: Look, state: State, radians: float, steps: int = 1, of: Of = max) -> float:
    """How far a few steps are from the motion, relative to the speed: of Q and Omega the larger, or the one `of` which
    it is asked."""
    return of(off_each(look, state, radians, steps))


def off_each(look: Look, state: State, radians: float, steps: int = 1) -> tuple[float, float]:
    """The same of Q and of Omega."""
    Q, Omega = off_by(look, state, radians, steps)
    return float(np.abs(Q).max()), float(np.abs(Omega).max())


def off_by(look: Look, state: State, radians: float, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The differences themselves, of Q in one row."""
    p, h = state.problem, state.step(radians)
    with look.pace.uncounted():
        Q1, Omega1 = motion(state, radians, steps)
    Q, Omega = look.run(p, p.Q0, p.Omega0, h, steps, p.t0)
    return np.ravel(Q - Q1), (Omega - Omega1) / (radians / h)


def off_in_runs(look: Look, state: State, radians: float, counts: Iterable[int], of: Of = max) -> np.ndarray:
    """How far runs over so much rotation are off, with so many steps each."""
    p, h = state.problem, state.step(radians)
    with look.pace.uncounted():
        Q1, Omega1 = motion(state, radians)
    found = []
    for n in counts:
        Q, Omega = look.run(p, p.Q0, p.Omega0, h / n, n, p.t0)
        found.append(of((float(np.abs(Q - Q1).max()), float(np.abs(Omega - Omega1).max() / (radians / h)))))
    return np.array(found)


@functools.lru_cache(MOST_MOTIONS)
def motion(state: State, radians: float, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Where the body is after so much rotation, which is the same for every integrator."""
    from polhode.reference.reference import by_dop853

    return by_dop853(state.problem, state.problem.t0 + steps * state.step(radians))
