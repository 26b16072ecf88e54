"""Frames of a scene, drawn by Matplotlib: the body as flat polygons sorted from back to front."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.errors import FileError
from polhode.views.figures.scene import Scene, reach
from polhode.views.figures.style import INK, SOFT, THREE, style

TRACE, MOMENTUM = "#b0305c", INK

TRAIL = 120
"""Frames for which the tip of the third axis leaves a trace."""


def write_film(scene: Scene, path: pathlib.Path) -> None:
    """Write the film, as GIF or MP4."""
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


def _painter(scene: Scene, axes: Any) -> Callable[[int], None]:
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

    def draw(k: int) -> None:
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
                start = reach(scene, i)
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
