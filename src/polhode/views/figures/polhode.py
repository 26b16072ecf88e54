"""The polhode: the path of the momentum in the body, where the momentum sphere meets the energy ellipsoid."""

from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import checked_call, number
from polhode.runs.results.trajectory import given_trajectory
from polhode.views.figures.style import INK, new_figure, solid_axes, style
from polhode.views.figures.trajectory import title

SPHERE, ELLIPSOID, PATH, NEIGHBOUR = "#c9d3dd", "#ecc39b", "#9c1f4b", "#7d8791"
MESH = 180
"""Patches around the surface. They are narrower than the path, which hides the ragged line where surfaces meet."""

LIFT = 1.002
"""Curves are drawn this much outside the surface they lie on, so that round-off does not hide them."""


@checked_call
def plot_polhode(trajectory: Any, axes: Any = None, elevation: Any = None, azimuth: Any = None) -> Any:
    """Draw the body momentum J Omega in the principal axes of the body; returns the Matplotlib figure.

    For a free body: the sphere |Pi| = const and the ellipsoid Pi.J^-1 Pi = 2 T, whichever is outside, with
    other polhodes (thin) and the separatrix (dashed), and the path. A method that keeps momentum and energy
    stays where sphere and ellipsoid meet; errors lead away from there. With a torque neither is kept, and the
    direction of the momentum is drawn on a sphere.

    Parameters
    ----------
    trajectory : Trajectory
        What to draw.
    axes : Matplotlib axes
        a 3D Matplotlib axes to draw into; a new figure if not given
    elevation, azimuth : float
        the direction of view in degrees; by default towards the path

    Returns
    -------
    Figure
        Of Matplotlib.
    """
    trajectory = given_trajectory(trajectory)
    axes = None if axes is None else solid_axes(axes)
    elevation = None if elevation is None else number("elevation", elevation)
    azimuth = None if azimuth is None else number("azimuth", azimuth)
    problem = trajectory.problem
    if problem is None:
        raise InputError(
            "This trajectory was read from a file, which does not say whether a torque acted, and by that the picture "
            "is drawn: solve anew."
        )
    J = problem.moments
    Pi = trajectory.Omega @ problem.axes * J
    sizes = np.linalg.norm(Pi, axis=1, keepdims=True)
    if not sizes.min() > 0:
        raise InputError("The body is at rest at some time, and its momentum has no direction to draw.")
    surfaces = [np.ones(3)]  # semi-axes, in units of the momentum at the start
    if problem.has_torque:
        y = Pi / sizes
    else:
        y = Pi / sizes[0]
        surfaces.append(np.sqrt((y[0] ** 2 / J).sum() * J))
    with style():
        if axes is None:
            figure = new_figure(figsize=(6.0, 5.8))
            axes = figure.add_axes((0.0, 0.0, 1.0, 0.96), projection="3d", proj_type="ortho", computed_zorder=False)
            figure.text(0.02, 0.965, title(trajectory), fontsize=10, va="center")
        view = _towards(y)
        elevation, azimuth = view[0] if elevation is None else elevation, view[1] if azimuth is None else azimuth
        axes.view_init(elevation, azimuth)
        eye = _eye(elevation, azimuth)
        _draw_surface(axes, surfaces, eye)
        _draw_neighbours(axes, J, surfaces, eye)
        _draw_path(axes, y, surfaces, eye, width=1.0 if problem.has_torque else 2.0)
        _draw_axes(axes, surfaces, eye)
        _legend(axes, surfaces, J)
    return axes.figure


def _towards(y: np.ndarray) -> tuple[float, float]:
    """Elevation and azimuth in degrees from which most of the path is in front, a little to the side."""
    x, up = y.mean(axis=0), y[:, 2].mean() / np.linalg.norm(y, axis=1).mean()
    elevation = 22 + 0.25 * np.degrees(np.arcsin(np.clip(up, -1, 1)))
    return elevation, np.degrees(np.arctan2(x[1], x[0])) + 20 if np.hypot(*x[:2]) > 0.05 else 35.0


