"""What kind of integrator it is: a question without an answer does not cost the others, and leaves no verdict."""

import time

import numpy as np
import pytest

import polhode as ph
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running import questions
from polhode.testbench.certificate.running.character import JUMP, LOOP, MEMORY, NOISE, SINGLENESS, Character
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.questions import ASKED_STEP, SMALLER_STEPS, changed_since, character_of
from polhode.testbench.certificate.states.cases import placed, potential
from tests.testbench.certificate.adversary import third

GENERIC = placed(potential())


def single(p, Q, Omega, h, t):
    return tuple(x.astype(np.float32).astype(float) for x in third.right(p, Q, Omega, h, t))


def slow_and_single(p, Q, Omega, h, t):
    time.sleep(0.02)
    return single(p, Q, Omega, h, t)


def forgetful(p, Q, Omega, h, t):
    """Breaks where the velocity is not one that it was made for."""
    if 0 < np.abs(Omega / GENERIC.Omega0 - 1).max() < 1e-6:
        raise ValueError("not that one")
    return third.right(p, Q, Omega, h, t)


def free_alone(p, Q, Omega, h, t):
    if p.has_torque:
        raise ValueError("a free body alone")
    return third.right(p, Q, Omega, h, t)


def small_alone(p, Q, Omega, h, t):
    if abs(h) > 0.02:
        raise ValueError("too large a step")
    return third.right(p, Q, Omega, h, t)


def nowhere(p, Q, Omega, h, t):
    raise ValueError("nowhere")


def test_a_question_that_fails_costs_no_other():
    c = character_of(Look(forgetful))
    assert [question for question, _ in c.unknown] == [JUMP] and "raised ValueError" in c.unknown[0][1]
    assert not c.missing and "not whether it moves in jumps: it raised ValueError" in c.sentences()[0]


@pytest.mark.parametrize("step", (free_alone, small_alone))
def test_it_is_asked_where_it_runs(step):
    look = Look(step)
    c = character_of(look)
    assert not (c.unknown or c.noise or c.memory or c.jump or c.forward_only) and changed_since(look) == 0
    assert look.first.step == (ASKED_STEP if step is free_alone else SMALLER_STEPS[-1])
    assert look.first.start.has_torque is (step is small_alone)


def test_one_that_answers_nowhere_has_no_verdict():
    look = Look(nowhere)
    c = character_of(look)
    assert [question for question, _ in c.unknown] == [NOISE, MEMORY, SINGLENESS] and c.missing.startswith(NOISE)
    assert look.first is None and changed_since(look) == 0


def test_what_was_learnt_before_the_time_was_over_is_kept():
    c = character_of(Look(slow_and_single), 0.4)
    assert c.single and MEMORY in dict(c.unknown) and c.missing.startswith("whether it remembers is not known")


def test_many_steps_of_a_slow_box_are_not_compared_and_that_is_told():
    def advance(p, Q, Omega, h, n, t):
        time.sleep(0.03)
        for i in range(n):
            Q, Omega = third.right(p, Q, Omega, h, t + i * h)
        return Q, Omega

    c = character_of(Look(ph.BlackBox("slow", advance)))
    assert dict(c.unknown)[LOOP].startswith("100 steps one by one and at once were not compared") and not c.missing
    assert "nor" not in c.sentences()[0] and "so all is undecided" not in c.sentences()[0]
    assert LOOP not in dict(character_of(Look(ph.BlackBox("slow", advance), seconds=60.0), 60.0).unknown)


def test_without_an_answer_that_matters_all_is_undecided(monkeypatch):
    unknown = Character(unknown=((MEMORY, "it did not return within 5 s"),))
    monkeypatch.setattr(outside, "character_of", lambda *given: unknown)
    c = ph.certify(third.right, drift=False)
    said = {key: p.verdict for key, p in c.properties.items()}
    assert said.pop("torque_evaluations") == said.pop("largest_step") == "yes" and set(said.values()) == {"undecided"}
    assert c["symmetric"].how.endswith("but whether it remembers is not known: it did not return within 5 s")
    assert "so all is undecided: not whether it remembers" in c.diagnosis[0]


def test_seconds_that_are_given_are_used():
    usual, more = Look(third.right), Look(third.right, 600.0)
    assert outside._patience(usual, 0) == 20.0 and outside._patience(more, 0) == pytest.approx(400.0)
    assert questions.QUESTIONS_SECONDS == outside._patience(usual, 0)


def test_all_first_steps_together_have_their_seconds(monkeypatch):
    monkeypatch.setattr(outside, "FIRST_SECONDS", 0.3)
    begin = time.monotonic()

    def fails(p, Q, Omega, h, t):
        time.sleep(0.2)
        raise ValueError

    with pytest.raises(ph.InputError, match="failed in its first step: ValueError"):
        ph.certify(fails)
    assert time.monotonic() - begin < 1.0
