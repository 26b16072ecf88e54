"""Gauss collocation: its numbers, its equations solved by other means, its stages in lanes."""

import os
import subprocess
import sys

import mpmath
import numpy as np
import pytest
import scipy.optimize

import polhode as ph
from polhode.integrators.gauss import coefficients
from polhode.kernels.quadrature_nodes import Nodes, as_nodes, as_numbers, collocation, largest, last_of, mixed, total
from polhode.machine.compile import TORQUE
from polhode.machine.lanes import HALF
from polhode.runs.runners.kernel_runner import machine_torque
from polhode.testbench.certificate.states import cases
from tests.support.dop853 import reference_end

METHODS = [m for m in ph.methods().values() if m.nodes]


@pytest.mark.parametrize("s", range(1, 9))
def test_numbers_are_those_of_gauss(s):
    """Nodes and weights against NumPy's; a_ij integrates polynomials of degree below s; pairs add up to 1 exactly."""
    m, G, b, c = collocation(coefficients(s, float))
    m, G = (np.array([column.values for column in M]).T for M in (m, G))
    b, c = np.array(b.values), np.array(c.values)
    x, w = np.polynomial.legendre.leggauss(s)
    assert c == pytest.approx((1 + x) / 2, abs=1e-15) and b == pytest.approx(w / 2, abs=1e-15)
    assert (m + m.T == 1).all()
    for k in range(s):
        assert m @ (b * c**k) == pytest.approx(c ** (k + 1) / (k + 1), abs=1e-15)
        assert G @ (b * c**k) == pytest.approx(((1 + c) ** (k + 1) - 1) / (k + 1), rel=1e-9)


def test_numbers_are_exact_to_fifty_digits():
    with mpmath.workdps(55):
        _, _, b, c = collocation(coefficients(8, mpmath.mpf))
        for k in range(16):
            assert abs(total(Nodes(w * x**k for w, x in zip(b.values, c.values))) - mpmath.mpf(1) / (k + 1)) < 1e-50


def quaternion_rates(problem, t, y):
    """q' and p' of the canonical system, with NumPy and the problem's own torque."""
    q, p = y[:4], y[4:]
    product = lambda a, b: np.append(a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))
    Pi = product(q * (1, -1, -1, -1), p)[1:] / 2
    w, v = q[0], q[1:]
    K = np.cross(np.eye(3), v)
    Q = ((w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * K) / (q @ q)
    Omega, tau = np.append(0, Pi / problem.moments), np.append(0, problem.torque(t, Q))
    return np.concatenate([product(q, Omega) / 2, product(p, Omega) / 2 + 2 * product(q, tau) / (q @ q)])


@pytest.mark.parametrize("name", ["stress", "forced", "free-body"])
@pytest.mark.parametrize("order", [2, 6, 8])
def test_a_step_solves_the_equations_of_gauss(name, order):
    """Against SciPy's root finder on the 8 s equations as they are printed."""
    problem, s, h, t = ph.problem(name), order // 2, 0.2, 0.3
    x, w = np.polynomial.legendre.leggauss(s)
    c, b = (1 + x) / 2, w / 2
    A = (c[:, None] ** np.arange(1, s + 1) / np.arange(1, s + 1)) @ np.linalg.inv(np.vander(c, s, increasing=True))
    q, Pi = (np.array(part) for part in problem.start())
    p = 2 * np.append(-q[1:] @ Pi, q[0] * Pi + np.cross(q[1:], Pi))
    y0 = np.concatenate([q, p])
    rates = lambda Y: np.array([quaternion_rates(problem, t + ci * h, y) for ci, y in zip(c, Y)])
    defect = lambda flat: (flat.reshape(s, 8) - y0 - h * A @ rates(flat.reshape(s, 8))).ravel()
    Y = scipy.optimize.fsolve(defect, np.tile(y0, s), xtol=1e-13).reshape(s, 8)
    y1 = y0 + h * b @ rates(Y)
    Q, Omega = ph.step(problem, ph.gauss(order), problem.Q0, problem.Omega0, h, t)
    q, p = y1[:4], y1[4:]
    assert problem.moments * Omega == pytest.approx(
        (q[0] * p[1:] - p[0] * q[1:] - np.cross(q[1:], p[1:])) / 2, abs=1e-12
    )
    from scipy.spatial.transform import Rotation

    assert Q == pytest.approx(Rotation.from_quat(q, scalar_first=True).as_matrix(), abs=1e-12)


@pytest.mark.parametrize("order", [2, 4, 6, 10, 12, 14])
def test_orders_that_are_not_in_the_catalogue(order):
    """The error falls by 2^order; at high order by the digits that floats have."""
    method, T = ph.gauss(order), 2.0
    Q, _ = reference_end("stress", T)
    errors = [np.abs(ph.solve("stress", method, h=T / n, t_end=T).Q[-1] - Q).max() for n in (4, 8)]
    assert errors[1] < 3e-11 or np.log2(errors[0] / errors[1]) > order - 0.8
    assert errors[1] < errors[0] < 2e-2


@pytest.mark.parametrize("order", [0, 3, 18, 2.5, "8"])
def test_an_order_that_does_not_exist(order):
    with pytest.raises(ph.InputError, match="even"):
        ph.gauss(order)


def branching(t, Q):
    """A torque that no lane can take: it decides by a number."""
    return (1.0, 0.0, 0.1 * t) if Q[0, 0] > 0.5 else (0.0, Q[1, 2], np.sin(t))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_a_torque_is_taken_in_lanes_or_one_node_after_the_other(method):
    smooth = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (Q[0, 1] + t, np.sin(Q[1, 2]), 0.3), Omega0=(1, 2, 3))
    sharp = ph.Problem(inertia=(1, 2, 2.5), torque=branching, Omega0=(0.1, 0.2, 0.3))
    for problem, in_lanes in ((smooth, True), (sharp, False)):
        _, kind = machine_torque(problem, method)
        assert (kind != TORQUE) == in_lanes
        given = dict(h=0.05, n_steps=40)
        compiled, plain = ph.solve(problem, method, **given), ph.solve(problem, method, **given, compiled=False)
        assert compiled.success and compiled.stats["compiled"] and not plain.stats["compiled"]
        assert (compiled.Q == plain.Q).all() and (compiled.Omega == plain.Omega).all()
        assert compiled.stats["n_torque"] == plain.stats["n_torque"]


