"""What a run of bodies was asked for: the arguments of `solve_ensemble`, checked."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polhode.inputs.events import Events
from polhode.integrators.lookup import Integrator
from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.results.reductions import Survey


@dataclass(frozen=True)
class AskedOfBodies:
    """Bodies, method and steps; what the run does beside its steps; and what is done with it afterwards."""

    bodies: Bodies
    method: Integrator
    h: float
    n: int
    every: int
    threads: int | None
    progress: bool
    events: Events | None
    survey: Survey | None
    checkpoint: Path | None
    seconds: float  # between checkpoints
    out: Path | None
    keep: Callable[[Any], None] | None  # takes the run, for the next call like this one
