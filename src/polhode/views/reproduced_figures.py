"""Reproduced figures, for the terminal and as pages."""

from html import escape
from typing import TYPE_CHECKING, Any

from polhode.testbench.papers.ball import BallResult
from polhode.testbench.papers.convergence import NORMS, ConvergenceResult, Series
from polhode.testbench.papers.drift import DriftResult
from polhode.testbench.papers.history import HistoryResult
from polhode.testbench.papers.reproduced import Reproduced
from polhode.views.page import inline, marked, page, table
from polhode.views.reproduce import foot, opening, remarks, said_page, said_shown
from polhode.views.tables import drawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def convergence_shown(result: ConvergenceResult) -> list[Any]:
    """Orders and errors with the smallest step, then what the paper says."""
    shown = drawn(result.heading)
    for head in ("problem", "method"):
        shown.add_column(head, style="bold", no_wrap=True)
    for head in _convergence_heads(result):
        shown.add_column(head, justify="right", no_wrap=True)
    before = None
    for s in result.series:
        shown.add_row("" if s.problem == before else s.problem, _called(s.method, result), *_convergence_cells(s))
        before = s.problem
    return [shown, *said_shown(result.said), *result.study.notes]


def convergence_page(result: ConvergenceResult) -> str:
    """The page of a convergence diagram, or of work against precision."""
    heads = ["Method", "Problem", *_convergence_heads(result)]
    rows = [[escape(_called(s.method, result)), escape(s.problem), *_convergence_cells(s)] for s in result.series]
    norm, of_angle = NORMS[result.study.norm]
    caption = (
        f"{escape(result.study.caption)} Both axes are logarithmic; the error of the attitude is {norm}, {of_angle}. "
        "Steps with which a method does not solve its equations are left out."
    )
    body = [
        *opening(result.heading, f"Errors at t = {result.study.t_end:g}, measured again."),
        *_figure(result, caption),
        *said_page(result.said),
        "<h2>Orders, and errors with the smallest step</h2>",
        table(heads, rows, numbers=range(2, 6)),
        *remarks(result),
        *foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def drift_shown(result: DriftResult) -> list[Any]:
    """The verdicts, then what the paper says."""
    from polhode.views.terminal import stress_notes

    return [
        result.heading,
        result.drift.table(),
        *stress_notes(result.drift),
        *said_shown(result.said),
        *result.study.notes,
    ]


def drift_page(result: DriftResult) -> str:
    """The page of a figure of energy errors; that of the stress test has more on how it is measured."""
    from polhode.views.stress import verdict_table

    body = [
        *opening(result.heading, f"Energy errors on [0, {result.drift.t_end:g}], measured again."),
        *_figure(result, escape(result.study.caption)),
        *said_page(result.said),
        "<h2>Verdicts</h2>",
        verdict_table(result.drift),
        *remarks(result),
        *foot(result),
    ]
    return page(result.heading, [marked(x) for x in body], result.to_dict())


def history_shown(result: HistoryResult) -> list[Any]:
    """Least and greatest values of each curve, then what the paper says."""
    shown = drawn(result.heading)
    for head in ("panel", "curve", "least", "greatest", "at the end"):
        shown.add_column(head, no_wrap=True)
    for c in result.curves:
        low, high, last = c.values.min(axis=0), c.values.max(axis=0), c.values[-1]
        shown.add_row(c.panel, f"{c.method}, {c.label}", *(_numbers(x) for x in (low, high, last)))
    return [shown, *said_shown(result.said), *result.study.notes]


def history_page(result: HistoryResult) -> str:
    """The page of curves against time."""
    rows = [
        [
            escape(c.panel),
            escape(f"{c.method}, {c.label}"),
            *(_numbers(x) for x in (c.values.min(axis=0), c.values.max(axis=0), c.values[-1])),
        ]
        for c in result.curves
    ]
    body = [
        *opening(result.heading, "Measured again."),
        *_figure(result, escape(result.study.caption)),
        *said_page(result.said),
        "<h2>Extremes</h2>",
        table(["Panel", "Curve", "Least", "Greatest", "At the end"], rows),
        *remarks(result),
        *foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def ball_shown(result: BallResult) -> list[Any]:
    """Numbers on the path, then what the paper says."""
    shown = drawn(result.heading)
    for head in ("what", "value"):
        shown.add_column(head, no_wrap=True)
    for name, value in result.facts.items():
        shown.add_row(name, f"{value:.4g}")
    return [shown, *said_shown(result.said), *result.study.notes]


def ball_page(result: BallResult) -> str:
    """The page of the path in the ball; the picture is made of points here, thousands of shaded triangles."""
    rows = [[escape(name), f"{value:.4g}"] for name, value in result.facts.items()]
    body = [
        *opening(result.heading, "Measured again."),
        "<figure>",
        f'<img src="{embedded(result.figure(), 170)}" alt="{escape(result.heading)}">',
        f"<figcaption>{escape(result.study.caption)}</figcaption>",
        "</figure>",
        *said_page(result.said),
        "<h2>Where the path is, and where it can go</h2>",
        table(["What", "Value"], rows, numbers=(1,)),
        *remarks(result),
        *foot(result),
    ]
    return page(result.heading, body, result.to_dict())


def embedded(figure: "Figure", dpi: int) -> str:
    """A figure as PNG inside the page."""
    import base64
    import io

    from polhode.views.figures.style import write

    buffer = io.BytesIO()
    write(figure, buffer, format="png", dpi=dpi)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _figure(result: Reproduced, caption: str) -> list[str]:
    return ["<figure>", inline(result.figure(), result.name), f"<figcaption>{caption}</figcaption>", "</figure>"]


def _called(method: str, result: Any) -> str:
    names = dict(result.study.printed)
    return f"{method} ({names[method]})" if method in names else method


def _convergence_heads(result: ConvergenceResult) -> list[str]:
    second = getattr(result, "second", "Pi")
    return [f"order of {second}", "order of Q", f"last error of {second}", "last error of Q"]


def _convergence_cells(s: Series) -> list[str]:
    orders = ["-" if x is None else f"{x:.2f}" for x in (s.order_Omega, s.order_Q)]
    return [*orders, f"{s.error_Omega[-1]:.1e}", f"{s.error_Q[-1]:.1e}"]


def _numbers(x: Any) -> str:
    return ", ".join(f"{v:.4g}" for v in (x if getattr(x, "ndim", 0) else [x]))
