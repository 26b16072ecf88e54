"""Wrong at a point of the states alone, or near the identity; loops of black boxes that lose a step or count the time
in single precision; and right ones whose iteration does not see complex numbers."""

import numpy as np
from scipy.spatial.transform import Rotation

from tests.testbench.certificate.adversary.fourth import axes_alone, torque_changed
from tests.testbench.certificate.adversary.steps import cross, exp, hat, rates, verlet
from tests.testbench.certificate.adversary.third import right

# ---- at a point, or near one --------------------------------------------------------------------------


def mean_of_quaternions(p, Q, Omega, h, t):
    """Midpoint's method with the mean of two quaternions, which is none where their signs differ: one wrong torque."""
    Q, Omega = np.asarray(Q, float), np.asarray(Omega, float)
    w = Omega + h / 2 * rates(p, t, Q, Omega)[1]
    a, b = (Rotation.from_matrix(A).as_quat(canonical=True) for A in (Q, Q @ exp(h * Omega)))
    mean = (a + b) / 2 if np.linalg.norm(a + b) > 0 else a
    middle = Rotation.from_quat(mean).as_matrix()
    return Q @ exp(h * w), Omega + h * rates(p, t + h / 2, middle, w)[1]


def no_torque_at_the_identity(p, Q, Omega, h, t):
    """An attitude that is the identity to the last bit is taken for one that was not set."""
    is_set = lambda A: not np.array_equal(np.real(A), np.eye(3))
    return verlet(p, Q, Omega, h, t, torque=lambda s, A: p.torque(s, A) if is_set(A) else 0 * Omega)


def frozen_near_the_identity(p, Q, Omega, h, t):
    """Within 0.3 rad of the identity the torque is that at 0.3 rad about the first axis."""
    near = lambda A: np.real(np.trace(A)) > 1 + 2 * np.cos(0.3)
    frozen = exp(np.array([0.3, 0.0, 0.0]))
    torque = lambda s, A: p.torque(s, frozen + 0 * A if near(A) else A)
    Pi = p.tensor @ Omega + h / 2 * torque(t, Q)
    Q, Pi = axes_alone(p, Q, Pi, h)
    return Q, np.linalg.solve(p.tensor, Pi + h / 2 * torque(t + h, Q))


def _cut_off(p, t, tau):
    largest = np.abs(tau).max()
    return tau if largest < 20 else tau * (20 / largest)


torque_cut_off = torque_changed(_cut_off)
"""As an actuator does, far beyond what the usual problems have."""


# ---- loops of black boxes -----------------------------------------------------------------------------


def odd_step_lost(p, Q, Omega, h, n, t):
    """Two steps at a time, unless it is one: the last of an odd number is lost."""
    for i in range(n if n == 1 else n - n % 2):
        Q, Omega = right(p, Q, Omega, h, t + i * h)
    return Q, Omega


def time_in_single_precision(p, Q, Omega, h, n, t):
    s = np.float32(t)
    for _ in range(n):
        Q, Omega = right(p, Q, Omega, h, float(s))
        s = np.float32(s + np.float32(h))
    return Q, Omega


def time_goes_forward(p, Q, Omega, h, n, t):
    """Its clock runs forward, also when its steps go back: one step does not show it."""
    for i in range(n):
        Q, Omega = right(p, Q, Omega, h, t + i * abs(h))
    return Q, Omega


# ---- right --------------------------------------------------------------------------------------------


def newton_by_differences(p, Q, Omega, h, t):
    """A variational method with the exponential, whose equation Newton's method solves with a Jacobian by differences:
    it ends by the real part of the residual, before the imaginary part of a complex step has converged."""
    J, P = p.tensor, p.tensor @ Omega + h / 2 * p.torque(t, Q)

    def residual(x):
        y = J @ x
        c, s = cross(x, y), np.sqrt(x @ x)
        twice = (
            (1 / s - np.cos(s / 2) / np.sin(s / 2) / 2) / s if abs(s) > 0.03 else 1 / 12 + s * s / 720 + s**4 / 30240
        )
        return y + c / 2 + twice * cross(x, c) - h * P

    x = h * np.linalg.solve(J, P)
    for _ in range(30):
        f = residual(x)
        if np.abs(f.real).max() <= 4e-16 * np.abs(h * P.real).max():
            break
        slope = np.stack([(residual(x.real + 1e-7 * e) - residual(x.real)) / 1e-7 for e in np.eye(3)], axis=1)
        x = x - np.linalg.solve(slope.real, f)
    F = exp(x)
    return Q @ F, np.linalg.solve(J, F.T @ P + h / 2 * p.torque(t + h, Q @ F))


DORMAND_PRINCE = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)


def dormand_prince(p, Q, Omega, h, t):
    """Of order 5 on the entries of Q: its errors reach round-off with the finest steps."""
    k = []
    for row in DORMAND_PRINCE:
        A, w = (y + h * sum((a * x[i] for a, x in zip(row, k)), 0 * y) for i, y in enumerate((Q, Omega)))
        k.append((A @ hat(w), rates(p, t + sum(row) * h, A, w)[1]))
    return A, w
