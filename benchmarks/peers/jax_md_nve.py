"""jax-md: rigid bodies by the symplectic quaternion scheme of Miller et al. (2002), the force by differentiation."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

from jax_md import rigid_body, simulate  # noqa: E402  (it fixes its precision when it is imported)

from polhode.inputs.scipy_rotation import Rotation  # noqa: E402

NAME = "jax-md"
REMARK = "our LP2 with the axes in another order"
OURS = "LP2"
STEPS = 10_000


def stepper(problem, h):
    """Its constant-energy simulation of one body, the loop inside JAX."""
    alpha = problem.parameters[0]
    q, Pi = problem.start()
    qm = jnp.array(Rotation().from_matrix(np.array(problem.parameters[1:10]).reshape(3, 3)).as_quat(scalar_first=True))

    def energy(body, **_):
        """With a normalised quaternion, as the force is a derivative in all four directions."""
        q = body.orientation.vec[0]
        w, W = q[0] / jnp.linalg.norm(q), qm @ q / jnp.linalg.norm(q)
        return (jnp.sqrt(8 * (1 - w**2)) - 1) ** 2 - alpha / jnp.sqrt(8 * (1 - W**2))

    _, step = simulate.nve(energy, lambda R, dR, **_: R + dR, h)
    orientation = rigid_body.Quaternion(jnp.array([q]))
    position = rigid_body.RigidBody(jnp.zeros((1, 3)), orientation)
    turning = rigid_body.angular_momentum_to_conjugate_momentum(orientation, jnp.array([Pi]))
    momentum = rigid_body.RigidBody(jnp.zeros((1, 3)), turning)
    mass = rigid_body.RigidBody(jnp.ones((1, 1)), jnp.array([problem.moments]))
    force = jax.tree_util.tree_map(lambda x: -x, jax.grad(energy)(position))
    start = simulate.NVEState(position, momentum, force, mass)

    @jax.jit
    def many(state, n):
        return jax.lax.fori_loop(0, n, lambda _, s: step(s), state)

    def run(n):
        end = many(start, n)
        now = rigid_body.conjugate_momentum_to_angular_momentum(end.position.orientation, end.momentum.orientation)
        Q = Rotation().from_quat(np.array(end.position.orientation.vec)[0], scalar_first=True).as_matrix()
        return Q, np.array(now)[0] / problem.moments

    return run
