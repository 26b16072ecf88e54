"""The suite: each integrator with what is true of it, by theorem or by construction.

A truth is "yes" or "no" for a property, a number for an order (0: it does not converge to the motion at some state
that a body can be in; told rightly by an order that holds down to an error), and nothing where no theorem says. `named`
is what a diagnosis must mention.
"""

import functools
from dataclasses import dataclass, field

import polhode as ph
from polhode.integrators.properties import BY_KEY, ORDER, claims_of
from polhode.testbench.certificate.running.look import box
from tests.testbench.certificate.adversary import (
    awkward,
    branches,
    drifting,
    faint,
    fourth,
    held_out,
    hidden,
    kernels,
    kinks,
    points_and_loops,
    rare,
    rude,
    steps,
    third,
)
from tests.testbench.certificate.adversary.steps import mistaken


@dataclass(frozen=True)
class Case:
    name: str
    method: object
    truth: dict = field(default_factory=dict)
    named: str = ""


NOT_SAFE = "not safe"
"""Of an integrator whose energy no theorem bounds: a drift may be seen, or be undecided, but it is not excluded."""

CASES_OF_ORDERS = ("free", "potential", "forced")
ABBREVIATED = {
    "sym": "symmetric",
    "sf": "symplectic_free",
    "su": "symplectic_potential",
    "po": "poisson_free",
    "mf": "momentum_free",
    "ef": "energy_free",
    "mt": "momentum_top",
    "et": "energy_top",
    "so3": "on_group",
    "drift": "drift",
    "unsafe": NOT_SAFE,
}


def truth(orders="", yes="", no="", but=None):
    """Orders of the free body, in a potential, in time: one number each, for Q and Omega alike; "-" for not known."""
    known = {}
    for case, order in zip(CASES_OF_ORDERS, orders.split()):
        if order != "-":
            known |= {f"order_{case}_{what}": float(order) for what in ("Q", "Omega")}
    known |= {ABBREVIATED[k]: "yes" for k in yes.split()} | {ABBREVIATED[k]: "no" for k in no.split()}
    return known | (but or {})


VARIATIONAL = truth("2 2 2", yes="sym sf su po mf mt so3", no="ef et drift")
TOP_AND_FREE = {k: v for k, v in VARIATIONAL.items() if k != "symmetric"}
NEVER = truth("0 0 0")  # wrong at some states of a free body, and so of every body
ATTITUDE_ALONE = truth("0 0 0", but={"order_free_Omega": 2.0})  # a free velocity knows no attitude
IN_A_CHART = truth("", yes="so3", no="sym sf su mf ef et", but={"order_free_Omega": 4.0})
"""One step from where a chart ends is wrong; the error of a run then falls like h, more or less."""
NO_LONGER = truth("0 0 0", yes="so3", no="sym sf su mf")
EVERYWHERE = {k: v for k, v in VARIATIONAL.items() if k != "drift"}
FREE_PART = truth("2", yes="sf po mf so3", no="ef")


def claimed(name):
    """What the catalogue claims, and its tests measure at 50 digits, of a method seen from outside."""
    m = ph.method(name)
    known = {k: (v if BY_KEY[k].kind == ORDER else "yes" if v else "no") for k, v in claims_of(m).items()}
    known.pop("torque_evaluations", None)  # a number, which is not seen from outside
    known["on_group"] = "yes"
    if m.drift in ("+", "-", "unstable"):
        known["drift"] = "yes"
    elif m.drift == "none" and not m.symplectic:
        known.pop("drift", None)
    return known


def boxed(name):
    return Case(
        f"{name} from outside", ph.BlackBox(f"{name} seen from outside", box(ph.method(name)).advance), claimed(name)
    )


