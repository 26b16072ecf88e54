"""A certificate for the terminal, for a notebook, and as a page.

Colours mark what is good for the user, not what is a yes: "drifts: yes" is bad. Nothing is cut off: numbers stand in
columns of their own, words wrap, and on a narrow screen a row becomes a block.
"""

from html import escape
from pathlib import Path
from typing import Any

from rich.text import Text

from polhode.errors import FileError, one_line
from polhode.inputs import file_path
from polhode.integrators.properties import BY_KEY, NUMBER, ORDER, RATE
from polhode.views.files import as_json, written
from polhode.views.page import inline, page
from polhode.views.page import table as html_table
from polhode.views.tables import Folded, Side, drawn

GOOD, BAD, OPEN, PLAIN = "good", "bad", "open", "plain"
COLOUR = {GOOD: "green", BAD: "dark_orange3", OPEN: "dim", PLAIN: ""}
CLASS = {GOOD: "none", BAD: "gains", OPEN: "quiet", PLAIN: ""}
HEADS = ("property", "verdict", "value", "threshold", "how it was measured, and what it covers")


def certificate_table(c: Any, how: bool = False) -> Any:
    """The table for the terminal; with `how`, how each property was measured as well."""
    title = f"Certificate of {c.method}, a {c.form}"
    rows = [
        (
            BY_KEY[key].title,
            Text(verdict(key, p), style=COLOUR[quality(key, p)]),
            value(key, p),
            _threshold(key, p),
            _how(p),
        )
        for key, p in c.properties.items()
    ]
    sides: dict[str, Side] = {HEADS[0]: "left", HEADS[1]: "left", HEADS[2]: "right", HEADS[3]: "right"}
    if how:
        return Folded(title, list(sides.items()), HEADS[-1], rows, c.summary)
    table = drawn(title, caption=c.summary)
    for head, side in sides.items():
        table.add_column(head, justify=side, style="bold" if head == HEADS[0] else "")
    for row in rows:
        table.add_row(*row[:-1])
    return table


def certificate_notes(c: Any) -> Any:
    """Sentences below the table: contradicted claims, kin, what the failures point to; what was left out comes last."""
    notes = [f"Claimed otherwise: {BY_KEY[key].title} ({claimed})." for key, claimed in c.contradictions.items()]
    if c.kin and c.kin not in c.diagnosis:
        notes.append(c.kin)
    return [*notes, *c.diagnosis, *_left_out(c), *_made(c)]


def _left_out(c: Any) -> list[str]:
    titles = "; ".join(BY_KEY[key].title for key in c.not_measured)
    return [f"Not measured of a {c.form} like this: {titles}."] if titles else []


def certificate_card(c: Any) -> Any:
    """The card for a notebook."""
    return f"<p><b>{escape(c.summary)}</b></p>" + _measured(c)


def _measured(c: Any) -> str:
    """The plots, what follows, and the table."""
    rows = [
        (
            escape(BY_KEY[key].title),
            f'<span class="verdict {CLASS[quality(key, p)]}">{escape(verdict(key, p))}</span>',
            escape(value(key, p)),
            escape(_threshold(key, p)),
            f'<span class="quiet">{escape(_how(p))}</span>',
        )
        for key, p in c.properties.items()
    ]
    notes = "".join(f"<li>{escape(note)}</li>" for note in certificate_notes(c))
    said = f"<ul>{notes}</ul>" if notes else ""
    return _plots(c) + said + html_table(HEADS, rows, numbers=(2, 3), shape="certificate")


def certificate_page(c: Any) -> Any:
    """The page: one file, opens without a network."""
    body = [
        '<p class="overline">Certificate</p>',
        f"<h1>{escape(c.method)}</h1>",
        f'<p class="lead">{escape(c.summary)}</p>',
        _measured(c),
        f'<p class="quiet">Measured in {c.seconds:.1f} s; the numbers are in this page as JSON.</p>',
    ]
    return page(f"Certificate of {c.method}", body, c.to_dict())


def save(c: Any, path: Any) -> Path:
    """Write the page or the data, by the end of the name."""
    path = file_path("the file", path)
    texts = {".html": lambda: certificate_page(c), ".json": lambda: as_json(c.to_dict()) + "\n"}
    if path.suffix not in texts:
        raise FileError(
            f"A certificate is written as a page or as data; {one_line(path.name)} is neither. Give a name that ends "
            "in .html or in .json."
        )
    text = texts[path.suffix]()
    return written(path, lambda p: p.write_text(text, encoding="utf-8"))


def _plots(c: Any) -> str:
    """The two plots, as far as there are any."""
    if not any(c.pictures.values()):
        return ""
    from polhode.views.figures.certificate import certificate_figures

    drawn = [f"<figure>{inline(figure, name)}</figure>" for name, figure in certificate_figures(c.pictures).items()]
    return f'<div class="beside">{"".join(drawn)}</div>'


def _made(c: Any) -> Any:
    return [f"By polhode {c.version}, {c.date}."] if c.version else []


def quality(key: Any, p: Any) -> Any:
    """Whether a verdict is good for the user, bad, open, or neither."""
    if p.verdict == "undecided":
        return OPEN
    kind = BY_KEY[key].kind
    if kind == RATE:
        return BAD if p.verdict == "yes" else GOOD
    if kind in (ORDER, NUMBER):
        return BAD if p.verdict == "no" else PLAIN
    return GOOD if p.verdict == "yes" else BAD


def verdict(key: Any, p: Any) -> Any:
    """The verdict in words."""
    if BY_KEY[key].kind in (ORDER, NUMBER) and p.verdict == "yes":
        return f"measured {p.qualifier}".strip()
    return p.said


def value(key: Any, p: Any) -> Any:
    """The value in figures."""
    if p.value is None:
        return "-"
    if p.value == float("inf"):
        return "exact"
    if BY_KEY[key].kind == ORDER:
        return f"{p.value:.2f}" + (f" ± {p.bound:.2f}" if p.bound and p.bound >= 0.005 else "")
    return f"{p.value:.3g}" if BY_KEY[key].kind == NUMBER else f"{p.value:.1e}"


def _threshold(key: Any, p: Any) -> Any:
    return "" if p.threshold is None or BY_KEY[key].kind in (ORDER, NUMBER) else f"{p.threshold:.0e}"


def _how(p: Any) -> Any:
    bound = f"; bound {p.bound:.0e}" if p.bound is not None and "rate" in p.how else ""
    return p.how + bound + (f" [{p.coverage}]" if p.coverage else "")
