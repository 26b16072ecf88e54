"""What a user would pick instead of this package, each in the form in which it is fastest.

Adaptive solvers (ADAPTIVE): a module has `solvers(stress)`, names -> prepare(times) -> solve(tolerance) -> states, one
row (q, Omega) per time. Steppers (STEPPERS): a module has NAME, REMARK, STEPS (how many to time) and
`stepper(problem, h)` -> run(n) -> (Q, Omega) after n steps. A module that cannot be imported is left out, with the
reason.
"""

ADAPTIVE = ("heyoka_taylor", "scipy_ivp", "diffrax_rk")
STEPPERS = ("jax_md_nve", "sdof_rigid", "numpy_script")
