"""`solve`, `step` and what they return, as a user meets them."""

import csv
import subprocess
import sys
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from tests.support.dop853 import dop853

QM = Rotation.from_rotvec(np.array([2.5, 0, 2.5]) / np.sqrt(2)).as_matrix()


def stress_potential(Q):
    d = np.sqrt(2 * (3 - np.trace(Q)))
    return (d - 1) ** 2 - 0.3 / np.sqrt(2 * (3 - np.sum(QM * Q)))


def stress_torque(t, Q):
    d = np.sqrt(2 * (3 - np.trace(Q)))
    M = QM.T @ Q
    S = -(2 - 2 / d) * Q - 0.3 / np.sqrt(2 * (3 - np.trace(M))) ** 3 * M
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])


START = dict(inertia=(2, 2, 4), Q0=(0, 0.7227, 0), Omega0=(0, 0, 0.625))
FORMS = {
    "potential": dict(potential=stress_potential),
    "torque": dict(torque=stress_torque),
    "both": dict(torque=stress_torque, potential=stress_potential),
    "torque as a tuple": dict(
        torque=lambda t, Q: (stress_torque(t, Q)[0], stress_torque(t, Q)[1], stress_torque(t, Q)[2])
    ),
    "torque as a list": dict(torque=lambda t, Q: list(stress_torque(t, Q))),
    "torque in space": dict(torque_space=lambda t, Q: Q @ stress_torque(t, Q)),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_users_own_functions_are_compiled_and_right(form):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        p = ph.Problem(**START, **FORMS[form])
        s = ph.solve(p, "VLV", h=0.125, t_end=20)
    assert s.stats["compiled"]
    shipped = ph.solve("stress", "VLV", h=0.125, t_end=20)
    assert s.Q == pytest.approx(shipped.Q, abs=1e-12)
    interpreted = ph.solve(p, "VLV", h=0.125, t_end=20, compiled=False)
    assert s.Omega == pytest.approx(interpreted.Omega, abs=1e-12)


def test_a_derived_torque_is_exact_to_round_off():
    p, shipped = ph.Problem(**START, potential=stress_potential), ph.problem("stress")
    for Q in Rotation.random(20, rng=np.random.default_rng(3)).as_matrix():
        assert p.torque(0.0, Q) == pytest.approx(shipped.torque(0.0, Q), rel=1e-13, abs=1e-13)


def test_a_full_tensor_is_the_same_body_in_other_axes():
    A = Rotation.from_rotvec([0.3, 0.2, -0.5]).as_matrix()
    p = ph.Problem(
        inertia=A @ np.diag([2, 2, 4]) @ A.T,
        potential=lambda Q: stress_potential(Q @ A),
        Q0=Rotation.from_rotvec([0, 0.7227, 0]).as_matrix() @ A.T,
        Omega0=A @ np.array([0, 0, 0.625]),
    )
    s, shipped = ph.solve(p, "VLV", h=0.125, t_end=20), ph.solve("stress", "VLV", h=0.125, t_end=20)
    assert s.Q @ A == pytest.approx(shipped.Q, abs=1e-12)
    assert s.Omega @ A == pytest.approx(shipped.Omega, abs=1e-12)
    assert s.energy == pytest.approx(shipped.energy, abs=1e-12)
    assert s.momentum == pytest.approx(shipped.momentum, abs=1e-12)


def test_a_full_tensor_with_body_and_space_torques_against_the_reference():
    A = Rotation.from_rotvec([0.4, -0.8, 0.3]).as_matrix()
    J = A @ np.diag([1.0, 1.7, 2.4]) @ A.T
    torque = lambda t, Q: (np.sin(t) * Q[0, 1], 0.3 * Q[2, 2], 0.2 - Q[1, 0])
    start = dict(inertia=J, Q0=(0.1, 0.5, -0.3), Omega0=(0.4, 0.2, -0.7))
    for form in (dict(torque=torque), dict(torque_space=torque)):
        p = ph.Problem(**start, **form)
        Q, Omega = dop853(p, 2.0)
        s = ph.solve(p, "RKMK4", h=0.01, t_end=2)
        assert s.Q[-1] == pytest.approx(Q, abs=1e-8) and s.Omega[-1] == pytest.approx(Omega, abs=1e-8)


def test_a_torque_that_cannot_be_compiled_works_with_one_warning():
    table = {"strength": 0.4}
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: table["strength"] * Q[2], Omega0=(0.1, 1, 0))
    with pytest.warns(UserWarning, match="could not be compiled and runs interpreted") as caught:
        s = ph.solve(p, "VLV", h=0.1, n_steps=20)
        again = ph.solve(p, "VLV", h=0.1, n_steps=20)
    assert len(caught) == 1 and s.success and not s.stats["compiled"]
    assert np.array_equal(s.Q, again.Q)


