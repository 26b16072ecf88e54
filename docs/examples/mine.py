"""A Lie-Verlet integrator of one's own in three forms, and one with a mistake. Certify any of them:

polhode certify mine:lie_verlet
polhode certify mine:with_exp
polhode certify mine:SPLITTING
polhode certify mine:SIMULATOR
"""

import numpy as np
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp, rotated_back
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import lin

# ---- a plain function on arrays ----------------------------------------------------------------------


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def cay(x):
    return np.linalg.solve(np.eye(3) - hat(x) / 2, np.eye(3) + hat(x) / 2)


def lie_verlet(problem, Q, Omega, h, t, rotation=cay):
    J = problem.tensor
    Pi = J @ Omega + h / 2 * problem.torque(t, Q)
    w = Omega
    for _ in range(50):  # until nothing changes: a tolerance would show in the certificate
        before, w = w, np.linalg.solve(J, Pi + h / 2 * np.cross(J @ w, w) - h * h / 4 * (w @ J @ w) * w)
        if np.array_equal(before, w):
            break
    Q = Q @ rotation(h * w)
    Pi = J @ w + h / 2 * np.cross(J @ w, w) + h * h / 4 * (w @ J @ w) * w + h / 2 * problem.torque(t + h, Q)
    return Q, np.linalg.solve(J, Pi)


# ---- the same with a mistake: the exponential where the Cayley map belongs ----------------------------


def with_exp(problem, Q, Omega, h, t):
    return lie_verlet(problem, Q, Omega, h, t, rotation=lambda x: Rotation.from_rotvec(x).as_matrix())


# ---- a kernel: compiled, and measured in as many digits as it takes -----------------------------------


@ph.kernel
def splitting(h, t, state, body):
    """Half a kick, the three axes in turn there and back, half a kick."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        angle = h / part * body[1][axis] * Pi[axis]
        turn = exp((angle * (axis == 0), angle * (axis == 1), angle * (axis == 2)))
        q, Pi = compose(q, turn), rotated_back(turn, Pi)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


SPLITTING = ph.Method(name="SPLITTING", step=splitting, order=2, symmetric=True, symplectic=True, torques_per_step=1)

# ---- a black box: a simulator that can only be run ----------------------------------------------------


def advance(problem, Q, Omega, h, n, t):
    """Any program that takes a state and a number of steps; here one that counts its own time."""
    for i in range(n):
        Q, Omega = lie_verlet(problem, Q, Omega, h, t + i * h)
    return Q, Omega


SIMULATOR = ph.BlackBox("my simulator", advance)
