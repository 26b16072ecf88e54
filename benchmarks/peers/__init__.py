"""What a user would pick instead of this package, each in the form in which it is fastest.

Adaptive solvers (ADAPTIVE): a module has `solvers(stress)`, names -> prepare(times) -> solve(tolerance) -> states, one
row (q, Omega) per time. For many bodies (ENSEMBLES): `ensembles(stress)`, names -> prepare(starts, times) ->
solve(tolerance) -> states (times, bodies, 7). Steppers (STEPPERS): a module has NAME, REMARK, OURS (the method of ours
that does the same, or nearly), STEPS (how many to time) and `stepper(problem, h)` -> run(n) -> (Q, Omega) after n
steps. A module that cannot be imported is left out, with the reason.
"""

import importlib

ADAPTIVE = ("heyoka_taylor", "scipy_ivp", "diffrax_rk")
ENSEMBLES = ("heyoka_taylor",)
STEPPERS = ("jax_md_nve", "sdof_rigid", "numpy_script")


def imported(names):
    """The modules of these names that can be imported, and for the others the reason why not."""
    modules, left_out = {}, {}
    for name in names:
        try:
            modules[name] = importlib.import_module(f"peers.{name}")
        except ImportError as reason:
            left_out[name] = str(reason)
    return modules, left_out
