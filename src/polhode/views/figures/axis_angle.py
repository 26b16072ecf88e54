"""A trajectory in the axis-angle ball, with level surfaces of the potential.

Every attitude is a rotation by an angle up to pi about an axis: a point of the ball of radius pi, whose opposite
surface points are the same attitude. The picture is that of Bou-Rabee, Ortolan & Saccon (2010), Figure 2.
"""

from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import checked_call, items, number, rotation, text
from polhode.inputs.scipy_rotation import Rotation
from polhode.runs.results.energies import potential_energies
from polhode.runs.results.trajectory import given_trajectory
from polhode.views.figures.level_surfaces import level_surface
from polhode.views.figures.style import INK, SOFT, new_figure, solid_axes, style
from polhode.views.figures.trajectory import title

PATH, MARK = "#b0305c", "#d4652a"
LIGHT, DARK = np.array([0.62, 0.74, 0.85]), np.array([0.10, 0.27, 0.45])
GRID = 56
"""Points of the grid along each axis: the surfaces look smooth, and machine code needs a fraction of a second."""

MOST_POINTS = 20_000
"""States of the trajectory drawn; beyond that the eye sees no more."""


@checked_call
def plot_axis_angle(
    trajectory: Any,
    levels: Any = None,
    marks: dict[str, np.ndarray] | None = None,
    axes: Any = None,
    elevation: float = 20.0,
    azimuth: float = -55.0,
) -> Any:
    """Draw the attitudes as rotation vectors, with level surfaces of the potential; returns the Matplotlib figure.

    Parameters
    ----------
    trajectory : Trajectory
        What to draw.
    levels : sequence of float
        values of the potential; by default three, the highest of them the energy of the start, a surface that the
        motion cannot cross. Darker means lower.
    marks : dict of 3x3 arrays
        {label: attitude} to mark with a dot; by default those the problem names, as the stress test its pole
    axes : Matplotlib axes
        a 3D Matplotlib axes to draw into; a new figure if not given

    Returns
    -------
    Figure
        Of Matplotlib.
    """
    trajectory = given_trajectory(trajectory)
    axes = None if axes is None else solid_axes(axes)
    elevation, azimuth = number("elevation", elevation), number("azimuth", azimuth)
    problem = trajectory.problem
    marks = getattr(problem, "landmarks", {}) if marks is None else marks
    if not isinstance(marks, dict):
        raise InputError(f"marks is {one_line(marks)}; it must be a dictionary {{label: attitude}}.")
    marks = {text("a label in marks", label): rotation("a mark", Q) for label, Q in marks.items()}
    if levels is not None:
        levels = [number("one of levels", x) for x in items("levels", levels, "a sequence of numbers")]
    vectors = trajectory.rotation[:: len(trajectory.t) // MOST_POINTS + 1].as_rotvec()
    with style():
        if axes is None:
            figure = new_figure(figsize=(6.4, 6.0))
            axes = figure.add_axes((0.0, 0.0, 1.0, 0.97), projection="3d", proj_type="ortho", computed_zorder=False)
            figure.text(0.02, 0.965, title(trajectory), fontsize=10, va="center")
        axes.view_init(elevation, azimuth)
        eye = np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth)), np.tan(np.radians(elevation))])
        legend = _draw_levels(axes, trajectory, levels, eye / np.linalg.norm(eye))
        _draw_ball(axes, eye / np.linalg.norm(eye))
        legend.append(_draw_path(axes, vectors, eye / np.linalg.norm(eye)))
        _draw_marks(axes, marks)
        axes.legend(handles=legend, loc="lower left", frameon=False, fontsize=8)
    return axes.figure


def _draw_levels(axes: Any, trajectory: Any, levels: list[float] | None, eye: np.ndarray) -> list[Any]:
    """All surfaces as one collection, so that nearer triangles cover farther ones; returns the legend's handles."""
    from matplotlib.patches import Patch
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    problem = trajectory.problem
    if problem is None or not problem.has_potential or not problem.has_torque:
        if levels is not None:
            raise InputError("levels were given, but there is no potential to draw them of.")
        return []
    if levels is not None and not len(levels):
        return []
    side = np.linspace(-np.pi, np.pi, GRID) * 1.03
    places = np.stack(np.meshgrid(side, side, side, indexing="ij"), -1).reshape(-1, 3)
    with np.errstate(all="ignore"):
        U = potential_energies(problem, Rotation().from_rotvec(places).as_matrix()).reshape(GRID, GRID, GRID)
    levels = sorted(_levels(trajectory, U) if levels is None else levels)
    triangles, paint, legend = [], [], []
    for k, level in enumerate(levels):
        part = k / max(1, len(levels) - 1)
        colour = DARK + part * (LIGHT - DARK)
        patch = _inside(level_surface(side, side, side, U, level))
        normal = np.cross(patch[:, 1] - patch[:, 0], patch[:, 2] - patch[:, 0])
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
        shade = 0.75 + 0.25 * np.abs(normal @ eye)[:, None]
        triangles.append(patch)
        paint.append(np.concatenate([shade * colour, np.full((len(patch), 1), 0.34 - 0.20 * part)], axis=1))
        legend.append(Patch(color=colour, alpha=0.6, label=f"$U$ = {level:.3g}"))
    colours = np.concatenate(paint)
    axes.add_collection3d(Poly3DCollection(np.concatenate(triangles), facecolors=colours, edgecolors="none", zorder=2))
    return legend[::-1]


