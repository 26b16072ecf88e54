"""Steps by rtol and atol, for any torque: the pair of Dormand and Prince on the group, as a run takes it."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from polhode.errors import InputError, RunError
from polhode.inputs import checked_call, number, positive
from polhode.integrators.embedded import FIRST_ERROR, PAIR, dormand_prince_pair
from polhode.integrators.method import BlackBox
from polhode.kernels.adapting import turning
from polhode.physics.problem import Problem
from polhode.runs.own_steps.paced_runner import PacedRunner, check_free_of_times
from polhode.runs.runners.kernel_runner import KernelRunner, Start

NAME = PAIR.name
RTOL, FINEST_RTOL = 1e-6, 1e-13
"""The tolerance, if none is given, and the smallest: below it rounding decides what is accepted."""

FEWEST_STEPS = 16
"""No step is longer than this part of the interval, so that the steps of a body at rest do not miss what comes."""


@dataclass(frozen=True)
class Embedded(BlackBox):
    """Munthe-Kaas with the pair of Dormand and Prince, 5(4): it chooses its own steps, for any torque.

    Idea. Write Q = Q0 exp(Psi) and let p be the momentum in the axes of Q0: an equation in a vector space, which any
    tableau integrates (see RKMK4). From the seven stages of Dormand & Prince (1980) two sets of weights make a step of
    order 5, which is taken, and one of order 4, which is compared with it:

        Psi = h sum b_i K_i,   Psi^ = h sum b^_i K_i        p = Pi0 + h sum b_i M_i,   p^ likewise

    The last stage is the first of the next step: six torques a step. The two ends are compared on the group itself: the
    angle of Q1^T Q1^ = exp(-Psi) exp(Psi^), and Omega1^ - Omega1. So the error depends on no axes and no chart,

        err^2 = (angle/(rtol + atol))^2 + (|Omega1^ - Omega1|/(rtol w + atol))^2

    where w is |Omega|, or what the acceleration makes of a body at rest in the time of a turn. A step with err <= 1 is
    taken; the next is h 0.9 err_before^0.04/err^0.17 (Hairer, Norsett & Wanner 1993, II.4: a controller that looks at
    two errors, proportional and integral), at most five times as long. Inside a step Psi and p are polynomials of
    degree 4 through the same stages (Shampine 1986), of order 4, and cost no torque: t_eval and events use them.

    What it keeps. The spatial momentum of a free body and the vertical one of a top, to round-off, as every
    Munthe-Kaas method does; nothing else. A step that is a function of the state is neither symmetric nor symplectic
    whatever it is made of, and the energy drifts, in proportion to the tolerance and to the time. For long runs of a
    conservative body take a symplectic method of fixed steps, or `adapt=`, whose steps follow the motion and stay
    reversible (Hairer & Soderlind 2005).

    For what. Torques that are no formula for TAYLOR (loops, decisions, tables, functions from C), that depend on the
    velocity or the time, that change fast here and slowly there, or that have kinks, where steps become short. For high
    accuracy with a smooth torque TAYLOR and GAUSS16 cost less.

    Pitfalls. The tolerance is of a step; the error at the end is what the motion makes of the sum: `accuracy=` finds
    the tolerance for an error, and checks it. A pulse shorter than a step may be stepped over: h is the most that a
    step may be. A jump of the torque costs a dozen rejected steps; where its times are known, `breaks` and a method of
    fixed steps are better.

    Certificate. `certify` takes it as something that can only be called: order and symmetry stay undecided, since its
    steps are its own. With fixed steps it is ph.munthe_kaas of the same tableau, whose order is 5.
    """

    sources: ClassVar[tuple[str, ...]] = PAIR.sources
    rtol: float = RTOL
    atol: float = 0.0


@checked_call
def rkmk54(rtol: float = RTOL, atol: float = 0.0) -> Embedded:
    """Munthe-Kaas with the pair of Dormand and Prince, with steps to a tolerance, for anything that takes a method.

    Parameters
    ----------
    rtol : float
        Error of a step: of the attitude in radians, of the velocity relative to its size.
    atol : float
        Added to both: radians, and the unit of the velocity.

    Returns
    -------
    Embedded
        For anything that takes a method.

    Examples
    --------
    >>> import polhode as ph
    >>> s = ph.solve("heavy-top", ph.rkmk54(rtol=1e-8), t_end=10)
    >>> s.success, bool(abs(s.energy_error).max() < 1e-5)
    (True, True)
    """
    rtol, atol = positive("rtol", rtol), number("atol", atol)
    if not FINEST_RTOL <= rtol <= 0.1:
        raise InputError(
            f"rtol is {rtol:g}; it must be between {FINEST_RTOL:g}, near the rounding of a float, and 0.1."
        )
    if atol < 0:
        raise InputError(f"atol is {atol:g}; it must not be negative.")
    tolerances = "" if (rtol, atol) == (RTOL, 0.0) else f"({rtol:.3g})" if atol == 0 else f"({rtol:.3g}, {atol:.3g})"
    title = "Munthe-Kaas, pair of Dormand and Prince, steps by tolerance"
    return Embedded(f"{NAME}{tolerances}", _Advanced(rtol, atol), title, rtol + atol, rtol, atol)


@dataclass(frozen=True)
class _Advanced:
    """The steps of a BlackBox: n times h from a state."""

    rtol: float
    atol: float

    def __call__(self, problem: Problem, Q: Any, Omega: Any, h: float, n: int, t: float) -> tuple[Any, ...]:
        method = rkmk54(self.rtol, self.atol)
        runner = EmbeddedRunner(problem, method, abs(h), t + n * h, None, (Q, Omega, t))
        out = np.empty((1024, 8))
        while runner.t != t + n * h:
            took, _, _, error, _ = runner.advance(t + n * h, len(out), out)
            if not took:
                raise RunError(runner.failure(0, error)) from runner.raised
        Q1, Omega1 = runner.in_users_axes(np.array([runner.row()]))
        return Q1[0], Omega1[0]


class EmbeddedRunner(PacedRunner):
    """Takes steps by tolerance."""

    def __init__(
        self,
        problem: Problem,
        method: Embedded,
        longest: float,
        t_end: float,
        compiled: bool | None,
        start: Start = (None, None, None),
    ) -> None:
        check_free_of_times(problem, "give h and a method of fixed steps, such as GAUSS8")
        one = KernelRunner(problem, PAIR, t_end - problem.t0, compiled, start=start, own_loop=False)
        super().__init__(one, method.name, t_end - one.t0)
        fast = turning(one.state[1], one.state[2], one.body)
        longest = min(longest, abs(t_end - one.t0) / FEWEST_STEPS)
        first = min(longest, 0.5 * (method.rtol + method.atol) ** 0.2 / fast) if fast > 0 else longest
        self._numbers = method.rtol, method.atol, longest
        self.clock = (one.t0, 0.0, math.copysign(first, t_end - one.t0), FIRST_ERROR)

    @property
    def pace(self) -> tuple[Any, ...]:
        """What controls the steps: the pair of formulas, and the tolerances with the longest step."""
        return *dormand_prince_pair(), self._numbers

    def machine(self, events: bool) -> tuple[Any, tuple[Any, ...]]:
        """The loop as machine code."""
        from polhode.machine import controlled_loop

        _, kind = self.one.machine_arguments()
        loop = controlled_loop(*dormand_prince_pair(), len(self.one.body[2]), kind, events)
        return loop, (0, np.array(self._numbers))

    def torques(self, steps: int, iterations: int) -> int:
        """Six a trial, taken or not, and one at the start."""
        return 1 + 6 * iterations

    def failure(self, k: int, error: float) -> str:
        """The sentence for step k, which failed."""
        if self.raised is not None or error == 0:
            self.one.raised, self.one.h = self.raised, self.clock[2]  # the step that it was about to take
            return self.one.failure(k, self.t, error)
        return (
            f"{self.name} found no step beyond t = {self.t:.9g} of {self.problem.name}, after {k} steps: however short "
            "it is, its error is above the tolerance. Near there the torque is not finite, or rounds by more than the "
            "tolerance."
        )
