"""Certificates as they are shown: what each row says, side by side, as pages and as files."""

import io
import json
import re

import pytest
from rich.console import Console

import polhode as ph
from polhode.cli.main import main
from polhode.integrators.properties import claims_of
from polhode.testbench.certificate.certificate import Certificate, Mark, Property
from polhode.testbench.certificate.certificates import Certificates
from polhode.testbench.certificate.summary import summary
from polhode.views.certificate import certificate_notes, certificate_page

YES, NO = Property(1e-15, 2e-13, "yes", "a"), Property(0.1, 2e-13, "no", "a")
OPEN = Property(None, None, "undecided", "a")
ORDERS = {
    f"order_{case}_{x}": Property(4.0, 0.05, "yes", "a") for case in ("free", "potential") for x in ("Q", "Omega")
}
DRIFTS = Property(-1e-6, 1e-7, "yes", "loses energy", bound=2e-6)


def certificate(name="M", **properties):
    return Certificate(name, "function", properties, summary(name, properties))


def in_terminal(thing, width=132):
    console = Console(file=io.StringIO(), width=width)
    console.print(thing)
    return console.file.getvalue()


def broken(problem, Q, Omega, h, t):
    raise RuntimeError("out of order")


# ---- what is said --------------------------------------------------------------------------------------


def test_the_summary_of_one_that_conserves_neither():
    lost = dict.fromkeys(("momentum_free", "momentum_top", "energy_free", "energy_top", "symmetric"), NO)
    on_group = Property(0.0, 1e-13, "yes", "", qualifier="up to 1.37 rad a step")
    said = summary("rkmk4", ORDERS | lost | {"on_group": on_group, "drift": DRIFTS})
    assert said == (
        "rkmk4 is of order 4 and stays on SO(3); it conserves neither momentum nor energy, and its energy drifts on "
        "the stress test: for short runs. Restrictions: up to 1.37 rad a step (stays on SO(3))."
    )


def test_the_summary_names_what_is_undecided_unless_all_is():
    orders = {key: OPEN if "potential" in key else p for key, p in ORDERS.items()}
    said = summary("M", orders | {"symmetric": YES, "symplectic_free": YES, "symplectic_potential": OPEN})
    assert said.endswith(" Undecided: order (potential), symplectic (potential).")
    assert "Undecided:" not in summary("M", dict.fromkeys([*ORDERS, "symmetric"], OPEN))


def test_a_drift_is_told_in_one_number_and_with_its_reason():
    how = "energy on the stress test: no drift seen, |rate| < 1e-06 at h = 0.125; symplectic, so it cannot"
    shown = in_terminal(
        certificate(drift=Property(1e-8, 3e-6, "no", how, bound=1e-6, marks=frozenset({Mark.IS_SYMPLECTIC}))).table(
            how=True
        )
    )
    assert "no: symplectic, so it cannot" in shown and "< 1e-06" in shown and "3e-06" not in shown
    assert "bound" not in shown
    assert "unstable" in in_terminal(certificate(drift=Property(None, None, "yes", "it blows up")).table())


def test_what_was_left_out_as_asked_is_not_told_as_impossible():
    asked = certificate(symmetric=YES, symplectic_potential=YES)
    notes = " ".join(certificate_notes(asked))
    assert "Left out, as asked: drift of the energy on the stress test." in notes and "energy drifts" not in notes
    assert asked.to_dict()["left_out"] == ["drift"] and "drift" in asked.not_measured
    assert certificate(symmetric=YES, symplectic_free=YES).left_out == []  # of a free body nothing drifts


def test_an_undecided_order_has_a_reason():
    c = certificate(order_free_Q=Property(8.54, 0.15, "undecided", "global error", bound=0.1))
    assert "8.54 is no whole number within its error" in in_terminal(c.table(how=True), 200)
    c = certificate(order_free_Q=Property(8.54, 0.15, "undecided", "global error; 3 s would decide", bound=0.1))
    assert "whole number" not in in_terminal(c.table(how=True), 200)


def test_a_key_that_is_not_there_gets_the_nearest_one():
    c = certificate(symmetric=YES, symplectic_potential=YES)
    for error in (KeyError, ph.InputError):
        with pytest.raises(error, match=r"'symetric'\. Did you mean 'symmetric'"):
            c["symetric"]
    with pytest.raises(KeyError, match="left out, as asked"):
        c["drift"]
    with pytest.raises(KeyError, match="was not measured of M, a function"):
        c["iterations"]
    with pytest.raises(KeyError, match="There is no property"):
        c[["symmetric"]]


