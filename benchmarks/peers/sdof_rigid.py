"""sdof.rigid: integrators in Python with NumPy. Of those of its README, the released VLV raises an IndexError; this is
its `kb_e`, which is NEW2: explicit, so cheaper than VLV in the same style.
"""

import contextlib
import io
import types

import numpy as np

with contextlib.redirect_stdout(io.StringIO()):  # importing it runs an example
    from sdof.rigid import kb_e

NAME = "sdof.rigid"
REMARK = "its kb_e, our NEW2; its VLV does not run"
OURS = "NEW2"
STEPS = 100


def stepper(problem, h):
    """Its step in a loop."""
    J, alpha = np.diag(problem.moments), problem.parameters[0]
    Qm = np.array(problem.parameters[1:10]).reshape(3, 3)

    def torque(t, Q):
        A = Qm.T @ Q
        near, far = np.sqrt(2 * (3 - np.trace(Q))), np.sqrt(2 * (3 - np.trace(A)))
        S = (2 / near - 2) * (Q - Q.T) - alpha / far**3 * (A - A.T)
        return np.array([S[2, 1], S[0, 2], S[1, 0]])

    loading = types.SimpleNamespace(Torque=torque)

    def run(n):
        Q, Omega = problem.Q0.copy(), problem.Omega0.copy()
        Pi = J @ Omega
        for i in range(n):
            Pi, Omega, Q, _ = kb_e(i * h, Pi, Omega, Q, h, J, loading, None)
        return Q, Omega

    return run
