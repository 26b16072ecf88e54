"""Ensembles as results: data with coordinates, files, events, failures, pictures."""

import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.machine import WIDTH
from polhode.runs.ensemble.schedule import shared_out

K = np.linspace(1.0, 3.0, 7)


def stiff(t, Q, p):
    return (p.k * Q[2, 1], -p.k * Q[2, 0], p.m[2])


def height(t, Q, Omega):
    return Q[2, 2] - 0.3


def late(t, Q, Omega):
    return t - 8 - Q[2, 2]


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


def spin(t, Q, Omega):
    return Omega[1] - 0.1 * t


@pytest.mark.parametrize("method, h", [("VLV", 0.06), ("GAUSS8", -0.3)])
@pytest.mark.parametrize("more", [{}, {"terminal": "low", "direction": {"low": -1}}])
def test_events_are_those_of_each_body_alone(mine, method, h, more):
    """In lanes (VLV) and one after the other (GAUSS8), to 12 digits; bodies have axes and parameters of their own."""
    turned = np.array([[2.0, 0.3, 0.2], [0.3, 3.0, -0.3], [0.2, -0.3, 4.0]])
    tensors = np.array([turned + 0.1 * i * np.eye(3) for i in range(7)])
    asked = {"h": h, "t_end": 80 * h, "events": {"low": height, "spin": spin}, "save_every": 7, **more}
    e = ph.solve_ensemble(mine, method, parameters={"k": K}, inertia=tensors, **asked)
    assert e.stats["lanes"] == (1 if method == "GAUSS8" else WIDTH)
    for i, k in enumerate(K):
        alone, body = ph.solve(mine.replaced(k=k, inertia=tensors[i]), method, **asked), e[i]
        for name, found in alone.events.items():
            assert body.events[name].t == pytest.approx(found.t, rel=1e-12, abs=1e-13)
            assert body.events[name].Q == pytest.approx(found.Q, abs=1e-12)
            assert np.array_equal(body.events[name].direction, found.direction)
        assert body.success and body.message == alone.message
        assert body.t == pytest.approx(alone.t, rel=1e-12) and body.Omega == pytest.approx(alone.Omega, abs=1e-12)
        first = alone.events["low"].t
        assert e.events["low"].first[i] == pytest.approx(first[0] if len(first) else np.nan, rel=1e-12, nan_ok=True)
    assert len(e.events["low"]) >= 5 and (len(e.ended) >= 5 if more else len(e.events["spin"]) >= 5)
    part = pickle.loads(pickle.dumps(e))[[4, 1]]
    assert np.array_equal(part.events["low"].first, e.events["low"].first[[4, 1]], equal_nan=True)
    assert part[1].message == e[1].message


def test_watching_changes_no_bit_and_needs_no_states(mine, e):
    found = ph.solve_ensemble(
        mine, "VLV", parameters={"k": K}, h=0.06, t_end=5.0, events={"low": height}, save_every=84
    )
    assert np.array_equal(found.Q[-1], e.Q[-1]) and len(found.t) == 2 and len(found.events["low"]) > 5


def test_events_where_bodies_fail_or_functions_raise(mine):
    """A body that fails has no events from there on; one whose event raises runs alone, as do those beside it."""
    given = {"parameters": {"k": K}, "h": 0.06, "n_steps": 80, "on_failure": "return"}

    def cannot(t, Q, Omega):
        return Q[2, 2] - float(eval("0.3"))

    plain = ph.solve_ensemble(mine, "VLV", **given, events={"low": height})
    bottom = float(np.median(plain.Q[50:, :, 2, 2].min(axis=0)))

    def edge(t, Q, Omega):
        if t > 3 and Q[2, 2] < bottom:
            raise ValueError("over")
        return Q[2, 2] - 0.3

    raised = ph.solve_ensemble(mine, "VLV", **given, events={"low": edge})
    assert 0 < raised.success.sum() < 7 and "ValueError" in raised.message
    for i in np.flatnonzero(raised.success):
        assert raised[i].events["low"].t == pytest.approx(plain[i].events["low"].t, rel=1e-12)
    with pytest.warns(UserWarning, match="The event 'low' could not be compiled"):
        python = ph.solve_ensemble(mine, "VLV", **given, events={"low": cannot})
    assert python.events["low"].t == pytest.approx(plain.events["low"].t, rel=1e-12)
    wild = np.tile([1.0, 0.2, 0.3], (7, 1))
    wild[2, 0] = np.nan
    lame = ph.solve_ensemble(mine, "VLV", Omega0=wild, **given, events={"low": height})
    assert not lame.success[2] and not len(lame[2].events["low"])
    assert np.array_equal(lame[3].events["low"].t, plain[3].events["low"].t)
    with pytest.raises(ph.InputError, match=r"The event 'low' of body 2 is nan at the start"):
        ph.solve_ensemble(
            mine, "VLV", Omega0=wild[:2].tolist() + [[-1.0, 0, 0]], h=0.1, n_steps=3, events={"low": root}
        )


