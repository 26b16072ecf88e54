"""`solve` with steps of their own lengths, by `adapt` or by rtol and atol: the arguments, checked, and the run."""

import math
from typing import Any

from polhode import inputs
from polhode.errors import InputError
from polhode.integrators.lookup import integrator, name_of
from polhode.runs import turns
from polhode.runs.asked import Asked
from polhode.runs.failures import FAILURES, after_failure
from polhode.runs.own_steps.adaptive import AdaptiveRunner, checked
from polhode.runs.own_steps.embedded import NAME, RTOL, Embedded, EmbeddedRunner, rkmk54
from polhode.runs.own_steps.paced import MOST_STEPS, PacedRun
from polhode.runs.own_steps.paced_runner import PacedRunner
from polhode.runs.own_steps.timed_reductions import TimedSurvey
from polhode.runs.progress import bar
from polhode.runs.results.reductions import chosen_names
from polhode.runs.results.trajectory import Trajectory

Times = tuple[float, ...] | None
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


def adapted(asked: Asked, method: Any) -> Trajectory:
    """A run whose steps follow the motion and stay reversible."""
    problem, density = asked.problem, checked(asked.problem, method, asked.adapt)
    if asked.to_file:
        raise InputError(
            f"adapt does not go with out or checkpoint: {NOT_WITH}. Keep fewer states by save_every or t_eval, or "
            "none by reduce; and save the Trajectory."
        )
    h = inputs.step_size(problem.h if asked.h is None else asked.h)
    times = asked.times()
    end = _end(asked, times, h)
    runner = AdaptiveRunner(problem, method, h, density, inputs.flag_or_none("compiled", asked.compiled))
    s = _run(asked, runner, end, inputs.whole("save_every", asked.save_every), times, h, runner.one.method)
    turns.warn_of(f"{s.method} let {problem.name} turn", s.stats["largest_turn"] / abs(h), h)
    return _with_policy(asked, s)


def _end(asked: Asked, times: Times, h: float) -> tuple[float, int]:
    """The time and the number of steps, at most, that end a run whose steps follow the motion."""
    problem, t_end = asked.problem, asked.t_end
    if asked.n_steps is not None and t_end is not None:
        raise InputError("Give t_end or n_steps, not both.")
    if asked.n_steps is not None:
        end = math.copysign(math.inf, h), inputs.whole("n_steps", asked.n_steps)
        if times is not None:
            raise InputError("t_eval goes with t_end: n_steps of steps that adapt end at a time not known before.")
        return end
    t_end = times[-1] if times and t_end is None else inputs.end_of(problem, t_end)
    if (t_end - problem.t0) * h <= 0:
        raise InputError(f"t_end = {t_end:g} is not ahead of t0 = {problem.t0:g} with h = {h:g}.")
    return float(t_end), MOST_STEPS


def by_tolerance(asked: Asked, method: Embedded) -> Trajectory:
    """A run whose steps are as long as the tolerance allows."""
    times, every = asked.times(), inputs.whole("save_every", asked.save_every)
    if asked.h is None:
        if asked.n_steps is not None:
            raise InputError(f"n_steps counts intervals of h, and {NAME} chooses its steps: give h, or t_end.")
        t_end = times[-1] if times and asked.t_end is None else inputs.end_of(asked.problem, asked.t_end)
        longest, shown = math.inf, math.nan
    else:
        longest, t_end, times = _every_h(asked, times, every)
        shown = longest
    compiled = inputs.flag_or_none("compiled", asked.compiled)
    runner = EmbeddedRunner(asked.problem, method, abs(longest), t_end, compiled)
    return _with_policy(asked, _run(asked, runner, (t_end, MOST_STEPS), every, times, shown, method))


def _every_h(asked: Asked, times: Times, every: int) -> tuple[float, float, Times]:
    """The longest step, the end, and the times of the states to keep, where an h is given."""
    if times and asked.t_end is None and asked.n_steps is None:
        return abs(inputs.step_size(asked.h)), times[-1], times
    t0, strict = asked.problem.t0, inputs.flag("strict", asked.strict)
    h, n = inputs.interval(asked.problem, asked.h, asked.t_end, asked.n_steps, strict)
    t_end = t0 + n * h
    if times is None:
        times = tuple(t_end if k == n else t0 + k * h for k in [*range(0, n, every), n])
    return h, t_end, times


def _run(
    asked: Asked, runner: PacedRunner, end: tuple[float, int], every: int, times: Times, h: float, method: Any
) -> Trajectory:
    problem = asked.problem
    inputs.choice("on_failure", asked.on_failure, FAILURES)
    if times is not None:
        inputs.check_within("t_eval", times, problem.t0, end[0] - problem.t0, 1)
        if times and (times[-1] - end[0]) * (end[0] - problem.t0) > 0:  # by rounding: the run goes as far
            end = times[-1], end[1]
    run = PacedRun(runner, end, every, times, asked.watched(), _survey(asked, end[0]))
    run.keeps_end = asked.t_eval is None  # of every h they are as of every step
    with bar(inputs.flag("progress", asked.progress), 1000, f"{runner.name} on {problem.name}", 0) as tick:
        run.go(tick)
    return run.trajectory(h if h == h else (runner.t - problem.t0) / max(1, run.done), method)


def _survey(asked: Asked, t_end: float) -> TimedSurvey | None:
    reduce = chosen_names(asked.reduce, asked.problem.invariants)
    if not reduce:
        return None
    if inputs.whole("reduce_every", asked.reduce_every) != 1:
        raise InputError("reduce_every counts steps of one size; where steps adapt, every one is looked at.")
    return TimedSurvey(reduce, asked.problem, t_end)


def _with_policy(asked: Asked, s: Trajectory) -> Trajectory:
    policy = inputs.choice("on_failure", asked.on_failure, FAILURES)
    return after_failure(s, policy, s.message if not s.success else "")
