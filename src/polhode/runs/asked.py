"""What `solve` was asked for: one record of its arguments, for each of the ways that a run can go.

Nothing is checked here but problem and method: each way checks what it takes, in its own order.
"""

import operator
from typing import Any, NamedTuple

from polhode import inputs
from polhode.inputs.events import Events, given_events
from polhode.physics.problem import Problem

PLAIN = (None,) * 8 + ((), (), False)
"""The wishes of a plain call, which may be made again: see ``repeated.py``."""


class Asked(NamedTuple):
    """The arguments of `solve`, unchecked, with the problem and the method that they are about."""

    problem: Problem
    method: Any
    accuracy: Any
    h: Any
    t_end: Any
    n_steps: Any
    strict: Any
    save_every: Any
    compiled: Any
    progress: Any
    t_eval: Any
    events: Any
    terminal: Any
    direction: Any
    adapt: Any
    reduce: Any
    reduce_every: Any
    out: Any
    checkpoint: Any
    checkpoint_every: Any
    on_failure: Any

    @property
    def is_to_accuracy(self) -> bool:
        """Whether trial runs are to find the step, or the method as well."""
        return self.accuracy is not None or self.any_method

    @property
    def any_method(self) -> bool:
        """Whether the method is left to us."""
        return isinstance(self.method, str) and self.method.lower() == "auto"

    @property
    def adapts(self) -> bool:
        """Whether the steps are to follow the motion."""
        return self.adapt is not None and self.adapt is not False

    @property
    def to_file(self) -> bool:
        """Whether something is written during the run."""
        return self.out is not None or self.checkpoint is not None

    @property
    def is_plain(self) -> bool:
        """Whether nothing is asked but a method, an interval, and how many states to keep."""
        wishes = (
            *(self.compiled, self.t_eval, self.events, self.direction, self.adapt, self.out, self.checkpoint),
            *(self.accuracy, self.terminal, self.reduce, self.progress),
        )
        return all(map(operator.is_, wishes, PLAIN))

    def times(self) -> tuple[float, ...] | None:
        """The times of t_eval, checked."""
        return None if self.t_eval is None else inputs.times("t_eval", self.t_eval)

    def watched(self) -> Events | None:
        """The events, checked."""
        return given_events(self.events, self.terminal, self.direction)
