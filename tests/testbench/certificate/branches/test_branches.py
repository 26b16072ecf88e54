"""A look at a user's own text: functions that tell of their decisions, in a process of their own, and the states that
are found."""

import copy
import linecache
import random
import socket
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.branches.belongings import Owner, package_of
from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.in_place import Functions
from polhode.testbench.certificate.branches.texts import Texts, Unreadable
from polhode.testbench.certificate.branches.witnesses import branches_of, note_branches
from polhode.testbench.certificate.diagnosis.at_rest import does_not_rest
from polhode.testbench.certificate.diagnosis.oddities import oddities
from polhode.testbench.certificate.running.in_a_child import in_a_child
from polhode.testbench.certificate.running.look import Look, advance_of
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.states.cases import placed, potential
from polhode.testbench.certificate.structure.defects import symmetry
from polhode.testbench.certificate.structure.visits import visited
from tests.testbench.certificate.adversary import rare
from tests.testbench.certificate.adversary.steps import lie_euler, verlet
from tests.testbench.certificate.branches import integrators


def told(function, *arguments):
    """What a function returns where it is rewritten, and its decisions by their words: how they went, how near to going
    otherwise."""

    def run():
        texts, found = Texts(Recorder()), []
        functions = Functions(Owner(function, texts), texts)
        functions.interpret()
        assert not functions.rewrite({integrators.__file__})
        passages = texts.recorder.passed(lambda: found.append(function(*arguments)))
        words = {texts.recorder.decisions[number].words: passage for number, passage in passages.items()}
        return found[0] if found else None, words

    return in_a_child(run, 30.0)


def noted(step):
    """A look in which the branches of an integrator are noted."""
    look = Look(step)
    note_branches(look, step, 60.0)
    return look


@pytest.mark.parametrize("x, y", [(0.5, 2), (3, 3), (40, 4), (-7, 9), (0.001, 0), (2, 5.5)])
def test_what_is_rewritten_does_what_the_function_does(x, y):
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


def test_what_numba_has_compiled_tells_of_its_decisions_too():
    found, words = told(integrators.by_numba, 0.3)
    assert found == integrators.by_numba(0.3) and words["x > 0.2"].outcomes == {True}
    assert not isinstance(integrators.compiled_part, type(told))  # that was done in the child alone


def test_nothing_of_the_integrator_is_changed():
    count, state, own = copy.copy(integrators.CALLS), integrators.DRAWN.getstate(), random.getstate()
    p, result = placed(potential()), {}
    for step in (integrators.counts, integrators.Keeps(), integrators.Below(), integrators.by_a_cache):
        found = branches_of(Look(step), step)
        assert not found.left_alone
        result[step] = found
        kept = [*getattr(step, "past", []), *getattr(step, "own", []), *getattr(step, "shared", [])]
        assert not kept
    assert next(count) == next(copy.copy(integrators.CALLS)) and integrators.DRAWN.getstate() == state
    assert random.getstate() == own
    assert not integrators.SEEN and not integrators.RING and integrators.TABLE == {"calls": [0]}
    assert integrators.Below.calls == integrators.Above.calls == 0 and integrators.Below.defaults() == ()
    assert integrators.doubled.cache_info().currsize == 0
    method = integrators.Remembers()
    _, words = told(method, p, p.Q0, p.Omega0, 0.1, 0.0)
    assert words["self.is_first()"].outcomes == {True} and method.calls == []
    assert "__decisions__" not in vars(integrators)


def test_functions_are_called_wherever_they_are():
    p = placed(potential())
    _, words = told(integrators.Below(), p, p.Q0, p.Omega0, 0.1, 0.0)
    assert words["abs(h) < 1e-12"].outcomes == {False}  # of a class above
    _, words = told(integrators.Keeps(), p, p.Q0, p.Omega0, 0.1, 0.0)
    assert words["h < 0"].outcomes == {False}
    _, words = told(integrators.by_a_cache, p, p.Q0, p.Omega0, 0.1, 3.0)
    assert words["x > 0"].outcomes == {True}
    _, words = told(integrators.by_a_library, p, p.Q0, p.Omega0, 0.1, 3.0)
    assert words["ABSOLUTE(-1) == 1"].outcomes == {True}


