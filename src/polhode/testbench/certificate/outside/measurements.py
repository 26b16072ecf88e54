"""The certificate of an integrator seen from outside: a plain function, or a simulator that can only be run.

There is one precision, so a verdict comes from states and steps: a property that holds leaves a defect at round-off at
every state of the battery and for every step; one defect that is a method's own is a "no", wherever it is found. What
cannot be measured is undecided, and says why. Every measurement has its own guard and its own time.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import DoesNotRun, users_line
from polhode.integrators.lookup import name_of
from polhode.integrators.method import BlackBox
from polhode.integrators.properties import BY_KEY, ORDER, Row, groups
from polhode.physics.problem import Problem
from polhode.testbench.certificate.branches.witnesses import note_branches
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.diagnosis.clues import clues_of
from polhode.testbench.certificate.diagnosis.kin import Kin, kin_of
from polhode.testbench.certificate.diagnosis.mistakes import READINGS, diagnosis
from polhode.testbench.certificate.diagnosis.oddities import oddities
from polhode.testbench.certificate.orders.elsewhere import suspects_of
from polhode.testbench.certificate.orders.from_outside import orders
from polhode.testbench.certificate.outside.cost import largest_step, torques
from polhode.testbench.certificate.outside.doubts import does_not_converge, doubted, falls, of_a_tolerance
from polhode.testbench.certificate.running.guard import NO_RETURN, OwnTime, Refused, guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import SECONDS
from polhode.testbench.certificate.running.questions import changed_since, character_of
from polhode.testbench.certificate.running.timed import cost_of
from polhode.testbench.certificate.special_cases import consistent
from polhode.testbench.certificate.states.cases import Run, damped, free, placed, potential
from polhode.testbench.certificate.structure.defects import BY_DERIVATIVES, DIRECT
from polhode.testbench.certificate.structure.yes_or_no import by_derivatives, direct

CHOOSES = "It chooses its own steps: what is measured here is its tolerance, not a property of the method."
GIVEN_STEPS = ("largest step",)  # measures without meaning for one that chooses its own steps
FIRST_SECONDS = 20.0  # that all its first steps have together, one of which may compile it, however few are given
PATIENT_SECONDS = (20.0, 5.0, 2.0)  # after which a measurement is ended, if none was before, if one was, if two were
PATIENT_WITH_SLOW = (20.0, 20.0, 5.0)  # the same of an integrator whose steps are counted: it may only be slow
LEAST_SECONDS = 1.0  # that it has where less than the usual seconds are given
FIRST_STEPS = (0.0625, 0.0625, 0.01)  # that an integrator is tried with: a first call may fail for reasons of its own
PART_FOR_SUSPECTS = 0.05  # of the seconds, for a brief look at all states where there is no time for a longer one


def measured(
    method: BlackBox | Callable[..., Any], tick: Callable[[str], None] = lambda key: None, look: Look | None = None
) -> tuple[dict[str, Property], tuple[str, ...]]:
    """Every property that can be measured from outside, and what the failures point to."""
    look = look or Look(method)
    check_first_step(look.advance, name_of(method))
    ended, found, notes = _prepared(look, method), dict[str, Property](), dict[str, str]()
    measurements = _measurements(look)
    for k, rows in enumerate(measurements):
        first = rows[0]
        name = first.group or first.key
        tick(name)
        look.pace.begin(first, [others[0] for others in measurements[k + 1 :]])
        seconds = look.pace.patience(_usual_patience(look, ended))
        values, why = guarded(partial(MEASURES[first.measure], look, first), seconds)
        if not why:
            look.pace.end()
        else:
            ended += NO_RETURN in why
            missing = look.pace.missing(first, seconds) if NO_RETURN in why else ""
            how = f"{first.how_outside or first.how or first.title}: it {why}{missing}"
            values = [Property(None, None, "undecided", how)] * len(rows), "fails"
        values, notes[name] = values
        found |= zip((row.key for row in rows), values)
        if first.kind == ORDER:
            look.orders += [p.value for p in values if p.value is not None]
    look.changed = guarded(lambda: changed_since(look), _patience(look, ended))[0] or 0.0
    found = doubted(look, found, notes)
    own_steps = "own steps" in notes.values() and not any(falls(BY_KEY[key], p) for key, p in found.items())
    if own_steps or look.tolerance is not None:
        return {key: of_a_tolerance(BY_KEY[key], p) for key, p in found.items()}, (CHOOSES,)
    found = {key: does_not_converge(look, BY_KEY[key], p) for key, p in found.items()}
    if look.character.floor > 1:  # what does not fall with h is then its arithmetic
        notes = {name: "" if note in ("stays", "stalls") else note for name, note in notes.items()}
    found = consistent(found)
    clues, _ = guarded(lambda: clues_of(look.run), _patience(look, ended))
    kin, _ = guarded(lambda: kin_of(look.run), _patience(look, ended))
    return found, diagnosis_of(look, found, notes | (clues or {}), kin)


def _prepared(look: Look, method: BlackBox | Callable[..., Any]) -> int:
    """Learn what kind of integrator it is, and what a step takes; returns how many of these looks did not return."""
    look.character = character_of(look, _patience(look, 0))
    ended = int(any(NO_RETURN in why for _, why in look.character.unknown))
    cost, why = guarded(lambda: cost_of(look), _patience(look, ended))
    look.pace.cost, ended = cost or look.pace.cost, ended + (NO_RETURN in why)
    note_branches(look, method, _patience(look, ended))
    if look.pace.is_counted:
        by_differences, why = guarded(lambda: look.derivatives.are_differences, _patience(look, ended))
        look.pace.by_differences, ended = by_differences is True, ended + (NO_RETURN in why)
        for case in ("free", "forced"):
            suspects, why = guarded(partial(suspects_of, look, case, PART_FOR_SUSPECTS), _patience(look, ended))
            look.suspects, ended = look.suspects | (suspects or set()), ended + (NO_RETURN in why)
    return ended


def _patience(look: Look, ended: int) -> float:
    """Seconds after which a look is ended, after so many that were: more where more than the usual ones are given."""
    return _usual_patience(look, ended) * look.pace.generosity


def _usual_patience(look: Look, ended: int) -> float:
    """The same where no more are given: a step that never returned may do so again."""
    seconds = (PATIENT_WITH_SLOW if look.pace.is_counted else PATIENT_SECONDS)[min(ended, 2)]
    return max(seconds * min(look.pace.seconds / SECONDS, 1.0), LEAST_SECONDS)


def _measurements(look: Look) -> list[tuple[Row, ...]]:
    """The rows of the table of properties that are measured, those of one measurement together."""
    with_velocity = takes_velocity(look)
    return [
        rows
        for rows in groups()
        if rows[0].measure in MEASURES
        and not (look.tolerance is not None and rows[0].measure in GIVEN_STEPS)
        and (with_velocity or not rows[0].needs_velocity)
    ]


def diagnosis_of(look: Look, found: dict[str, Property], notes: dict[str, str], kin: Kin | None) -> tuple[str, ...]:
    """The diagnosis: what is odd about it, where it is wrong, what the failures point to, and where it has lost what
    its kin has. What is wrong elsewhere alone is no sign of a mistake in the equations."""
    found = {key: p for key, p in found.items() if not (BY_KEY[key].kind == ORDER and Mark.LOWER_ELSEWHERE in p.marks)}
    notes = notes | {"memory": "yes" if look.character.memory else ""}
    if look.changed or look.stopped:
        return tuple(oddities(look, found))  # what was measured before and after is not of one integrator
    if kin is None:
        return (*oddities(look, found), *diagnosis(found, notes))
    look.kin = kin.words
    if kin.is_same and (look.differs or look.switches):
        where = "at a generic state" if look.differs else "with steps that are not large"
        look.kin = f"{kin.words.rstrip('.')}, {where}."
    if kin.is_same or (kin.shares_all and look.character.memory):
        if not _has_lost(kin, found):
            return tuple(oddities(look, found))
        if kin.is_same and not look.differs and not look.switches:
            look.kin = f"{kin.words.rstrip('.')}, in a single step at a generic state; what it has is less."
        return (*oddities(look, found), *diagnosis(found, notes))
    if kin.near or kin.first_step_alone:
        return (*oddities(look, found), *diagnosis(found, notes))
    lost = [
        key for key, claimed in kin.claims.items() if claimed is True and key in found and found[key].verdict == "no"
    ]
    is_known = any(notes.get(clue) in READINGS for clue in ("rate", "turn"))  # a mistake that explains the rest
    is_wrong_when_free = any(case == "free" for case, _ in look.differs)  # then the torque is not to blame
    is_meant = kin.was_meant(lost) and not is_known and not is_wrong_when_free
    return (*oddities(look, found), *diagnosis(found, notes), *([kin.words] if is_meant else []))


def _has_lost(kin: Kin, found: dict[str, Property]) -> bool:
    """Whether it has not what its kin claims."""
    return any(
        found[key].verdict == "no" if claimed is True else found[key].down_to is not None
        for key, claimed in kin.claims.items()
        if key in found and (claimed is True or BY_KEY[key].kind == ORDER)
    )


def check_first_step(run: Run, name: str) -> None:
    """A first step, so that an integrator that does not run gets a sentence: one that runs nowhere, neither under a
    torque nor free, nor with a smaller step."""
    from polhode.testbench.certificate.diagnosis.mistakes import taught

    failures, own = [], OwnTime()
    for p, h in ((p, h) for p in (potential(), free()) for h in FIRST_STEPS):
        first = partial(_with_its_line, partial(_first_step, run, placed(p), h))
        result, why = guarded(first, max(FIRST_SECONDS - own.seconds, LEAST_SECONDS))
        if not why:
            break
        failures.append(why.removeprefix("raised "))
        if NO_RETURN in why or own.seconds > FIRST_SECONDS:
            break
    if why:
        raise DoesNotRun(f"{name} failed in its first step: {failures[0]}.{taught(failures[0])}")
    Q, Omega = result
    if Q.shape != (3, 3) or Omega.shape != (3,):
        hint = " A quaternion? Rotation.from_quat(q).as_matrix() is its matrix." if Q.shape == (4,) else ""
        raise DoesNotRun(
            f"{name} returned shapes {Q.shape} and {Omega.shape}; it must return Q (3, 3) and Omega (3,).{hint}"
        )


def _with_its_line(step: Callable[[], Any]) -> Any:
    """What a step gives; of what it raises the line, too, as far as it is the user's."""
    try:
        return step()
    except Refused:
        raise
    except (Exception, SystemExit) as error:  # an integrator may fail in any way it likes
        raise Refused(f"raised {type(error).__name__}: {error}".rstrip(": .") + users_line(error)) from error


