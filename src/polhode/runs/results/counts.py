"""What every run of one body counts: steps, torques, iterations, and the time that they took."""

from typing import Any, Protocol


class Counting(Protocol):
    """A run that can say how far it came."""

    @property
    def runner(self) -> Any:
        """What takes its steps."""

    done: int
    iterations: int
    seconds: float
    interrupted: bool


def counts(run: Counting) -> dict[str, Any]:
    """The first entries of the stats of a run."""
    return {
        "n_steps": run.done,
        "n_torque": run.runner.torques(run.done, run.iterations),
        "n_iterations": run.iterations,
        "compiled": run.runner.is_compiled,
        "interrupted": run.interrupted,
        "wall_time": run.seconds,
    }
