"""A certificate has its seconds: steps are counted, what does not fit is undecided, and says what would decide it."""

import time

import numpy as np
import pytest

import polhode as ph
from polhode.errors import InputError
from polhode.integrators.properties import BY_KEY, ORDER, groups
from polhode.testbench.certificate import drift
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.outside.cost import largest_step
from polhode.testbench.certificate.running import pace, questions, timed
from polhode.testbench.certificate.running.guard import NO_RETURN
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.pace import BY_DIFFERENCES, PARTS, SECONDS, USUAL_PART, Cost, Pace
from polhode.testbench.certificate.running.timed import cost_of, seconds_a_step
from polhode.testbench.certificate.states.battery import RADIANS
from polhode.testbench.certificate.structure import visits
from tests.testbench.certificate.adversary import steps, third

ORDERS, SYMMETRY, FORM = BY_KEY["order_free_Q"], BY_KEY["symmetric"], BY_KEY["symplectic_free"]


class Clock:
    """A clock that only a test moves."""

    seconds = 0.0


def paced(step, seconds=SECONDS):
    p = Pace(seconds)
    p.own, p.cost = Clock(), Cost(step, step, along=step)
    return p


def test_a_fast_integrator_has_all_the_time_it_takes():
    p = paced(1e-4)
    p.begin(ORDERS, [SYMMETRY])
    assert not p.is_counted and p.patience(20.0) == 20.0 and p.afford(1e9)
    assert p.missing(ORDERS, 20.0) == ""


GENERIC = states("free")[0]


def test_measurements_share_what_is_left():
    p = paced(0.02)
    p.begin(ORDERS, [SYMMETRY])
    assert p.is_slow and p.allotted == pytest.approx(p.budget * PARTS["order"] / (PARTS["order"] + USUAL_PART))
    assert p.afford(10) and not p.afford(1e4) and p.patience(4.0) == 4.0 and p.patience(100.0) == SECONDS
    p.own.seconds = 10.0
    p.took(400, 0.1, False)
    p.begin(SYMMETRY, [])
    assert p.allotted == pytest.approx(p.budget - 10.0)
    assert "s for this alone would decide it" in p.missing(SYMMETRY, 1.0)
    assert p.missing(SYMMETRY, 2.0) == ""  # 84 steps of 0.02 s: it is not time that is missing


def test_differences_have_a_larger_part():
    p = paced(0.002)
    p.by_differences = True
    p.begin(FORM, [SYMMETRY])
    part = BY_DIFFERENCES["symplecticity"]
    assert p.allotted == pytest.approx(p.budget * part / (part + USUAL_PART))


def test_steps_are_counted_not_timed():
    p = paced(0.002)
    p.begin(SYMMETRY, [ORDERS])
    before = p.allotted
    p.took(5, 0.1, False)
    assert p.spent == pytest.approx(0.01)
    p.own.seconds = 1000.0  # however long they took: what the measurement has is what it had
    assert p.spent == pytest.approx(0.01) and p.allotted == before and p.afford(50)
    p.took(1, 0.1, True)
    assert p.spent == pytest.approx(0.014)


def test_a_step_that_takes_longer_than_was_thought_leaves_fewer_to_the_next():
    quick, late, hung = paced(0.002), paced(0.002), paced(0.002)
    for p, seconds in ((quick, 8.0), (late, 16.0), (hung, 16.0)):
        p.begin(ORDERS, [SYMMETRY])
        p.took(4000, 0.1, False)  # 8 s, as counted
        p.own.seconds = seconds
    quick.end()
    late.end()  # that of the third was ended: a step that never returns tells nothing of the others
    for p in (quick, late, hung):
        p.begin(SYMMETRY, [ORDERS])
    assert quick.underrated == hung.underrated == 1 and late.underrated == pytest.approx(2)
    assert late.allotted == pytest.approx(hung.allotted / 2)


def test_the_time_of_a_reference_is_not_that_of_steps():
    p = paced(0.002)
    p.begin(ORDERS, [SYMMETRY])
    p.took(4000, 0.1, False)
    p.own.seconds = 8.0
    with p.uncounted():
        busy = time.process_time()
        while time.process_time() - busy < 0.05:
            pass
    p.own.seconds = 8.05
    p.end()
    assert p.passed == pytest.approx(8.0, abs=0.02)


def test_a_fast_integrator_leaves_time_for_the_survey():
    p = paced(3e-4)
    p.begin(FORM, [SYMMETRY, ORDERS])
    assert visits.steps_for(p, GENERIC, visits.FEWEST_STATES, 37) == RADIANS and p.has_time_for_survey
    p.clock -= visits.BRIEF_FROM_PART * p.allotted + 0.1
    assert visits.steps_for(p, GENERIC, visits.FEWEST_STATES, 37) == visits.BRIEF_RADIANS and p.has_time_for_survey
    p.clock -= (visits.BATTERY_PART - visits.BRIEF_FROM_PART) * p.allotted
    assert visits.steps_for(p, GENERIC, visits.FEWEST_STATES, 37) == () and p.has_time_for_survey
    p.clock -= p.allotted
    assert not p.has_time_for_survey


