"""Convergence diagrams: errors against the step, both logarithmic, with a triangle's worth of guide lines."""

from typing import Any

import numpy as np

from polhode.views.figures.style import INK, SOFT, style

COLOURS = (
    *("#2a78b5", "#d4652a", "#3f9169", "#b0305c", "#8a63b5", "#a8820f"),
    *("#4fa3a5", "#7d6b5d", "#1f4e79", "#e39b6d", "#7cc29a", "#d885a3"),
)
MARKERS = "osD^v<>phX*d"
"""Colour and marker together tell twelve methods apart, also for the colour-blind."""


def convergence_figure(result: Any) -> Any:
    """A Matplotlib figure of a ConvergenceResult: a row per problem, a column each for Omega (or Pi) and Q."""
    from matplotlib.figure import Figure

    problems = list(dict.fromkeys(s.problem for s in result.series))
    rows = len(problems)
    with style():
        figure = Figure(figsize=(7.4, 3.5 * rows), layout="constrained")
        axes = figure.subplots(rows, 2, squeeze=False)
        for (left, right), name in zip(axes, problems):
            series = [s for s in result.series if s.problem == name]
            _panel(left, [(s.method, s.h, s.error_Omega) for s in series])
            _panel(right, [(s.method, s.h, s.error_Q) for s in series])
            _guides(left, {round(s.order_Omega) for s in series if s.order_Omega})
            _guides(right, {round(s.order_Q) for s in series if s.order_Q})
            second = r"\Omega" if result.second == "Omega" else r"\Pi"
            left.set_title(f"{name}: error of ${second}$", fontsize=8.5, loc="left")
            right.set_title(f"{name}: error of $Q$", fontsize=8.5, loc="left")
            for a in (left, right):
                a.set_xlabel("step $h$", fontsize=8)
        lines, labels = axes[0, 0].get_legend_handles_labels()
        figure.legend(lines, labels, frameon=False, fontsize=7.5, loc="outside lower center", ncols=7)
    return figure


def _panel(axes: Any, curves: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for k, (name, h, e) in enumerate(curves):
        shown = np.isfinite(e) & (e > 0)
        style = dict(color=COLOURS[k % len(COLOURS)], marker=MARKERS[k % len(MARKERS)], ms=3, lw=1)
        axes.plot(h[shown], e[shown], label=name, **style)
    values = np.concatenate([e[np.isfinite(e) & (e > 0)] for _, _, e in curves])
    axes.set_ylim(max(values.min() / 3, 1e-16), min(values.max() * 3, 30))


def _guides(axes: Any, orders: Any) -> None:
    """A thin line of each order that was measured, through the middle of the axes."""
    low, high = axes.get_xlim()
    bottom, top = axes.get_ylim()
    h = np.array([low, high])
    for p in sorted(orders):
        e = np.sqrt(bottom * top) * (h / np.sqrt(low * high)) ** p
        axes.plot(h, e, color=SOFT, lw=0.7, zorder=0)
        x = min(high, np.sqrt(low * high) * (top / np.sqrt(bottom * top) / 3) ** (1 / p))
        y = np.sqrt(bottom * top) * (x / np.sqrt(low * high)) ** p
        axes.text(x, y, f" $h^{p}$", color=INK, fontsize=6.5, va="center", ha="left")
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, top)
