"""`polhode reproduce all`: everything measured and drawn by several processes, and one page that shows it.

Each figure, table and study is measured once and kept as soon as it is (`testbench.papers.store`), so that a run that
was killed goes on where it was. What is about processor time is measured alone, when nothing else runs.
"""

import datetime
import hashlib
import pathlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import polhode
from polhode.runs.crews.crew import processors
from polhode.runs.crews.workers import mapped
from polhode.testbench.papers import store
from polhode.testbench.papers.catalogue import REPRODUCTIONS
from polhode.testbench.papers.reproduce import measured
from polhode.testbench.papers.reproduced import PAPERS
from polhode.testbench.papers.statements.checked import SPECIFICATIONS, all_checked
from polhode.testbench.papers.statements.record import VERDICTS, Checked
from polhode.views.audit import audit_page, counts
from polhode.views.files import folder_for_results, written
from polhode.views.page import page
from polhode.views.reproduce import save, verdict_html

Report = Callable[[str], None]
MOST_WORKERS = 4
WIDTH = 760


@dataclass(frozen=True)
class Gallery:
    """All figures and tables, the statements with their verdicts, and where the pages are."""

    results: dict[str, Any]
    checked: tuple[Checked, ...]
    index: pathlib.Path
    measured: int  # how many results were measured in this run, and not kept from an earlier one
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "figures": {name: [s.to_dict() for s in r.said] for name, r in self.results.items()},
            "statements": [c.to_dict() for c in self.checked],
            "counts": counts(self.checked),
            "index": str(self.index),
            "measured": self.measured,
            "seconds": self.seconds,
        }


def reproduce_all(
    folder: str | pathlib.Path, again: bool = False, report: Report = lambda line: None, workers: Any = None
) -> Gallery:
    """Measure what is not kept, draw what is not drawn, and write index.html and audit.html into the folder.

    `workers` as for `sweep`; None: as many processes as there are processors, up to four.
    """
    clock = time.perf_counter()
    place = folder_for_results(folder)
    missing = [spec for spec in SPECIFICATIONS.values() if again or store.kept(spec) is None]
    report(f"{len(SPECIFICATIONS)} measurements, {len(SPECIFICATIONS) - len(missing)} of them kept from before")
    report_line = Told(report, len(missing), "measure")
    measured(missing, again, _crew(workers, missing), lambda spec, seconds: report_line(spec.name, seconds))
    figures: list[Any] = sorted(REPRODUCTIONS, key=_longest_first)
    fresh = [r for r in figures if missing or not _is_drawn(r, place)]
    drawn = Told(report, len(fresh), "draw")
    mapped(
        _crew(None, fresh),  # on this machine, which has the folder
        draw,
        [(r.name, str(place.resolve())) for r in fresh],
        lambda k, seconds: drawn(fresh[k].name, seconds),
    )
    for r in fresh:
        (place / f".{r.name}.drawn").write_text(_drawing(r), encoding="utf-8")
    results = {r.name: store.measured(r) for r in REPRODUCTIONS}
    checked = all_checked()
    audit = audit_page(checked)
    written(place / "audit.html", lambda p: p.write_text(audit, encoding="utf-8"))
    html = index_page(results, checked, place)
    index = written(place / "index.html", lambda p: p.write_text(html, encoding="utf-8"))
    return Gallery(results, checked, index, len(missing), time.perf_counter() - clock)


def _crew(workers: Any, jobs: Sequence[Any]) -> Any:
    """The workers for these jobs: the user's, or a process for each job up to `MOST_WORKERS`."""
    return (min(processors(), MOST_WORKERS, len(jobs)) if len(jobs) > 1 else None) if workers is None else workers


def _is_drawn(spec: Any, folder: pathlib.Path) -> bool:
    """Whether the pages of a result are there, drawn from this very result by this very code."""
    mark = folder / f".{spec.name}.drawn"
    there = mark.exists() and (folder / f"{spec.name}.html").exists()
    return there and mark.read_text(encoding="utf-8") == _drawing(spec)


def _drawing(spec: Any) -> str:
    """What a drawing depends on: the result, and the code that shows it."""
    total = hashlib.sha256(store.entry(spec).encode())
    for file in sorted(pathlib.Path(__file__).parent.rglob("*")):
        if file.suffix in (".py", ".css"):
            total.update(file.read_bytes())
    return total.hexdigest()


def _longest_first(spec: Any) -> bool:
    return not spec.name.endswith(("2010-figure-2", "2005-figure-13", "2006-figure-1"))


# ---- drawing, and who does it --------------------------------------------------------------------------


def draw(name: str, folder: str) -> float:
    """Draw one result into a folder; returns the seconds that it took."""
    begin = time.perf_counter()
    save(store.measured(SPECIFICATIONS[name]), folder)
    return time.perf_counter() - begin


class Told:
    """A line for each thing done, with how many of how many it is."""

    def __init__(self, report: Report, total: int, verb: str) -> None:
        self._report, self._total, self._verb, self._done = report, total, verb, 0

    def __call__(self, name: str, seconds: float) -> None:
        self._done += 1
        self._report(f"[{self._done:2d}/{self._total}] {self._verb}  {name}  {seconds:.1f} s")


# ---- the page ----------------------------------------------------------------------------------------


def index_page(results: dict[str, Any], checked: tuple[Checked, ...], folder: pathlib.Path) -> str:
    """The gallery: every figure (as drawn in the folder, smaller) and table with its verdicts, in one file."""
    tally = counts(checked)
    body = [
        '<p class="overline">polhode · reproduced</p>',
        "<h1>Four papers, measured again</h1>",
        f'<p class="lead">All {len(results)} figures and tables of four papers on the integration of rigid bodies, and '
        f"{len(checked)} statements from their text: {tally[VERDICTS[0]]} are confirmed, {tally[VERDICTS[1]]} hold in "
        f'part, {tally[VERDICTS[2]]} are not confirmed. <a href="audit.html">Every statement with its number</a>.</p>',
    ]
    for source, paper in PAPERS.items():
        body += [f"<h2>{escape(paper)}</h2>", '<div class="gallery">']
        body += [_card(r, folder) for r in results.values() if r.source == source]
        body.append("</div>")
    body += [
        "<h2>Do it again</h2>",
        "<pre>polhode reproduce all</pre>",
        f"<footer>Made with polhode {polhode.__version__} on {datetime.date.today().isoformat()}. Pictures are inside "
        "this page; the pages it links to lie beside it.</footer>",
    ]
    return page("Four papers, measured again", body)


def _card(result: Any, folder: pathlib.Path) -> str:
    drawn = folder / f"{result.name}.png"
    picture = (
        f'<img loading="lazy" src="{smaller(drawn)}" alt="{escape(result.heading)}">'
        if result.kind not in ("table", "functions")
        else f"<span>{escape(result.lead)}</span>"
    )
    verdicts = [s.verdict for s in result.said]
    tally = " ".join(f"{verdict_html(v)} {verdicts.count(v)}" for v in VERDICTS if v in verdicts)
    return (
        f'<a class="card" href="{escape(result.name)}.html">{picture}'
        f"<span><b>{escape(result.title)}</b></span><span>{tally}</span></a>"
    )


def smaller(file: pathlib.Path) -> str:
    """A picture at the width of a phone's screen, as data for a page."""
    import base64
    import io

    from PIL import Image  # comes with Matplotlib

    with Image.open(file) as picture:
        picture.thumbnail((WIDTH, 4 * WIDTH))
        buffer = io.BytesIO()
        picture.convert("RGB").save(buffer, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
