"""What a step costs, from outside: calls of the torque, and the largest step that runs."""

import numpy as np
from numpy.typing import ArrayLike

from polhode.integrators.properties import Row
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import would_decide
from polhode.testbench.certificate.states.cases import CASES, Run, placed

MANY_STEPS, SOME_STEPS = 50, 10  # steps that must succeed; where there is no time for so many
MOST_SECONDS = 3.6  # seconds of computing, after which no larger step is tried
LADDER = range(-8, 9)  # powers of the square root of two: the step sizes


def torques(look: Look, row: Row) -> tuple[list[Property], str]:
    """Evaluations of the torque a step."""
    return [counted(look.run, placed(CASES[row.case]()))], ""


class Counted(Problem):
    """A problem that notes when its torque is asked for."""

    calls: list[float]

    def __init__(self, problem: Problem) -> None:
        vars(self).update(vars(problem), calls=[])

    def torque(self, t: float, Q: ArrayLike, Omega: ArrayLike | None = None) -> np.ndarray:
        """The torque, and a note of the time."""
        self.calls.append(t)
        return super().torque(t, Q, Omega)


def counted(run: Run, p: Problem, steps: int = 16) -> Property:
    """The evaluations of the torque a step, as a property."""
    p = Counted(p)
    run(p, p.Q0.copy(), p.Omega0.copy(), 0.125, steps, 0.0)
    if not p.calls:
        return Property(None, None, "undecided", "problem.torque was never called")
    return Property(len(p.calls) / steps, None, "yes", f"calls of problem.torque counted in {steps} steps")


def largest_step(look: Look, row: Row) -> tuple[list[Property], str]:
    """The largest h = 2^(k/2) up to 16 with which so many steps succeed, going up until one fails."""
    p, largest = placed(CASES[row.case]()), 0.0
    steps = MANY_STEPS if look.pace.afford(MANY_STEPS * len(LADDER)) else SOME_STEPS
    how = f"{steps} steps, h growing by 2^(1/2) until one fails or Omega passes 1000"
    for k in LADDER:
        h = 2.0 ** (k / 2)
        is_late = not look.pace.is_counted and look.pace.spent > MOST_SECONDS * look.pace.generosity
        if is_late or not look.pace.afford(steps):
            missing = would_decide(look.pace.cost.usual * steps * (LADDER[-1] - k + 1))
            return [Property(largest, None, "undecided", f"{how}; it runs up to h = {largest:.3g}; {missing}")], ""
        try:
            _, Omega = look.run(p, p.Q0, p.Omega0, h, steps, 0.0)
        except Refused:
            break
        if not np.abs(Omega).max() < 1e3:
            break
        largest = h
    if not largest:
        return [
            Property(None, None, "undecided", f"{how}: none succeeds, from h = {2.0 ** (LADDER[0] / 2):.3g} on")
        ], ""
    return [Property(largest, None, "yes", how)], ""