FUNCTIONS = (
    # textbook methods that are not in the catalogue
    Case("Lie-Verlet", mistaken(), VARIATIONAL),
    Case("axes 3-2-1", steps.axes_in_turn((2, 1, 0)), VARIATIONAL),
    Case("Lie-Trotter", steps.lie_trotter, truth("1 1 1", yes="sf su po mf mt so3", no="sym ef et drift")),
    Case(
        "axes, triple jump", steps.composed(steps.axes_in_turn((0, 1, 2)), steps.TRIPLE), VARIATIONAL | truth("4 4 4")
    ),
    Case("Lie-Verlet, Suzuki", steps.composed(steps.verlet, steps.SUZUKI), VARIATIONAL | truth("4 4 4")),
    Case(
        "axes, Kahan-Li 8",
        steps.composed(steps.axes_in_turn((0, 1, 2)), steps.KAHAN_LI_8),
        VARIATIONAL | truth("8 8 8"),
    ),
    Case("Lie-Euler", steps.lie_euler, truth("1 1 1", yes="so3 drift", no="sym sf su po mf ef mt et")),
    Case("Lie-Heun", steps.lie_heun, truth("2 2 2", yes="so3 drift", no="sym sf su po mf ef mt et")),
    Case("RK4 on matrices", steps.rk4, truth("4 4 4", yes="drift", no="sym sf su po mf ef mt et so3")),
    Case("RK4, projected", steps.rk4_projected, truth("4 4 4", yes="so3 drift", no="sym sf su po mf ef mt et")),
    Case("Munthe-Kaas 4", steps.munthe_kaas_4, truth("4 4 4", yes="so3 drift", no="sym sf su po mf ef mt et")),
    Case("explicit midpoint", steps.explicit_midpoint, truth("2 2 2", yes="so3 drift", no="sym sf su po mf ef mt et")),
    Case("implicit midpoint", steps.implicit_midpoint, truth("2 2 2", yes="sym ef so3 drift", no="sf su po mf mt et")),
    # right, in awkward forms
    Case("same arrays", awkward.same_arrays, VARIATIONAL),
    Case(
        "single precision", awkward.single, {k: v for k, v in VARIATIONAL.items() if k != "drift"}, "single precision"
    ),
    Case("substeps", awkward.substeps, VARIATIONAL),
    Case("warm start", awkward.WarmStart(), truth("2 2 2", yes="sym ef so3 drift", no="sf su po mf mt et")),
    Case("refuses h < 0", awkward.refuses_backwards, TOP_AND_FREE),
    Case("refuses h > 0.2", awkward.refuses_large, {k: v for k, v in VARIATIONAL.items() if k != "drift"}),
    Case(
        "RK4 with |h|",
        awkward.absolute(steps.rk4),
        truth("4 4 4", yes="drift", no="sf su po mf ef mt et so3"),
        "not honoured",
    ),
    Case("Lie-Verlet with |h|", awkward.absolute(steps.verlet), TOP_AND_FREE, "not honoured"),
    Case("hangs for h < 0", awkward.hangs_backwards, TOP_AND_FREE),
    Case("NaN for a free body", awkward.nan_for_free, {k: v for k, v in VARIATIONAL.items() if "free" not in k}),
    Case(
        "fails for equal moments",
        awkward.fails_for_equal_moments,
        {k: v for k, v in VARIATIONAL.items() if k != "drift"},
    ),
    Case("no complex numbers", awkward.by_differences, VARIATIONAL),
    Case("noise", awkward.noisy, truth("", no="et ef", but={"on_group": "yes"}), "not the same twice"),
    Case("own steps", awkward.own_steps, truth("", no="ef et"), "its own steps"),
    Case("rounded velocities", awkward.rounded, truth("", no="ef et", yes="so3"), "jump"),
    # memory
    Case(
        "leapfrog",
        ph.BlackBox("leapfrog", awkward.leapfrog),
        truth("2 2 2", yes="so3 drift", no="sym sf su mf ef et"),
        "memory",
    ),
    Case(
        "Adams-Bashforth",
        ph.BlackBox("Adams-Bashforth", awkward.adams_bashforth),
        truth("2 2 2", yes="so3 drift", no="sym sf su mf ef et"),
        "memory",
    ),
    Case("lagging torque", awkward.Lagging(), truth("2 1 1", yes="so3 mf", no="su sym et"), "memory"),
    # one mistake each
    Case(
        "exp for cay",
        mistaken(rotation=steps.exp),
        truth("2 2 2", yes="sym po so3 drift", no="sf su mf ef mt et"),
        "exp with",
    ),
    Case("sign of a half kick", mistaken(last=-0.5), FREE_PART | truth("2 0 0", yes="drift", no="sym"), "torque"),
    Case("half the torque", mistaken(last=0.0), FREE_PART | truth("2 0 0"), "torque"),
    Case("stage time", mistaken(late=0.0), FREE_PART | truth("2 2 1", yes="su mt", no="sym et drift"), "time"),
    Case("stale torque", mistaken(stale=True), FREE_PART | truth("2 1 1", no="sym et", yes="drift"), "torque"),
    Case(
        "half velocity",
        mistaken(half=True),
        truth("", no="sym mf", but={"order_potential_Omega": 0.0, "on_group": "yes"}),
        "half step",
    ),
    Case("lopsided", mistaken(lopsided=1.0), truth("", no="sym sf su mf", yes="so3"), ""),
    Case("tolerance 1e-6", mistaken(tolerance=1e-6), truth("", no="sym ef et"), "loosely"),
    Case("quaternion", mistaken(rotation=awkward.quaternion_unnormalised), truth("", no="so3 mf"), "normalised"),
    Case("Cayley factor", mistaken(rotation=awkward.wrong_cayley), truth("", no="so3 mf"), "wrong factor"),
    # wrong elsewhere
    Case("diagonal tensors only", awkward.diagonal_only, NEVER, "full tensor"),
    Case("small angles", awkward.small_angles, ATTITUDE_ALONE, "small"),
    Case("beyond 157 degrees", awkward.beyond_157_degrees, ATTITUDE_ALONE, "half a turn"),
    Case("nearly equal moments", awkward.nearly_equal, NEVER, "nearly equal"),
    Case("more than 0.8 rad a step", awkward.clamped, truth("", no="sf su mf"), "rad"),
    Case("at rest", awkward.sleeping, truth("- 0 0"), "wrong elsewhere"),
    Case("late times", awkward.late, truth("2 2 0"), "late"),
    Case("fast rotation", awkward.fast_only, truth("", no="sym sf su mf"), "fast"),
    Case("NaN for a sphere", awkward.sphere, {}, "sphere"),
)

