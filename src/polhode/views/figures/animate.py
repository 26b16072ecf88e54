"""The tumbling body as a film: GIF, MP4, or a page that plays it and can be turned with the mouse.

Everything is projected here, to flat polygons sorted from back to front, so that one scene serves the film and the
page, and a frame costs milliseconds.
"""

import html
import importlib.resources
import json
import pathlib
import tempfile
import webbrowser
from typing import Any

import numpy as np

from polhode.errors import FileError, InputError, one_line
from polhode.inputs import checked_call, file_path, number, positive, real_array, times
from polhode.inputs.scipy_rotation import Rotation
from polhode.runs.trajectory import given_trajectory
from polhode.views.figures.style import INK, SOFT, THREE, style

FACES, TRACE, MOMENTUM = ("#8fb4d6", "#f0c08e", "#9fcbb0"), "#b0305c", INK
TURN = 0.16
"""Radians a body turns from frame to frame, on average, if the speed is not given: slow enough to follow."""

COARSE = 1.0
"""Radians between states kept beyond which the motion in between cannot be filled in."""

MOST_FRAMES = 100_000
"""An hour of film."""

TRAIL = 120
"""Frames for which the tip of the third axis leaves a trace."""


@checked_call
def animate(
    trajectory: Any,
    path: pathlib.Path | None = None,
    *,
    t_span: Any = None,
    seconds: float = 8.0,
    fps: int = 25,
    shape: Any = None,
    elevation: float = 18.0,
    azimuth: float = 35.0,
) -> Any:
    """A film of the tumbling body, written to path (.gif, .mp4 or .html), which is returned.

    Without a path, a Film: a notebook shows it, `show()` opens it in the browser, `save(path)` writes it.

    The body is the box that has its principal moments, or the shape given. Its axes x, y, z are blue, orange and
    green; the tip of z leaves a trace; the arrow is the angular momentum, whose direction stays put in space
    when there is no torque. The page (.html) needs nothing but a browser, and can be turned.

    Parameters
    ----------
    trajectory : Trajectory
        What to show.
    path : path, optional
        Where to write it.
    t_span : pair of float
        the part of the trajectory to show, (from, to); by default from the start as much as can be followed in the time
        there is
    seconds, fps : float
        length of the film and frames per second
    shape : pair of arrays
        (vertices (n, 3) in body axes, faces: lists of vertex numbers); `ph.inertia.read_mesh` gives such a pair from a
        file
    elevation, azimuth : float
        the direction of view, in degrees

    Returns
    -------
    path or Film
        The path, or what shows itself.
    """
    trajectory = given_trajectory(trajectory)
    if path is None:
        return Film(_Scene(trajectory, t_span, seconds, fps, shape, elevation, azimuth))
    path = _checked_path(path)
    return _written(_Scene(trajectory, t_span, seconds, fps, shape, elevation, azimuth), path)