def _first_step(run: Run, p: Problem, h: float) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        state = [np.asarray(x) for x in run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, 0.0)]
    for name, x in zip(("Q1", "Omega1"), state):
        if np.iscomplexobj(x) and np.abs(x.imag).max() > 0:
            raise Refused(f"returned complex numbers for real ones, in {name}")
        if not np.isfinite(x).all():
            raise Refused(f"returned numbers that are not finite, in {name}")
    return state


class Asked(Problem):
    """A problem that notes if its torque is asked for without the velocity on which it depends, and raises nothing: an
    integrator may not survive an exception, as a generator does not."""

    is_without_velocity: bool

    def __init__(self, problem: Problem) -> None:
        vars(self).update(vars(problem), is_without_velocity=False)

    def torque(self, t: float, Q: ArrayLike, Omega: ArrayLike | None = None) -> np.ndarray:
        """The torque, at the velocity of the start if none is given."""
        if Omega is None:
            vars(self)["is_without_velocity"] = True
        return super().torque(t, Q, self.Omega0 if Omega is None else Omega)


def takes_velocity(look: Look) -> bool:
    """Whether it asks for the torque at a velocity. One that hands the problem on to a run of ours, which takes
    the torque that was given alone, is asked with the problem itself, which raises an InputError."""
    asked = Asked(damped())
    for p in (asked, damped()):
        first = partial(_first_step, look.advance, p, FIRST_STEPS[0])
        why = guarded(first, PATIENT_WITH_SLOW[-1])[1]
        if asked.is_without_velocity:
            return False
        if "InputError" not in why:
            return True
    return False


MEASURES = {
    "order": orders,
    **dict.fromkeys(DIRECT, direct),
    **dict.fromkeys(BY_DERIVATIVES, by_derivatives),
    "torque evaluations": torques,
    "largest step": largest_step,
}
"""By the measure of a row of the table of properties: a function (look, row) that returns a Property for each row of
its group, and the note that goes to the diagnosis."""
