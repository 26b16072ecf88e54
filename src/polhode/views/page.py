"""A page in one file: style, figures and data inside, nothing fetched, for screen and paper, light and dark."""

import importlib.resources
import io
import re
import textwrap
from html import escape
from typing import Any

from polhode.views.files import as_json


def page(title: Any, body: Any, data: Any = None) -> Any:
    """The complete HTML."""
    css = importlib.resources.files("polhode.views").joinpath("page.css").read_text(encoding="utf-8")
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{css}</style>",
        "</head>",
        "<body>",
        *map(whole, body),
    ]
    if data is not None:
        text = as_json(data).replace("<", "\\u003c")
        parts.append(f'<script type="application/json" id="data">\n{text}\n</script>')
    return "\n".join([*parts, "</body>", "</html>", ""])


def inline(figure: Any, label: Any) -> Any:
    """A Matplotlib figure as SVG that takes its ink and rules from the page."""
    from polhode.views.figures.style import PAGE, write

    buffer = io.StringIO()
    write(figure, buffer, format="svg", transparent=True)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', rf'\1 role="img" aria-label="{escape(label)}"', svg, count=1)
    for colour, variable in PAGE.items():
        svg = svg.replace(colour, variable)
    return svg


def whole(html: str) -> str:
    """Numbers among words marked, so that no line breaks within one: 2e-02 would end as 2e- does."""
    tag_or_number = r"(<(?:svg|pre)\b.*?</(?:svg|pre)>|<[^>]*>)|(?<![\w.])(\d+(?:\.\d+)?e-\d+)"
    return re.sub(tag_or_number, lambda m: m[1] or f'<span class="whole">{m[2]}</span>', html, flags=re.DOTALL)


def fragment(html: str) -> str:
    """A part of a page for a place that knows no class of it, as a notebook: what must not break, and what scrolls, has
    its own style."""
    styles = {"whole": "white-space: nowrap", "number": "white-space: nowrap", "scroll": "overflow-x: auto"}
    return re.sub(r'class="(whole|number|scroll)[^"]*"', lambda m: f'style="{styles[m[1]]}"', whole(html))


def marked(html: Any) -> Any:
    """Superscript digits as the browser sets them: those of fonts differ in size and often lack the minus."""
    plain = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "\N{MINUS SIGN}0123456789")
    return re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: f"<sup>{m[0].translate(plain)}</sup>", html)


MOST_OF_A_CARD = 7
"""Columns of a table that a telephone shows as cards, one for each row; wider ones scroll there."""


def table(heads: Any, rows: Any, numbers: Any = (), shape: str | None = None) -> Any:
    """An HTML table of cells that are HTML already; columns in `numbers` are set flush right.

    On a narrow screen it folds into cards, or, with many columns, scrolls; `shape` names another class of page.css.
    """
    labels = [re.sub(r"<[^>]*>", "", head) for head in heads]
    shape = shape or ("cards" if len(heads) <= MOST_OF_A_CARD else "wide")

    def cell(tag: Any, k: Any, text: Any) -> Any:
        kind = ' class="number"' if k in numbers else ' class="name"' if k == 0 and tag == "td" else ""
        label = f' data-label="{labels[k]}"' if tag == "td" and k else ""
        return f"<{tag}{kind}{label}>{text}</{tag}>"

    lines = ["<tr>" + "".join(cell("th", k, x) for k, x in enumerate(heads)) + "</tr>"]
    body = ["<tr>" + "".join(cell("td", k, x) for k, x in enumerate(row)) + "</tr>" for row in rows]
    return "\n".join(
        [f'<div class="scroll {shape}"><table>', "<thead>", *lines, "</thead><tbody>", *body, "</tbody></table></div>"]
    )


def prose(text: Any) -> Any:
    """A docstring as HTML: paragraphs, "Label: text" as a paragraph of its own, indented blocks as formulas."""
    parts = []
    for block in re.split(r"\n\s*\n|\n(?=[A-Z][a-z]+(?: [a-z]+)?: )", text):
        if block.startswith("    "):
            parts.append(f"<pre>{escape(textwrap.dedent(block))}</pre>")
        else:
            words = escape(" ".join(block.split()))
            parts.append("<p>" + re.sub(r"^([A-Z][a-z]+(?: [a-z]+)?:) ", r"<b>\1</b> ", words) + "</p>")
    return parts


def references(keys: Any) -> Any:
    """A section with the sources, each with its DOI where there is one."""
    from polhode.bibliography import fields

    items = sorted(_citation(fields(key)) for key in dict.fromkeys(keys) if fields(key))
    if not items:
        return []
    return ["<h2>Sources</h2>", '<ul class="references">', *(f"<li>{x}</li>" for x in items), "</ul>"]


def _citation(source: Any) -> Any:
    authors = " & ".join(source.get("author", "").split(" and "))
    where = source.get("journal") or source.get("booktitle") or source.get("publisher") or source.get("school") or ""
    volume = " ".join(x for x in (source.get("volume"), source.get("pages")) if x)
    text = f"{escape(authors)} ({escape(source.get('year', ''))}). {escape(source.get('title', ''))}."
    if where:
        text += f" <i>{escape(where)}</i>{' ' + escape(volume) if volume else ''}."
    doi = source.get("doi")
    return text + (f' <a href="https://doi.org/{escape(doi)}">doi:{escape(doi)}</a>' if doi else "")
