"""The pages methods.md and problems.md, generated from the catalogues: python -m polhode.views.catalogue docs"""

import inspect
import itertools
import pathlib
import sys
import textwrap
from typing import Any

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


def main(folder: Any) -> None:
    """Write both pages."""
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


def pages() -> Any:
    """The pages by file name."""
    return {"methods.md": methods_page(), "problems.md": problems_page()}


def methods_page() -> Any:
    """Table and lectures of all methods; a lecture that several share stands once."""
    notes = dict.fromkeys(column.note for column, _ in columns() if column.note)
    everyone = list(methods().values())
    first = {m.lecture: m for m in reversed(everyone)}
    lines = [
        METHODS_HEAD.format(notes=textwrap.fill(" ".join(notes), 120)),
        properties_table(everyone, lambda m: f"[{m.name}](#{_anchor(m.name)})"),
        "",
    ]
    for family, members in itertools.groupby(everyone, key=lambda m: m.family):
        lines.append(f"## {family[0].upper() + family[1:]}\n")
        lines += [_lecture(m, first) for m in members]
    return "\n".join(lines).rstrip() + "\n"


def properties_table(those: Any, name: Any) -> Any:
    """What methods claim, a row each; `name` makes the first cell."""
    heads = ["method", *(_head(column, rows) for column, rows in columns())]
    body = [[name(m), *(_cell(m, rows) for _, rows in columns())] for m in those]
    return "\n".join(
        ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in body)]
    )


def problems_page() -> Any:
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
            parts.append("Sources: " + "; ".join(source_of(key) for key in p.sources) + ".\n")
    return "\n".join(parts).rstrip() + "\n"


def _lecture(m: Any, first: Any) -> Any:
    """A method, with its lecture if it is the first that has it."""
    also = f" Also: {', '.join(m.aliases)}." if m.aliases else ""
    head = f"### {m.name}\n\n{m.title[0].upper() + m.title[1:]}.{also}"
    told = first[m.lecture]
    if told is not m:
        return f"{head} The lecture is that of [{told.name}](#{_anchor(told.name)}).\n"
    sources = "; ".join(source_of(key) for key in m.sources)
    file = code_of(m)
    return f"{head} Code: [`{file}`](../src/polhode/{file}).\n\n```text\n{m.lecture}\n```\n\nSources: {sources}.\n"


def code_of(m: Any) -> Any:
    """The file of a method's step, or of the flow that has its lecture, from the root of the package."""
    parts = [cell.cell_contents for cell in m.step.__closure__ or ()]
    flows = [x for x in parts if inspect.isfunction(x) and x.__doc__ == m.step.__doc__]
    return str(inspect.getsourcefile((flows or [m.step])[0])).replace("\\", "/").split("/polhode/")[-1]


def source_of(key: Any) -> Any:
    """Authors and year of a source, with its DOI."""
    source = fields(key)
    authors = source.get("author", key).split(" and ")
    names = [a.split(",")[0].strip() if "," in a else a.split()[-1] for a in authors]
    text = f"{' & '.join(names)} ({source.get('year', '?')})"
    return f"[{text}](https://doi.org/{source['doi']})" if "doi" in source else text


def _head(column: Any, rows: Any) -> Any:
    labels = [row.label for row in rows if row.kind != ORDER and row.label]
    return f"{column.head} {' / '.join(labels)}".strip()


def _cell(m: Any, rows: Any) -> Any:
    """What a method claims of the properties of a column."""
    if rows[0].kind == ORDER:
        return _orders(m, rows)
    told = {YES_OR_NO: _yes, NUMBER: lambda claim: _number(m, claim), RATE: DRIFT.__getitem__}[rows[0].kind]
    return " / ".join(told(getattr(m, row.claim)) for row in rows)


def _number(m: Any, claim: Any) -> Any:
    return "none" if m.free_only else "implicit" if claim is None else str(claim)


def _orders(m: Any, rows: Any) -> Any:
    """One order where all agree; otherwise by what they are claimed of."""
    labels = {row.part: row.label for row in rows if row.part and not (m.free_only and row.needs_torque)}
    words = {part: ["exact" if x == float("inf") else f"{x:g}" for x in getattr(m.orders, part)] for part in labels}
    if len({word for pair in words.values() for word in pair}) == 1:
        return next(iter(words.values()))[0]
    return "; ".join(f"{', '.join(dict.fromkeys(words[part]))} {label}".strip() for part, label in labels.items())


def _yes(claim: Any) -> Any:
    return "-" if claim is None else "yes" if claim else "no"


def _anchor(name: Any) -> Any:
    return "".join(c for c in name.lower().replace(" ", "-") if c.isalnum() or c in "-_")


if __name__ == "__main__":
    main(sys.argv[1])
