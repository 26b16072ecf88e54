"""Published tables, measured again: entries as printed, verdicts, differences explained; the command line."""

import json

import mpmath
import pytest

import polhode as ph
from polhode.bibliography import entries
from polhode.cli.main import main
from polhode.kernels.many_digits import precision, slowly
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases
from polhode.testbench.papers import hairer_vilmart, ortolan_saccon
from polhode.testbench.papers.catalogue import REPRODUCTIONS
from polhode.testbench.papers.table import BLANK, Cell


@pytest.fixture(scope="module")
def table_1():
    return ortolan_saccon.table_1(t_end=2000.0, ensemble=2)


@pytest.fixture(scope="module")
def table_2():
    return hairer_vilmart.table_2()


# ---- Table I of Ortolan & Saccon ---------------------------------------------------------------------


def test_every_question_is_answered(table_1):
    asked = {(row.method, column): c for row in table_1.rows for column, c in row.cells.items() if c.printed == "?"}
    assert len(asked) == 16
    yes = {key for key, c in asked.items() if c.measured == "yes"}
    assert yes == {("ALGO_C1", "potential momentum"), ("PRK", "potential momentum")}
    assert all(c.measured == "no" for key, c in asked.items() if key not in yes)
    assert all(c.status == "answered" for c in asked.values())


def test_every_tick_and_every_nearly_is_confirmed(table_1):
    for row in table_1.rows:
        for column, c in row.cells.items():
            if c.printed in ("yes", "nearly"):
                assert c.status == "confirmed", (row.method, column, c)


def test_what_differs_is_a_blank_and_is_explained(table_1):
    assert {(d.column, d.measured) for d in table_1.differences} == {
        ("free energy", "no drift seen"),
        ("potential momentum", "yes"),
    }
    assert all(d.printed == BLANK and len(d.why) > 80 for d in table_1.differences)
    named = {m for d in table_1.differences if d.column == "potential momentum" for m in d.methods}
    assert named == {"LS", "LIEMID[EA]", "MCG", "NEW3"}
    counts = table_1.counts()
    assert (counts["confirmed"], counts["answered"], counts["differs"]) == (59, 16, 9)


def test_the_numbers_decide(table_1):
    rows = {row.method: row.cells for row in table_1.rows}
    assert rows["RATTLE"]["potential symplectic"].value < 1e-45 < rows["PRK"]["potential symplectic"].value
    assert rows["ELN"]["potential energy"].value == pytest.approx(-1.06e-6, rel=0.1)
    assert rows["VLV"]["potential energy"].value < 1e-8


def test_austin_keeps_the_momentum_of_a_top_only(table_1):
    method = ph.method("AKW")
    assert theorems.finding(theorems.vertical_momentum, method, cases.top()).holds
    assert theorems.finding(theorems.energy, method, cases.top()).holds
    assert not theorems.finding(theorems.vertical_momentum, method, cases.wall()).holds
    assert not theorems.finding(theorems.energy, method, cases.potential()).holds
    assert {row.method: row.cells for row in table_1.rows}["AKW"]["potential momentum"].measured == "no"


# ---- Table 2 of Hairer & Vilmart ---------------------------------------------------------------------


def test_table_2_is_confirmed(table_2):
    assert table_2.counts() == {"confirmed": 84, "answered": 0, "differs": 0}
    assert table_2.differences == ()
    cells = {row.method: row.cells for row in table_2.rows}
    assert cells["JEM4"]["order y"].measured == "exact" and cells["DMV8"]["order Q"].measured == "8"
    assert 1e-16 < cells["DMV8"]["symplectic"].value < 1e-14  # hidden from floats


@pytest.mark.parametrize("name", ["IMR2", "RATTLE"])
def test_the_footnote_on_another_bracket_holds_for_whatever_keeps_the_casimir(name):
    method, columns = ph.method(name), []
    with slowly(), precision(30):
        body, q, Pi = theorems.generic(cases.free(), method)
        for j in range(3):
            moved = tuple(x + mpmath.mpc(0, theorems.STEP) * (j == k) for k, x in enumerate(Pi))
            _, Pi1 = theorems.fresh(method, theorems.STEP_SIZE, mpmath.mpf(0), q, moved, body)
            columns.append([x.imag / theorems.STEP for x in Pi1])
        A, after = mpmath.matrix(columns).T, tuple(x.real for x in Pi1)
        off = A * theorems.hat(Pi) * A.T - mpmath.det(A) * theorems.hat(after)
        assert mpmath.mnorm(off, mpmath.inf) < 1e-25
        assert (abs(mpmath.det(A) - 1) < 1e-25) is method.poisson_free


# ---- all of them -------------------------------------------------------------------------------------


def test_the_catalogue_is_by_paper():
    names = [r.name for r in REPRODUCTIONS]
    assert len(set(names)) == len(names)
    for r in REPRODUCTIONS:
        assert r.source in entries() and r.name.startswith(r.source)
        assert r.title.startswith(("Table", "Figure"))
    wanted = {f"krysl-endres-2005-figure-{k}" for k in range(1, 14)}
    wanted |= {f"bou-rabee-ortolan-saccon-2010-figure-{k}" for k in range(1, 6)}
    wanted |= {f"ortolan-saccon-2012-{x}" for x in ("table-1", "figure-1", "figure-2")}
    wanted |= {f"hairer-vilmart-2006-{x}" for x in ("table-1", "table-2", "figure-1")}
    assert set(names) == wanted and len(wanted) == 24


def test_an_entry_that_differs_is_told_apart():
    assert Cell("", "no", 1e-3, "").status == "confirmed"
    assert Cell("", "yes", 1e-50, "").status == "differs"
    assert Cell("yes", "no", 1e-3, "").status == "differs"
    assert Cell("?", "no", 1e-3, "").status == "answered"
    assert Cell("nearly", "no drift seen", 1e-9, "").status == "differs"


def test_on_the_command_line(capsys, tmp_path, table_1):
    assert main(["reproduce", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [r.name for r in REPRODUCTIONS]
    assert main(["reproduce", "--list", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["reproductions"]) == len(lines)
    assert main(["reproduce"]) == 2
    assert "Give the name of a figure or table" in capsys.readouterr().err
    assert main(["reproduce", "ortolan-saccon-2012-table-2"]) == 2
    assert "Did you mean 'ortolan-saccon-2012-table-1'" in capsys.readouterr().err
    assert main(["reproduce", "hairer-vilmart-2006-table-2", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "84 entries are confirmed" in out and "DMV8" in out
    assert {p.name for p in tmp_path.iterdir()} == {f"hairer-vilmart-2006-table-2.{k}" for k in ("html", "json")}
    html = table_1.page()
    assert "Differences" in html and "Lewis &amp; Simo" in html
