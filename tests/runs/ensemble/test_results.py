"""Ensembles as results: data with coordinates, files, events, failures, pictures."""

import pickle

import numpy as np
import pytest

import polhode as ph

K = np.linspace(1.0, 3.0, 7)


def stiff(t, Q, p):
    return (p.k * Q[2, 1], -p.k * Q[2, 0], p.m[2])


def height(t, Q, Omega):
    return Q[2, 2] - 0.3


@pytest.fixture(scope="module")
def mine():
    given = {"k": 2.0, "m": (0.0, 0.0, 0.1)}
    return ph.Problem(inertia=(2, 3, 4), torque=stiff, parameters=given, Omega0=(1.0, 0.2, 0.3), name="mine")


@pytest.fixture(scope="module")
def e(mine):
    return ph.solve_ensemble(mine, "VLV", parameters={"k": K}, h=0.06, t_end=5.0)


def test_h_is_the_most_a_step_may_be_and_small_jobs_take_one_thread(e, mine):
    assert e.h == pytest.approx(5.0 / 84) and e.t[-1] == pytest.approx(5.0) and e.stats["threads"] == 1
    alone = ph.solve(mine.replaced(k=K[3]), "VLV", h=0.06, t_end=5.0)
    assert np.array_equal(e.Q[:, 3], alone.Q) and np.array_equal(e[3](1.234).Q, alone(1.234).Q)
    with pytest.raises(ph.InputError, match="it must be a whole number"):
        ph.solve_ensemble(mine, "VLV", parameters={"k": K}, h=0.06, t_end=5.0, strict=True)


def test_parameters_are_coordinates_and_a_file_gives_everything_back(e, tmp_path):
    data = e.to_xarray(units="SI")
    assert data.Q.dims == ("t", "body", "space", "axis") and np.array_equal(data.k, K)
    assert data.m.dims == ("body", "m_0") and data.Omega.attrs["units"] == "rad s-1"
    assert np.array_equal(data.sel(body=3).Omega, e.Omega[:, 3])
    e.save(tmp_path / "e.nc")
    read = ph.load(tmp_path / "e.nc")
    assert len(read) == 7 and read.success.all() and read.method == "VLV" and read.h == e.h
    assert np.array_equal(read.Q, e.Q) and np.array_equal(read.momentum, e.momentum)
    assert np.array_equal(read.quat(continuous=True), e.quat()) and read[1:3].Q.shape == e.Q[:, 1:3].shape
    assert np.array_equal(read.to_xarray().k, K) and len(read.plot().axes) == 4


def test_quaternions_are_continuous_and_angles_are_those_of_each_body(e):
    q = e.quat(scalar_first=True)
    assert q.shape == (85, 7, 4) and np.sum(q[1:] * q[:-1], axis=-1).min() > 0.9
    assert np.array_equal(e.euler("ZYX")[:, 2], e[2].euler("ZYX"))
    assert e.relative_to(np.eye(3)).Q == pytest.approx(e.Q)


def test_events_are_those_of_each_body_alone(mine, e):
    found = ph.solve_ensemble(
        mine, "VLV", parameters={"k": K}, h=0.06, t_end=5.0, events={"low": height}, save_every=84
    )
    low = found.events["low"]
    first = []
    for i, k in enumerate(K):
        alone = ph.solve(mine.replaced(k=k), "VLV", h=0.06, t_end=5.0, events={"low": height}).events["low"]
        assert np.array_equal(low.t[low.body == i], alone.t) and np.array_equal(low.Q[low.body == i], alone.Q)
        first.append(alone.t[0] if len(alone) else np.nan)
    assert len(low) > 5 and np.array_equal(low.first, first, equal_nan=True)
    assert np.array_equal(found.Q[-1], e.Q[-1]) and len(found.t) == 2
    part = pickle.loads(pickle.dumps(found))[[4, 1]]
    assert np.array_equal(part.events["low"].first, low.first[[4, 1]], equal_nan=True)


def test_a_terminal_event_ends_each_body_at_its_own_time(mine):
    e = ph.solve_ensemble(
        mine,
        "VLV",
        parameters={"k": K},
        h=0.05,
        t_end=5.0,
        events={"low": height},
        terminal="low",
        direction={"low": -1},
    )
    assert e.success.all()
    for i, end in enumerate(e.events["low"].first):
        last = e.t[np.isfinite(e.Omega[:, i, 0])][-1]
        assert len(e[i].t) == np.isfinite(e.Omega[:, i, 0]).sum()
        assert last == e.t[-1] if np.isnan(end) else last < end <= last + e.h


def test_bodies_that_fail_are_told_by_the_policy(mine):
    wild = np.array([[0.1, 0.2, 0.3], [np.nan, 0.0, 0.0]])
    with pytest.warns(ph.RunWarning, match="1 of 2 bodies failed"):
        e = ph.solve_ensemble(mine, "VLV", Omega0=wild, h=0.05, n_steps=5)
    assert np.isnan(e.quat()[1:, 1]).all() and np.isfinite(e.quat()[:, 0]).all()
    assert "1 stopped early" in e._repr_html_() and len(e.plot().axes) == 4
    with pytest.raises(ph.RunError, match="cannot start") as error:
        ph.solve_ensemble(mine, "VLV", Omega0=wild, h=0.05, n_steps=5, on_failure="raise")
    assert len(error.value.result) == 2