RIGHT_IN_FLOATS = {k: v for k, v in VARIATIONAL.items() if k != "iterations"}

KERNELS = tuple(
    Case(f"kernel: {name}", kernels.as_method(name), known, named)
    for name, known, named in (
        ("splitting", VARIATIONAL, ""),
        ("printed_digits", VARIATIONAL | truth("8 8 8"), ""),
        ("symplectic_euler", truth("1 1 1", yes="sf su po mf mt so3", no="sym ef et drift"), ""),
        ("large_turns", truth("2 2 2", yes="so3", no="sym sf su mf mt ef et"), "another formula"),
        ("by_math", VARIATIONAL, ""),
        ("to_a_tolerance", VARIATIONAL, ""),
        ("with_a_branch", VARIATIONAL, ""),
        ("small_turns", ATTITUDE_ALONE | truth(no="mf mt sf su"), "small"),
        ("half_a_turn", ATTITUDE_ALONE | truth(no="sym mf mt sf su"), "half a turn"),
        ("rounded_moments", truth("0 0 0", yes="sym sf su po mf mt so3"), "nearly equal"),
        ("quick_gyroscope", truth("0 0 0", no="sf su mf sym mt"), "fast"),
        ("stopped_clock", truth("2 2 0", yes="sf su po mf mt so3", no="ef et"), "late"),
    )
)

KERNELS_HELD_OUT = tuple(
    Case(f"kernel: {name}", kernels.as_method(name), known, named)
    for name, known, named in (
        ("stale_kick", FREE_PART | truth("2 1 1", no="sym et"), ""),
        ("opposite_turn", truth("0 0 0", yes="so3", no="mf sf su"), ""),
        ("kept_size", FREE_PART | truth("2 0 0"), "torque"),
        ("coarse_turns", truth("2 2 2", no="sf su mf mt so3"), "normalise"),
        ("no_clock", truth("2 2 0", yes="sf su po mf mt so3", no="ef et"), "time"),
        ("forward", TOP_AND_FREE, "not honoured"),
        ("hardly_damped", NEVER, ""),
        ("ascending", truth("0 0 0", yes="sym sf su po mf mt so3"), "another order"),
        ("slender_bodies", NO_LONGER, "rod"),
        ("lagging", truth("2", yes="sf po mf so3", no="sym su ef et"), "memory"),
        ("only_small_steps", EVERYWHERE, ""),
        ("hardly_at_all_damped", NEVER, ""),
        ("cosines_of_floats", EVERYWHERE, ""),
        ("of_length_three", EVERYWHERE, ""),
        ("growing", EVERYWHERE | {"on_group": "no"}, "length"),  # a long run overflows
        ("euler_when_small", truth("2 2 2", yes="so3 mf", no="sf su"), ""),
    )
)