def _eye(elevation: float, azimuth: float) -> np.ndarray:
    """The unit vector from the origin to the viewer."""
    e, a = np.radians(elevation), np.radians(azimuth)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def _radii(y: np.ndarray, surfaces: list[np.ndarray]) -> np.ndarray:
    """The radius of each surface in the directions y, (surfaces, points)."""
    d = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.array([1 / np.linalg.norm(d / semi, axis=-1) for semi in surfaces])


def _draw_surface(axes: Any, surfaces: list[np.ndarray], eye: np.ndarray) -> None:
    """What is outside of sphere and ellipsoid, shaded; the colour says which."""
    from matplotlib.colors import to_rgb
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    u, v = np.linspace(0, 2 * np.pi, MESH + 1), np.linspace(0, np.pi, MESH // 2 + 1)
    circle, height = np.stack([np.cos(u), np.sin(u)], -1), np.cos(v)
    ball = np.concatenate(
        [circle[:, None] * np.sin(v)[None, :, None], np.broadcast_to(height[None, :, None], (len(u), len(v), 1))], -1
    )
    ball = ball * _radii(ball, surfaces).max(axis=0)[..., None]
    patches = np.stack([ball[:-1, :-1], ball[1:, :-1], ball[1:, 1:], ball[:-1, 1:]], axis=2).reshape(-1, 4, 3)
    middle = patches.mean(axis=1)
    which = _radii(middle, surfaces).argmax(axis=0)
    normal = middle / np.array(surfaces)[which] ** 2
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    light = eye + np.array([0.0, 0.0, 0.9]) + 0.5 * np.cross([0.0, 0.0, 1.0], eye)
    shade = 0.74 + 0.26 * np.clip(normal @ light / np.linalg.norm(light), 0, 1)
    paint = shade[:, None] * np.array([to_rgb(SPHERE), to_rgb(ELLIPSOID)])[which]
    front = normal @ eye > -0.05
    faces = Poly3DCollection(patches[front], facecolors=paint[front], edgecolors=paint[front], linewidths=0.5)
    axes.add_collection3d(faces)


def _draw_neighbours(axes: Any, J: np.ndarray, surfaces: list[np.ndarray], eye: np.ndarray) -> None:
    """Other polhodes, and the separatrix. A polhode is a cone of directions, so it lies on both surfaces."""
    low, middle, high = np.argsort(J)
    for about, others in ((low, (middle, high)), (high, (middle, low))):
        if np.isclose(J[about], J[middle], rtol=1e-9):
            continue
        for part in (0.12, 0.34, 0.6, 0.83):
            for side in (1, -1):
                curve = _cone(J, about, others, part, side)
                _draw_curve(axes, curve, surfaces, eye, color=NEIGHBOUR, lw=0.5)
    if _has_separatrix(J):
        for side in (1, -1):
            curve = _cone(J, low, (middle, high), 1.0, side)
            _draw_curve(axes, curve, surfaces, eye, color=INK, lw=0.9, ls=(0, (4, 2)))


def _has_separatrix(J: np.ndarray) -> bool:
    low, middle, high = np.sort(J)
    return not (np.isclose(low, middle, rtol=1e-9) or np.isclose(middle, high, rtol=1e-9))


def _cone(J: np.ndarray, about: int, others: tuple[int, int], part: float, side: int) -> np.ndarray:
    """Directions of a polhode around one axis, `part` of the way from it to the separatrix in energy."""
    angle = np.linspace(0, 2 * np.pi, 721)
    a, b = others
    over = part * (1 / J[a] - 1 / J[about])  # a is the middle axis
    y = np.zeros((len(angle), 3))
    y[:, a] = np.sqrt(over / (1 / J[a] - 1 / J[about])) * np.cos(angle)
    y[:, b] = np.sqrt(over / (1 / J[b] - 1 / J[about])) * np.sin(angle)
    y[:, about] = side * np.sqrt(np.maximum(0.0, 1 - y[:, a] ** 2 - y[:, b] ** 2))
    return y


def _draw_path(axes: Any, y: np.ndarray, surfaces: list[np.ndarray], eye: np.ndarray, width: float) -> None:
    _draw_curve(axes, y, surfaces, eye, behind=0.3, color=PATH, lw=width, zorder=8)
    point = y[:1] / np.linalg.norm(y[0]) * _radii(y[:1], surfaces).max() * LIFT
    if _visible(point, surfaces, eye)[0]:
        axes.plot(*point.T, marker="o", ms=5, mfc="white", mec=PATH, mew=1.4, zorder=10)


def _draw_curve(
    axes: Any, y: np.ndarray, surfaces: list[np.ndarray], eye: np.ndarray, behind: float = 0.0, **line: Any
) -> None:
    """A curve of directions on the outer surface where it can be seen, and faintly where not."""
    inside = np.linalg.norm(y, axis=1, keepdims=True)
    y = y / inside * np.maximum(_radii(y, surfaces).max(axis=0)[:, None], inside) * LIFT
    visible = _visible(y, surfaces, eye)[:, None]
    axes.plot(*np.where(visible, y, np.nan).T, solid_capstyle="round", **({"zorder": 5} | line))
    if behind:
        axes.plot(*np.where(visible, np.nan, y).T, alpha=behind, **({"zorder": 5} | line | {"lw": 0.7}))


def _visible(y: np.ndarray, surfaces: list[np.ndarray], eye: np.ndarray) -> np.ndarray:
    """Whether nothing lies between a point outside and the viewer."""
    visible = np.ones(len(y), dtype=bool)
    for semi in surfaces:
        p, v = y / semi, eye / semi
        a, b, c = v @ v, p @ v, (p * p).sum(axis=1) - 1
        visible &= (b > 0) | (b * b < a * c)
    return visible


def _draw_axes(axes: Any, surfaces: list[np.ndarray], eye: np.ndarray) -> None:
    from matplotlib.patheffects import withStroke

    reach = max(s.max() for s in surfaces)
    for i in range(3):
        sign = 1 if eye[i] >= 0 else -1
        direction = np.eye(3)[i] * sign
        ends = np.stack([direction * max(s[i] for s in surfaces), direction * (reach * 1.36)])
        axes.plot(*ends.T, color=INK, lw=0.8, zorder=9)
        label = rf"${'' if sign > 0 else '-'}\Pi_{i + 1}$"
        text = axes.text(*(ends[1] * 1.06), label, ha="center", va="center", fontsize=10, zorder=11)
        text.set_path_effects([withStroke(linewidth=3, foreground="white")])  # legible across a line
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), zlim=(-reach, reach))
    axes.set_axis_off()
    axes.set_box_aspect((1, 1, 1), zoom=1.14)


def _legend(axes: Any, surfaces: list[np.ndarray], J: np.ndarray) -> None:
    from matplotlib.lines import Line2D

    kinds = [("sphere of momentum", SPHERE), ("ellipsoid of energy", ELLIPSOID)]
    marks = [Line2D([], [], marker="s", ls="", color=c, ms=7, label=label) for label, c in kinds[: len(surfaces)]]
    path = "path of the momentum" if len(surfaces) == 2 else "direction of the momentum"
    marks.append(Line2D([], [], color=PATH, lw=2, label=path + ", from the dot"))
    if _has_separatrix(J):
        label = "separatrix" if len(surfaces) == 2 else "separatrix of the free body"
        marks.append(Line2D([], [], color=INK, lw=0.9, ls=(0, (4, 2)), label=label))
    axes.legend(handles=marks, loc="lower left", frameon=False, fontsize=8)
