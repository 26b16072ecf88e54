"""Results in other forms: data frames, netCDF that says what it holds, angles, frames, cards, films."""

import re

import numpy as np
import pytest
import xarray
from scipy.spatial.transform import Rotation

import polhode as ph


@pytest.fixture(scope="module")
def s():
    return ph.solve("heavy-top", "VLV", h=0.05, t_end=20.0, events={"up": lambda t, Q, Omega: Q[2, 2]})


def test_a_data_frame_holds_the_columns_of_the_csv(s, tmp_path):
    frame = s.to_dataframe()
    assert frame.index.name == "t" and np.array_equal(frame.index, s.t)
    assert np.array_equal(frame["Q_zx"], s.Q[:, 2, 0]) and np.array_equal(frame["momentum_y"], s.momentum[:, 1])
    head = s.to_csv(tmp_path / "s.csv").read_text().split("\n")[0]
    assert head.split(",") == ["t", *frame.columns]


def test_netcdf_says_what_it_holds_and_in_which_units(s, tmp_path):
    s.save(tmp_path / "s.nc", units="SI")
    with xarray.open_dataset(tmp_path / "s.nc") as data:
        assert {k: data[k].attrs["units"] for k in ("t", "Omega", "energy")} == {
            "t": "s",
            "Omega": "rad s-1",
            "energy": "J",
        }
        assert data.Q.attrs["long_name"] == "attitude, body to space"
    assert np.array_equal(ph.load(tmp_path / "s.nc").Q, s.Q)
    assert s.to_xarray(units={"Omega": "deg/s"}).Omega.attrs["units"] == "deg/s"
    assert "unit of time" in s.to_xarray().t.attrs["units"]
    with pytest.raises(ph.InputError, match="units is 'metres'; give"):
        s.to_xarray(units="metres")


def test_angles_and_quaternions(s):
    yaw, pitch, roll = s.euler("ZYX").T
    again = Rotation.from_euler("ZYX", np.stack([yaw, pitch, roll], axis=1)).as_matrix()
    assert again == pytest.approx(s.Q, abs=1e-12)
    assert s.euler("zxz", degrees=True) == pytest.approx(np.degrees(s.euler("zxz")))
    with pytest.raises(ph.InputError, match="sequence is 'XXY'; give three axes"):
        s.euler("XXY")
    q = s.quat(scalar_first=True, continuous=True)
    assert np.sum(q[1:] * q[:-1], axis=1).min() > 0.9  # SciPy's jump in sign
    assert np.sum(s.quat()[1:] * s.quat()[:-1], axis=1).min() < 0
    assert Rotation.from_quat(q, scalar_first=True).as_matrix() == pytest.approx(s.Q, abs=1e-14)


def test_a_satellite_at_rest_in_its_orbit_stays_where_it_is_seen_from_there():
    """z to the planet, y against the normal: with I_y > I_x > I_z the body at rest in this frame is in equilibrium."""
    p = ph.build.satellite(
        inertia_body=(2.5, 3.0, 1.0),
        orbit_rate=0.2,
        position_space=(0, 1, 0),
        orbit_normal_space=(1, 0, 0),
        Omega0=(0, -0.2, 0),
    )
    frame = ph.frames.lvlh(p)
    seen = ph.solve(p.replaced(Q0=frame.attitude(0.0)), "RKMK4", h=0.1, t_end=40.0).relative_to(frame)
    assert np.abs(seen.Q - np.eye(3)).max() < 1e-12 and np.abs(seen.Omega).max() < 1e-12
    assert seen.euler("ZYX").shape == (401, 3)
    same = ph.frames.lvlh(orbit_rate=0.2, position_space=(0, 1, 0), orbit_normal_space=(1, 0, 0))
    assert same.attitude(7.0) == pytest.approx(frame.attitude(7.0), abs=1e-15)


def test_the_rate_of_a_frame_is_the_derivative_of_its_attitude():
    tilted = Rotation.from_rotvec((0.3, -0.5, 0.2)).as_matrix()
    for frame in (
        ph.frames.spinning(axis_space=(1, 2, 2), rate=0.7, attitude=tilted, t0=1.0),
        ph.frames.lvlh(orbit_rate=0.3),
    ):
        t, d = 2.3, 1e-5
        F, dF = frame.attitude(t), (frame.attitude(t + d) - frame.attitude(t - d)) / (2 * d)
        w = F.T @ dF
        assert (w[2, 1], w[0, 2], w[1, 0]) == pytest.approx(tuple(frame.rate(t)), abs=1e-9)


