"""The documentation: its examples run, and do what it says."""

import importlib.util
import json
import pathlib
import re
import sys

import pytest

import polhode as ph
from polhode.cli.main import main
from polhode.integrators.lookup import name_of
from polhode.testbench.certificate.orders import runs as orders
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.states import cases

DOCS = pathlib.Path(__file__).parents[1] / "docs"
CERTIFY = (DOCS / "certify.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def mine():
    spec = importlib.util.spec_from_file_location("mine", DOCS / "examples" / "mine.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_code_of_the_page_is_that_of_the_example():
    text = (DOCS / "examples" / "mine.py").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", CERTIFY, flags=re.DOTALL)
    assert len(blocks) == 12
    assert [block for block in blocks if block not in text] == calls()


def calls():
    """The blocks of the page that are no part of the example: they call it, and are run."""
    blocks = re.findall(r"```python\n(.*?)```", CERTIFY, flags=re.DOTALL)
    return [block for block in blocks if "ph.certify(" in block and "__main__" not in block]


def test_the_first_block_of_the_page_runs():
    scope = {}
    exec(calls()[0], scope)
    assert scope["c"]["symplectic_potential"].verdict == "yes"
    assert scope["c"]["symplectic_potential"].value < 1e-48


def test_a_certificate_is_read_by_program_as_the_page_tells(mine):
    _, reading, in_a_test = calls()
    scope = {"ph": ph, "SPLITTING": mine.SPLITTING}
    exec(reading, scope)
    assert scope["p"].said == "yes" and scope["holds_everywhere"] and scope["is_of_order_2"]
    exec(in_a_test, scope)
    scope["test_my_integrator"]()


def test_an_object_is_called_by_its_name_and_own_steps_are_told(mine):
    p = ph.problem("heavy-top")
    same = zip(mine.LIE_VERLET(p, p.Q0, p.Omega0, 0.1, 0.0), mine.lie_verlet(p, p.Q0, p.Omega0, 0.1, 0.0))
    assert all((a == b).all() for a, b in same)
    assert name_of(mine.LIE_VERLET) == "Lie-Verlet with cay"
    exact = ph.solve(p, "VLV", h=1e-3, n_steps=100, save_every=100)
    Q, Omega = mine.OWN_STEPS.advance(p, p.Q0, p.Omega0, 0.05, 2, p.t0)
    assert Q == pytest.approx(exact.Q[-1], abs=1e-5) and Omega == pytest.approx(exact.Omega[-1], abs=1e-5)


def test_the_function_gets_the_certificate_that_the_page_tells(mine):
    c = ph.certify(mine.lie_verlet, drift=False)
    verdicts = {key: p.verdict for key, p in c.properties.items()}
    assert c.form == "function" and c.diagnosis == ()
    assert verdicts["symmetric"] == verdicts["symplectic_potential"] == verdicts["momentum_free"] == "yes"
    assert verdicts["energy_free"] == "no"
    assert "complex step" in c["symplectic_free"].how


def test_the_mistake_is_exposed_as_the_page_tells(mine):
    c = ph.certify(mine.with_exp, drift=False)
    assert c["symmetric"].verdict == c["on_group"].verdict == "yes"
    assert c["order_potential_Q"].value == pytest.approx(2, abs=0.05)
    assert c["symplectic_free"].verdict == c["momentum_free"].verdict == "no"
    assert c["symplectic_free"].value > 1e-2 and "falls like h^" in c["symplectic_free"].how
    assert ph.stress([mine.with_exp], h=(0.25, 0.5), t_end=500, ensemble=2).rows[0].words == "gains energy"
    quoted = re.search(r'"(the map and its derivative.*?)"', CERTIFY, flags=re.DOTALL)[1]
    assert " ".join(quoted.split()) in " ".join(c.diagnosis)


def test_kernel_and_black_box_get_theirs(mine):
    kernel, box = ph.certify(mine.SPLITTING), ph.certify(mine.SIMULATOR, drift=False)
    assert (kernel.form, box.form) == ("kernel", "black box")
    assert kernel.contradictions == {} and kernel.diagnosis == () and box.diagnosis == ()
    for c in (kernel, box):
        assert c["symplectic_potential"].verdict == c["symmetric"].verdict == "yes"
    assert ph.solve("stress", mine.SPLITTING, h=0.125, n_steps=100).stats["compiled"]
    assert "iterations" in kernel.properties and "iterations" not in box.properties


def test_module_and_attribute_on_the_command_line(capsys, monkeypatch):
    monkeypatch.chdir(DOCS / "examples")
    assert main(["certify", "mine:with_exp", "--no-drift", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["method"] == "with_exp" and data["properties"]["symplectic_free"]["verdict"] == "no"


@pytest.mark.parametrize("name", ["methods.md", "problems.md", "recommend.md"])
def test_generated_pages_are_up_to_date(name):
    from polhode.views.catalogue import pages
    from polhode.views.recommend import page

    made = {**pages(), "recommend.md": page()}
    assert (DOCS / name).read_text(encoding="utf-8") == made[name], "run `make docs`"


def test_measured_pages_say_where_they_come_from():
    for name, command in (("performance.md", "make bench"), ("round-off.md", "python benchmarks/roundoff.py")):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert command in text and re.search(r"commit [0-9a-f]{7}", text), name


@pytest.fixture(scope="module")
def published():
    """The table of published methods, which imports its neighbours by name."""
    folder = str(DOCS / "examples" / "published")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("table")
    finally:
        sys.path.remove(folder)


NAMES = ("SPIRAL", "SPIRAL, leapfrog", "Omelyan, velocity", "Omelyan, momentum", "Buss, augmented", "discrete gradient")


@pytest.mark.parametrize("name", NAMES)
def test_a_published_method_gets_the_certificate_that_the_page_tells(published, name):
    (one,) = (one for one in published.METHODS if one.name == name)
    c = ph.certify(one.method, drift=False)
    orders, yes = published.found(c)
    assert orders == pytest.approx(one.orders, abs=0.15) and yes == one.yes
    assert c.kin.startswith(one.kin)
    told = f"| {name} | {one.printed} | {' '.join(str(x) for x in one.orders)} | {published.kept(yes)} | "
    assert f"\n{told}" in (DOCS / "published.md").read_text(encoding="utf-8")


def test_the_energy_of_a_published_method_in_words(published):
    from polhode.testbench.certificate.certificate import Property

    how = "energy on the stress test: unstable, its energy error exceeds 3.4, at t = 53"
    assert published.energy(Property(None, None, "yes", how)) == "unstable at h = 1/8: gone at t = 53"
    assert published.energy(Property(-1.7e-6, None, "yes", "")) == "loses, -1.7e-06 a unit of time"
    assert published.energy(Property(1e-9, 1e-7, "undecided", "", bound=9e-8)) == "undecided, a rate below 9e-08"


def test_the_generalized_alpha_method_is_of_order_two_and_remembers(published):
    (one,) = (one for one in published.METHODS if one.name == "generalized-alpha")
    look = Look(one.method)
    assert character_of(look).memory > 1e-5
    for case in (cases.free, cases.potential):
        Q, Omega = orders.order(look.run, cases.placed(case()))[0]
        assert (Q.value, Omega.value) == pytest.approx((2, 2), abs=0.1)
