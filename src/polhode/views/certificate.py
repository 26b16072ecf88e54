"""A certificate for the terminal, for a notebook, and as a page.

Colours mark what is good for the user, not what is a yes: "drifts: yes" is bad; that a method has not some property is
neither, unless it claims it. Nothing is cut off: numbers stand in columns of their own, words wrap, and on a narrow
screen a row becomes a block.
"""

import math
from html import escape
from pathlib import Path
from typing import Any

from rich.text import Text

from polhode.errors import FileError, one_line
from polhode.inputs import file_path
from polhode.integrators.lookup import methods
from polhode.integrators.properties import BY_KEY, NUMBER, ORDER, RATE, claims_of
from polhode.testbench.certificate.certificate import Mark
from polhode.testbench.certificate.diagnosis.kin import LOOK_AT_THE_TORQUE
from polhode.testbench.certificate.diagnosis.mistakes import READINGS
from polhode.views.files import as_json, written
from polhode.views.page import fragment, inline, page
from polhode.views.page import table as html_table
from polhode.views.tables import Folded, Side, Spaced, drawn

GOOD, BAD, OPEN, PLAIN = "good", "bad", "open", "plain"
COLOUR = {GOOD: "green", BAD: "dark_orange3", OPEN: "dim", PLAIN: ""}
STYLE = {
    GOOD: ' style="color: var(--none, #2f7d57)"',
    BAD: ' style="color: var(--gains, #bd5318)"',
    OPEN: ' style="color: var(--quiet, #5c6570)"',
    PLAIN: "",
}
"""Colours of a page, and the same where a notebook knows none of its names."""
HEADS = ("property", "verdict", "value", "threshold", "how it was measured, and what it covers")
PAGES = (".html", ".htm")
DATA_HERE = "The numbers are in this page as JSON."
COLUMNS = "repeat(auto-fill, minmax(min(20rem, 100%), 1fr))"
BESIDE = f"display: grid; grid-template-columns: {COLUMNS}; gap: 1rem; max-width: 52rem"
"""How the plots stand, in a notebook as on a page."""
CARD_LEVEL = 4  # of headings in a notebook, which has some of its own


