"""The face of machine/: every name is there, is used, and asking for none of them imports Numba too early."""

import ast
import importlib
import pathlib
import subprocess
import sys

import pytest

import polhode
from polhode import machine

PACKAGE = pathlib.Path(polhode.__file__).parent


@pytest.mark.parametrize("name", machine.FACE)
def test_a_name_is_what_its_module_has(name):
    module, attribute = machine.FACE[name].split(":")
    assert getattr(machine, name) is getattr(importlib.import_module(f"polhode.machine.{module}"), attribute)
    assert not (PACKAGE / "machine" / f"{name}.py").exists()  # a module of this name would hide it


def imported_from_machine():
    for file in PACKAGE.rglob("*.py"):
        if PACKAGE / "machine" not in file.parents:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and node.module == "polhode.machine":
                    yield from (a.name for a in node.names)


def test_every_name_is_used_and_no_other():
    assert set(imported_from_machine()) == set(machine.FACE)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        machine.no_such_name  # noqa: B018


def test_the_face_does_not_import_numba():
    code = "import sys; from polhode.machine import check, folder; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