LATE = {f"order_{case}_{what}": 2.0 - (what == "Omega") for case in CASES_OF_ORDERS for what in ("Q", "Omega")}
KERNELS_WITH_MEMORY = (
    Case("kernel: one step late", kernels.ONE_STEP_LATE, LATE | truth(yes="so3", no="mf ef et"), "memory"),
    Case("kernel: asleep first", kernels.ASLEEP_FIRST, truth("1 1 1", yes="so3", no="ef et"), "memory"),
)
"""Whose first step is not like those after it."""

HELD_OUT = (
    # textbook methods
    Case("symmetric top and rest", held_out.top_and_rest, VARIATIONAL),
    Case("Kutta 3 in the algebra", held_out.kutta3, truth("3 3 3", yes="so3 drift", no="sym sf su po mf ef mt et")),
    Case("Euler, momentum in space", held_out.momentum_euler, truth("1 1 1", yes="mf mt so3", no="sym ef et")),
    Case("Gauss on quaternions", held_out.gauss(held_out.GAUSS), truth("4 4 4", yes="sym ef et so3", no="sf su po mf")),
    Case("LGVI", held_out.lgvi, VARIATIONAL | truth(yes="ef")),
    Case("RK4 on Euler angles", held_out.euler_angles, IN_A_CHART, "quarter"),
    # right, in other forms
    Case("lists", held_out.in_lists, VARIATIONAL),
    Case("in place", held_out.in_place, VARIATIONAL),
    Case("quaternions inside", held_out.by_quaternions, VARIATIONAL),
    Case("orthonormalised", held_out.orthonormalised, VARIATIONAL),
    Case("steps of at most 0.1", held_out.many_substeps, truth(no="ef et"), "its own steps"),
    Case("torque kept by its time", held_out.KeepsTorque(), truth("2 2 2", yes="mf so3", no="ef et"), "memory"),
    # one mistake each
    Case("torque in space axes", held_out.wrong_frame, FREE_PART | truth("2 0 0"), "frame"),
    Case("torque by the transpose", held_out.transposed_frame, FREE_PART | truth("2 0 0"), "frame"),
    Case("another body", held_out.wrong_energy, truth("0 0 0", yes="sym sf su po mf mt so3", no="ef et")),
    Case("velocity rescaled", held_out.rescaled, truth("2 2 2", yes="ef et so3", no="sym sf su po mf mt drift")),
    Case("torque in single precision", held_out.single_torque, truth("", yes="mf so3", no="ef et"), "jump"),
    Case("steps rounded", held_out.coarse_clock, truth("0 0 0", yes="sf su po mf mt so3", no="ef et")),
    Case("no time", held_out.no_time, truth("2 2 0", yes="sf su po mf mt so3", no="ef et drift"), "time"),
    Case("series beyond 1.2 rad", held_out.series_beyond, truth("2 2 2", no="so3 sf su mf"), ""),
    Case("moments sorted", held_out.sorted_moments, truth("0 0 0"), "another order"),
    Case("torque in one sense only", held_out.one_sense, FREE_PART | truth("2 0 0"), ""),
    Case("speed capped", held_out.capped, truth("0 0 0", no="sf su mf"), "fast"),
    Case(
        "a time of its own", held_out.with_a_time_of_its_own, truth("1 1 1", yes="so3 drift", no="sym sf su mf ef et")
    ),
    Case("wrong extrapolation", held_out.verlet_by_two, truth("2 2 2", yes="so3", no="sym sf su mf ef et")),
    Case("LGVI, whole first kick", held_out.lgvi_with(first=1.0), FREE_PART | truth("2 0 0", yes="ef"), "torque"),
    Case(
        "LGVI, other side",
        held_out.lgvi_with(frame="space"),
        truth("0 0 0", yes="so3", no="mf", but={"order_free_Omega": 2.0}),
        "wrong side",
    ),
    Case(
        "LGVI, momentum not turned back",
        held_out.lgvi_with(back=False),
        truth("0 0 0", yes="so3", no="mf sf"),
        "wrong sign",
    ),
    Case(
        "Gauss, misprinted",
        held_out.gauss(held_out.MISPRINT),
        truth("1 1 1", no="sym sf su ef et"),
    ),
)
"""Those that were tried after the certificate was made."""

OUTSIDE = ("RATTLE", "NMB", "DMV4", "IMR4", "JEM4", "AKW", "DMV8", "DMV10", "DMV12", "GAUSS16", "RKN8", "MLEOK")