def test_what_is_shared_with_others_is_left_alone(tmp_path):
    one, other = socket.socketpair()
    table = np.memmap(tmp_path / "table", mode="w+", shape=3)
    with open(tmp_path / "log.txt", "w") as file, one, other:
        alone = {
            "it has a generator that is under way": integrators.from_a_generator(),
            "it has memory that other processes share": integrators.counts_in(np.asarray(table)),
            "it writes files": integrators.writes(tmp_path / "lines.txt"),
            "it starts other programs": integrators.asks_a_program,
            "in a process of its own it gives no result": integrators.asks(other),
            "its functions are from <string>": eval(
                "lambda p, Q, Omega, h, t: (Q, Omega) if h > 9 else (Q, 1 * Omega)"
            ),
        }
        looks = {why: noted(step) for why, step in alone.items()}
        assert not noted(integrators.Logs(file)).left_alone  # which it does not write to
        assert not table.any() and not (tmp_path / "lines.txt").exists()
        one.setblocking(False)
        with pytest.raises(BlockingIOError):  # nothing was asked
            one.recv(1)
    for why, look in looks.items():
        assert look.left_alone.startswith(why) and not look.witnesses and not look.not_taken
        look.advance = advance_of(verlet)  # without more of what it writes
        assert f"Branches of its own text were not looked for: {why}" in " ".join(oddities(look, {}))


def test_what_ends_the_process_costs_only_the_look():
    look = noted(integrators.crashes_when_large)
    assert look.left_alone == "ended without an answer, as in a crash" and not look.witnesses


@pytest.mark.parametrize(
    "step", [integrators.exits_when_large, integrators.refuses_large, integrators.hangs_when_large]
)
def test_steps_that_fail_cost_no_more_than_themselves(step):
    look = Look(step)
    look.character = character_of(look)
    found = branches_of(look, step)
    assert found.left_alone in ("", "there was no time for all of them") and not found.witnesses


TEXT = """
def noted(x):
    if 0:
        return list(map(lambda y: y + 1, x))
    return x

def step(x):
    return 1 if x > 0 else 2

first, second = lambda x: x > 1, lambda x: x > 2

def never(x):
    raise SystemExit
"""


@pytest.fixture
def stepping(tmp_path, monkeypatch):
    """A module, whose file may be changed."""
    file = tmp_path / "stepping.py"
    file.write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "stepping", raising=False)
    import stepping

    return stepping


def test_a_file_that_has_changed_is_not_read(stepping):
    assert Texts(Recorder()).rewritten(stepping.step.__code__).co_name == "step"
    with open(stepping.__file__, "w") as file:
        file.write(TEXT.replace("x > 0", "x > 3"))
    linecache.checkcache(stepping.__file__)
    with pytest.raises(Unreadable, match="as it was compiled"):
        Texts(Recorder()).rewritten(stepping.step.__code__)


def test_a_function_is_never_taken_for_another(stepping):
    texts = Texts(Recorder())
    for function in (stepping.noted, stepping.step, stepping.never):  # behind code that the compiler drops
        assert texts.rewritten(function.__code__).co_qualname == function.__qualname__
    with pytest.raises(Unreadable, match="more than once"):  # lambdas of one line
        texts.rewritten(stepping.first.__code__)


def test_packages_that_all_use_are_nobodys_own():
    assert package_of(ph.certify) == package_of(np.linalg.norm) == package_of(copy.copy) == ""
    assert package_of(verlet).endswith("tests/")


