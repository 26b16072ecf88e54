"""States that take the branches which no state of the battery takes, and the branches that none was found to take.

What an integrator does in a branch that is never taken was not measured, whatever it does elsewhere. Its own text says
where such branches are: rewritten so that it tells of its decisions it is run over the battery and the survey, and from
the states that come nearest to a branch another is looked for that takes it. That is done in a process of its own, of
which nothing but the states comes back. The integrator is then measured there, as anywhere else.
"""

import types
from typing import Any

from polhode.testbench.certificate.branches.belongings import MOST_THINGS, Owner, belongings, shares_memory
from polhode.testbench.certificate.branches.decisions import Recorder
from polhode.testbench.certificate.branches.in_place import Functions
from polhode.testbench.certificate.branches.seal import Seal
from polhode.testbench.certificate.branches.survey import MOST_PART, SEARCHED, Branches, Sought, Survey
from polhode.testbench.certificate.branches.telling_steps import STEPS_IN_TURN, run_of, sample_of
from polhode.testbench.certificate.branches.texts import Texts, Unreadable
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.in_a_child import Lost, in_a_child
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.states.battery import State

MOST_SECONDS_A_STEP = 2.5e-3  # of an integrator, beyond which there is no time for a search
MOST_NAMED = 3  # functions of which no text was to be had
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
    things = belongings(method, owner)
    functions = [x for x in things if type(x) is types.FunctionType]
    own = {x.__code__.co_filename for x in functions if owner.has(x)}
    if not own:
        nowhere = [x.__code__.co_filename for x in functions if x.__code__.co_filename.startswith("<")]
        return Branches(left_alone=f"its functions are from {nowhere[0]}, which is no file" if nowhere else "")
    if len(things) >= MOST_THINGS:
        raise Unreadable("too much belongs to it")
    if shares_memory(things):
        raise Unreadable("it has memory that other processes share")
    if any(type(x) is types.GeneratorType for x in things):
        raise Unreadable("it has a generator that is under way, whose text is read no more")
    if look.pace.cost.single > MOST_SECONDS_A_STEP * look.pace.generosity:
        raise Unreadable(f"a step takes {1e3 * look.pace.cost.single:.2g} ms, which is too long for that")
    for case in SEARCHED:
        states(case)  # made here, they are kept
    seconds = MOST_PART * look.pace.seconds + SECONDS_OF_ROOM
    return in_a_child(lambda: _in_the_child(look, method, owner, texts, own), seconds)


def _in_the_child(look: Look, method: Any, owner: Owner, texts: Texts, own: set[str]) -> Branches:
    """All that is done there; `own` are files that are known to be the integrator's."""
    run, functions, seal = run_of(look, method), Functions(owner, texts), Seal(owner)
    before = sample_of(run)
    if all(state is None for state in before.given):
        return Branches(left_alone=seal.broken or "in a process of its own it gives no result")
    functions.interpret()
    called = functions.called_by(lambda: sample_of(run))
    unread = functions.rewrite(own | {code.co_filename for code in called}) & called
    if texts.recorder.decisions:
        after = sample_of(run)
        if after.seconds > MOST_SECONDS_A_STEP * look.pace.generosity * STEPS_IN_TURN:
            return Branches(left_alone="where it is interpreted, a step takes too long for that")
        if not (look.character.memory or look.character.noise or after.agrees(before)):
            return Branches(left_alone=seal.broken or "where it is interpreted, it does something else")
        found = Survey(look, texts.recorder, run).branches()
    else:
        found = Branches()
    if seal.broken:
        return Branches(left_alone=seal.broken)
    if unread:
        names = ", ".join(sorted({code.co_name for code in unread})[:MOST_NAMED])
        found.left_alone = found.left_alone or f"of {names} the text is not as it was compiled"
    return found
