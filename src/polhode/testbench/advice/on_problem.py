"""Advice for one problem: the methods are tried on it, and the answer is in its own units of time."""

from typing import Any

from polhode.inputs import end_of
from polhode.integrators.method import Method
from polhode.physics.problem import Problem
from polhode.runs.solve import solve
from polhode.runs.to_accuracy.setting import Setting
from polhode.runs.to_accuracy.trials import Search
from polhode.runs.turns import on_purpose


@on_purpose()
def tried_on(problem: Problem, t_end: Any, accuracy: float) -> list[tuple[Method | None, dict[str, Any]]]:
    """(method, costs) for all that reach the accuracy, the fastest first; None for one that chooses its own steps."""
    search = Search(problem, accuracy, end_of(problem, t_end) - problem.t0, solve, None)
    return [(x.method, _costs(search, x)) for x in search.best(wide=True)]


def _costs(search: Search, setting: Setting) -> dict[str, Any]:
    """Step, angle, time and torques of a setting, as fields of a Choice, and the reasons."""
    s = search.trajectory(setting, search.begin, 4)
    steps = s.stats["n_iterations"] if setting.chooses_steps else s.stats["n_steps"]
    h = search.begin / max(1, steps)
    radians = abs(search.length) * search.speed
    torques = (s.stats["n_torque"] or 0.0) / (abs(search.begin) * search.speed)  # Taylor's evaluates none
    return {
        "method": setting.name,
        "title": setting.title,
        "h": h,
        "step_angle": abs(h) * search.speed,
        "nanoseconds": 1e9 * setting.seconds / radians,
        "torques": torques,
        "reasons": (
            f"{setting.words}: an error of {setting.error:.1g} over the first {abs(search.begin):.3g}, and "
            f"{setting.seconds:.2g} s for the whole",
            "it chooses its own steps; h is their mean" if setting.chooses_steps else "the step is that of the trial",
        ),
    }