@pytest.mark.parametrize(
    "step", [rare.turned_and_tilted, rare.Window(), rare.nearly_steady_and_late, rare.harmless_branches]
)
def test_states_are_found_that_take_what_the_battery_does_not(step):
    look = noted(step)
    assert not any("lie_euler" in words or "t > 20" in words for words in look.not_taken)
    assert step is rare.nearly_steady_and_late or look.witnesses["free"]  # that is known by random states
    for case, states in look.witnesses.items():
        for state in states:
            assert len(state.radians) == 1 and state.is_surveyed and "in line" in state.words and state.case == case


def test_the_states_that_are_found_take_the_branch():
    step = rare.Window()
    is_there = lambda state: step.is_open(state.problem.Q0)
    for states in noted(step).witnesses.values():
        assert any(is_there(state) for state in states)


def test_the_states_that_are_found_are_deep_in_the_branch():
    look = noted(rare.held_spin)
    for state in look.witnesses["free"]:
        p = state.problem
        about = np.abs(p.axes.T @ p.Omega0)
        assert 1e-4 < np.linalg.norm(np.sort(about)[:2]) / about.max() < 0.02  # about an axis itself it is right
    assert ph.certify(rare.held_spin, drift=False)["order_free_Q"].value == 0


def test_states_on_both_sides_of_an_edge_are_found():
    step = rare.one_of_two
    look = noted(step)
    assert set(look.edges) == {"free", "potential", "forced"}
    for state in look.edges["forced"]:
        w = state.problem.Omega0
        assert rare.DIRECTION @ w / np.linalg.norm(w) == pytest.approx(0.99, abs=2e-3) and "the edge of" in state.words
    found = visited(look, BY_KEY["symmetric"])
    assert set(look.edges["forced"]) <= set(found) and any("for a free body at the edge" in s.words for s in found)
    assert not any("edge" in state.words for state in visited(look, BY_KEY["symplectic_free"]))


def test_what_is_symmetric_on_both_sides_of_an_edge_is_not_across():
    step = rare.one_of_two
    look = noted(step)
    edges = look.edges["forced"]
    defects = [symmetry(look.run, state.problem, state.step(x)) for state in edges for x in state.radians]
    assert max(defects) > 1e-4 and min(defects) < 1e-14  # half of the steps cross it
    assert ph.certify(step, drift=False)["symmetric"].verdict == "no"
    assert ph.certify(rare.harmless_branches, drift=False)["symmetric"].verdict == "yes"


def test_what_no_state_takes_is_told():
    def step(p, Q, Omega, h, t):
        return lie_euler(p, Q, Omega, h, t) if np.real(Omega) @ np.real(Omega) > 1e9 else verlet(p, Q, Omega, h, t)

    look = noted(step)
    assert any("1000000000.0" in words and words.endswith("is true") for words in look.not_taken)
    assert "no state was found that leads there" in " ".join(oddities(look, {}))


@pytest.mark.parametrize("step", [integrators.passes_by, integrators.breaks_off, integrators.catches])
def test_what_only_passes_or_is_caught_is_a_branch(step):
    look = noted(step)
    assert any("0.3 <" in state.words for state in look.witnesses["free"])
    assert step is not integrators.catches or ph.certify(step, drift=False)["symmetric"].verdict == "no"


def test_a_torque_without_a_value_is_no_state():
    look = noted(integrators.by_its_angle)
    assert not look.left_alone and look.edges["potential"]
    assert all(np.isfinite(s.problem.torque(s.problem.t0, s.problem.Q0)).all() for s in look.edges["potential"])


def test_a_free_body_at_rest_stays_there_or_is_told_of():
    def divides(p, Q, Omega, h, t):
        axis = Omega / np.sqrt(Omega @ Omega)
        return verlet(p, Q, axis * np.sqrt(Omega @ Omega), h, t)

    def moves(p, Q, Omega, h, t):
        return verlet(p, Q, Omega + 1e-6, h, t)

    for step, words in ((divides, "stops it"), (moves, "does not stay there"), (verlet, "")):
        told_of = does_not_rest(Look(step))
        assert words in told_of if words else told_of == ""
