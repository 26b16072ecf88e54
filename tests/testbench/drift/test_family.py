"""Random stress problems: the same every time, away from singularities, and a test that drifting methods fail."""

import json

import numpy as np
import pytest

import polhode as ph
from polhode.cli.main import main
from polhode.errors import InputError
from polhode.testbench.drift.family import random_problems


@pytest.fixture(scope="module")
def family():
    return ph.stress(["ELN", "MCG", "VLV"], t_end=2000, ensemble=2, random=3)


def test_the_draws_are_the_same_every_time():
    few, more = list(random_problems(2)), list(random_problems(4))
    for a, b in zip(few, more):
        assert a.name == b.name and np.array_equal(a.inertia, b.inertia) and a.parameters == b.parameters
        assert np.array_equal(a.Q0, b.Q0) and np.array_equal(a.Omega0, b.Omega0)
    assert len({p.parameters for p in more}) == 4


def test_the_bodies_exist_and_the_motion_keeps_away_from_the_singularities():
    for p in random_problems(6):
        a, b, c = sorted(p.inertia)
        assert a < b < c < a + b
        s = ph.solve(p, "RATTLE", h=0.05, t_end=2000, save_every=4)
        assert np.linalg.norm(s.Q - np.eye(3), axis=(1, 2)).min() > 0.1
        assert np.linalg.norm(s.Q - np.reshape(p.parameters[1:10], (3, 3)), axis=(1, 2)).min() > 0.5


def test_a_drift_is_found_on_some_and_none_where_there_is_none(family):
    assert family["ELN"].drifts >= 1 and family["MCG"].drifts >= 1
    assert family["ELN"].proven >= 1
    assert family["VLV"].drifts == 0 and family["VLV"].words == "no drift seen"
    assert family["VLV"].problems == 3 and len(family["VLV"].rates) == 3
    assert "drifts on" in family["ELN"].words and "drifts on" in repr(family)


def test_plain_data_and_table(family):
    from polhode.views.files import as_json

    data = json.loads(as_json(family.to_dict()))
    assert len(data["problems"]) == len(data["results"]) == 3
    assert [m["method"] for m in data["methods"]] == ["ELN", "MCG", "VLV"]
    assert family.table().row_count == 3
    with pytest.raises(InputError, match="was not in this test"):
        family["TLN"]


def test_an_unstable_method_is_called_so():
    row = ph.stress(["HSTAGM"], t_end=1000, ensemble=1, random=1)["HSTAGM"]
    assert row.unstable == 1 and row.sign == "unstable"


def test_neither_symplectic_nor_conjugate_needs_two_step_sizes():
    one = ph.stress(["MCG"], h=0.25, t_end=1000, ensemble=2).rows[0]
    assert one.verdict == "drifts" and not one.neither and one.to_dict()["neither"] is False
    two = ph.stress(["MCG"], h=(0.125, 0.25), t_end=1000, ensemble=2).rows[0]
    assert two.neither and all(abs(e.rate) > 5 * e.error for e in two.evidence)


def test_the_law_over_three_step_sizes():
    row = ph.stress(["MCG"], h=(0.0625, 0.125, 0.25), t_end=1000, ensemble=2).rows[0]
    assert len(row.evidence) == 3
    assert row.exponent == pytest.approx(2, abs=0.1) and row.exponent_error < 0.2


def test_on_the_command_line(capsys, tmp_path):
    small = ("--methods", "MCG", "--h", "0.25", "--t-end", "400", "--ensemble", "1")
    assert main(["stress", *small, "--random", "2", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "2 random stress problems" in out and "MCG" in out
    assert [p.name for p in tmp_path.iterdir()] == ["stress-random.json"]
    assert main(["stress", *small, "--random", "1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 1
    with pytest.raises(InputError, match="random is 0"):
        ph.stress(["VLV"], random=0)