def root(t, Q, Omega):
    return np.sqrt(Omega[0])


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
        assert len(e[i].t) == np.isfinite(e.Omega[:, i, 0]).sum() + (i in e.ended)
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


# ---- long runs -----------------------------------------------------------------------------------------


def test_reductions_are_those_of_each_body_alone():
    """Bodies with starts of their own, one that fails, and rows kept at another distance than values are looked at."""
    p = ph.problem("heavy-top")
    Omega0 = np.array(p.Omega0) + 0.1 * np.arange(5)[:, None]
    Omega0[3, 0] = np.nan
    asked = {"h": 0.05, "n_steps": 700, "reduce": ("energy", "momentum_z"), "reduce_every": 3, "save_every": 200}
    e = ph.solve_ensemble(p, "VLV", Omega0=Omega0, **asked, on_failure="return")
    plain = ph.solve_ensemble(p, "VLV", Omega0=Omega0, h=0.05, n_steps=700, save_every=200, on_failure="return")
    assert np.array_equal(e.Q, plain.Q, equal_nan=True) and np.array_equal(e.t, plain.t)
    for i in (0, 1, 2, 4):
        alone = ph.solve(p.replaced(Omega0=Omega0[i]), "VLV", **asked)
        for name, found in alone.reductions.items():
            ours = e[i].reductions[name]
            for key in ("first", "count", "min", "max", "mean", "t", "means"):
                assert getattr(ours, key) == pytest.approx(getattr(found, key), rel=1e-12, abs=1e-13), (name, key)
            assert ours.slope == pytest.approx(found.slope, rel=1e-9, abs=1e-15)
            assert ours.slope_error == pytest.approx(found.slope_error, rel=1e-6, abs=1e-15)
    assert e.reductions["energy"].count[3] == 0 and np.isnan(e.reductions["energy"].mean[3])
    assert e[[4, 1]].reductions["energy"].max.tolist() == e.reductions["energy"].max[[4, 1]].tolist()
    with pytest.raises(ph.InputError, match="reduce works with a method of the catalogue or a Method"):
        ph.solve_ensemble(p, plain_step, h=0.05, n_steps=9, reduce="energy")


def plain_step(problem, Q, Omega, h, t):
    return ph.step(problem, "VLV", Q, Omega, h, t)


class Killed(BaseException):
    pass


