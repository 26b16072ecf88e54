"""The figure of the stress test, in the layout of Figure 1 of Ortolan & Saccon (2012).

One row per method, one column per step size. Within a row the axis of the energy error grows like h^2, so a
drift that is quadratic in h looks the same in every column. The band is the range of the fast oscillation,
the line in it the mean, the dark line the fitted drift.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.testbench.drift.evidence import Evidence
from polhode.testbench.drift.evidence import Row as DriftRow
from polhode.testbench.drift.stress import StressResult
from polhode.testbench.numbers import typeset
from polhode.views.figures.style import INK, SOFT, VERDICT, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


BINS = 360  # about one per point of the paper: more could not be seen, and would make the file large


def stress_figure(result: StressResult, only: int | None = None) -> "Figure":
    """A Matplotlib figure of a StressResult; of one step size, if `only` says which by its place."""
    from matplotlib.figure import Figure

    shown = range(len(result.h)) if only is None else [only]
    rows, columns = len(result.rows), len(shown)
    with style():
        top, bottom, each = 0.42, 0.50, 1.12
        height = top + bottom + each * rows
        width = 1.55 + 2.95 * columns
        figure = Figure(figsize=(width, height))
        grid = figure.add_gridspec(
            rows,
            columns,
            left=1.5 / width,
            right=1 - 0.24 / width,
            top=1 - top / height,
            bottom=bottom / height,
            hspace=0.30,
            wspace=0.16,
        )
        unit, power = _unit(result)
        for i, row in enumerate(result.rows):
            limits = _limits(row)
            for j, k in enumerate(shown):
                e, (low, high) = row.evidence[k], limits[k]
                axes = figure.add_subplot(grid[i, j])
                _panel(axes, row, e, low, high, unit)
                axes.set_xlim(result.problem.t0, result.t_end)
                axes.tick_params(labelbottom=i == rows - 1)
                if i == 0:
                    axes.set_title(f"$h$ = {e.h:g}", fontsize=9.5, pad=9)
                if i == rows - 1:
                    axes.set_xlabel("time $t$", fontsize=8, labelpad=3)
                if j == 0:
                    _label(axes, row)
        scale = "" if power == 0 else f"  [$10^{{{power}}}$]"
        figure.text(0.012, 1 - 0.12 / height, f"$E(t) - E(0)${scale}", fontsize=8.5, va="top")
    return figure


def _panel(axes: "Axes", row: DriftRow, e: Evidence, low: float, high: float, unit: float) -> None:
    colour = VERDICT[row.sign]
    t, floor, mean, ceiling = binned(e.t, e.energy_error[0] / unit)
    axes.axhline(0, color=SOFT, lw=0.6, zorder=0)
    axes.fill_between(t, floor, ceiling, color=colour, alpha=0.28, lw=0)
    axes.plot(t, mean, color=colour, lw=0.9)
    if e.stable and e.linear:
        middle = e.energy_error[0].mean() / unit  # the slope is that of all starts, the line through the one drawn
        fit = middle + e.slope / unit * (e.t[[0, -1]] - e.t.mean())
        axes.plot(e.t[[0, -1]], fit, color=INK, lw=0.8, ls=(0, (5, 2.5)))
        text = f"slope {typeset(e.slope, e.error)}"
    elif e.stable:
        for other in e.energy_error[1:]:
            t, _, mean, _ = binned(e.t, other / unit)
            axes.plot(t, mean, color=colour, lw=0.4, alpha=0.55)
        text = "leaves the linear regime; thin: nearby starts"
    else:
        text = f"unstable after t = {e.t[-1]:g}"
    axes.set_ylim(low / unit, high / unit)
    axes.locator_params(axis="y", nbins=4, min_n_ticks=3)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}".replace(",", "\N{THIN SPACE}"))
    axes.text(0.985, 0.97, text, transform=axes.transAxes, ha="right", va="top", fontsize=7.2)


def _label(axes: "Axes", row: DriftRow) -> None:
    """Name and verdict of a method, left of its row."""
    place: dict[str, Any] = dict(transform=axes.transAxes, ha="right", va="center")
    axes.text(-0.155, 0.62, row.method, fontsize=10.5, fontweight="bold", **place)
    axes.text(-0.155, 0.36, row.words, fontsize=8, color=VERDICT[row.sign], **place)
    for k, mark in enumerate(row.marks):
        axes.text(-0.155, 0.16 - 0.16 * k, mark, fontsize=6.5, **place)


def binned(t: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, and the least, mean and greatest energy error in bins of equal length."""
    if len(t) <= 2 * BINS:
        return t, e, e, e
    edges = np.linspace(0, len(t), BINS + 1).astype(int)
    starts, counts = edges[:-1], np.diff(edges)
    middle = np.add.reduceat(t, starts) / counts
    middle[0], middle[-1] = t[0], t[-1]
    mean = np.add.reduceat(e, starts) / counts
    return middle, np.minimum.reduceat(e, starts), mean, np.maximum.reduceat(e, starts)


def _unit(result: StressResult) -> tuple[float, int]:
    """The unit of the energy axes, a power of 1000."""
    stable = [e.largest for row in result.rows for e in row.evidence if e.stable]
    largest = max(stable, default=1.0)
    power = 3 * int(np.floor(np.log10(largest) / 3)) if largest > 0 else 0
    return 10.0**power, power


def _limits(row: DriftRow) -> list[tuple[float, float]]:
    """The range of each axis of a row: in proportion to h^2, unless that would flatten one of them."""
    own = []
    for e in row.evidence:
        values = e.energy_error if e.stable and not e.linear else e.energy_error[:1]
        own.append((min(0.0, float(values.min())), max(0.0, float(values.max()))))
    common = [(low / e.h**2, high / e.h**2) for (low, high), e in zip(own, row.evidence)]
    low, high = min(x for x, _ in common), max(x for _, x in common)
    if all(x[1] - x[0] > (high - low) / 4 for x in common):
        own = [(low * e.h**2, high * e.h**2) for e in row.evidence]
    return [_with_room(low, high) for low, high in own]


def _with_room(low: float, high: float) -> tuple[float, float]:
    """A little air below, and above place for a line of text."""
    size = (high - low) or 1e-16
    return low - 0.06 * size, high + 0.32 * size
