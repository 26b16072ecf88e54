"""SciPy's DOP853 and LSODA, with the right-hand side compiled by Numba and written with NumPy."""

import math
import warnings

import numba
import numpy as np
from scipy.integrate import odeint, solve_ivp

from peers.stress import rates
from polhode.inputs.scipy_rotation import Rotation


def solvers(stress):
    """Both solvers with both right-hand sides; the NumPy one is for shorter times."""
    compiled = _compiled(stress)
    plain, y0 = _plain(stress), np.array(stress.y0)
    Q0 = Rotation().from_quat(y0[:4], scalar_first=True).as_matrix()
    start = np.concatenate([Q0.ravel(), y0[4:]])
    back = lambda states: np.hstack(
        [Rotation().from_matrix(states[:, :9].reshape(-1, 3, 3)).as_quat(scalar_first=True), states[:, 9:]]
    )
    same = lambda states: states
    return {
        "SciPy DOP853, Numba": lambda times: _dop853(compiled, y0, times, same),
        "SciPy LSODA, Numba": lambda times: _lsoda(compiled, y0, times, same),
        "SciPy DOP853, NumPy": lambda times: _dop853(plain, start, times, back),
        "SciPy LSODA, NumPy": lambda times: _lsoda(plain, start, times, back),
    }


def _dop853(f, y0, times, seen):
    def solve(tolerance):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a tolerance below what it can do is raised, which we know
            done = solve_ivp(f, (0.0, times[-1]), y0, "DOP853", times, rtol=tolerance, atol=tolerance)
        return seen(done.y.T)

    return solve


def _lsoda(f, y0, times, seen):
    def solve(tolerance):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grid = np.concatenate([[0.0], times])
            return seen(odeint(f, y0, grid, rtol=tolerance, atol=tolerance, tfirst=True, mxstep=10**8)[1:])

    return solve


def _compiled(stress):
    inner = numba.njit(rates)
    root = numba.njit(lambda x: math.sqrt(x))
    J, alpha, qm = stress.J, stress.alpha, stress.qm

    @numba.njit
    def f(t, y):
        r = inner((y[0], y[1], y[2], y[3], y[4], y[5], y[6]), root, J, alpha, qm)
        return np.array([r[0], r[1], r[2], r[3], r[4], r[5], r[6]])

    f(0.0, np.array(stress.y0))
    return f


def _plain(stress):
    """As one writes it at first: matrices, np.cross, np.trace."""
    J, alpha = np.diag(stress.J), stress.alpha
    Qm = Rotation().from_quat(stress.qm, scalar_first=True).as_matrix()
    inverse = np.linalg.inv(J)

    def f(t, y):
        Q, Omega = y[:9].reshape(3, 3), y[9:]
        A = Qm.T @ Q
        near, far = np.sqrt(2 * np.trace(np.eye(3) - Q)), np.sqrt(2 * np.trace(np.eye(3) - A))
        S = (2 / near - 2) * (Q - Q.T) - alpha / far**3 * (A - A.T)
        tau = np.array([S[2, 1], S[0, 2], S[1, 0]])
        hat = np.array([[0, -Omega[2], Omega[1]], [Omega[2], 0, -Omega[0]], [-Omega[1], Omega[0], 0]])
        return np.concatenate([(Q @ hat).ravel(), inverse @ (np.cross(J @ Omega, Omega) + tau)])

    return f
