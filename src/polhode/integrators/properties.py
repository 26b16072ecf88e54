"""The properties of an integrator, one row each: certificates, claims, lists, pages, JSON and advice follow from them.

To add a property, add its row: to `Claims` if methods claim it, to `UNCLAIMED` if not. In ``testbench/certificate``,
``kernel/measurements.py`` (kernels) and ``outside/measurements.py`` (anything that runs) list
under its `measure` what measures it, and ``states/cases.py`` under its `case` the problem on which that is done.
"""

from dataclasses import dataclass, fields
from typing import Any

from polhode.integrators.property_rows import KINDS, NUMBER, ORDER, RATE, YES_OR_NO, Column, Outlook, Row, claim

CONSERVED, STRUCTURE = ("momentum", "energy"), ("symplectic", "symmetric")
KEPT = (*CONSERVED, *STRUCTURE)
"""What `recommend(keep=...)` can be asked for."""

BY_ORDER = Column(
    "order",
    "order",
    "of Q and Omega, free body and with a torque, one number where all agree",
    "Order is that of Q and of Omega, for the free body and with a torque; one number where all agree.",
)
FREE_AND_TOP = '"free / top": for a free body and for a heavy top without symmetry.'
SYMPLECTIC = Column(
    "symplectic", "sympl", "symplectic without and with a potential", '"free / U": without and with a potential;'
)
MOMENTUM = Column("momentum", "momentum", "conserved for a free body, and for a heavy top", FREE_AND_TOP)
ENERGY = Column("energy", "energy", "conserved for a free body, and for a heavy top", FREE_AND_TOP)
BY_ORDER_MOVING = Column(
    "order",
    "order",
    "of Q and Omega, with a torque of the velocity and with a rotor",
    "Order is that of Q and of Omega, with a torque of the velocity and with a rotor.",
)
ENERGY_INSIDE = Column(
    "energy",
    "energy",
    "kept with a rotor; never rising under damping",
    "Energy: kept with a rotor; never rising from step to step under damping, however weak, at any h.",
)


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What a method claims beside its order; None: nothing."""

    torques_per_step: int | None = claim(  # None: implicit in the torque, one evaluation per iteration
        key="torque_evaluations",
        title="torque evaluations a step",
        kind=NUMBER,
        measure="torque evaluations",
        case="potential",
        column=Column("torques", "torques", "evaluations a step", "Torques: evaluations a step."),
    )
    symmetric: bool | None = claim(
        title="symmetric",
        measure="symmetry",
        case="forced",
        how="a step of h and one of -h from a generic state under a torque in time",
        how_outside="a step of h and one of -h under a torque in time",
        column=Column("symmetric", "sym", "symmetric"),
        adjective="symmetric",
        keep="symmetric",
    )
    symplectic_free: bool | None = claim(
        title="symplectic, free body",
        measure="symplecticity",
        case="free",
        how="D^T W D - W of a free step",
        column=SYMPLECTIC,
        label="free",
        if_yes="is symplectic for a free body",
        covers=("poisson_free",),
        keep="symplectic",
    )
    symplectic: bool | None = claim(
        key="symplectic_potential",
        title="symplectic, potential",
        measure="symplecticity",
        case="potential",
        needs_torque=True,
        how="D^T W D - W of a step in a potential without symmetry",
        how_outside="D^T W D - W in a potential",
        column=SYMPLECTIC,
        label="U",
        if_yes="is symplectic",
        covers=("symplectic_free", "poisson_free"),
        keep="symplectic",
    )
    poisson_free: bool | None = claim(
        title="Poisson map, free body",
        measure="Poisson map",
        case="free",
        how="A hat(Pi0) A^T - hat(Pi1) of a free step",
        column=Column("Poisson", "Poisson", "of the free body's momentum"),
        if_yes="is a Poisson map of a free body's momentum",
    )
    momentum_free: bool | None = claim(
        title="spatial momentum, free body",
        measure="spatial momentum",
        case="free",
        how="change of Q Pi in three free steps",
        column=MOMENTUM,
        label="free",
        if_yes="keeps the spatial momentum",
        keep="momentum",
    )
    energy_free: bool | None = claim(
        title="energy, free body",
        measure="energy",
        case="free",
        how="change of the energy in three free steps",
        column=ENERGY,
        label="free",
        if_yes="keeps the energy of a free body",
        keep="energy",
    )
    momentum_top: bool | None = claim(
        title="vertical momentum, heavy top",
        measure="vertical momentum",
        case="top",
        needs_torque=True,
        how="change of the vertical momentum of a heavy top without symmetry in three steps",
        how_outside="change of a top's vertical momentum in three steps",
        column=MOMENTUM,
        label="top",
        keep="momentum",
    )
    energy_top: bool | None = claim(
        title="energy, heavy top",
        measure="energy",
        case="top",
        needs_torque=True,
        how="change of the energy of a heavy top without symmetry in three steps",
        how_outside="change of a top's energy in three steps",
        column=ENERGY,
        label="top",
        if_yes="keeps the energy of a free body and of a heavy top",
        covers=("energy_free",),
        keep="energy",
    )
    symplectic_rotor: bool | None = claim(
        title="symplectic, potential and rotor",
        measure="symplecticity",
        case="rotor",
        needs_torque=True,
        needs_velocity=True,
        how="D^T W D - W of a step with a rotor in a potential without symmetry, W at the momentum with the rotor's",
        column=Column(
            "symplectic", "sympl", "symplectic with a rotor", "Symplectic: with a rotor, for the momentum J Omega + l."
        ),
    )
    conformal: bool | None = claim(
        title="conformally symplectic, damped",
        measure="conformality",
        case="contracted",
        needs_torque=True,
        needs_velocity=True,
        how="D^T W D - exp(-gamma h) W of a step in a potential with the torque -gamma J Omega",
        column=Column(
            "conformal",
            "conf",
            "contracts the symplectic form by exp(-gamma h) under -gamma J Omega",
            "Conformal: with the torque -gamma J Omega a step contracts the symplectic form by exactly exp(-gamma h).",
        ),
    )
    momentum_wheels: bool | None = claim(
        title="momentum of body and wheels",
        measure="spatial momentum",
        case="wheels",
        needs_torque=True,
        needs_velocity=True,
        how="change of Q (J Omega + l) in three steps of a body with wheels, motors on",
        column=Column(
            "momentum",
            "momentum",
            "of body and wheels, conserved with motors on",
            "Momentum: of body and wheels, conserved with the motors on.",
        ),
    )
    energy_rotor: bool | None = claim(
        title="energy with a rotor",
        measure="energy",
        case="gyrostat",
        needs_torque=True,
        needs_velocity=True,
        how="change of the energy in three steps of a free body with wheels, motors off",
        column=ENERGY_INSIDE,
        label="rotor",
    )
    energy_damped: bool | None = claim(
        title="energy never rises, damped",
        measure="energy that rises",
        case="weak",
        needs_torque=True,
        needs_velocity=True,
        how="rise of the energy in a step from several states of a body with damping as weak as can be told",
        how_outside="rise of the energy in each of three steps with damping as weak as can be",
        composes=False,
        column=ENERGY_INSIDE,
        label="damped",
    )
    drift: str | None = claim(  # "+", "-", "none", "unstable"
        title="energy drifts, stress test",
        kind=RATE,
        measure="drift",
        case="stress",
        needs_torque=True,
        column=Column("drift", "drift", "of the energy on the stress test", "Drift: of the energy on the stress test."),
    )


MOVING = ("damped", "rotor")
"""The cases of orders with a torque that depends on the velocity."""

ORDERS = tuple(
    Row(
        key=f"order_{case}_{what}",
        group=f"order_{case}",
        title=f"order of {what}, {words}",
        kind=ORDER,
        measure="order",
        case=case,
        needs_torque=part != "free",
        needs_velocity=case in MOVING,
        how="global error",
        claim="order",
        part=part,
        column=BY_ORDER_MOVING if case in MOVING else BY_ORDER,
        label="free" if part == "free" else "",
    )
    for case, words, part in (
        ("free", "free body", "free"),
        ("potential", "potential", "torque"),
        ("forced", "torque in time", "torque"),
        ("damped", "torque of the velocity", "torque"),
        ("rotor", "rotor", "torque"),
    )
    for what in ("Q", "Omega")
)
"""Of Q and of Omega, both from one measurement; those with a torque are one claim. The parts are the fields of `Order`;
without a part nothing is claimed."""

UNCLAIMED = (
    Row(
        key="on_group",
        title="stays on SO(3)",
        measure="orthogonality",
        case="potential",
        how="max |Q^T Q - I|",
        if_no="leaves the rotation group",
    ),
    Row(key="iterations", title="iterations a step", kind=NUMBER, measure="iterations", case="potential"),
    Row(key="largest_step", title="largest stable step, h", kind=NUMBER, measure="largest step", case="potential"),
)


OUTLOOKS = (
    Outlook("drift", "yes", ", and its energy drifts on the stress test: for short runs"),
    Outlook("symplectic_potential", "yes", ": made for long runs, its energy error stays bounded", needs_order=True),
    Outlook("symplectic_free", "yes", ": made for long runs of a free body", "symplectic_potential", needs_order=True),
    Outlook("drift", "no", ": no drift was seen, but nothing guarantees that for longer runs"),
)
"""In this order: a summary says the first that holds, joined to what is kept as its words begin."""

PROPERTIES = tuple(
    sorted(
        (*ORDERS, *(Row(**{"key": f.name, "claim": f.name, **f.metadata}) for f in fields(Claims)), *UNCLAIMED),
        key=lambda row: KINDS.index(row.kind),
    )
)
"""All rows, in the order in which a certificate lists them."""

BY_KEY = {row.key: row for row in PROPERTIES}
CLAIMED = tuple(row for row in PROPERTIES if row.kind == YES_OR_NO and row.claim)
"""The rows of the yes-or-no claims."""


def groups() -> list[tuple[Row, ...]]:
    """The rows, those of one measurement together."""
    together: dict[str, tuple[Row, ...]] = {}
    for row in PROPERTIES:
        together[row.group or row.key] = (*together.get(row.group or row.key, ()), row)
    return list(together.values())


def columns(velocity: bool = False) -> list[tuple[Column, tuple[Row, ...]]]:
    """The columns of a list of methods with their rows; of those that say something of torques of the velocity, or of
    the others."""
    together: dict[Column, tuple[Row, ...]] = {}
    for kind in (ORDER, YES_OR_NO, NUMBER, RATE):
        for row in PROPERTIES:
            if row.column and row.kind == kind and row.needs_velocity is velocity:
                together[row.column] = (*together.get(row.column, ()), row)
    return list(together.items())


def measured_by(measure: str, case: str | None = None) -> tuple[str, ...]:
    """The keys of what is measured so."""
    return tuple(row.key for row in PROPERTIES if row.measure == measure and case in (None, row.case))


def claims_of(method: Any) -> dict[str, Any]:
    """What a method claims that a certificate can contradict, by key."""
    claims = {row.key: getattr(method, row.claim) for row in CLAIMED if row.is_of(method)}
    for first, *others in groups():
        if not first.is_of(method):
            continue
        if first.kind == ORDER and first.part:
            claims |= zip((row.key for row in (first, *others)), getattr(method.orders, first.part))
        elif first.kind == RATE and getattr(method, first.claim) == "none":
            claims[first.key] = False  # a drift that is claimed and not seen in a short run is no contradiction
        elif first.kind == NUMBER and first.claim:
            claims[first.key] = getattr(method, first.claim)
    return {key: value for key, value in claims.items() if value is not None and value == value}


def title_of(name: str) -> str:
    """What a measurement is called by those who read: the title of its property, or of the first of several."""
    return next((row.title for row in PROPERTIES if name in (row.key, row.group)), name)
