"""An integrator that is looked at from outside: how it is run, and what its measurements share.

What it returns is copied (a wrapped library may return the same arrays each time), and what it raises becomes a
sentence.
"""

import functools
import os
import re
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from polhode import physics
from polhode.errors import RunWarning, one_line
from polhode.inputs.returned import state_returned
from polhode.integrators.lookup import Integrator
from polhode.integrators.method import BlackBox, Method
from polhode.physics.problem import Problem
from polhode.runs.solve import solve
from polhode.testbench.certificate.running.character import DOUBLE, Character
from polhode.testbench.certificate.running.guard import Refused, TimeUp
from polhode.testbench.certificate.running.jacobian import BY_DIFFERENCES, Derivatives, derivatives
from polhode.testbench.certificate.running.pace import SECONDS, Pace
from polhode.testbench.certificate.running.returning import Returning
from polhode.testbench.certificate.states.battery import State, battery
from polhode.testbench.certificate.states.cases import CASES, Run

PHYSICS = os.path.dirname(physics.__file__)
NO_TORQUE = "asked for a torque where there is none (at Q = I, or a Q that is no rotation)"
STEP_SECONDS, PATIENT_STEPS = 3.0, 40  # that a step has, and times what it is known to take
COMPILED_SECONDS = 60.0  # that one of a kernel has, which may be compiled first

Place: TypeAlias = tuple[str, str]
"""The name of a problem, and the words of a state on it."""


def advance_of(method: BlackBox | Callable[..., Any]) -> Run:
    """How a plain function or a black box is run: (problem, Q, Omega, h, n, t) -> (Q, Omega) after n steps."""
    if isinstance(method, BlackBox):
        return lambda *arguments: _two_arrays(method.advance(*arguments))

    def advance(
        problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
    ) -> tuple[np.ndarray, np.ndarray]:
        for i in range(n):
            Q, Omega = _two_arrays(method(problem, Q, Omega, h, t + i * h))
        return Q, Omega

    return advance


def _two_arrays(result: Any) -> tuple[np.ndarray, np.ndarray]:
    """Copies of Q and Omega."""
    try:
        return state_returned(result)
    except (TypeError, ValueError):
        raise Refused(f"returned {one_line(result)}; it must return (Q1, Omega1)") from None


def _real(x: np.ndarray, h: float) -> np.ndarray:
    """The real part of what should be real."""
    if np.iscomplexobj(x) and np.abs(x.imag).max() > DOUBLE * max(1.0, np.abs(x.real).max()):
        raise Refused(f"gave complex numbers at h = {h:.3g}")
    return x.real


