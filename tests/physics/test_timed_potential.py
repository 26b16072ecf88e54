"""Potentials that depend on the time, and invariants that do: the torque, the energy and its rate, files, ensembles."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph

J, W = np.array([1.0, 2.0, 2.5]), np.array([1.0, 0.2, 0.3])
TENSOR = np.array([[1, 0.1, 0], [0.1, 2, 0.05], [0, 0.05, 2.5]])
SPIN = 0.7


def swung(t, Q):
    """A field that is modulated."""
    return (1 + 0.5 * np.sin(2 * t)) * (0.8 * Q[2, 2] + 0.3 * Q[0, 1])


def rate(t, Q):
    return np.cos(2 * t) * (0.8 * Q[2, 2] + 0.3 * Q[0, 1])


def carried(t, Q):
    """A field that turns about z at a steady rate: r . Q b, r = (cos, sin, 0)."""
    return np.cos(SPIN * t) * Q[0, 2] + np.sin(SPIN * t) * Q[1, 2]


def body(**more):
    return ph.Problem(inertia=more.pop("inertia", J), Omega0=W, Q0=(0.2, -0.3, 0.4), **more)


def by_scipy(problem, t_end, tau):
    inertia = problem.tensor

    def right(t, y):
        Q, Om = y[:9].reshape(3, 3), y[9:]
        hat = np.array([[0, -Om[2], Om[1]], [Om[2], 0, -Om[0]], [-Om[1], Om[0], 0]])
        return np.concatenate([(Q @ hat).ravel(), np.linalg.solve(inertia, np.cross(inertia @ Om, Om) + tau(t, Q))])

    y = solve_ivp(right, (0, t_end), [*problem.Q0.ravel(), *W], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[9:]


def torque_of_swung(t, Q):
    """tau_j = -dU/de_j: with U = f (a . Q b + ...) written out by hand, -(Q^T a) x b turned round."""
    f = 1 + 0.5 * np.sin(2 * t)
    return f * (0.8 * np.cross(Q[2], [0, 0, 1]) + 0.3 * np.cross(Q[0], [0, 1, 0]))


@pytest.mark.parametrize("inertia", [J, TENSOR], ids=["principal", "tensor"])
def test_the_torque_is_derived_at_its_time(inertia):
    p = body(inertia=inertia, potential=swung)
    Q = p.replaced(Q0=(0.5, 1.0, -0.3)).Q0
    assert p.torque(0.9, Q) == pytest.approx(torque_of_swung(0.9, Q), abs=1e-14)
    s = ph.solve(p, "GAUSS16", h=0.1, t_end=2)
    assert s.stats["compiled"]
    assert s.Omega[-1] == pytest.approx(by_scipy(p, 2.0, torque_of_swung), abs=1e-10)
    by_complex_step = ph.solve(p, "GAUSS16", h=0.1, t_end=2, compiled=False).Omega
    assert s.Omega == pytest.approx(by_complex_step, abs=1e-13)


def test_the_energy_changes_by_the_rate_of_the_potential(tmp_path):
    p = body(potential=swung)
    s = ph.solve(p, "GAUSS16", h=1 / 64, t_end=2)
    power = np.array([rate(t, Q) for t, Q in zip(s.t, s.Q)])
    work = np.sum(power[:-2:2] + 4 * power[1:-1:2] + power[2::2]) / (3 * 64)
    assert s.energy_error[-1] == pytest.approx(work, abs=1e-8) and abs(work) > 1e-2
    assert np.allclose(s.energy, s.kinetic + s.potential, atol=1e-15)
    assert s.energy[5] == pytest.approx(p.energy(s.Q[5], s.Omega[5], s.t[5]), abs=1e-15)
    assert np.array_equal(ph.load(s.save(tmp_path / "s.nc")).energy, s.energy)
    ph.solve(p, "GAUSS16", h=1 / 64, t_end=2, out=tmp_path / "run.nc")
    assert np.array_equal(ph.load(tmp_path / "run.nc").energy, s.energy)
    e = ph.solve_ensemble(p, "GAUSS16", Omega0=[W, 2 * W], h=1 / 64, t_end=2)
    assert e.energy[:, 0] == pytest.approx(s.energy, abs=1e-14)
    assert np.array_equal(e.to_xarray()["energy"], e.energy)


def test_the_jacobi_integral_in_a_field_that_turns():
    """E - spin pi_z is conserved, and the energy is not: the invariant and the potential both take the time."""

    def jacobi(t, Q, Omega):
        return Omega @ (J * Omega) / 2 + carried(t, Q) - SPIN * (Q @ (J * Omega))[2]

    p = body(potential=carried, invariants={"Jacobi": jacobi})
    s = ph.solve(p, "GAUSS16", h=0.05, t_end=20)
    assert np.ptp(s.invariant("Jacobi")) < 1e-12 < 1e-2 < np.ptp(s.energy)
    labels = [axes.get_ylabel() for axes in s.plot().axes]
    assert "error of invariants" in labels and "$E(t) - E(0)$" in labels


def test_parameters_and_other_torques_beside_it():
    told = lambda t, Q, p: p.k * np.sin(t) * Q[2, 2]
    one = ph.Problem(inertia=J, Omega0=W, potential=told, parameters={"k": 2.0}, damping=0.1)
    spread = ph.Problem(
        inertia=J, Omega0=W, potential=lambda t, Q, k: k * np.sin(t) * Q[2, 2], args=(2.0,), damping=0.1
    )
    by_hand = ph.Problem(
        inertia=J,
        Omega0=W,
        torque=lambda t, Q: (2 * np.sin(t) * Q[2, 1], -2 * np.sin(t) * Q[2, 0], 0.0 * t),
        damping=0.1,
    )
    expected = ph.solve(by_hand, "RKMK4", h=0.05, t_end=2).Omega[-1]
    for p in (one, spread):
        assert ph.solve(p, "RKMK4", h=0.05, t_end=2).Omega[-1] == pytest.approx(expected, abs=1e-13)
    assert one.replaced(k=5.0).potential(np.eye(3), 1.0) == 5 * np.sin(1.0)
    both = body(potential=swung, torque=lambda t, Q: torque_of_swung(t, Q), t_end=2.0)
    assert both.has_energy and not both.has_potential


BAD = {
    "depends on the time: give t=": lambda: body(potential=swung).potential(np.eye(3)),
    "the potential of 'problem' depends on the time": lambda: ph.solve(
        body(potential=swung), "VLV", h=0.1, n_steps=20, reduce="energy"
    ),
    "not minus the gradient": lambda: body(
        potential=swung, torque=lambda t, Q: tuple(torque_of_swung(0.0, Q)), t_end=2.0
    ),
    r"potential takes 4 arguments; it is called as potential\(Q\) or potential\(t, Q\)": lambda: body(
        potential=lambda t, Q, a, b: 0.0
    ),
    r"potential\(t0, Q0\) is \(1, 2\); it must be one number": lambda: body(potential=lambda t, Q: (1, 2)),
    "no energy that could drift": lambda: ph.stress(["VLV"], problem=body(potential=swung), t_end=10.0),
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence):
    with pytest.raises(ph.InputError, match=sentence):
        BAD[sentence]()
