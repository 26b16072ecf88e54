"""What kind of thing an integrator is, asked before anything is measured.

Five questions: does the same call give the same numbers twice; do n steps at once give what n steps one by one give, or
does it remember; are its numbers those of single precision; do they follow a small change of the start, or move in
jumps; and does a negative step go back? When all is measured it is asked the first question again: has it changed
meanwhile?
"""

import contextlib
from typing import Any

import numpy as np

from polhode.physics.problem import Problem
from polhode.testbench.certificate.running.character import STEPS_AT_ONCE, Character
from polhode.testbench.certificate.running.guard import OwnTime, Refused, guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.cases import placed, potential

REMEMBERED_DEFECT = 1e-11  # n steps at once and one by one differ by more through memory only, not through round-off
MANY_AT_ONCE, MANY_DEFECT = 100, 1e-9  # the same of a black box, whose own loop may do other things than one step does
VERY_MANY_AT_ONCE, VERY_MANY_SECONDS = (
    2048,
    3.0,
)  # the same with smaller steps, in one call and in two, if that takes no longer
ASKED_STEP = 0.11  # the step of the questions
SMALL_CHANGES = (3e-10, 3e-8)  # relative changes of the start, between which a smooth result is straight
MANY_SECONDS = 1.0  # that so many steps may take
BACKWARDS_SECONDS = 3.0  # seconds for one step of -h, which some never return from


def character_of(look: Look) -> Character:
    """Ask."""
    p, other = placed(potential()), far_start()
    run, h = look.run, ASKED_STEP

    def one(start: Problem, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
        return run(start, start.Q0, start.Omega0, h, steps, start.t0)

    try:
        look.first = first = first_answer(look)
        noise = np.abs(first_answer(look) - first).max()
        together = flat(one(p, STEPS_AT_ONCE))
        apart = p.Q0, p.Omega0
        for i in range(STEPS_AT_ONCE):
            one(other)  # so that it has something else to remember
            apart = run(p, *apart, h, 1, p.t0 + i * h)
        brief, long = np.abs(flat(apart) - together).max(), _in_its_own_loop(look, p, h, noise > 0)
        memory, least = max(brief, long), max(REMEMBERED_DEFECT, 100 * noise)
        one(other)
        numbers = [x for x in one(p) if x.dtype != object and x.any()]
        single = any(np.array_equal(x, x.astype(np.float32).astype(x.dtype)) for x in numbers)
        jump = 0.0 if noise else jump_of(look, p)
    except Refused as error:
        return Character(refusal=error.words)
    return Character(
        noise=float(noise) if noise > 0 else 0.0,
        memory=float(memory) if memory > least and not single else 0.0,
        remembers_after=STEPS_AT_ONCE if brief > least else MANY_AT_ONCE,
        single=single,
        jump=jump,
        forward_only=bool(guarded(lambda: _goes_forward(look, p, h), BACKWARDS_SECONDS)[0]),
    )


def _in_its_own_loop(look: Look, p: Problem, h: float, is_noisy: bool) -> float:
    """How far many steps of a black box at once are from the same one by one, where that is more than round-off and
    takes no more than a moment."""
    if not look.is_box:
        return 0.0
    own = OwnTime()
    together, apart = look.run(p, p.Q0, p.Omega0, h, MANY_AT_ONCE, p.t0), (p.Q0, p.Omega0)
    if own.seconds > MANY_SECONDS:
        return 0.0
    for i in range(MANY_AT_ONCE):
        apart = look.run(p, *apart, h, 1, p.t0 + i * h)
    off = float(np.abs(flat(apart) - flat(together)).max())
    if own.seconds / MANY_AT_ONCE * VERY_MANY_AT_ONCE < VERY_MANY_SECONDS and not is_noisy:
        with contextlib.suppress(Refused):  # steps may be too small for it
            off = max(off, _in_two_halves(look, p, h * MANY_AT_ONCE / VERY_MANY_AT_ONCE))
    return off if off > MANY_DEFECT else 0.0


def _in_two_halves(look: Look, p: Problem, h: float) -> float:
    """How far very many steps at once are from as many in two calls: a box may count no further than so many."""
    half = VERY_MANY_AT_ONCE // 2
    together, apart = look.run(p, p.Q0, p.Omega0, h, 2 * half, p.t0), (p.Q0, p.Omega0)
    for t in (p.t0, p.t0 + half * h):
        apart = look.run(p, *apart, h, half, t)
    return float(np.abs(flat(apart) - flat(together)).max())


def far_start() -> Problem:
    """A start far from the generic one, so that what an integrator remembers is something else."""
    return placed(potential()).replaced(Q0=(1.1, 0.4, -0.9), Omega0=(-0.3, 0.8, 0.2))


def flat(state: Any) -> np.ndarray:
    """Q and Omega in one row."""
    return np.concatenate([np.ravel(x) for x in state])


def first_answer(look: Look) -> np.ndarray:
    """A step from the generic state, after one from elsewhere."""
    for p in (far_start(), placed(potential())):
        answer = look.run(p, p.Q0, p.Omega0, ASKED_STEP, 1, p.t0)
    return flat(answer)


def changed_since(look: Look) -> float:
    """How far its answer to the first question has moved since it was asked; zero where that is noise or round-off, or
    where there is none any more, which is noted."""
    if look.first is None:
        return 0.0
    try:
        moved = float(np.abs(first_answer(look) - look.first).max())
    except Refused as error:
        look.stopped = error.words
        return 0.0
    return moved if moved > max(REMEMBERED_DEFECT * look.character.floor, 100 * look.character.noise) else 0.0


def _goes_forward(look: Look, p: Problem, h: float) -> bool:
    """Whether a step of -h moves the body forward, or not at all."""
    try:
        back = flat(look.run(p, p.Q0, p.Omega0, -h, 1, p.t0)).real - flat((p.Q0, p.Omega0))
    except Refused:
        return False  # it refuses, which is honest
    ahead = flat(look.run(p, p.Q0, p.Omega0, h, 1, p.t0)).real - flat((p.Q0, p.Omega0))
    return bool(back @ ahead > -1e-6 * (ahead @ ahead))


def jump_of(look: Look, p: Problem) -> float:
    """The largest departure of the result from a straight line, where the start moves by next to nothing."""
    one, jumps = lambda q: look.run(q, q.Q0, q.Omega0, ASKED_STEP, 1, q.t0), []
    for tiny in SMALL_CHANGES:
        points = [flat(one(p.replaced(Omega0=p.Omega0 * (1 + k * tiny)))) for k in range(9)]
        jumps.append(np.abs(np.diff(np.array(points), 2, axis=0)).max())
    return float(max(jumps)) if max(jumps) > 1e-12 else 0.0
