"""A certificate for the terminal, for a notebook, and as a page."""

from html import escape
from typing import Any

from rich.table import Table
from rich.text import Text

from polhode.integrators.properties import BY_KEY, NUMBER, ORDER
from polhode.views.page import page, table

COLOUR = {"yes": "green", "no": "dark_orange3", "undecided": "dim"}
CLASS = {"yes": "none", "no": "gains", "undecided": "quiet"}


def certificate_table(c: Any) -> Any:
    """The table for the terminal."""
    drawn = Table(
        title=f"Certificate of {c.method}, a {c.form}", title_justify="left", caption=c.summary, caption_justify="left"
    )
    drawn.add_column("property", style="bold", no_wrap=True)
    drawn.add_column("verdict", no_wrap=True)
    drawn.add_column("value", justify="right", no_wrap=True)
    drawn.add_column("how it was measured", style="dim")
    for key, p in c.properties.items():
        drawn.add_row(BY_KEY[key].title, Text(_verdict(key, p), style=COLOUR[p.verdict]), _value(key, p), p.how)
    return drawn


def certificate_notes(c: Any) -> Any:
    """Sentences below the table: contradicted claims, and what the failures point to."""
    notes = [f"Claimed otherwise: {BY_KEY[key].title} ({claimed})." for key, claimed in c.contradictions.items()]
    if c.not_measured:
        notes.append(f"Not measured of a {c.form} like this: {', '.join(BY_KEY[key].title for key in c.not_measured)}.")
    return [*notes, *c.diagnosis]


def certificate_card(c: Any) -> Any:
    """The card for a notebook."""
    rows = [
        (
            escape(BY_KEY[key].title),
            f'<span class="verdict {CLASS[p.verdict]}">{_verdict(key, p)}</span>',
            escape(_value(key, p)),
            f'<span class="quiet">{escape(p.how)}</span>',
        )
        for key, p in c.properties.items()
    ]
    notes = "".join(f"<li>{escape(note)}</li>" for note in certificate_notes(c))
    return (
        f"<p><b>{escape(c.summary)}</b></p>"
        + table(("property", "verdict", "value", "how it was measured"), rows, numbers=(2,))
        + (f"<ul>{notes}</ul>" if notes else "")
    )


def certificate_page(c: Any) -> Any:
    """The page: one file, opens without a network."""
    body = [
        '<p class="overline">Certificate</p>',
        f"<h1>{escape(c.method)}</h1>",
        f'<p class="lead">{escape(c.summary)}</p>',
        '<div class="wrap">' + certificate_card(c) + "</div>",
        f'<p class="quiet">Measured in {c.seconds:.1f} s; the numbers are in this page as JSON.</p>',
    ]
    return page(f"Certificate of {c.method}", body, c.to_dict())


def _verdict(key: Any, p: Any) -> Any:
    return "measured" if BY_KEY[key].kind in (ORDER, NUMBER) and p.verdict == "yes" else p.verdict


def _value(key: Any, p: Any) -> Any:
    if p.value is None:
        return "-"
    if p.value == float("inf"):
        return "exact"
    if BY_KEY[key].kind in (ORDER, NUMBER):
        return f"{p.value:.2f}" if BY_KEY[key].kind == ORDER else f"{p.value:.3g}"
    return f"{p.value:.1e}"
