"""Right integrators in awkward forms, and integrators that are wrong only where one does not look."""

import time

import numpy as np
from scipy.integrate import solve_ivp

from tests.testbench.certificate.adversary.steps import cay, cross, exp, hat, rates, verlet

# ---- right, but awkward -------------------------------------------------------------------------------

_Q, _OMEGA = np.empty((3, 3)), np.empty(3)


def same_arrays(p, Q, Omega, h, t):
    """Returns the same two arrays each time, as a wrapped C library does; real numbers only."""
    _Q[:], _OMEGA[:] = verlet(p, np.array(Q, float), np.array(Omega, float), h, t)
    return _Q, _OMEGA


def single(p, Q, Omega, h, t):
    """In single precision."""
    f = np.float32
    J, h = p.tensor.astype(f), f(h)
    Q, Omega = np.asarray(Q).real.astype(f), np.asarray(Omega).real.astype(f)
    tau = np.asarray(p.torque(t, Q.astype(float)), f)
    b, w = J @ Omega + h / 2 * tau, Omega
    for _ in range(40):
        w = np.linalg.solve(J, b + h / 2 * cross(J @ w, w) - h * h / 4 * (w @ J @ w) * w).astype(f)
    Q, m = Q @ cay(h * w).astype(f), J @ w
    tau = np.asarray(p.torque(t + h, Q.astype(float)), f)
    Pi = m + h / 2 * cross(m, w) + h * h / 4 * (w @ m) * w + h / 2 * tau
    return Q, np.linalg.solve(J, Pi).astype(f)


def substeps(p, Q, Omega, h, t):
    """Three steps inside one."""
    for i in range(3):
        Q, Omega = verlet(p, Q, Omega, h / 3, t + i * h / 3)
    return Q, Omega


class WarmStart:
    """The implicit midpoint rule, iterated to round-off from the velocity that it found before, complex or not."""

    def __init__(self):
        self.__name__, self.found = "warm_start", None

    def __call__(self, p, Q, Omega, h, t):
        near = self.found is not None and np.abs(self.found - Omega).max() < 0.5 * np.abs(Omega).max()
        m = self.found if near else Omega
        for _ in range(100):
            before, m = m, Omega + h / 2 * rates(p, t + h / 2, Q @ exp(h / 2 * m), m)[1]
            if np.array_equal(before, m):
                break
        self.found = m
        return Q @ exp(h * m), 2 * m - Omega


def refuses_backwards(p, Q, Omega, h, t):
    if h < 0:
        raise ValueError("h must be positive")
    return verlet(p, Q, Omega, h, t)


def absolute(step):
    """Goes forward, whatever the sign of h."""

    def forward(p, Q, Omega, h, t):
        return step(p, Q, Omega, abs(h), t)

    return forward


def refuses_large(p, Q, Omega, h, t):
    if abs(h) > 0.2:
        raise ValueError("h is too large")
    return verlet(p, Q, Omega, h, t)


def hangs_backwards(p, Q, Omega, h, t):
    while h < 0:
        time.sleep(0.01)
    return verlet(p, Q, Omega, h, t)


def nan_for_free(p, Q, Omega, h, t):
    tau = np.asarray(p.torque(t, Q))
    with np.errstate(all="ignore"):
        one = np.sqrt(tau @ tau) / np.sqrt(tau @ tau)
    Q, Omega = verlet(p, Q, Omega, h, t)
    return Q * one, Omega * one


def fails_for_equal_moments(p, Q, Omega, h, t):
    a, b, _ = p.moments.tolist()
    1 / (a - b)
    return verlet(p, Q, Omega, h, t)


def by_differences(p, Q, Omega, h, t):
    """Cannot take complex numbers."""
    return verlet(p, np.asarray(Q, dtype=float), np.asarray(Omega, dtype=float), float(h), t)


_RNG = np.random.default_rng(1)


def noisy(p, Q, Omega, h, t):
    Q, Omega = verlet(p, Q, Omega, h, t)
    return Q, Omega * (1 + 1e-9 * _RNG.standard_normal())


def own_steps(p, Q, Omega, h, t):
    """Chooses its own steps, and does not say so."""

    def rate(s, y):
        dQ, dOmega = rates(p, s, y[:9].reshape(3, 3), y[9:])
        return np.concatenate([dQ.ravel(), dOmega])

    y = solve_ivp(rate, (t, t + h), np.concatenate([Q.real.ravel(), Omega.real]), rtol=1e-7, atol=1e-9).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]


def rounded(p, Q, Omega, h, t):
    """Velocities to seven decimals."""
    Q, Omega = verlet(p, Q, Omega, h, t)
    return Q, np.round(Omega.real, 7)


# ---- memory -------------------------------------------------------------------------------------------


