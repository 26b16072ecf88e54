"""Steps of an integrator that tells of its decisions, whatever its form; and whether they are what they were before it
did."""

import itertools
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from polhode.integrators.method import BlackBox, Method
from polhode.integrators.velocity import adapted
from polhode.runs.runners.code import body_of
from polhode.testbench.certificate.branches.belongings import uncompiled
from polhode.testbench.certificate.running.guard import OwnTime, guarded
from polhode.testbench.certificate.running.look import STEP_SECONDS, Look, advance_of, states
from polhode.testbench.certificate.states.battery import RADIANS, State
from polhode.testbench.certificate.structure.visits import SMALLEST_RADIANS

SAME = 1e-9  # relative difference of steps that tell of their decisions, and of those that do not
STEPS_IN_TURN = 3  # of what has a memory

Run: TypeAlias = Callable[..., Any]
"""Steps from a state, of so many radians, forwards where they are positive; and how many."""


def run_of(look: Look, method: Any) -> Run:
    """The steps of what is a function or a box: more than one at a time where it remembers, or may."""
    if isinstance(method, Method):
        return _of_a_kernel(method)
    is_box = isinstance(method, BlackBox)
    if is_box:
        method = replace(method, advance=uncompiled(method.advance) or method.advance)
    advance = advance_of(uncompiled(method) or method)
    usual = STEPS_IN_TURN if is_box or look.character.memory else 1

    def run(state: State, radians: float, count: int = usual) -> Any:
        p = state.problem
        return advance(p, p.Q0.copy(), p.Omega0.copy(), state.step(radians), count, p.t0)

    return run


def _of_a_kernel(method: Method) -> Run:
    """The same of a kernel, in floats, from its own start."""

    def run(state: State, radians: float, count: int = 1) -> Any:
        p, h = state.problem, state.step(radians)
        one = adapted(method, p.forces)
        body, (q, Pi) = body_of(p, one), p.start()
        now = one.start(h, p.t0, tuple(q), tuple(Pi), body)
        for k in range(count):
            now, _ = one.step(h, p.t0 + k * h, now, body)
        return now

    return run


@dataclass
class Sample:
    """Some steps: what they gave, if they returned, and how long they took in the median."""

    given: list[Any]
    seconds: float

    def agrees(self, other: "Sample") -> bool:
        """Whether another sample is the same, step by step."""
        return all(_is_the_same(a, b) for a, b in zip(self.given, other.given))


def _is_the_same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return all(x.shape == y.shape and np.allclose(x, y, SAME, SAME, equal_nan=True) for x, y in zip(a, b))


def sample_of(run: Run) -> Sample:
    """Steps from the generic state, a usual and a small one, of a free body and in a potential."""
    given: list[Any] = []
    seconds: list[float] = []
    for case, radians in itertools.product(("free", "potential"), (RADIANS[1], SMALLEST_RADIANS[0])):
        own = OwnTime()
        state, _ = guarded(partial(run, states(case)[0], radians), STEP_SECONDS)
        seconds.append(own.seconds)
        given.append(None if state is None else _numbers(state))
    return Sample(given, statistics.median(seconds))


def _numbers(state: Any) -> list[np.ndarray]:
    """Q and Omega, or what a kernel has in their place."""
    return [np.array(x) for x in state[:2]]