class Spring:
    def __init__(self, k):
        self.k = k

    def torque(self, t, Q):
        return self.k * Q[2, 1], -self.k * Q[2, 0], 0.0

    __call__ = torque


@pytest.mark.parametrize(
    "torque, what", [(Spring(0.4).torque, "a method of an object"), (Spring(0.4), "an object of class .*Spring")]
)
def test_a_torque_that_is_no_function_is_told_so(torque, what):
    p = ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0.1, 1, 0))
    with pytest.warns(
        UserWarning, match=f"compiles functions, and this is {what}. Give a function, and its numbers as"
    ):
        ph.solve(p, "VLV", h=0.1, n_steps=2)


def test_names_aliases_and_objects_are_the_same_method():
    runs = [ph.solve("stress", m, h=0.125, n_steps=30) for m in ("VLV", "vlv", "Lie-Verlet", ph.method("VLV"))]
    assert all(np.array_equal(runs[0].Q, r.Q) and r.method == "VLV" for r in runs)


def test_save_every_keeps_the_right_states_and_the_last():
    full = ph.solve("stress", "VLV", h=0.125, n_steps=10)
    part = ph.solve("stress", "VLV", h=0.125, n_steps=10, save_every=4)
    assert part.t.tolist() == [0.0, 0.5, 1.0, 1.25]
    assert np.array_equal(part.Q, full.Q[[0, 4, 8, 10]])
    assert full.stats["n_steps"] == 10 and full.stats["n_torque"] == 11


def test_backwards_returns_to_the_start():
    forth = ph.solve("stress", "VLV", h=0.125, t_end=10)
    turned = ph.problem("stress").replaced(Q0=forth.Q[-1], Omega0=forth.Omega[-1], t0=10.0)
    back = ph.solve(turned, "VLV", h=-0.125, t_end=0.0)
    assert back.t[-1] == 0.0
    assert back.Q[-1] == pytest.approx(forth.Q[0], abs=1e-12)


def test_step_is_one_step_of_solve():
    p = ph.problem("forced")
    Q1, Omega1 = ph.step(p, "ELN", p.Q0, p.Omega0, 0.1)
    s = ph.solve(p, "ELN", h=0.1, n_steps=1)
    assert np.array_equal(Q1, s.Q[1]) and np.array_equal(Omega1, s.Omega[1])
    Q2, Omega2 = ph.step(p, "ELN", Q1, Omega1, 0.1, t=0.1)
    s = ph.solve(p, "ELN", h=0.1, n_steps=2)
    assert Q2 == pytest.approx(s.Q[2], abs=2e-15) and Omega2 == pytest.approx(s.Omega[2], abs=2e-15)


def test_a_plain_function_is_a_method():
    def lie_euler(problem, Q, Omega, h, t):
        A = np.linalg.solve(problem.tensor, np.cross(problem.tensor @ Omega, Omega) + problem.torque(t, Q))
        return Q @ Rotation.from_rotvec(h * Omega).as_matrix(), Omega + h * A

    p = ph.problem("stress")
    Q, _ = dop853(p, 1.0)
    errors = [np.abs(ph.solve(p, lie_euler, h=h, t_end=1).Q[-1] - Q).max() for h in (0.01, 0.005)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.1)
    Q1, Omega1 = ph.step(p, lie_euler, p.Q0, p.Omega0, 0.01)
    assert Q1.shape == (3, 3) and Omega1.shape == (3,)


def test_a_method_of_ones_own_from_kernels():
    from polhode.kernels.implicit import NO_SOLVE
    from polhode.kernels.rotations import compose, exp, unit
    from polhode.kernels.step import torque_at
    from polhode.kernels.vectors import cross, lin, mul, plus, scaled

    @ph.kernel
    def symplectic_looking(h, t, state, body):
        q, Pi, tau, memory = state
        Omega = mul(body[1], Pi)
        Pi = lin(1, Pi, h, plus(cross(Pi, Omega), tau))
        q = compose(q, exp(scaled(h, mul(body[1], Pi))))
        return (unit(q), Pi, torque_at(t + h, q, body), memory), NO_SOLVE

    mine = ph.Method(name="MINE", step=symplectic_looking, order=1, torques_per_step=1)
    p = ph.problem("stress")
    Q, _ = dop853(p, 1.0)
    errors = [np.abs(ph.solve(p, mine, h=h, t_end=1, compiled=True).Q[-1] - Q).max() for h in (0.01, 0.005)]
    assert errors[0] / errors[1] == pytest.approx(2, abs=0.1)