def _inside(triangles: np.ndarray) -> np.ndarray:
    """Those that reach into the ball, drawn back to its surface where they stick out."""
    angle = np.linalg.norm(triangles, axis=2, keepdims=True)
    triangles = triangles * np.minimum(1, np.pi / np.maximum(angle, 1e-300))
    return triangles[(angle < np.pi).any(axis=(1, 2))]


def _levels(trajectory: Any, U: np.ndarray) -> list[float]:
    """Three levels from the lowest potential that was met up to the energy of the start, or below the highest."""
    low = potential_energies(trajectory.problem, trajectory.Q[:: len(trajectory.t) // MOST_POINTS + 1]).min()
    top, highest = trajectory.energy[0], np.nanmax(np.where(np.isfinite(U), U, np.nan))
    parts = (0.25, 0.6, 1.0) if top < highest else (0.25, 0.5, 0.75)
    return [low + part * (min(top, highest) - low) for part in parts]


def _draw_ball(axes: Any, eye: np.ndarray) -> None:
    """The outline of the ball, its equator, and the axes."""
    turn = np.linspace(0, 2 * np.pi, 361)
    across = np.cross([0.0, 0.0, 1.0], eye)
    across /= np.linalg.norm(across)
    up = np.cross(eye, across)
    outline = np.pi * (np.outer(np.cos(turn), across) + np.outer(np.sin(turn), up))
    axes.plot(*outline.T, color=SOFT, lw=0.9, zorder=1)
    equator = np.pi * np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], -1)
    front = equator @ eye > 0
    axes.plot(*np.where(front[:, None], equator, np.nan).T, color=SOFT, lw=0.7, zorder=1)
    axes.plot(*np.where(front[:, None], np.nan, equator).T, color=SOFT, lw=0.5, ls=(0, (3, 3)), zorder=1)
    for i, name in enumerate("xyz"):
        e = np.eye(3)[i] * np.pi
        axes.plot(*np.stack([-e, e]).T, color=SOFT, lw=0.5, zorder=1)
        axes.plot(*np.stack([e, 1.12 * e]).T, color=INK, lw=0.8, zorder=1)
        axes.text(*(1.2 * e), rf"${name}$", ha="center", va="center", fontsize=9, zorder=9)
    axes.text(*(np.pi * 1.03 * (across * 0.72 + up * 0.72)), r"angle $\pi$", fontsize=8, color="#7d8791", zorder=9)
    axes.set(xlim=(-np.pi, np.pi), ylim=(-np.pi, np.pi), zlim=(-np.pi, np.pi))
    axes.set_axis_off()
    axes.set_box_aspect((1, 1, 1), zoom=1.42)


def _draw_path(axes: Any, vectors: np.ndarray, eye: np.ndarray) -> Any:
    """The path, paler where it is farther away; it leaves the ball on one side and enters on the other."""
    from matplotlib.colors import to_rgb
    from matplotlib.lines import Line2D
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    pieces = _segments(vectors if len(vectors) > 1 else np.repeat(vectors, 2, axis=0))
    depth = pieces.mean(axis=1) @ eye
    order = np.argsort(depth)
    near = (depth - depth.min()) / max(np.ptp(depth), 1e-300)
    colours = 1 - (0.35 + 0.65 * near[order, None]) * (1 - np.array(to_rgb(PATH)))
    width = 0.6 if len(vectors) > 1000 else 1.2
    axes.add_collection3d(Line3DCollection(pieces[order], colors=colours, linewidths=width, capstyle="round", zorder=5))
    axes.plot(*vectors[:1].T, marker="o", ms=4.5, mfc="white", mec=PATH, mew=1.3, zorder=7)
    return Line2D([], [], color=PATH, lw=1.2, label="attitude, from the circle")


def _segments(vectors: np.ndarray) -> np.ndarray:
    """Pairs of neighbours (n, 2, 3); a pair across the surface becomes two, up to the surface and on from there."""
    a, b = vectors[:-1], vectors[1:]
    angle = np.maximum(np.linalg.norm(b, axis=1, keepdims=True), 1e-300)
    beyond = b * (1 - 2 * np.pi / angle)  # the attitude of b, outside the ball
    crosses = np.linalg.norm(a - beyond, axis=1) < np.linalg.norm(a - b, axis=1)
    a, b, beyond, plain = a[crosses], b[crosses], beyond[crosses], np.stack([a, b], axis=1)[~crosses]
    d = beyond - a
    p, q, r = (d * d).sum(axis=1), (a * d).sum(axis=1), (a * a).sum(axis=1) - np.pi**2
    s = (-q + np.sqrt(np.maximum(0, q * q - p * r))) / np.maximum(p, 1e-300)
    edge = a + s[:, None] * d
    return np.concatenate([plain, np.stack([a, edge], axis=1), np.stack([-edge, b], axis=1)])


def _draw_marks(axes: Any, marks: dict[Any, Any] | dict[str, np.ndarray]) -> None:
    for label, attitude in marks.items():
        v = Rotation().from_matrix(attitude).as_rotvec()
        axes.plot(*v[:, None], marker="o", ms=7, color=MARK, ls="", zorder=8)
        axes.text(*(v + np.array([0.0, 0.0, 0.32])), label, ha="center", fontsize=10, zorder=9)
