"""The generated pages of the site, written before it is built: python docs/extensions/pages.py FOLDER

Theory, a page per family, from the lectures; the interface from its docstrings; properties, command line and gallery
from their lists; and the lab.
"""

import argparse
import inspect
import itertools
import pathlib
import re
import sys
from typing import Any

from formulas import markdown, plain, powers, prose  # beside this file, as is gallery
from gallery import gallery_pages
from numpydoc.docscrape import NumpyDocString

import polhode
from polhode.cli.main import parser
from polhode.integrators.lookup import OWN_STEPS
from polhode.integrators.method import Method
from polhode.integrators.properties import PROPERTIES
from polhode.views.catalogue import code_of, method_tables, own_lecture, problems_page, properties_table, source_of
from polhode.views.lab.page import lab_page


def main(folder: str) -> None:
    """Write all of them."""
    root = pathlib.Path(folder)
    for name, text in pages().items():
        path = root / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue  # an old page need not be read again
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """The pages by file name."""
    families = {
        name: list(members) for name, members in itertools.groupby(polhode.methods().values(), key=lambda m: m.family)
    }
    theory = {f"theory/{slug(name)}.md": family_page(name, members) for name, members in families.items()}
    return {
        **theory,
        "theory/own-steps.md": own_steps_page(),
        "theory/index.md": theory_index(families),
        "reference/index.md": reference_index(),
        "reference/api.md": api_page(),
        "reference/properties.md": properties_page(),
        "reference/cli.md": cli_page(),
        **gallery_pages(),
        "lab/lab.html": lab_page(),
    }


def retold(app: Any, docname: str, source: list[str]) -> None:
    """Sphinx reads a page: lectures stand on the pages of theory alone, and powers are typeset."""
    if docname == "methods":
        source[0] = method_tables(lambda m: f"[{m.name}](#{_anchor(list(polhode.methods().values()), m)})")
    elif docname == "problems":
        source[0] = problems_page(markdown)
    elif not docname.startswith("made/"):
        source[0] = powers(source[0])


def slug(name: str) -> str:
    """A name as part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


# ---- theory ------------------------------------------------------------------------------------------------


def theory_index(families: dict[str, list[Method]]) -> str:
    """The list of families."""
    rows = "\n".join(f"- [{_title(f)}]({slug(f)}.md): {', '.join(m.name for m in ms)}" for f, ms in families.items())
    own = ", ".join(maker.upper() for maker in OWN_STEPS)
    tree = "\n".join([*map(slug, families), "own-steps"])
    return f"""# Theory

A page per family, with the lectures that stand in the code: the idea, the formulas, why each claim holds, pitfalls and
misprints. Everywhere $Q$ maps body to space, $\\Omega$, $\\Pi = J \\Omega$ and the torque $\\tau$ are in body axes, and

```{{math}}
Q' = Q\\,\\widehat{{\\Omega}}, \\qquad J \\Omega' = J \\Omega \\times \\Omega + \\tau(t, Q)
```

{rows}
- [Steps of their own](own-steps.md): {own}

