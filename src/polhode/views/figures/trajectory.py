"""A trajectory at a glance: attitude, energy, momentum or invariants, angular velocity, orthogonality against time."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs import checked_call
from polhode.runs.results.trajectory import given_trajectory
from polhode.views.figures.style import INK, SOFT, THREE, UNSTABLE, flat_axes, new_figure, style

MANY_POINTS = 4000
"""With more points than these the eye cannot follow an oscillation: a band is drawn instead of a line."""

INTERVALS = 600
"""Intervals of a band: about one for each point of the printed line."""

FLOOR = 1e-17
"""Where an error of zero is drawn on a logarithmic axis."""

COMPONENTS = tuple("xyz")


@checked_call
def plot_trajectory(trajectory: Any, axes: Any = None) -> Any:
    """Draw five panels over time; returns the Matplotlib figure.

    Energy error E(t) - E(0) (the kinetic energy where the problem has no potential); the error of the spatial
    momentum of a free body, or of the invariants the problem lists, or the spatial momentum where nothing of it
    is conserved; Omega in body axes; max |Q^T Q - I|; the attitude as a unit quaternion, its sign continuous.

    Parameters
    ----------
    trajectory : Trajectory
        What to draw.
    axes : Matplotlib axes
        five Matplotlib axes to draw into, or four, without the attitude; a new figure if not given

    Returns
    -------
    Figure
        Of Matplotlib.
    """
    trajectory = given_trajectory(trajectory)
    axes = None if axes is None else [flat_axes(a) for a in np.ravel(np.asarray(axes, dtype=object))]
    with style():
        if axes is None:
            figure = new_figure(figsize=(7.2, 8.0), layout="constrained")
            axes = figure.subplots(5, 1, sharex=True)
            figure.suptitle(title(trajectory), fontsize=10, x=0.01, ha="left")
            figure.align_ylabels(axes)
        axes = list(np.ravel(axes))
        if len(axes) not in (4, 5):
            raise InputError(f"axes holds {len(axes)} axes; plot_trajectory draws five panels, or four.")
        if len(axes) == 5:
            _attitude(axes[4], trajectory)
        _energy(axes[0], trajectory)
        _momentum(axes[1], trajectory)
        _curves(axes[2], trajectory.t, trajectory.Omega.T, COMPONENTS)
        axes[2].set_ylabel(r"$\Omega$ (body axes)")
        _orthogonality(axes[3], trajectory)
        axes[-1].set_xlabel("time $t$")
        if len(trajectory.t) > 1:
            for a in axes:
                a.set_xlim(*sorted((trajectory.t[0], trajectory.t[-1])))
        for a in (*axes[:3], *axes[4:]):
            a.locator_params(axis="y", nbins=5)
    return axes[0].figure


def title(trajectory: Any) -> str:
    """Problem, method and step, in one line."""
    return f"{trajectory.problem_name} by {trajectory.method}, $h$ = {trajectory.h:g}"


def _attitude(axes: Any, trajectory: Any) -> None:
    axes.set_ylabel("quaternion")
    _curves(axes, trajectory.t, trajectory.quat(scalar_first=True, continuous=True).T, tuple("wxyz"))


def _energy(axes: Any, trajectory: Any) -> None:
    problem = trajectory.problem
    if "energy" in trajectory.saved or (problem is not None and problem.has_energy):
        axes.axhline(0, color=SOFT, lw=0.6, zorder=0)
        _curve(axes, trajectory.t, trajectory.energy_error, INK)
        axes.set_ylabel("$E(t) - E(0)$")
    elif trajectory.inertia is not None:
        J = np.diag(trajectory.inertia) if trajectory.inertia.ndim == 1 else trajectory.inertia
        kinetic = 0.5 * np.einsum("ni,ij,nj->n", trajectory.Omega, J, trajectory.Omega)
        _curve(axes, trajectory.t, kinetic, INK)
        axes.set_ylabel("kinetic energy")
    else:
        axes.text(0.5, 0.5, "no energy was saved", transform=axes.transAxes, ha="center", color=INK)


def _momentum(axes: Any, trajectory: Any) -> None:
    problem = trajectory.problem
    invariants = {} if problem is None else problem.invariants
    if problem is not None and not problem.has_torque:
        axes.set_ylabel(r"$\pi(t) - \pi(0)$ (space)")
        _curves(axes, trajectory.t, (trajectory.momentum - trajectory.momentum[0]).T, COMPONENTS)
    elif invariants:
        axes.set_ylabel("error of invariants")
        values = [trajectory.invariant(name) for name in invariants]
        _curves(axes, trajectory.t, [v - v[0] for v in values], list(invariants))
    else:
        axes.set_ylabel(r"$\pi$ (space axes)")
        _curves(axes, trajectory.t, trajectory.momentum.T, COMPONENTS)


def _orthogonality(axes: Any, trajectory: Any) -> None:
    error = np.maximum(trajectory.orthogonality, FLOOR)
    axes.set_yscale("log")
    _curve(axes, trajectory.t, error, UNSTABLE)
    axes.set_ylim(FLOOR, 10.0 ** np.ceil(max(-15, np.log10(error.max()) + 0.5)))
    axes.set_ylabel(r"max $|Q^T Q - I|$")


def _curves(axes: Any, t: np.ndarray, rows: list[np.ndarray] | np.ndarray, labels: Sequence[str]) -> None:
    colours = (INK, *THREE) if len(labels) == 4 and labels[0] == "w" else (*THREE, UNSTABLE, INK)
    for row, label, colour in zip(rows, labels, colours):
        _curve(axes, t, row, colour, label)
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 0.98),
        ncols=len(labels),
        frameon=False,
        borderaxespad=0,
        handlelength=1.2,
    )


def _curve(axes: Any, t: np.ndarray, y: np.ndarray, colour: str, label: str | None = None) -> None:
    """A line; of many points, in each interval the band from the least to the greatest, and for one curve the mean."""
    if len(t) <= MANY_POINTS:
        axes.plot(t, y, color=colour, lw=0.8, label=label, marker="o" if len(t) == 1 else None, ms=3)
        return
    edges = np.linspace(0, len(t), INTERVALS + 1).astype(int)
    pieces = [slice(a, b) for a, b in itertools.pairwise(edges)]
    middle = [t[k].mean() for k in pieces]
    low, high = [y[k].min() for k in pieces], [y[k].max() for k in pieces]
    if label is None:
        axes.fill_between(middle, low, high, color=colour, alpha=0.3, lw=0)
        axes.plot(middle, [y[k].mean() for k in pieces], color=colour, lw=0.8)
        return
    axes.fill_between(middle, low, high, color=colour, alpha=0.12, lw=0)
    axes.plot(middle, low, color=colour, lw=0.7)
    axes.plot(middle, high, color=colour, lw=0.7, label=label)
