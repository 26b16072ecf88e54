"""`solve` with steps of their own lengths, by `adapt` or by rtol and atol: the arguments, checked, and the run."""

import math
from dataclasses import dataclass
from typing import Any

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import Events, given_events
from polhode.integrators.lookup import integrator, name_of
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.failures import FAILURES, after_failure
from polhode.runs.own_steps.adaptive import AdaptiveRunner, checked
from polhode.runs.own_steps.embedded import NAME, RTOL, Embedded, EmbeddedRunner, rkmk54
from polhode.runs.own_steps.paced import MOST_STEPS, PacedRun
from polhode.runs.own_steps.paced_runner import PacedRunner
from polhode.runs.own_steps.timed_reductions import TimedSurvey
from polhode.runs.progress import bar
from polhode.runs.results.reductions import QUANTITIES
from polhode.runs.results.trajectory import Trajectory

NOT_WITH = "a file that is written during a run has rows at equal times, and a checkpoint knows steps of one size only"


def given_tolerance(method: Any, rtol: Any, atol: Any, accuracy: Any) -> Any:
    """The method that rtol and atol are meant for; without them, the method as it is."""
    if rtol is None and atol is None:
        return method
    if accuracy is not None:
        raise InputError("Give accuracy, the error of the whole run, or rtol and atol, that of a step; not both.")
    if not isinstance(method, str) or method.lower() not in ("auto", NAME.lower()):
        raise InputError(
            f"rtol and atol are for {NAME}, which chooses its steps by them; {name_of(integrator(method))} takes h, or "
            "accuracy."
        )
    return rkmk54(RTOL if rtol is None else rtol, 0.0 if atol is None else atol)


@dataclass(frozen=True)
class Asked:
    """The arguments of `solve` that such a run takes, unchecked."""

    problem: Problem
    h: Any
    t_end: Any
    n_steps: Any
    save_every: Any
    t_eval: Any
    events: tuple[Any, Any, Any]  # with terminal and direction
    reduce: Any
    reduce_every: Any
    compiled: Any
    progress: Any
    on_failure: Any
    strict: Any

    def adapted(self, method: Any, adapt: Any, out: Any, checkpoint: Any) -> Trajectory:
        """A run whose steps follow the motion and stay reversible."""
        density = checked(self.problem, method, adapt)
        if out is not None or checkpoint is not None:
            raise InputError(
                f"adapt does not go with out or checkpoint: {NOT_WITH}. Keep fewer states by save_every or t_eval, or "
                "none by reduce; and save the Trajectory."
            )
        h = inputs.step_size(self.problem.h if self.h is None else self.h)
        wanted, t_end = self._wanted(), self.t_end
        if self.n_steps is not None and t_end is not None:
            raise InputError("Give t_end or n_steps, not both.")
        if self.n_steps is not None:
            end = math.copysign(math.inf, h), inputs.whole("n_steps", self.n_steps)
            if wanted is not None:
                raise InputError("t_eval goes with t_end: n_steps of steps that adapt end at a time not known before.")
        else:
            t_end = wanted[-1] if wanted and t_end is None else inputs.end_of(self.problem, t_end)
            if (t_end - self.problem.t0) * h <= 0:
                raise InputError(f"t_end = {t_end:g} is not ahead of t0 = {self.problem.t0:g} with h = {h:g}.")
            end = float(t_end), MOST_STEPS
        compiled = inputs.flag_or_none("compiled", self.compiled)
        runner = AdaptiveRunner(self.problem, method, h, density, compiled)
        s = self._run(runner, end, inputs.whole("save_every", self.save_every), wanted, h, runner.one.method)
        turns.warn_of(f"{s.method} let {self.problem.name} turn", s.stats["largest_turn"] / abs(h), h)
        return self._with_policy(s)

    def by_tolerance(self, method: Embedded) -> Trajectory:
        """A run whose steps are as long as the tolerance allows."""
        wanted, every, h = self._wanted(), inputs.whole("save_every", self.save_every), self.h
        if h is None:
            if self.n_steps is not None:
                raise InputError(f"n_steps counts intervals of h, and {NAME} chooses its steps: give h, or t_end.")
            t_end = wanted[-1] if wanted and self.t_end is None else inputs.end_of(self.problem, self.t_end)
            longest, shown = math.inf, math.nan
        else:
            if wanted and self.t_end is None and self.n_steps is None:
                h, n = abs(inputs.step_size(h)), 1
                t_end = wanted[-1]
            else:
                h, n = inputs.interval(self.problem, h, self.t_end, self.n_steps, inputs.flag("strict", self.strict))
                t_end = self.problem.t0 + n * h
            longest = shown = h
            if wanted is None:
                rows = [*range(0, n, every), n]
                wanted = tuple(t_end if k == n else self.problem.t0 + k * h for k in rows)
        compiled = inputs.flag_or_none("compiled", self.compiled)
        runner = EmbeddedRunner(self.problem, method, abs(longest), t_end, compiled)
        return self._with_policy(self._run(runner, (t_end, MOST_STEPS), every, wanted, shown, method))

    def _wanted(self) -> tuple[float, ...] | None:
        return None if self.t_eval is None else inputs.times("t_eval", self.t_eval)

    def _with_policy(self, s: Trajectory) -> Trajectory:
        policy = inputs.choice("on_failure", self.on_failure, FAILURES)
        return after_failure(s, policy, s.message if not s.success else "")

    def _run(
        self, runner: PacedRunner, end: tuple[float, int], every: int, wanted: Any, h: float, method: Any
    ) -> Trajectory:
        problem, length = self.problem, end[0] - self.problem.t0
        inputs.choice("on_failure", self.on_failure, FAILURES)
        if wanted is not None:
            inputs.check_within("t_eval", wanted, problem.t0, length, 1)
        run = PacedRun(runner, end, every, wanted, self._events(), self._survey(end[0]))
        with bar(inputs.flag("progress", self.progress), 1000, f"{runner.name} on {problem.name}", 0) as tick:
            run.go(tick)
        return run.trajectory(h if h == h else (runner.t - problem.t0) / max(1, run.done), method)

    def _events(self) -> Events | None:
        return given_events(*self.events)

    def _survey(self, t_end: float) -> TimedSurvey | None:
        reduce = inputs.choices("reduce", self.reduce or (), ("energy", "momentum", *QUANTITIES[1:]))
        if not reduce:
            return None
        if inputs.whole("reduce_every", self.reduce_every) != 1:
            raise InputError("reduce_every counts steps of one size; where steps adapt, every one is looked at.")
        return TimedSurvey(reduce, self.problem, t_end)
