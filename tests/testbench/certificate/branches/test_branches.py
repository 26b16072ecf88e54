"""A look at a user's own text: copies that tell of their decisions and change nothing, and states that are found."""

import copy

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.branches.copies import Copies, package_of
from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.rewriting import Unreadable, rewritten
from polhode.testbench.certificate.branches.witnesses import branches_of
from polhode.testbench.certificate.diagnosis.at_rest import does_not_rest
from polhode.testbench.certificate.diagnosis.oddities import oddities
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.states.cases import placed, potential
from polhode.testbench.certificate.structure.defects import symmetry
from polhode.testbench.certificate.structure.visits import visited
from tests.testbench.certificate.adversary import rare
from tests.testbench.certificate.adversary.steps import lie_euler, verlet
from tests.testbench.certificate.branches import integrators


def told(function, *arguments):
    """What a rewritten copy returns, and its decisions by their words: how they went, how near to going otherwise."""
    recorder = Recorder()
    run = Copies(recorder, function).of(function)
    found = []
    passages = recorder.passed(lambda: found.append(run(*arguments)))
    words = {recorder.decisions[number].words: passage for number, passage in passages.items()}
    return found[0] if found else None, words


@pytest.mark.parametrize("x, y", [(0.5, 2), (3, 3), (40, 4), (-7, 9), (0.001, 0), (2, 5.5)])
def test_a_copy_does_what_the_function_does(x, y):
    found, _ = told(integrators.decides, x, y)
    assert repr(found) == repr(integrators.decides(x, y))


def test_decisions_tell_which_way_they_went_and_how_near_the_other_was():
    _, words = told(integrators.decides, 2.0, 4.0)
    either = words["x < 1 or y > 5"]
    assert either.outcomes == {False}
    assert either.nearest[True][0] == pytest.approx(np.log(5 / 4))  # the nearer of the two
    both = words["0 < x < y and (not abs(y - 3) < 0.5)"]
    assert both.outcomes == {True} and both.nearest[False][0] > 0
    assert words["abs(x) <= 0.01"].nearest[True][0] == pytest.approx(np.log(200))
    assert words["x > 10"].outcomes == {False}
    assert words["np.array([x, y]) > 2"].outcomes == {True, False}
    _, halved = told(integrators.decides, 40.0, 4.0)
    assert halved["x > 10"].outcomes == {True, False}


def test_a_copy_changes_nothing_of_the_integrator():
    p, before = placed(potential()), copy.copy(integrators.CALLS)
    state = integrators.DRAWN.getstate()
    result, words = told(integrators.counts, p, p.Q0, p.Omega0, 0.1, 0.0)
    assert next(before) == next(copy.copy(integrators.CALLS)) and integrators.DRAWN.getstate() == state
    assert not integrators.SEEN
    assert all(np.array_equal(a, b) for a, b in zip(result, verlet(p, p.Q0, p.Omega0, 0.1, 0.0)))
    method = integrators.Remembers()
    _, words = told(method, p, p.Q0, p.Omega0, 0.1, 0.0)
    assert words["self.is_first()"].outcomes == {True} and method.calls == []


def test_a_copy_shares_nothing_that_changes():
    p, step = placed(potential()), integrators.Keeps()
    _, words = told(step, p, p.Q0, p.Omega0, 0.1, 0.0)
    assert words["h < 0"].outcomes == {False}
    assert not (step.past or step.own or step.shared or integrators.RING) and integrators.TABLE == {"calls": [0]}
    before = integrators.doubled.cache_info()
    _, words = told(integrators.by_a_cache, p, p.Q0, p.Omega0, 0.1, 3.0)
    assert words["x > 0"].outcomes == {True} and integrators.doubled.cache_info() == before
    _, words = told(integrators.by_a_library, p, p.Q0, p.Omega0, 0.1, 3.0)
    assert words["ABSOLUTE(-1) == 1"].outcomes == {True}


def test_what_cannot_be_copied_is_left_alone():
    known = dict(integrators.Family.known)
    alone = {
        "generator": integrators.from_a_generator(),
        "an end of its own": integrators.Frees(),
        "takes note of the classes below it": integrators.Member(),
    }
    for why, step in alone.items():
        with pytest.raises(Unreadable, match=why):
            Copies(Recorder(), step).of(step)
        look = Look(step)
        found = branches_of(look, step)
        assert not found.witnesses and not found.not_taken
        look.left_alone = found.left_alone
        assert why in " ".join(oddities(look, {}))
    assert not integrators.Frees.freed and integrators.Family.known == known


