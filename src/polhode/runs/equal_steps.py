"""`solve` in steps of one length: the arguments, checked, and the run."""

import math
from pathlib import Path
from typing import Any, NamedTuple

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs.events import Events
from polhode.integrators.lookup import Integrator
from polhode.integrators.method import BlackBox, Method
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.asked import Asked
from polhode.runs.between_steps.watched import Watched
from polhode.runs.drive import Run
from polhode.runs.failures import FAILURES
from polhode.runs.progress import bar
from polhode.runs.results.reductions import Survey, chosen_names
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.controlled_runner import ControlledRunner
from polhode.runs.runners.runner import Runner, runner_of


class EqualSteps(NamedTuple):
    """The arguments of such a run, checked; `checked` makes it."""

    problem: Problem
    method: Integrator
    h: float
    n: int
    every: int
    times: tuple[float, ...] | None  # of t_eval
    watched: Events | None
    policy: str
    compiled: bool | None
    progress: bool
    survey: Survey | None
    out: Path | None
    checkpoint: Path | None
    seconds: float  # between checkpoints

    def runner(self) -> Runner:
        """What takes the steps, and looks between them if times or events are asked for."""
        runner = runner_of(self.problem, self.method, self.h, self.compiled, self.survey and self.survey.in_loop)
        if isinstance(runner, ControlledRunner):
            runner.first_look()
        if self.times is None and self.watched is None:
            return runner
        inputs.check_within("t_eval", self.times or (), self.problem.t0, self.h, self.n)
        if self.out is not None or self.checkpoint is not None:
            raise InputError(
                "t_eval and events do not go with out or checkpoint, which need a run in pieces: save the Trajectory."
            )
        return Watched(runner, self.n, self.times, self.watched)

    def trajectory(self, runner: Runner) -> Trajectory:
        """The run, with a warning if its steps turn the body too far."""
        problem, h = self.problem, self.h
        every = self.every if self.times is None else self.n
        run = Run(runner, self.n, every, self.survey, self.out, self.checkpoint)
        told = self.follows or turns.warn_of(f"{problem.name} turns", turns.fastest(problem.Omega0), h)
        with bar(self.progress, self.n, f"{runner.name} on {problem.name}", run.done) as tick:
            run.go(self.seconds, tick)
        trajectory = run.trajectory(self.method)
        if isinstance(runner, Watched):
            trajectory = runner.completed(trajectory)
        if not told:
            turns.warn_of(f"{runner.name} let {problem.name} turn", trajectory.stats["largest_turn"] / abs(h), h)
        return trajectory

    @property
    def follows(self) -> bool:
        """Whether a step may turn the body by any angle."""
        return follows(self.method, self.problem)


def checked(asked: Asked, method: Integrator) -> EqualSteps:
    """The arguments, or a sentence about the first that cannot be used."""
    problem, times, t_end = asked.problem, asked.times(), asked.t_end
    if times and t_end is None and asked.n_steps is None:
        t_end = times[-1]
    h, n = inputs.interval(problem, asked.h, t_end, asked.n_steps, inputs.flag("strict", asked.strict))
    inputs.check_breaks(problem, h, n)
    watched = asked.watched()
    policy = inputs.choice("on_failure", asked.on_failure, FAILURES)
    every, each = inputs.whole("save_every", asked.save_every), inputs.whole("reduce_every", asked.reduce_every)
    compiled, progress = inputs.flag_or_none("compiled", asked.compiled), inputs.flag("progress", asked.progress)
    reduce = chosen_names(asked.reduce, problem.invariants)
    out = None if asked.out is None else inputs.file_path("out", asked.out)
    checkpoint = None if asked.checkpoint is None else inputs.file_path("checkpoint", asked.checkpoint)
    seconds = inputs.number("checkpoint_every", asked.checkpoint_every)
    if reduce and asked.events:
        raise InputError("reduce does not go with events: the loop that watches them does not tally. Make two runs.")
    survey = Survey(reduce, each, n) if reduce else None
    return EqualSteps(
        *(problem, method, h, n, every, times, watched, policy),
        *(compiled, progress, survey, out, checkpoint, seconds),
    )


def follows(method: Any, problem: Problem) -> bool:
    """Whether a step may turn the body by any angle: an exact flow, or an integrator that chooses its own steps."""
    if isinstance(method, BlackBox):
        return method.tolerance is not None
    if not isinstance(method, Method):
        return False
    return not problem.has_torque and method.orders.free == (math.inf, math.inf)