# ---- several -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three():
    return Certificates((certificate("A", symmetric=YES, **ORDERS), certificate("B", symmetric=NO), failed()))


def failed():
    return ph.certify([broken], drift=False)[0]


def test_one_that_does_not_run_has_its_reason_in_place_of_a_column(three):
    assert three[2].summary.startswith("Nothing was measured: broken failed in its first step: RuntimeError")
    for shown in (in_terminal(three.table()), three._repr_html_()):
        assert "Nothing was measured" in shown and shown.count("broken") == 2
    with pytest.raises(KeyError, match="out of order"):
        three[2]["symmetric"]


def test_a_card_has_methods_as_columns_and_the_colours_of_the_single_one(three):
    card = three._repr_html_()
    assert "<th>property</th><th>A</th><th>B</th>" in card and 'class="name">symmetric</td>' in card
    assert "color: var(--none, #2f7d57)" in card and "var(--gains" not in card  # a "no" that nothing claims is neutral


def test_a_contradicted_claim_is_coloured():
    c = Certificate("M", "kernel", {"symmetric": NO}, "M is M.", claims={"symmetric": True})
    html = certificate_page(c)
    assert '<li style="color: var(--gains, #bd5318)">Claimed otherwise: symmetric (True).</li>' in html


def test_a_narrow_terminal_cuts_nothing_off(three):
    lines = [line.strip() for line in in_terminal(three.table(), 40).splitlines()]
    assert max(map(len, lines)) <= 40 and sum(line.startswith(("order of", "symmetric")) for line in lines) == 10
    alone = in_terminal(three[0].table(), 40)
    assert "\u2026" not in alone and "symmetric\n    yes  1.0e-15  2e-13\n" in alone
    assert "symmetric                  yes" in in_terminal(three[0].table(), 132)


def test_they_are_written_as_a_page_or_as_data(three, tmp_path):
    html = three.save(tmp_path / "three.html").read_text(encoding="utf-8")
    assert html.count('class="overline">Certificate') == 3 and "Nothing was measured" in html
    data = json.loads(three.save(tmp_path / "three.json").read_text(encoding="utf-8"))
    assert [c["method"] for c in data["certificates"]] == ["A", "B", "broken"]
    with pytest.raises(ph.FileError, match=r"ends in \.html or in \.json"):
        three.save(tmp_path / "three.txt")


def test_pages_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("polhode.testbench.certificate.certify.certify", lambda names, **_: made(names))
    names = ["A", "B"]

    def made(given):
        several = Certificates(tuple(certificate(name, symmetric=YES) for name in given))
        return several if isinstance(given, list) else certificate(given, symmetric=YES)

    assert main(["certify", *names, "--html", str(tmp_path / "two.html")]) == 0
    assert (tmp_path / "two.html").is_file()
    assert main(["certify", *names, "--html", str(tmp_path / "two")]) == 0
    assert sorted(p.name for p in (tmp_path / "two").iterdir()) == ["A.html", "B.html", "index.html"]
    assert main(["certify", "A", "--html", str(tmp_path / "one.htm")]) == 0 and (tmp_path / "one.htm").is_file()
    capsys.readouterr()
    for given in (["A"], names):
        assert main(["certify", *given, "--html", str(tmp_path / "x.txt")]) == 2
        assert "give a name that ends in .html" in capsys.readouterr().err
    assert main(["certify", "A", "--html", str(tmp_path / "x")]) == 2 and not (tmp_path / "x").exists()


def test_a_namesake_of_the_catalogue_is_told():
    said = "It is not the VLV of the catalogue, whose name it has."
    claims = claims_of(ph.method("VLV"))
    shipped = Certificate("VLV", "kernel", {"symmetric": YES}, "VLV is VLV.", claims=claims)
    another = Certificate("VLV", "kernel", {"symmetric": NO}, "VLV is not VLV.", claims=claims)
    assert said not in certificate_notes(shipped) and said in certificate_notes(another)


