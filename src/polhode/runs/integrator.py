"""`Integrator`: a run in the user's own loop, a few steps at a time, for controllers, optimisers and experiments."""

from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, RunError
from polhode.integrators.lookup import integrator
from polhode.pickling import Travels
from polhode.runs.arguments import given_problem
from polhode.runs.runners.runner import Runner, runner_of

NEVER = 2**62
"""Steps to the next row: none is written."""


class Integrator(Travels):
    """A problem on its way: `t`, `Q` and `Omega` are where it is, and each call takes it further.

        run = Integrator(problem, "VLV", h=0.01)
        run.step()                     # one step; step(n) takes n
        run.advance_to(3.0)            # to this time, by steps of at most h
        run.set(k=5.0)                 # other parameters of the problem, from here on
        run.reset(Omega0=(1, 0, 0))    # begin again, perhaps elsewhere

    The states are, bit for bit, those of `solve` with the same h. A call costs a few microseconds beyond its steps.
    Your functions are taken as they are when the Integrator is made, and again at `reset` and `set`: if a global that
    the torque reads changes in between, the run does not see it. To change what a torque does, give it a parameter.
    A step that fails raises RunError and leaves the state as it was before that step.

    Parameters
    ----------
    problem : Problem or str
        Where it starts.
    method : str, Method, callable or BlackBox
        As for `solve`.
    h : float
        The step; negative to go back.
    compiled : bool, optional
        As for `solve`.
    """

    @inputs.checked_call
    def __init__(self, problem: Any, method: Any, h: float | None = None, *, compiled: bool | None = None) -> None:
        self.problem = given_problem(problem, method)
        if h is None and self.problem.h is None:
            raise InputError(f"Give h: the problem {self.problem.name!r} has no step size of its own.")
        self.h = inputs.step_size(self.problem.h if h is None else h)
        self._method, self._compiled = integrator(method), inputs.flag_or_none("compiled", compiled)
        self._make()

    def _make(self, held: tuple[float, ...] = ()) -> None:
        self._runner: Runner = runner_of(self.problem, self._method, self.h, self._compiled, held=held)
        self._steps, self._nowhere = 0, np.empty((0, self._runner.width))
        self._last_state: tuple[np.ndarray, np.ndarray] | None = self.problem.Q0.copy(), self.problem.Omega0.copy()

    def __repr__(self) -> str:
        return f"<Integrator of {self.problem.name} by {self.method}, h = {self.h:g}: t = {self.t:g}>"

    @property
    def method(self) -> str:
        """The name of the method."""
        return self._runner.name

    @property
    def t(self) -> float:
        """The time."""
        return self._runner.t0 + self._steps * self._runner.h

    @property
    def Q(self) -> np.ndarray:
        """The attitude, (3, 3): body to space."""
        return self._state()[0]

    @property
    def Omega(self) -> np.ndarray:
        """The angular velocity in body axes."""
        return self._state()[1]

    @property
    def wheel_speeds(self) -> np.ndarray:
        """The speeds of the wheels relative to the body, (wheels,)."""
        wheels = self._runner.as_driven(last=True).internal.wheels
        if wheels is None:
            raise InputError(f"The problem {self.problem.name!r} has no wheels: give wheels=[Wheel(...)].")
        return wheels.speeds(np.array([self.t]), self.Omega[None])[0]

    def _state(self) -> tuple[np.ndarray, np.ndarray]:
        if self._last_state is None:
            Q, Omega = self._runner.in_users_axes(np.array([self._runner.row()]))
            self._last_state = Q[0], Omega[0]
        return self._last_state

    def step(self, n: int = 1) -> "Integrator":
        """Take n steps of h; returns itself."""
        if n.__class__ is not int or not 1 <= n <= inputs.LARGEST_WHOLE:
            n = inputs.whole("n", n)
        runner = self._runner
        took, _, _, _, error, _ = runner.advance(self._steps, n, NEVER, NEVER, self._nowhere, 0)
        self._steps += took
        self._last_state = None
        if took < n:
            raise RunError(runner.failure(self._steps, self.t, error)) from runner.raised
        return self

    def advance_to(self, t: float) -> "Integrator":
        """Go to time t, by steps of h if t is a whole number of them away, else by equal shorter ones; returns itself.

        After shorter steps the next begin at t, and a method that carries memory starts anew. With a controller, which
        looks after a fixed number of steps, t must be a whole number of steps of h away.
        """
        t, h = inputs.number("t", t), self.h
        n, is_whole = inputs.steps_to(self.t, h, t)
        if n == 0:
            return self
        if n < 0:
            raise InputError(f"t = {t:g} is behind t = {self.t:g}, as h = {h:g}: reset, or change the sign of h.")
        if is_whole:
            return self.step(n)
        begin = self.t
        if self.problem.control is not None:
            raise InputError(
                f"t = {t:g} is no whole number of steps of h = {h:g} away from t = {begin:g}, and the controller of "
                f"{self.problem.name!r} counts steps: take t = {begin + (n - 1) * h:.10g} or {begin + n * h:.10g}."
            )
        self._place(self._runner.row(), begin, (t - begin) / n)
        try:
            return self.step(n)
        finally:
            self._place(self._runner.row(), t if self._steps == n else self.t, h)

    @inputs.checked_call
    def reset(self, Q0: Any = None, Omega0: Any = None, t0: Any = None, *, Pi0: Any = None) -> "Integrator":
        """Begin again, from the problem's start or from what is given; returns itself.

        What is given becomes the start of `problem`, so that a later reset() comes back to it; the rest of the start
        stays, and so do parameters and inertia that `set` gave, the method and h. The method starts anew, without a
        memory of earlier steps; a controller looks at t0, and holds nothing from before. From then on the steps are,
        bit for bit, those of a new Integrator of `problem`.
        """
        if Q0 is not None or Omega0 is not None or t0 is not None or Pi0 is not None:
            start = {"Q0": Q0, "Omega0": Omega0, "Pi0": Pi0, "t0": t0}
            self.problem = self.problem.replaced(**{k: x for k, x in start.items() if x is not None})
        if self._runner.again(self.problem, self.h):
            self._steps, self._last_state = 0, None
        else:
            self._make()
        return self

    def set(self, **changed: Any) -> "Integrator":
        """Give the problem other parameters (or another inertia) from here on; returns itself."""
        begins = set(changed) & {"Q0", "Omega0", "Pi0", "t0"}
        if begins:
            raise InputError(f"{', '.join(sorted(begins))} is where a run begins: use reset.")
        row, here, t, held = self._runner.row(), self._state(), self.t, self._runner.held
        self.problem = self.problem.replaced(**changed)
        self._make(held)
        if changed.get("inertia") is not None:  # the velocity stays, and the momentum follows it
            row = self._runner.row_of(*here)
        self._place(row, t, self.h)
        return self

    def _place(self, row: Any, t: float, h: float) -> None:
        self._runner.place(row, t, h)
        self._steps, self._last_state = 0, None

    def _luggage(self) -> dict[str, Any]:
        runner = self._runner
        state = [float(x) for x in runner.numbers()]
        luggage = {k: x for k, x in vars(self).items() if k not in ("_runner", "_nowhere", "_last_state")}
        return luggage | {"_at": (runner.t0, runner.h, self._steps, state, runner.held)}

    def __setstate__(self, luggage: dict[str, Any]) -> None:
        t0, h, done, state, held = luggage.pop("_at")
        vars(self).update(luggage)
        self._make(held)
        self._place(self._runner.row(), t0, h)
        self._runner.restore(state)
        self._steps = done

    def __copy__(self) -> "Integrator":
        other = object.__new__(type(self))
        other.__setstate__(self._luggage())
        return other