SYMPLECTIC = "sf su po mf mt so3"
QUADRATIC = truth("2 2 2", yes="sym so3 mf ef mt et", no="sf su po")
THIRD = (
    Case("Ruth 3", third.ruth, truth("3 3 3", yes=SYMPLECTIC, no="sym ef et drift")),
    Case("Blanes-Moan 4", third.blanes_moan, truth("4 4 4", yes=f"{SYMPLECTIC} sym", no="ef et drift")),
    Case("conjugate by scaling", third.conjugate_by_scaling, truth("2 2 2", "sym so3", "sf su mf ef et drift")),
    Case("conjugate by a turn", third.conjugate_by_a_turn, truth("2 2 2", "sym so3 po", "sf su mf ef et drift")),
    Case("midpoint on matrices", third.midpoint_on_matrices, QUADRATIC),
    Case("Newton by its residual", third.on_momenta(third.by_newton), VARIATIONAL),
    Case("norm of complex numbers", third.turning_by(third.by_a_norm), VARIATIONAL),
    Case("momentum alone", third.momentum_alone, truth("2 2 2", yes="mf mt so3 drift", no="sym sf su ef et")),
    Case("no turn when tiny", third.no_turn_when_tiny, ATTITUDE_ALONE),
    Case("three terms below 0.05 rad", third.three_terms_below(0.05), truth(no="so3 sf su mf mt")),
    Case("three terms below 0.004 rad", third.three_terms_below(0.004), truth(no="so3 sf su mf mt")),
    Case("another below 0.05 rad", third.two_methods(lambda x: x < 0.05), truth("2 2 2", "mf so3", "sf su ef")),
    Case(
        "another beyond 1 rad",
        third.two_methods(lambda x: x > 1),
        truth("2 2 2", "mf so3", "sym sf su ef"),
        "another formula",
    ),
    Case("another after 1000 calls", third.worn(), truth(no="mf"), "changed while it was measured"),
    Case("axes of either hand", third.by_eigenvectors, NEVER),
    Case("step at least 1e-3", third.step_at_least, NEVER),
    Case("speed clipped", third.clipped, NEVER | truth(no="mf"), "fast"),
    Case("wrong for a sphere", third.wrong_for_a_sphere, NEVER, "np.ptp(p.moments)"),
    Case("damping of 1e-7", third.damped_by(third.right, rate=1e-7), NEVER),
    Case("damping of 1e-9", third.damped_by(third.right, rate=1e-9), NEVER),
    Case("damping of 1e-9 a step", third.damped_by(third.right, each=1e-9), NEVER),
    Case("Blanes-Moan, damping of 1e-8", third.damped_by(third.blanes_moan, rate=1e-8), NEVER),
    Case("torque of 1 + 1e-7", third.torque_nearly, truth("2 0 0", yes="sf su po mf mt so3", no="ef")),
    Case("torque of 1.001", third.torque_of_1001, truth("2 0 0", yes="sf su po mf mt so3", no="ef"), "torque"),
)


TORQUE_ALONE = truth("2 0 0", yes="sf po mf so3", no="ef")
FOURTH = (
    Case("fast and damped", fourth.fast, NO_LONGER, "wrong elsewhere"),
    Case("no torque before t = 0", fourth.before_zero, truth("2 0 0", yes="sf po mf so3"), "t = -"),
    Case("deadband", fourth.deadband, TORQUE_ALONE, "weak"),
    Case("one component the largest", fourth.by_quaternion, NO_LONGER, ""),
    Case("about an axis", fourth.about_an_axis, truth("0"), "np.abs(Omega) > 1e-09"),
    Case("moments that descend", fourth.odd_order, NO_LONGER, "order"),
    Case("moments within 1e-3", fourth.nearly_equal, truth("0 0 0"), "moments equal"),
    Case("slender bodies", fourth.slender, NO_LONGER, "rod"),
    Case("put to sleep", fourth.sleeping, truth("0 0 0", no="sym sf su mf"), "Omega @ Omega"),
    Case("I + hat when tiny", fourth.first_order_when_tiny, truth(no="so3 sf mf"), "tiny"),
    Case("another when free", fourth.free_path, truth("4 2 2", no="sym sf mf ef"), ""),
    Case("torque by differences", fourth.torque_by_differences, truth("2 0", yes="mf so3"), ""),
    Case("damping with h", fourth.damping_with_h, truth("1 1 1", yes="so3", no="sf su mf ef"), ""),
    Case("faintly damped", fourth.faintly_damped, truth("", yes="so3", no="sym sf su mf ef et unsafe"), ""),
    Case("substeps by speed", fourth.substeps_by_speed, truth("2 2 2", yes="mf mt so3", no="unsafe"), ""),
    Case("axes by the state", fourth.axes_by_the_state, truth("2 2 2", yes="mf mt so3", no="unsafe"), ""),
    Case(
        "every tenth step damped",
        ph.BlackBox("every tenth", fourth.every_tenth_damped),
        truth("", yes="so3", no="mf unsafe"),
        "memory",
    ),
    Case("hangs beyond h = 0.6", fourth.hangs_beyond, EVERYWHERE, ""),
    Case("exits beyond h = 2.5", fourth.exits_beyond, VARIATIONAL, ""),
    Case("free bodies only", fourth.free_only, FREE_PART, ""),
    Case("another last bit", fourth.last_bit, EVERYWHERE, "not the same twice"),
    Case("Yoshida 6", fourth.yoshida_6, VARIATIONAL | truth("6 6 6"), ""),
    Case("Q transposed", fourth.transposed, truth("- 0 0", no="mf"), "transpose"),
    Case("velocity in space axes", fourth.in_space, truth("0 0 0", no="mf"), "space axes"),
)
"""Branches of programs, and what else is wrong where one does not look."""

