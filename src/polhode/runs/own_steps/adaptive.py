"""Steps that follow the motion and stay reversible: `solve(..., adapt=...)`; the idea is in ``kernels/adapting.py``.

The rows of such a run have times of their own, which the Trajectory shows. Measured on the soft wall with VLV: the
largest energy error is a sixth of that of as many fixed steps, and neither drifts; a plain controller, whose step is a
function of the state at its beginning, loses energy all the time. A map with such steps is reversible, not symplectic:
on the stress test, which was built to tell the two apart, the energy drifts
(``tests/runs/own_steps/test_adaptive.py``). A step costs about twice as much; with equal angles it evaluates one torque
more.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import event_kernel
from polhode.integrators.lookup import Integrator, name_of
from polhode.integrators.method import Method
from polhode.integrators.velocity import adapted
from polhode.kernels import adapting
from polhode.physics.problem import Problem
from polhode.runs.between_steps.machine_events import check_event
from polhode.runs.own_steps.paced_runner import PacedRunner, check_free_of_times
from polhode.runs.runners.kernel_runner import KernelRunner


def checked(problem: Problem, method: Integrator, adapt: Any) -> Callable[..., Any] | None:
    """The density of steps that `adapt` asks for; None for steps of equal angles."""
    if adapt is not True and not callable(adapt):
        raise InputError(
            f"adapt is {adapt!r}; give True, for steps that turn the body by equal angles, or a function "
            "adapt(t, Q, Omega) -> positive number, the density: a step has the length h divided by it."
        )
    if not isinstance(method, Method) or not method.symmetric or method.extended:
        raise InputError(
            f"adapt keeps the long-time behaviour of symmetric one-step methods, and {name_of(method)} does not claim "
            "to be one: take VLV, RKN8, GAUSS8 or another that does, or give accuracy instead of h."
        )
    check_free_of_times(problem, "give h without adapt")
    return None if adapt is True else adapt


class AdaptiveRunner(PacedRunner):
    """Takes steps that follow the motion; it can turn back."""

    def __init__(
        self,
        problem: Problem,
        method: Method,
        h: float,
        density: Callable[..., Any] | None,
        compiled: bool | None = None,
    ) -> None:
        one = KernelRunner(problem, adapted(method, problem.forces, one_size=False), h, compiled, own_loop=False)
        super().__init__(one, method.name, h)
        self._eps, self._density = h, density
        self._torque = adapting.carried if method.explicit_torque else adapting.anew
        self._here, self._elsewhere, self._about = self._kernels(density)
        self.clock = (problem.t0, 0.0, self._first() - h / 2 * self._growth())

    def _kernels(
        self, density: Callable[..., Any] | None
    ) -> tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...]]:
        """The density as kernels, and their data."""
        one = self.one
        if density is not None:
            about = event_kernel(density), tuple(self.problem.axes.ravel().tolist())
            return adapting.by_function_here, adapting.by_function, about
        start = adapting.turning(one.state[1], self._torque(one.t0, one.state, one.body), one.body)
        if not start > 0:
            raise InputError(
                f"{self.problem.name!r} starts at rest and without a torque: there, steps of equal angles would be "
                "endless. Give adapt a function of your own."
            )
        return adapting.by_turning_here, adapting.by_turning, (start,)

    @property
    def _how_dense(self) -> tuple[Any, ...]:
        return self._torque, self._here, self._elsewhere, self._about

    @property
    def pace(self) -> tuple[Any, ...]:
        """The reversible one: see ``kernels/adapting.py``."""
        method = self.one.method
        about = method.step, method.start, self._how_dense, self._eps
        return adapting.next_reversible, adapting.inside_reversible, about

    def _first(self) -> float:
        try:
            value = float(self._elsewhere(self.one.t0, *self.one.state[:2], self.one.body, self._about))
        except Exception as error:
            raise InputError(
                f"adapt raised {type(error).__name__} at the start: {error}. It is called as adapt(t, Q, Omega) and "
                "must return one positive number."
            ) from error
        if not 0 < value < math.inf:
            raise InputError(f"adapt is {value} at the start; it must be a positive number.")
        return value

    def _growth(self) -> float:
        t = self.clock[0] if hasattr(self, "clock") else self.one.t0
        return adapting.growth(self._how_dense, self._eps, t, self.one.state, self.one.body)

    def machine(self, events: bool) -> tuple[Any, tuple[Any, ...]] | None:
        """The loop as machine code; None, with a warning, where the density cannot be compiled."""
        from polhode.machine import CannotCompile, event_code, reversible_loop

        code, address, par = None, 0, self._about[:1] if self._density is None else self._about[1]
        if self._density is not None:
            try:
                code = event_code(self._about[0])
            except CannotCompile as error:
                inputs.warn(f"adapt could not be compiled, and the run is interpreted: {error.reason}")
                return None
            check_event(self.one, self._about[0], code, np.array(par))
            address = code.address
        _, kind = self.one.machine_arguments()
        one, by_function = self.one, self._density is not None
        sizes = len(one.state[3]), len(one.body[2])
        loop = reversible_loop(one.method.step, one.method.start, self._torque, *sizes, kind, by_function, events)
        self._code = code  # held as long as its address is used
        return loop, (address, np.array([*par, self._eps]))

    def turn_back(self) -> None:
        """From here on, take the same steps backwards."""
        t, lost, rho = self.clock
        self.clock = (t, lost, rho + self._eps * self._growth())
        self._eps = self.h = -self._eps
        self.one.place(self.one.row(), t, self._eps / self.clock[2])
        self.forget()

    def torques(self, steps: int, iterations: int) -> int | None:
        """How often the method has evaluated the torque; what the density evaluates is not counted."""
        return self.one.torques(steps, iterations)

    def failure(self, k: int, error: float) -> str:
        """The sentence for step k, which failed."""
        if error == -1.0:
            return (
                f"The density of steps became zero or less at step {k} (t = {self.t:g}) of {self.problem.name} with "
                f"h = {self._eps:g}: within a step it changes by more than its size. Reduce h, or give a density that "
                "varies less."
            )
        self.one.raised = self.raised
        return self.one.failure(k, self.t, error)
