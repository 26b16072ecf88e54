"""States that take the branches which no state of the battery takes, and the branches that none was found to take.

What an integrator does in a branch that is never taken was not measured, whatever it does elsewhere. Its own text says
where such branches are: rewritten so that it tells of its decisions it is run over the battery and the survey, and from
the states that come nearest to a branch another is looked for that takes it. That is done in a process of its own, of
which nothing but the states comes back. The integrator is then measured there, as anywhere else.
"""

import types
from typing import Any

from polhode.testbench.certificate.branches.belongings import Owner, belongings, shared_outside
from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.in_place import files_of, interpret, rewrite
from polhode.testbench.certificate.branches.survey import MOST_PART, SEARCHED, Branches, Sought, Survey
from polhode.testbench.certificate.branches.telling_steps import STEPS_IN_TURN, run_of, sample_of
from polhode.testbench.certificate.branches.texts import Texts, Unreadable
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.in_a_child import Lost, in_a_child
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.states.battery import State

MOST_SECONDS_A_STEP = 2.5e-3  # of an integrator, beyond which there is no time for a search
SECONDS_OF_ROOM = 10.0  # for all that is no step


def note_branches(look: Look, method: Any, seconds: float) -> None:
    """Note in the look which branches there are."""
    found, why = guarded(lambda: branches_of(look, method), seconds)
    found = Branches(left_alone=why) if why else found
    look.not_taken, look.left_alone = found.not_taken, found.left_alone
    look.witnesses, look.edges = _by_case(found.witnesses), _by_case(found.edges)


def _by_case(found: list[Sought]) -> dict[str, tuple[State, ...]]:
    cases = dict.fromkeys(one.case for one in found)
    return {case: tuple(one.state for one in found if one.case == case) for case in cases}


def branches_of(look: Look, method: Any) -> Branches:
    """The branches of a user's integrator, as far as its text can be read."""
    try:
        return _branches_of(look, method)
    except (Lost, Unreadable) as why:
        return Branches(left_alone=str(why))


def _branches_of(look: Look, method: Any) -> Branches:
    texts = Texts(Recorder())
    owner = Owner(method, texts)
    things = list(belongings(method, owner))
    own = {x.__code__.co_filename for x in things if isinstance(x, types.FunctionType) and owner.has(x)}
    if not own:
        return Branches()
    if shared := shared_outside(things):
        raise Unreadable(shared)
    if any(isinstance(x, types.GeneratorType) for x in things):
        raise Unreadable("it has a generator that is under way, whose text is read no more")
    if look.pace.cost.single > MOST_SECONDS_A_STEP * look.pace.generosity:
        raise Unreadable(f"a step takes {1e3 * look.pace.cost.single:.2g} ms, which is too long for that")
    for case in SEARCHED:
        states(case)  # made here, they are kept
    seconds = MOST_PART * look.pace.seconds + SECONDS_OF_ROOM
    return in_a_child(lambda: _in_the_child(look, method, owner, texts, own), seconds)


def _in_the_child(look: Look, method: Any, owner: Owner, texts: Texts, own: set[str]) -> Branches:
    """All that is done there; `own` are files that are known to be the integrator's."""
    run = run_of(look, method)
    before = sample_of(run)
    interpret(owner)
    rewritten = rewrite(own | files_of(lambda: sample_of(run), owner), owner, texts)
    if not rewritten or not texts.recorder.decisions:
        return Branches()
    after = sample_of(run)
    if after.seconds > MOST_SECONDS_A_STEP * look.pace.generosity * STEPS_IN_TURN:
        return Branches(left_alone="where it is interpreted, a step takes too long for that")
    if not (look.character.memory or look.character.noise or after.agrees(before)):
        return Branches(left_alone="where it is interpreted, it does something else")
    return Survey(look, texts.recorder, run).branches()
