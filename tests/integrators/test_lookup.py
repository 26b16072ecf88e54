"""The one look-up: a name, a Method, a function, a BlackBox, "module:attribute" and another package's integrator."""

import functools
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.lookup import integrator, name_of


def still(problem, Q, Omega, h, t):
    return Q, Omega


MINE = ph.Method(name="MINE", step=ph.method("VLV").step, start=ph.method("VLV").start)
BOX = ph.BlackBox("box", lambda problem, Q, Omega, h, n, t: (Q, Omega))


@pytest.mark.parametrize("given", [still, MINE, BOX, lambda *_: None])
def test_what_is_an_integrator_already_is_returned_as_it_is(given):
    assert integrator(given) is given


def test_names_aliases_and_compositions():
    assert integrator("vlv") is integrator("VLV") is ph.method("VLV")
    assert integrator("VLV/KL8").name == ph.compose("VLV", "KL8").name


def test_module_and_attribute_work_wherever_a_method_is_expected():
    here = f"{__name__}:still"
    assert integrator(here).__name__ == "still" and integrator(f"{__name__}:MINE").name == "MINE"
    s = ph.solve("stress", here, h=0.1, n_steps=3)
    assert s.method == "still" and np.array_equal(s.Omega[-1], s.Omega[0])
    assert ph.solve("stress", "scipy:RK45", h=0.1, n_steps=3).method == "scipy:RK45"


class Midpoint:
    def __call__(self, problem, Q, Omega, h, t):
        return Q, Omega

    def step(self, problem, Q, Omega, h, t):
        return Q, Omega


class Sim:
    step = Midpoint.step


async def later(problem, Q, Omega, h, t):
    return Q, Omega


def kernel(h, t, state, body):
    return state, (0, 0)


def test_what_integrators_are_called():
    assert [name_of(x) for x in (still, MINE, BOX, np.float64)] == ["still", "MINE", "box", "float64"]
    assert [name_of(x) for x in (Midpoint(), Sim().step)] == ["Midpoint", "Sim.step"]
    assert name_of(functools.partial(still, h=1)) == "still" and name_of(lambda *_: None) == "lambda"


def test_a_module_of_the_current_folder_is_no_method_and_says_what_it_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    text = "import numpy as np\nimport polhode as ph\nfrom numpy import cross\nN = 3\ndef hat(x): pass\n"
    text += "def mine(problem, Q, Omega, h, t): pass\n"
    text += "BOX = ph.BlackBox('box', mine)\n"
    (tmp_path / "own_of_lookup.py").write_text(text)
    (tmp_path / "broken_of_lookup.py").write_text("import no_such_module")
    for given in ("own_of_lookup", "own_of_lookup.py"):
        with pytest.raises(ph.InputError, match=r"own_of_lookup:NAME; it has mine, BOX\.$"):
            integrator(given)
    with pytest.raises(ph.InputError, match=r"has no attribute 'hat_of'; it has mine, BOX\.$"):
        integrator("own_of_lookup:hat_of")
    with pytest.raises(ph.InputError, match=r"it has mine, BOX\. Did you mean 'mine'\?$"):
        integrator("own_of_lookup:mien")
    for given in ("./own_of_lookup.py:mine", "own_of_lookup.py:mine", f"{tmp_path}/own_of_lookup.py:mine"):
        assert integrator(given).__name__ == "mine"
    with pytest.raises(ph.InputError, match="There is no method 'mine' in the catalogue; yours is own_of_lookup:mine"):
        integrator("mine")
    with pytest.raises(ph.InputError, match="write MODULE:NAME; yours would be own_of_lookup:mine"):
        integrator(":mine")
    with pytest.raises(ph.InputError, match="'own_of_lookup:np' is a module, numpy"):
        integrator("own_of_lookup:np")
    with pytest.raises(
        ph.InputError, match=r"there is no own_of_looku\.py in the current folder, .*own_of_lookup\.py is"
    ):
        integrator("own_of_looku:mine")
    with pytest.raises(ph.InputError, match=r"there is no file .*nothing_here\.py"):
        integrator("./nothing_here:mine")
    with pytest.raises(ph.InputError, match="it cannot be imported: No module named"):
        integrator("broken_of_lookup")
    (tmp_path / "divides_of_lookup.py").write_text("import os\n1 / 0\n")
    for given in ("divides_of_lookup:f", "./divides_of_lookup.py:f"):
        with pytest.raises(
            ph.InputError, match=r"ZeroDivisionError: division by zero \(divides_of_lookup\.py, line 2\)\.$"
        ):
            integrator(given)
    (tmp_path / "json.py").write_text("def f(problem, Q, Omega, h, t): pass")
    with pytest.raises(ph.InputError, match="json is the name of another module"):
        integrator("./json.py:f")
    (tmp_path / "json.py").unlink()


@pytest.mark.parametrize(
    "given, sentence",
    [
        ("VLW", "There is no method 'VLW'. Did you mean 'VLV'"),
        (3, "method is 3; give a name, such as 'VLV', or a Method"),
        ("nowhere_at_all:step", "The module 'nowhere_at_all' of 'nowhere_at_all:step' cannot be imported"),
        (f"{__name__}:absent", "has no attribute 'absent'; it has "),
        (f"{__name__}:__name__", "it must be a Method, a function or a BlackBox"),
        ("scipy:nothing", "There is no integrator of scipy 'nothing'"),
        (":", "The module '' of ':' cannot be imported"),
        (Midpoint, "Midpoint is a class: give an instance, Midpoint()"),
        (f"{__name__}:Midpoint", "Midpoint is a class: give an instance"),
        (Sim(), "which cannot be called: did you mean the step of it, Sim.step?"),
        (later, "later is defined by async def, so a call gives no state: write def."),
        (kernel, "it is a kernel. Wrap it in a Method, ph.Method(name=..., step=kernel)"),
    ],
)
def test_what_is_none_of_them_gets_a_sentence(given, sentence):
    with pytest.raises(ph.InputError) as error:
        integrator(given)
    assert sentence in str(error.value)