FAINT = (
    Case("triple jump, five digits", faint.triple_jump_of_five_digits, EVERYWHERE, ""),
    Case(
        "Munthe-Kaas, 1/10",
        faint.munthe_kaas_with_a_tenth,
        truth("- 3 3", yes="so3", no="sym sf su mf ef", but={"order_free_Q": 3.0, "order_free_Omega": 4.0}),
        "",
    ),
    Case("better when small", faint.better_when_small, truth("4 4 4", yes="so3", no="ef"), ""),
    Case("adjoint by parity", faint.by_parity, truth("2 2 2", yes="sf su po mf mt so3", no="ef et"), ""),
    Case("time on a grid", faint.time_on_a_grid, truth("2 2", yes="sf su po mf mt so3", no="ef et"), "late time"),
    Case("np.isclose of moments", faint.close_moments, NEVER | truth(yes="so3"), "small moments"),
    Case("attitude in single", faint.attitude_in_single, truth("2 2 2", yes="mf"), "single"),
    Case("torque of a rounded attitude", faint.torque_of_a_rounded_attitude, truth("2 0 0", yes="mf so3"), ""),
    Case("tolerance 1e-13", faint.to_a_small_tolerance, VARIATIONAL, ""),
    Case(
        "counts to a thousand",
        ph.BlackBox("counts", faint.counts_to_a_thousand),
        truth("2 2 2", yes="mf mt so3", no="ef et"),
        "memory",
    ),
    Case(
        "torque of the last call",
        ph.BlackBox("last call", faint.TorqueOfTheLastCall()),
        truth("2", yes="mf so3 sf po"),
        "memory",
    ),
)
"""Faint mistakes, and right ones that look like it."""

POINTS_AND_LOOPS = (
    Case("mean of quaternions", points_and_loops.mean_of_quaternions, truth("2 1 1", yes="so3", no="sym sf su mf ef")),
    Case(
        "no torque at the identity",
        points_and_loops.no_torque_at_the_identity,
        truth("2 1 1", yes="sf po mf mt so3", no="sym su ef et"),
        "identity",
    ),
    Case(
        "frozen near the identity",
        points_and_loops.frozen_near_the_identity,
        truth("2 0 0", yes="sf po mf so3", no="su mt ef et"),
        "identity",
    ),
    Case("torque cut off at 20", points_and_loops.torque_cut_off, TORQUE_ALONE, "strong"),
    Case("odd step lost", ph.BlackBox("odd", points_and_loops.odd_step_lost), truth("1 1 1", no="ef et"), "memory"),
    Case(
        "time in single precision",
        ph.BlackBox("single", points_and_loops.time_in_single_precision),
        truth("2 2 0", yes="sf su po mf mt so3", no="ef et"),
        "late time",
    ),
    Case(
        "time goes forward",
        ph.BlackBox("forward", points_and_loops.time_goes_forward),
        truth("2 2 2", yes="sf su po mf mt so3", no="sym ef et"),
    ),
    Case("Newton by differences", points_and_loops.newton_by_differences, VARIATIONAL),
    Case(
        "Dormand-Prince",
        points_and_loops.dormand_prince,
        truth("5 5 5", yes="drift", no="sym sf su po mf ef mt et so3"),
    ),
)
"""Wrong at a point alone, loops of black boxes, and right ones that complex numbers or round-off obscure."""


