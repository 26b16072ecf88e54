"""An integrator that an exception would end is not asked what raises one; of one that has ended, that is told, as it is
of one that chooses its own steps."""

import pytest

import polhode as ph
from polhode.integrators.properties import BY_KEY
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running.look import Look, box
from tests.testbench.certificate.adversary import awkward, kinks, third


def test_a_generator_is_not_ended_by_a_question():
    assert not outside.takes_velocity(Look(kinks.generator()))
    c = ph.certify(kinks.generator(), drift=False)
    assert c["order_free_Q"].value == pytest.approx(2, abs=0.1) and c["momentum_free"].verdict == "yes"


def test_who_takes_a_velocity_is_known_by_a_step_alone():
    def asks(p, Q, Omega, h, t):
        p.torque(t, Q, Omega)
        return Q, Omega

    assert outside.takes_velocity(Look(asks)) and outside.takes_velocity(Look(box(ph.method("VLV"))))
    assert not outside.takes_velocity(Look(lambda p, Q, Omega, h, t: (Q, Omega + h * p.torque(t, Q))))


def test_one_that_no_longer_runs_is_said_so_and_keeps_no_yes():
    calls = iter(range(400))

    def ends(p, Q, Omega, h, t):
        next(calls)
        return third.right(p, Q, Omega, h, t)

    c = ph.certify(ends, drift=False)
    assert "It no longer runs" in c.diagnosis[0] and "StopIteration" in c.diagnosis[0]
    assert not any(p.verdict == "yes" for p in c.properties.values())


def test_one_that_chooses_its_own_steps_has_no_order():
    look = Look(awkward.own_steps)  # whose finest runs come close to round-off
    found, note = outside.MEASURES["order"](look, BY_KEY["order_free_Q"])
    assert note == "own steps" and all(p.verdict == "undecided" and p.value is None for p in found)
