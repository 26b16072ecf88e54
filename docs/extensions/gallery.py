"""The gallery: every published figure and table that is measured again, a page each, with the code that declares it."""

import ast
import inspect
import pathlib
import sys
from typing import Any

import polhode.testbench.papers.figures as figures
from polhode.testbench.papers.catalogue import REPRODUCTIONS
from polhode.testbench.papers.reproduced import PAPERS

PICTURES = pathlib.Path(__file__).parents[1] / "gallery"


def gallery_pages() -> dict[str, str]:
    """The pages by file name."""
    return {"gallery.md": index(), **{f"gallery/{r.name}.md": figure_page(r) for r in REPRODUCTIONS}}


def index() -> str:
    """Thumbnails, paper by paper; a click leads to the code."""
    parts = [
        "# Gallery\n\nPublished figures and tables, measured again and compared with the print statement by statement "
        "([what came out](/audit.md)); `polhode reproduce all` measures and draws them all.\n"
    ]
    for source, paper in PAPERS.items():
        cards = []
        for r in (r for r in REPRODUCTIONS if r.source == source):
            options = [f":link: gallery/{r.name}", ":link-type: doc"]
            options += [f":img-top: /gallery/{r.name}.png"] if (PICTURES / f"{r.name}.png").exists() else []
            cards.append("\n".join(["::::{grid-item-card} " + r.title, *options, "", "", "::::", ""]))
        parts.append(f"## {paper}\n\n:::::{{grid}} 1 2 2 3\n:gutter: 3\n\n" + "\n".join(cards) + ":::::\n")
    tree = "\n".join(f"gallery/{r.name}" for r in REPRODUCTIONS)
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{tree}\n```\n"])


def figure_page(r: Any) -> str:
    """The picture, what it shows, and the code."""
    file, line, code = declaration(r.name)
    picture = (
        f"```{{image}} /gallery/{r.name}.png\n:alt: {r.title}\n```\n" if (PICTURES / f"{r.name}.png").exists() else ""
    )
    said = [getattr(r, "caption", ""), *getattr(r, "notes", ())]
    return "\n\n".join(
        [
            f"# {PAPERS[r.source]}, {r.title}",
            picture,
            *filter(None, said),
            f'```text\npolhode reproduce {r.name}\n```\n\nor, in Python, `ph.reproduce("{r.name}")`. It is declared in '
            f"`{file}`, line {line}:",
            f"```python\n{code}\n```\n",
        ]
    )


def declaration(name: str) -> tuple[str, int, str]:
    """Where a figure is declared: the file, the line, and the call itself."""
    package = pathlib.Path(figures.__file__).parent
    for path in sorted(package.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        module = sys.modules.get(f"{figures.__name__}.{path.stem}")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and node.args and _named(node.args[0], module) == name:
                lines = text.splitlines()[node.lineno - 1 : node.end_lineno]
                code = inspect.cleandoc("\n".join([" " * node.col_offset + lines[0].lstrip(), *lines[1:]]))
                return str(path.relative_to(package.parents[3])), node.lineno, code.rstrip(",")
    raise LookupError(f"{name} is declared nowhere in {package}")


def _named(node: ast.expr, module: Any) -> Any:
    """The figure that a first argument names: a text, a number in the paper, or a name that stands for a text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else f"{getattr(module, 'SOURCE', '')}-figure-{node.value}"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return getattr(vars(module).get(node.value.id), node.attr, None)
    return None
