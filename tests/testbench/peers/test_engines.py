"""Other packages' integrators: looked up by name, measured like ours, absent with a sentence."""

import importlib
import json
import re
import sys

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.cli.main import main
from polhode.errors import InputError
from polhode.testbench import peers
from polhode.testbench.certificate.orders import runs as orders
from polhode.testbench.certificate.states import cases
from polhode.testbench.peers.across import Absent, Measured, across
from polhode.views.engines import engines_notes, engines_page, engines_table, missing_table

PACKAGES = {
    "scipy": "scipy",
    "mujoco": "mujoco",
    "pybullet": "pybullet",
    "jaxmd": "jax_md",
    "sdof": "sdof",
    "heyoka": "heyoka",
    "drake": "pydrake",
    "exudyn": "exudyn",
    "mujoco-warp": "mujoco_warp",
    "newton": "newton",
    "genesis": "genesis",
}
ORDERS = {
    "scipy:RK23": 3,
    "scipy:RK45": 5,
    "mujoco:rk4": 4,
    "mujoco:euler": 1,
    "pybullet:step": 1,
    "jaxmd:nve": 2,
    "sdof:incrso3_akw": 2,
    "drake:runge_kutta3": 3,
    "drake:semi_explicit_euler": 1,
    "exudyn:RK44": 4,
    "exudyn:GeneralizedAlpha": 2,
    "exudyn:VelocityVerlet": 1,
    "genesis:Euler": 1,
    "genesis:approximate_implicitfast": 2,
}


def needed(package):
    """Skip where a package is absent; its adapter must work where it is there."""
    if importlib.util.find_spec(PACKAGES[package]) is None:
        pytest.skip(f"{package} is not installed")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_engine_integrates_the_same_motion(package):
    needed(package)
    name = f"{package}:{peers.shown(package)[0]}"
    box = peers.engine(name)
    p = cases.placed(cases.forced())
    h = 1 / 512
    Q, Omega = box.advance(p, p.Q0.copy(), p.Omega0.copy(), h, 64, p.t0)
    s = ph.solve(p, "RKMK4", h=h, n_steps=64, save_every=64)
    assert np.abs(Q - s.Q[-1]).max() < 5e-4
    assert np.abs(Omega - s.Omega[-1]).max() < 5e-3


@pytest.mark.parametrize("name", ORDERS)
def test_orders(name):
    needed(name.split(":")[0])
    (Q, Omega), *_ = orders.order(peers.engine(name).advance, cases.placed(cases.free()))
    assert min(Q.value, Omega.value) == pytest.approx(ORDERS[name], abs=0.15)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("name", peers.names("scipy"))
def test_scipy_turns_a_body_from_the_identity_about_an_axis(name, axis):
    """A state with components that are zero, where every tolerance is relative to nothing."""
    p = ph.Problem(inertia=(1.0, 2.0, 2.5), Q0=np.eye(3), Omega0=np.eye(3)[axis])
    Q, Omega = peers.engine(f"scipy:{name}").advance(p, p.Q0.copy(), p.Omega0.copy(), 0.01, 50, 0.0)
    assert np.abs(Q - Rotation.from_rotvec(0.5 * np.eye(3)[axis]).as_matrix()).max() < 1e-6
    assert np.abs(Omega - np.eye(3)[axis]).max() < 1e-12


def test_a_full_tensor_of_inertia_is_understood():
    for package in PACKAGES:
        if importlib.util.find_spec(PACKAGES[package]) is None:
            continue
        box = peers.engine(f"{package}:{peers.shown(package)[0]}")
        J = np.array([[1.6, 0.2, -0.1], [0.2, 2.3, 0.3], [-0.1, 0.3, 3.1]])
        p = ph.Problem(inertia=J, Q0=(0.1, 0.2, 0.3), Omega0=(0.5, -0.4, 0.3))
        Q, Omega = box.advance(p, p.Q0.copy(), p.Omega0.copy(), 1 / 256, 256, 0.0)
        s = ph.solve(p, "EXACT", h=1.0, n_steps=1)
        assert np.abs(Q - s.Q[-1]).max() < 1e-2, package
        assert np.abs(Omega - s.Omega[-1]).max() < 1e-2, package


