"""Steps of the copy of an integrator, whatever its form; and whether they are those of the integrator itself."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from polhode.integrators.method import BlackBox, Method
from polhode.integrators.velocity import adapted
from polhode.runs.runners.code import body_of
from polhode.testbench.certificate.branches.copies import Copies
from polhode.testbench.certificate.running.guard import Refused, guarded
from polhode.testbench.certificate.running.look import STEP_SECONDS, Look, advance_of, states
from polhode.testbench.certificate.states.battery import RADIANS, State
from polhode.testbench.certificate.structure.visits import SMALLEST_RADIANS

SAME = 1e-9  # relative difference of what the copy does and what the integrator does
STEPS_IN_TURN = 3  # of what has a memory

Run: TypeAlias = Callable[..., Any]
"""Steps of the copy from a state, of so many radians, forwards where they are positive; and how many."""


def run_of(look: Look, method: Any, copies: Copies) -> Run:
    """The steps of what is a function or a box: more than one at a time where it remembers, or may."""
    if isinstance(method, Method):
        return _of_a_kernel(method, copies)
    is_box = isinstance(method, BlackBox)
    telling = replace(method, advance=copies.of(method.advance)) if is_box else copies.of(method)
    advance, usual = advance_of(telling), STEPS_IN_TURN if is_box or look.character.memory else 1

    def run(state: State, radians: float, count: int = usual) -> Any:
        p = state.problem
        return advance(p, p.Q0.copy(), p.Omega0.copy(), state.step(radians), count, p.t0)

    return run


def _of_a_kernel(method: Method, copies: Copies) -> Run:
    """The same of a kernel, in floats, from its own start."""
    telling = replace(method, step=copies.of(method.step), start=copies.of(method.start))

    def run(state: State, radians: float, count: int = 1) -> Any:
        p, h = state.problem, state.step(radians)
        one = adapted(telling, p.forces)
        body, (q, Pi) = body_of(p, one), p.start()
        now = one.start(h, p.t0, tuple(q), tuple(Pi), body)
        for k in range(count):
            now = one.step(h, p.t0 + k * h, now, body)
        return now

    return run


def is_the_same(look: Look, run: Run) -> bool:
    """Whether the copy does what the integrator does; of what remembers, or of a kernel's own numbers, only whether it
    runs."""
    count = STEPS_IN_TURN if look.is_box or look.character.memory else 1
    for case, radians in itertools.product(("free", "potential"), (RADIANS[1], SMALLEST_RADIANS[0])):
        state = states(case)[0]
        p, h = state.problem, state.step(radians)
        try:
            usual = look.run(p, p.Q0, p.Omega0, h, count, p.t0)
        except Refused:
            continue
        found, why = guarded(partial(run, state, radians), STEP_SECONDS)
        if why or look.is_kernel or look.character.memory or look.character.noise:
            return not why
        return all(np.allclose(a, b, rtol=SAME, atol=SAME) for a, b in zip(found, usual))
    return False
