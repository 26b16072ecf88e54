"""Newton: a free body in Warp's single precision, its torque given before each step, as the solvers take it."""

import functools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "Newton, physics on Warp"
INSTALL = "newton"
SOLVERS = {"semi_implicit": "SolverSemiImplicit", "xpbd": "SolverXPBD", "featherstone": "SolverFeatherstone"}
UNDAMPED = {"angular_damping": 0.0}  # by default a twentieth of the velocity is lost in a unit of time


def names() -> list[str]:
    """The solvers for rigid bodies that run without a graphics card."""
    import newton

    return [name for name, solver in SOLVERS.items() if hasattr(newton.solvers, solver)]


def engine(name: str) -> BlackBox:
    """One of Newton's solvers, without its damping."""
    return BlackBox(f"newton:{name}", functools.partial(_advanced, name), f"Newton, solver {name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    solver, states = _body(name, problem.tensor.tobytes())
    _placed(states[0], Q, Q @ Omega)  # it has velocities and torques in space axes
    for i in range(n):
        now, then = states[i % 2], states[1 - i % 2]
        now.clear_forces()
        if problem.has_torque:
            Q = Rotation().from_quat(now.body_q.numpy()[0, 3:]).as_matrix()
            now.body_f.assign(np.concatenate([np.zeros(3), Q @ problem.torque(t + i * h, Q)], dtype=np.float32)[None])
        solver.step(now, then, None, None, h)
    then = states[n % 2]
    Q = Rotation().from_quat(then.body_q.numpy()[0, 3:].astype(float)).as_matrix()
    return Q, Q.T @ then.body_qd.numpy()[0, 3:].astype(float)


def _placed(state: Any, Q: np.ndarray, omega: np.ndarray) -> None:
    """Set the attitude and the velocity, of the body and of its joint."""
    place = np.concatenate([np.zeros(3), Rotation().from_matrix(Q).as_quat()], dtype=np.float32)
    twist = np.concatenate([np.zeros(3), omega], dtype=np.float32)
    state.body_q.assign(place[None])
    state.body_qd.assign(twist[None])
    state.joint_q.assign(place)
    state.joint_qd.assign(twist)


@functools.lru_cache(maxsize=16)
def _body(name: str, tensor: bytes) -> tuple[Any, tuple[Any, Any]]:
    """A body with this tensor of inertia on the processor, its solver, and two states in turn."""
    import newton
    import warp

    warp.config.quiet = True
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    inertia = warp.mat33(*np.frombuffer(tensor).astype(np.float32).tolist())
    builder.add_body(mass=1.0, inertia=inertia, lock_inertia=True)
    model = builder.finalize(device="cpu")
    return getattr(newton.solvers, SOLVERS[name])(model, **UNDAMPED), (model.state(), model.state())
