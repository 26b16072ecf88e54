"""Some of the adversary's integrators, each caught or cleared by name; scripts/confusion.py has them all."""

import functools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.integrators.properties import BY_KEY, ORDER, PROPERTIES
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.diagnosis.clues import turn
from polhode.testbench.certificate.diagnosis.kin import kin_of
from polhode.testbench.certificate.diagnosis.mistakes import diagnosis
from polhode.testbench.certificate.kernel import measurements as kernel
from polhode.testbench.certificate.kernel.in_floats import in_floats
from polhode.testbench.certificate.orders.exponents import chooses, exponent
from polhode.testbench.certificate.orders.from_outside import orders
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running import pace
from polhode.testbench.certificate.running.guard import Refused
from polhode.testbench.certificate.running.look import Look, box
from polhode.testbench.certificate.running.questions import changed_since, character_of
from polhode.testbench.certificate.states.cases import case_of, placed, potential
from polhode.testbench.certificate.structure import yes_or_no
from polhode.testbench.certificate.structure.defects import DIRECT
from tests.testbench.certificate.adversary import steps, third
from tests.testbench.certificate.adversary.steps import cross
from tests.testbench.certificate.adversary.suite import (
    BRANCHES,
    FAINT,
    FOURTH,
    FUNCTIONS,
    HIDDEN,
    KERNELS,
    KINKS,
    POINTS_AND_LOOPS,
    RUDE,
    THIRD,
    Case,
    score,
    suite,
)

SOME = ("same arrays", "refuses h < 0", "leapfrog", "diagonal tensors only", "Lie-Trotter", "kernel: to_a_tolerance")


@pytest.mark.parametrize("name", SOME)
def test_nothing_false_is_said(name):
    (case,) = (case for case in suite() if case.name == name)
    c = ph.certify(case.method, drift=False)
    found = {key: word for key, word in score(case, c).items() if key != "drift"}
    assert not {key: word for key, word in found.items() if word.startswith("false")}
    assert list(found.values()).count("undecided") <= 2
    assert case.named in " ".join(c.diagnosis)


TELLING = ("momentum_free", "momentum_top", "symmetric", "symplectic_free", "order_free_Q", "order_potential_Q")
TELLING = (*TELLING, "order_forced_Q", "order_potential_Omega", "on_group", "energy_top")
MORE_TELLING = {"more than 0.8 rad a step": "symplectic_free", "a time of its own": "order_free_Q"}  # not elsewhere
MORE_TELLING |= {"conjugate by scaling": "order_free_Q", "midpoint on matrices": "momentum_top"}
MORE_TELLING |= dict.fromkeys(
    ("Newton by its residual", "norm of complex numbers", "another below 0.05 rad"), "symplectic_free"
)
MORE_TELLING |= dict.fromkeys(("put to sleep", "slender bodies", "Q transposed"), "order_potential_Q")
MORE_TELLING |= {"damping with h": "order_potential_Q", "Yoshida 6": "order_forced_Q", "another when free": "symmetric"}
MORE_TELLING |= dict.fromkeys(("triple jump, five digits", "tolerance 1e-13", "Munthe-Kaas, 1/10"), "order_free_Q")
MORE_TELLING |= {"better when small": "on_group", "time on a grid": "momentum_top"}
MORE_TELLING |= {"cut at 1 rad": "symplectic_free", "thin rods by Euler": "order_potential_Q"}
MORE_TELLING |= dict.fromkeys(("small turns", "smaller turns", "steady spin"), "order_free_Q")
MORE_TELLING |= {"kernel: growing": "symplectic_free", "kernel: euler_when_small": "symplectic_free"}
MORE_TELLING |= {case.name: "order_potential_Q" for case in HIDDEN if case.truth["order_potential_Q"] > 0}
MORE_TELLING |= {"small turns left out": "symplectic_free", "kernel: scaled momenta": "symplectic_free"}
MORE_TELLING |= dict.fromkeys(("twice near a quarter turn", "kernel: near a quarter turn"), "order_free_Q")
SLOW = ("own steps", "kernel: printed_digits", "kernel: by_math")  # of which one measurement takes seconds


def telling(case):
    """The property that tells most, and is cheap: one that the integrator has lost, else one that it has."""
    if case.name in MORE_TELLING:
        return MORE_TELLING[case.name]
    lost = [key for key in TELLING if case.truth.get(key) in ("no", 0.0) and key != "energy_top"]
    return (lost or [key for key in TELLING if key in case.truth])[0]


