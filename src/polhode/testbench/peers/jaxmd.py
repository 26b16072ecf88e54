"""JAX MD: the NVE simulation of a rigid body in quaternions, the splitting of Miller et al. (2002)."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "JAX MD, molecular dynamics"
INSTALL = "jax-md"


def names() -> list[str]:
    """There is one for constant energy."""
    import jax_md  # noqa: F401

    return ["nve"]


def engine(name: str) -> BlackBox:
    """simulate.nve, in double precision but for h, which JAX MD rounds to single precision."""
    return BlackBox(f"jaxmd:{name}", _advanced, "JAX MD, simulate.nve of a RigidBody")


def _advanced(
    problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    run, now = _simulation()
    now["problem"] = problem
    q = Rotation().from_matrix(Q @ problem.axes).as_quat(scalar_first=True)
    q, Pi = run(q, problem.moments * (problem.axes.T @ Omega), problem.moments, h, n, t)
    Q = Rotation().from_quat(np.asarray(q), scalar_first=True).as_matrix()
    return Q @ problem.axes.T, problem.axes @ (np.asarray(Pi) / problem.moments)


@functools.cache
def _simulation() -> tuple[Callable[..., Any], dict[str, Any]]:
    """The compiled loop, one for every problem, and where it finds the torque of the one at hand."""
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from jax_md import rigid_body, simulate, space
    from jax_md.rigid_body import Quaternion, RigidBody

    now: dict[str, Any] = {}

    def torque(q: Any, t: Any) -> np.ndarray:
        problem = now["problem"]
        Q = Rotation().from_quat(np.asarray(q), scalar_first=True).as_matrix()
        return problem.axes.T @ problem.torque(float(t), Q @ problem.axes.T)

    def force(body: Any, t: Any, **others: Any) -> Any:
        q = body.orientation.vec[0]
        tau = jax.pure_callback(torque, jax.ShapeDtypeStruct((3,), jnp.float64), q, t)
        return RigidBody(jnp.zeros((1, 3)), _conjugate(body.orientation, tau))

    def _conjugate(orientation: Any, Pi: Any) -> Any:
        return rigid_body.angular_momentum_to_conjugate_momentum(orientation, Pi[None])

    start, step = simulate.nve(force, space.free()[1])

    @jax.jit
    def run(q: Any, Pi: Any, moments: Any, h: Any, n: Any, t: Any) -> Any:
        orientation = Quaternion(q[None])
        body, mass = RigidBody(jnp.zeros((1, 3)), orientation), RigidBody(jnp.ones(1), moments[None])
        momenta = RigidBody(jnp.zeros((1, 3)), _conjugate(orientation, Pi))
        state = start(None, body, 0.0, mass=mass, momenta=momenta, t=t)
        state = jax.lax.fori_loop(0, n, lambda i, s: step(s, dt=h, t=t + (i + 1) * h), state)
        Pi = rigid_body.conjugate_momentum_to_angular_momentum(state.position.orientation, state.momentum.orientation)
        return state.position.orientation.vec[0], Pi[0]

    return run, now
