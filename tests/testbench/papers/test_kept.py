"""Results that are kept: by code and specification, never stale; a gallery that goes on where it was killed."""

import signal
import subprocess
import sys
from dataclasses import dataclass, replace

import pytest

import polhode as ph
from polhode.machine import cache
from polhode.testbench.papers import store
from polhode.testbench.papers.catalogue import reproduction
from polhode.testbench.papers.reproduce import measured
from polhode.testbench.papers.statements.checked import SPECIFICATIONS, STATEMENTS, check
from polhode.views import gallery
from polhode.views.files import as_json


@dataclass(frozen=True)
class Counted:
    """A specification that counts how often it is measured."""

    name: str = "counted"
    value: float = 1.0

    def run(self, tick=store.silent):
        RUNS.append(self)
        return [self.value, len(RUNS)]


RUNS: list = []


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    """A cache of its own, and nothing remembered in this process."""
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(store, "HERE", {})
    RUNS.clear()
    cache.folder.cache_clear()
    yield tmp_path
    cache.folder.cache_clear()


def forget():
    store.HERE.clear()


def test_a_result_is_measured_once(own_folder):
    first = store.measured(Counted())
    forget()
    assert store.measured(Counted()) == first and len(RUNS) == 1
    assert store.measured(Counted(), again=True) == [1.0, 2]
    forget()
    assert store.measured(Counted()) == [1.0, 2]  # the later one is kept


def test_another_specification_or_code_is_measured_anew(own_folder, monkeypatch):
    store.measured(Counted())
    forget()
    store.measured(Counted(value=2.0))
    assert len(RUNS) == 2
    forget()
    monkeypatch.setattr(store, "code_version", lambda: "another version")
    assert store.kept(Counted()) is None
    figure = reproduction("krysl-endres-2005-figure-4")
    assert store.entry(figure) != store.entry(replace(figure, steps=(25, 50)))
    assert store.entry(figure) != store.entry(replace(figure, norm="Frobenius"))


def test_a_damaged_entry_is_measured_anew(own_folder):
    store.measured(Counted())
    forget()
    file = own_folder / "cache" / "reproduced" / store.entry(Counted())
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(bytes(data))
    assert store.kept(Counted()) is None
    assert store.measured(Counted()) == [1.0, 2]


def test_the_code_version_is_that_of_the_measuring_layers(tmp_path, monkeypatch):
    tree = tmp_path / "polhode" / "testbench" / "papers"
    tree.mkdir(parents=True)
    (tmp_path / "polhode" / "views").mkdir()
    monkeypatch.setattr(store, "__file__", str(tree / "store.py"))

    def version(place, text):
        (tmp_path / "polhode" / place).write_text(text, encoding="utf-8")
        return store.code_version.__wrapped__()

    first = version("kernel.py", "a = 1")
    assert version("views/page.py", "b = 1") == first  # it only shows
    assert version("kernel.py", "a = 2") != first


def test_reproduce_from_python(own_folder):
    result = ph.reproduce("KRYSL-ENDRES-2005-FIGURE-2")
    assert result.name == "krysl-endres-2005-figure-2" and [s.verdict for s in result.said] == ["confirmed"]
    assert "“the time steps are quite large" in result.page() and result.to_dict()["said"][0]["holds"]
    with pytest.raises(ph.InputError, match="Did you mean"):
        ph.reproduce("krysl-endres-2005-figure-14")
    with pytest.raises(ph.InputError, match="again"):
        ph.reproduce("krysl-endres-2005-figure-2", again="yes")


FEW = ("krysl-endres-2005-figure-2", "krysl-endres-2005-figure-8", "gradients")


@pytest.fixture
def small(own_folder, monkeypatch):
    """A gallery of two figures and a study."""
    monkeypatch.setattr(gallery, "SPECIFICATIONS", {name: SPECIFICATIONS[name] for name in FEW})
    monkeypatch.setattr(gallery, "REPRODUCTIONS", [SPECIFICATIONS[name] for name in FEW[:2]])
    few = [s for s in STATEMENTS if set(s.needs) <= set(FEW)]
    monkeypatch.setattr(gallery, "all_checked", lambda: tuple(check(s) for s in few))
    return own_folder


def test_a_gallery_is_made_once_and_then_drawn(small):
    lines: list[str] = []
    first = gallery.reproduce_all(small / "out", report=lines.append)
    assert first.measured == 3 and lines[0] == "3 measurements, 0 of them kept from before"
    assert {line.split()[-3] for line in lines[1:]} >= set(FEW)
    html = first.index.read_text(encoding="utf-8")
    assert html.count("data:image/png;base64,") == 2 and 'name="viewport"' in html and "http" not in html
    assert {f"{FEW[0]}.{kind}" for kind in ("html", "png", "svg", "json")} <= {
        p.name for p in (small / "out").iterdir()
    }
    assert (small / "out" / "audit.html").exists()
    forget()
    (small / "out" / f"{FEW[1]}.html").unlink()
    lines.clear()
    second = gallery.reproduce_all(small / "out", report=lines.append)
    assert second.measured == 0 and second.results.keys() == first.results.keys()
    assert len(lines) == 2 and f"draw  {FEW[1]}" in lines[1]  # the one that was gone
    assert (small / "out" / f"{FEW[1]}.html").exists()


def test_a_killed_run_goes_on(small):
    program = "import polhode.testbench.papers.store as s, polhode.views.gallery as g, os, signal\n"
    program += f"s.measured(g.SPECIFICATIONS[{FEW[2]!r}]); os.kill(os.getpid(), signal.SIGKILL)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    done = gallery.reproduce_all(small / "out")
    assert done.measured == 2  # the study was kept


def test_what_workers_measure_is_what_is_measured_here(own_folder):
    specs = [SPECIFICATIONS[name] for name in FEW[:2]]
    here = measured(specs, True, None)
    told: list[str] = []
    there = measured(specs, True, 2, lambda spec, seconds: told.append(spec.name))
    assert list(there) == list(FEW[:2]) and sorted(told) == sorted(FEW[:2])
    for name in FEW[:2]:
        assert as_json(there[name].to_dict() | {"seconds": 0}) == as_json(here[name].to_dict() | {"seconds": 0})


@dataclass(frozen=True)
class Failing:
    """A specification that cannot be measured."""

    name: str = "failing"

    def run(self, tick=store.silent):
        raise ZeroDivisionError("nothing to measure")


def test_what_a_worker_fails_at_is_told(own_folder):
    with pytest.raises(ZeroDivisionError, match="nothing to measure"):
        measured([Failing(), Failing("failing too")], False, 2)