```{{toctree}}
:hidden:

{tree}
```
"""


def family_page(family: str, members: list[Method]) -> str:
    """What the methods of a family claim, and their lectures, each once."""
    parts = [f"# {_title(family)}\n", properties_table(members, lambda m: f"[{m.name}](#{_anchor(members, m)})") + "\n"]
    for lecture, those in itertools.groupby(members, key=lambda m: m.lecture):
        same = list(those)
        keys = list(dict.fromkeys(key for m in same for key in m.sources))
        also = [f"{m.name}: {m.title}" + (f" ({', '.join(m.aliases)})" if m.aliases else "") for m in same]
        parts.append(f"({_anchor(members, same[0])})=\n## {', '.join(m.name for m in same)}\n")
        parts.append(f"*{'; '.join(also)}.* Code: `{code_of(same[0])}`.\n")
        parts.append(markdown(lecture) + "\n")
        parts.append("Sources: " + "; ".join(map(source_of, keys)) + ".\n")
    return "\n".join(parts)


def own_steps_page() -> str:
    """The lectures of the integrators that choose their own steps."""
    lectures = [f"## {maker.upper()}\n\n{markdown(own_lecture(maker))}\n" for maker in OWN_STEPS]
    return "\n".join(["# Steps of their own\n", *lectures])


def _title(family: str) -> str:
    return family[0].upper() + family[1:]


def _anchor(members: list[Method], method: Method) -> str:
    """The place of the lecture that a method shares."""
    first = next(m for m in members if m.lecture == method.lecture)
    return "lecture-" + slug(first.name)


# ---- reference ---------------------------------------------------------------------------------------------


def reference_index() -> str:
    """What can be looked up, and whatever other page lies beside those: the audit of papers, notes on the machine."""
    docs = pathlib.Path(__file__).parents[1]
    others = {path.stem for path in docs.glob("*.md")} - {"index", "the-lab", "certify"}
    listed = ["methods", "problems", "recommend", "files", "audit", "performance", "round-off", "machine", "changes"]
    order = [name for name in listed if name in others] + sorted(others - set(listed))
    tree = "\n".join(["api", "properties", "cli", *(f"/{name}" for name in order)])
    return f"# Reference\n\n```{{toctree}}\n:maxdepth: 1\n\n{tree}\n```\n"


def api_page() -> str:
    """The public names, by their docstrings."""
    parts = ["# Interface\n", "Everything below is in `polhode`, by custom `import polhode as ph`.\n"]
    things = {name: getattr(polhode, name) for name in polhode.__all__}
    for title, kind in (("Functions", "function"), ("Classes", "class"), ("Modules", "module")):
        parts.append(f"## {title}\n")
        role = "func" if kind == "function" else kind
        names = [name for name, thing in things.items() if _kind(thing) == kind]
        if kind != "module":
            parts.append(" · ".join(f"{{py:{role}}}`{name}`" for name in names) + "\n")
        parts += [_entry(name, thing, kind) for name, thing in things.items() if _kind(thing) == kind]
    return "\n".join(parts)


def _kind(thing: Any) -> str:
    return "class" if inspect.isclass(thing) else "module" if inspect.ismodule(thing) else "function"


def described(thing: Any) -> str:
    """A docstring as Markdown: its lecture, then what numpydoc finds in its sections."""
    found = NumpyDocString(inspect.getdoc(thing) or "")
    text = ["\n".join(found["Summary"]), *"\n".join(found["Extended Summary"]).split("\n\n")]
    parts = [markdown("\n\n".join(text))]
    for section in ("Parameters", "Attributes", "Returns", "Raises"):
        if found[section]:
            parts.append(f"**{section}**\n")
            parts += [f"`{p.name or p.type}`{_of_type(p)}\n: {plain(' '.join(p.desc))}\n" for p in found[section]]
    if found["Examples"]:
        parts.append("**Example**\n\n```pycon\n" + "\n".join(found["Examples"]) + "\n```")
    return "\n\n".join(parts)


def _of_type(parameter: Any) -> str:
    return f" *{parameter.type}*" if parameter.name and parameter.type else ""


def _entry(name: str, thing: Any, kind: str) -> str:
    words = described(thing)
    if kind == "module":
        inner = {n: f for n, f in vars(thing).items() if inspect.isfunction(f) and f.__module__.startswith("polhode")}
        shown = getattr(thing, "__all__", None) or [n for n in inner if not n.startswith("_")]
        return "\n".join(
            [
                f"### polhode.{name}\n",
                words,
                "",
                *(_entry(f"{name}.{n}", inner[n], "function") for n in shown if n in inner),
            ]
        )
    fence = "`````"
    lines = [f"{fence}{{py:{kind}}} {name}{_signature(thing)}", "", words, ""]
    if kind == "class" and not issubclass(thing, BaseException):
        for member, value in vars(thing).items():
            if member.startswith("_") or not inspect.getdoc(value):
                continue
            if inspect.isfunction(value):
                lines += [
                    f"````{{py:method}} {member}{_signature(value)}",
                    "",
                    described(value),
                    "````",
                ]
            elif isinstance(value, property):
                lines += [f"````{{py:property}} {member}", "", described(value), "````"]
    return "\n".join([*lines, fence, ""])


def _signature(thing: Any) -> str:
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values() if p.name != "self"]
    text = str(found.replace(parameters=bare, return_annotation=found.empty))
    return re.sub(r"<[^<>]*?([\w.]+)(?: at 0x\w+)?>", r"\1", text)


def properties_page() -> str:
    """What a certificate measures."""
    rows = [
        f"| `{row.key}` | {row.title} | {row.case} | {prose(row.how).replace('|', chr(92) + '|') or row.measure} |"
        for row in PROPERTIES
    ]
    return "\n".join(
        [
            "# Properties\n",
            "What `ph.certify` measures of an integrator, and what the catalogue claims of its methods: each is "
            "declared once, as data, and every claim, the noes too, is measured in the test suite.\n",
            "| key | property | measured on | how |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def cli_page() -> str:
    """What --help says, for every verb."""
    top = parser()
    verbs = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction)).choices
    parts = ["# Command line\n", _console(top.format_help())]
    parts += [f"## polhode {name}\n\n{_console(verb.format_help())}" for name, verb in verbs.items()]
    return "\n".join(parts)


def _console(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    main(sys.argv[1])
