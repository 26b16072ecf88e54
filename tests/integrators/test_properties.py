"""The table of properties: it is whole, what speaks of properties follows from it, and nothing else names one."""

import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys
from dataclasses import fields

import pytest

import polhode as ph
from polhode.integrators.method import Order
from polhode.integrators.properties import (
    BY_KEY,
    CLAIMED,
    KEPT,
    KINDS,
    ORDER,
    OUTLOOKS,
    PROPERTIES,
    YES_OR_NO,
    Claims,
    groups,
    measured_by,
)
from polhode.testbench.certificate.kernel import measurements as kernel
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.states import cases
from polhode.testbench.certificate.structure import defects

ORDER_CASES = ("free", "potential", "forced", "damped", "rotor")
SOURCE = pathlib.Path(ph.__file__).parent


# ---- the table ----------------------------------------------------------------------------------------


def test_the_order_of_a_certificate():
    assert [row.key for row in PROPERTIES] == [
        *(f"order_{case}_{what}" for case in ORDER_CASES for what in ("Q", "Omega")),
        *("symmetric", "symplectic_free", "symplectic_potential", "poisson_free"),
        *("momentum_free", "energy_free", "momentum_top", "energy_top"),
        *("symplectic_rotor", "conformal", "momentum_wheels", "energy_rotor", "energy_damped", "on_group"),
        *("drift", "torque_evaluations", "iterations", "largest_step"),
    ]


@pytest.mark.parametrize("row", PROPERTIES, ids=lambda row: row.key)
def test_a_row_is_whole(row):
    assert BY_KEY[row.key] is row and row.kind in KINDS and row.title and row.case in cases.CASES
    assert row.measure in kernel.MEASURES or row.measure == "drift"
    assert set(row.covers) <= set(BY_KEY) and (row.keep is None or (row.keep in KEPT and row in CLAIMED))
    assert row.claim is None or hasattr(ph.method("VLV"), row.claim)
    assert row.column is None or row.claim, "a list of methods shows claims"
    assert row.how or row.kind not in (ORDER, YES_OR_NO)


def test_rows_that_are_measured_alike_are_one_group():
    alike = {(row.measure, row.case): row.group or row.key for row in PROPERTIES}
    assert sorted(alike.values()) == sorted(rows[0].group or rows[0].key for rows in groups())
    assert all(len(rows) == 2 for rows in groups() if rows[0].kind == ORDER)


def test_every_measurement_is_of_some_row():
    wanted = {row.measure for row in PROPERTIES}
    assert set(kernel.MEASURES) | set(outside.MEASURES) | {"drift"} == wanted
    assert set(defects.DIRECT) | set(defects.BY_DERIVATIVES) == set(theorems.DEFECTS) | {"orthogonality"}
    assert {row.case for row in PROPERTIES} == set(cases.CASES)


def test_claims_are_those_of_the_table():
    assert issubclass(ph.Method, Claims) and {row.claim for row in PROPERTIES if row.claim} == {
        "order",
        *(f.name for f in fields(Claims)),
    }
    assert {row.part for row in PROPERTIES if row.part} == {f.name for f in fields(Order)}
    assert all(outlook.key in BY_KEY and outlook.unless in (None, *BY_KEY) for outlook in OUTLOOKS)
    assert {row.keep for row in CLAIMED if row.keep} == set(KEPT)
    assert measured_by("symplecticity", "free") == ("symplectic_free",) and measured_by("nothing") == ()


# ---- nothing names a property beside the table -------------------------------------------------------------

ALLOWED = {
    "testbench/peers/across.py": "the comparison of engines has columns of its own",
    "views/engines.py": "the same",
    "runs/to_accuracy/candidates.py": "what is tried for an accuracy is found by what methods claim",
    "runs/own_steps/adaptive.py": "steps that are adapted reversibly are for symmetric methods",
    "testbench/certificate/diagnosis/kin.py": "what is told of a kin is of what it claims",
}
FOLDERS = ("integrators/", "testbench/papers/")  # methods make claims; papers' tables have columns of their own
ORDINARY = {"order", "drift", "iterations", "symplectic"}  # of a scheme, of a stress test, of a run, a word of KEPT


def names_in(file):
    """The strings, attributes, keywords and annotated names of a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def named_by_hand(folder):
    names = {x for row in PROPERTIES for x in (row.key, row.claim, row.group) if x} - ORDINARY
    beginnings = {"order_", *(f"order_{case}_" for case in ORDER_CASES)}  # as f-strings have them
    found = {}
    for file in sorted(folder.rglob("*.py")):
        place = file.relative_to(folder).as_posix()
        said = sorted({name for name in names_in(file) if name in names or name in beginnings})
        if said and not place.startswith(FOLDERS):
            found[place] = said
    return found


def test_nothing_else_names_a_property(tmp_path):
    found = named_by_hand(SOURCE)
    assert set(found) == set(ALLOWED), found
    (tmp_path / "summary.py").write_text("print(c['on_group'], m.energy_top, f'order_{case}_Q')\n")
    assert named_by_hand(tmp_path) == {"summary.py": ["energy_top", "on_group", "order_"]}


# ---- adding a property edits its row and its measurement ---------------------------------------------------

EDITS = (  # file, text, and the text before which it is inserted
    (
        "integrators/properties.py",
        """    length_free: bool | None = claim(
        title="length of the momentum, free body",
        measure="length",
        case="free",
        how="change of |Pi|^2 in three free steps",
        column=Column("length", "len", "of the momentum of a free body", "Length: of the momentum."),
        if_yes="keeps the length of the momentum",
        keep="momentum",
    )
