"""The site: it builds without a warning, nothing in it leads nowhere or elsewhere, and a browser opens it in peace.

Built here without executing guides and stories, which takes minutes: `make site` does.
"""

import html.parser
import itertools
import pathlib
import re
import subprocess
import sys
import urllib.parse

import pytest

from tests.support.browser import chromium, opened

PAGES = (
    *("index", "the-lab", "methods", "guides/torques", "made/theory/variational", "made/theory/energy-momentum"),
    *("made/reference/api", "made/gallery", "made/gallery/hairer-vilmart-2006-figure-1"),
)
CUT = """() => {
    const parts = [...document.querySelectorAll(".bd-article :is(math, code, a, h1, h2, h3, p, img)")];
    const free = parts.filter((x) => !x.closest("pre, table, .formula"));  // these scroll, and say so
    const edge = document.documentElement.clientWidth;
    return free.filter((x) => x.getBoundingClientRect().right > edge).map((x) => x.textContent);
}"""
"""What goes over the right edge, where the page cuts it off without a sign."""

DOCS = pathlib.Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    for name in ("sphinx", "myst_nb", "pydata_sphinx_theme", "sphinx_design", "latex2mathml"):
        pytest.importorskip(name, reason=f"{name} is not installed: the site is not built")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-D", "nb_execution_mode=off"]
    command += ["-D", "suppress_warnings=myst-nb.lexer"]  # what is not executed does not say its language
    command += ["-d", str(folder / "trees"), str(DOCS), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "html"


class Links(html.parser.HTMLParser):
    """What a page refers to, and the names in it that can be referred to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.names = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names |= {given.get("id"), given.get("name")}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script", "iframe") and given.get("src"):
            self.fetched.append(given["src"])
        if tag == "link" and given.get("href"):
            self.fetched.append(given["href"])


def test_the_site(site):
    """One test, so that it is built once however many processes share the suite."""
    every_link_leads_somewhere_and_nothing_is_fetched_from_outside(site)
    three_doors_and_the_ten_lines(site)
    a_lecture_stands_once_with_its_formulas_set(site)
    no_line_breaks_within_a_number(site)
    for width, scheme in itertools.product((1280, 390), ("light", "dark")):
        a_browser_opens_it_in_peace(site, width, scheme)


def every_link_leads_somewhere_and_nothing_is_fetched_from_outside(site):
    pages = {p: Links(p.read_text(encoding="utf-8")) for p in site.rglob("*.html") if "_static" not in p.parts}
    assert len(pages) > 40
    lost = []
    for page, found in pages.items():
        for link in found.links + found.fetched:
            if re.match(r"(https?:|mailto:|data:)", link):
                if link in found.fetched and not link.startswith("data:"):
                    lost.append((page.name, link))
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / urllib.parse.unquote(path.partition("?")[0])).resolve() if path else page
            there = target.exists() and (not anchor or target not in pages or anchor in pages[target].names)
            if not there:
                lost.append((str(page.relative_to(site)), link))
    assert lost == []


def three_doors_and_the_ten_lines(site):
    text = (site / "index.html").read_text(encoding="utf-8")
    for words in ("I have an integrator", "I have a body", "I teach", "stress.png", "ph"):
        assert words in text


def a_lecture_stands_once_with_its_formulas_set(site):
    text = (site / "made" / "theory" / "moser-veselov.html").read_text(encoding="utf-8")
    assert text.count("the exact motion of a body with slightly different moments") == 1
    assert text.count("<math") > 20


def no_line_breaks_within_a_number(site):
    text = (site / "audit.html").read_text(encoding="utf-8")
    assert '<span class="whole">' in text
    prose = re.sub(r'<span class="whole">[^<]*</span>|<code.*?</code>|<pre.*?</pre>|<[^>]*>', "", text, flags=re.DOTALL)
    assert re.findall(r"\b\d(?:\.\d+)?e-\d+", prose) == []


def a_browser_opens_it_in_peace(site, width, scheme):
    with chromium() as browser:
        for name in PAGES:
            with opened(browser, (site / f"{name}.html").as_uri(), width, scheme) as page:
                page.wait_for_load_state("load")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
                assert page.evaluate(CUT) == [], name
