"""Convergence, and work and precision: orders of known methods, a user's own, counts of torques, other solvers."""

import json

import matplotlib
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.cli.main import main

matplotlib.use("Agg")
STEPS = (16, 24, 32, 48, 64, 96, 128)


def lie_euler(problem, Q, Omega, h, t):
    """A first-order method that evaluates the torque once a step."""
    J = problem.tensor
    rate = np.linalg.solve(J, np.cross(J @ Omega, Omega) + problem.torque(t, Q))
    return Q @ Rotation.from_rotvec(h * Omega).as_matrix(), Omega + h * rate


@pytest.fixture(scope="module")
def study():
    p = ph.problem("stress", alpha=0.3)
    return ph.work_precision(p, ["VLV", "RKMK4", "DMV8", lie_euler], 2.0, steps=STEPS)


def test_orders(study):
    for name, order in (("VLV", 2), ("RKMK4", 4), ("DMV8", 2), ("lie_euler", 1)):
        for key in ("attitude", "momentum"):
            fit = study[name].fits[key]
            assert abs(fit.order - order) < max(0.08, 3 * fit.uncertainty), (name, key)


def test_torques_are_counted(study):
    assert study["VLV"].torques.tolist() == [1 + n for n in STEPS]
    assert study["RKMK4"].torques.tolist() == [1 + 4 * n for n in STEPS]
    assert study["lie_euler"].torques.tolist() == list(STEPS)


def test_errors_are_those_of_the_trajectory(study):
    s = ph.solve("stress", "VLV", h=2 / 64, t_end=2.0, save_every=16)
    found = ph.global_error(s)
    k = STEPS.index(64)
    for key in ("attitude", "momentum", "energy", "phase"):
        assert study["VLV"].errors[key][k] == pytest.approx(np.abs(getattr(found, key)).max(), rel=1e-12)


def test_other_solvers_are_in_the_picture(study):
    dop = study["scipy:DOP853"]
    assert dop.adaptive and dop.errors["attitude"].max() < 1e-5 and dop.errors["attitude"][-1] < 1e-12
    lsoda = study["scipy:LSODA"]
    assert lsoda.errors["momentum"][-1] < 1e-9 < 1e-4 < lsoda.errors["momentum"][0]
    assert np.all(np.diff(lsoda.torques[3:]) > 0)


def test_figure_table_files(study, tmp_path):
    figure = study.figure()
    drawn = [a for a in figure.axes if a.lines]
    assert len(drawn) == 8 and {a.get_xlabel() for a in drawn} == {"torque evaluations", "processor time (s)"}
    paths = study.save(tmp_path)
    assert set(paths) == {"page", "png", "svg", "json"}
    data = json.loads(paths["json"].read_text())
    assert data["study"] == "work-precision" and data["integrators"][0]["orders"]["attitude"]["points"] >= 3
    page = paths["page"].read_text()
    assert "What does accuracy cost?" in page and "scipy:DOP853" in page and 'src="http' not in page


def test_converge_from_the_command_line(capsys, tmp_path):
    steps = [str(n) for n in STEPS]
    words = ["converge", "VLV", "JEM6", "--problem", "free body", "--t-end", "4", "--steps", *steps, "--json"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    by_name = {s["name"]: s["orders"] for s in told["integrators"]}
    assert by_name["VLV"]["attitude"]["order"] == pytest.approx(2, abs=0.05)
    assert by_name["JEM6"]["attitude"]["order"] == pytest.approx(6, abs=0.2)
    assert by_name["JEM6"]["momentum"] == by_name["JEM6"]["momentum"] | {"order": None, "note": "round-off only"}
    assert (tmp_path / "converge.html").exists() and (tmp_path / "converge.png").exists()


def test_a_torque_without_a_potential_has_no_panel_of_energy():
    p = ph.Problem(inertia=(1, 2, 2.5), torque=lambda t, Q: (0.3, 0.1 * t, Q[0, 1]), Omega0=(1, 0.2, 0.3))
    study = ph.converge(p, "VLV", 2.0, steps=STEPS)
    assert study.panels == ["attitude", "momentum", "phase"]
    assert study["VLV"].fits["phase"].order == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"methods": ["VLV", "vlv"]}, "Two of the methods"),
        ({"methods": []}, "empty"),
        ({"methods": "VLW"}, "Did you mean 'VLV'"),
        ({"t_end": -1}, "after the start"),
        ({"steps": [10]}, "multiples of 4"),
        ({"steps": "many"}, "numbers of steps"),
    ],
)
def test_what_cannot_be_studied(given, said):
    with pytest.raises(ph.InputError, match=said):
        ph.converge(**({"problem": "stress", "methods": "VLV", "t_end": 1.0} | given))


def test_velocity_in_the_torque():
    """A damped body: other solvers take it too, and what they cannot take is said."""
    p = ph.Problem(inertia=(1, 2, 2.5), damping=0.2 * np.eye(3), Omega0=(1, 0.2, 0.3))
    study = ph.work_precision(p, "RKMK4", 1.0, steps=(16, 32, 64))
    assert study["RKMK4"].fits["attitude"].order == pytest.approx(4, abs=0.1)
    for s in study.series[1:]:
        assert s.errors["attitude"][-1] < 1e-10 or s.notes
    assert study["scipy:DOP853"].errors["attitude"][-1] < 1e-11


def test_printed_it_is_a_line(study):
    assert repr(study) == str(study) and "\n" not in str(study) and len(str(study)) < 300
    assert str(study).startswith("<Study of stress, t = 0 to 2: VLV h^2.0")
    assert str(study["VLV"]).startswith("<Series of VLV h^2.0") and str(study["VLV"]).endswith(f"{len(STEPS)} steps>")