HELD_OUT = (
    "kernel: growing",
    "kernel: euler_when_small",
    "moments sorted",
    "kernel: ascending",
    "velocity rescaled",
    "in place",
    "kernel: coarse_turns",
    "a time of its own",
)
ALONE = [case for case in (*FUNCTIONS, *KERNELS) if case.truth and case.name not in SLOW]
ALONE += [case for case in suite() if case.name in HELD_OUT]
ALONE += [case for case in THIRD if case.name != "another after 1000 calls"]
ALONE += [case for case in FOURTH if case.name not in ("faintly damped", "hangs beyond h = 0.6")]  # they take long
ALONE += FAINT + POINTS_AND_LOOPS + KINKS + HIDDEN + BRANCHES
ALONE += tuple(case for case in RUDE if case.truth["on_group"] == "yes")  # the other: kernel/test_runs.py


def one(case, key):
    """One property of an integrator, measured alone."""
    row, look = BY_KEY[key], Look(box(case.method))
    if isinstance(case.method, ph.Method) and row.kind != ORDER and row.measure != "orthogonality":
        found = next(kernel.by_theorem(case.method, case_of(row, case.method), row))
        stays_at = functools.partial(kernel.stays_at, look, case.method, row)
        return in_floats(look, case.method, row, (found,), stays_at)[0] if row.measure in DIRECT else found
    look.character = character_of(look)
    values, _ = outside.MEASURES[row.measure](look, row)
    keys = [other.key for other in PROPERTIES if (other.group or other.key) == (row.group or row.key)]
    return dict(zip(keys, values))[key]


@pytest.mark.parametrize("case", ALONE, ids=lambda case: case.name)
def test_each_is_caught_or_cleared_by_what_tells_most(case, monkeypatch):
    monkeypatch.setattr(pace, "ALONE_SECONDS", np.inf)  # all states, with all steps, however busy the machine
    key = telling(case)
    found = one(case, key)
    if BY_KEY[key].kind == ORDER and case.truth[key] == 0 and found.down_to is not None:
        assert found.verdict == "yes" and found.value > 0.5  # it converges down to there, and no further
    elif BY_KEY[key].kind == ORDER:
        assert found.value == pytest.approx(case.truth[key], abs=0.3), found
        assert found.down_to is None
    else:
        assert found.verdict == case.truth[key], found


def test_there_are_more_than_forty_with_different_names():
    names = [case.name for case in suite()]
    assert len(set(names)) == len(names) > 60
    assert len(ALONE) > 40
    good = [case for case in ALONE if case.truth[telling(case)] not in ("no", 0.0)]
    assert len(good) > 15 and len(ALONE) - len(good) > 15


def test_an_order_is_that_of_the_finest_errors_above_their_floor():
    h = 2.0 / np.array([1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90])
    assert exponent(h, 0.1 * h**4 + 1e-3 * h).value == pytest.approx(1, abs=0.2)  # not its best rate
    stalled = exponent(h, 0.1 * h**2 + 1e-6)
    assert stalled.value == pytest.approx(2, abs=0.1)
    assert exponent(h, np.full(13, 1e-15)).value == float("inf")
    assert exponent(h, np.full(13, 1e-6)).value == 0 and not exponent(h, np.full(13, 1e-6)).known


def test_an_order_that_still_changes_is_not_known():
    h = 2.0 / np.array([1, 2, 3, 4, 6, 8, 11, 16, 22, 32, 45, 64, 90])
    ten = [3e-5, 5.4e-8, 3.6e-10, 1.17e-11, 1.4e-13, 1.4e-14, 5e-15, 7e-15, 9e-15, 8e-15, 1e-14, 2e-14, 1e-14]
    found = exponent(h, np.array(ten))  # of a composition of order 10, whose errors fall like h^12 first
    assert found.value == pytest.approx(12.2, abs=0.2) and not found.known
    assert exponent(h, 1e-6 * h**8 + 1e-15).known


def test_an_order_that_is_not_known_points_to_no_mistake():
    def orders(forced):
        known = {f"order_{case}_{what}": (2.0, "yes") for case in ("free", "potential") for what in ("Q", "Omega")}
        known |= {f"order_forced_{what}": (1.0, forced) for what in ("Q", "Omega")}
        return {key: Property(value, None, verdict, "") for key, (value, verdict) in known.items()}

    assert "wrong stage time" in " ".join(diagnosis(orders("yes"), {}))
    assert diagnosis(orders("undecided"), {}) == ()


