"""The command line for problems and methods of one's own."""

import csv
import json

import pytest

from polhode.cli.main import main

MINE = """
import polhode as ph
def f(t, Q, p):
    return (p.k * Q[2, 1], -p.k * Q[2, 0], p.m[2])
body = ph.Problem(inertia=(2, 2, 4), torque=f, parameters={"k": 2.0, "m": (0, 0, 1)}, Omega0=(.1, .2, .3), name="mine")
def step(problem, Q, Omega, h, t):
    return ph.step(problem, "VLV", Q, Omega, h, t)
def made(k=1.0):
    return ph.Problem(inertia=(2, 2.5, 4), potential=lambda Q: k * Q[2, 2], Omega0=(.1, .2, .3), name=f"made {k}")
number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "own_things.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_run_takes_a_problem_of_ones_own_with_other_parameters(here, capsys):
    line = ["run", "VLV", "own_things:body", "--h", "0.3", "--t-end", "1", "--csv", "a.csv", "--json"]
    assert main([*line, "--set", "k=3", "m=[0,0,2]"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["problem"] == "mine" and data["h"] == 0.25 and data["files"] == ["a.csv"]
    rows = list(csv.DictReader((here / "a.csv").read_text().splitlines()))
    assert float(rows[-1]["t"]) == 1.0 and len(rows) == 5
    assert float(rows[-1]["momentum_z"]) == pytest.approx(0.3 * 4 + 2, abs=0.2)  # the torque p.m about z
    assert main(["run", "own_things:step", "own_things:made", "--set", "k=2", "--h", "0.1", "--t-end", "1"]) == 0
    assert "made 2" in capsys.readouterr().out


def test_a_method_of_low_order_is_given_the_small_step_it_needs(here, capsys):
    line = ["run", "VLV", "own_things:body", "--t-end", "4", "--accuracy", "1e-7", "--csv", "a.csv", "--json"]
    assert main(line) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["h"] < 1e-3 and len((here / "a.csv").read_text().splitlines()) == data["states"] + 1


@pytest.mark.parametrize(
    "words, said",
    [
        (["own_things:number"], "it must be a Problem, or a function that makes one"),
        (["own_things:nobody"], "has no attribute 'nobody'"),
        (["own_things:body", "--set", "q=3"], "no parameter 'q'"),
        (["own_things:body", "--set", "k"], "give name=value"),
        (["own_things:body", "--set", "k=three"], "'three' is no number"),
        (["stress", "--set", "beta=3"], "takes no 'beta'"),
    ],
)
def test_what_is_wrong_gets_a_sentence(here, capsys, words, said):
    assert main(["run", "VLV", *words, "--h", "0.1", "--t-end", "1"]) == 2
    assert said in capsys.readouterr().err


def test_studies_and_advice_take_them_too(here, capsys):
    line = ["converge", "VLV", "own_things:step", "--problem", "own_things:made", "--set", "k=2", "--t-end", "1"]
    assert main([*line, "--steps", "16", "32", "64", "128", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["problem"] == "made 2"
    for row in data["integrators"]:
        assert row["orders"]["attitude"]["order"] == pytest.approx(2, abs=0.1)
    assert main(["recommend", "--problem", "own_things:body", "--t-end", "2", "--accuracy", "1e-6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["wanted"]["problem"] == "mine"
    assert main(["recommend", "--set", "k=3"]) == 2
    assert "--set changes a problem" in capsys.readouterr().err