def leapfrog(p, Q, Omega, h, n, t):
    """The explicit two-step midpoint rule: order 2, weakly unstable; its first step is Verlet's."""
    old = Q, Omega
    Q, Omega = verlet(p, Q, Omega, h, t)
    for i in range(1, n):
        rate = rates(p, t + i * h, Q, Omega)[1]
        new = old[0] @ exp(2 * h * Omega), old[1] + 2 * h * rate
        old, (Q, Omega) = (Q, Omega), new
    return Q, Omega


def adams_bashforth(p, Q, Omega, h, n, t):
    """Two-step Adams-Bashforth: order 2; its first step is Heun's."""
    from tests.testbench.certificate.adversary.steps import lie_heun

    before = rates(p, t, Q, Omega)[1], Omega
    Q, Omega = lie_heun(p, Q, Omega, h, t)
    for i in range(1, n):
        rate = rates(p, t + i * h, Q, Omega)[1]
        turn = h * (1.5 * Omega - 0.5 * before[1])
        before, Omega, Q = (rate, Omega), Omega + h * (1.5 * rate - 0.5 * before[0]), Q @ exp(turn)
    return Q, Omega


class Lagging:
    """Takes the torque of the step before where there was one: order 1 in a chain of steps."""

    __name__ = "lagging"

    def __init__(self):
        self.next, self.tau = None, None

    def __call__(self, p, Q, Omega, h, t):
        now = np.asarray(p.torque(t, Q))
        goes_on = self.next is not None and abs(self.next[0] - t) < 1e-12 and np.array_equal(self.next[1], Omega)
        old = self.tau if goes_on else now
        Q, Omega = verlet(p, Q, Omega, h, t, torque=lambda s, A: old if s == t else p.torque(s, A))
        self.next, self.tau = (t + h, np.array(Omega)), now
        return Q, Omega


# ---- wrong elsewhere ----------------------------------------------------------------------------------


def diagonal_only(p, Q, Omega, h, t):
    return verlet(p, Q, Omega, h, t, J=np.diag(np.diag(p.tensor)))


def small_angles(p, Q, Omega, h, t):
    """A small-angle branch with half the angle."""

    def rotation(x):
        return cay(x / 2) if abs(x @ x) < 1e-4 else cay(x)

    return verlet(p, Q, Omega, h, t, rotation=rotation)


def beyond_157_degrees(p, Q, Omega, h, t):
    """An attitude passed through its rotation vector, which is cut off near half a turn."""
    angle = np.arccos(np.clip((np.trace(Q.real) - 1) / 2, -1, 1))
    if angle > 2.74:
        axis = np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]])
        Q = exp(2.74 / angle * angle / (2 * np.sin(angle) + 1e-300) * axis)
    return verlet(p, Q, Omega, h, t)


def nearly_equal(p, Q, Omega, h, t):
    """Moments that differ by a percent are taken for equal."""
    m = np.array(p.moments)
    for i in range(3):
        j = (i + 1) % 3
        if abs(m[i] - m[j]) < 0.01 * m[i]:
            m[j] = m[i]
    return verlet(p, Q, Omega, h, t, J=p.axes @ np.diag(m) @ p.axes.T)


def clamped(p, Q, Omega, h, t):
    """Rotations of more than 0.8 rad a step are cut."""

    def rotation(x):
        a = np.sqrt(x @ x)
        return cay(x * (0.8 / a)) if a.real > 0.8 else cay(x)

    return verlet(p, Q, Omega, h, t, rotation=rotation)


def sleeping(p, Q, Omega, h, t):
    """A body at rest stays asleep."""
    if np.abs(Omega).max() < 1e-3:
        return Q, Omega
    return verlet(p, Q, Omega, h, t)


def late(p, Q, Omega, h, t):
    """Time in single precision, with a coarse clock after a while."""
    return verlet(p, Q, Omega, h, t, torque=lambda s, A: p.torque(s if abs(s) < 100 else 100.0, A))


def fast_only(p, Q, Omega, h, t):
    """The gyroscopic term is cut off at high speed."""
    J = p.tensor
    if np.abs(Omega).max() > 6:
        return Q @ exp(h * Omega), Omega + h * np.linalg.solve(J, np.asarray(p.torque(t, Q)))
    return verlet(p, Q, Omega, h, t)


def sphere(p, Q, Omega, h, t):
    """Divides by differences of moments: NaN for a sphere."""
    m = p.moments
    with np.errstate(all="ignore"):
        one = (m.max() - m.min()) / (m.max() - m.min())
    Q, Omega = verlet(p, Q, Omega, h, t)
    return Q * one, Omega * one


def quaternion_unnormalised(x):
    w, v = 1.0, x / 2
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * hat(v)


def wrong_cayley(x):
    a = np.sqrt(x @ x)
    return np.eye(3) + 4 / (4 + a) * hat(x) + 2 / (4 + a) * hat(x) @ hat(x)
