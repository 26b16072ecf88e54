"""A problem made of kernels for a body whose axes are not its principal axes.

Kernels work in principal axes. With P the rotation from principal to body axes, a vector v of the body has the
components P^T v there, and the attitude is Q P; what the user gives and sees stays in body axes.
"""

import numpy as np

from polhode.inputs import principal_axes, rotation, vector
from polhode.problem import Problem


def from_kernels(*, inertia_body, parameters, Q0, Omega0, Pi0, **data):
    """Problem.from_kernels for any inertia; `parameters` is a function (moments, P) -> numbers."""
    moments, P = principal_axes("inertia_body", inertia_body)
    Q0 = rotation("Q0", Q0)
    problem = Problem.from_kernels(
        inertia=moments,
        parameters=parameters(moments, P),
        Omega0=None if Omega0 is None else P.T @ vector("Omega0", Omega0),
        Pi0=None if Pi0 is None else P.T @ vector("Pi0", Pi0),
        **data,
    )
    problem.inertia, problem.axes = np.array(inertia_body, dtype=float), P
    problem.Q0, problem.Omega0 = Q0, P @ problem.Omega0
    return problem
