"""The page of the stress test: verdicts, figure, what they mean, how they were measured."""

import inspect
import math
import shlex
from html import escape
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.lookup import methods
from polhode.physics.catalogue import problems
from polhode.testbench.drift.evidence import BEND, BLOCKS, OFF_THE_LINE, SIGMAS
from polhode.testbench.drift.starts import NEARBY
from polhode.testbench.drift.study import ORTOLAN_SACCON
from polhode.testbench.numbers import fixed, one, ten, typeset
from polhode.views.files import as_json, folder_for_results, written
from polhode.views.page import inline, marked, page, prose, references, table

CLASS = {"-": "loses", "+": "gains", "none": "none", "unstable": "unstable"}


def save(result: Any, folder: Any) -> Any:
    """Write figure, page and data; returns {name: path}."""
    from polhode.views.figures.style import write

    folder = folder_for_results(folder)
    figure = result.figure()
    html = stress_page(result, figure)
    return {
        "page": written(folder / "stress.html", lambda p: p.write_text(html, encoding="utf-8")),
        "png": written(folder / "stress.png", lambda p: write(figure, p, dpi=200)),
        "svg": written(folder / "stress.svg", lambda p: write(figure, p)),
        "json": written(
            folder / "stress.json", lambda p: p.write_text(as_json(result.to_dict()) + "\n", encoding="utf-8")
        ),
    }


def stress_page(result: Any, figure: Any = None) -> Any:
    """The page as one text."""
    import polhode

    figure = figure or result.figure()
    count = len(result.rows)
    body = [
        '<p class="overline">polhode · stress test</p>',
        "<h1>Does the energy drift?</h1>",
        f'<p class="lead">{_lead(result)}</p>',
        verdict_table(result),
        *_notes(result),
        "<figure>",
        '<div class="only-wide">',
        inline(figure, f"Energy error against time of {count} methods at {len(result.h)} step sizes"),
        "</div>",
        *_stacked(result),
        f"<figcaption>{caption(result)}</figcaption>",
        "</figure>",
        "<h2>What it means</h2>",
        *MEANING,
        "<h2>How it was measured</h2>",
        *_how(result),
        "<details><summary>Slopes in the four quarters of the span</summary>",
        _quarters(result),
        "</details>",
        *_problem(result.problem),
        *_command(result),
        *references(_sources(result)),
        f"<footer>Made with polhode {polhode.__version__} in {result.wall_time:.1f} s. "
        "The numbers behind this page are in it, as JSON, in the element with the id <code>data</code>.</footer>",
    ]
    return page(f"Stress test: {_title(result)}", [marked(x) for x in body], result.to_dict())


def _stacked(result: Any) -> Any:
    """The same for a telephone: a figure for each step size, one below the other."""
    from polhode.views.figures.stress import stress_figure

    drawn = [inline(stress_figure(result, k), f"Energy error at h = {h:g}") for k, h in enumerate(result.h)]
    return ['<div class="only-narrow">', *drawn, "</div>"]


def verdict_table(result: Any) -> Any:
    """The verdicts as an HTML table."""
    heads = ["Method", *(f"Slope at <i>h</i> = {h:g}" for h in result.h), "Exponent of <i>h</i>", "Verdict"]
    return marked(table(heads, [_verdict(row) for row in result.rows], numbers=range(1, len(result.h) + 2)))


def _verdict(row: Any) -> Any:
    name = escape(row.method) + (f'<br><span class="title">{escape(row.title)}</span>' if row.title else "")
    slopes = [
        "unstable" if not e.stable else typeset(e.slope, e.error) if e.linear else "not linear" for e in row.evidence
    ]
    exponent = "&ndash;" if row.exponent is None else fixed(row.exponent, row.exponent_error)
    marks = f'<span class="mark">{escape(", ".join(row.marks))}</span>' if row.marks else ""
    return [name, *slopes, exponent, f'<span class="verdict {CLASS[row.sign]}">{row.words}</span>{marks}']


def _lead(result: Any) -> Any:
    groups: dict[Any, Any] = {}
    for row in result.rows:
        groups.setdefault(row.sign, []).append(row.method)
    phrases = {
        "-": ("loses energy", "lose energy"),
        "+": ("gains energy", "gain energy"),
        "none": ("shows no drift", "show no drift"),
        "unstable": ("is unstable", "are unstable"),
    }
    clauses = [f"{_listed(groups[s])} {phrases[s][len(groups[s]) > 1]}" for s in phrases if s in groups]
    span = f"{result.problem.t0:g} ≤ <i>t</i> ≤ {result.t_end:g}"
    return f"On the problem <i>{escape(result.problem.name)}</i>, {span}: {'; '.join(clauses)}."


def _listed(names: Any) -> Any:
    names = [escape(n) for n in names]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _notes(result: Any) -> Any:
    notes = [f"{escape(row.method)} {escape(note)}." for row in result.rows for note in row.notes]
    for row in result.rows:
        if row.bounds:
            bounds = " and ".join(f"{one(bound)} at <i>h</i> = {h:g}" for h, bound in row.bounds.items())
            notes.append(f"{escape(row.method)}: a drift, if there is one, is below {bounds} (two standard errors).")
    return ['<div class="notes">', *(f"<p>{n}</p>" for n in notes), "</div>"] if notes else []


def caption(result: Any) -> Any:
    return (
        "Energy error <i>E</i>(<i>t</i>) &minus; <i>E</i>(0) from the problem&rsquo;s own start, a row per method and "
        "a column per step size, in the layout of Figure 1 of Ortolan &amp; Saccon (2012). Shaded: the range of the "
        "fast oscillation; line: its mean; dashed: the fitted drift. Within a row the vertical axes grow like "
        "<i>h</i>² where that shows both, so that a drift quadratic in <i>h</i> gives the same picture in every column."
    )


