"""Pictures: they are drawn, they show what they say, and misuse gets a sentence. How they look, a person checks."""

import dataclasses
import json
import re
import warnings

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib import animation
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.errors import InputError
from polhode.views.figures.animate import animate
from polhode.views.figures.axis_angle import _segments, plot_axis_angle
from polhode.views.figures.level_surfaces import level_surface
from polhode.views.figures.polhode import _cone, _visible, plot_polhode
from polhode.views.figures.trajectory import plot_trajectory


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def free():
    return ph.solve("free-body", "VLV")


@pytest.fixture(scope="module")
def stress():
    return ph.solve("stress", "VLV", t_end=250.0)


# ---- trajectory --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, labels",
    [
        ("free-body", ["$E(t) - E(0)$", r"$\pi(t) - \pi(0)$ (space)"]),
        ("stress", ["$E(t) - E(0)$", r"$\pi$ (space axes)"]),
        ("lagrange-top", ["$E(t) - E(0)$", "error of invariants"]),
        ("book-toss", ["kinetic energy", "error of invariants"]),
        ("forced", ["kinetic energy", r"$\pi$ (space axes)"]),
    ],
)
def test_trajectory_shows_what_the_problem_has(name, labels, tmp_path):
    s = ph.solve(name, "VLV", n_steps=200)
    figure = s.plot()
    panels = figure.axes
    assert [a.get_ylabel() for a in panels[:2]] == labels
    assert panels[2].get_ylabel() == r"$\Omega$ (body axes)" and panels[4].get_xlabel() == "time $t$"
    for line, values in zip(panels[2].get_lines(), s.Omega.T):
        assert (line.get_ydata() == values).all()
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_trajectory_energy_panel_is_the_energy_error(stress):
    curve = stress.plot().axes[0].get_lines()[1]
    assert (curve.get_ydata() == stress.energy_error).all()


def test_long_runs_are_drawn_as_bands():
    s = ph.solve("stress", "VLV", t_end=1000.0)
    panel = s.plot().axes[0]
    (band,) = panel.collections
    low, high = band.get_paths()[0].vertices[:, 1].min(), band.get_paths()[0].vertices[:, 1].max()
    assert (low, high) == pytest.approx((s.energy_error.min(), s.energy_error.max()))


def test_trajectory_into_given_axes_and_from_a_file(free, tmp_path):
    _, axes = plt.subplots(2, 2)
    assert plot_trajectory(free, axes) is axes[0, 0].figure
    read = ph.load(free.save(tmp_path / "run.nc"))
    assert len(plot_trajectory(read).axes) == 5
    with pytest.raises(InputError, match="draws five panels"):
        plot_trajectory(free, axes[0])


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("name", ["stress", "free-body", "book-toss", "heavy-top"])
def test_short_runs_are_drawn(name, n, tmp_path):
    s = ph.solve(name, "VLV", n_steps=3, compiled=False)
    s = dataclasses.replace(s, t=s.t[:n], Q=s.Q[:n], Omega=s.Omega[:n])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s.plot().savefig(tmp_path / "run.png", dpi=30)
        plot_axis_angle(s, levels=() if s.problem.has_potential and s.problem.has_torque else None)
        if name != "book-toss":  # it starts at rest
            plot_polhode(s)
    (line,) = s.plot().axes[3].get_lines()
    assert len(line.get_xdata()) == n and (line.get_marker() == "o") == (n == 1)
    if n == 1:
        with pytest.raises(InputError, match="a film needs two"):
            animate(s, tmp_path / "film.gif")


def test_a_figure_is_shown_once(free):
    """A notebook shows the figure that is returned, and at the end of a cell all that pyplot holds."""
    for figure in (free.plot(), plot_polhode(free), plot_axis_angle(free)):
        assert figure.axes and plt.get_fignums() == []
    _, axes = plt.subplots(4)
    assert plt.fignum_exists(plot_trajectory(free, axes).number), "a figure of the user's stays with pyplot"


def test_a_figure_with_a_window_stays_with_pyplot(free, monkeypatch):
    class Window(FigureManagerBase):
        """As of a backend with windows, whose figures plt.show() shows."""

    monkeypatch.setattr(FigureCanvasAgg, "manager_class", Window)
    assert plt.fignum_exists(free.plot().number)


