"""An ensemble at a glance: bands that hold half and nine tenths of the bodies, and their median, against time."""

from typing import Any

import numpy as np

from polhode.views.figures.style import INK, SOFT, THREE, new_figure, style


def plot_ensemble(e: Any) -> Any:
    """Draw energy error (where there is an energy), Omega in body axes and the angle from the start; the figure."""
    start = e.Q[0]
    trace = np.einsum("bij,nbij->nb", start, e.Q)
    angle = np.arccos(np.clip((trace - 1) / 2, -1, 1))
    with style():
        count = 4 + e.has_energy
        figure = new_figure(figsize=(7.2, 1.6 * count), layout="constrained")
        axes = list(np.ravel(figure.subplots(count, 1, sharex=True)))
        figure.suptitle(
            f"{len(e)} bodies in {e.problem_name} by {e.method}, $h$ = {e.h:g}", fontsize=10, x=0.01, ha="left"
        )
        if e.has_energy:
            axes[0].axhline(0, color=SOFT, lw=0.6, zorder=0)
            _bands(axes[0], e.t, e.energy_error, INK, "$E(t) - E(0)$")
        for k, (name, colour) in enumerate(zip("xyz", THREE)):
            _bands(axes[k - 4], e.t, e.Omega[:, :, k], colour, rf"$\Omega_{name}$ (body axes)")
        _bands(axes[-1], e.t, angle, INK, "angle from the start")
        axes[-1].set_xlabel("time $t$")
        figure.align_ylabels(axes)
    return figure


def _bands(axes: Any, t: np.ndarray, values: np.ndarray, colour: str, label: str) -> None:
    """5 to 95 and 25 to 75 per cent, and the median, of the bodies that are still there; the label says of what."""
    there = np.isfinite(values).any(axis=1)
    low, lower, middle, upper, high = np.nanquantile(values[there], (0.05, 0.25, 0.5, 0.75, 0.95), axis=1)
    axes.fill_between(t[there], low, high, color=colour, alpha=0.15, lw=0)
    axes.fill_between(t[there], lower, upper, color=colour, alpha=0.3, lw=0)
    axes.plot(t[there], middle, color=colour, lw=0.9, marker="o" if there.sum() == 1 else None, ms=3)
    axes.set_ylabel(label)