MEANING = (
    "<p>The energy is a constant of the motion. A symplectic method, or one that is conjugate to a symplectic method, "
    "follows almost exactly a motion with a nearby energy, so its energy error oscillates within a bound of the order "
    "of <i>h</i><sup><i>p</i></sup> over exponentially long times. A steady drift proves that a method is neither, "
    "whatever else it conserves, and that in long runs it heats or damps the body by an amount that grows with "
    "time.</p>",
    "<p>The converse does not hold: no drift seen here is a necessary condition met, with the bound that is stated, "
    "not a proof. A drift that falls like <i>h</i>² is cured by no practical step size: half the step, a quarter of "
    "the drift.</p>",
)


def _how(result: Any) -> Any:
    near = ten(round(math.log10(NEARBY)))
    runs = (
        "One run from the problem&rsquo;s own start"
        if result.ensemble == 1
        else f"An ensemble of {result.ensemble} starts: the problem&rsquo;s own, and states that the motion comes to "
        f"later, the momentum changed in a random direction by {near} of it; others for every step size"
    )
    return [
        "<ul>",
        f"<li>Inertia {_numbers(result.problem.inertia)}; start at the rotation vector "
        f"{_numbers(Rotation().from_matrix(result.problem.Q0).as_rotvec())} with the angular velocity "
        f"{_numbers(result.problem.Omega0)} in body axes.</li>",
        f"<li>{runs}.</li>",
        "<li>What a modified energy explains is fitted away: the energy error is regressed on 1, <i>t</i> and low "
        "polynomials of &Omega;, &tau; and d&tau;/d<i>t</i>, the terms such an energy is made of, wherever the motion "
        "itself has not drifted so far that the terms follow it.</li>",
        f"<li>The slope is fitted by least squares to the energy error of each run and averaged over the runs. Its "
        f"standard error combines block errors ({BLOCKS} blocks a run, which count the correlation of the oscillation) "
        "with the spread of the ensemble. The block error is not divided by the number of runs: they may share "
        "it.</li>",
        f"<li><b>Drifts</b> means that the slope exceeds {SIGMAS:g} standard errors at two step sizes. <b>No drift "
        "seen</b> comes with a bound. <b>Unstable</b> means that a run failed or that its energy error grew to the "
        "size of the energies themselves, already with the smallest step.</li>",
        "<li>There must be one rate of drift. Where the means of eighths of the span are off the line by more than "
        f"{OFF_THE_LINE:.0%} of the whole drift and a third of the oscillation, where slopes in two quarters of the "
        f"span differ by more than a factor of {BEND:g} and more than chance explains, or where a quarter drifts and "
        "the whole does not, the run has left the linear regime: no slope is given there, and the first quarter is "
        "taken as evidence.</li>",
        "<li>The exponent is that of a power law in <i>h</i> through the slopes, with the error that follows from "
        "theirs.</li>",
        "</ul>",
    ]


def _numbers(values: Any) -> Any:
    values = np.round(values, 12) + 0.0  # no negative zeros
    return "(" + ", ".join(f"{x:.6g}" if np.ndim(x) == 0 else _numbers(x) for x in values) + ")"


def _quarters(result: Any) -> Any:
    rows = []
    for row in result.rows:
        for e in row.evidence:
            cells = [typeset(q, d) if e.stable else "&ndash;" for q, d in zip(e.quarters, e.quarter_errors)]
            rows.append([escape(row.method), f"{e.h:g}", *cells])
    heads = ["Method", "<i>h</i>", "First", "Second", "Third", "Fourth"]
    return table(heads, rows, numbers=range(1, 6))


def _problem(problem: Any) -> Any:
    """What the problem's own description says."""
    make = problems().get(problem.name)
    text = inspect.cleandoc(make.__doc__ or "") if make else ""
    return ["<h2>The problem</h2>", *prose(text)] if text else []


def _command(result: Any) -> Any:
    """How to get this page again, if it takes no more than the command line."""
    names = tuple(row.method for row in result.rows)
    if not set(names) <= set(methods()) or not _as_shipped(result.problem):
        return []
    paper, words = ORTOLAN_SACCON, ["polhode", "stress"]
    if names != paper.methods:
        words += ["--methods", *names]
    if result.problem.name != paper.problem:
        words += ["--problem", result.problem.name]
    if result.h != paper.h:
        words += ["--h", *(f"{h:.12g}" for h in result.h)]
    if result.t_end != paper.t_end:
        words += ["--t-end", f"{result.t_end:.12g}"]
    words += ["--ensemble", str(result.ensemble)]
    return ["<h2>Do it again</h2>", f"<pre>{escape(shlex.join(words))}</pre>"]


def _as_shipped(problem: Any) -> Any:
    """Whether it is the problem of its name, with no parameter changed."""
    make = problems().get(problem.name)
    if make is None:
        return False
    mine, theirs = ((p.inertia, p.parameters, p.Q0, p.Omega0, p.t0) for p in (problem, make()))
    return all(np.array_equal(a, b) for a, b in zip(mine, theirs))


def _sources(result: Any) -> Any:
    catalogue = methods()
    keys = [ORTOLAN_SACCON.source, *getattr(result.problem, "sources", ())]
    for row in result.rows:
        keys += catalogue[row.method].sources if row.method in catalogue else ()
    return keys


def _title(result: Any) -> Any:
    return ", ".join(f"{row.method} {row.words}" for row in result.rows)
