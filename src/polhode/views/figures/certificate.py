"""The two plots of a certificate: how the error falls with the step, and how the energy goes."""

from typing import Any

import numpy as np

from polhode.views.figures.style import GAINS, INK, LOSES, SOFT, STEADY, style

CASES = {"free": ("free body", STEADY), "potential": ("potential", LOSES), "forced": ("torque in time", GAINS)}
ROUND_OFF = 3e-15  # below, an error says nothing: shaded
PANELS = ("convergence", "drift")


def certificate_figures(pictures: Any) -> dict[str, Any]:
    """Matplotlib figures of what there is of the two, each by itself, so that a narrow page stacks them."""
    from matplotlib.figure import Figure

    figures = {}
    for name in PANELS:
        if pictures.get(name):
            with style():
                figures[name] = Figure(figsize=(3.6, 2.7), layout="constrained")
                (_convergence if name == "convergence" else _drift)(figures[name].subplots(), pictures[name])
    return figures


def _convergence(axes: Any, curves: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for case, curve in curves.items():
        title, colour = CASES.get(case, (case, INK))
        h, errors = np.array(curve["h"], float), np.array(curve["errors"], float)
        for k, line in enumerate(("-", ":")):
            good = np.isfinite(errors[:, k]) & (errors[:, k] > 0)
            label = title if k == 0 else None
            axes.plot(h[good], errors[good, k], line, color=colour, lw=1, marker="o", ms=2.2, label=label)
    least, greatest = axes.get_ylim()
    if least < ROUND_OFF:
        axes.axhspan(least, ROUND_OFF, color=SOFT, alpha=0.25, lw=0)
        axes.set_ylim(least, greatest)
    axes.set_xlabel("step $h$")
    axes.set_title("global error; solid: $Q$, dotted: $\\Omega$", fontsize=8, loc="left")
    axes.legend(frameon=False, fontsize=7)


def _drift(axes: Any, picture: Any) -> None:
    for curve, colour in zip(picture["curves"], (LOSES, GAINS, STEADY)):
        t, e = np.array(curve["t"]), np.array(curve["error"], float)
        axes.plot(t, e, color=colour, lw=0.4, label=f"$h$ = {curve['h']:g}")
    axes.axhline(0, color=SOFT, lw=0.6, zorder=0)
    axes.set_xlabel("time")
    axes.set_title(f"energy error, stress test: {picture['verdict']}", fontsize=8, loc="left")
    axes.legend(frameon=False, fontsize=7)
    axes.ticklabel_format(axis="y", scilimits=(-2, 2))