def test_a_torque_that_turns_nan_keeps_what_was_computed():
    torque = lambda t, Q: (0.0, 0.1, np.sqrt(1.05 - t))
    p = ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0.1, 1, 0))
    for compiled in (True, False):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            s = ph.solve(p, "VLV", h=0.1, n_steps=50, compiled=compiled)
        assert not s.success and len(s.t) == 11 and np.isfinite(s.Q).all()
        assert "step 10 (t = 1)" in s.message and s.stats["n_steps"] == 10


def test_a_torque_that_raises_keeps_what_was_computed():
    def torque(t, Q):
        if t > 1.05:
            raise RuntimeError("sensor lost")
        return {"x": (0.0, 0.1, 0.2)}["x"]

    p = ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0.1, 1, 0))
    s = ph.solve(p, "VLV", h=0.1, n_steps=50, compiled=False)
    assert not s.success and "sensor lost" in s.message and len(s.t) > 1


@pytest.mark.parametrize("form", ["kernel", "function", "black box"])
def test_what_a_users_function_raised_is_kept(form):
    mine = KeyError("sensor")

    def lost(t, Q):
        if t > 0.35:
            raise mine
        return (0.0, 0.1, 0.2)

    def one(problem, Q, Omega, h, t):
        lost(t + h, Q)
        return ph.step(problem, "VLV", Q, Omega, h, t)

    box = ph.BlackBox("box", lambda problem, Q, Omega, h, n, t: one(problem, Q, Omega, h, t))
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lost, Omega0=(0.1, 1, 0))
    s = ph.solve(p, {"kernel": "VLV", "function": one, "black box": box}[form], h=0.1, n_steps=9, compiled=False)
    assert s.exception is mine and not s.success and len(s.t) == 4
    assert "KeyError" in s.message and "sensor" in s.message and "What was computed until then is here" in s.message
    assert s.exception.__traceback__ is not None, "to be raised again where it can be seen"
    assert ph.solve(p, "VLV", h=0.1, n_steps=2, compiled=False).exception is None


def test_an_input_error_in_mid_run_loses_nothing():
    def once_right(problem, Q, Omega, h, t):
        return (Q, Omega) if t < 0.25 else Q

    p = ph.Problem(inertia=(1, 2, 2.5), Omega0=(0.1, 1, 0))
    s = ph.solve(p, once_right, h=0.1, n_steps=9)
    assert len(s.t) == 4 and "must return (Q1, Omega1)" in s.message and isinstance(s.exception, ph.InputError)
    with pytest.raises(ph.InputError, match="must return"):
        ph.solve(p.replaced(t0=1.0), once_right, h=0.1, n_steps=9)


def test_a_step_alone_names_its_cause():
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (0.0, 0.0, 1 / (1.0 - t)), Omega0=(0.1, 1, 0))
    with pytest.raises(ph.InputError, match="ZeroDivisionError") as caught:
        ph.step(p, "VLV", np.eye(3), (0.1, 1, 0), 0.5, t=0.5)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_step_that_does_not_solve_keeps_what_was_computed():
    torque = lambda t, Q: (0.0, 40.0 * t, 25.0 * t)
    p = ph.Problem(inertia=(1, 2, 2.5), torque=torque, Omega0=(0.1, 1, 0), name="spun up")
    s = ph.solve(p, "RATTLE", h=0.1, n_steps=100)
    assert not s.success and 2 < len(s.t) < 101 and np.isfinite(s.Q).all()
    assert "RATTLE did not solve its equations at step" in s.message and "spun up with h = 0.1" in s.message
    assert "Reduce h" in s.message


