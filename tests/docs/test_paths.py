"""Files, folders and modules that pages, pictures and docstrings name are there."""

import contextlib
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("src", "docs", "tests", "benchmarks", "scripts")
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("guides/*.md")]
    + [*(ROOT / "docs" / "pictures").glob("*.svg")]
)
NAMED = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.(?:py|md|bib))(?![\w-])|`((?:\w+/)+)`")
MODULE = re.compile(r"``?(?:python -m )?(polhode(?:\.[a-z_]+)+)``?")
MADE = "made/"
"""Pages that Sphinx makes are named by this folder; its extensions list them."""


def tree():
    """Every file and folder, from the root, with all that it can be called by: the ends of its path."""
    files = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if "__pycache__" not in p.parts]
    for path in [*files, *ROOT.glob("*.*"), *(ROOT / folder for folder in FOLDERS)]:
        parts = path.relative_to(ROOT).parts
        yield from ("/".join(parts[k:]) for k in range(len(parts)))


@pytest.fixture(scope="module")
def there():
    return set(tree())


def named(text):
    return {(file or folder).rstrip("/") for file, folder in NAMED.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_a_page_names_what_is_there(page, there):
    assert [x for x in sorted(named(page.read_text(encoding="utf-8"))) if x not in there and MADE not in x] == []


def test_a_name_of_nothing_is_noticed(there):
    text = "see `machine/no_such.py`, kernels/loop.py, `views/lab/` and `no_folder/`"
    assert named(text) == {"machine/no_such.py", "kernels/loop.py", "views/lab", "no_folder"}
    assert named(text) - there == {"machine/no_such.py", "no_folder"}


def is_there(dotted):
    """Whether a dotted name is a module, or an attribute of one."""
    head, _, last = dotted.rpartition(".")
    with contextlib.suppress(ModuleNotFoundError):  # the head is no package
        if importlib.util.find_spec(dotted):
            return True
    with contextlib.suppress(ModuleNotFoundError):
        return hasattr(importlib.import_module(head), last)
    return False


def test_a_module_that_is_not_there_is_noticed():
    assert is_there("polhode.kernels.loop") and is_there("polhode.kernels.loop.advance")
    assert not is_there("polhode.kernels.no_such") and not is_there("polhode.no_package.loop.advance")


def test_modules_that_docstrings_and_pages_name_are_there():
    pages = [p for p in PAGES if p.suffix == ".md"]
    texts = {p: p.read_text(encoding="utf-8") for p in [*pages, *(ROOT / "src").rglob("*.py")]}
    names = {name: p.name for p, text in texts.items() for name in MODULE.findall(text)}
    assert len(names) > 10
    assert {name: page for name, page in names.items() if not is_there(name)} == {}