def test_evaluations_are_counted_at_every_node():
    calls = []
    problem = ph.Problem(
        inertia=(1, 2, 2.5), torque=lambda t, Q: calls.append(t) or (Q[0, 1], 0.2, t), Omega0=(0, 0, 1)
    )
    calls.clear()
    s = ph.solve(problem, "GAUSS8", h=0.1, n_steps=5, compiled=False)
    assert s.stats["n_torque"] == len(calls) == 1 + 4 * s.stats["n_iterations"]


@pytest.mark.filterwarnings("ignore::polhode.LargeStepWarning")
def test_a_step_too_long_is_an_error_with_what_to_do():
    s = ph.solve("stress", "GAUSS16", h=3.0, n_steps=50)
    assert not s.success and "GAUSS16 did not solve its equations at step" in s.message and "Reduce h" in s.message


def test_composed_it_gains_order_and_runs_in_every_loop():
    method = ph.compose(ph.gauss(2), "Y4")
    Q, _ = reference_end("stress", 2.0)
    errors = [np.abs(ph.solve("stress", method, h=2 / n, t_end=2).Q[-1] - Q).max() for n in (32, 64)]
    assert np.log2(errors[0] / errors[1]) > 3.9
    e = ph.solve_ensemble("stress", method, Omega0=[(0, 0, 0.6), (0.1, 0, 0.6)], h=0.125, n_steps=10)
    one = ph.solve(ph.problem("stress", Omega0=(0.1, 0, 0.6)), method, h=0.125, n_steps=10)
    assert (e.Q[:, 1] == one.Q).all()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_round_off_does_not_drift(method):
    """Energy and momentum of a free body in 10^5 steps: a few square roots of the number of steps, not a part of it."""
    p = cases.free()
    s = ph.solve(p, method, h=0.1, n_steps=100_000, save_every=1000, reduce=("energy", "momentum"))
    ulps = 2.0**-52 * 100_000**0.5
    assert np.abs(s.energy_error).max() < 4 * ulps * s.energy[0]
    assert np.abs(s.momentum - s.momentum[0]).max() < 4 * ulps * np.linalg.norm(s.momentum[0])
    assert s.orthogonality.max() < 8 * 2.0**-52


def test_nodes_are_numbers():
    a, b = Nodes((1.0, 2.0, 4.0)), Nodes((3.0, 5.0, 7.0))
    assert (a + b).values == (4, 7, 11) and (b - a).values == (2, 3, 3) and (a * b).values == (3, 10, 28)
    assert (b / a).values == (3, 2.5, 1.75) and (1 - a).values == (0, -1, -3) and (2 / a).values == (2, 1, 0.5)
    assert (1 + a).values == (2, 3, 5) and (2 * a).values == (2, 4, 8) and abs(-a).values == a.values
    assert as_nodes(as_numbers((a, b)), a)[1].values == b.values
    assert total(b) == 15 and largest(b) == 7 and last_of(b) == 7
    assert mixed(1.0, (a, a, b), Nodes((1.0, 2.0, 3.0))).values == (13, 22, 34)


SHORTER_VECTORS = """
import polhode as ph
from polhode.machine import lanes
assert lanes.HALF == 4
for name in ("GAUSS8", "GAUSS16"):
    s, plain = (ph.solve("forced", name, h=0.2, n_steps=5, compiled=c) for c in (True, False))
    assert (s.Q == plain.Q).all() and (s.Omega == plain.Omega).all()
"""


@pytest.mark.skipif(HALF == 4, reason="the vectors of this machine are those that every other test uses")
def test_eight_stages_in_two_vectors(tmp_path):
    """Where a vector holds four numbers, eight stages are two of them, and kernels work on halves."""
    shorter = os.environ | {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "", "POLHODE_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SHORTER_VECTORS], env=shorter, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize(("method", "end"), [("GAUSS8", 4.28), ("GAUSS16", 8.0)])
def test_friction_is_solved_up_to_the_end_that_the_lecture_states(method, end):
    run = dict(h=1.0, n_steps=2, on_failure="return")
    body = lambda x: ph.Problem(inertia=(1.0, 2.0, 2.5), Omega0=(0.01, 0.002, 0.003), damping=(x, 0.1, 0.1))
    assert ph.solve(body(0.9 * end), method, **run).success
    s = ph.solve(body(1.15 * end), method, **run)
    assert not s.success and f"needs less than about {end:.2g}. Reduce h to" in s.message and "VLV" in s.message
    h = float(s.message.split("Reduce h to ")[1].split(",")[0])
    assert ph.solve(body(1.15 * end), method, h=h, n_steps=2).success
