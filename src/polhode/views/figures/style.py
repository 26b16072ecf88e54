"""How figures look: one palette, thin lines, no box, the same in print and on a dark page."""

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

from polhode.errors import FileError, InputError, one_line

INK = "#1b1f24"  # text and axes
SOFT = "#b9bec5"  # rules and ticks
LOSES = "#2a78b5"
GAINS = "#d4652a"
STEADY = "#3f9169"
UNSTABLE = "#b0305c"

THREE = (LOSES, GAINS, STEADY)
"""The components x, y, z of a vector."""

VERDICT = {"-": LOSES, "+": GAINS, "none": STEADY, "unstable": UNSTABLE}
"""Colour of a verdict by its sign; apart in hue and in lightness, so that they survive colour blindness."""

PAGE = {
    INK: "currentColor",
    SOFT: "var(--rule, #c9cdd2)",
    LOSES: "var(--loses, #1f6aa5)",
    GAINS: "var(--gains, #bd5318)",
    STEADY: "var(--none, #2f7d57)",
    UNSTABLE: "var(--unstable, #a02552)",
}
"""What a figure's colours become inside a page, which has its own for light and dark; and the same where a notebook
knows none of its names."""

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 8.0,
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "svg.hashsalt": "polhode",  # the same figure gives the same file
}


@contextlib.contextmanager
def style() -> Iterator[Any]:
    """Draw and write figures inside this."""
    import matplotlib

    with matplotlib.rc_context(SETTINGS):
        yield


def new_figure(**options: Any) -> Any:
    """A figure to be returned. Where there are no windows, pyplot forgets it.

    A notebook shows what is returned, and would show once more what pyplot holds; and nobody else would close it.
    """
    import matplotlib.pyplot as plt
    from matplotlib.backend_bases import FigureManagerBase

    figure = plt.figure(**options)
    if type(figure.canvas.manager) is FigureManagerBase:  # every kind of window has a manager of its own
        plt.close(figure)
    return figure


def check_name(path: Any) -> None:
    """Raise the error that a figure of this name would raise, before work is done for it."""
    from matplotlib.backend_bases import FigureCanvasBase

    kinds = FigureCanvasBase.get_supported_filetypes()
    if pathlib.Path(path).suffix[1:].lower() not in kinds:
        raise FileError(
            f"{path} cannot be written as a figure: give a name that ends in .png, .svg or .pdf (or one of "
            f"{', '.join(sorted('.' + k for k in kinds if k not in ('png', 'svg', 'pdf')))})."
        )


def flat_axes(value: Any) -> Any:
    """Matplotlib axes to draw into."""
    if not hasattr(value, "fill_between") or isinstance(value, type):
        raise InputError(f"axes has {one_line(value)}; it must be Matplotlib axes.")
    return value


def solid_axes(value: Any) -> Any:
    """Matplotlib axes with three dimensions."""
    if not hasattr(value, "add_collection3d") or isinstance(value, type):
        raise InputError(f'axes is {one_line(value)}; it must be Matplotlib axes made with projection="3d".')
    return value


def write(figure: Any, path: Any, **options: Any) -> None:
    """Write a figure to a file or a buffer, the same bytes every time."""
    kind = options.get("format") or str(path).rsplit(".", 1)[-1].lower()
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with style():
        figure.savefig(path, metadata=metadata, **options)
