"""The symplectic form of a gyrostat, and of a body damped like its inertia: kept, contracted, or neither."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph

J, W, ROTOR, GAMMA, H = np.array([1.0, 2.0, 2.5]), np.array([1.0, 0.2, 0.3]), np.array([0.4, -0.3, 0.8]), 0.3, 0.2
Q0 = Rotation.from_rotvec([0.3, 0.2, -0.4]).as_matrix()


def potential(Q):
    return 0.7 * Q[2, 2] + 0.3 * Q[0, 1]


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def form(P):
    """The canonical form at body momentum P, of changes of the attitude on the right and of P."""
    return np.block([[hat(P), -np.eye(3)], [np.eye(3), np.zeros((3, 3))]])


def defect(problem, method, l, factor):
    """max |D^T W(P1) D - factor W(P0)| of a step, D by extrapolated differences, P = J Omega + l."""
    P0 = J * W + l

    def mapped(z):
        Q = Q0 @ Rotation.from_rotvec(z[:3]).as_matrix()
        Q, Omega = ph.step(problem, method, Q, (P0 + z[3:] - l) / J, H)
        return Q, J * Omega + l

    Q1, P1 = mapped(np.zeros(6))

    def slope(d, e):
        (A, a), (B, b) = mapped(e * d), mapped(-e * d)
        turn = Rotation.from_matrix(Q1.T @ A).as_rotvec() - Rotation.from_matrix(Q1.T @ B).as_rotvec()
        return np.concatenate([turn, a - b]) / (2 * e)

    D = np.stack([(4 * slope(d, 5e-4) - slope(d, 1e-3)) / 3 for d in np.eye(6)], axis=1)
    return np.abs(D.T @ form(P1) @ D - factor * form(P0)).max()


SYMPLECTIC = ["VLV", "RATTLE", "LP2", "HP-EXP", "SR4", "EXACT", "GAUSS8"]
NOT = ["IMR4", "SACCON", "RKMK4", "MCG", "TLN", "JEM4"]


@pytest.mark.parametrize("method", SYMPLECTIC + NOT)
def test_a_rotor_stays_hamiltonian(method):
    problem = ph.Problem(inertia=J, Omega0=W, potential=potential, rotor=ROTOR)
    found = defect(problem, method, ROTOR, 1.0)
    assert found < 1e-10 if method in SYMPLECTIC else found > 1e-6


@pytest.mark.parametrize("method", SYMPLECTIC[:-1] + NOT)
def test_damping_like_the_inertia_contracts_the_form_by_its_factor(method):
    problem = ph.Problem(inertia=J, Omega0=W, potential=potential, damping=np.diag(GAMMA * J))
    found = defect(problem, method, np.zeros(3), np.exp(-GAMMA * H))
    assert found < 1e-10 if method in SYMPLECTIC else found > 1e-7
