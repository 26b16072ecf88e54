"""The pages methods.md and problems.md, generated from the catalogues: python -m polhode.report.catalogue docs"""

import inspect
import pathlib
import sys

from polhode.problems.catalogue import problems
from polhode.references import fields
from polhode.solve import methods

METHODS_HEAD = """\
# Methods

Generated from the catalogue by `make docs`; every entry of the table is measured in the test suite, the noes too.

Order is that of Q and of Omega, for the free body and with a torque; one number where all agree. "free / U": without
and with a potential; "free / top": for a free body and for a heavy top without symmetry. Torques: evaluations a step.
Drift: of the energy on the stress test.

Every implicit method solves its equations to round-off for steps that turn the body by up to 0.9 rad, whatever the
body; most go further (`polhode certify` measures how far on the test problem). Where a solve does not converge, the
run stops there, keeps what it has and says so.
"""
PROBLEMS_HEAD = """\
# Problems

Generated from the catalogue by `make docs`. Q maps body to space; Omega and the torque are in body axes.
"""


HEADS = (
    "method",
    "order",
    "symmetric",
    "symplectic free / U",
    "Poisson",
    "momentum free / top",
    "energy free / top",
    "torques",
    "drift",
)
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
    lines = [METHODS_HEAD, "| " + " | ".join(HEADS) + " |", "|" + "---|" * len(HEADS)]
    family, lectures = None, []
    for m in methods().values():
        cells = (
            f"[{m.name}](#{_anchor(m.name)})",
            _orders(m),
            _yes(m.symmetric),
            f"{_yes(m.symplectic_free)} / {_yes(m.symplectic)}",
            _yes(m.poisson_free),
            f"{_yes(m.momentum_free)} / {_yes(m.momentum_top)}",
            f"{_yes(m.energy_free)} / {_yes(m.energy_top)}",
            "none" if m.free_only else "implicit" if m.torques_per_step is None else str(m.torques_per_step),
            DRIFT[m.drift],
        )
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


def _orders(m):
    values = (*m.orders.free, *m.orders.torque[: 0 if m.free_only else 2])
    words = ["exact" if x == float("inf") else f"{x:g}" for x in values]
    if len(set(words)) == 1:
        return words[0]
    free = words[0] if words[0] == words[1] else f"{words[0]}, {words[1]}"
    torque = words[2] if words[2] == words[3] else f"{words[2]}, {words[3]}"
    return f"{free} free; {torque}"


def _yes(claim):
    return "-" if claim is None else "yes" if claim else "no"


def _anchor(name):
    return "".join(c for c in name.lower().replace(" ", "-") if c.isalnum() or c in "-_")


if __name__ == "__main__":
    main(sys.argv[1])