KINKS = (
    Case("small turns", kinks.small_turns, truth("1 1 1", no="sym sf su po mf mt so3")),
    Case("snapped to the identity", kinks.snapped, ATTITUDE_ALONE | truth(yes="so3", no="mf mt ef et"), "identity"),
    Case(
        "no first kick from rest",
        kinks.no_first_kick_from_rest,
        truth("2 1 1", yes="sf po mf mt so3", no="sym ef et"),
        "at rest",
    ),
    Case("cut at 1 rad", kinks.cut_at_one, truth("2 2 2", yes="so3", no="sf su mf mt ef et")),
    Case("sines of a table", kinks.sines_of_a_table, truth("0 0 0", yes="sym sf su po mf mt so3", no="ef et")),
    Case(
        "smaller turns",
        kinks.smaller_turns,
        truth("- 1 1", no="sym sf su po mf ef mt et so3", but={"order_free_Q": 1.0, "order_free_Omega": 4.0}),
    ),
    Case("thin rods by Euler", kinks.thin_rods, truth("1 1 1", yes="so3", no="sym sf su po mf ef mt et"), "thin rod"),
    Case("steady spin", kinks.steady_spin, truth("0 0 0", yes="so3", no="sym sf su mf ef mt et"), "axis"),
    Case(
        "clock from zero",
        ph.BlackBox("clock", kinks.clock_from_zero),
        truth("2 2 0", yes="sf su po mf mt so3", no="ef et"),
        "depends on time",
    ),
    Case("generator", kinks.generator(), VARIATIONAL),
)
"""Formulas that change within what runs, with or without a jump."""

RUDE = (
    Case("panics when large", rude.panics_when_large, EVERYWHERE),
    Case("tries for ever", rude.tries_for_ever, EVERYWHERE),
    Case("kernel: longer and longer", rude.longer_and_longer, truth("2 2 2", yes="sym sf su po mf", no="so3 ef et")),
    Case("kernel: of length one", rude.of_length_one, truth("2 2 2", yes="sym sf su po mf so3", no="ef et")),
)
"""Those that catch what ends them or raise what others do not catch, and quaternions of any length."""

OF_ORDER_4 = truth("4 4 4", yes="so3", no="ef et", but={NOT_SAFE: "yes"})
DRIFTING = (
    Case("until t = 40", drifting.until_40, VARIATIONAL),
    Case(
        "up to 1000 steps",
        ph.BlackBox("up to 1000 steps", drifting.up_to_1000_steps),
        truth("2 2 2", yes="mf mt so3", no="ef et drift"),
        "memory",
    ),
    Case("kicks between turns", drifting.kicks_between_turns, VARIATIONAL),
    Case("order 4 by the state", drifting.four_by_the_state, OF_ORDER_4),
    Case(
        "kernel: jumps by the state", ph.Method(name="jumps by the state", step=drifting.jumps_by_the_state), OF_ORDER_4
    ),
    Case("unhashable", drifting.Unhashable(), VARIATIONAL),
)
"""A drift, or what looks like one."""

EXACT_FLOWS = truth("2 2 2", yes="sym sf su po mf mt so3", no="ef et")
BY_ATTITUDE = ATTITUDE_ALONE | truth(yes="po so3", no="sym sf su mf mt ef et")
BRANCHES = (
    Case("twice near a quarter turn", branches.twice_near_a_quarter_turn, BY_ATTITUDE, "about the first axis"),
    Case("kernel: near a quarter turn", branches.NEAR_A_QUARTER_TURN, BY_ATTITUDE, "about the first axis"),
    Case("another flow when fast, faint", branches.fast_and_faint, truth("2 2 2", yes="mf mt so3", no="sf su")),
    Case("another flow when fast", branches.fast_and_slow_to_run, truth("2 2 2", yes="mf mt so3", no="sf su")),
    Case("scaled to its energy", branches.scaled_to_its_energy, truth("4", yes="ef et so3", no="sym sf su mf")),
    Case("small turns left out", branches.leaves_out_small_turns, truth("0 0 0", yes="sym sf su po mf mt so3")),
    Case("kernel: scaled momenta", branches.SCALED_MOMENTA, EXACT_FLOWS),
)
"""Narrow or faint branches, and right ones that derivatives or round-off deceive."""