def certificate_table(c: Any, how: bool = False) -> Any:
    """The table for the terminal; with `how`, how each property was measured as well."""
    title = f"Certificate of {c.method}, a {c.form}"
    rows = [
        (
            BY_KEY[key].title,
            Text(explained(key, p), style=COLOUR[quality(key, c)]),
            value(key, p),
            _threshold(key, p),
            _how(key, p),
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
    return Spaced(table)


def certificate_notes(c: Any) -> Any:
    """Sentences below the table: contradicted claims, kin, what the failures point to; what was left out comes last."""
    return [*found_of(c), *_made(c)]


def found_of(c: Any) -> list[str]:
    """The same without how it was made."""
    return [*_claims(c), *_findings(c), *_left_out(c)]


def _claims(c: Any) -> list[str]:
    otherwise = [f"Claimed otherwise: {BY_KEY[key].title} ({claimed})." for key, claimed in c.contradictions.items()]
    return otherwise + ([f"It is not the {c.method} of the catalogue, whose name it has."] if _is_namesake(c) else [])


def _is_namesake(c: Any) -> bool:
    """Whether it is a kernel with the name of one of the catalogue, and is seen to be another."""
    if c.form != "kernel" or c.method not in methods() or c.kin.startswith(f"This is {c.method}, to "):
        return False
    return bool(c.kin or c.diagnosis or c.contradictions or c.claims != claims_of(methods()[c.method]))


def _findings(c: Any) -> list[str]:
    """The kin and the diagnosis, each once; not that the torque is to be looked at, where it is known what it does."""
    found = dict.fromkeys([*([c.kin] if c.kin and c.kin not in c.diagnosis else []), *c.diagnosis])
    is_known = any(sentence in READINGS.values() and "torque" in sentence for sentence in found)
    return [sentence for sentence in found if not (is_known and LOOK_AT_THE_TORQUE in sentence)]


def _left_out(c: Any) -> list[str]:
    """What was left out, as asked, and what could not be measured; those with a torque of the velocity in one word."""
    if not c.properties:
        return []
    columns = [column for key in c.left_out if (column := BY_KEY[key].column)]
    said = [f"Left out, as asked: {', '.join(f'{x.head} {x.legend}' for x in columns)}."] if columns else []
    others = [BY_KEY[key] for key in c.not_measured if key not in c.left_out]
    titles = [row.title for row in others if not row.needs_velocity]
    titles += ["anything under a torque of the velocity"] if any(row.needs_velocity for row in others) else []
    return [*said, *([f"Not measured of a {c.form} like this: {'; '.join(titles)}."] if titles else [])]


def certificate_card(c: Any) -> Any:
    """The card for a notebook."""
    parts = [f"<p><b>{escape(c.summary)}</b></p>", *_measured(c, CARD_LEVEL, folds=False), _end(c)]
    return fragment("\n".join(parts))


def sheet(c: Any, level: int = 1, end: str = "") -> list[str]:
    """A certificate as parts of a page: its name, its summary, plots, findings, the table, and how it was made."""
    return [
        '<div class="sheet">',
        '<p class="overline">Certificate</p>',
        f'<h{level} class="method">{escape(c.method)}</h{level}>',
        f'<p class="lead">{escape(c.summary)}</p>',
        *_measured(c, level + 1),
        _end(c, end),
        "</div>",
    ]


def _measured(c: Any, level: int, folds: bool = True) -> list[str]:
    """The plots, what follows, and the table; `level` is that of headings."""
    if not c.properties:
        return []
    rows = [
        (
            escape(BY_KEY[key].title),
            coloured(explained(key, p), quality(key, c)),
            escape(value(key, p)) + (_beside(_threshold(key, p)) if folds else ""),
            escape(_threshold(key, p)),
            _words(_how(key, p), folds),
        )
        for key, p in c.properties.items()
    ]
    claims = "".join(f"<li{STYLE[BAD]}>{escape(note)}</li>" for note in _claims(c))
    findings = "".join(f"<li>{escape(note)}</li>" for note in _findings(c))
    said = f"<h{level}>What was found</h{level}><ul>{claims}{findings}</ul>" if claims or findings else ""
    return [_plots(c), said, html_table(HEADS, rows, numbers=(2, 3), shape="certificate")]


def coloured(words: str, how_good: str) -> str:
    """A verdict with its colour."""
    return f'<span class="verdict"{STYLE[how_good]}>{escape(words)}</span>'


def _beside(threshold: str) -> str:
    """The threshold in the cell of the value, for a narrow screen, where it has no column."""
    return f'<span class="only-narrow"> / {escape(threshold)}</span>' if threshold else ""


def _words(how: str, folds: bool) -> str:
    """How a property was measured; on a narrow screen behind a word."""
    said = f'<span class="quiet">{escape(how)}</span>'
    if not folds:
        return said
    folded = f'<details class="only-narrow"><summary>how</summary>{said}</details>'
    return f'<div class="only-wide">{said}</div>{folded}'


def _end(c: Any, more: str = "") -> str:
    """What was left out, and how it was made, each on a line of its own."""
    made = [*_made(c), *([f"Measured in {c.seconds:.1f} s."] if c.seconds else []), more]
    lines = [*_left_out(c), " ".join(made).strip()]
    return f'<p class="quiet notes">{"<br>".join(escape(line) for line in lines if line)}</p>'


def certificate_page(c: Any) -> Any:
    """The page: one file, opens without a network."""
    return page(f"Certificate of {c.method}", sheet(c, end=DATA_HERE), c.to_dict())


def save(c: Any, path: Any) -> Path:
    """Write the page or the data, by the end of the name."""
    return saved(path, lambda: certificate_page(c), c.to_dict)


def saved(path: Any, made: Any, data: Any) -> Path:
    """Write a page, made when it is needed, or its data."""
    path = page_or_data(path)
    text = made() if path.suffix.lower() in PAGES else as_json(data()) + "\n"
    return written(path, lambda p: p.write_text(text, encoding="utf-8"))


def page_or_data(path: Any) -> Path:
    """The path of a file whose name says which of the two it is to be."""
    path = file_path("the file", path)
    if path.suffix.lower() not in (*PAGES, ".json"):
        raise FileError(
            f"A certificate is written as a page or as data; {one_line(path.name)} is neither. Give a name that ends "
            "in .html or in .json."
        )
    return path


def _plots(c: Any) -> str:
    """The two plots, as far as there are any."""
    if not any(c.pictures.values()):
        return ""
    from polhode.views.figures.certificate import certificate_figures

    figures = certificate_figures(c.pictures).items()
    drawn = [f'<figure style="margin: 1rem 0 0">{inline(figure, name)}</figure>' for name, figure in figures]
    return f'<div class="beside" style="{BESIDE}">{"".join(drawn)}</div>'


def _made(c: Any) -> Any:
    return [f"By polhode {c.version}, {c.date}."] if c.version else []


def quality(key: Any, c: Any) -> Any:
    """Whether a verdict is good for the user, bad, open, or neither."""
    p, row = c.properties[key], BY_KEY[key]
    if p.verdict == "undecided":
        return OPEN
    if key in c.contradictions:
        return BAD
    if row.kind == RATE:
        return BAD if p.verdict == "yes" else GOOD
    if row.kind in (ORDER, NUMBER):
        return BAD if p.verdict == "no" else PLAIN
    return GOOD if p.verdict == "yes" else BAD if row.if_no else PLAIN


def verdict(key: Any, p: Any) -> Any:
    """The verdict in words."""
    if BY_KEY[key].kind in (ORDER, NUMBER) and p.verdict == "yes":
        return f"measured {p.qualifier}".strip()
    return p.said


def explained(key: Any, p: Any) -> str:
    """The verdict, and why an energy does not drift."""
    reasons = [why.value for why in (Mark.IS_SYMPLECTIC, Mark.KEEPS_ENERGY) if why in p.marks]
    return ": ".join([verdict(key, p), *reasons])


def value(key: Any, p: Any) -> Any:
    """The value in figures; of a rate that was not seen, the bound."""
    kind = BY_KEY[key].kind
    if kind == RATE and p.verdict != "yes":
        return "-" if p.bound is None else f"< {p.bound:.0e}"
    if p.value is None:
        return "unstable" if kind == RATE else "-"
    if p.value == float("inf"):
        return "exact"
    if kind == ORDER:
        return f"{p.value:.2f}" + (f" ± {p.bound:.2f}" if p.bound and p.bound >= 0.005 else "")
    return f"{p.value:.3g}" if kind == NUMBER else f"{p.value:.1e}"


def _threshold(key: Any, p: Any) -> Any:
    return "" if p.threshold is None or BY_KEY[key].kind in (ORDER, NUMBER, RATE) else f"{p.threshold:.0e}"


def _how(key: Any, p: Any) -> Any:
    return p.how + _why_open(key, p) + (f" [{p.coverage}]" if p.coverage else "")


def _why_open(key: Any, p: Any) -> str:
    """Why an order is undecided that has a value, where no reason is told."""
    is_told = ";" in p.how or p.value is None or not math.isfinite(p.value)
    if BY_KEY[key].kind != ORDER or p.verdict != "undecided" or is_told:
        return ""
    if abs(p.value - round(p.value)) > (p.threshold or 0.0):
        return f"; {p.value:.2f} is no whole number within its error"
    return f"; {p.value:.2f} is known to {p.bound:.1g} only" if p.bound else ""