def test_a_torque_that_is_diagnosed_is_not_to_be_looked_at_again():
    kin = "This is VLV for a free body, not with a torque: if it was meant to be, look at the torque."
    known = "The torque acts with the wrong sign."
    both, alone = (
        Certificate("M", "function", {"symmetric": YES}, "M is M.", diagnosis=diagnosis, kin=kin)
        for diagnosis in ((known, kin), (kin,))
    )
    assert kin not in certificate_notes(both) and known in certificate_notes(both)
    assert certificate_notes(alone).count(kin) == 1


def test_a_page_ends_with_what_was_left_out_and_how_it_was_made():
    c = Certificate(
        "M", "function", {"symmetric": YES}, "M is M.", kin="This is N.", version="1", date="d", seconds=2.0
    )
    html = certificate_page(c)
    places = [html.index(words) for words in ("<h2>What was found", "This is N.", "<table>", "Not measured of a")]
    assert places == sorted(places) and html.count("<h2") == 1
    assert "By polhode 1, d. Measured in 2.0 s. The numbers are in this page as JSON.</p>" in html
    assert re.search(r'1\.0e-15(</span>)?<span class="only-narrow"> / ', html)


# ---- in print, in a notebook, in pictures --------------------------------------------------------------


def test_a_table_prints_as_text_as_wide_as_there_is_room(three, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert "symmetric                  yes" in str(three[0].table()) == repr(three[0].table())
    assert "Nothing was measured" in f"{three.table()}" and "how it was measured" in str(three[0].table(how=True))
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, str(three.table()).splitlines())) <= 40


def convergence(*cases):
    return {case: {"h": [0.1, 0.2, 0.4], "errors": [[1e-4 * k, 2e-4 * k] for k in (1, 4, 16)]} for case in cases}


CASES = ("free", "potential", "forced", "damped", "rotor")
ENERGY = {"h": 0.125, "t": [0.0, 1.0, 2.0], "error": [0.0, 1e-4, 3e-4], "slope": 1.5e-4}


def test_a_card_knows_its_colours_and_breaks_no_number():
    pictures = {"convergence": convergence(*CASES), "drift": {"verdict": "gains energy", "curves": [ENERGY]}}
    card = Certificate("M", "function", {"symmetric": YES}, "M is M.", pictures=pictures)._repr_html_()
    unknown = {name for name, fallback in re.findall(r"var\((--[a-z]+)(,?)", card) if not fallback}
    assert unknown == set()
    assert '<td style="white-space: nowrap" data-label="value">' in card and "max-width: 52rem" in card
    assert '<span style="white-space: nowrap">1.0e-15</span>' in card and 'class="whole"' not in card


def test_every_case_has_a_line_of_its_own_and_no_legend_lies_on_a_curve():
    from polhode.views.figures.certificate import certificate_figures

    drift = {"verdict": "gains energy", "curves": [ENERGY]}
    figures = certificate_figures({"convergence": convergence(*CASES), "drift": drift})
    (axes,) = figures["convergence"].axes
    looks = {(line.get_color(), line.get_marker()) for line in axes.get_lines()}
    assert len(looks) == len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == len(CASES)
    for figure in figures.values():
        assert len(figure.legends) == 1 and figure.axes[0].get_legend() is None
    (text,) = figures["drift"].legends[0].get_texts()
    assert text.get_text() == "$h$ = 0.125, fitted: +1.5e-04 $t$"
    dashed = [line for line in figures["drift"].axes[0].get_lines() if line.is_dashed()]
    assert len(dashed) == 1 and dashed[0].get_ydata()[-1] - dashed[0].get_ydata()[0] == pytest.approx(3e-4)
    steady = certificate_figures({"drift": drift | {"verdict": "no drift seen"}})["drift"]
    assert steady.legends[0].get_texts()[0].get_text() == "$h$ = 0.125"


def test_a_blank_is_explained_where_there_is_one():
    a, b = certificate("A", symmetric=YES), certificate("B", symmetric=YES, iterations=Property(1.0, None, "yes", ""))
    for shown in (Certificates((a, b))._repr_html_(), str(Certificates((a, b)).table())):
        assert "Blank: not measured" in shown
    same = Certificates((a, certificate("C", symmetric=NO)))
    assert "Blank" not in same._repr_html_() + str(same.table())
    assert "Not measured of a function like this" in Certificates((a, b))._repr_html_()


def test_the_end_of_a_name_is_read_in_any_case(tmp_path):
    c = certificate(symmetric=YES)
    assert c.save(tmp_path / "a.HTML").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(c.save(tmp_path / "a.JSON").read_text(encoding="utf-8"))["method"] == "M"