@pytest.mark.parametrize(
    "step", [integrators.exits_when_large, integrators.refuses_large, integrators.hangs_when_large]
)
def test_steps_that_fail_cost_no_more_than_themselves(step):
    look = Look(step)
    look.character = character_of(look)
    found = branches_of(look, step)
    assert not found.left_alone and not found.witnesses


def test_a_file_that_has_changed_is_not_read(tmp_path, monkeypatch):
    file = tmp_path / "stepping.py"
    file.write_text("def step(x):\n    return 1 if x > 0 else 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    import stepping

    assert rewritten(stepping.step.__code__, Recorder())
    file.write_text("def step(x):\n    return 1 if x > 3 else 2\n")
    import linecache

    linecache.checkcache(str(file))
    with pytest.raises(Unreadable, match="as it was compiled"):
        rewritten(stepping.step.__code__, Recorder())


def test_packages_that_all_use_are_nobodys_own():
    assert package_of(ph.certify) == package_of(np.linalg.norm) == package_of(copy.copy) == ""
    assert package_of(verlet).endswith("tests/")


@pytest.mark.parametrize(
    "step", [rare.turned_and_tilted, rare.Window(), rare.nearly_steady_and_late, rare.harmless_branches]
)
def test_states_are_found_that_take_what_the_battery_does_not(step):
    found = branches_of(Look(step), step)
    assert not any("lie_euler" in words or "t > 20" in words for words in found.not_taken)
    assert step is rare.nearly_steady_and_late or found.witnesses["free"]  # that is known by random states
    for case, states in found.witnesses.items():
        for state in states:
            assert len(state.radians) == 1 and state.is_surveyed and "in line" in state.words and state.case == case


def test_the_states_that_are_found_take_the_branch():
    step = rare.Window()
    is_there = lambda state: step.is_open(state.problem.Q0)
    for states in branches_of(Look(step), step).witnesses.values():
        assert any(is_there(state) for state in states)


def test_states_on_both_sides_of_an_edge_are_found():
    step = rare.one_of_two
    look = Look(step)
    look.edges = branches_of(look, step).edges
    assert set(look.edges) == {"free", "potential", "forced"}
    for state in look.edges["forced"]:
        w = state.problem.Omega0
        assert rare.DIRECTION @ w / np.linalg.norm(w) == pytest.approx(0.99, abs=2e-3) and "the edge of" in state.words
    found = visited(look, BY_KEY["symmetric"])
    assert set(look.edges["forced"]) <= set(found) and any("for a free body at the edge" in s.words for s in found)
    assert not any("edge" in state.words for state in visited(look, BY_KEY["symplectic_free"]))


def test_what_is_symmetric_on_both_sides_of_an_edge_is_not_across():
    step = rare.one_of_two
    look = Look(step)
    edges = branches_of(look, step).edges["forced"]
    defects = [symmetry(look.run, state.problem, state.step(x)) for state in edges for x in state.radians]
    assert max(defects) > 1e-4 and min(defects) < 1e-14  # half of the steps cross it
    assert ph.certify(step, drift=False)["symmetric"].verdict == "no"
    assert ph.certify(rare.harmless_branches, drift=False)["symmetric"].verdict == "yes"


def test_what_no_state_takes_is_told():
    def step(p, Q, Omega, h, t):
        return lie_euler(p, Q, Omega, h, t) if np.real(Omega) @ np.real(Omega) > 1e9 else verlet(p, Q, Omega, h, t)

    look = Look(step)
    look.not_taken = branches_of(look, step).not_taken
    assert any("1000000000.0" in words and words.endswith("is true") for words in look.not_taken)
    assert "no state was found that leads there" in " ".join(oddities(look, {}))


def test_a_free_body_at_rest_stays_there_or_is_told_of():
    def divides(p, Q, Omega, h, t):
        axis = Omega / np.sqrt(Omega @ Omega)
        return verlet(p, Q, axis * np.sqrt(Omega @ Omega), h, t)

    def moves(p, Q, Omega, h, t):
        return verlet(p, Q, Omega + 1e-6, h, t)

    for step, words in ((divides, "stops it"), (moves, "does not stay there"), (verlet, "")):
        told_of = does_not_rest(Look(step))
        assert words in told_of if words else told_of == ""
