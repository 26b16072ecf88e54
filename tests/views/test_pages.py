"""Pages on a telephone: the verdict is in sight, tables fold or scroll, figures stack, no number is cut off."""

import pytest

import polhode as ph
from polhode.testbench.certificate.certificate import Certificate, Property
from polhode.views.certificate import certificate_notes
from polhode.views.page import MOST_OF_A_CARD, page, table, whole
from tests.support.browser import chromium, opened

CUT = """[...document.querySelectorAll('.cards td')].filter((x) => x.scrollWidth > x.clientWidth + 1).length"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


def test_the_page_of_the_stress_test(browser, tmp_path):
    ph.stress(["ELN", "VLV"], h=(0.125, 0.25), t_end=200, ensemble=1).save(tmp_path)
    address = (tmp_path / "stress.html").as_uri()
    with opened(browser, address, 390) as small:
        assert small.evaluate("document.documentElement.scrollWidth") <= 390
        assert small.locator("td .verdict").first.bounding_box()["y"] < 844  # on the first screen
        assert small.evaluate(CUT) == 0
        assert small.locator(".only-narrow svg").count() == 2
        first, second = (small.locator(".only-narrow svg").nth(k).bounding_box() for k in (0, 1))
        assert second["y"] >= first["y"] + first["height"] - 1 and first["width"] > 330
        assert not small.locator(".only-wide").is_visible()
    with opened(browser, address, 1280) as wide:
        assert wide.locator(".only-wide").is_visible() and not wide.locator(".only-narrow").is_visible()
        assert wide.locator("thead").first.is_visible()


def test_a_wide_table_scrolls_and_says_so(browser, tmp_path):
    heads = [f"column {k}" for k in range(MOST_OF_A_CARD + 3)]
    file = tmp_path / "wide.html"
    file.write_text(page("wide", [table(heads, [[f"cell {k}" for k in range(len(heads))]])]), encoding="utf-8")
    with opened(browser, file.as_uri(), 390) as small:
        assert small.evaluate("document.documentElement.scrollWidth") <= 390
        assert "scrolls" in small.evaluate("getComputedStyle(document.querySelector('.wide'), '::before').content")
        faded = "getComputedStyle(document.querySelector('.wide')).getPropertyValue('--goes-on')"
        small.wait_for_function(f"{faded} === '64px'")  # a number at the edge is not taken for a shorter one
        small.evaluate("document.querySelector('.wide').scrollLeft = 10_000")
        assert small.locator("td.name").bounding_box()["x"] >= 0  # the first column stays
        small.wait_for_function(f"{faded} === '0px'")
    with opened(browser, file.as_uri(), 1280) as wide:
        assert wide.evaluate("getComputedStyle(document.querySelector('.wide')).maskImage") == "none"
    told = "getComputedStyle(document.querySelector('.wide'), '::before').visibility"
    for width, hint in ((600, "visible"), (1000, "hidden")):  # where it fits it does not say so
        with opened(browser, file.as_uri(), width) as page_:
            assert page_.evaluate("document.documentElement.scrollWidth") <= width
            scrolls = page_.evaluate("(x => x.scrollWidth > x.clientWidth)(document.querySelector('.wide'))")
            assert scrolls == (width == 600) and page_.evaluate(told) == hint


def test_a_certificate_says_what_is_wrong_before_what_was_left_out():
    found = {"symmetric": Property(1e-15, 2e-13, "yes", "")}
    c = Certificate("M", "function", found, "M is M.", diagnosis=("A sign is wrong.",), kin="This is N.", version="1")
    said = [note.split()[0] for note in certificate_notes(c)]
    assert said == ["This", "A", "Not", "By"]


def test_no_line_breaks_within_a_number():
    text = '<p title="2e-02">a defect of 2.5e-02, <b>x1e-3</b></p><pre>3e-04</pre><svg><text>4e-05</text></svg>'
    assert whole(text) == text.replace("2.5e-02", '<span class="whole">2.5e-02</span>')
    assert whole("-1e-06 (7e-52)").count("whole") == 2
    assert '<span class="whole">1e-9</span>' in page("numbers", ["<p>below 1e-9</p>"])
