"""Invariants in tables and files."""

import csv

import numpy as np
import pytest
import xarray

import polhode as ph
from polhode.runs.results.invariants import labels

INVARIANTS = {
    "jacobi": lambda t, Q, Omega: t + Q[2, 2],
    "energy": lambda Q, Omega: Omega @ Omega,
    "event_0": lambda Q, Omega: Q[0, 0],
    "spin, third": lambda Q, Omega: Omega[2],
}
COLUMNS = {"jacobi": "jacobi", "energy": "invariant_energy", "event_0": "invariant_event_0"} | {
    "spin, third": "spin__third"
}


def body():
    return ph.Problem(inertia=(1, 2, 2.5), potential=lambda Q: Q[2, 2], Omega0=(0.3, 0.2, 1.0), invariants=INVARIANTS)


def test_names_that_are_taken_get_a_prefix():
    assert labels(["Q", "a b", "a.b", "a_b"], ("Q",)) == {
        "Q": "invariant_Q",
        "a b": "a_b",
        "a.b": "invariant_a_b",
        "a_b": "invariant_a_b_2",
    }


def test_a_trajectory_has_them_in_its_tables_and_files(tmp_path):
    s = ph.solve(body(), "VLV", h=0.05, n_steps=40, events={"up": lambda t, Q, Omega: t - 1})
    data = s.to_xarray()
    for name, label in COLUMNS.items():
        assert np.array_equal(data[label], s.invariant(name)) and data[label].attrs["long_name"] == f"invariant {name}"
    assert np.array_equal(data["energy"], s.energy) and len(s.events["up"]) == 1
    frame = s.to_dataframe()
    assert list(frame.columns[-4:]) == ["jacobi", "invariant_energy", "event_0", "spin__third"]
    with open(s.to_csv(tmp_path / "s.csv"), encoding="utf-8") as file:
        assert [float(row["jacobi"]) for row in csv.DictReader(file)] == s.invariant("jacobi").tolist()
    again = ph.load(s.save(tmp_path / "s.nc"))
    for filed in (again, ph.load(again.save(tmp_path / "again.nc"))):
        assert all(np.array_equal(filed.invariant(name), s.invariant(name)) for name in INVARIANTS)
    assert len(again.events["up"]) == 1


def test_those_that_follow_from_the_inertia_are_not_in_tables():
    s = ph.solve("heavy-top", "VLV", h=0.05, n_steps=4)
    assert "vertical_momentum" not in s.to_dataframe() and len(s.invariant("vertical momentum")) == 5


@pytest.mark.parametrize("streamed", [False, True])
def test_an_ensemble_has_them(tmp_path, streamed):
    Omega0, path = np.array([[0.3, 0.2, 1.0], [0.1, 1.0, 0.2]]), tmp_path / "e.nc"
    e = ph.solve_ensemble(body(), "VLV", Omega0=Omega0, h=0.05, n_steps=20, **({"out": path} if streamed else {}))
    if not streamed:
        e.save(path)
    assert e.invariant("jacobi").shape == (21, 2)
    for i in range(2):
        assert np.array_equal(e.invariant("jacobi")[:, i], e[i].invariant("jacobi"))
    with xarray.open_dataset(path) as data:
        for name, label in (COLUMNS | {"event_0": "event_0"}).items():
            assert np.array_equal(data[label], e.invariant(name))
            assert data[label].attrs["long_name"] == f"invariant {name}"
    assert np.array_equal(e.to_dataframe()["jacobi"], e.invariant("jacobi").ravel())
    with pytest.raises(ph.InputError, match="lists no invariant 'none'; it lists \\['jacobi'"):
        e.invariant("none")
