"""One source, several arithmetics: floats, machine code, complex numbers, mpmath."""

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.kernels.rotations import compose, inverse, matrix
from polhode.kernels.scalar import STEP
from polhode.runs.runners.kernel_runner import body_of
from polhode.testbench.certificate.kernel import theorems

METHODS = list(ph.methods().values())
NAMED = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)


def problem_for(method, name):
    return ph.problem("free-body" if method.free_only else name)


@NAMED
@pytest.mark.parametrize("problem", ["stress", "forced", "heavy-top"])
def test_machine_code_equals_python_bit_for_bit(method, problem):
    p = problem_for(method, problem)
    a = ph.solve(p, method, h=0.125, n_steps=60, compiled=True)
    b = ph.solve(p, method, h=0.125, n_steps=60, compiled=False)
    assert a.stats["compiled"] and not b.stats["compiled"]
    assert np.array_equal(a.Q, b.Q) and np.array_equal(a.Omega, b.Omega)
    assert a.stats["n_iterations"] == b.stats["n_iterations"]


@NAMED
def test_floats_agree_with_fifty_digits(method):
    """Ten steps in floats and in fifty digits from the same start: apart by a few units in the last place."""
    p = problem_for(method, "forced")
    s = ph.solve(p, method, h=0.125, n_steps=10)
    with mpmath.workdps(50):
        body = body_of(p, method, number=mpmath.mpf)
        q, Pi = (tuple(mpmath.mpf(x) for x in part) for part in p.start())
        h = mpmath.mpf(1) / 8
        state = method.start(h, mpmath.mpf(0), q, Pi, body)
        for i in range(10):
            state = theorems.one_step(method, h, i * h, state, body)
        Q = np.array([float(x) for x in matrix(state[0])]).reshape(3, 3)
        Omega = np.array([float(x) for x in state[1]]) / p.moments
    assert s.Q[-1] == pytest.approx(Q, abs=1e-13)
    assert s.Omega[-1] == pytest.approx(Omega, abs=1e-13)


@NAMED
@pytest.mark.parametrize("size", [1e-3, 1e-6, 1e-9])
def test_near_identity_steps_keep_relative_accuracy(method, size):
    """A step of a tiny angle is as accurate, relative to the angle, as a large one."""
    p = ph.problem("free-body").replaced(Omega0=(0.4 * size, -0.7 * size, 0.5 * size))
    s = ph.solve(p, method, h=0.125, n_steps=1)
    with mpmath.workdps(50):
        body = body_of(p, method, number=mpmath.mpf)
        q, Pi = (tuple(mpmath.mpf(x) for x in part) for part in p.start())
        q1, Pi1 = theorems.fresh(method, mpmath.mpf(1) / 8, mpmath.mpf(0), q, Pi, body)
        turn = compose(inverse(q), q1)
        angle = [float(2 * x / turn[0]) for x in turn[1:]]
        Omega = [float(x) for x in Pi1]
    Q = s.Q[0].T @ s.Q[1]
    seen = np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) / 2
    assert seen == pytest.approx(angle, abs=4e-16 + 1e-6 * size**2)  # the matrix has absolute round-off, no more
    assert s.Omega[1] * p.moments == pytest.approx(Omega, rel=4e-15)


@pytest.mark.parametrize("method", [m for m in METHODS if m.symplectic and not m.free_only], ids=lambda m: m.name)
def test_symplectic_in_floats_by_the_complex_step(method):
    assert symplectic_defect(method) < 1e-13


@pytest.mark.parametrize("name", ["ELN", "TLN", "LIEMID[EA]", "PRK", "MCG", "NEW3", "NMB", "TLN-EXP", "RKMK4"])
def test_clearly_not_symplectic_in_floats(name):
    assert symplectic_defect(ph.method(name)) > 1e-6


def symplectic_defect(method, h=0.2):
    """max |D^T W(Pi1) D - W(Pi0)| in ordinary complex numbers: independent of the measurement in mpmath."""
    p = ph.problem("stress", inertia=(1.6, 2.3, 3.1))
    body = body_of(p, method)
    q, Pi = p.replaced(Q0=(0.3, 0.7, -0.2), Omega0=(0.5, -0.3, 0.4)).start()
    D = np.empty((6, 6))
    for j in range(6):
        e = np.zeros(6, complex)
        e[j] = 1j * STEP
        qj = compose(q, (1, *(e[:3] / 2).tolist()))
        state = method.start(h, 0.0, qj, tuple(complex(x) for x in np.array(Pi) + e[3:]), body)
        q1, Pi1, _, _ = theorems.one_step(method, h, 0.0, state, body)
        Q1 = np.array(matrix(q1)).reshape(3, 3)
        S = Q1.real.T @ Q1.imag / STEP
        D[:, j] = [S[2, 1], S[0, 2], S[1, 0], *(np.array(Pi1).imag / STEP)]

    def W(Pi):
        x, y, z = Pi
        hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.block([[-hat, np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])

    return np.abs(D.T @ W(np.array(Pi1).real) @ D - W(Pi)).max()