def test_a_frame_that_stands_still_only_turns_the_attitudes(s):
    F = Rotation.from_rotvec((0.3, -0.5, 0.2))
    seen = s.relative_to(F)
    assert repr(seen) == f"<Relative to {seen.frame.name}: {len(s.t)} states, t = {s.t[0]:g} to {s.t[-1]:g}>"
    assert seen.Q == pytest.approx(F.as_matrix().T @ s.Q, abs=1e-15) and np.array_equal(seen.Omega, s.Omega)
    with pytest.raises(ph.InputError, match="needs its rate, too"):
        s.relative_to(lambda t: np.eye(3))


def test_cards_name_what_they_show(s):
    assert "Trajectory of heavy-top" in s._repr_html_() and "event up" in s._repr_html_()
    assert "Problem heavy-top" in s.problem._repr_html_() and "with a potential" in s.problem._repr_html_()
    card = ph.method("VLV")._repr_html_()
    assert "Method VLV: variational Lie-Verlet" in card
    assert re.search(r"symplectic, potential</td><td[^>]*>yes", card)


def test_a_film_without_a_path_shows_itself(s, tmp_path):
    film = ph.animate(s, seconds=1.0)
    assert "<iframe srcdoc=" in film._repr_html_() and "heavy-top by VLV" in repr(film)
    assert film.save(tmp_path / "film.html").read_text().startswith("<!doctype html>")


def test_the_figure_shows_the_attitude(s):
    figure = s.plot()
    assert figure.axes[4].get_ylabel() == "quaternion" and len(figure.axes) == 5
    assert len(ph.solve("heavy-top", "VLV", h=0.05, n_steps=1).plot().axes) == 5


def test_a_file_keeps_the_events(s, tmp_path):
    many = ph.solve(
        "heavy-top",
        "VLV",
        h=0.05,
        t_end=20.0,
        events={"up": lambda t, Q, W: Q[2, 2], "never": lambda t, Q, W: 2 + Q[0, 0]},
    )
    again = ph.load(many.save(tmp_path / "run.nc")).events
    assert list(again) == ["up", "never"] and len(again["up"]) > 0 and len(again["never"]) == 0
    for name in ("t", "Q", "Omega", "direction"):
        assert np.array_equal(getattr(again["up"], name), getattr(many.events["up"], name))


@pytest.mark.parametrize(
    "event, words",
    [
        (lambda t: t, "raised TypeError at the start"),
        (lambda t, Q, Omega: 1 / 0, "raised ZeroDivisionError at the start"),
        (lambda t, Q, Omega: float("nan"), "is nan at the start"),
        (lambda t, Q, Omega: "up", "must be one number"),
        (lambda t, Q, Omega: Q[2, 2] > 0, "changes its sign"),
        (lambda t, Q, Omega: bool(t > 0.5), "changes its sign"),
    ],
)
def test_what_cannot_be_an_event_gets_a_sentence(event, words):
    with pytest.raises(ph.InputError, match=words):
        ph.solve("heavy-top", "VLV", h=0.05, t_end=1.0, events={"a": event})


def test_an_ensemble_is_a_table_of_times_and_bodies(tmp_path):
    e = ph.solve_ensemble("heavy-top", "VLV", Omega0=[(0, 0, 1.0), (0, 1.0, 2.0)], h=0.1, n_steps=4)
    table = e.to_dataframe()
    assert np.array_equal(table.xs(1, level="body")["Omega_y"], e.Omega[:, 1, 1])
    read = np.genfromtxt(e.save(tmp_path / "e.csv"), delimiter=",", names=True)
    assert np.array_equal(read["energy"], e.energy.ravel()) and np.array_equal(read["body"][:2], [0, 1])
    assert np.array_equal(read["Q_zy"], e.Q[:, :, 2, 1].ravel()) and np.array_equal(read["t"][::2], e.t)
    with pytest.raises(ph.FileError, match="no known format"):
        e.save(tmp_path / "e.json")
    with pytest.raises(IndexError, match="0 to 1"):
        e[2]
