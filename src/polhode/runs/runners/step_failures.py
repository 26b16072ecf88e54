"""What is said of a step that failed: which equation, which torque, where, and what to do."""

from typing import TYPE_CHECKING

import numpy as np

from polhode.errors import one_line
from polhode.integrators.gauss import strongest_friction
from polhode.runs.results.users_axes import in_users_axes

if TYPE_CHECKING:
    from polhode.runs.runners.kernel_runner import KernelRunner


def failure_of(runner: "KernelRunner", k: int, t: float, error: float) -> str:
    """The sentence for a step that failed: number k, at time t."""
    where = f"step {k} (t = {t:g}) of {runner.problem.name} with h = {runner.h:g}"
    if runner.raised is not None:
        reason = str(runner.raised).rstrip(".")
        return f"{type(runner.raised).__name__} in {where}: {reason}. What was computed until then is here."
    if error > 0:
        return (
            f"{runner.name} did not solve its equations at {where}: the iteration was given up with an "
            f"error of {error:.2g} left. {_advice(runner, t)}"
        )
    (Q,), (Omega,) = in_users_axes(runner.problem, np.array([runner.row()]))
    if not np.isfinite(Q).all():
        return (
            f"{runner.name} has left the quaternion {np.array(runner.row()[:4]).tolist()}, which is no rotation in "
            f"floats, before {where}. Let every step make it of length one, as `unit` does."
        )
    try:
        tau = runner.problem.torque(t, Q, Omega)
    except Exception as raised:  # a user's function may raise what it likes
        return f"The torque raised {one_line(raised)} at {where}. Check the torque near Q = {np.round(Q, 6).tolist()}."
    if not np.isfinite(tau).all():
        return f"The torque is {tau.tolist()} at {where}. Check the torque near Q = {np.round(Q, 6).tolist()}."
    return (
        f"{runner.name} met a torque or a state that is not a finite number in {where}. Check the torque near "
        f"Q = {np.round(Q, 6).tolist()}, or reduce h."
    )


def _advice(runner: "KernelRunner", t: float) -> str:
    """What to do where the equations of a step were not solved; for friction the limit of the step is known."""
    forces = runner.problem.forces
    if not (runner.method.nodes and (forces.damped or forces.moving)):
        return "Reduce h."
    (Q,), (Omega,) = in_users_axes(runner.problem, np.array([runner.row()]))
    rate = runner.problem.friction_rate(t, Q, Omega)
    x, most = abs(runner.h) * rate, strongest_friction(runner.method.nodes)
    if not x > most / 2:
        return "Reduce h."
    kicks = "" if forces.moving else ", or take VLV or RATTLE, which solve damping exactly in their kicks"
    return (
        f"The torque changes with the velocity at the rate {rate:.3g}, that is {x:.3g} in a step; the iteration needs "
        f"less than about {most:.2g}. Reduce h to {0.7 * most / rate:.2g}{kicks}."
    )
