"""The pages methods.md and problems.md, generated from the catalogues: python -m polhode.views.catalogue docs"""

import inspect
import pathlib
import sys
import textwrap

from polhode.bibliography import fields
from polhode.integrators.lookup import methods
from polhode.integrators.properties import NUMBER, ORDER, RATE, YES_OR_NO, columns
from polhode.physics.catalogue import problems

METHODS_HEAD = """\
# Methods

Generated from the catalogue by `make docs`; every entry of the table is measured in the test suite, the noes too.

{notes}

Every implicit method solves its equations to round-off for steps that turn the body by up to 0.9 rad, whatever the
body; most go further (`polhode certify` measures how far on the test problem). Where a solve does not converge, the
run stops there, keeps what it has and says so.
"""
PROBLEMS_HEAD = """\
# Problems

Generated from the catalogue by `make docs`. Q maps body to space; Omega and the torque are in body axes.
"""


DRIFT = {"+": "gains", "-": "loses", "none": "none", "unstable": "unstable", None: "-"}


def main(folder):
    """Write both pages."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def pages():
    """The pages by file name."""
    return {"methods.md": methods_page(), "problems.md": problems_page()}


def methods_page():
    """Table and lectures of all methods."""
    notes = dict.fromkeys(column.note for column, _ in columns() if column.note)
    heads = ["method", *(_head(column, rows) for column, rows in columns())]
    lines = [
        METHODS_HEAD.format(notes=textwrap.fill(" ".join(notes), 120)),
        "| " + " | ".join(heads) + " |",
        "|" + "---|" * len(heads),
    ]
    family, lectures = None, []
    for m in methods().values():
        cells = [f"[{m.name}](#{_anchor(m.name)})", *(_cell(m, rows) for _, rows in columns())]
        lines.append("| " + " | ".join(cells) + " |")
        if m.family != family:
            lectures.append(f"## {m.family[0].upper() + m.family[1:]}\n")
            family = m.family
        lectures.append(_lecture(m))
    return "\n".join([*lines, "", *lectures]).rstrip() + "\n"


def problems_page():
    """The docstrings of all problems."""
    parts = [PROBLEMS_HEAD]
    for name, make in problems().items():
        p = make()
        words = inspect.cleandoc(make.__doc__ or "")
        keywords = ", ".join(inspect.signature(make).parameters)
        listed = "; ".join(["energy"] * p.has_potential + list(p.invariants)) or "nothing"
        parts.append(f"## {name}\n\n```text\n{words}\n```\n")
        parts.append(f"Keywords: `{keywords}`. Conserved: {listed}.\n")
        if p.sources:
            parts.append("Sources: " + "; ".join(_source(key) for key in p.sources) + ".\n")
    return "\n".join(parts).rstrip() + "\n"


def _lecture(m):
    also = f" Also: {', '.join(m.aliases)}." if m.aliases else ""
    sources = "; ".join(_source(key) for key in m.sources)
    file = inspect.getsourcefile(inspect.unwrap(m.step)).replace("\\", "/").split("/polhode/")[-1]
    return (
        f"### {m.name}\n\n{m.title[0].upper() + m.title[1:]}.{also} "
        f"Code: [`{file}`](../src/polhode/{file}).\n\n```text\n{m.lecture}\n```\n\nSources: {sources}.\n"
    )


def _source(key):
    source = fields(key)
    authors = source.get("author", key).split(" and ")
    names = [a.split(",")[0].strip() if "," in a else a.split()[-1] for a in authors]
    text = f"{' & '.join(names)} ({source.get('year', '?')})"
    return f"[{text}](https://doi.org/{source['doi']})" if "doi" in source else text


def _head(column, rows):
    labels = [row.label for row in rows if row.kind != ORDER and row.label]
    return f"{column.head} {' / '.join(labels)}".strip()


def _cell(m, rows):
    """What a method claims of the properties of a column."""
    if rows[0].kind == ORDER:
        return _orders(m, rows)
    told = {YES_OR_NO: _yes, NUMBER: lambda claim: _number(m, claim), RATE: DRIFT.__getitem__}[rows[0].kind]
    return " / ".join(told(getattr(m, row.claim)) for row in rows)


def _number(m, claim):
    return "none" if m.free_only else "implicit" if claim is None else str(claim)


def _orders(m, rows):
    """One order where all agree; otherwise by what they are claimed of."""
    labels = {row.part: row.label for row in rows if row.part and not (m.free_only and row.needs_torque)}
    words = {part: ["exact" if x == float("inf") else f"{x:g}" for x in getattr(m.orders, part)] for part in labels}
    if len({word for pair in words.values() for word in pair}) == 1:
        return next(iter(words.values()))[0]
    return "; ".join(f"{', '.join(dict.fromkeys(words[part]))} {label}".strip() for part, label in labels.items())


def _yes(claim):
    return "-" if claim is None else "yes" if claim else "no"


def _anchor(name):
    return "".join(c for c in name.lower().replace(" ", "-") if c.isalnum() or c in "-_")


if __name__ == "__main__":
    main(sys.argv[1])