""",
        "    energy_free: bool | None = claim(",
    ),
    ("testbench/certificate/kernel/theorems.py", '    "length": casimir,\n', '    "energy": energy,\n}'),
    (
        "testbench/certificate/structure/defects.py",
        """def length(run, p, h):
    J = p.tensor
    return abs(np.sum((J @ _three(run, p, h)[1]) ** 2) - np.sum((J @ p.Omega0) ** 2))


""",
        "DIRECT: dict[str, tuple[Callable[..., float], float, str]] = {",
    ),
    (
        "testbench/certificate/structure/defects.py",
        '    "length": (length, ROUND_OFF, ""),\n',
        '    "energy": (energy,',
    ),
    ("integrators/properties.py", '        ("top", "heavy top", None),\n', '    )\n    for what in ("Q", "Omega")'),
    (
        "integrators/properties.py",
        '    Row(key="answer", title="the answer", kind=NUMBER, measure="answer", case="free"),\n',
        '    Row(key="iterations"',
    ),
    (
        "testbench/certificate/kernel/measurements.py",
        """def answer(method, p, row):
    yield Property(42.0, None, "yes", "known before")


""",
        "MEASURES = {",
    ),
    ("testbench/certificate/kernel/measurements.py", '    "answer": answer,\n', '    "iterations": iterations,'),
)

ASKED = """
import dataclasses, io, json
import numpy as np
import polhode as ph
from rich.console import Console
from polhode.cli.verbs.list import method_data
from polhode.views.catalogue import methods_page
from polhode.views.certificate import certificate_notes, certificate_page
from polhode.views.terminal import method_table


def drawn(table):
    console = Console(file=io.StringIO(), width=300)
    console.print(table)
    return console.file.getvalue()


def permuted(problem, Q, Omega, h, t):  # converges to nothing, but keeps |Pi|
    return Q, np.linalg.solve(problem.tensor, (problem.tensor @ Omega)[[1, 0, 2]])


claims = ph.method("VLV")
right, wrong = (dataclasses.replace(claims, name=f"VLV-{x}", length_free=x) for x in (True, False))
kernel, false, function = (ph.certify(m, drift=False) for m in (right, wrong, permuted))
print(json.dumps(dict(
    kernel=kernel.to_dict(), false=false.to_dict(), function=function.to_dict(), page=certificate_page(kernel),
    table=drawn(kernel.table()), notes=certificate_notes(false), card=kernel._repr_html_(), docs=methods_page(),
    list=drawn(method_table([right])), data=method_data(right), open=claims.open_claims(),
    composed=[ph.compose(m, "S4").length_free for m in (claims, right, wrong)],
    choices=len(ph.recommend(free=True, keep="momentum").choices),
)))
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """What a copy of the source with three more properties says."""
    folder = tmp_path_factory.mktemp("edited")
    shutil.copytree(SOURCE, folder / "polhode", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text, before in EDITS:
        file = folder / "polhode" / name
        old = file.read_text(encoding="utf-8")
        assert old.count(before) == 1, (name, before)
        file.write_text(old.replace(before, text + before), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", ASKED],
        env=os.environ | {"PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_a_row_and_its_measurements_are_all_it_takes():
    tables = {"integrators/properties.py"}
    measurements = {
        "testbench/certificate/kernel/theorems.py",
        "testbench/certificate/structure/defects.py",
        "testbench/certificate/kernel/measurements.py",
    }
    assert {name for name, _, _ in EDITS} == tables | measurements


def test_a_new_property_is_certified_and_shown(asked):
    kernel, function = asked["kernel"]["properties"], asked["function"]["properties"]
    assert [key for key in kernel if key not in BY_KEY] == ["order_top_Q", "order_top_Omega", "length_free", "answer"]
    assert list(kernel).index("length_free") == list(kernel).index("energy_free") - 1
    assert kernel["length_free"]["verdict"] == "yes" and "digits" in kernel["length_free"]["how"]
    assert function["length_free"]["verdict"] == "yes" and function["length_free"]["how"].startswith("change of |Pi|^2")
    assert kernel["order_top_Q"]["value"] == pytest.approx(2, abs=0.05) and function["order_top_Q"]["value"] < 0.5
    assert kernel["answer"]["value"] == 42 and "answer" in asked["function"]["not_measured"]
    assert "keeps the length of the momentum" in asked["kernel"]["summary"]
    for shown in (asked["table"], asked["card"], asked["page"]):
        assert all(title in shown for title in ("length of the momentum, free body", "the answer", "order of Q, heavy"))
    assert '"length_free"' in asked["page"]


def test_a_new_property_is_claimed_listed_and_advised(asked):
    assert asked["kernel"]["contradicted_claims"] == [] and asked["false"]["contradicted_claims"] == ["length_free"]
    assert asked["notes"][0] == "Claimed otherwise: length of the momentum, free body (False)."
    assert asked["open"] == ["length_free"]  # by every method of the catalogue, until it claims it
    assert asked["data"]["length_free"] is True and asked["composed"] == [None, True, False]
    listed = " ".join(asked["list"].split())
    assert " len " in listed and "len: of the momentum of a free body;" in listed
    assert "| momentum free / top | length | energy free / top |" in asked["docs"]
    assert "without symmetry. Length: of the momentum." in " ".join(asked["docs"].split())
    assert asked["choices"] == 0  # none says yet that it keeps all that the word now means