def test_a_trajectory_from_a_file_shows_its_kinetic_energy(tmp_path):
    s = ph.solve("forced", "VLV", n_steps=5, compiled=False)
    panels = [x.plot().axes[0] for x in (s, ph.load(s.save(tmp_path / "run.nc")))]
    assert [p.get_ylabel() for p in panels] == ["kinetic energy"] * 2
    assert np.array_equal(*(p.get_lines()[0].get_ydata() for p in panels))


# ---- polhode -----------------------------------------------------------------------------------------


def test_polhode_lies_on_sphere_and_ellipsoid(free, tmp_path):
    figure = plot_polhode(free)
    figure.savefig(tmp_path / "polhode.png")
    J = free.problem.moments
    path = max(figure.axes[0].get_lines(), key=lambda line: line.get_linewidth())
    y = np.array(path.get_data_3d()).T
    y = y[np.isfinite(y).all(axis=1)]
    assert np.linalg.norm(y, axis=1) == pytest.approx(1, abs=3e-3)
    start = J * free.Omega[0] / np.linalg.norm(J * free.Omega[0])
    assert (y**2 / J).sum(axis=1) == pytest.approx((start**2 / J).sum(), rel=6e-3)


def test_neighbouring_polhodes_are_polhodes():
    J = np.array([0.9, 1.1, 1.7])
    for about, others in ((0, (1, 2)), (2, (1, 0))):
        y = _cone(J, about, others, 0.6, 1)
        assert np.linalg.norm(y, axis=1) == pytest.approx(1)
        energy = (y**2 / J).sum(axis=1)
        assert energy == pytest.approx(1 / J[about] + 0.6 * (1 / J[1] - 1 / J[about]))


def test_hidden_lines_are_those_behind():
    y = np.array([[1.01, 0, 0], [-1.01, 0, 0], [0, 0, 1.01], [0.6, 0, 0.9], [-0.6, 0, 1.2]])
    sphere, egg, eye = np.ones(3), np.array([0.5, 0.5, 1.5]), np.array([1.0, 0.0, 0.0])
    assert _visible(y, [sphere], eye).tolist() == [True, False, True, True, True]
    assert _visible(y, [sphere, egg], eye).tolist() == [True, False, False, True, False]


@pytest.mark.parametrize("inertia", [(1, 1, 1), (1, 1, 2), (1, 2, 2), [[2, 0.1, 0], [0.1, 2.5, 0.2], [0, 0.2, 3]]])
def test_polhode_of_every_kind_of_body(inertia, tmp_path):
    problem = ph.Problem(inertia=inertia, Omega0=(0.3, 0.5, 0.7))
    plot_polhode(ph.solve(problem, "VLV", h=0.1, n_steps=100)).savefig(tmp_path / "polhode.png")
    assert (tmp_path / "polhode.png").stat().st_size > 10_000


def test_polhode_with_a_torque_and_misuse(tmp_path):
    s = ph.solve("heavy-top", "VLV", n_steps=300)
    labels = [text.get_text() for text in plot_polhode(s).axes[0].get_legend().get_texts()]
    assert "direction of the momentum, from the dot" in labels and "ellipsoid of energy" not in labels
    with pytest.raises(InputError, match="whether a torque acted"):
        plot_polhode(ph.load(s.save(tmp_path / "run.nc")))
    with pytest.raises(InputError, match="at rest"):
        plot_polhode(ph.solve("book-toss", "VLV"))


# ---- axis and angle ----------------------------------------------------------------------------------


def test_level_surface_of_a_ball():
    side = np.linspace(-1, 1, 41)
    x, y, z = np.meshgrid(side, side, side, indexing="ij")
    triangles = level_surface(side, side, side, x * x + y * y + z * z, 0.49)
    assert np.linalg.norm(triangles, axis=2) == pytest.approx(0.7, abs=2e-3)
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1) / 2
    assert area.sum() == pytest.approx(4 * np.pi * 0.49, rel=5e-3)
    assert level_surface(side, side, side, x, 9.0).shape == (0, 3, 3)
    exact = level_surface(side, side, side, x + 2 * y - z, 0.123)
    assert exact @ (1, 2, -1) == pytest.approx(0.123)