def test_a_kept_scene_of_genesis_answers_for_its_numbers_only():
    """After runs with another step, inertia and torque, the same bits; and a run that diverges is no state."""
    needed("genesis")
    for name in peers.names("genesis"):
        advance = peers.engine(f"genesis:{name}").advance
        free, forced = cases.placed(cases.free()), cases.placed(cases.forced())
        other = ph.Problem(inertia=(1.0, 2.0, 2.5), Q0=(0.1, 0.2, 0.3), Omega0=(0.5, -0.4, 0.3))
        runs = [(p, p.Q0, p.Omega0, h, 8, 0.0) for p in (free, forced, other) for h in (0.125, 0.0625)]
        first = [advance(*run) for run in runs]
        with pytest.raises(Exception, match="nan"):
            advance(free, free.Q0, np.full(3, 1e200), 0.125, 8, 0.0)
        again = [advance(*run) for run in reversed(runs)][::-1]
        for (Q, Omega), (Q1, Omega1) in zip(first, again, strict=True):
            assert np.array_equal(Q, Q1) and np.array_equal(Omega, Omega1)
        assert len({Q.tobytes() for Q, _ in first}) == len(runs)


def test_a_certificate_of_an_adaptive_solver_does_not_praise_its_tolerance():
    c = ph.certify("scipy:LSODA", drift=False)
    assert c.form == "black box"
    assert c["order_free_Q"].verdict == "undecided" and "tolerance" in c["order_free_Q"].how
    assert c["symplectic_potential"].verdict != "yes" and c["energy_free"].verdict == "no"
    assert any("its own steps" in sentence for sentence in c.diagnosis)


def test_a_high_order_is_not_taken_for_exactness():
    c = ph.certify("scipy:DOP853", drift=False)
    assert c["order_potential_Q"].value == pytest.approx(8, abs=0.5)
    for key in ("symmetric", "symplectic_free", "symplectic_potential", "momentum_free", "on_group"):
        assert c[key].verdict == "no", key


def test_jax_md_is_symplectic_and_mujoco_is_not():
    needed("jaxmd")
    needed("mujoco")
    good, bad = (ph.certify(name, drift=False) for name in ("jaxmd:nve", "mujoco:rk4"))
    assert good["symplectic_potential"].verdict == good["momentum_free"].verdict == "yes"
    assert bad["symplectic_potential"].verdict == bad["momentum_free"].verdict == "no"


# ---- absent, unknown, broken -------------------------------------------------------------------------