def _is_of_the_torque(error: BaseException) -> bool:
    """Whether it was the torque of the problem that raised, not the integrator."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    return any(code.co_name == "torque" and code.co_filename.startswith(PHYSICS) for code in codes)


def box(method: Integrator) -> BlackBox | Callable[..., Any]:
    """A method of the catalogue seen from outside; anything else as it is."""
    if not isinstance(method, Method):
        return method

    def advance(
        problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
    ) -> tuple[np.ndarray, np.ndarray]:
        s = solve(problem.replaced(Q0=Q, Omega0=Omega, t0=t), method, h=h, n_steps=n, save_every=n, on_failure="return")
        if s.stats.get("interrupted"):  # by Ctrl-C, which a run keeps to itself
            raise KeyboardInterrupt
        if not s.success:
            raise Refused(_stopped(method.name, s.message))
        return s.Q[-1], s.Omega[-1]

    return BlackBox(method.name, advance)


def _stopped(name: str, message: str) -> str:
    """What a run did that ended before its time, without the place, which the caller knows."""
    what = re.split(r" (?:at|in) step \d", message)[0]
    return what.removeprefix(f"{name} ") if what.startswith(f"{name} ") else f"stopped: {what}"


class Look:
    """An integrator that is looked at, and what its measurements share."""

    def __init__(self, method: BlackBox | Callable[..., Any], seconds: float = SECONDS) -> None:
        self.advance = advance_of(method)
        self.tolerance = getattr(method, "tolerance", None)
        self.is_box = isinstance(method, BlackBox)
        self.is_kernel = False  # whether it is one that was looked at with many digits, too
        self.orders: list[float] = []  # as measured so far, where they could be
        self.convergence: dict[str, dict[str, Any]] = {}  # of each case: steps and errors, for the picture
        self.differs: dict[Place, str] = {}  # where it differs from the motion or has lost a property, and by how much
        self.wrong_at: set[Place] = set()  # where small steps were seen to be wrong, the first or not
        self.suspects: set[str] = set()  # words of states, on any problem, where a brief look has seen a step go wrong
        self.witnesses: dict[str, tuple[State, ...]] = {}  # of each case, states that take a branch: see branches/
        self.edges: dict[str, tuple[State, ...]] = {}  # of each case, states at the edge of one
        self.not_taken: list[str] = []  # branches of its text that no state was found to take, in words
        self.left_alone = ""  # why branches of its text were not looked for, in words
        self.fails: dict[Place, str] = {}  # where it gives no result even with a small step, and what it did
        self.later: list[str] = []  # words of states where only steps far below a hundredth of a radian converge
        self.iterates = False  # whether it is seen to leave what an iteration leaves
        self.loose: dict[tuple[str, str], float] = {}  # by case and state, an error that only a tolerance explains
        self.ended: dict[str, str] = {}  # by property: from where on steps were left out, as not solved
        self.switches = ""  # words of the step from which on it is another formula, if it is
        self.changed = 0.0  # how far its first answer has moved while it was measured
        self.stopped = ""  # what it does now in place of its first answer, in words, if it no longer runs
        self.kin = ""  # what it shares with a method of the catalogue, in words
        self.pace = Pace(seconds)
        self.character = Character()
        self.first: Any = None  # its answer to the first question, for the last: see questions.py
        self.returning = Returning()
        self.jacobians: dict[tuple[Any, ...], tuple[np.ndarray, np.ndarray]] = {}

    def run(
        self, p: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """n steps, from copies and to copies; a failure says what happened, and where."""
        self.pace.took(n, abs(h) * float(np.linalg.norm(np.real(Omega))), np.iscomplexobj(Omega))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RunWarning)  # a run of ours that stopped before its end is no answer
            try:
                Q1, Omega1 = (np.array(x) for x in self._advanced(p, np.array(Q), np.array(Omega), h, n, t))
            except Refused as error:
                raise Refused(f"{error.words} at h = {h:.3g}") from error
            except RunWarning as error:
                raise Refused(f"stopped before its end at h = {h:.3g}") from error
            except (TimeUp, KeyboardInterrupt):  # not what it does, but what is done to it
                raise
            except BaseException as error:  # an integrator may fail in any way it likes
                words = NO_TORQUE if _is_of_the_torque(error) else f"raised {type(error).__name__}"
                raise Refused(f"{words} at h = {h:.3g}") from error
        if not (np.isfinite(Q1).all() and np.isfinite(Omega1).all()):
            raise Refused(f"gave no finite numbers at h = {h:.3g}")
        if np.isrealobj(Q) and np.isrealobj(Omega):  # one that remembers a complex step may answer in complex numbers
            Q1, Omega1 = (_real(x, h) for x in (Q1, Omega1))
        return Q1, Omega1

    def _advanced(self, *arguments: Any) -> tuple[np.ndarray, np.ndarray]:
        """What the integrator gives, unless steps of this size are known not to return."""
        h, n = arguments[3], arguments[4]
        seconds = COMPILED_SECONDS if self.is_kernel else max(STEP_SECONDS, PATIENT_STEPS * n * self.pace.cost.single)
        return self.returning.call(h, seconds, lambda: self.advance(*arguments))

    def note_difference(self, case: str, where: str, what: str) -> None:
        """Note a state, in words, where it differs from the motion or has lost a property."""
        self.differs.setdefault((case, where), what)

    @property
    def odd_words(self) -> set[str]:
        """The words of states where something is wrong, or may be, on any problem: on others they are looked at
        first. So are those that take a branch of its own."""
        sought = {state.words for found in self.witnesses.values() for state in found}
        return {words for _, words in self.differs} | self.suspects | sought

    def states(self, case: str) -> tuple[State, ...]:
        """The battery of states on the problem of a row: the generic one, then those where it has differed from the
        motion before, since there may be no time for all."""
        generic, *others = states(case)
        first = self.odd_words
        sought = self.witnesses.get(case, ())
        return (generic, *sought, *sorted(others, key=lambda state: state.words not in first))

    def jacobian(self, state: State, radians: float, n: int, **options: float) -> tuple[np.ndarray, np.ndarray]:
        """The Jacobian of n steps and the momentum after them; computed once for all properties."""
        key = (state, radians, n, *options.values())
        if key not in self.jacobians:
            self.jacobians[key] = self.derivatives.jacobian(self.run, state.problem, state.step(radians), n, **options)
        return self.jacobians[key]

    def trust_differences_alone(self) -> None:
        """The complex step was seen to be wrong at some state: differences take its place everywhere."""
        self.derivatives, self.pace.by_differences = BY_DIFFERENCES, True
        self.jacobians.clear()

    @functools.cached_property
    def derivatives(self) -> Derivatives:
        """How the Jacobian of a step is computed."""
        return derivatives(self.run, 0.25)


@functools.cache
def states(case: str) -> tuple[State, ...]:
    """The battery of states on the problem of a row, made once."""
    return tuple(battery(CASES[case](), case))
