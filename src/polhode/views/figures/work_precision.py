"""Errors against step, torque evaluations and processor time: a row per error, a column per axis."""

from typing import Any

import numpy as np

from polhode.testbench.convergence.errors import PANELS
from polhode.views.figures.style import INK, SOFT, new_figure, style

COLOURS = (
    *("#2a78b5", "#d4652a", "#3f9169", "#b0305c", "#8a63b5", "#a8820f"),
    *("#4fa3a5", "#7d6b5d", "#1f4e79", "#e39b6d", "#7cc29a", "#d885a3"),
)
MARKERS = "osD^v<>phX*d"
AXES = {"h": "step h", "torques": "torque evaluations", "seconds": "processor time (s)"}


def study_figure(study: Any) -> Any:
    """A Matplotlib figure of a Study. Filled markers decide the order; hollow ones are round-off or too coarse."""
    rows, columns = _shape(study)
    with style():
        figure = new_figure(figsize=(3.7 * columns + 0.4, 2.5 * rows + 0.9), layout="constrained")
        grid = np.atleast_1d(figure.subplots(rows, columns)).reshape(-1)
        cells = [(panel, axis) for panel in study.panels for axis in study.axes]
        for axes, (panel, axis) in zip(grid, cells):
            _panel(axes, study, panel, axis)
        for axes in grid[len(cells) :]:
            axes.set_axis_off()
        lines = {label: line for a in grid for line, label in zip(*a.get_legend_handles_labels())}
        figure.legend(
            lines.values(),
            lines.keys(),
            frameon=False,
            fontsize=7.5,
            loc="outside lower center",
            ncols=min(5, len(lines)),
        )
        span = f"{study.problem.t0:g} to {study.t_end:g}"
        figure.suptitle(f"{study.problem.name}, t = {span}", fontsize=9, x=0.02, ha="left")
    return figure


def _shape(study: Any) -> Any:
    cells = len(study.panels) * len(study.axes)
    return -(-cells // 2), 2


def _panel(axes: Any, study: Any, panel: Any, axis: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    orders = set()
    drawn = []
    for k, s in enumerate(study.series):
        x, e = {"h": s.h, "torques": s.torques, "seconds": s.seconds}[axis], s.errors.get(panel)
        if e is None:
            continue
        there = np.isfinite(x) & np.isfinite(e) & (x > 0) & (e > 0)
        if not there.any():
            continue
        fit = s.fits.get(panel)
        used = there & np.array(fit.used) if fit else there
        look = dict(color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)], ms=3)
        axes.plot(x[there], e[there], lw=0.9, ls="--" if s.adaptive else "-", mfc="none", mew=0.6, label=s.name, **look)
        axes.plot(x[used], e[used], lw=0, **look)
        drawn.append(e[there])
        if fit and fit.decided and axis == "h":
            orders.add(round(fit.order))
    axes.set_xlabel(AXES[axis], fontsize=8)
    axes.set_title(PANELS[panel], fontsize=8.5, loc="left")
    if drawn:
        values = np.concatenate(drawn)
        axes.set_ylim(max(values.min() / 3, 1e-17), min(values.max() * 3, 30))
    else:
        axes.text(0.5, 0.5, "not counted", transform=axes.transAxes, ha="center", color=SOFT)
    _guides(axes, orders - {0})


def _guides(axes: Any, orders: Any) -> None:
    """A thin line of each order that was measured, through the upper right corner."""
    low, high = axes.get_xlim()
    bottom, top = axes.get_ylim()
    for p in sorted(orders):
        h = np.array([max(low, high * (bottom / top) ** (1 / p)), high])
        axes.plot(h, top * (h / high) ** p, color=SOFT, lw=0.7, zorder=0)
        x = max(1.05 * low, 1.3 * h[0])
        axes.text(x, top * (x / high) ** p, f"$h^{{{p}}}$", color=INK, fontsize=6.5, va="bottom", ha="left")
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
