"""SW and NMB with gamma, and Svanberg's leap-frog: printed equations, and claims of what no catalogue lists."""

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.integrators.properties import CLAIMED
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases

H = 0.1


@pytest.fixture(scope="module")
def p():
    return cases.forced()


def exp(x):
    return Rotation.from_rotvec(x).as_matrix()


def hat(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def acceleration(p, t, Q, Omega):
    return np.linalg.solve(p.tensor, np.cross(p.tensor @ Omega, Omega) + p.torque(t, Q))


def test_svanberg_in_quaternions(p):
    """q_h = q0 + h/2 q'_h and q1 = q0 + h q'_h, solved for the seven numbers at once."""
    J, Q, Omega = p.tensor, p.Q0, p.Omega0
    pi = Q @ (J @ Omega + H / 2 * p.torque(p.t0, Q))

    def times(a, b):
        return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])

    q0 = Rotation.from_matrix(Q).as_quat(scalar_first=True)

    def rate(q):
        body = Rotation.from_quat(q, scalar_first=True).as_matrix().T @ pi
        return times(q, np.array([0, *np.linalg.solve(J, body)])) / 2

    middle = fsolve(lambda q: q - q0 - H / 2 * rate(q), q0, xtol=1e-12)
    q1 = q0 + H * rate(middle)
    assert np.linalg.norm(q1) == pytest.approx(1, abs=1e-13)
    Q1 = Rotation.from_quat(q1, scalar_first=True).as_matrix()
    Omega1 = np.linalg.solve(J, Q1.T @ pi + H / 2 * p.torque(p.t0 + H, Q1))
    found = ph.step(p, "SVANBERG", Q, Omega, H, p.t0)
    assert found[0] == pytest.approx(Q1, abs=1e-12) and found[1] == pytest.approx(Omega1, abs=1e-12)


@pytest.mark.parametrize("gamma", [0.4, 0.6, 1.0])
def test_newmark_with_transport(p, gamma):
    """(30), (35) and (19) of Krysl & Endres, with the sign of S mended."""
    J, Q, Omega = p.tensor, p.Q0, p.Omega0
    A = acceleration(p, p.t0, Q, Omega)
    Psi = H * Omega + H**2 / 2 * A
    n = np.linalg.norm(Psi)
    S = np.eye(3) - (1 - np.cos(n)) / n**2 * hat(Psi) + (n - np.sin(n)) / n**3 * hat(Psi) @ hat(Psi)
    Q1 = Q @ exp(Psi)
    carried = S @ (Omega + H * (1 - gamma) * A)
    tau = p.torque(p.t0 + H, Q1)

    def balance(A1):
        new = carried + H * gamma * A1
        return J @ A1 + np.cross(new, J @ new) - tau

    Omega1 = carried + H * gamma * fsolve(balance, A, xtol=1e-12)
    found = ph.step(p, f"NMB({gamma})", Q, Omega, H, p.t0)
    assert found[0] == pytest.approx(Q1, abs=1e-13) and found[1] == pytest.approx(Omega1, abs=1e-12)
    without = ph.step(p, ph.newmark(0, gamma), Q, Omega, H, p.t0)[1]
    assert np.abs(without - found[1]).max() > 1e-7  # the transport is there


@pytest.mark.parametrize("gamma", [0.4, 0.6])
def test_claims_of_newmark_with_transport(gamma):
    m = ph.newmark(0, gamma, transport=True)
    for row in (row for row in CLAIMED if row.is_of(m)):
        assert theorems.tested(row, m).holds is getattr(m, row.claim), row.claim
    assert theorems.order(m, cases.potential()) == pytest.approx((1, 1), abs=0.05)
    s = ph.solve("stress", m, h=0.125, t_end=50.0)
    assert np.sign(s.energy_error[-1]) == {"+": 1, "-": -1}[m.drift]


def test_newmark_with_transport_and_one_half_is_nmb():
    assert ph.newmark(0, "1/2", transport=True) is ph.method("NMB") and ph.method("NMB(1/2)") is ph.method("NMB")
    with pytest.raises(ph.InputError, match="must be 0"):
        ph.newmark("1/4", "0.6", transport=True)


def test_simo_wong_with_gamma(p):
    """Two steps: the second uses the acceleration that the first has left."""
    gamma, J = 0.75, p.tensor
    Q, Omega = p.Q0, p.Omega0
    A = acceleration(p, p.t0, Q, Omega)
    for k in range(2):
        t = p.t0 + k * H
        Q1 = Q @ exp(H * Omega + H**2 / 2 * A)
        pi = Q @ J @ Omega + H / 2 * (Q @ p.torque(t, Q) + Q1 @ p.torque(t + H, Q1))
        Omega1 = np.linalg.solve(J, Q1.T @ pi)
        A = ((Omega1 - Omega) / H - (1 - gamma) * A) / gamma
        Q, Omega = Q1, Omega1
    s = ph.solve(p, "SW(3/4)", h=H, n_steps=2, compiled=False)
    assert s.Q[-1] == pytest.approx(Q, abs=1e-13) and s.Omega[-1] == pytest.approx(Omega, abs=1e-13)


def test_which_gammas_simo_wong_has():
    assert ph.method("SW(1/2)") is ph.method("SW")
    with pytest.raises(ph.InputError, match="from 1/2"):
        ph.method("SW(0.4)")
