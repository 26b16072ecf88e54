"""What is used of Numba's private interface is listed on a page; the switch that does without changes no bit."""

import ast
import os
import pathlib
import re
import subprocess
import sys

import polhode as ph

MACHINE = pathlib.Path(ph.__file__).parent / "machine"
PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "machine.md").read_text(encoding="utf-8")
PUBLIC = ("numba", "numba.types", "numba.extending")


def private_names():
    """Every name imported from Numba but from where it promises to keep it."""
    for file in MACHINE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
                for name in node.names:
                    if node.module not in PUBLIC or name.name.startswith("_"):
                        yield f"{node.module}.{name.name}"


def private_attributes():
    """Every attribute with an underscore that the package reads of an object which is not its own."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in MACHINE.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    own = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node)
    }
    for node in nodes:
        is_foreign = isinstance(node, ast.Attribute) and not _is_self(node)
        if is_foreign and re.match("_[a-z]", node.attr) and node.attr not in own | {"_replace"}:  # of a named tuple
            yield node.attr


def _is_self(node):
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def test_every_private_attribute_is_on_the_page():
    names = set(private_attributes())
    assert {"_definitions", "_getvalue", "_rebuild"} <= names
    assert sorted(name for name in names if name not in PAGE) == []


def test_every_private_name_is_on_the_page():
    names = set(private_names())
    assert len(names) > 20
    assert sorted(name for name in names if name not in PAGE) == []


PROGRAM = """
import hashlib, polhode as ph
from polhode.machine import COMPILED
s = ph.solve("stress", "ELN", h=0.1, n_steps=50)
e = ph.solve_ensemble("stress", "VLV", Omega0=[(0, 0, 0.6), (0.1, 0, 0.5)], h=0.1, n_steps=20)
print(hashlib.sha256(s.Q.tobytes() + s.Omega.tobytes() + e.Omega.tobytes()).hexdigest())
print(s.stats["compiled"], any(from_cache for _, from_cache in COMPILED))
"""


def test_without_link_only_every_bit_is_the_same_and_nothing_of_the_other_way_is_used(tmp_path):
    told = []
    for switch in ("1", "0"):
        environment = {**os.environ, "POLHODE_CACHE": str(tmp_path), "POLHODE_LINK_ONLY": switch}
        command = [sys.executable, "-c", PROGRAM]
        told.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert told[0] == told[1] and told[1].endswith("True False\n")
