"""The two plots of a certificate: how the error falls with the step, and how the energy goes."""

from typing import Any

import numpy as np

from polhode.views.figures.style import GAINS, INK, LOSES, SOFT, STEADY, UNSTABLE, style

CASES = {
    "free": ("free body", STEADY, "o"),
    "potential": ("potential", LOSES, "s"),
    "forced": ("torque in time", GAINS, "^"),
    "damped": ("torque of the velocity", UNSTABLE, "D"),
    "rotor": ("rotor", INK, "x"),
}
"""What each case is called, its colour and its marker."""
OF_OTHERS = (SOFT, "v")
"""The colour and the marker of a case that has no words of its own, as one of a property that was added has not."""
MOST_CHARACTERS = 60
"""Of words of a legend side by side."""
NO_DRIFT = "no drift seen"
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
                axes = figures[name].subplots()
                (_convergence if name == "convergence" else _drift)(axes, pictures[name])
                words = axes.get_legend_handles_labels()[1]
                abreast = max(1, min(len(words), MOST_CHARACTERS // (max(map(len, words)) + 6)))
                look = dict(ncols=abreast, fontsize=7, frameon=False, columnspacing=1.2, handlelength=1.6)
                figures[name].legend(loc="outside lower left", **look)  # below, where no curve is
    return figures


def _convergence(axes: Any, curves: Any) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for case, curve in curves.items():
        title, colour, marker = CASES.get(case, (case, *OF_OTHERS))
        h, errors = np.array(curve["h"], float), np.array(curve["errors"], float)
        for k, line in enumerate(("-", ":")):
            good = np.isfinite(errors[:, k]) & (errors[:, k] > 0)
            label = title if k == 0 else None
            axes.plot(h[good], errors[good, k], line, color=colour, lw=1, marker=marker, ms=2.4, label=label)
    least, greatest = axes.get_ylim()
    if least < ROUND_OFF:
        axes.axhspan(least, ROUND_OFF, color=SOFT, alpha=0.25, lw=0)
        axes.set_ylim(least, greatest)
    axes.set_xlabel("step $h$")
    axes.set_title("global error; solid: $Q$, dotted: $\\Omega$", fontsize=8, loc="left")


def _drift(axes: Any, picture: Any) -> None:
    for curve, colour in zip(picture["curves"], (LOSES, GAINS, STEADY)):
        t, e = np.array(curve["t"]), np.array(curve["error"], float)
        axes.plot(t, e, color=colour, lw=0.6, alpha=0.7)
        drifts = picture["verdict"] != NO_DRIFT and np.isfinite(curve["slope"])
        if drifts:
            line = np.mean(e) + curve["slope"] * (t - np.mean(t))
            axes.plot(t, line, color=INK, lw=1, ls=(0, (6, 5)))
        fitted = f", fitted: {curve['slope']:+.1e} $t$" if drifts else ""
        axes.plot([], [], color=colour, label=f"$h$ = {curve['h']:g}{fitted}")
    axes.axhline(0, color=SOFT, lw=0.6, zorder=0)
    axes.set_xlabel("time")
    axes.set_title(f"energy error, stress test: {picture['verdict']}", fontsize=8, loc="left")
    axes.ticklabel_format(axis="y", scilimits=(-2, 2))
