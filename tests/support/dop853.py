"""An independent reference: SciPy's DOP853 on the entries of the matrix."""

import functools

import numpy as np
from scipy.integrate import solve_ivp


def dop853(problem, t_end, Q0=None, Omega0=None):
    """(Q, Omega) at t_end by SciPy's DOP853 on the nine entries of Q and on Omega: shares nothing with the methods."""
    J, inverse = problem.tensor, np.linalg.inv(problem.tensor)
    Q0 = problem.Q0 if Q0 is None else Q0
    Omega0 = problem.Omega0 if Omega0 is None else Omega0

    def right_hand_side(t, y):
        Q, Omega = y[:9].reshape(3, 3), y[9:]
        x, y_, z = Omega
        skew = np.array([[0, -z, y_], [z, 0, -x], [-y_, x, 0]])
        dOmega = inverse @ (np.cross(J @ Omega, Omega) + problem.torque(t, Q, Omega))
        return np.concatenate([(Q @ skew).ravel(), dOmega])

    start = np.concatenate([Q0.ravel(), Omega0])
    end = solve_ivp(right_hand_side, (problem.t0, t_end), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return end[:9].reshape(3, 3), end[9:]


@functools.cache
def reference_end(name, t_end):
    """The reference for a shipped problem at one time, computed once."""
    import polhode as ph

    return dop853(ph.problem(name), t_end)
