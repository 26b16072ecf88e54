"""The pages are what the catalogues say, and the README's example runs."""

import pathlib
import re

import pytest

from polhode.report.catalogue import pages

ROOT = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", pages())
def test_generated_pages_are_current(name):
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == pages()[name], "run `make docs`"


def test_the_readme_example_runs():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "README.md", "exec"), {})


def test_the_readme_shows_the_two_commands_first():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.index("make stress") < text.index("make test") < text.index("```python")


def test_every_path_in_the_readme_exists():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / path).exists(), path
