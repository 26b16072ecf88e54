"""What runs of kernels in floats show, and how long they may take."""

import pytest

import polhode as ph
from polhode.integrators.catalogue import methods
from polhode.integrators.properties import BY_KEY
from polhode.integrators.velocity import adapted
from polhode.testbench.certificate.kernel import in_floats, runs
from polhode.testbench.certificate.running.guard import guarded
from polhode.testbench.certificate.running.look import Look, box
from polhode.testbench.certificate.states.cases import case_of
from tests.support.lengths import lengthened
from tests.testbench.certificate.adversary import kernels

GROUP = BY_KEY["on_group"]


def on_group(method):
    p = case_of(GROUP, method)
    (found,) = runs.orthogonality(adapted(method, p.forces), p, GROUP)
    return found


@pytest.mark.parametrize("name", methods())
def test_every_method_of_the_catalogue_keeps_its_quaternion(name):
    found = on_group(ph.method(name))
    assert found.verdict == "yes" and found.value < 1e-14 and "after 1000 steps" in found.how


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.0, "yes"), (1 + 1e-15, "yes"), (1 + 1e-12, "no"), (1.001, "no"), (0.3, "no"), (2.0, "no")],
)
def test_a_kernel_whose_quaternion_grows_or_shrinks_does_not_stay_on_the_group(factor, verdict):
    assert on_group(lengthened(factor)).verdict == verdict


def test_a_kernel_may_leave_a_quaternion_of_any_one_length():
    assert on_group(kernels.as_method("of_length_three")).verdict == "yes"


def test_it_is_told_what_to_do_about_the_length():
    c = ph.certify(lengthened(1.001), drift=False)
    assert c["on_group"].verdict == "no" and "Q is a rotation until |q| overflows" in c["on_group"].how
    assert any("normalise it" in sentence for sentence in c.diagnosis)
    right = ph.certify(lengthened(1.0), drift=False)
    assert right["on_group"].said == "yes" and not right.contradictions
    assert not any("quaternion" in sentence for sentence in right.diagnosis)


def test_all_measurements_of_a_kernel_together_have_an_end():
    look = Look(box(ph.method("VLV")))
    assert in_floats.patience(look) == in_floats.LONGEST_SECONDS
    look.pace.own = type("Clock", (), {"seconds": in_floats.ALL_SECONDS - 5.0})()
    assert in_floats.patience(look) == pytest.approx(5.0)
    look.pace.own.seconds = 1e6
    assert in_floats.patience(look) == in_floats.LEAST_SECONDS


def test_a_method_that_does_not_run_when_it_is_asked_may_solve_something(monkeypatch):
    def lost(*given, **options):
        raise RuntimeError

    monkeypatch.setattr(in_floats, "solve", lost)
    method = lengthened(1.0)
    assert in_floats._solves(Look(box(method)), method, GROUP) and guarded(lost, 1.0)[1]
