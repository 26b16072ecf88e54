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

from polhode.errors import FileError
from polhode.inputs import checked_call, file_path
from polhode.runs.results.trajectory import given_trajectory
from polhode.views.figures.film import TRACE, TRAIL, write_film
from polhode.views.figures.scene import Scene, reach
from polhode.views.figures.style import THREE


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
        return Film(Scene(trajectory, t_span, seconds, fps, shape, elevation, azimuth))
    path = _checked_path(path)
    return _written(Scene(trajectory, t_span, seconds, fps, shape, elevation, azimuth), path)


class Film:
    """A film that is not written yet."""

    def __init__(self, scene: Scene) -> None:
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


def _written(scene: Scene, path: pathlib.Path) -> pathlib.Path:
    try:
        WRITERS[path.suffix.lower()](scene, path)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from error
    return path


def _write_page(scene: Scene, path: pathlib.Path) -> None:
    path.write_text(_page(scene), encoding="utf-8")


def _page(scene: Scene) -> str:
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
        "reach": [reach(scene, i) for i in range(3)],
        "trace": TRACE,
        "trail": TRAIL,
        "view": scene.view.ravel().tolist(),
    }
    return template.replace("TITLE", html.escape(scene.title)).replace("DATA", json.dumps(data).replace("</", "<\\/"))


WRITERS = {".gif": write_film, ".mp4": write_film, ".html": _write_page}