def test_path_crosses_the_surface_of_the_ball():
    angles = np.linspace(0.9 * np.pi, 1.1 * np.pi, 4)
    pieces = _segments(Rotation.from_rotvec(np.outer(angles, (0, 0, 1))).as_rotvec())
    assert len(pieces) == 4  # three steps, one of them in two pieces
    assert np.linalg.norm(pieces, axis=2).max() == pytest.approx(np.pi)
    assert np.linalg.norm(pieces[:, 0] - pieces[:, 1], axis=1).sum() == pytest.approx(0.2 * np.pi)


def test_axis_angle_shows_path_levels_and_pole(stress, tmp_path):
    figure = plot_axis_angle(stress)
    figure.savefig(tmp_path / "axis_angle.png")
    axes = figure.axes[0]
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[0] == f"$U$ = {stress.energy[0]:.3g}" and len(texts) == 4
    assert "$Q_m$" in [text.get_text() for text in axes.texts]


def test_axis_angle_of_any_problem(free, tmp_path):
    assert len(plot_axis_angle(free).axes[0].get_legend().get_texts()) == 1
    figure = plot_axis_angle(ph.solve("heavy-top", "VLV", n_steps=200), levels=(0.1, 0.5), marks={"I": np.eye(3)})
    figure.savefig(tmp_path / "top.png")
    with pytest.raises(InputError, match="no potential to draw"):
        plot_axis_angle(free, levels=(1,))


# ---- films -------------------------------------------------------------------------------------------


def test_gif_has_its_frames(free, tmp_path):
    film = animate(free, tmp_path / "film.gif", seconds=1.0, fps=12)
    with Image.open(film) as image:
        assert image.n_frames == 12 and image.info["duration"] == pytest.approx(1000 / 12, abs=10)


def test_page_is_self_contained_and_holds_the_motion(free, tmp_path):
    page = animate(free, tmp_path / "film.html", seconds=2.0, t_span=(5.0, 15.0)).read_text()
    assert "http" not in page and "src=" not in page and "TITLE" not in page
    data = json.loads(re.search(r"const data = (.*);\n", page).group(1))
    assert len(data["t"]) == 50 and (data["t"][0], data["t"][-1]) == (5.0, 15.0)
    k = 49
    nearest = np.argmin(np.abs(free.t - data["t"][k]))
    assert np.array(data["Q"][k]).reshape(3, 3) == pytest.approx(free.Q[nearest], abs=1e-4)
    J = free.problem.moments
    edges = np.ptp(np.array(data["vertices"]), axis=0) ** 2
    shown = np.array([edges[1] + edges[2], edges[2] + edges[0], edges[0] + edges[1]])
    assert shown / shown[0] == pytest.approx(J / J[0], rel=1e-3)


def test_film_of_a_shape_and_of_a_run_backwards(tmp_path):
    s = ph.solve("heavy-top", "VLV", h=-0.05, n_steps=200)
    tetrahedron = (
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]),
        [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    )
    assert animate(s, tmp_path / "film.html", shape=tetrahedron).exists()


def test_films_misused(free, tmp_path):
    coarse = ph.solve("free-body", "VLV", save_every=100)
    cases = [
        (lambda: animate(free, tmp_path / "film.avi"), "ends in .gif, .mp4 or .html"),
        (lambda: animate(free, tmp_path / "none" / "film.gif"), "There is no folder"),
        (lambda: animate(free, tmp_path / "film.gif", seconds=0), "must be above zero"),
        (lambda: animate(free, tmp_path / "film.gif", t_span=(5, 500)), "within the trajectory"),
        (lambda: animate(free, tmp_path / "film.gif", t_span=5), "give two times"),
        (lambda: animate(free, tmp_path / "film.gif", shape=([[0, 0, 0]], [[0, 1, 2]])), "lists of vertex numbers"),
        (lambda: animate(coarse, tmp_path / "film.gif"), "smaller save_every"),
    ]
    if not animation.writers.is_available("ffmpeg"):
        cases.append((lambda: animate(free, tmp_path / "film.mp4"), "needs ffmpeg"))
    for call, words in cases:
        with pytest.raises(InputError, match=re.escape(words)):
            call()
