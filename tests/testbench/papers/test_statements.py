"""What the papers say: every statement is measured again, and its verdict must be the one declared."""

import pathlib
import re

import numpy as np
import pytest

import polhode as ph
from polhode.bibliography import entries
from polhode.testbench.papers.contradictions import CONTRADICTIONS
from polhode.testbench.papers.convergence import Convergence, ConvergenceResult, Series
from polhode.testbench.papers.left_out import LEFT_OUT
from polhode.testbench.papers.misprints import MISPRINTS
from polhode.testbench.papers.reproduced import PAPERS
from polhode.testbench.papers.statements import checks
from polhode.testbench.papers.statements.checked import SPECIFICATIONS, STATEMENTS, check
from polhode.testbench.papers.statements.record import (
    CONFIRMED,
    IN_PART,
    NOT_CONFIRMED,
    VERDICTS,
    Checked,
    Finding,
    Statement,
    judged,
)
from polhode.views import audit

from .results import measured

AUDIT = pathlib.Path(__file__).parents[3] / "docs" / "audit.md"


def test_every_verdict_is_the_one_declared():
    wrong = {}
    for s in STATEMENTS:
        found = check(s, measured)
        assert found.verdict in VERDICTS and re.search(r"\d|all|zero|same", found.measured), s.key
        if not s.timed and found.verdict != s.verdict:
            wrong[s.key] = (found.verdict, found.measured)
    assert wrong == {}


def test_the_list_is_whole():
    keys = [s.key for s in STATEMENTS]
    assert len(set(keys)) == len(keys) >= 70
    for s in STATEMENTS:
        assert s.source in entries() and s.where and len(s.says) > 15
        assert set(s.needs) <= set(SPECIFICATIONS) and (not s.figure or s.figure in SPECIFICATIONS)
    assert {s.figure for s in STATEMENTS} >= {f"krysl-endres-2005-figure-{k}" for k in range(1, 14)}
    assert {s.verdict for s in STATEMENTS} == set(VERDICTS)  # none was left out because it does not hold
    for x in CONTRADICTIONS:
        assert set(x.statements) <= set(keys)


def test_a_verdict_follows_from_the_cases():
    assert judged({"a": True, "b": np.True_}, "told", 1).verdict == CONFIRMED
    assert judged({"a": np.False_}, "told", 1).verdict == NOT_CONFIRMED
    part = judged({"a": True, "b": np.False_}, "told", 1)
    assert part.verdict == IN_PART and part.measured == "holds for a; not for b: told"
    with pytest.raises(ValueError, match="without a case"):
        judged({}, "told", 1)
    with pytest.raises(ValueError, match="must be one of"):
        Statement(key="x", source="", where="", says="", verdict="perhaps", needs=(), measure=judged)


# ---- checks that can fail ----------------------------------------------------------------------------


def diagram(**errors):
    """A convergence diagram with these errors in Q, and a tenth of them in Omega."""
    h = 0.1 / 2.0 ** np.arange(4)
    series = [Series("p", m, h, np.array(e), np.array(e) / 10, 2.0, 2.0) for m, e in errors.items()]
    return ConvergenceResult(Convergence("n", "t", "s", {}, tuple(errors), (), 1.0), tuple(series), 0.0)


FALLING = 1e-2 / 4.0 ** np.arange(4)


def test_better_looks_at_every_step_and_knows_a_tie():
    tie = diagram(A=FALLING, B=1.05 * FALLING)
    assert checks.better("A", "B")(tie).verdict == NOT_CONFIRMED
    assert checks.as_accurate("A", "B")(tie).verdict == CONFIRMED
    crossing = diagram(A=FALLING * (3, 2, 0.5, 0.2), B=FALLING)  # better at the smallest step alone
    assert checks.better("A", "B")(crossing).verdict == NOT_CONFIRMED
    assert checks.ahead_of(("A",), ("B",))(crossing).verdict == NOT_CONFIRMED
    assert checks.better("A", "B")(diagram(A=FALLING / 2, B=FALLING)).verdict == CONFIRMED
    assert checks.better("A", "B", by=100)(diagram(A=FALLING / 2, B=FALLING)).verdict == NOT_CONFIRMED
    with pytest.raises(ValueError, match="No step compares"):
        checks.factor(*diagram(A=1e-14 * FALLING, B=FALLING).series, "Q")


def test_quadratic_needs_a_rate():
    result = measured("ortolan-saccon-2012-figure-1")
    assert result.row("TLN").exponent is None
    assert checks.quadratic_in_h("TLN")(result).verdict == NOT_CONFIRMED
    assert checks.quadratic_in_h("MCG")(result).verdict == CONFIRMED
    assert checks.drift({"MCG": "-"})(result).verdict == NOT_CONFIRMED
    assert checks.drift({"VLV": "+"})(result).verdict == NOT_CONFIRMED


# ---- misprints and the page --------------------------------------------------------------------------


def test_misprints_are_shown_by_numbers():
    told = {f"{m.source} {m.where}": m.evidence() for m in MISPRINTS}
    assert len(told) == len(MISPRINTS) >= 17
    for text in told.values():
        assert len(text) > 20
    number = r"by (\d+(?:\.\d+)?(?:e[+-]\d+)?)"
    pairs = [re.findall(number, text) for text in told.values() if "the printed" in text]
    good = [(float(p[0]), float(p[1])) for p in pairs if len(p) >= 2]
    assert len(good) >= 5
    for printed, meant in good:
        assert meant < 1e-6 < 1e-3 < printed


def test_the_audit_page_is_up_to_date():
    text = AUDIT.read_text(encoding="utf-8")
    for s in STATEMENTS:
        found = re.search(rf"\*\*([^*]+)\*\*( \(time\))? · [^\n]* · `{re.escape(s.key)}`", text)
        assert found is not None, f"{s.key}: run make docs"
        assert bool(found[2]) is s.timed and s.says in text
        if not s.timed:
            assert found[1].lower() == s.verdict, f"{s.key}: run make docs"
    for m in MISPRINTS:
        assert m.where in text and m.meant.replace("|", "\\|") in text
    for x in CONTRADICTIONS:
        assert x.question in text and x.found in text
    for left_out in LEFT_OUT:
        assert left_out.what in text and left_out.why in text, f"{left_out.what}: run make docs"


def test_what_is_left_out_names_what_there_is_instead():
    assert len({x.what for x in LEFT_OUT}) == len(LEFT_OUT)
    for x in LEFT_OUT:
        assert x.source in PAPERS and x.why.endswith(".") and not x.why[:1].isupper()
        for name in x.instead:
            assert hasattr(ph, name) or ph.method(name).name == name


def test_the_audit_can_be_read_as_html_and_markdown():
    checked = [Checked(s, Finding(s.verdict, "a < b & 7", 7.0)) for s in STATEMENTS]
    html, text = audit.audit_page(checked), audit.audit_markdown(checked, "today")
    assert sum(audit.counts(checked).values()) == len(STATEMENTS)
    assert "a &lt; b &amp; 7" in html and 'id="os-drift-signs"' in html and 'name="viewport"' in html
    assert f"{len(STATEMENTS)} statements" in text and "## Misprints" in text and "## Contradictions" in text
    assert "http" not in html.replace("https://doi.org", "")
