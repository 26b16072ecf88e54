"""Integrators of one's own in every form that a certificate takes, and one with a mistake. Certify any of them:

polhode certify mine:lie_verlet
polhode certify mine:with_exp
polhode certify mine:LIE_VERLET
polhode certify mine:SPLITTING
polhode certify mine:HALF_WAY
polhode certify mine:SIMULATOR
polhode certify mine:OWN_STEPS

or two of them at once, each in a process: python mine.py
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp, rotated_back
from polhode.kernels.step import moment_at, torque_at, velocity_of
from polhode.kernels.vectors import cross, lin, plus, scaled

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


# ---- an object with settings, that can be called ------------------------------------------------------


class LieVerlet:
    """Lie-Verlet with a map of one's choice; a certificate calls it by its `__name__`."""

    def __init__(self, rotation, name):
        self.rotation, self.__name__ = rotation, name

    def __call__(self, problem, Q, Omega, h, t):
        return lie_verlet(problem, Q, Omega, h, t, self.rotation)


LIE_VERLET = LieVerlet(cay, "Lie-Verlet with cay")

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

# ---- another, under torques of the velocity as well ----------------------------------------------------


@ph.kernel
def half_way(h, t, state, body):
    """The slope half way, which asks for the torque at a velocity: of order 2, and conserves next to nothing."""
    q, Pi, tau, memory = state
    Omega = velocity_of(Pi, body)
    Pi_there = lin(1, Pi, h / 2, plus(cross(Pi, Omega), tau))
    Omega_there, q_there = velocity_of(Pi_there, body), compose(q, exp(scaled(h / 2, Omega)))
    tau = moment_at(t + h / 2, q_there, Omega_there, body)
    Pi, q = lin(1, Pi, h, plus(cross(Pi_there, Omega_there), tau)), compose(q, exp(scaled(h, Omega_there)))
    return (q, Pi, moment_at(t + h, q, velocity_of(Pi, body), body), memory), NO_SOLVE


HALF_WAY = ph.Method(name="HALF_WAY", step=half_way, order=2, symmetric=False, symplectic=False, velocity="stages")

# ---- a black box: a simulator that can only be run ----------------------------------------------------


def advance(problem, Q, Omega, h, n, t):
    """Any program that takes a state and a number of steps; here one that counts its own time."""
    for i in range(n):
        Q, Omega = lie_verlet(problem, Q, Omega, h, t + i * h)
    return Q, Omega


SIMULATOR = ph.BlackBox("my simulator", advance)

# ---- another that chooses its own steps ---------------------------------------------------------------


def adaptive(problem, Q, Omega, h, n, t):
    """SciPy to a tolerance: n h is only how far it is asked to go."""
    J = problem.tensor

    def slope(t, y):
        Q, Omega = y[:9].reshape(3, 3), y[9:]
        Pi_dot = np.cross(J @ Omega, Omega) + problem.torque(t, Q)
        return np.concatenate([np.ravel(Q @ hat(Omega)), np.linalg.solve(J, Pi_dot)])

    y = solve_ivp(slope, (t, t + n * h), np.concatenate([np.ravel(Q), Omega]), rtol=1e-9, atol=1e-9).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]


OWN_STEPS = ph.BlackBox("my simulator with its own steps", adaptive, tolerance=1e-9)

# ---- several at once, each in a process ---------------------------------------------------------------

if __name__ == "__main__":
    both = ph.certify([lie_verlet, with_exp], drift=False, workers=2)
    print(both["with_exp"].summary)
