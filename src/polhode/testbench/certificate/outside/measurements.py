"""The certificate of an integrator seen from outside: a plain function, or a simulator that can only be run.

There is one precision, so a verdict comes from states and steps: a property that holds leaves a defect at round-off at
every state of the battery and for every step; one defect that is a method's own is a "no", wherever it is found. What
cannot be measured is undecided, and says why. Every measurement has its own guard and its own time.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import DoesNotRun, users_line
from polhode.integrators.lookup import name_of
from polhode.integrators.method import BlackBox
from polhode.integrators.properties import BY_KEY, ORDER, YES_OR_NO, Row, groups
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.diagnosis.clues import clues_of
from polhode.testbench.certificate.diagnosis.kin import Kin, kin_of
from polhode.testbench.certificate.diagnosis.mistakes import READINGS, diagnosis
from polhode.testbench.certificate.diagnosis.oddities import oddities
from polhode.testbench.certificate.orders.elsewhere import suspects_of
from polhode.testbench.certificate.orders.from_outside import orders
from polhode.testbench.certificate.outside.cost import largest_step, torques
from polhode.testbench.certificate.running.guard import NO_RETURN, OwnTime, Refused, guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import SECONDS
from polhode.testbench.certificate.running.questions import changed_since, character_of
from polhode.testbench.certificate.running.timed import cost_of
from polhode.testbench.certificate.special_cases import consistent
from polhode.testbench.certificate.states.battery import AT_RANDOM
from polhode.testbench.certificate.states.cases import Run, damped, free, placed, potential
from polhode.testbench.certificate.structure.defects import BY_DERIVATIVES, DIRECT
from polhode.testbench.certificate.structure.tiny_steps import WITH_TINY_STEPS
from polhode.testbench.certificate.structure.yes_or_no import by_derivatives, direct

CHOOSES = "It chooses its own steps: what is measured here is its tolerance, not a property of the method."
WHATEVER_THE_STEPS = ("orthogonality", "torque evaluations")  # measures that no tolerance makes true
WHATEVER_IT_IS = ("torque evaluations", "iterations", "largest step")  # measures that no noise or memory makes another
GIVEN_STEPS = ("largest step",)  # measures without meaning for one that chooses its own steps
FIRST_SECONDS = 20.0  # that all its first steps have together, one of which may compile it, however few are given
PATIENT_SECONDS = (20.0, 5.0, 2.0)  # after which a measurement is ended, if none was before, if one was, if two were
PATIENT_WITH_SLOW = (20.0, 20.0, 5.0)  # the same of an integrator whose steps are counted: it may only be slow
LEAST_SECONDS = 1.0  # that it has where less than the usual seconds are given
FIRST_STEPS = (0.0625, 0.0625, 0.01)  # that an integrator is tried with: a first call may fail for reasons of its own
PART_FOR_SUSPECTS = 0.05  # of the seconds, for a brief look at all states where there is no time for a longer one
STAYS = 1e-5  # error that neither a tolerance nor a constant with few digits leaves


def measured(
    method: BlackBox | Callable[..., Any], tick: Callable[[str], None] = lambda key: None, look: Look | None = None
) -> tuple[dict[str, Property], tuple[str, ...]]:
    """Every property that can be measured from outside, and what the failures point to."""
    look = look or Look(method)
    check_first_step(look.advance, name_of(method))
    ended, found, notes = _prepared(look), dict[str, Property](), dict[str, str]()
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
    is_double = look.character.floor == 1
    stays = is_double and any(notes.get(key) == "stays" and p.verdict == "no" for key, p in found.items())
    found = {key: doubted(look, found, key, p, stays) for key, p in found.items()}
    own_steps = "own steps" in notes.values() and not any(_falls(BY_KEY[key], p) for key, p in found.items())
    if own_steps or look.tolerance is not None:
        return {key: _of_a_tolerance(BY_KEY[key], p) for key, p in found.items()}, (CHOOSES,)
    found = {key: _does_not_converge(look, BY_KEY[key], p) for key, p in found.items()}
    if look.character.floor > 1:  # what does not fall with h is then its arithmetic
        notes = {name: "" if note in ("stays", "stalls") else note for name, note in notes.items()}
    found = consistent(found)
    clues, _ = guarded(lambda: clues_of(look.run), _patience(look, ended))
    kin, _ = guarded(lambda: kin_of(look.run), _patience(look, ended))
    return found, diagnosis_of(look, found, notes | (clues or {}), kin)


def _prepared(look: Look) -> int:
    """Learn what kind of integrator it is, and what a step takes; returns how many of these looks did not return."""
    look.character = character_of(look, _patience(look, 0))
    ended = int(any(NO_RETURN in why for _, why in look.character.unknown))
    cost, why = guarded(lambda: cost_of(look), _patience(look, ended))
    look.pace.cost, ended = cost or look.pace.cost, ended + (NO_RETURN in why)
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
    is_meant = kin.was_meant(lost) and not is_known
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
        return [np.asarray(x) for x in run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, 0.0)]


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


def doubted(look: Look, found: dict[str, Property], key: str, p: Property, stays: bool) -> Property:
    """A yes of which large steps were left out, as those of a solver at its limit, is none where the integrator is
    known to be wrong elsewhere: they may be the reason. Nor is any where it is wrong at a state like any other, where
    it is no longer what it was, or by differences where they are too coarse for the defect that others show."""
    if (look.changed or look.stopped) and p.verdict == "yes":
        what = "it has changed while it was measured" if look.changed else f"at the end it {look.stopped}"
        why = f"{p.how}; but {what}"
        return replace(p, verdict="undecided", how=why)
    if (p := of_known_kind(look, key, p)).verdict == "undecided":
        return p
    high = any(Mark.ROUND_OFF_ALONE in other.marks for other in found.values())
    if p.verdict == "yes" and BY_KEY[key].kind == YES_OR_NO and BY_KEY[key].measure not in WHATEVER_THE_STEPS and high:
        return replace(p, verdict="undecided", how=f"{p.how}, as for any method of high order")
    wrong = [words for case, words in look.differs if case == "free" or BY_KEY[key].case != "free"]
    somewhere = next((words for words in wrong if words.startswith(AT_RANDOM)), "")
    if p.verdict == "yes" and BY_KEY[key].kind == YES_OR_NO and somewhere:
        why = f"{p.how}; but it is wrong {somewhere}, and where else is not known"
        return replace(p, verdict="undecided", how=why)
    if p.verdict == "yes" and Mark.BY_DIFFERENCES in p.marks and (stays or WITH_TINY_STEPS in look.odd_words):
        why = f"{p.how}; but other properties have small defects, which differences do not show"
        return replace(p, verdict="undecided", how=why)
    is_of_steps = BY_KEY[key].kind == YES_OR_NO and BY_KEY[key].measure not in WHATEVER_THE_STEPS
    if p.verdict == "yes" and is_of_steps and look.switches:
        why = f"{p.how}; but it is another formula {look.switches}"
        return replace(p, verdict="undecided", how=why)
    if p.verdict != "yes" or key not in look.ended or not wrong:
        return p
    why = f"{p.how}; but it was not seen {look.ended[key]}, and it is wrong elsewhere"
    return replace(p, verdict="undecided", how=why)


def of_known_kind(look: Look, key: str, p: Property) -> Property:
    """A verdict is none where it is not known what kind of integrator it is of: with noise, memory or single precision
    the same numbers say something else."""
    if not look.character.missing or p.verdict == "undecided" or BY_KEY[key].measure in WHATEVER_IT_IS:
        return p
    return replace(p, verdict="undecided", how=f"{p.how}; but {look.character.missing}")


def _falls(row: Row, p: Property) -> bool:
    """Whether it is an error that falls with h as that of fixed steps does."""
    return row.kind == ORDER and p.verdict == "yes" and p.value is not None and bool(np.isfinite(p.value))


def _does_not_converge(look: Look, row: Row, p: Property) -> Property:
    """An order of which the error stays, by far more than a tolerance or a constant with few digits would leave, where
    it is not that of steps of its own."""
    if row.kind != ORDER or p.verdict != "undecided" or p.value != 0.0:
        return p
    stays = np.nanmin(look.convergence[row.case]["errors"]) > STAYS
    return replace(p, verdict="no") if stays else p


def _of_a_tolerance(row: Row, p: Property) -> Property:
    """What a tolerance makes true to round-off is no property of the method."""
    if row.kind == ORDER and p.verdict != "undecided":
        return Property(None, p.threshold, "undecided", f"{p.how}: it chooses its own steps")
    if p.verdict == "yes" and row.measure not in WHATEVER_THE_STEPS:
        return Property(p.value, p.threshold, "undecided", f"{p.how}, but by its tolerance")
    return p


MEASURES = {
    "order": orders,
    **dict.fromkeys(DIRECT, direct),
    **dict.fromkeys(BY_DERIVATIVES, by_derivatives),
    "torque evaluations": torques,
    "largest step": largest_step,
}
"""By the measure of a row of the table of properties: a function (look, row) that returns a Property for each row of
its group, and the note that goes to the diagnosis."""