def named(name):
    (case,) = (case for case in suite() if case.name == name)
    return case


def test_a_defect_that_happens_to_pass_zero_is_seen_at_a_generic_state():
    found = one(named("Blanes-Moan 4"), "energy_top")  # 2e-10 at 0.31 rad, 1e-5 at 0.93 rad
    assert found.verdict == "no" and found.coverage.startswith("first seen at a generic state")


def test_one_that_changes_while_it_is_measured_has_no_property():
    c = ph.certify(third.worn(), drift=False)
    assert "changed while it was measured" in " ".join(c.diagnosis)
    assert not [key for key, p in c.properties.items() if p.verdict == "yes"]
    look = Look(third.right)
    look.character = character_of(look)
    assert changed_since(look) == 0


def test_a_torque_that_is_nearly_right_is_no_choice_of_steps():
    c = ph.certify(third.torque_of_1001, drift=False)
    assert "look at where the torque enters" in " ".join(c.diagnosis)
    assert c["order_potential_Q"].verdict == "no" and c["order_free_Q"].value == pytest.approx(2, abs=0.1)
    assert c["symplectic_free"].verdict == "yes"


def test_an_order_says_down_to_which_error_it_was_seen():
    def adds(p, Q, Omega, h, t):
        Q, Omega = third.blanes_moan(p, Q, Omega, h, t)
        return Q, Omega * (1 + 1e-7 * h)

    found = one(Case("adds", adds), "order_free_Q")
    assert found.value == pytest.approx(4, abs=0.2) and found.down_to is not None


def test_errors_that_do_not_depend_on_the_largest_steps_are_those_of_steps_of_its_own():
    h = 2.0 / np.array([1, 2, 3, 4, 6, 8])
    assert chooses(np.array([5.3e-8, 5.2e-8, 5.1e-8, 4.6e-8, 4.2e-8, 3.3e-8]))
    assert not chooses(0.1 * h**16) and not chooses(np.full(6, 1e-15)) and not chooses(np.full(6, 0.3))


def test_a_step_back_that_goes_forward_is_named():
    (case,) = (case for case in suite() if case.name == "RK4 with |h|")
    look = Look(case.method)
    look.character = character_of(look)
    assert look.character.forward_only and "not honoured" in " ".join(look.character.sentences())
    ((found,), _) = yes_or_no.direct(look, BY_KEY["symmetric"])
    assert found.verdict == "undecided" and "does not go back" in found.how
    (right,) = (case for case in suite() if case.name == "Lie-Verlet")
    assert not character_of(Look(right.method)).forward_only


def test_near_kin_is_told_with_its_size_and_power():
    (loose,) = (case for case in suite() if case.name == "tolerance 1e-6")
    kin = kin_of(Look(loose.method).run)
    assert kin.near and kin.words.startswith("This is VLV, but for ")
    (same,) = (case for case in suite() if case.name == "implicit midpoint")
    assert kin_of(Look(same.method).run).words == "This is IMID, to round-off."
    (other,) = (case for case in suite() if case.name == "axes, Kahan-Li 8")
    assert kin_of(Look(other.method).run) is None  # of high order, and nobody's twin


def case_named(name):
    (case,) = (case for case in suite() if case.name == name)
    return case


def test_a_method_that_starts_as_another_is_not_that_one():
    kin = kin_of(Look(third.momentum_alone).run)  # SW remembers the acceleration
    assert kin.words == "This is SW, to round-off, in its first step." and not kin.is_same
    assert kin_of(Look(box(ph.method("SW"))).run).is_same
    assert kin_of(Look(third.right).run).is_same


def test_a_method_of_lower_order_is_no_kin():
    """Their steps of Omega are those of one Runge-Kutta method; of Q that of the catalogue has the lower order."""
    lower = ph.method("CG-RK4")
    assert kin_of(Look(box(lower)).run).name == "CG-RK4"
    kin = kin_of(Look(rkmk4).run)
    assert kin is None or kin.name != "CG-RK4"


def rkmk4(problem, Q, Omega, h, t):
    J = problem.tensor
    turned = lambda u: Q @ Rotation.from_rotvec(u).as_matrix()

    def rates(u, w, s):
        du = w + cross(u, w) / 2 + cross(u, cross(u, w)) / 12
        return np.array([du, np.linalg.solve(J, cross(J @ w, w) + problem.torque(s, turned(u)))])

    y = np.array([np.zeros(3), Omega])
    k1 = rates(*y, t)
    k2 = rates(*(y + h / 2 * k1), t + h / 2)
    k3 = rates(*(y + h / 2 * k2), t + h / 2)
    k4 = rates(*(y + h * k3), t + h)
    u, w = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return turned(u), w


