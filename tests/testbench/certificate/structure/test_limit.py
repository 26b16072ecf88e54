"""Where large steps end: another formula is a "no", a solver at its limit restricts the "yes" in every view."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.certificates import Certificates
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.questions import character_of
from polhode.testbench.certificate.structure.limit import another_formula
from polhode.testbench.certificate.structure.yes_or_no import by_derivatives, direct
from tests.testbench.certificate.adversary import kernels, third
from tests.testbench.certificate.adversary.steps import verlet

SWITCHES = third.two_methods(lambda x: x > 1)


def refuses(p, Q, Omega, h, t):
    if third.radians(Omega, h) > 1.5:
        raise ValueError
    return third.right(p, Q, Omega, h, t)


def measured(method, key):
    look, row = Look(method), BY_KEY[key]
    look.character = character_of(look)
    ((found,), _) = (direct if key == "symmetric" else by_derivatives)(look, row)
    return found, look


@pytest.mark.parametrize("key", ["symmetric", "symplectic_free", "symplectic_potential"])
def test_another_formula_beyond_some_angle_is_a_no_that_names_the_angle(key):
    found, look = measured(SWITCHES, key)
    assert found.verdict == "no" and "where it is another formula" in found.how
    assert found.coverage.startswith("first seen") and "rad a step" in look.switches


def test_the_angle_is_found_to_three_figures():
    found, _ = measured(SWITCHES, "symplectic_free")
    assert "beyond 1 rad a step" in found.how


@pytest.mark.parametrize("key", ["symmetric", "symplectic_free", "symplectic_potential"])
def test_a_solver_at_its_limit_is_no_other_formula_and_the_yes_says_up_to_where(key):
    found, look = measured(verlet, key)  # by an iteration of sixty, which does not converge beyond
    assert found.said == "yes up to 0.93 rad a step" and not look.switches


def test_a_yes_says_up_to_where_it_runs():
    found, look = measured(refuses, "symmetric")  # at a generic state with all steps, elsewhere not
    assert found.said == "yes up to 1.37 rad a step" and not look.switches


def test_a_defect_that_grows_is_no_jump_however_steep():
    look = Look(third.right)
    state = states("free")[0]
    assert another_formula(look, state, lambda x: 1e-15 + 1e-3 * (x / 1.3) ** 60, (0.93, 1.37), 1e-15) is None
    jump = another_formula(look, state, lambda x: 1e-15 + 1e-3 * (x > 1.1), (0.93, 1.37), 1e-15)
    assert jump[0] == pytest.approx(1.1, rel=1e-4) and jump[1] == pytest.approx(1e-3)


def test_steps_that_are_lost_beyond_a_jump_are_no_formula():
    def stops(p, Q, Omega, h, t):
        return third.right(p, Q, Omega, h, t) if third.radians(Omega, h) < 1.1 else (Q, 0 * Omega)

    state = states("free")[0]
    assert another_formula(Look(stops), state, lambda x: 1e-3 * (x > 1.1), (0.93, 1.37), 1e-15) is None


def told(shown):
    out = io.StringIO()
    Console(file=out, width=400).print(shown)
    return out.getvalue()


def test_what_restricts_a_yes_is_in_every_view():
    c = ph.certify(refuses, drift=False)
    words = "yes up to 1.37 rad a step"
    assert c["symmetric"].said == words and "up to 1.37 rad a step" in c.summary
    several = Certificates((c,))
    for view in (told(c.table()), c._repr_html_(), told(several.table()), several._repr_html_()):
        assert words in view
    assert json.loads(json.dumps(c.to_dict()))["properties"]["symmetric"]["qualifier"] == "up to 1.37 rad a step"


def test_the_kin_of_one_that_switches_is_so_with_small_steps():
    c = ph.certify(SWITCHES, drift=False)
    assert "It is another formula beyond" in " ".join(c.diagnosis)
    assert c.kin == "This is LP2, to round-off, with steps that are not large."
    assert np.isfinite(c["order_free_Q"].value)


def test_a_kernel_of_another_formula_beyond_an_angle_loses_what_ends_there_alone():
    c = ph.certify(kernels.as_method("larger_turns"), drift=False)
    assert c["symmetric"].verdict == "no" and "where it is another formula" in c["symmetric"].how
    assert not c["momentum_free"].qualifier and c["momentum_free"].verdict == "yes"
