"""What kind of thing an integrator is, asked before anything is measured.

Questions: does the same call give the same numbers twice; do n steps at once give what n steps one by one give, or
does it remember; are its numbers those of single precision; do they follow a small change of the start, or move in
jumps; and does a negative step go back? When all is measured it is asked the first question again: has it changed
meanwhile?
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.physics.problem import Problem
from polhode.testbench.certificate.running.character import (
    BACK,
    DECISIVE,
    JUMP,
    LOOP,
    MEMORY,
    NOISE,
    SINGLENESS,
    STEPS_AT_ONCE,
    Character,
)
from polhode.testbench.certificate.running.guard import OwnTime, Refused, guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.cases import free, placed, potential

REMEMBERED_DEFECT = 1e-11  # n steps at once and one by one differ by more through memory only, not through round-off
MANY_AT_ONCE, MANY_DEFECT = 100, 1e-9  # the same of a black box, whose own loop may do other things than one step does
MANY_SECONDS = 2.0  # that so many calls may take
VERY_MANY_AT_ONCE = 2048  # the same with smaller steps, in one call and in two
VERY_MANY_SECONDS = 3.0  # that these may take
ASKED_STEP = 0.11  # the step of the questions
SMALLER_STEPS = (0.0625, 0.01)  # for an integrator that refuses it
SMALL_CHANGES = (3e-10, 3e-8)  # relative changes of the start, between which a smooth result is straight
CHANGES = 9  # of each of the two, one after the other
BACKWARDS_SECONDS = 3.0  # seconds for one step of -h, which some never return from
QUESTIONS_SECONDS = 20.0  # seconds for all questions
PART_FOR_ONE = 0.7  # of the seconds that are left, for a question: one that is not answered leaves some to the next
NO_TIME = "there was no time to ask"


@dataclass(frozen=True)
class Asked:
    """Where an integrator is asked, after a call elsewhere, and what it answered first: Q and Omega."""

    start: Problem
    elsewhere: Problem
    step: float
    answer: tuple[np.ndarray, np.ndarray]


class Questions:
    """Questions to an integrator, each in a guard of its own: one without an answer does not cost the others."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.own = seconds, OwnTime()
        self.unknown: list[tuple[str, str]] = []

    def ask(
        self, question: str, answer: Callable[[], Any], otherwise: Any, *, least: float = 0.0, most: float = np.inf
    ) -> Any:
        """The answer, which takes at least and at most so many seconds; or what is taken for it otherwise, with a note
        why there is none."""
        seconds = min(PART_FOR_ONE * (self.seconds - self.own.seconds), most)
        found, why = guarded(answer, seconds) if seconds > least else (None, NO_TIME)
        if not why:
            return found
        self.unknown.append((question, why if why == NO_TIME else f"it {why}"))
        return otherwise


def character_of(look: Look, seconds: float = QUESTIONS_SECONDS) -> Character:
    """Ask."""
    questions = Questions(seconds)
    asked = look.first = questions.ask(NOISE, lambda: first_asked(look), None)
    if asked is None:
        ((_, why),) = questions.unknown
        return Character(unknown=tuple((question, why) for question in DECISIVE))
    noise = questions.ask(NOISE, lambda: np.abs(again(look, asked) - flat(asked.answer)).max(), 0.0)
    least = max(REMEMBERED_DEFECT, 100 * noise)
    single = questions.ask(SINGLENESS, lambda: _is_single(look, asked), False)
    brief, call_seconds = questions.ask(MEMORY, lambda: _remembered(look, asked), (0.0, 0.0))
    long = 0.0
    if look.is_box:
        many = MANY_SECONDS * look.pace.generosity
        if call_seconds * MANY_AT_ONCE > many:
            words = (
                f"{MANY_AT_ONCE} steps one by one and at once were not compared, since they take longer than {many:g} s"
            )
            questions.unknown.append((LOOP, words))
        else:
            long = questions.ask(LOOP, lambda: _in_its_own_loop(look, asked, noise > 0), 0.0)
    memory = max(brief, long)
    forward_only = questions.ask(BACK, lambda: _goes_forward(look, asked), False, most=BACKWARDS_SECONDS)
    jump, least_seconds = 0.0, CHANGES * len(SMALL_CHANGES) * call_seconds
    if not noise:
        jump = questions.ask(JUMP, lambda: jump_of(look, asked.start, asked.step), 0.0, least=least_seconds)
    return Character(
        noise=float(noise) if noise > 0 else 0.0,
        memory=float(memory) if memory > least and not single else 0.0,
        remembers_after=STEPS_AT_ONCE if brief > least else MANY_AT_ONCE,
        single=single,
        jump=jump,
        forward_only=forward_only,
        unknown=tuple(questions.unknown),
    )