OF_NOTHING = "sym sf su po mf ef mt et so3"
HIDDEN = (
    Case("two steps, moments in order", hidden.AdamsBashforth(), NEVER, "memory"),
    Case("no small steps, moments in order", hidden.no_small_steps, NEVER, "another order"),
    Case("order 3 near the identity", hidden.near_the_identity, truth("4 3 3", no=OF_NOTHING), "identity"),
    Case("order 3 before t = 0", hidden.before_zero, truth("4 3 3", no=OF_NOTHING), "t = -"),
    Case("order 3 late", hidden.late, truth("4 3 3", no=OF_NOTHING), "late"),
    Case("velocity read off the turn", hidden.read_off_the_turn, truth("2 2 2", yes="so3")),
    Case("extrapolated 5", hidden.extrapolated_5, truth("5 5 5", yes="so3", no=OF_NOTHING.replace("so3", ""))),
    Case("kicks 1e-5 apart", hidden.unequal_kicks(1e-5), truth("2 1 1", yes="sf su po mf mt so3", no="sym ef et")),
)
"""Lower orders that memory, refusals, larger errors and round-off hide, and round-off that looks like one."""


ONE_FORMULA = truth("1 1 1", yes="so3", no="sym sf su po mf ef mt et")  # Euler's step somewhere
RARE = (
    Case("Euler in a band and a cone", rare.turned_and_tilted, ONE_FORMULA, "-0.8 < np.trace"),
    Case("steady spin, late", rare.nearly_steady_and_late, truth("0 0 0", yes="so3", no="sym sf su mf ef et")),
    Case("Euler in a window", rare.Window(), ONE_FORMULA, "0.3 < Q[0, 1] < 0.36"),
    Case("one of two", rare.one_of_two, truth("2 2 2", yes="mf mt so3", no="sym ef et")),
    Case("harmless branches", rare.harmless_branches, VARIATIONAL),
    Case("held spin", rare.held_spin, truth("0 0 0", yes="so3", no="sym sf su mf mt et"), "np.delete"),
    Case("torque shortened", rare.shortened_torque, truth("2 0 0", yes="sym sf po mf mt so3", no="su ef et")),
    Case(
        "triple jump of Lie-Trotter",
        steps.composed(steps.lie_trotter, steps.TRIPLE),
        truth("1 1 1", yes="sf su po mf mt so3", no="sym ef et"),
    ),
    Case(
        "kernel: in a cone",
        ph.Method(name="in_a_cone", step=rare.in_a_cone),
        truth("2 2 2", yes="so3", no="sym sf su po mf mt"),
        "size",
    ),
    Case("kernel: with rare branches", ph.Method(name="with_rare_branches", step=rare.with_rare_branches), VARIATIONAL),
)
"""Conditions that no list of states foresees, which their own text tells."""


@functools.cache
def suite():
    """Every case."""
    return (
        *FUNCTIONS,
        *KERNELS,
        *HELD_OUT,
        *KERNELS_HELD_OUT,
        *KERNELS_WITH_MEMORY,
        *THIRD,
        *FOURTH,
        *FAINT,
        *POINTS_AND_LOOPS,
        *KINKS,
        *DRIFTING,
        *RUDE,
        *BRANCHES,
        *HIDDEN,
        *RARE,
        *(boxed(name) for name in OUTSIDE),
    )


def score(case, certificate):
    """Per property: "right", "undecided", "false yes", "false no", "false order"."""
    found = {}
    for key, true in case.truth.items():
        if key == NOT_SAFE:
            verdict = certificate.properties["drift"].verdict if "drift" in certificate.properties else "undecided"
            found["drift"] = {"yes": "right", "no": "false no"}.get(verdict, verdict)
            continue
        p = certificate.properties.get(key)
        if p is None or p.verdict == "undecided" or (BY_KEY[key].kind == ORDER and p.value is None):
            found[key] = "undecided"
        elif BY_KEY[key].kind == ORDER:
            close = abs(p.value - true) < 0.3 if true != float("inf") else p.value == true
            stops = p.down_to is not None
            low = true == 0 and (p.value < 0.5 or stops)
            found[key] = "right" if low or (close and (true == 0 or not stops)) else "false order"
        else:
            found[key] = "right" if p.verdict == true else f"false {p.verdict}"
    return found
