"""Published figures that are neither the stress test's nor plain convergence: histories, work-precision, the ball."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.history import Curve, HistoryResult, Panel
from polhode.testbench.papers.work_precision import Timed, WorkPrecision, WorkPrecisionResult
from polhode.views.figures.axis_angle import plot_axis_angle
from polhode.views.figures.stress import binned
from polhode.views.figures.style import GAINS, INK, LOSES, SOFT, STEADY, THREE, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


STEP_COLOURS = ("#b0305c", "#d4652a", "#2a78b5", "#1b1f24")
"""Colours of the curves in a panel of scalars; components of a vector have theirs."""

DASHES = {"-": "solid", ":": (0, (1.2, 1.6)), "--": (0, (5, 2)), "-.": (0, (5, 1.6, 1.2, 1.6))}
FEW_MARKERS = 110
"""About how many markers a curve gets where there is no room for all."""

BLOW_UP = 30
"""A curve whose range is this many times that of every other is cut off."""


def history_figure(result: HistoryResult) -> "Figure":
    """A Matplotlib figure of a HistoryResult: its panels in rows of `columns`."""
    from matplotlib.figure import Figure

    panels, columns = result.study.panels, result.study.columns
    rows = -(-len(panels) // columns)
    with style():
        figure = Figure(figsize=(7.4, 3.1 * rows if rows == 1 else 2.1 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, sharex=rows > 1)
        for a, panel in zip(axes.flat, panels):
            _history(a, panel, [c for c in result.curves if c.panel == panel.title])
            if len(panels) > 1 and columns > 1:
                a.set_title(panel.title, fontsize=9, loc="left")
        for a in axes[-1]:
            a.set_xlabel("time $t$", fontsize=8)
        _legend(figure, axes[0, 0], panels[0])
    return figure


def _history(axes: "Axes", panel: Panel, curves: Sequence[Curve]) -> None:
    colours = THREE if panel.components else STEP_COLOURS
    for k, (run, c) in enumerate(zip(panel.runs, curves)):
        values = c.values if panel.components else c.values[:, None]
        for i in range(values.shape[1]):
            y = np.where(values[:, i] > 0, values[:, i], np.nan) if panel.logarithmic else values[:, i]
            colour = colours[i] if panel.components else colours[k % len(colours)]
            axes.plot(c.t, y, color=colour, label=run.text, **_drawn(run.style, len(c.t), bool(panel.components)))
    if panel.logarithmic:
        axes.set_yscale("log")
    elif not panel.components:
        axes.set_ylim(*_limits([c.values for c in curves]))
    axes.set_ylabel(panel.axis, fontsize=8)
    axes.set_xlim(curves[0].t[0], max(c.t[-1] for c in curves))


def _drawn(mark: str, points: int, coloured: bool) -> dict[str, Any]:
    """How a curve is drawn: with the paper's marker at every point, or at some where there is no room for all."""
    line = mark.lstrip("ox*s")
    options = {"lw": 0.8, "ls": DASHES.get(line or "-", "solid")}
    if mark != line and (points <= FEW_MARKERS or not coloured):
        options |= {"marker": mark[0], "ms": 3.2, "mfc": "none" if mark[0] in "os" else None, "mew": 0.8}
        options |= {"lw": 0.0 if coloured else 0.6, "markevery": max(1, points // FEW_MARKERS)}
    return options


def _limits(values: Sequence[np.ndarray]) -> tuple[float, float]:
    """A range in which all curves are seen, except one that blows up: that is cut off."""
    finite = [v[np.isfinite(v)] for v in values]
    *rest, most = sorted(finite, key=np.ptp)
    calm = rest if rest and np.ptp(most) > BLOW_UP * np.ptp(rest[-1]) else finite
    low, high = min(v.min() for v in calm), max(v.max() for v in calm)
    room = (1.2 if calm is rest else 0.08) * (high - low)
    return low - room, high + room


def _legend(figure: "Figure", axes: "Axes", panel: Panel) -> None:
    from matplotlib.lines import Line2D

    lines, labels = axes.get_legend_handles_labels()
    if panel.components:
        runs = [
            Line2D([], [], color=INK, label=r.text, **_drawn(r.style, FEW_MARKERS if k == 0 else 10**4, True))
            for k, r in enumerate(panel.runs)
        ]
        parts = [Line2D([], [], color=c, lw=1.2, label=name) for c, name in zip(THREE, panel.components)]
        lines, labels = [*runs, *parts], [x.get_label() for x in (*runs, *parts)]
    figure.legend(lines, labels, frameon=False, fontsize=7.5, loc="outside lower center", ncols=6)


# ---- work-precision ----------------------------------------------------------------------------------


def work_precision_figure(result: WorkPrecisionResult) -> "Figure":
    """A Matplotlib figure of a WorkPrecisionResult: a row per body, momentum left, quaternion right."""
    from matplotlib.figure import Figure

    study = result.study
    with style():
        figure = Figure(figsize=(7.4, 3.6 * len(study.problems)), layout="constrained")
        axes = figure.subplots(len(study.problems), 2, squeeze=False)
        for row, name in zip(axes, study.problems):
            for a, what, title in zip(row, ("Pi", "Q"), ("angular momentum", "quaternion")):
                _families(a, study, [s for s in result.series if s.problem == name], what)
                a.set_title(f"{name}: error of the {title}", fontsize=8.5, loc="left")
                a.set_xlabel("processor time of the run, seconds", fontsize=8)
        lines, labels = axes[0, 1].get_legend_handles_labels()
        figure.legend(lines, labels, frameon=False, fontsize=7.5, loc="outside lower center", ncols=6, handlelength=3.2)
    return figure


def _families(axes: "Axes", study: WorkPrecision, series: Sequence[Timed], what: str) -> None:
    names = dict(study.printed)
    colours = (LOSES, GAINS, STEADY, "#8a63b5")
    for colour, (line, members) in zip(colours, study.families):
        for k, m in enumerate(members):
            s = next(x for x in series if x.method == m)
            e = s.error(what)
            good = np.isfinite(e) & (e > 0)
            label = f"{m} ({names[m]})" if m in names else m
            marks: dict[str, Any] = {"marker": "osD^"[k], "ms": 2.8, "lw": 1.1, "ls": line, "color": colour}
            axes.plot(s.time[good], e[good], label=label, **marks)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(1e-16, 10)


# ---- the ball, and energy errors of several methods in one panel --------------------------------------


def ball_figure(result: BallResult) -> "Figure":
    """The path in the axis-angle ball."""
    return plot_axis_angle(result.path)


def drift_figure(result: DriftResult) -> "Figure":
    """Energy errors in the layout of the paper: a row for each method, or all methods in a panel for each step."""
    if not result.study.together:
        return result.drift.figure()
    from matplotlib.figure import Figure

    names = dict(result.study.printed)
    with style():
        figure = Figure(figsize=(7.4, 3.1), layout="constrained")
        axes = figure.subplots(1, len(result.drift.h), squeeze=False)[0]
        for k, (a, h) in enumerate(zip(axes, result.drift.h)):
            a.axhline(0, color=SOFT, lw=0.6, zorder=0)
            for colour, row in zip((LOSES if result.rows[0].sign == "-" else GAINS, STEADY), result.rows):
                e = row.evidence[k]
                t, low, mean, high = binned(e.t, e.energy_error[0])
                label = f"{row.method} ({names[row.method]})" if row.method in names else row.method
                a.fill_between(t, low, high, color=colour, alpha=0.25, lw=0)
                a.plot(t, mean, color=colour, lw=1, label=label)
            a.set_title(f"({'ab'[k]})  $h$ = {h:g}", fontsize=9, loc="left")
            a.set_xlabel("time $t$", fontsize=8)
            a.set_xlim(0, result.drift.t_end)
            a.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2))
        axes[0].set_ylabel("$E(t) - E(0)$", fontsize=8)
        lines, labels = axes[0].get_legend_handles_labels()
        figure.legend(lines, labels, frameon=False, fontsize=8, loc="outside lower center", ncols=4)
    return figure