def first_asked(look: Look) -> Asked:
    """Where it gives an answer, and which: under a torque or, if it takes none, free; with a smaller one if need be."""
    refused = None
    for start in (placed(potential()), placed(free())):
        for h in (ASKED_STEP, *SMALLER_STEPS):
            elsewhere = far_start(start)
            try:
                step(look, elsewhere, h)
                return Asked(start, elsewhere, h, step(look, start, h))
            except Refused as error:
                refused = refused or error
    assert refused is not None  # or there was an answer
    raise refused


def step(look: Look, p: Problem, h: float, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Some steps from the start of a problem."""
    return look.run(p, p.Q0, p.Omega0, h, steps, p.t0)


def _is_single(look: Look, asked: Asked) -> bool:
    """Whether its numbers are those of single precision."""
    step(look, asked.elsewhere, asked.step)
    numbers = [x for x in step(look, asked.start, asked.step) if x.dtype != object and x.any()]
    return any(np.array_equal(x, x.astype(np.float32).astype(x.dtype)) for x in numbers)


def _remembered(look: Look, asked: Asked) -> tuple[float, float]:
    """How far some steps at once are from the same one by one, with others between them; and the seconds of a call."""
    p, h, n = asked.start, asked.step, STEPS_AT_ONCE
    together, apart, own = flat(step(look, p, h, n)), (p.Q0, p.Omega0), OwnTime()
    for i in range(n):
        step(look, asked.elsewhere, h)  # so that it has something else to remember
        apart = look.run(p, *apart, h, 1, p.t0 + i * h)
    return np.abs(flat(apart) - together).max(), own.seconds / (2 * n)


def _in_its_own_loop(look: Look, asked: Asked, is_noisy: bool) -> float:
    """How far many steps of a black box at once are from the same one by one, where that is more than round-off; and
    very many, where they take no more than a moment."""
    p, h, own = asked.start, asked.step, OwnTime()
    together, apart = step(look, p, h, MANY_AT_ONCE), (p.Q0, p.Omega0)
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
    together, apart = step(look, p, h, 2 * half), (p.Q0, p.Omega0)
    for t in (p.t0, p.t0 + half * h):
        apart = look.run(p, *apart, h, half, t)
    return float(np.abs(flat(apart) - flat(together)).max())


def far_start(generic: Problem) -> Problem:
    """A start far from the generic one, so that what an integrator remembers is something else."""
    return generic.replaced(Q0=(1.1, 0.4, -0.9), Omega0=(-0.3, 0.8, 0.2))


def flat(state: Any) -> np.ndarray:
    """Q and Omega in one row."""
    return np.concatenate([np.ravel(x) for x in state])


def again(look: Look, asked: Asked) -> np.ndarray:
    """Its answer to the first question, once more."""
    step(look, asked.elsewhere, asked.step)
    return flat(step(look, asked.start, asked.step))


def changed_since(look: Look) -> float:
    """How far its answer to the first question has moved since it was asked; zero where that is noise or round-off, or
    where there is none any more, which is noted."""
    if look.first is None:
        return 0.0
    try:
        moved = float(np.abs(again(look, look.first) - flat(look.first.answer)).max())
    except Refused as error:
        look.stopped = error.words
        return 0.0
    return moved if moved > max(REMEMBERED_DEFECT * look.character.floor, 100 * look.character.noise) else 0.0


def _goes_forward(look: Look, asked: Asked) -> bool:
    """Whether a step of -h moves the body forward, or not at all."""
    p, begin = asked.start, flat((asked.start.Q0, asked.start.Omega0))
    try:
        back = flat(step(look, p, -asked.step)).real - begin
    except Refused:
        return False  # it refuses, which is honest
    ahead = flat(step(look, p, asked.step)).real - begin
    return bool(back @ ahead > -1e-6 * (ahead @ ahead))


def jump_of(look: Look, p: Problem, h: float = ASKED_STEP) -> float:
    """The largest departure of the result from a straight line, where the start moves by next to nothing."""
    jumps = []
    for tiny in SMALL_CHANGES:
        points = [flat(step(look, p.replaced(Omega0=p.Omega0 * (1 + k * tiny)), h)) for k in range(CHANGES)]
        jumps.append(np.abs(np.diff(np.array(points), 2, axis=0)).max())
    return float(max(jumps)) if max(jumps) > 1e-12 else 0.0