def test_a_yes_without_most_of_the_survey_says_so():
    seen = visits.Visits(states=16, surveyed=20, missed=90, farthest=1.9)
    assert seen.states_alone == "at 36 states alone"
    assert seen.coverage.endswith("; 20 more at 0.31 rad; 90 others not visited, for want of time")
    seen.surveyed, seen.missed = 108, 2
    assert seen.states_alone == "" and "2 others not visited" in seen.coverage


def test_a_large_step_and_a_call_have_their_own_cost():
    cost = Cost(step=1.0, large=3.0, call=0.5)
    assert cost.of(4, False) == 4.5 and cost.of(4, True) == 12.5
    assert cost.single == 1.5 and cost.usual == 2.5
    assert Cost(0.0011, 0.0, 0.0009, 0.003).rounded() == Cost(2**-10, 0.0, 2**-10, 0.003)


def test_the_fewest_steps_of_a_drift_are_kept_unless_they_are_too_many():
    assert paced(0.004).budget == pytest.approx(
        SECONDS - pace.SECONDS_BESIDE_STEPS - pace.SECONDS_OF_ROOM - 3300 * 0.004
    )
    assert paced(0.02).budget == pytest.approx(SECONDS - pace.SECONDS_BESIDE_STEPS - pace.SECONDS_OF_ROOM)


def test_more_seconds_are_more_steps():
    usual, more = paced(0.02), paced(0.02, 300.0)
    for p in (usual, more):
        p.begin(SYMMETRY, [ORDERS])
    assert more.allotted > 7 * usual.allotted and usual.is_slow and not more.is_slow
    assert more.generosity == 10 and paced(0.02, 3.0).generosity == 1


def test_fewer_steps_at_a_state_come_before_fewer_states():
    p = paced(1.0)
    p.seconds, p.allotted = 1.0, 1e9
    assert visits.steps_for(p, GENERIC, 0, 2)[-5:] == RADIANS and visits.steps_for(p, GENERIC, 3, 2) == RADIANS
    p.allotted = 2 * 5 + 2 * 2 * 3  # this state with all steps, and three more briefly
    assert visits.steps_for(p, GENERIC, 3, 2) == RADIANS and visits.steps_for(p, GENERIC, 2, 2) == visits.BRIEF_RADIANS
    p.allotted, p.pool = 3.9, 4.0
    assert visits.steps_for(p, GENERIC, 0, 2) == visits.BRIEF_RADIANS and visits.steps_for(p, GENERIC, 1, 2) == ()
    p.pool = 200.0  # a few steps that decide are worth some of the time of others, but not for more than that
    assert visits.steps_for(p, GENERIC, 1, 2) == visits.BRIEF_RADIANS
    assert visits.steps_for(p, GENERIC, visits.FEWEST_STATES, 2) == ()


def test_no_time_at_all_leaves_what_a_generic_state_shows():
    c = ph.certify(third.right, seconds=1e-9)
    told = {key: p for key, p in c.properties.items() if BY_KEY[key].kind != ORDER}
    assert c["energy_free"].verdict == c["energy_top"].verdict == "no"  # seen at the first state
    for key in ("order_free_Q", "order_forced_Omega", "symmetric", "momentum_free", "drift", "largest_step"):
        assert c[key].verdict == "undecided" and "s for this alone would decide it" in c[key].how, c[key]
    assert not [key for key, p in told.items() if p.verdict == "yes" and key != "torque_evaluations"]
    assert "A step takes" in c.diagnosis[0]


def test_where_steps_are_counted_verdicts_say_what_they_rest_on(monkeypatch):
    monkeypatch.setattr("polhode.testbench.certificate.outside.measurements.cost_of", lambda look: Cost(0.012, 0.012))
    c = ph.certify(third.right, drift=False)  # slow by name only: by the steps counted there is no time for all
    assert c["order_potential_Q"].verdict == c["symmetric"].verdict == c["on_group"].verdict == "yes"
    assert c["symplectic_free"].verdict == "yes" and "for want of time" in c["symplectic_free"].coverage


@pytest.mark.parametrize(
    "key, needed, briefly, all_of_it",
    [("on_group", 100, "after 6 steps", "after 24 steps"), ("largest_step", 200, "10 steps", "50 steps")],
)
def test_shorter_runs_where_there_is_no_time_for_all(key, needed, briefly, all_of_it):
    look, row = Look(third.right), BY_KEY[key]
    look.pace.cost, look.pace.allotted = Cost(1.0, 1.0), needed
    measure = outside.MEASURES[row.measure]
    ((found,), _) = measure(look, row)
    assert found.verdict == "yes" and briefly in found.how
    look.pace.allotted = 1e6
    ((found,), _) = measure(look, row)
    assert found.verdict == "yes" and all_of_it in found.how