@pytest.mark.parametrize(
    "more", [{}, {"reduce": "energy", "reduce_every": 7}, {"events": {"low": height, "late": late}, "terminal": "late"}]
)
def test_an_ensemble_that_was_killed_ends_with_the_bits_it_would_have_had(tmp_path, monkeypatch, more):
    from polhode.runs.ensemble import schedule

    p = ph.problem("heavy-top")
    Omega0 = np.array(p.Omega0) + 0.02 * np.arange(40)[:, None]
    asked = {"Omega0": Omega0, "h": 0.05, "n_steps": 1000, "save_every": 50, "on_failure": "return", **more}
    whole = ph.solve_ensemble(p, "VLV", **asked)
    swept, sweep = [], schedule.Run._sweep

    def killed(self, *given):
        if len(swept) == 2:
            raise Killed
        swept.append(sweep(self, *given))

    monkeypatch.setattr(schedule, "SWEEP_SECONDS", 0.0)  # short sweeps
    monkeypatch.setattr(schedule.Run, "_sweep", killed)
    place = tmp_path / "e.checkpoint"
    with pytest.raises(Killed):
        ph.solve_ensemble(p, "VLV", **asked, checkpoint=place, checkpoint_every=0.0)
    monkeypatch.setattr(schedule.Run, "_sweep", sweep)
    again = ph.solve_ensemble(p, "VLV", **asked, checkpoint=place)
    assert again.stats["resumed_at"] == 128
    assert again.stats["n_steps"] == (1000 if "events" not in more else 192)  # nobody is left then
    assert np.array_equal(again.Q, whole.Q, equal_nan=True) and np.array_equal(again.Omega, whole.Omega, equal_nan=True)
    if "reduce" in more:
        for key in ("min", "max", "mean", "slope", "means"):
            ours, theirs = (getattr(e.reductions["energy"], key) for e in (again, whole))
            assert np.array_equal(ours, theirs)
    if "events" in more:
        assert np.array_equal(again.events["low"].t, whole.events["low"].t) and again.ended == whole.ended
        assert len(whole.ended) == 40
    done = ph.solve_ensemble(p, "VLV", **asked, checkpoint=place)
    assert done.stats["resumed_at"] == done.stats["n_steps"] and np.array_equal(done.Q, whole.Q, equal_nan=True)
    with pytest.raises(ph.InputError, match="its data of the bodies differs"):
        ph.solve_ensemble(p, "VLV", **asked | {"Omega0": 2 * Omega0}, checkpoint=place)
    place.write_bytes(place.read_bytes()[:-3])
    with pytest.raises(ph.FileError, match="it is damaged"):
        ph.solve_ensemble(p, "VLV", **asked, checkpoint=place)


@pytest.mark.parametrize("more", [{}, {"reduce": "energy", "reduce_every": 3}, {"events": {"low": height}}])
def test_states_go_to_a_file_as_they_come(tmp_path, monkeypatch, more):
    """In pieces of two rows; the file is that of `save`, and what is read from it has the bits of a run in memory."""
    monkeypatch.setattr("polhode.runs.ensemble.sink.BUFFER_BYTES", 2 * 56 * 16)
    p = ph.problem("heavy-top")
    Omega0 = np.array(p.Omega0) + 0.1 * np.arange(5)[:, None]
    Omega0[3, 0] = np.nan
    asked = {"Omega0": Omega0, "h": 0.05, "n_steps": 100, "save_every": 7, "on_failure": "return", **more}
    kept = ph.solve_ensemble(p, "VLV", **asked)
    e = ph.solve_ensemble(p, "VLV", **asked, out=tmp_path / "e.nc")
    read = ph.load(tmp_path / "e.nc")
    for found in (e, read):
        assert np.array_equal(found.t, kept.t) and np.array_equal(found.Q, kept.Q, equal_nan=True)
        assert np.array_equal(found.Omega, kept.Omega, equal_nan=True)
        assert found.energy == pytest.approx(kept.energy, rel=1e-13, nan_ok=True)
        assert found.success.tolist() == [True, True, True, False, True] and found.messages == kept.messages
    assert np.array_equal(e[1].Q, kept[1].Q) and e.stats["largest_turn"] == kept.stats["largest_turn"]
    assert list(tmp_path.iterdir()) == [tmp_path / "e.nc"]
    with pytest.raises(ph.InputError, match="do not go together"):
        ph.solve_ensemble(p, "VLV", **asked, out=tmp_path / "e.nc", checkpoint=tmp_path / "c")


def test_notes_are_shared_out_by_whole_groups():
    noted = [(k, k + 1, np.empty((size, 1))) for k, size in enumerate([5, 1, 1, 1, 9, 3])]
    for threads in (1, 2, 3, 8):
        parts = shared_out(noted, threads)
        assert [group for part in parts for group in part] == noted and 1 <= len(parts) <= threads
    assert [len(part) for part in shared_out(noted, 2)] == [4, 2]
