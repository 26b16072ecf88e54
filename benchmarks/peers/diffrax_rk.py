"""diffrax: Runge-Kutta methods in JAX, compiled for the equations, the interval and the number of samples."""

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

from peers.stress import rates

jax.config.update("jax_enable_x64", True)


def solvers(stress):
    """Orders 5 and 8."""
    term = diffrax.ODETerm(lambda t, y, _: jnp.stack(rates(y, jnp.sqrt, stress.J, stress.alpha, stress.qm)))
    y0 = jnp.array(stress.y0)

    def prepare(method, times):
        saved = diffrax.SaveAt(ts=jnp.array(times))

        @jax.jit
        def integrate(tolerance):
            control = diffrax.PIDController(rtol=tolerance, atol=tolerance)
            return diffrax.diffeqsolve(
                term, method, 0.0, times[-1], None, y0, stepsize_controller=control, saveat=saved, max_steps=None
            ).ys

        return lambda tolerance: np.array(integrate(tolerance))

    return {
        "diffrax Tsit5": lambda times: prepare(diffrax.Tsit5(), times),
        "diffrax Dopri8": lambda times: prepare(diffrax.Dopri8(), times),
    }
