"""Convergence diagrams: errors against the step, both logarithmic, with a triangle's worth of guide lines."""

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.testbench.papers.convergence import ConvergenceResult
from polhode.views.figures.style import INK, SOFT, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = (
    *("#2a78b5", "#d4652a", "#3f9169", "#b0305c", "#8a63b5", "#a8820f"),
    *("#4fa3a5", "#7d6b5d", "#1f4e79", "#e39b6d", "#7cc29a", "#d885a3"),
)
MARKERS = "osD^v<>phX*d"
"""Colour and marker together tell twelve methods apart, also for the colour-blind."""


SYMBOL = {"Q": "$Q$", "Omega": r"$\Omega$", "Pi": r"$\Pi$"}


def convergence_figure(result: ConvergenceResult) -> "Figure":
    """A Matplotlib figure of a ConvergenceResult: a row per problem, the panels in the order of the paper."""
    from matplotlib.figure import Figure

    problems = list(dict.fromkeys(s.problem for s in result.series))
    rows, panels = len(problems), result.study.drawn
    letters = panels[0] == "Q" and len(panels) > 1  # as in the papers that letter them
    with style():
        figure = Figure(figsize=(7.4 if len(panels) > 1 else 5.2, 3.5 * rows), layout="constrained")
        axes = figure.subplots(rows, len(panels), squeeze=False)
        for row, name in zip(axes, problems):
            series = [s for s in result.series if s.problem == name]
            for k, (a, what) in enumerate(zip(row, panels)):
                _panel(a, [(s.method, s.h, s.error(what)) for s in series])
                orders = [s.order_Q if what == "Q" else s.order_Omega for s in series]
                _guides(a, {round(x) for x in orders if x})
                letter = f"({'ab'[k]})  " if letters else ""
                a.set_title(f"{letter}{name}: error of {SYMBOL[what]}", fontsize=8.5, loc="left")
                a.set_xlabel("step $h$", fontsize=8)
        lines, labels = axes[0, 0].get_legend_handles_labels()
        names = dict(result.study.printed)
        labels = [f"{m} ({names[m]})" if m in names else m for m in labels]
        columns = 7 if len(panels) > 1 and not names else 4
        figure.legend(lines, labels, frameon=False, fontsize=7.5, loc="outside lower center", ncols=columns)
    return figure


def _panel(axes: "Axes", curves: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for k, (name, h, e) in enumerate(curves):
        shown = np.isfinite(e) & (e > 0)
        style: dict[str, Any] = dict(color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)], ms=3, lw=1)
        axes.plot(h[shown], e[shown], label=name, **style)
    values = np.concatenate([e[np.isfinite(e) & (e > 0)] for _, _, e in curves])
    axes.set_ylim(max(values.min() / 3, 1e-16), min(values.max() * 3, 30))


def _guides(axes: "Axes", orders: Any) -> None:
    """A thin line of each order that was measured, through the middle of the axes."""
    low, high = axes.get_xlim()
    bottom, top = axes.get_ylim()
    h = np.array([low, high])
    for p in sorted(orders):
        e = np.sqrt(bottom * top) * (h / np.sqrt(low * high)) ** p
        axes.plot(h, e, color=SOFT, lw=0.7, zorder=0)
        x = np.sqrt(low * high) * (top / bottom) ** (1 / (2 * p))  # where it meets the top
        place = (x, top, f"$h^{p}$", "bottom", "center") if x < high else (high, e[1], f" $h^{p}$", "center", "left")
        axes.text(*place[:3], color=INK, fontsize=6.5, va=place[3], ha=place[4])  # outside, where no curve is
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