class Film:
    """A film that is not written yet."""

    def __init__(self, scene: "_Scene") -> None:
        self._scene = scene

    def __repr__(self) -> str:
        return f"<Film of {self._scene.title}: {self._scene.frames} frames; show() opens it, save(path) writes it>"

    def _repr_html_(self) -> str:
        page = html.escape(_page(self._scene), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="560" style="border:0"></iframe>'

    def save(self, path: Any) -> pathlib.Path:
        """Write it to path (.gif, .mp4 or .html); returns the path."""
        return _written(self._scene, _checked_path(path))

    def show(self) -> None:
        """Open it in the browser."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(_page(self._scene))
        webbrowser.open(pathlib.Path(file.name).as_uri())


def _checked_path(path: Any) -> pathlib.Path:
    path = file_path("path", path)
    if path.suffix.lower() not in WRITERS:
        raise FileError(f"{path} cannot be written: give a name that ends in .gif, .mp4 or .html.")
    if not path.parent.is_dir():
        raise FileError(f"There is no folder {path.parent}.")
    return path


def _written(scene: "_Scene", path: pathlib.Path) -> pathlib.Path:
    try:
        WRITERS[path.suffix.lower()](scene, path)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


class _Scene:
    """Times, attitudes, momenta and the body, ready to be drawn frame by frame."""

    def __init__(
        self, trajectory: Any, t_span: Any, seconds: Any, fps: Any, shape: Any, elevation: Any, azimuth: Any
    ) -> None:
        seconds, fps = positive("seconds", seconds), positive("fps", fps)
        elevation, azimuth = number("elevation", elevation), number("azimuth", azimuth)
        if not 0.1 <= fps <= MOST_FRAMES or seconds * fps > MOST_FRAMES:
            raise InputError(
                f"seconds = {seconds:g} and fps = {fps:g} make {seconds * fps:.3g} frames; at most {MOST_FRAMES} are "
                "made, and at least one every ten seconds."
            )
        if len(trajectory.t) < 2:
            raise InputError("The trajectory has one state; a film needs two at least.")
        self.fps, self.frames = fps, max(2, round(seconds * fps))
        first, last = _span(trajectory, t_span, self.frames)
        self.t = np.linspace(first, last, self.frames)
        self.Q = _attitudes(trajectory, self.t)
        self.title = f"{trajectory.problem_name} by {trajectory.method}"
        self.vertices, self.faces = _box(trajectory) if shape is None else _given_shape(shape)
        self.vertices = self.vertices / np.linalg.norm(self.vertices, axis=1).max()
        self.colours = [FACES[k // 2 % 3] if shape is None else FACES[0] for k in range(len(self.faces))]
        pi = np.stack([np.interp(self.t, *_rising(trajectory.t, c)) for c in trajectory.momentum.T], axis=1)
        self.momentum = pi / max(np.linalg.norm(pi, axis=1).max(), 1e-300)
        e, a = np.radians(elevation), np.radians(azimuth)
        eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        across = np.array([-np.sin(a), np.cos(a), 0.0])
        self.view = np.array([across, np.cross(eye, across), eye])  # rows: right, up, towards the viewer


def _span(trajectory: Any, t_span: Any, frames: Any) -> Any:
    first, last = sorted((trajectory.t[0], trajectory.t[-1]))
    if t_span is None:
        speed = np.linalg.norm(trajectory.Omega, axis=1).mean()
        return first, min(last, first + frames * TURN / max(speed, 1e-300))
    try:
        a, b = times("t_span", t_span)
    except ValueError:
        raise InputError(f"t_span is {one_line(t_span)}; give two times, (from, to).") from None
    if not first <= a < b <= last:
        raise InputError(
            f"t_span is ({a:g}, {b:g}); it must be rising and within the trajectory, {first:g} to {last:g}."
        )
    return a, b


def _rising(t: Any, x: Any) -> Any:
    return (t, x) if t[0] <= t[-1] else (t[::-1], x[::-1])


def _attitudes(trajectory: Any, t: Any) -> Any:
    """The attitudes at the times of the frames, by rotation at constant speed between the states kept."""
    from scipy.spatial.transform import Slerp

    times, Q = _rising(trajectory.t, trajectory.Q)
    inside = slice(max(0, np.searchsorted(times, t[0], "right") - 1), np.searchsorted(times, t[-1]) + 1)
    times, kept = times[inside], Rotation().from_matrix(Q[inside])
    gap = (np.diff(times) * np.linalg.norm(_rising(trajectory.t, trajectory.Omega)[1][inside][:-1], axis=1)).max()
    if gap > COARSE:
        raise InputError(
            f"Between the states kept the body turns by {gap:.2g} rad, and what it does in between is not known: solve "
            "with a smaller save_every (or h), so that it turns by less than 1 rad."
        )
    return Slerp(times, kept)(np.clip(t, times[0], times[-1])).as_matrix()


def _box(trajectory: Any) -> Any:
    """The box with the principal moments of the body: half lengths in body axes, faces turned outwards."""
    problem = trajectory.problem
    if problem is None:
        raise InputError("This trajectory was read from a file, which holds no inertia: give shape=(vertices, faces).")
    J = problem.moments
    square = J.sum() - 2 * J  # proportional to the squares of the lengths; negative where no body has such moments
    half = np.sqrt(np.maximum(square, 0.01 * square.max()))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [[4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [0, 4, 5, 1], [1, 5, 7, 3], [0, 2, 6, 4]]
    return (signs * half) @ problem.axes.T, faces


def _given_shape(shape: Any) -> Any:
    try:
        vertices, faces = real_array("vertices", shape[0], "(n, 3)"), [[int(i) for i in face] for face in shape[1]]
    except Exception:  # anything that is not a pair of an array and lists of numbers
        vertices, faces = np.empty(0), []
    good = vertices.ndim == 2 and vertices.shape[1] == 3 and np.isfinite(vertices).all() and vertices.any()
    if not good or not faces or not all(len(f) > 2 and 0 <= min(f) and max(f) < len(vertices) for f in faces):
        raise InputError("shape must be (vertices, faces): an array (n, 3) and lists of vertex numbers below n.")
    return vertices, faces


# ---- the film ----------------------------------------------------------------------------------------


def _write_film(scene: Any, path: Any) -> None:
    import matplotlib.pyplot as plt
    from matplotlib import animation

    if path.suffix.lower() == ".mp4" and not animation.writers.is_available("ffmpeg"):
        raise FileError(f"{path} needs ffmpeg, which is not installed: install it, or write .gif or .html.")
    with style():
        figure = plt.figure(figsize=(4.6, 4.8), dpi=100)
        axes = figure.add_axes((0, 0, 1, 0.96))
        axes.set(xlim=(-1.45, 1.45), ylim=(-1.45, 1.45), aspect="equal")
        axes.set_axis_off()
        draw = _painter(scene, axes)
        kind = animation.PillowWriter if path.suffix.lower() == ".gif" else animation.FFMpegWriter
        writer = kind(fps=scene.fps)
        with writer.saving(figure, str(path), dpi=100):
            for k in range(scene.frames):
                draw(k)
                writer.grab_frame()
        plt.close(figure)


def _painter(scene: Any, axes: Any) -> Any:
    """A function that draws frame k into the axes."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgb

    paint = np.array([to_rgb(c) for c in scene.colours])
    light = np.array([0.35, 0.55, 0.76])  # in the axes of the view: from the upper right, behind the viewer
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.plot(1.2 * np.cos(turn), 1.2 * np.sin(turn), color=SOFT, lw=0.8, zorder=0)
    axes.text(-1.42, 1.5, scene.title, fontsize=10, va="top")
    clock = axes.text(1.42, 1.5, "", fontsize=10, va="top", ha="right")
    body = PolyCollection([], zorder=5, linewidths=0.6, edgecolors="#ffffff")
    axes.add_collection(body)
    rods = [axes.plot([], [], color=c, lw=3, solid_capstyle="round")[0] for c in THREE]
    tips = [axes.text(0, 0, name, color=c, fontsize=9, ha="center", va="center") for name, c in zip("xyz", THREE)]
    traces = [axes.plot([], [], color=TRACE, lw=w, alpha=a, zorder=z)[0] for w, a, z in ((0.9, 0.4, 1), (1.3, 1.0, 9))]
    arrow = axes.annotate(
        "",
        (0, 0),
        (0, 0),
        arrowprops={"arrowstyle": "-|>,head_width=0.25,head_length=0.5", "color": MOMENTUM, "lw": 1.6},
    )
    trail = 1.2 * scene.Q[:, :, 2] @ scene.view.T

    def draw(k: Any) -> None:
        turned = scene.vertices @ (scene.view @ scene.Q[k]).T
        corners = [turned[face] for face in scene.faces]
        normals = np.array([np.cross(c[1] - c[0], c[2] - c[0]) for c in corners])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        order = np.argsort([c[:, 2].mean() for c in corners])
        shade = 0.68 + 0.32 * np.clip(normals @ light, 0, 1)
        body.set_verts([corners[i][:, :2] for i in order])
        body.set_facecolor((shade[:, None] * paint)[order])
        for i, (rod, tip) in enumerate(zip(rods, tips)):
            x, y, depth = scene.view @ scene.Q[k][:, i]
            rod.set_data([0, 1.12 * x], [0, 1.12 * y])
            rod.set_zorder(3 if depth < 0 else 6)
            if depth >= 0:  # a rod in front starts at the surface of the body, not at its middle
                start = _surface(scene, i)
                rod.set_data([start * x, 1.12 * x], [start * y, 1.12 * y])
            tip.set_position((1.3 * x, 1.3 * y))
            tip.set_zorder(3 if depth < 0 else 7)
        past = trail[max(0, k - TRAIL) : k + 1]
        for trace, front in zip(traces, (False, True)):
            keep = (past[:, 2] >= 0) == front
            keep[:-1] |= keep[1:]  # the two parts of the trace meet
            trace.set_data(np.where(keep, past[:, 0], np.nan), np.where(keep, past[:, 1], np.nan))
        x, y, depth = scene.view @ scene.momentum[k]
        arrow.xy = (1.4 * x, 1.4 * y)
        arrow.set_zorder(2 if depth < 0 else 8)
        clock.set_text(f"$t$ = {scene.t[k]:.2f}")

    return draw


def _surface(scene: Any, i: Any) -> Any:
    """How far along body axis i the body reaches."""
    return min(1.0, float(scene.vertices[:, i].max()))


# ---- the page ----------------------------------------------------------------------------------------


def _write_page(scene: Any, path: Any) -> None:
    path.write_text(_page(scene), encoding="utf-8")


def _page(scene: Any) -> Any:
    template = importlib.resources.files("polhode.views.figures").joinpath("animate.html").read_text(encoding="utf-8")
    data = {
        "fps": scene.fps,
        "t": np.round(scene.t, 4).tolist(),
        "Q": np.round(scene.Q.reshape(-1, 9), 5).tolist(),
        "momentum": np.round(scene.momentum, 5).tolist(),
        "vertices": np.round(scene.vertices, 5).tolist(),
        "faces": scene.faces,
        "colours": scene.colours,
        "axes": THREE,
        "reach": [_surface(scene, i) for i in range(3)],
        "trace": TRACE,
        "trail": TRAIL,
        "view": scene.view.ravel().tolist(),
    }
    return template.replace("TITLE", html.escape(scene.title)).replace("DATA", json.dumps(data).replace("</", "<\\/"))


WRITERS = {".gif": _write_film, ".mp4": _write_film, ".html": _write_page}
