"""`solve` with an accuracy: the arguments, checked, and the run; with times or events, the run is made once more."""

from collections.abc import Callable
from typing import Any

from polhode import inputs
from polhode.errors import InputError
from polhode.integrators.lookup import integrator
from polhode.runs.asked import Asked
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.to_accuracy.accuracy import accurate
from polhode.runs.to_accuracy.trials import BEST_ACCURACY, Search

FOR_THE_RUN = ("progress", "compiled", "out", "reduce", "reduce_every", "checkpoint", "checkpoint_every", "on_failure")
"""Arguments that are handed on to the run that is returned."""


def to_accuracy(solve: Callable[..., Trajectory], asked: Asked) -> Trajectory:
    """A run whose step, and method if none is given, are found for an accuracy."""
    asked = _checked(asked)
    only = None if asked.any_method else integrator(asked.method)
    length, rows = _interval(asked)
    more = {name: getattr(asked, name) for name in FOR_THE_RUN}
    watched = asked.watched()
    looks: dict[str, Any] = {}
    if asked.t_eval is not None or watched is not None:
        looks = {"t_eval": asked.t_eval} | ({} if watched is None else watched.given())
    search = Search(asked.problem, _radians(asked.accuracy), length, solve, only)
    return accurate(search, rows, more, looks)


def _checked(asked: Asked) -> Asked:
    """The arguments, if they go together; t_eval, which may be used up by reading, is read once."""
    if asked.adapts:
        raise InputError("adapt goes with a method and h; accuracy finds its own steps.")
    times, t_end = asked.times(), asked.t_end
    if times and t_end is None and asked.n_steps is None:
        t_end = times[-1]
    if inputs.flag("strict", asked.strict) and asked.h is None:
        raise InputError("strict=True is about h, and there is none: accuracy finds the step.")
    if asked.accuracy is None:
        raise InputError("Give a method and h, or accuracy: the largest error of the attitude, in radians.")
    return asked._replace(t_eval=times, t_end=t_end)


def _radians(accuracy: Any) -> float:
    """An accuracy that can be had."""
    accuracy = inputs.positive("accuracy", accuracy)
    if accuracy < BEST_ACCURACY:
        raise InputError(f"accuracy is {accuracy:g}; in floats nothing below {BEST_ACCURACY:g} can be had.")
    if accuracy > 1:
        raise InputError(f"accuracy is {accuracy:g}; it is an error of the attitude in radians, at most 1.")
    return accuracy


def _interval(asked: Asked) -> tuple[float, int | None]:
    """The length of the run, and the number of rows; None: a row for every step."""
    every = inputs.whole("save_every", asked.save_every)
    if asked.h is None and asked.n_steps is None:
        length = inputs.end_of(asked.problem, asked.t_end) - asked.problem.t0
        if every != 1:
            raise InputError("save_every counts intervals of h: give h, the distance of the states, with accuracy.")
        return length, None
    h, n = inputs.interval(asked.problem, asked.h, asked.t_end, asked.n_steps, asked.strict)
    if n % every:
        raise InputError(f"save_every = {every} must divide the {n} intervals of h when accuracy is given.")
    return n * h, n // every
