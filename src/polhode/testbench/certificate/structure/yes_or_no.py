"""Yes or no from outside: the defects that a few steps show, and those of the Jacobian of a step."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from polhode.integrators.properties import Row
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Mark, Property
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.jacobian import BY_DIFFERENCES, NotAnalytic, momentum_scale
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.states.battery import RADIANS, State
from polhode.testbench.certificate.states.cases import Run
from polhode.testbench.certificate.structure.defects import BY_DERIVATIVES, DIRECT, MANY_STEPS, orthogonality, symmetry
from polhode.testbench.certificate.structure.over_states import over_states
from polhode.testbench.certificate.structure.visits import BRIEF_RADIANS, FEW_STEPS, FEWEST_STATES, SMALLEST_RADIANS

FINER_DIFFERENCES = (1e-4, 1e-5)
"""By which a derivative is computed again where it shows a defect: differences may reach over a kink, as between the
numbers of a table, or over a jump, as where a turn is so small that it is left out."""
SAME_PART = 0.01  # of a defect, by which one of finer differences differs that is the same


def direct(look: Look, row: Row) -> tuple[list[Property], str]:
    """A defect that a few steps show."""
    defect, floor, more = DIRECT[row.measure]
    if row.measure == "orthogonality":
        defect, more = _off_the_group(look, row)
    floor *= min(look.character.floor, 1e8)
    if row.measure == "symmetry" and look.character.forward_only:
        how = f"{row.how_outside or row.how}: a step of -h does not go back"
        return [Property(None, floor, "undecided", how)], ""

    def at(state: State, radians: float, n: int) -> float:
        if row.measure == "symmetry":
            return symmetry(look.run, state.problem, state.step(radians), n)
        run = look.run if n == 1 else lambda p, Q, Omega, h, k, t: look.run(p, Q, Omega, h, n * k, t)
        return defect(run, state.problem, state.step(radians))

    return over_states(look, row, at, floor, f"{row.how_outside or row.how}{more}")


def _off_the_group(look: Look, row: Row) -> tuple[Callable[..., float], str]:
    """How far from a rotation Q is after many steps at the generic state, where there is time for them; elsewhere after
    a few, times as many: what leaves the group a little with each step is seen as well."""
    generic = look.states(row.case)[0].problem
    all_steps = MANY_STEPS * len((*SMALLEST_RADIANS, *RADIANS)) + FEW_STEPS * len(BRIEF_RADIANS) * (FEWEST_STATES - 1)
    at_generic = MANY_STEPS if look.pace.afford(all_steps) else FEW_STEPS

    def defect(run: Run, p: Problem, h: float) -> float:
        steps = at_generic if p is generic else FEW_STEPS
        return MANY_STEPS / steps * orthogonality(run, p, h, steps)

    elsewhere = f", elsewhere after {FEW_STEPS}, for as many" if at_generic > FEW_STEPS else f", for {MANY_STEPS}"
    return defect, f" after {at_generic} steps{elsewhere}"


def by_derivatives(look: Look, row: Row) -> tuple[list[Property], str]:
    """A defect of the Jacobian of a step; by differences where the complex step is seen to be wrong on the way."""
    try:
        return _by_derivatives(look, row)
    except NotAnalytic:
        look.trust_differences_alone()
        return _by_derivatives(look, row)


def _by_derivatives(look: Look, row: Row) -> tuple[list[Property], str]:
    _, floor, way, are_differences = look.derivatives
    if look.character.jump and not look.character.single:
        how = f"{row.how_outside or row.how}: it moves in jumps of {look.character.jump:.0e}, and has no derivative"
        return [Property(None, floor, "undecided", how)], "jumps"
    if look.character.floor > 1:  # differences of noisy numbers
        floor = max(floor, look.character.floor * 1e-13 / 2e-3)
    compared: set[State] = set()

    def defect(state: State, radians: float, n: int, D: np.ndarray, Pi1: np.ndarray) -> float:
        p, h = state.problem, state.step(radians)
        before, after = p.internal.momentum(np.array([p.t0, p.t0 + n * h]))
        Pi0 = p.tensor @ p.Omega0 + before
        return BY_DERIVATIVES[row.measure](D, Pi0, Pi1 + after, momentum_scale(p, h), n * h)

    def at(state: State, radians: float, n: int) -> float:
        by = lambda **options: defect(state, radians, n, *look.jacobian(state, radians, n, **options))
        try:
            found = by()
        except Refused:
            if not are_differences:
                BY_DIFFERENCES.jacobian(look.run, state.problem, state.step(radians), n)  # may be refused as well
                raise NotAnalytic from None
            raise
        if are_differences:
            for d in FINER_DIFFERENCES if look.character.floor == 1 else ():
                before, finer = found, by(d=d) if found > floor else found
                found = min(found, finer)  # what finer ones do not show is theirs
                if abs(finer - before) <= SAME_PART * before:
                    break
            return found
        if found > 10 * floor and state not in compared and look.character.floor == 1:
            compared.add(state)
            jacobian = BY_DIFFERENCES.jacobian(look.run, state.problem, state.step(radians), n)
            if defect(state, radians, n, *jacobian) < found / 4:  # that of an iteration which ends by its real part
                raise NotAnalytic
        return found

    (found,), note = over_states(look, row, at, floor, f"{row.how_outside or row.how}, {way}")
    marks = found.marks | {Mark.BY_DIFFERENCES} if are_differences else found.marks
    return [replace(found, marks=marks)], note
