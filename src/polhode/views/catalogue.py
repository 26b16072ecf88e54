"""The pages methods.md and problems.md, generated from the catalogues: python -m polhode.views.catalogue docs"""

import inspect
import itertools
import pathlib
import sys
import textwrap
from typing import Any

from polhode.bibliography import fields
from polhode.integrators.lookup import OWN_STEPS, integrator, methods
from polhode.integrators.properties import NUMBER, ORDER, RATE, YES_OR_NO, columns
from polhode.integrators.velocity import Forces, how, torques_per_step
from polhode.physics.catalogue import problems

METHODS_HEAD = """\
# Methods

Generated from the catalogue by `make docs`; every entry of the table is measured in the test suite, the noes too.

{notes}

Every implicit method solves its equations to round-off for steps that turn the body by up to 0.9 rad, whatever the
body; most go further (`polhode certify` measures how far on the test problem). Where a solve does not converge, the
run stops there, keeps what it has and says so.
"""
OWN_STEPS_HEAD = """\
## That choose their own steps

They are not in the table, since their steps are their own and the table is of steps of one size. When to take them is
in [Choosing a method](guides/choosing.md).
"""
VELOCITY_HEAD = """\
## With torques that depend on the velocity

Which methods take `torque(t, Q, Omega)`, `damping=`, `rotor=` and `wheels=`, and what they keep; measured like the
rest. A method that is not listed says so when it is asked, and names these. "Stages": it evaluates the torque where it
knows the velocity. "Momenta": the same, and a rotor is inside, Pi = J Omega + l. "Kicks": it solves the torque around
its free step, damping exactly. Torques: evaluations a step with damping / with any torque of the velocity.

{notes}
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
    everyone = list(methods().values())
    first = {m.lecture: m for m in reversed(everyone)}
    lines = [method_tables(_linked)]
    for family, members in itertools.groupby(everyone, key=lambda m: m.family):
        lines.append(f"## {family[0].upper() + family[1:]}\n")
        lines += [_lecture(m, first) for m in members]
    return "\n".join(lines).rstrip() + "\n"


def method_tables(name: Any) -> str:
    """The page without the lectures; `name` makes the first cell of a method's row."""
    notes = dict.fromkeys(column.note for column, _ in columns() if column.note)
    everyone = list(methods().values())
    return "\n".join(
        [
            METHODS_HEAD.format(notes=textwrap.fill(" ".join(notes), 120)),
            properties_table(everyone, name),
            "",
            OWN_STEPS_HEAD,
            *(f"- {own_steps(maker)}" for maker in OWN_STEPS),
            "",
            VELOCITY_HEAD.format(notes=textwrap.fill(" ".join(c.note for c, _ in columns(velocity=True)), 120)),
            velocity_table(everyone, name),
            "",
        ]
    )


def own_steps(maker: str) -> str:
    """An integrator that chooses its own steps: its names, and the first sentence of its lecture."""
    sentence = own_lecture(maker).split("\n\n")[0]
    return f'`"{maker.upper()}"`, `ph.{maker}(...)`: {" ".join(sentence.split())}'


def own_lecture(maker: str) -> str:
    """The lecture of an integrator that chooses its own steps."""
    return inspect.getdoc(type(integrator(maker))) or ""


def properties_table(those: Any, name: Any) -> Any:
    """What methods claim, a row each; `name` makes the first cell."""
    heads = ["method", *(_head(column, rows) for column, rows in columns())]
    return _table(heads, ([name(m), *(_cell(m, rows) for _, rows in columns())] for m in those))


def velocity_table(those: Any, name: Any) -> Any:
    """What methods take that depends on the velocity, how, and what they claim of it."""
    claims = columns(velocity=True)
    heads = ["method", "by", "torques", *(_head(column, rows) for column, rows in claims)]
    cases = (Forces(damped=True), Forces(moving=True))
    takers = [m for m in those if m.velocity is not None and not m.free_only]
    torques = lambda m: " / ".join(_number(m, torques_per_step(m, forces)) for forces in cases)
    return _table(heads, ([name(m), m.velocity, torques(m), *(_cell(m, rows) for _, rows in claims)] for m in takers))


def _table(heads: Any, body: Any) -> Any:
    """A table of a page."""
    return "\n".join(
        ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *("| " + " | ".join(row) + " |" for row in body)]
    )


def _linked(m: Any) -> Any:
    return f"[{m.name}](#{_anchor(m.name)})"


def problems_page(typeset: Any = lambda words: f"```text\n{words}\n```") -> Any:
    """The docstrings of all problems, as text or as `typeset` shows them."""
    parts = [PROBLEMS_HEAD]
    for name, make in problems().items():
        p = make()
        words = inspect.cleandoc(make.__doc__ or "")
        keywords = ", ".join(inspect.signature(make).parameters)
        listed = "; ".join(_conserved(p)) or "nothing"
        parts.append(f"## {name}\n\n{typeset(words)}\n")
        parts.append(f"Keywords: `{keywords}`. Conserved: {listed}.\n")
        if p.sources:
            parts.append("Sources: " + "; ".join(source_of(key) for key in p.sources) + ".\n")
    return "\n".join(parts).rstrip() + "\n"


def _conserved(p: Any) -> list[str]:
    """What a problem keeps, in words."""
    energy = ["energy"] if p.has_potential and p.forces.keep_energy else []
    return energy + ["momentum of body and wheels"] * (p.internal.wheels is not None) + list(p.invariants)


def _lecture(m: Any, first: Any) -> Any:
    """A method, with its lecture if it is the first that has it."""
    also = f" Also: {', '.join(m.aliases)}." if m.aliases else ""
    head = f"### {m.name}\n\n{m.title[0].upper() + m.title[1:]}.{also}"
    owner = first[m.lecture]
    if owner is not m:
        return f"{head} The lecture is that of {_linked(owner)}.\n"
    sources = "; ".join(source_of(key) for key in m.sources)
    file = code_of(m)
    code = f"Code: [`{file}`](../src/polhode/{file})."
    moving = f"Torques of the velocity: {_small(how(m))}"
    return f"{head} {code}\n\n```text\n{m.lecture}\n```\n\n{moving}\n\nSources: {sources}.\n"


def _small(words: str) -> str:
    return words[0].lower() + words[1:]


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
    words = {YES_OR_NO: _yes, NUMBER: lambda claim: _number(m, claim), RATE: DRIFT.__getitem__}[rows[0].kind]
    return " / ".join(words(getattr(m, row.claim)) for row in rows)


def _number(m: Any, claim: Any) -> Any:
    return "none" if m.free_only else "implicit" if claim is None else str(claim)


def _orders(m: Any, rows: Any) -> Any:
    """The order, once where all claimed orders agree; otherwise each with what it is claimed of."""
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