@pytest.mark.parametrize("seconds", [0, -1.0, "long", np.nan])
def test_seconds_that_are_none_are_refused(seconds):
    with pytest.raises(InputError, match="seconds is"):
        ph.certify("VLV", seconds=seconds)


def planned(step, symplectic, seconds=SECONDS):
    """The plan of a drift whose step takes so long, by the clock."""
    look = Look(steps.verlet, seconds)
    look.pace.own, look.pace.cost = Clock(), Cost(step, step, along=step)
    return drift.plan_of(look, "function", 2, symplectic)


def test_the_spans_of_a_drift_fit_into_what_is_left():
    assert planned(1e-4, False).spans == (500.0, 2000.0)
    assert planned(1e-4, True).spans == (250.0, 2000.0)  # the longer one where a slope may be more than chance
    assert planned(2e-3, False).spans == (250.0,)  # one body is enough for what may drift
    assert planned(2e-3, True).spans == (125.0,)
    assert planned(4e-3, True).missing == ""


def test_the_shortest_span_of_a_drift_must_fit():
    plan = planned(0.02, True)
    assert plan.spans == (125.0,) and plan.missing.startswith(
        "there was no time for more; about 60 s for this alone would decide it"
    )
    assert plan.missing.endswith("give seconds=150")
    assert planned(0.02, True, seconds=150.0).missing == ""


def test_a_second_stress_test_waits_for_time(monkeypatch):
    look = Look(steps.verlet)
    look.pace.own = Clock()
    row = drift.stress([steps.verlet], h=drift.STEPS, t_end=125.0, ensemble=2).rows[0]

    def one(*given):
        look.pace.own.seconds += 20.0
        return row

    monkeypatch.setattr(drift, "seconds_a_step", lambda look: 4e-3)
    monkeypatch.setattr(drift, "stress_test", one)
    found, _ = drift.drift_of(steps.verlet, "function", {}, look)
    assert found.verdict == "undecided" and found.coverage == "one stress test, up to t = 125, no more for want of time"


def test_the_time_of_a_step_is_measured():
    assert 0 < cost_of(Look(third.right)).single < 1


def test_a_step_that_raises_on_the_stress_test_takes_no_time_and_one_that_hangs_takes_all(monkeypatch):
    monkeypatch.setattr(timed, "LONGEST_SECONDS", 0.2)

    def raises(p, Q, Omega, h, t):
        raise ValueError

    def hangs(p, Q, Omega, h, t):
        while True:
            pass

    assert seconds_a_step(Look(raises)) == 0 and seconds_a_step(Look(hangs)) == 0.2
    assert 0 < seconds_a_step(Look(third.right)) < 0.2


def test_every_measure_with_a_part_exists():
    measures = {rows[0].measure for rows in groups()}
    assert set(PARTS) | set(BY_DIFFERENCES) | set(pace.STEPS_NEEDED) <= measures


@pytest.mark.parametrize(("seconds", "patience"), [(SECONDS, (20.0, 5.0, 2.0)), (3.0, (2.0, 1.0, 1.0))])
def test_a_step_that_never_returns_is_waited_for_twice(seconds, patience, monkeypatch):
    """Then a measurement has seconds enough for steps that do return, and what is not seen in these is undecided."""
    waited = []

    def never(look, limit):
        waited.append(limit)
        return None, f"{NO_RETURN} within {limit} s"

    monkeypatch.setattr(outside, "check_first_step", lambda *given: None)
    monkeypatch.setattr(outside, "guarded", never)
    monkeypatch.setattr(questions, "guarded", never)
    found, _ = outside.measured(steps.verlet, look=Look(steps.verlet, seconds))
    others = waited[2:]
    others.remove(outside.PATIENT_WITH_SLOW[-1])  # whether it takes the velocity
    assert waited[0] == pytest.approx(questions.PART_FOR_ONE * patience[0], abs=0.1) and waited[1] == patience[1]
    assert set(others) == {patience[2]}
    assert {p.verdict for p in found.values()} == {"undecided"}


def test_a_largest_step_of_none_is_no_yes():
    nothing = lambda problem, Q, Omega, h, t: (Q * np.nan, Omega * np.nan)
    (found,), _ = largest_step(Look(nothing), BY_KEY["largest_step"])
    assert found.verdict == "undecided" and found.value is None and "none succeeds" in found.how


def test_what_begins_when_the_seconds_are_spent_has_next_to_none(monkeypatch):
    look = Look(steps.verlet, 5.0)
    assert look.pace.patience(20.0) == pytest.approx(5.0, abs=0.5)
    monkeypatch.setattr(look.pace.own, "clock", look.pace.own.clock - 6.0)
    assert look.pace.patience(20.0) == pace.SECONDS_BEYOND
    told = look.pace.missing(BY_KEY["momentum_free"], look.pace.patience(20.0))
    assert "the 5 s of the certificate were spent" in told