@pytest.mark.parametrize("package", [p for p in PACKAGES if p != "scipy"])
def test_an_absent_engine_gets_a_sentence(package, monkeypatch, capsys):
    for name in list(sys.modules):
        if name.split(".")[0] == PACKAGES[package]:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, PACKAGES[package], None)
    if package == "sdof":
        from polhode.testbench.peers import sdof

        sdof._steps.cache_clear()
    assert main(["certify", f"{package}:anything"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert f"{package} (" in err and "is not installed" in err and "pip install" in err
    assert main(["engines", package, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in data["absent"]] == [package] and data["integrators"] == []
    assert main(["engines", package]) == 0
    out = " ".join(capsys.readouterr().out.split())  # a narrow terminal breaks lines
    assert "Not installed" in out and "pip install" in out and "slope" not in out
    assert main(["engines", "--list"]) == 0
    assert "not installed: pip install" in " ".join(capsys.readouterr().out.split())


def test_unknown_names_get_the_nearest_one():
    with pytest.raises(InputError, match="Did you mean 'DOP853'"):
        peers.engine("scipy:DOP85")
    with pytest.raises(InputError, match="Did you mean 'scipy'"):
        peers.engine("scipi:RK45")


def test_names_are_case_blind():
    assert peers.engine("SciPy:dop853").name == "scipy:DOP853"


def test_an_integrator_that_does_not_run_is_a_row_and_a_sentence():
    def broken(problem, Q, Omega, h, t):
        raise RuntimeError("out of order")

    with pytest.raises(InputError, match="broken failed in its first step: RuntimeError: out of order"):
        ph.certify(broken)
    with pytest.raises(InputError, match="returned shapes"):
        ph.certify(lambda problem, Q, Omega, h, t: (Omega, Q), drift=False)


@pytest.mark.parametrize(
    "step, sentence",
    [
        (lambda Q, Omega, h: (Q, Omega), "A step is called as step(problem, Q, Omega, h, t)"),
        (lambda problem, Q, Omega, h, t: problem.J, "A step may use problem.tensor"),
        (lambda problem, Q, Omega, h, t: (np.array([0, 0, 0, 1.0]), Omega), "A quaternion? Rotation.from_quat"),
    ],
)
def test_a_first_step_that_fails_says_what_to_do(step, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        ph.certify(step, drift=False)


def test_an_object_that_cannot_be_called_is_no_sequence_of_methods():
    class Sim:
        def step(self, problem, Q, Omega, h, t):
            return Q, Omega

    with pytest.raises(InputError, match=r"did you mean the step of it, Sim\.step"):
        ph.certify(Sim())
    with pytest.raises(InputError, match=r"Two methods have one name: Sim.*Give each one of its own"):
        ph.certify([Sim().step, Sim().step])


# ---- the table ---------------------------------------------------------------------------------------


def test_the_table_has_ours_and_theirs():
    ours, theirs = across(["VLV", "scipy:RK23"], t_end=150)
    assert isinstance(ours, Measured) and isinstance(theirs, Measured)
    assert ours.order_free == pytest.approx(2, abs=0.05) and theirs.order_potential == pytest.approx(3, abs=0.15)
    assert ours.momentum_free < 1e-13 < theirs.momentum_free
    assert ours.torques == 1 and 3 <= theirs.torques < 3.2
    assert 0 < ours.microseconds < theirs.microseconds
    assert ours.drift == "no drift seen" and theirs.energy_stress > 0


def test_the_table_on_the_command_line(capsys):
    assert main(["engines", "scipy:RK23", "--t-end", "100"]) == 0
    out = capsys.readouterr().out
    assert "scipy:RK23" in out and "us/step" in out
    assert main(["engines", "--list", "--json"]) == 0
    assert "DOP853" in json.loads(capsys.readouterr().out)["engines"]["scipy"]


def test_the_table_as_a_page(tmp_path, capsys):
    target = tmp_path / "engines.html"
    assert main(["engines", "scipy:RK23", "LIEMID", "--t-end", "100", "--html", str(target)]) == 0
    assert "Written" in capsys.readouterr().out
    text = target.read_text(encoding="utf-8")
    assert 'id="scipy-RK23"' in text and "free body only" in text and f"scipy {scipy.__version__}" in text
    data = json.loads(re.search(r'id="data">\n(.*?)\n</script>', text, re.DOTALL)[1])
    assert [row["name"] for row in data["integrators"]] == ["scipy:RK23"]
    assert main(["engines", "scipy:RK23", "--html", str(tmp_path / "no" / "x.html")]) == 2


def test_what_is_not_installed_stands_in_a_table_of_its_own():
    why = "mujoco (MuJoCo) is not installed: No module named 'mujoco'. Install it with: pip install mujoco"
    broken = "drake is not installed: libGL.so: cannot open shared object file. Install it with: pip install drake"
    rows = [Absent("mujoco", why), Absent("drake", broken), Absent("scipy:RK23", "it blew up")]
    (missing,) = missing_table(rows)
    assert "pip install mujoco" in str(missing) and "No module named" not in str(missing)
    assert "libGL.so" in " ".join(str(missing).split())
    assert engines_notes(rows) == ["scipy:RK23: it blew up"] and missing_table(rows[2:]) == []
    text = engines_page(rows, 500.0, "1", "d")
    assert "<h2>Not installed</h2>" in text and "<code>pip install mujoco</code>" in text
    assert "\nscipy:RK23" in str(engines_table(rows)) and "mujoco" not in str(engines_table(rows))


def test_a_method_for_free_bodies_has_no_row():
    (row,) = across(["LIEMID"])
    assert isinstance(row, Absent) and "free body only" in row.why


def test_a_black_box_runs_in_solve_and_in_the_stress_test():
    calls = []

    def advance(problem, Q, Omega, h, n, t):
        calls.append((n, t))
        s = ph.solve(problem.replaced(Q0=Q, Omega0=Omega, t0=t), "VLV", h=h, n_steps=n, save_every=n)
        return s.Q[-1], s.Omega[-1]

    box = ph.BlackBox("box", advance)
    s = ph.solve("stress", box, h=0.125, n_steps=100, save_every=20)
    reference = ph.solve("stress", "VLV", h=0.125, n_steps=100, save_every=20)
    assert np.abs(s.Q - reference.Q).max() < 1e-12 and s.method == "box"
    assert sum(n for n, _ in calls) == 100 and max(n for n, _ in calls) > 1
    assert [t for n, t in calls][:1] == [0.0]
    Q1, _ = ph.step(ph.problem("stress"), box, np.eye(3) @ s.Q[1], s.Omega[1], 0.125)
    assert Q1.shape == (3, 3)