def test_what_many_methods_share_is_no_sign_of_a_mistake():
    explicit = kin_of(Look(case_named("explicit midpoint").method).run)
    assert "Q is that of" in explicit.words and not explicit.was_meant(["symmetric"])  # off by h^3, as any of order 2
    lopsided = kin_of(Look(case_named("lopsided").method).run)
    assert "Q is that of VLV" in lopsided.words and lopsided.was_meant(["symmetric", "symplectic_free"])
    kicks = kin_of(Look(case_named("half the torque").method).run)
    assert kicks.was_meant(["energy_top"]) and not kicks.was_meant(["symmetric"]) and not kicks.was_meant([])


def test_what_does_not_converge_anywhere_is_not_called_right_at_a_generic_state():
    look = Look(case_named("half the torque").method)
    values, _ = orders(look, BY_KEY["order_potential_Q"])
    assert [p.verdict for p in values] == ["no", "no"] and not look.differs


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_a_tolerance_leaves_a_defect_that_hardly_depends_on_h(tolerance):
    look = Look(steps.mistaken(tolerance=tolerance))
    _, note = yes_or_no.direct(look, BY_KEY["momentum_free"])
    assert note == "stays"
    assert yes_or_no.direct(Look(steps.explicit_midpoint), BY_KEY["momentum_free"])[1] == "scales"


def test_one_that_remembers_complex_numbers_answers_real_questions_in_real_ones():
    p = placed(potential())
    look = Look(case_named("warm start").method)
    look.run(p, p.Q0, p.Omega0 * (1 + 1e-30j), 0.1, 1, 0.0)
    Q, Omega = look.run(p, p.Q0, p.Omega0, 0.1, 1, 0.0)
    assert np.isrealobj(Q) and np.isrealobj(Omega)
    imaginary = Look(lambda p, Q, Omega, h, t: (Q, Omega + 0.1j))
    with pytest.raises(Refused, match="complex numbers"):
        imaginary.run(p, p.Q0, p.Omega0, 0.1, 1, 0.0)


def test_a_run_that_stopped_before_its_end_is_no_answer():
    def advance(p, Q, Omega, h, n, t):
        s = ph.solve(p.replaced(Q0=Q, Omega0=Omega, t0=t), "DMV6", h=h, n_steps=n)  # warns, and returns what it has
        return s.Q[-1], s.Omega[-1]

    p = placed(potential())
    with pytest.raises(Refused, match="stopped before its end"):
        Look(ph.BlackBox("stops", advance)).run(p, p.Q0, p.Omega0, 4.0, 3, 0.0)


def test_a_derivative_that_is_no_number_is_no_yes():
    look = Look(steps.verlet)
    none = yes_or_no.over_states(look, BY_KEY["symplectic_free"], lambda *_: np.nan, 1e-12, "a defect")
    assert none[0][0].verdict == "undecided" and "no finite derivatives" in none[0][0].how


def test_round_off_that_a_step_magnifies_is_no_defect():
    look, row = Look(steps.verlet), BY_KEY["symmetric"]

    def smooth(state, radians, n):
        return 1e-11 * radians**5

    def rough(state, radians, n):
        return 1e-11 * (1.1 + np.sin(1e12 * radians))

    assert yes_or_no.over_states(look, row, smooth, 2e-14, "a defect")[0][0].verdict == "no"
    (found,), _ = yes_or_no.over_states(look, row, rough, 2e-14, "a defect")
    assert found.verdict == "undecided" and "near round-off" in found.how


def test_states_where_it_was_found_to_differ_are_looked_at_first():
    look = Look(steps.verlet)
    usual = [state.words for state in look.states("free")]
    look.differs["free", usual[-1]] = "by far"
    assert [state.words for state in look.states("free")] == [usual[0], usual[-1], *usual[1:-1]]


def test_an_attitude_that_is_turned_on_the_wrong_side_is_named():
    (case,) = (case for case in suite() if case.name == "LGVI, other side")
    p = placed(potential())
    assert turn(Look(case.method).run, p) == "Omega in space axes"
    (right,) = (case for case in suite() if case.name == "LGVI")
    assert turn(Look(right.method).run, p) == ""
