"""Torques that depend on the velocity, damping and rotors: closed forms, orders, the same bits in every way to run."""

import functools
import pickle
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.integrators.velocity import adapted
from polhode.machine import lanes

J, W = np.array([1.0, 2.0, 2.5]), np.array([1.0, 0.2, 0.3])
GAMMA, T, ROTOR = 0.3, 2.0, np.array([0.4, -0.3, 0.8])
TAKE = [name for name, m in ph.methods().items() if m.velocity is not None]
REFUSE = [name for name, m in ph.methods().items() if m.velocity is None and not m.free_only]


def body(**more):
    return ph.Problem(inertia=J, Omega0=W, Q0=(0.2, -0.3, 0.4), **more)


@functools.cache
def damped_like_the_inertia():
    """Q and Omega at T under the torque -gamma J Omega: the free motion at the time (1 - e^{-gamma T})/gamma."""
    s = ph.solve(body(), "EXACT", h=(1 - np.exp(-GAMMA * T)) / GAMMA, n_steps=1)
    return s.Q[-1], np.exp(-GAMMA * T) * s.Omega[-1]


def equations(tau, rotor=(0, 0, 0), inertia=J, Q0=(0.2, -0.3, 0.4)):
    """Q and Omega at T by SciPy, in nine and three numbers: an answer that owes nothing to this package."""
    start = body().replaced(Q0=Q0).Q0

    def right(t, y):
        Q, Om = y[:9].reshape(3, 3), y[9:]
        hat = np.array([[0, -Om[2], Om[1]], [Om[2], 0, -Om[0]], [-Om[1], Om[0], 0]])
        rate = np.cross(inertia * Om + rotor, Om) + tau(t, Q, Om)
        return np.concatenate([(Q @ hat).ravel(), rate / inertia])

    y = solve_ivp(right, (0, T), [*start.ravel(), *W], method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return y[:9].reshape(3, 3), y[9:]


def error(problem, method, h, answer):
    s = ph.solve(problem, method, h=h, t_end=T, compiled=False)
    return max(np.abs(s.Q[-1] - answer[0]).max(), np.abs(s.Omega[-1] - answer[1]).max())


# ---- closed forms and orders ----------------------------------------------------------------------------


def test_the_closed_form_of_damping_like_the_inertia():
    problem = body(damping=np.diag(GAMMA * J))
    assert error(problem, "GAUSS16", 0.1, damped_like_the_inertia()) < 3e-15
    assert error(problem, "RKMK4", 0.05, damped_like_the_inertia()) < 1e-8


def test_the_closed_form_of_a_symmetric_body_under_isotropic_damping():
    """-c Omega on moments (a, a, b): w3 decays at c/b, the other two at c/a while they turn by the integral of w3."""
    a, b, c = 1.4, 2.0, 0.25
    s = ph.solve(ph.Problem(inertia=(a, a, b), Omega0=W, damping=c), "GAUSS16", h=0.1, t_end=T)
    angle = (a - b) / a * W[2] * b / c * (1 - np.exp(-c * T / b))
    x = np.exp(-c * T / a) * np.exp(-1j * angle) * (W[0] + 1j * W[1])
    assert s.Omega[-1] == pytest.approx([x.real, x.imag, np.exp(-c * T / b) * W[2]], abs=1e-14)


def test_the_closed_form_of_a_symmetric_gyrostat():
    """A rotor along the axis of a symmetric body: w3 is constant, the other two turn at ((b - a) w3 + l)/a."""
    a, b, l = 1.4, 2.0, 0.7
    s = ph.solve(ph.Problem(inertia=(a, a, b), Omega0=W, rotor=(0, 0, l)), "GAUSS16", h=0.1, t_end=T)
    x = np.exp(1j * ((b - a) * W[2] + l) / a * T) * (W[0] + 1j * W[1])
    assert s.Omega[-1] == pytest.approx([x.real, x.imag, W[2]], abs=1e-14)
    assert np.abs(s.momentum - s.momentum[0]).max() < 1e-14


def drag(t, Q, Om):
    """Nothing about it is linear, nor symmetric."""
    return -0.3 * Om[0] ** 3 + 0.1 * Q[2, 1], -0.2 * Om[1] ** 3 - 0.1 * t, 0.15 * Om[0] - 0.2 * Om[2]


@functools.cache
def answers():
    C = np.array([[0.3, 0.1, 0], [0.1, 0.2, 0.05], [0, 0.05, 0.4]])
    push = lambda t, Q: (0.5 * Q[2, 1], -0.4 * Q[0, 2] + 0.2 * t, 0.3 * Q[1, 1])
    return {
        "damped": (body(torque=push, damping=C), equations(lambda t, Q, Om: np.array(push(t, Q)) - C @ Om)),
        "moving": (body(torque=drag), equations(drag)),
        "rotor": (body(torque=push, rotor=ROTOR), equations(lambda t, Q, Om: push(t, Q), ROTOR)),
        "all": (
            body(torque=drag, damping=C, rotor=ROTOR),
            equations(lambda t, Q, Om: np.array(drag(t, Q, Om)) - C @ Om, ROTOR),
        ),
    }


@pytest.mark.parametrize("case", ["damped", "moving", "rotor", "all"])
@pytest.mark.parametrize("method", TAKE)
def test_every_method_that_takes_them_keeps_its_order(method, case):
    problem, answer = answers()[case]
    claimed = min(ph.method(method).orders.torque)
    if claimed > 4:
        assert error(problem, method, 0.1, answer) < 1e-9
    else:
        coarse, fine = (error(problem, method, h, answer) for h in (0.05, 0.025))
        assert np.log2(coarse / fine) == pytest.approx(claimed, abs=0.25)


def test_high_order_by_composition():
    problem, answer = answers()["damped"]
    coarse, fine = (error(problem, "RATTLE/S4", h, answer) for h in (0.1, 0.05))
    assert np.log2(coarse / fine) == pytest.approx(4, abs=0.3)


@pytest.mark.parametrize("method", [name for name in TAKE if ph.method(name).velocity == "kicks"])
def test_a_lifted_method_without_anything_to_lift_is_the_method(method):
    """Kick, free step, kick is what these methods are: with a rotor that does not turn they give the same numbers."""
    push = lambda t, Q: (0.5 * Q[2, 1], -0.4 * Q[0, 2] + 0.2 * t, 0.3 * Q[1, 1])
    plain, still = body(torque=push), body(torque=push, rotor=(0, 0, 0))
    assert adapted(ph.method(method), still.forces).step is not ph.method(method).step
    (a, b) = (ph.step(p, method, plain.Q0, W, 0.1) for p in (plain, still))
    assert np.abs(a[0] - b[0]).max() < 1e-15 and np.abs(a[1] - b[1]).max() < 1e-15


@pytest.mark.parametrize("method", REFUSE)
def test_the_others_refuse_and_name_those_that_can(method):
    with pytest.raises(ph.InputError, match=r"does not take damping.*VLV.*GAUSS8"):
        ph.solve(body(damping=0.1), method, h=0.1, n_steps=1)


# ---- what is kept -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [name for name in TAKE if ph.method(name).momentum_free])
def test_the_momentum_of_body_and_rotor_is_exact_where_that_of_a_free_body_is(method):
    s = ph.solve(body(rotor=ROTOR), method, h=0.1, n_steps=30, compiled=False)
    change = np.abs(s.momentum - s.momentum[0]).max()
    assert change < 1e-13 if ph.method(method).velocity != "stages" else change > 1e-6


@pytest.mark.parametrize("method", ["VLV", "RATTLE", "LP2", "DMV8", "GAUSS8", "HP-EXP"])
def test_the_energy_of_a_gyrostat_does_not_drift(method):
    s = ph.solve(body(rotor=ROTOR), method, h=0.05, t_end=1000, save_every=100)
    half = len(s.t) // 2
    first, second = np.abs(s.energy_error[:half]).max(), np.abs(s.energy_error[half:]).max()
    assert second < 1.2 * first + 1e-12 and first < 2e-2


@pytest.mark.parametrize("method", ["VLV", "LP2", "RKMK4", "GAUSS8", "DMV8"])
def test_energy_never_rises_under_damping(method):
    s = ph.solve(body(damping=(0.3, 0.1, 0.2)), method, h=0.05, n_steps=400)
    assert np.diff(s.energy).max() < 0 and s.energy[-1] < 0.05 * s.energy[0]


def test_the_power_of_the_nonconservative_torque_is_the_rate_of_the_energy():
    f = lambda t, Q, Om: (-0.3 * Om[0] ** 3, 0.2 * Q[0, 1], -0.1 * Om[2])
    problem = body(potential=lambda Q: 0.8 * Q[2, 2] + 0.3 * Q[0, 0], nonconservative=f)
    s = ph.solve(problem, "GAUSS16", h=1 / 64, t_end=T)
    power = [np.dot(f(t, Q, Om), Om) for t, Q, Om in zip(s.t, s.Q, s.Omega)]
    work = np.sum((np.array(power[:-2:2]) + 4 * np.array(power[1:-1:2]) + np.array(power[2::2])) / (3 * 64))
    assert s.energy[-1] - s.energy[0] == pytest.approx(work, abs=1e-8)
    assert abs(work) > 1e-2


# ---- the same in every way to run ---------------------------------------------------------------------------

TENSOR = np.array([[1, 0.1, 0], [0.1, 2, 0.05], [0, 0.05, 2.5]])


def drag_with(t, Q, Om, p):
    """In lanes, too."""
    return -p.c * Om[0] ** 3, -p.c * Om[1] + 0.1 * t, -0.2 * Om[2] * Q[0, 0]


def space_drag(t, Q, om):
    return -0.3 * om[0], -0.2 * om[1], om[2] * Q[0, 1]


WAYS = {
    "all": dict(torque=drag_with, parameters={"c": 0.3}, damping=(0.1, 0.2, 0.3), rotor=(0.1, 0.2, 0.3)),
    "space": dict(torque_space=space_drag),
    "damped": dict(torque=lambda t, Q: (Q[0, 1], t, Q[2, 2]), damping=0.2),
}


@pytest.mark.parametrize("method", ["VLV", "RKMK4", "GAUSS8"])
@pytest.mark.parametrize("case", WAYS)
def test_compiled_interpreted_and_in_lanes_the_bits_are_the_same(method, case):
    p, run = ph.Problem(inertia=TENSOR, Omega0=W, **WAYS[case]), dict(h=0.05, n_steps=20)
    s = ph.solve(p, method, **run)
    assert s.stats["compiled"]
    assert np.array_equal(s.Omega, ph.solve(p, method, compiled=False, **run).Omega)
    starts = W + 0.01 * np.arange(lanes.WIDTH + 1)[:, None]
    e = ph.solve_ensemble(p, method, Omega0=starts, **run)
    assert e.stats["lanes"] == (1 if method == "GAUSS8" else lanes.WIDTH)
    assert np.array_equal(e.Omega[:, 0], s.Omega)
    assert np.array_equal(e[lanes.WIDTH].Omega, ph.solve(p.replaced(Omega0=starts[-1]), method, **run).Omega)
    assert np.array_equal(e.momentum[:, 0], s.momentum) or np.abs(e.momentum[:, 0] - s.momentum).max() < 1e-15


@pytest.mark.parametrize("method", ["VLV", "GAUSS8"])
def test_each_body_of_an_ensemble_has_its_own_rotor_and_damping(method, tmp_path):
    make = lambda k: ph.Problem(
        inertia=J, Omega0=W, torque=drag_with, parameters={"c": 0.1}, rotor=k * ROTOR, damping=0.01 * k
    )
    problems, run, c = [make(k) for k in (1, 2, 3)], dict(h=0.05, n_steps=20), np.array([0.1, 0.2, 0.3])
    alone = [ph.solve(p.replaced(c=x), method, **run) for p, x in zip(problems, c)]
    e = ph.solve_ensemble(problems, method, parameters={"c": c}, **run)
    for part, which in (
        (e, [0, 1, 2]),
        (e[1:], [1, 2]),
        (e[[2, 0]], [2, 0]),
        (pickle.loads(pickle.dumps(e)), [0, 1, 2]),
    ):
        for k, i in enumerate(which):
            assert np.array_equal(part.Omega[:, k], alone[i].Omega)
            assert np.array_equal(part[k].momentum, alone[i].momentum)
            assert part.momentum[:, k] == pytest.approx(alone[i].momentum, abs=1e-14)
    data = e.to_xarray()
    assert np.array_equal(data["c"], c) and np.array_equal(data["momentum"], e.momentum)
    assert np.array_equal(ph.load(e.save(tmp_path / "e.nc")).momentum, e.momentum)
    assert np.array_equal(ph.load(alone[2].save(tmp_path / "s.nc")).momentum, alone[2].momentum)
    ph.solve(problems[1], method, out=tmp_path / "run.nc", **run)
    assert np.array_equal(ph.load(tmp_path / "run.nc").momentum, ph.solve(problems[1], method, **run).momentum)
    J2 = np.array([1.5, 2.5, 3.0])
    other = ph.solve_ensemble(problems, method, inertia=J2, **run)
    assert np.array_equal(other[1].Omega, ph.solve(problems[1].replaced(inertia=J2), method, **run).Omega)


def test_axes_of_the_user():
    """The same body in other axes: damping, rotor and velocity are in the user's."""
    R = ph.Problem(inertia=J, Omega0=W, Q0=(0.4, 1.1, -0.7)).Q0
    C = np.array([[0.3, 0.1, 0], [0.1, 0.2, 0.05], [0, 0.05, 0.4]])
    turned = lambda t, Q, Om: R.T @ np.array(drag(t, Q @ R.T, R @ Om))
    one = ph.Problem(inertia=J, Omega0=W, torque=drag, damping=C, rotor=ROTOR)
    tensor = R.T @ np.diag(J) @ R
    other = ph.Problem(
        inertia=(tensor + tensor.T) / 2, Q0=R, Omega0=R.T @ W, torque=turned, damping=R.T @ C @ R, rotor=R.T @ ROTOR
    )
    for method in ("VLV", "GAUSS8"):
        a, b = (ph.solve(p, method, h=0.05, n_steps=20, compiled=False) for p in (one, other))
        assert np.abs(a.Omega - b.Omega @ R.T).max() < 1e-13 and np.abs(a.Q - b.Q @ R.T).max() < 1e-13
    assert other.torque(0.1, R, R.T @ W) == pytest.approx(R.T @ one.torque(0.1, np.eye(3), W), abs=1e-14)


# ---- sentences ------------------------------------------------------------------------------------------------

FREE = dict(inertia=J, Omega0=W)
BAD = {
    "both fit": lambda: ph.Problem(**FREE, torque=lambda t, Q, Omega=None: (0, 0, 0)),
    r"torque takes 4 arguments; it is called as torque\(t, Q\) or torque\(t, Q, Omega\)": lambda: ph.Problem(
        **FREE, torque=lambda t, Q, a, b: (0, 0, 0)
    ),
    "goes with a potential": lambda: ph.Problem(**FREE, nonconservative=drag),
    "does not derive from a potential": lambda: ph.Problem(**FREE, torque=drag, potential=lambda Q: Q[2, 2]),
    "must be symmetric": lambda: ph.Problem(**FREE, damping=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
    "damping has shape": lambda: ph.Problem(**FREE, damping=(1, 2)),
    "rotor has shape": lambda: ph.Problem(**FREE, rotor=2.0),
    "depends on the velocity: give torque": lambda: ph.Problem(**FREE, damping=1.0).torque(0, np.eye(3)),
    "has a rotor, whose momentum": lambda: ph.solve(body(rotor=ROTOR), "VLV", h=0.1, n_steps=20, reduce="momentum"),
    r"torque\(t, Q, Omega\) failed at the start": lambda: ph.Problem(**FREE, torque=lambda t, Q, Om: Om[7]),
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence):
    with pytest.raises(ph.InputError, match=sentence), warnings.catch_warnings():
        warnings.simplefilter("error")
        BAD[sentence]()


def test_damping_that_feeds_is_warned_of():
    with pytest.warns(UserWarning, match="feeds the motion"):
        ph.Problem(**FREE, damping=(1, -0.1, 0))


def test_damping_under_steps_of_their_own_lengths():
    """The exponential that VLV carries belongs to one size of step: here each step has its own, and the order stays."""
    body = ph.Problem(inertia=(1.0, 2.0, 2.5), damping=(0.5, 0.3, 0.4), Omega0=(1.0, 0.5, 2.0))
    exact = ph.solve(body, "GAUSS16", h=0.05, t_end=2, compiled=False).Omega[-1]
    off = [
        abs(ph.solve(body, "VLV", h=h, t_end=2, adapt=True, compiled=False).Omega[-1] - exact).max()
        for h in (0.04, 0.02)
    ]
    assert off[1] < 1e-3 and 3 < off[0] / off[1] < 5