def test_ctrl_c_returns_what_was_computed():
    program = """
import os, signal, threading
import polhode as ph
ph.solve("stress", "VLV", h=0.125, n_steps=10)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
s = ph.solve("stress", "VLV", h=0.125, n_steps=10**9, save_every=10**4)
print(s.success, len(s.t) > 1, s.message)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.startswith("False True Interrupted at step")


def test_progress_is_drawn_on_standard_error(capsys):
    ph.solve("stress", "VLV", h=0.125, n_steps=1000, progress=True)
    assert capsys.readouterr().out == ""


def test_rotations_in_and_out():
    p = ph.Problem(inertia=(1, 2, 2.5), Q0=Rotation.from_rotvec([0.1, 0.2, 0.3]), Pi0=(0.1, 2, 0))
    assert p.Omega0 == pytest.approx([0.1, 1, 0])
    s = ph.solve(p, "VLV", h=0.1, n_steps=5)
    assert s.rotation.as_matrix() == pytest.approx(s.Q, abs=1e-15)
    assert s.quat(scalar_first=True)[:, 0] == pytest.approx(s.quat()[:, 3])
    assert s.orthogonality.max() < 1e-15


def test_files_keep_everything(tmp_path):
    s = ph.solve("stress", "VLV", h=0.125, n_steps=50)
    r = ph.load(s.save(tmp_path / "run.nc"))
    for name in ("t", "Q", "Omega", "energy", "momentum"):
        assert np.array_equal(getattr(s, name), getattr(r, name))
    assert (r.method, r.h, r.stats, r.success, r.problem_name) == ("VLV", 0.125, s.stats, True, "stress")
    data = s.to_xarray()
    assert data["Q"].dims == ("t", "space", "body") and data.attrs["method"] == "VLV"
    with pytest.raises(ph.InputError, match="read from a file"):
        r.invariant("anything")


@pytest.mark.parametrize("inertia", [(1, 2, 2.5), [[2, 0.1, 0], [0.1, 2.5, 0.2], [0, 0.2, 3]]])
def test_files_keep_the_inertia(inertia, tmp_path):
    s = ph.solve(ph.Problem(inertia=inertia, Omega0=(0.1, 1, 0)), "VLV", h=0.1, n_steps=2, compiled=False)
    r = ph.load(s.save(tmp_path / "run.nc"))
    assert np.array_equal(s.inertia, inertia) and np.array_equal(r.inertia, inertia)
    assert np.array_equal(ph.load(r.save(tmp_path / "again.netcdf")).inertia, inertia)
    streamed = ph.solve(s.problem, "VLV", h=0.1, n_steps=2, compiled=False, out=tmp_path / "out.nc")
    assert np.array_equal(ph.load(streamed.stats["file"]).inertia, inertia)


def test_the_name_of_a_file_says_its_format(tmp_path):
    s = ph.solve("stress", "VLV", h=0.125, n_steps=3, compiled=False)
    with open(s.save(tmp_path / "run.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:5] == ["t", "Q_xx", "Q_xy", "Q_xz", "Q_yx"] and len(rows) == 4
    told = lambda *names: np.array([[float(row[name]) for name in names] for row in rows])
    assert np.array_equal(told("t")[:, 0], s.t) and np.array_equal(told("energy")[:, 0], s.energy)
    assert np.array_equal(told(*(f"Q_{a}{b}" for a in "xyz" for b in "xyz")).reshape(-1, 3, 3), s.Q)
    assert np.array_equal(told(*(f"Omega_{a}" for a in "xyz")), s.Omega)
    assert np.array_equal(told(*(f"momentum_{a}" for a in "xyz")), s.momentum)
    driven = ph.solve("forced", "VLV", n_steps=1, compiled=False)
    assert "energy" not in driven.to_csv(tmp_path / "forced.csv").read_text()
    for name in ("run.h5", "run", "run.txt"):
        with pytest.raises(ph.FileError, match=r"ends in \.nc or \.netcdf .* or \.csv"):
            s.save(tmp_path / name)
        assert not (tmp_path / name).exists()
    with pytest.raises(ph.FileError, match="still in memory"):
        s.save(tmp_path / "no" / "folder.csv")


def test_energy_and_momentum_are_what_they_say():
    s = ph.solve("heavy-top", "RKMK4", h=0.01, n_steps=100)
    p = s.problem
    assert s.energy[7] == pytest.approx(p.energy(s.Q[7], s.Omega[7]), abs=1e-14)
    assert s.momentum[7] == pytest.approx(s.Q[7] @ (p.inertia * s.Omega[7]), abs=1e-14)
    assert s.energy_error[0] == 0 and np.abs(s.energy_error).max() < 1e-8


def test_a_nearly_symmetric_body_is_no_special_case():
    p = ph.problem("free-body", inertia=(1.0, 1.0 + 1e-9, 2.0), Omega0=(0.3, 0.4, 1.2))
    Q, Omega = dop853(p, 3.0)
    s = ph.solve(p, "RATTLE", h=0.001, t_end=3)
    assert s.Q[-1] == pytest.approx(Q, abs=1e-5) and s.Omega[-1] == pytest.approx(Omega, abs=1e-5)
